"""What the text says of the speed of the arrays."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.papers.alkhaleel2006.designs import (
    MUX,
    MUX4,
    PRODUCTS,
    SCHEMES,
    TARGETS,
    WIDTHS,
    Design,
    is_there,
)
from modmul.papers.alkhaleel2006.measured import Measured
from modmul.papers.records import Cell, Figure, Figures, MeasuredCell, Origin, Table


def claims(figures: Figures, measured: Measured) -> Table:
    """Each claim, and where it holds."""
    others = [SCHEMES[one] for one in ("iterative", "five_counter", "booth")]
    said: list[tuple[str, Design, Sequence[Design], str, str | None]] = [
        ("array-mux4 is faster than array-mux", MUX4, [MUX], _widths_of(figures), _FASTER),
        ("array-mux is faster than the three others", MUX, others, "from its source", _SOURCE),
        ("array-mux4 is the fastest of the five", MUX4, [MUX, *others], "follows", _FOLLOWS),
        (
            "array-mux4 is the fastest of all here",
            MUX4,
            [one for one in PRODUCTS if one != MUX4],
            "",
            "not said in the paper",
        ),
    ]
    rows: list[tuple[Figure | Cell, ...]] = []
    for words, one, rest, printed, remark in said:
        cells = (
            MeasuredCell(None, None, _where(measured, one, rest, target), origin=Origin.MEASURED)
            for target in TARGETS
        )
        rows.append((words, Cell(printed or None, None, None, remark, origin=Origin.PRINT), *cells))
    columns = ("claim", "said", *(f"{target}_at_bits" for target in TARGETS))
    title = "Speed of the arrays; measured: the widths at which it holds, of those measured"
    return Table("IV, claims", title, columns, tuple(rows))


def _widths_of(figures: Figures) -> str:
    return ", ".join(str(row["k"]) for row in figures["table_4"])


def _where(measured: Measured, one: Design, rest: Sequence[Design], target: str) -> str | None:
    """The widths at which `one` has the shortest delay, of those at which all are measured."""
    tried, holds = [], []
    for k in WIDTHS:
        delays = [measured.delay(d, k, target) for d in (one, *rest) if is_there(d, target)]
        known = [delay for delay in delays if delay is not None]
        if len(known) == len(delays):
            tried.append(k)
            holds += [k] if known[0] < min(known[1:]) else []
    if not tried:
        return None
    return f"{', '.join(map(str, holds)) or 'none'} of {', '.join(map(str, tried))}"


_FASTER = "Table IV"
_FOLLOWS = "from the two claims above, without figures"
_SOURCE = "said with reference to another paper, without figures"
