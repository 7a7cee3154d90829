"""The index of all papers as text: one table a paper, then what differs, by reason."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from modmul.papers.agreement import (
    CellCounts,
    Difference,
    Index,
    IndexedPaper,
    IndexedTable,
    Kind,
    Tally,
)

# Under each, how many cells agree, differ, and wait for a measurement.
_KINDS: dict[Kind, tuple[str, tuple[str, ...]]] = {
    "arithmetic": ("arithmetic\non print", ("agree", "differ")),
    "mixed": ("ours at a\nprinted clock", ("agree", "differ")),
    "circuits": ("our\ncircuits", ("agree", "differ")),
    "measured": ("of these,\nmeasured", ("agree", "differ", "not here")),
}


def render(index: Index) -> RenderableType:
    """The index as a rich console prints it."""
    head = Text(
        "Cells with a printed figure, and what they are compared with.  Arithmetic on print: "
        "recomputed from printed figures and formulas alone; it says nothing about our circuits.  "
        "Ours at a printed clock: figures of our designs and printed ones together.  Our circuits: "
        "what our designs declare, and what is measured of them.  A cell agrees if every figure of "
        f"that kind is the printed one, or within the rounding of print ({index.tolerance}).\n"
    )
    papers = [part for paper in index.papers for part in _paper(paper)]
    return Group(head, *papers, _totals(index))


def _paper(paper: IndexedPaper) -> Iterable[RenderableType]:
    yield Text(f"{paper.key}: {paper.title}", style="bold")
    counts = _counts("table")
    for table in paper.tables:
        counts.add_row(table.id, *_figures(table.counts), _note(table))
    counts.add_row("all", *_figures(paper.counts), "", style="bold")
    yield counts
    if paper.waiting:
        yield Text(
            f"not measured here: {paper.waiting} cells, printed or not; {paper.command} measures "
            "them"
        )
    yield Text("")
    if paper.differences:
        yield Text("differ (published | computed | measured):", style="italic")
        yield Text("\n".join(_differences(paper.differences)) + "\n")
    if paper.uncompared:
        yield Text("only printed:", style="italic")
        lines = (f"  {part.table}: {part.cells}  {part.reason or ''}" for part in paper.uncompared)
        yield Text("\n".join(lines) + "\n")


def _counts(first: str) -> RichTable:
    listing = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    listing.add_column(f"\n\n{first}", no_wrap=True)
    listing.add_column("\n\nprinted", justify="right")
    for title, (first_verdict, *others) in _KINDS.values():
        listing.add_column(f"{title}\n{first_verdict}", justify="right")
        for verdict in others:
            listing.add_column(f"\n\n{verdict}", justify="right")
    listing.add_column("\nonly\nprinted", justify="right")
    listing.add_column("")
    return listing


def _figures(counts: CellCounts) -> list[str]:
    numbers = [counts.printed]
    for kind, (_, verdicts) in _KINDS.items():
        tally: Tally = getattr(counts, kind)
        numbers += [tally.agree, tally.differ, tally.not_measured][: len(verdicts)]
    numbers.append(counts.only_printed)
    return [str(number) if number else "-" for number in numbers]


def _note(table: IndexedTable) -> str:
    if not table.rows:
        return "nothing measured here"
    if table.derived:
        return "follows from print"
    return "" if table.counts.printed else "no figures printed"


def _differences(differences: Iterable[Difference]) -> Iterable[str]:
    """Cells of one table and reason together."""
    groups: dict[tuple[str, str | None], list[Difference]] = {}
    for difference in differences:
        groups.setdefault((difference.table, difference.reason), []).append(difference)
    for (table, reason), members in groups.items():
        for member in members:
            figures = [member.published, member.computed, member.measured]
            while figures[-1] is None:
                figures.pop()
            shown = " | ".join("-" if figure is None else str(figure) for figure in figures)
            where = f"{table}, {member.row}, {member.column.replace('_', ' ')}"
            yield f"  {where} [{_kind(member)}]: {shown}"
        yield f"      {reason}"


def _kind(difference: Difference) -> str:
    """What differs: figures measured are among those of our circuits."""
    titles = (_KINDS[kind][0].replace("\n", " ") for kind in difference.kinds if kind != "measured")
    return ", ".join(titles)


def _totals(index: Index) -> RenderableType:
    listing = _counts("paper")
    for paper in index.papers:
        listing.add_row(paper.key, *_figures(paper.counts), paper.command if paper.waiting else "")
    listing.add_row("all", *_figures(index.counts), "", style="bold")
    return listing
