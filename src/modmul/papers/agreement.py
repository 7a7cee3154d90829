"""The index of all papers: how many cells of each table agree with print, what differs and why.

The tables are those of `papers`, made without measuring: formulas, declared cycles and models
always, measured figures as far as the cache has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, get_args

import msgspec

from modmul.papers.kept import OnlyKept
from modmul.papers.records import Cell, Derived, Figure, Measurable, Paper, Table
from modmul.papers.registry import PAPERS, WHOLE
from modmul.parameters import MOST_JOBS, MOST_SEEDS, check_number
from modmul.toolchain.cache import Cache

SEEDS = 8  # of place and route, as `papers` takes them
TOLERANCE = (
    "half a unit of the last digit printed: in a list of claims that of the figure, in a table "
    "that of its column"
)
Verdict = Literal["exact", "rounded", "differ", "not_measured", "only_printed"]


class Counts(msgspec.Struct, frozen=True):
    """Cells with a printed figure.  Each is in one of the other five.

    exact, rounded: every figure of ours is the printed one, or within TOLERANCE of it; differ: one
    of ours, computed or measured, is not; not_measured: to be compared only when it was measured,
    which it was not; only_printed: nothing of ours is to be compared."""

    printed: int = 0
    exact: int = 0
    rounded: int = 0
    differ: int = 0
    not_measured: int = 0
    only_printed: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(_numbers(self), _numbers(other), strict=True)))


class IndexedTable(msgspec.Struct, frozen=True):
    """A table or figure.  derived: no cell is printed, but orders and ratios follow from print.
    rows: 0 where they are made of measured figures alone, and there are none.  waiting: all cells,
    printed or not, whose measurement is missing here."""

    id: str
    title: str
    derived: bool
    rows: int
    counts: Counts
    waiting: int


class Difference(msgspec.Struct, frozen=True):
    """A cell that differs from print.  row: its labels; reason: the remark of the cell."""

    table: str
    row: str
    column: str
    published: Figure
    computed: Figure | None
    measured: Figure | None
    reason: str | None


class Uncompared(msgspec.Struct, frozen=True):
    """Cells of a table that are only printed, and why."""

    table: str
    cells: int
    reason: str | None


class IndexedPaper(msgspec.Struct, frozen=True):
    """All of one paper.  command: what measures all that is missing."""

    key: str
    title: str
    source: str
    command: str
    counts: Counts
    waiting: int
    tables: tuple[IndexedTable, ...]
    differences: tuple[Difference, ...]
    uncompared: tuple[Uncompared, ...]


class Index(msgspec.Struct, frozen=True):
    """All papers.  tolerance: what counts as rounded."""

    tolerance: str
    counts: Counts
    waiting: int
    papers: tuple[IndexedPaper, ...]


def index(
    *,
    seeds: int = SEEDS,
    jobs: int = 2,
    cache: Cache | None = None,
    papers: Mapping[str, Callable[..., Paper]] = PAPERS,
) -> Index:
    """Count what agrees with print.  Nothing is simulated, synthesised or routed.

    seeds: routed figures are those that `papers` with as many seeds has left in the cache."""
    check_number("seeds", seeds, 0, MOST_SEEDS)
    check_number("jobs", jobs, 1, MOST_JOBS)
    only = OnlyKept((cache or Cache()).root)
    found = []
    for key, paper in papers.items():
        options = WHOLE.get(key, {})
        asked = {**options, **({"seeds": seeds} if seeds != SEEDS else {})}
        words = [f"modmul papers {key}", *(f"--{name} {value}" for name, value in asked.items())]
        made = paper(seeds=seeds, jobs=jobs, cache=only, **options)
        found.append(of_paper(made, " ".join(words)))
    counts = sum((one.counts for one in found), Counts())
    return Index(TOLERANCE, counts, sum(one.waiting for one in found), tuple(found))


def of_paper(paper: Paper, command: str) -> IndexedPaper:
    """The entry of one paper."""
    tables = tuple(_of_table(table) for table in paper.tables)
    cells = [(table, *one) for table in paper.tables for one in judged(table)]
    differences = tuple(
        Difference(
            table.id, row, column, cell.published, cell.computed, cell.measured, cell.remark
        )
        for table, row, column, cell, verdict in cells
        if verdict == "differ" and cell.published is not None
    )
    reasons = Counter(
        (table.id, cell.remark) for table, *_, cell, verdict in cells if verdict == "only_printed"
    )
    return IndexedPaper(
        paper.key, paper.title, paper.source, command,
        sum((table.counts for table in tables), Counts()),
        sum(table.waiting for table in tables), tables, differences,
        tuple(Uncompared(id, count, reason) for (id, reason), count in reasons.items()),
    )  # fmt: skip


def _of_table(table: Table) -> IndexedTable:
    verdicts: Counter[str] = Counter(verdict for *_, verdict in judged(table))
    waiting = sum(
        isinstance(cell, Measurable) and cell.measured is None for row in table.rows for cell in row
    )
    counts = Counts(verdicts.total(), *(verdicts[name] for name in get_args(Verdict)))
    derived = isinstance(table, Derived)
    return IndexedTable(table.id, table.title, derived, len(table.rows), counts, waiting)


def judged(table: Table) -> Iterator[tuple[str, str, Cell, Verdict]]:
    """All cells of a table with a printed figure: labels of the row, column, cell, verdict."""
    if isinstance(table, Derived):
        return
    places = _places(table)
    for row in table.rows:
        labels = ", ".join(str(entry) for entry in row if not isinstance(entry, Cell))
        for column, cell in zip(table.columns, row, strict=True):
            if isinstance(cell, Cell) and cell.published is not None:
                digits = places.get(column, _decimals(cell.published))
                yield labels, column, cell, _verdict(cell, cell.published, digits)


def _verdict(cell: Cell, published: Figure, places: int) -> Verdict:
    ours = [figure for figure in (cell.computed, cell.measured) if figure is not None]
    if not ours:
        return "not_measured" if isinstance(cell, Measurable) else "only_printed"
    if all(figure == published for figure in ours):
        return "exact"
    return "rounded" if all(agrees(figure, published, places) for figure in ours) else "differ"


def agrees(figure: Figure, published: Figure, places: int) -> bool:
    """Whether a figure is the printed one, which is rounded to that many decimal places.  Words
    agree only with themselves."""
    if isinstance(figure, str) or isinstance(published, str):
        return figure == published
    return abs(figure - published) <= 0.5 * 10.0**-places * (1 + 1e-9)


def _places(table: Table) -> dict[str, int]:
    """Decimal places of each column of printed figures; none for a list of claims, a table with
    one such column and figures of different kinds in it."""
    columns: dict[str, list[Cell]] = {}
    for row in table.rows:
        for column, cell in zip(table.columns, row, strict=True):
            if isinstance(cell, Cell):
                columns.setdefault(column, []).append(cell)
    if len(columns) == 1:
        return {}
    return {
        name: max((_decimals(c.published) for c in cells if c.published is not None), default=0)
        for name, cells in columns.items()
    }


def _decimals(figure: Figure) -> int:
    """As many as are printed; the zeros at the end of a fraction are not known, but for one."""
    return len(repr(figure).partition(".")[2]) if isinstance(figure, float) else 0


def _numbers(counts: Counts) -> tuple[int, ...]:
    return msgspec.structs.astuple(counts)
