"""Tables made of rows in which every heading stands beside what is written below it.

What is said about a table stands with the printed figures, in the section `tables` by its id:

    title      with words in braces that the program fills in
    derived    true: it is a `Derived` table
    headings   of a table that may have no rows, or whose rows have not all of them: what is
               missing is empty
    remarks    by heading or claim, or several of them with ` | ` between: on all cells below that
               have none of their own"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import msgspec

from modmul.papers.records import EMPTY, Derived, Figure, Figures, Table, TableCell

Entry = Figure | TableCell  # of a table: a label of its row, or a cell
Row = Mapping[str, Entry]  # by heading
Rows = Iterable[Row]
Claims = Mapping[str, TableCell]
M = TypeVar("M")  # what is measured for a paper
TableOf = Callable[[Figures, M], Table]


def tabulate(figures: Figures, id: str, rows: Iterable[Row], **words: object) -> Table:
    """A table of these rows.  words: in its title.  ValueError for a row with other headings than
    the table, or than the first row of one that has none of its own."""
    told, given_rows = figures["tables"][id], list(rows)
    columns = tuple(told.get("headings") or given_rows[0])
    for row in given_rows:
        if not (row.keys() <= set(columns) if "headings" in told else tuple(row) == columns):
            raise ValueError(f"table {id}: {tuple(row)} below {columns}")
    entries = ({heading: row.get(heading, EMPTY) for heading in columns} for row in given_rows)
    remarks, kind = remarks_of(figures, id), Derived if told.get("derived") else Table
    cells = tuple(_remarked(row, remarks) for row in entries)
    return kind(id, told["title"].format(**words), columns, cells)


def table(id: str, **words: object) -> Callable[[Callable[[Figures, M], Rows]], TableOf[M]]:
    """Makes a table of a function that yields its rows, from printed and measured figures."""

    def of(rows: Callable[[Figures, M], Rows]) -> TableOf[M]:
        return lambda figures, measured: tabulate(figures, id, rows(figures, measured), **words)

    return of


def claims(
    id: str = "Claims", claim: str = "claim", figure: str = "figure"
) -> Callable[[Callable[[Figures, M], Claims]], TableOf[M]]:
    """Makes a table of a function that gives what a paper says in figures, by claim.

    claim, figure: its headings."""

    def of(cells: Callable[[Figures, M], Claims]) -> TableOf[M]:
        def assembled(figures: Figures, measured: M) -> Table:
            by_claim = cells(figures, measured)
            rows = zip(by_claim, _remarked(by_claim, remarks_of(figures, id)), strict=True)
            return Table(id, figures["tables"][id]["title"], (claim, figure), tuple(rows))

        return assembled

    return of


def waiting(figures: Figures, id: str, prefix: str) -> dict[str, TableCell]:
    """Cells that wait for a measurement, below all headings of a table that begin like this."""
    headings = figures["tables"][id]["headings"]
    return {heading: TableCell.ours(None) for heading in headings if heading.startswith(prefix)}


def remarks_of(figures: Figures, id: str) -> dict[str, str]:
    told = figures["tables"][id].get("remarks", {})
    return {heading: text for key, text in told.items() for heading in key.split(" | ")}


def _remarked(row: Row, remarks: Mapping[str, str]) -> tuple[Entry, ...]:
    return tuple(
        msgspec.structs.replace(entry, remark=remarks[heading])
        if heading in remarks and isinstance(entry, TableCell) and _can_be_remarked(entry)
        else entry
        for heading, entry in row.items()
    )


def _can_be_remarked(cell: TableCell) -> bool:
    return cell.remark is None and cell != EMPTY
