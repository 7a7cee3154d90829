"""Tables made of rows in which every heading stands beside what is written below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from modmul.papers.records import Cell, Figure, Table

Entry = Figure | Cell  # of a table: a label of its row, or a cell
Row = Mapping[str, Entry]  # by heading


def tabulate(
    id: str, title: str, rows: Iterable[Row], *,
    headings: Sequence[str] = (), kind: type[Table] = Table,
) -> Table:  # fmt: skip
    """A table of these rows.  headings: of one that has no rows before something is measured.
    ValueError for a row with other headings than the first."""
    entries = list(rows)
    columns = tuple(headings or entries[0])
    for row in entries:
        if tuple(row) != columns:
            raise ValueError(f"table {id}: {tuple(row)} below {columns}")
    return kind(id, title, columns, tuple(tuple(row.values()) for row in entries))


def claims(title: str, cells: Mapping[str, Cell], *, id: str = "Claims") -> Table:
    """What the text of a paper says in figures, by claim."""
    return Table(id, title, ("claim", "figure"), tuple(cells.items()))
