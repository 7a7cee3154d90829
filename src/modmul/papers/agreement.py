"""The index of all papers: what was compared with print, what differs and why.

Three kinds of figures are compared, and never added up: what follows from print alone (it checks
the paper's own arithmetic), figures of our designs at a printed clock or over a printed area, and
figures of our circuits.  The tables are those of `papers`, made without measuring: formulas,
declared cycles and models always, measured figures as far as the cache has them."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, get_args

import msgspec

from modmul.papers.definition import Definition
from modmul.papers.needs import Measuring, ReadOnlyCache
from modmul.papers.records import (
    Derived,
    Figure,
    MeasuredCell,
    Origin,
    Paper,
    Said,
    Table,
    TableCell,
)
from modmul.papers.registry import PAPERS
from modmul.parameters import MOST_JOBS, MOST_SEEDS, SEEDS, check_number
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import silent

ABOUT = 0.1  # of a printed figure: what "about" and "similar" allow
TOLERANCE = (
    "half a unit of the last digit printed: in a list of claims that of the figure, in a table "
    f"that of its column; of figures that are said to be about or similar {ABOUT:.0%}"
)
Verdict = Literal["exact", "rounded", "differ", "not_measured"]
# Figures of ours that are compared: see Origin.  Those measured are among those of our circuits.
Kind = Literal["arithmetic", "mixed", "circuits", "measured"]


class Tally(msgspec.Struct, frozen=True):
    """Cells of one kind.  Each is in one of the four.

    exact, rounded: every figure of that kind is the printed one, or within TOLERANCE of it; differ:
    one of them is not; not_measured: there is none before it is measured, which it was not."""

    exact: int = 0
    rounded: int = 0
    differ: int = 0
    not_measured: int = 0

    @property
    def agree(self) -> int:
        """Exactly, or within the rounding of print."""
        return self.exact + self.rounded

    @property
    def cells(self) -> int:
        return self.agree + self.differ + self.not_measured

    def __add__(self, other: Tally) -> Tally:
        return Tally(*map(operator.add, *map(msgspec.structs.astuple, (self, other))))


class CellCounts(msgspec.Struct, frozen=True):
    """Cells with a printed figure.

    arithmetic: recomputed from print; mixed: our designs at a printed clock; circuits: declared by
    our designs, or measured; measured: those of them that can be measured, by what was measured.
    twice: cells that are both recomputed from print and measured.  only_printed: nothing of ours is
    compared.  So printed = arithmetic + mixed + circuits - twice + only_printed, in cells."""

    printed: int = 0
    arithmetic: Tally = Tally()
    mixed: Tally = Tally()
    circuits: Tally = Tally()
    measured: Tally = Tally()
    twice: int = 0
    only_printed: int = 0

    def __add__(self, other: CellCounts) -> CellCounts:
        return CellCounts(*map(operator.add, *map(msgspec.structs.astuple, (self, other))))


class IndexedTable(msgspec.Struct, frozen=True):
    """A table or figure.  derived: no cell is printed there; all of it follows from print, or
    stands in another table.
    rows: 0 where they are made of measured figures alone, and there are none.  waiting: all cells,
    printed or not, whose measurement is missing here."""

    id: str
    title: str
    derived: bool
    rows: int
    counts: CellCounts
    waiting: int


class Difference(msgspec.Struct, frozen=True):
    """A cell that differs from print.  row: its labels; kinds: of the figures that differ; reason:
    the remark of the cell."""

    table: str
    row: str
    column: str
    kinds: tuple[Kind, ...]
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
    counts: CellCounts
    waiting: int
    tables: tuple[IndexedTable, ...]
    differences: tuple[Difference, ...]
    uncompared: tuple[Uncompared, ...]


class Index(msgspec.Struct, frozen=True):
    """All papers.  tolerance: what counts as rounded."""

    tolerance: str
    counts: CellCounts
    waiting: int
    papers: tuple[IndexedPaper, ...]


def index(
    *,
    seeds: int = SEEDS,
    jobs: int = 2,
    cache: Cache | None = None,
    papers: Mapping[str, Definition[Any]] = PAPERS,
) -> Index:
    """Count what agrees with print.  Nothing is simulated, synthesised or routed.

    seeds: routed figures are those that `papers` with as many seeds has left in the cache."""
    check_number("seeds", seeds, 0, MOST_SEEDS)
    check_number("jobs", jobs, 1, MOST_JOBS)
    only = ReadOnlyCache((cache or Cache()).root)
    indexed = []
    for key, paper in papers.items():
        words = [f"modmul papers {key}"]
        words += [] if paper.widest is None else [f"--widest {paper.widest}"]
        words += [] if seeds == SEEDS else [f"--seeds {seeds}"]
        measured = paper.paper(Measuring(jobs, only, silent, seeds, paper.widest))
        indexed.append(of_paper(measured, " ".join(words)))
    counts = sum((entry.counts for entry in indexed), CellCounts())
    return Index(TOLERANCE, counts, sum(entry.waiting for entry in indexed), tuple(indexed))


def of_paper(paper: Paper, command: str) -> IndexedPaper:
    tables = tuple(_of_table(table) for table in paper.tables)
    cells = [(table.id, cell) for table in paper.tables for cell in judged(table)]
    reasons = Counter((id, entry.cell.remark) for id, entry in cells if not entry.verdicts)
    return IndexedPaper(
        paper.key,
        paper.title,
        paper.source,
        command,
        sum((table.counts for table in tables), CellCounts()),
        sum(table.waiting for table in tables),
        tables,
        tuple(_differences(cells)),
        tuple(Uncompared(id, count, reason) for (id, reason), count in reasons.items()),
    )


def _of_table(table: Table) -> IndexedTable:
    cells = [cell for row in table.rows for cell in row]
    waiting = sum(isinstance(cell, MeasuredCell) and cell.measured is None for cell in cells)
    derived = isinstance(table, Derived)
    counts = _count([cell.verdicts for cell in judged(table)])
    return IndexedTable(table.id, table.title, derived, len(table.rows), counts, waiting)


class JudgedCell(msgspec.Struct, frozen=True):
    """A cell with a printed figure, its place, and what its figures of each kind say; nothing where
    it is only printed.  row: labels."""

    row: str
    column: str
    cell: TableCell
    verdicts: dict[Kind, Verdict]


def judged(table: Table) -> Iterator[JudgedCell]:
    """All cells of a table with a printed figure."""
    if isinstance(table, Derived):
        return
    places = _places(table)
    for row in table.rows:
        labels = ", ".join(str(entry) for entry in row if not isinstance(entry, TableCell))
        for column, cell in zip(table.columns, row, strict=True):
            if isinstance(cell, TableCell) and cell.published is not None:
                digits = places.get(column, _decimals(cell.published))
                verdicts = {
                    kind: _verdict(figures, cell.published, digits, cell.said)
                    for kind, figures in _compared(cell)
                }
                yield JudgedCell(labels, column, cell, verdicts)


def _compared(cell: TableCell) -> Iterator[tuple[Kind, list[Figure]]]:
    """The figures of each kind that a cell compares with print, none where they are missing."""
    declared = [] if cell.computed is None else [cell.computed]
    measured = [] if cell.measured is None else [cell.measured]
    if cell.origin == Origin.MIXED:
        yield "mixed", declared + measured
        return
    if cell.origin == Origin.ARITHMETIC and declared:
        yield "arithmetic", declared
    ours = (declared if cell.origin == Origin.CIRCUIT else []) + measured
    measurable = isinstance(cell, MeasuredCell) or measured
    if ours or measurable:
        yield "circuits", ours
    if measurable:
        yield "measured", measured


def _verdict(figures: list[Figure], published: Figure, places: int, said: Said | None) -> Verdict:
    if not figures:
        return "not_measured"
    if said is None and all(figure == published for figure in figures):
        return "exact"
    agree = all(agrees(figure, published, places, said) for figure in figures)
    return "rounded" if agree else "differ"


def _count(cells: Iterable[Mapping[Kind, Verdict]]) -> CellCounts:
    all_cells = list(cells)
    tallies = {}
    for kind in get_args(Kind):
        verdicts = Counter(cell[kind] for cell in all_cells if kind in cell)
        tallies[kind] = Tally(*(verdicts[name] for name in get_args(Verdict)))
    twice = sum({"arithmetic", "circuits"} <= cell.keys() for cell in all_cells)
    only_printed = sum(not cell for cell in all_cells)
    return CellCounts(len(all_cells), **tallies, twice=twice, only_printed=only_printed)


def _differences(cells: Iterable[tuple[str, JudgedCell]]) -> Iterator[Difference]:
    for table, entry in cells:
        kinds = tuple(kind for kind, verdict in entry.verdicts.items() if verdict == "differ")
        cell = entry.cell
        if kinds and cell.published is not None:
            yield Difference(
                table,
                entry.row,
                entry.column,
                kinds,
                cell.published,
                cell.computed,
                cell.measured,
                cell.remark,
            )


def agrees(figure: Figure, published: Figure, places: int, said: Said | None = None) -> bool:
    """Whether a figure is the printed one, which is rounded to that many decimal places, or is what
    the paper says of it: about or similar is within ABOUT.  Words agree only with themselves."""
    if isinstance(figure, str) or isinstance(published, str):
        return figure == published
    rounding = 0.5 * 10.0**-places * (1 + 1e-9)
    match said:
        case "about" | "similar":
            return abs(figure - published) <= ABOUT * abs(published)
        case "more than":
            return figure > published
        case "below":
            return figure < published
        case "at least":
            return figure >= published - rounding
        case "at most":
            return figure <= published + rounding
        case None:
            return abs(figure - published) <= rounding


def _places(table: Table) -> dict[str, int]:
    """Decimal places of each column of printed figures; none for a list of claims, a table with
    one such column and figures of different kinds in it."""
    columns: dict[str, list[TableCell]] = {}
    for row in table.rows:
        for column, cell in zip(table.columns, row, strict=True):
            if isinstance(cell, TableCell):
                columns.setdefault(column, []).append(cell)
    if len(columns) == 1:
        return {}
    return {
        name: max((_decimals(c.published) for c in cells if c.published is not None), default=0)
        for name, cells in columns.items()
    }


def _decimals(figure: Figure) -> int:
    """How many decimals are printed; of zeros at the end of a fraction only one is known."""
    return len(repr(figure).partition(".")[2]) if isinstance(figure, float) else 0
