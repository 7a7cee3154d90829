"""Answers SQL over the records of a directory, in DuckDB without access to anything else.

points    the newest record of every spec and options
records   all records, also those of other versions of this program
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import msgspec

from modmul.errors import SpecError, quoted, refusal
from modmul.exploration import store
from modmul.exploration.names import plain, sql_table
from modmul.exploration.record import Record
from modmul.toolchain import scratch
from modmul.toolchain.files import check_file, replacing

FORMATS = (".csv", ".parquet")
SECONDS = 60.0  # for one query, on the clock
ROWS = 1_000_000  # the most rows of an answer
_ANSWER = "answer"  # the table with the rows of an answer
_ZONED = "TIMESTAMP WITH TIME ZONE"
_LOCKS: dict[str, str | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "python_enable_replacements": False,  # variables of Python are not visible as tables
    "memory_limit": "1GiB",
    "temp_directory": "",
    "max_temp_directory_size": "0KiB",
    "threads": 1,
}


class Answer(NamedTuple):
    """Rows of a query."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(directory: Path, sql: str, output: Path | None = None) -> Answer:
    """Run a query over the tables `points` and `records`; return all of its rows.

    The query sees copies of these tables, and no file; it has SECONDS, 1 GiB of memory, and may
    give ROWS rows.  output: a file to write the rows to, whole or not at all, as CSV or Parquet by
    its suffix.  Raises SpecError for a directory without records, a query that is not valid SQL or
    exceeds a limit, or another suffix."""
    if output is None:
        return _answered(directory, sql, None)
    if output.suffix not in FORMATS:
        raise refusal("output", str(output), f"a file that ends in {' or '.join(FORMATS)}")
    check_file(output)
    with replacing(output) as part:
        try:
            return _answered(directory, sql, part.absolute())
        except duckdb.IOException as error:
            number = errno.ENOSPC if scratch.reports_full(str(error)) else errno.EIO
            raise OSError(number, os.strerror(number), str(output)) from None


def _answered(directory: Path, sql: str, output: Path | None) -> Answer:
    try:
        return _answer(directory, sql, output)
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from None  # DuckDB saw it first


def connect(output: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Open an empty database in memory, without files, network and extensions, and so that none of
    these can be unlocked.  output: the only file that can be read and written."""
    base = duckdb.connect(":memory:", config=_LOCKS)
    base.execute("SET allowed_paths = $1", [[] if output is None else [str(output)]])
    base.execute("SET enable_progress_bar = false")
    base.execute("SET enable_external_access = false")
    base.execute("SET lock_configuration = true")
    return base


def _answer(directory: Path, sql: str, output: Path | None) -> Answer:
    every = store.Store(directory).records()
    with connect(output) as base:
        _table(base, "points", store.newest(every))
        _table(base, "records", every)
        _ask(base, sql)
        table = base.table(_ANSWER)
        if output is not None:
            write = table.write_csv if output.suffix == ".csv" else table.write_parquet
            write(str(output))
        # DuckDB converts a time with its zone to a Python object only if pytz is installed.
        types = zip(table.columns, table.types, strict=True)
        texts = [name.replace('"', '""') for name, kind in types if _ZONED in str(kind)]
        replaced = ", ".join(f'"{name}"::VARCHAR AS "{name}"' for name in texts)
        select = f"* REPLACE ({replaced})" if texts else "*"
        rows = base.execute(f"SELECT {select} FROM {_ANSWER}")
        return Answer([column[0] for column in rows.description or []], rows.fetchall())


def _table(base: duckdb.DuckDBPyConnection, name: str, records: Iterable[Record]) -> None:
    encoder = msgspec.json.Encoder(order="deterministic")
    texts = [encoder.encode(plain(record)).decode() for record in records]
    select, shape = sql_table()
    base.execute(f"CREATE TABLE {name} AS {select}", [texts, shape])


def _ask(base: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Store the rows of a user's SELECT in the table _ANSWER.  Raises SpecError."""
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise _refuse(sql, "is not valid Unicode") from None
    try:
        kinds = [statement.type for statement in base.extract_statements(sql)]
        if kinds != [duckdb.StatementType.SELECT]:
            raise _refuse(sql, "is something else")
        select = "FROM query('" + sql.replace("'", "''") + f"') LIMIT {ROWS + 1}"
        with ThreadPoolExecutor(1) as pool:  # in a thread, so that Ctrl-C is seen here
            try:
                pool.submit(base.execute, f"CREATE TABLE {_ANSWER} AS {select}").result(SECONDS)
            finally:
                base.interrupt()
    except TimeoutError:
        raise _refuse(sql, f"takes longer than {SECONDS:g} s") from None
    except (duckdb.Error, MemoryError) as error:
        raise _refuse(sql, (str(error).splitlines() or ["out of memory"])[0]) from None
    if len(base.table(_ANSWER)) > ROWS:
        raise _refuse(sql, f"gives more than {ROWS:,} rows")


def _refuse(sql: str, why: str) -> SpecError:
    allowed = "one SELECT over the tables points and records"
    return SpecError("sql", sql, allowed, f"sql = {quoted(sql)}: {why}; must be {allowed}")
