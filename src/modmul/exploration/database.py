"""Reads records as tables for SQL: DuckDB over the JSON files of a directory.

points    the newest record of every spec and options
records   all records, also those of other versions of this program
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import msgspec

from modmul.errors import SpecError, quoted, refusal
from modmul.exploration import schema, store, view
from modmul.exploration.record import Record
from modmul.toolchain import disk_space, scratch
from modmul.toolchain import sql as engine
from modmul.toolchain.files import check_file, replacing

FORMATS = (".csv", ".parquet")
_ZONED = "TIMESTAMP WITH TIME ZONE"


class Answer(NamedTuple):
    """Rows of a query."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(directory: Path, sql: str, output: Path | None = None) -> Answer:
    """Run a query over the tables `points` and `records`; return all of its rows.

    The query sees these tables, and no file; it has 60 seconds, 1 GiB of memory, and may give a
    million rows of 256 MiB together (`toolchain.sql`).  output: a file to write the rows to, whole
    or not at all, as CSV or Parquet by its suffix.  Raises SpecError for a directory without
    records, a query that is not valid SQL or exceeds a limit, or another suffix."""
    if output is not None:
        _check(output)
    every = store.records(directory)
    with scratch.folder() as folder:
        file = folder / "records.duckdb"
        with engine.connect(file) as base:
            _table(base, "points", store.newest(every))
            _table(base, "records", every)
        try:
            engine.answer(file, sql)
            answer = _read(file)
        except (engine.QueryRefused, duckdb.Error) as error:
            raise _refuse(sql, str(error).splitlines()[0]) from None
        if output is not None:
            _export(file, output)
    return answer


def _table(base: duckdb.DuckDBPyConnection, name: str, records: Iterable[Record]) -> None:
    """Create a table of that name with these records."""
    encoder = msgspec.json.Encoder(order="deterministic")
    texts = [encoder.encode(view.plain(record)).decode() for record in records]
    base.execute(f"CREATE TABLE {name} AS {schema.table()}", [texts, schema.shape()])


def _read(file: Path) -> Answer:
    with engine.connect(file) as base:
        # DuckDB converts a time with its zone to a Python object only if pytz is installed.
        types = zip(base.table(engine.ANSWER).columns, base.table(engine.ANSWER).types, strict=True)
        texts = [name.replace('"', '""') for name, kind in types if _ZONED in str(kind)]
        replaced = ", ".join(f'"{name}"::VARCHAR AS "{name}"' for name in texts)
        select = f"* REPLACE ({replaced})" if texts else "*"
        rows = base.execute(f"SELECT {select} FROM {engine.ANSWER}")
        return Answer([column[0] for column in rows.description or []], rows.fetchall())


def _export(file: Path, output: Path) -> None:
    """Write the rows from the database, which knows their types, to a file."""
    with replacing(output) as near:
        part = near.absolute()
        with engine.connect(file, part.parent) as base:
            rows = base.table(engine.ANSWER)
            try:
                if output.suffix == ".csv":
                    rows.write_csv(str(part), header=True)
                else:
                    rows.write_parquet(str(part))
            except duckdb.IOException as error:
                number = errno.ENOSPC if disk_space.reports_full(str(error)) else errno.EIO
                raise OSError(number, os.strerror(number), str(output)) from None


def _check(output: Path) -> None:
    if output.suffix not in FORMATS:
        allowed = f"a file that ends in {' or '.join(FORMATS)}"
        raise refusal("output", str(output), allowed)
    check_file(output)


def _refuse(sql: str, why: str) -> SpecError:
    allowed = "one SELECT over the tables points and records"
    return SpecError("sql", sql, allowed, f"sql = {quoted(sql)}: {why}; must be {allowed}")
