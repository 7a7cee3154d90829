"""A paper as text: cells as published | computed | measured, remarks below each table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from modmul.papers.records import Figure, Paper, Table, TableCell

WIDTH = 120  # columns of text: wider tables are continued below, their labels repeated
_GAP = 2
_NO_ROWS = "  no rows: nothing of this is printed, or was measured with these options"


def render(paper: Paper) -> RenderableType:
    """The paper as a rich console prints it that is at least WIDTH wide."""
    head = Text(f"{paper.key}: {paper.title}\n{paper.source}\n", style="bold")
    notes = [Text(f"{note}\n") for note in paper.notes]
    return Group(head, *notes, *(_table(table) for table in paper.tables))


def _table(table: Table) -> RenderableType:
    """Columns that say nothing in any row are left out.

    A remark that most cells of a column share stands at its head, any other at its cell."""
    title = Text(f"{table.id}: {table.title}  (published | computed | measured)", style="italic")
    if not table.rows:
        return Group(title, Text(f"{_NO_ROWS}\n"))
    remarks: dict[str, int] = {}
    columns = {
        name: _column(name, [row[i] for row in table.rows], remarks)
        for i, name in enumerate(table.columns)
        if any(_says(row[i]) for row in table.rows)
    }
    labels = [
        name
        for i, name in enumerate(table.columns)
        if not any(isinstance(row[i], TableCell) for row in table.rows)
    ]
    parts = [_part(columns, names, len(labels)) for names in _parts(columns, labels)]
    below = [Text(f"  [{index}] {remark}") for remark, index in remarks.items()]
    return Group(title, *parts, *below, Text(""))


def _column(name: str, entries: Sequence[Figure | TableCell], remarks: dict[str, int]) -> list[str]:
    """Head and cells of one column."""
    said = Counter(e.remark for e in entries if isinstance(e, TableCell) and e.remark and _says(e))
    common, count = said.most_common(1)[0] if said else (None, 0)
    if 2 * count < sum(_says(entry) for entry in entries):
        common = None
    head = name.replace("_", " ")
    if common is not None:
        head += f" [{remarks.setdefault(common, len(remarks) + 1)}]"
    return [head, *(_entry(entry, common, remarks) for entry in entries)]


def _entry(entry: Figure | TableCell, common: str | None, remarks: dict[str, int]) -> str:
    if not isinstance(entry, TableCell):
        return str(entry)
    if not _says(entry):
        return ""
    published = entry.published
    if entry.said is not None and published is not None:
        published = f"{entry.said} {published}"
    figures = [published, entry.computed, entry.measured]
    while figures[-1] is None:
        figures.pop()
    text = " | ".join("-" if figure is None else str(figure) for figure in figures)
    if entry.remark in (None, common):
        return text
    assert entry.remark is not None
    return f"{text} [{remarks.setdefault(entry.remark, len(remarks) + 1)}]"


def _says(entry: Figure | TableCell) -> bool:
    if isinstance(entry, TableCell):
        return (entry.published, entry.computed, entry.measured) != (None, None, None)
    return True


def _parts(columns: dict[str, list[str]], labels: list[str]) -> list[list[str]]:
    """The columns in groups that fit, each beginning with the labels."""
    widths = {name: max(map(len, texts)) + _GAP for name, texts in columns.items()}
    begin = sum(widths[name] for name in labels)
    parts: list[list[str]] = [[]]
    used = begin
    for name in columns:
        if name in labels:
            continue
        if parts[-1] and used + widths[name] > WIDTH:
            parts.append([])
            used = begin
        parts[-1].append(name)
        used += widths[name]
    return [[*labels, *part] for part in parts]


def _part(columns: dict[str, list[str]], names: list[str], labels: int) -> RenderableType:
    """One group of columns; rows that say nothing in it are left out."""
    listing = RichTable(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for index, name in enumerate(names):
        listing.add_column(columns[name][0], no_wrap=True, justify="right" if index else "left")
    for texts in zip(*(columns[name][1:] for name in names), strict=True):
        if any(texts[labels:]):
            listing.add_row(*map(Text, texts))
    return listing
