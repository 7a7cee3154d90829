"""modmul query DIR "SELECT ..."."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.table import Table

from modmul.cli.options import Json
from modmul.cli.output import show, table
from modmul.errors import SpecError
from modmul.exploration import schema, store
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
        names = schema.described()
        show(names, lambda: _names(names), json)
        return 0
    answer = query(directory, sql, output)
    rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
    show({"columns": answer.columns, "rows": rows}, lambda: _rows(answer), json)
    return 0


def _rows(answer: Answer) -> Table:
    made = table("", *answer.columns)
    for row in answer.rows:
        made.add_row(*(_text(value) for value in row))
    return made


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _names(names: dict[str, str]) -> Table:
    made = table("Names of the tables points and records", "name", "type")
    for name, kind in names.items():
        made.add_row(name, kind)
    return made
