"""modmul query DIR "SELECT ..."."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Group
from rich.table import Table
from rich.text import Text

from modmul.cli.options import Json
from modmul.cli.output import show, table
from modmul.errors import SpecError
from modmul.exploration import schema, store
from modmul.exploration.coverage import Coverage
from modmul.exploration.database import Answer, query


def query_verb(
    directory: Annotated[Path, Parameter(name="DIR", help="of an exploration")],
    sql: Annotated[
        str | None,
        Parameter(name="SQL", help="a SELECT over `points`; none: the names that there are"),
    ] = None,
    /,
    *,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="also to this .csv or .parquet file")
    ] = None,
    json: Json = False,
) -> int:
    """Ask the records of an exploration in SQL."""
    if sql is None:
        if output is not None:
            allowed = "absent where there is no query"
            raise SpecError("output", str(output), allowed, f"output = {output}: must be {allowed}")
        store.read(directory)
        names = schema.explained()
        show(names, lambda: _names(names), json)
        return 0
    answer = query(directory, sql, output)
    rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
    covered = store.covered(directory, store.read(directory))
    found = {"columns": answer.columns, "rows": rows, "coverage": covered}
    show(found, lambda: _rows(answer, covered), json)
    return 0


def _rows(answer: Answer, covered: Coverage) -> Group:
    """The rows; below them how much of the space they can be about."""
    made = table("", *answer.columns)
    for row in answer.rows:
        made.add_row(*(_text(value) for value in row))
    return Group(made, "", Text(f"{covered.measured} points measured; {covered.words}"))


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _names(names: dict[str, schema.Name]) -> Table:
    made = table("Names of the tables points and records", "name", "type", "what")
    for name, one in names.items():
        made.add_row(name, one.type, one.what or "")
    return made
