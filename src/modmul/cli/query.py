"""modmul query [DIR ["SELECT ..."]]."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from modmul.cli.common import Json, Output
from modmul.cli.output import RenderableType, console, group, show, table
from modmul.errors import SpecError, visible

if TYPE_CHECKING:
    from rich.table import Table

    from modmul.exploration.database import Answer
    from modmul.exploration.names import KnownName
    from modmul.exploration.store import Coverage

_LONGEST = 1000  # the most letters of a cell
_NARROWEST = 8  # letters that a column needs, at least


def query_verb(
    directory: Annotated[Path | None, Parameter(name="DIR")] = None,
    sql: Annotated[str | None, Parameter(name="SQL")] = None,
    /,
    *,
    output: Output = None,
    json: Json = False,
) -> int:
    """Ask the records of an exploration in SQL.

    Args:
        directory: directory of an exploration; without it, the names that every exploration has
        sql: a SELECT over the table `points`; without it, the names of its columns
        output: also write the answer to this .csv or .parquet file
    """
    from modmul.exploration import store  # not for the help
    from modmul.exploration.names import described

    if sql is None or directory is None:
        if output is not None:
            allowed = "absent where there is no query"
            raise SpecError("output", str(output), allowed, f"output = {output}: must be {allowed}")
        if directory is not None:
            store.read(directory)
        show(described(), lambda: _names(described()), json)
        return 0
    from modmul.exploration.database import query

    answer = query(directory, sql, output)
    rows = [_keyed(dict(zip(answer.columns, row, strict=True))) for row in answer.rows]
    covered = store.coverage(store.read(directory), store.Store(directory).summary())
    record = {"columns": answer.columns, "rows": rows, "coverage": covered}
    show(record, lambda: _rows(answer, covered), json)
    return 0


def _keyed(value: Any) -> Any:
    """Return the value with strings as the keys of all dictionaries in it, as JSON needs them."""
    if isinstance(value, dict):
        return {str(key): _keyed(member) for key, member in value.items()}
    return [_keyed(item) for item in value] if isinstance(value, list | tuple) else value


def _rows(answer: Answer, covered: Coverage) -> RenderableType:
    """Return the rows, and below them how much of the space was measured."""
    from rich.text import Text

    measured = f"{covered.measured} points measured; {covered.words}"
    return group(_table(answer), "", Text(measured))


def _table(answer: Answer) -> RenderableType:
    """Return one table or, if its columns would be too narrow, a table for each row."""
    names = [visible(name, kept="") for name in answer.columns]
    cells = [[_text(value) for value in row] for row in answer.rows]
    if console().width >= _NARROWEST * len(names):
        listing = table("", *names)
        for row in cells:
            listing.add_row(*row)
        return listing
    parts: list[RenderableType] = []
    for row in cells:
        sheet = table("", "column", "value")
        for name, cell in zip(names, row, strict=True):
            sheet.add_row(name, cell)
        parts += [sheet, ""]
    return group(*parts)


def _text(value: Any) -> str:
    """Return a value as one line."""
    if value is None:
        return "-"
    text = f"{value:g}" if isinstance(value, float) else visible(str(value), kept="")
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}... ({len(text):,} letters; --json or --output give all)"


def _names(names: dict[str, KnownName]) -> Table:
    listing = table("Names of the tables points and records", "name", "type", "what")
    for name, column in names.items():
        listing.add_row(name, column.type, column.what or "")
    return listing
