"""Word products, additions and reads of operands: printed formulas, ours, and simulated clocks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from operator import sub

from msgspec import UNSET

from modmul.papers.columns import Row, tabulate
from modmul.papers.dualfips.counts import ClockCounts, DeclaredAndSimulated, of_both
from modmul.papers.dualfips.designs import ONE, OVERHEAD, WORDS, modes
from modmul.papers.dualfips.measured import Measured
from modmul.papers.records import Figures, Table, TableCell

SIMULATED = "all products"  # as many as clocks without those at the ends


def counts(s: int) -> dict[str, tuple[int, int, int]]:
    """How many of something are in a product, in a square in GF(p), and in one in GF(2^m)."""
    parts = {
        "a b products": (s**2, s * (s + 1) // 2, s),
        "m n products": (s**2, s**2, s**2),
        "quotient words": (s, s, s),
    }
    product, square, binary = map(sum, zip(*parts.values(), strict=True))
    return {
        **parts,
        SIMULATED: (product, square, binary),
        "additions": (product - s, square - s, binary - s),
        "reads of a and b": (2 * s**2, s * (s + 1), 2 * s),
    }


def table(figures: Figures, measured: Measured) -> Table:
    """All operations at 1024 bits, for a product and for a square."""
    product, square, _, binary = modes(WORDS, "prime", "binary")
    clocks = ClockCounts(figures, measured)
    runs = [clocks.of(ONE, mode, OVERHEAD).simulated for mode in (product, square, binary)]

    def row(name: str, numbers: tuple[int, int, int]) -> Row:
        simulated = runs if name == SIMULATED else [None] * 3
        whole, prime, short = (
            DeclaredAndSimulated(*pair) for pair in zip(numbers, simulated, strict=True)
        )
        below = {
            "product": whole,
            "square": prime,
            "saved": of_both(sub, whole, prime),
            "GF(2^m)_square": short,
            "GF(2^m)_saved": of_both(sub, whole, short),
        }
        told, measurable = figures["operations"].get(name, {}), name == SIMULATED
        printed = {key: figures["formulas"].get(told.get(key)) for key in below}
        cells = {
            key: _cell(count, printed[key], _note(told, key, count), measurable)
            for key, count in below.items()
        }
        return {"count": name, **cells}

    rows = (row(*count) for count in counts(WORDS).items())
    return tabulate(figures, "Operations", rows)


def _note(told: Mapping[str, str], heading: str, count: DeclaredAndSimulated) -> str | None:
    """What is said of a printed formula, or of what is simulated."""
    simulated = count.simulated is not None and told.get(f"{heading}_simulated_note")
    return told.get(f"{heading}_note") or simulated or None


def _cell(
    count: DeclaredAndSimulated, formula: str | None, note: str | None, measurable: bool
) -> TableCell:
    remark = "; ".join(filter(None, (formula and f"printed: {formula}", note))) or None
    measured = count.simulated if measurable else UNSET
    return TableCell.arithmetic(
        formula and _valued(formula), count.declared, remark, measured=measured
    )


def _valued(formula: str) -> int:
    """The value of a printed formula."""
    text = formula.replace("^", "**")
    return int(Fraction(eval(text, {"__builtins__": {}}, {"s": Fraction(WORDS)})))
