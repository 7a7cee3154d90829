"""A paper as text: one table each, cells as published | computed | measured."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from modmul.papers.records import Cell, Figure, Paper, Table


def render(paper: Paper) -> RenderableType:
    """For a rich console."""
    head = Text(f"{paper.key}: {paper.title}\n{paper.source}\n", style="bold")
    notes = [Text(f"{note}\n") for note in paper.notes]
    return Group(head, *notes, *(_table(table) for table in paper.tables))


def _table(table: Table) -> RenderableType:
    """Columns that say nothing in any row are left out; remarks stand below, each once."""
    used = [i for i in range(len(table.columns)) if any(_says(row[i]) for row in table.rows)]
    title = f"{table.id}: {table.title}  (published | computed | measured)"
    made = RichTable(title=title, title_justify="left", box=None, pad_edge=False)
    for i in used:
        made.add_column(table.columns[i], overflow="fold", justify="right" if i else "left")
    remarks: dict[str, int] = {}
    for row in table.rows:
        made.add_row(*(_entry(row[i], remarks) for i in used))
    below = [Text(f"  [{index}] {remark}") for remark, index in remarks.items()]
    return Group(made, *below, Text(""))


def _says(entry: Figure | Cell) -> bool:
    if isinstance(entry, Cell):
        return (entry.published, entry.computed, entry.measured) != (None, None, None)
    return True


def _entry(entry: Figure | Cell, remarks: dict[str, int]) -> str:
    if not isinstance(entry, Cell):
        return str(entry)
    if not _says(entry):
        return ""
    figures = [entry.published, entry.computed, entry.measured]
    while len(figures) > 1 and figures[-1] is None:
        figures.pop()
    text = " | ".join("-" if figure is None else str(figure) for figure in figures)
    if entry.remark is None:
        return text
    index = remarks.setdefault(entry.remark, len(remarks) + 1)
    return f"{text} [{index}]"
