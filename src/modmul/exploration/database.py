"""Records as tables for SQL: DuckDB over the JSON files of a directory.

    points    the newest record of every spec and options
    records   all of them, also those of other versions of this program
"""

from __future__ import annotations

import errno
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import msgspec

from modmul.errors import SpecError, quoted
from modmul.exploration import schema, store
from modmul.exploration.record import Record
from modmul.toolchain.files import check_file, replacing

FORMATS = {".csv": "(FORMAT csv, HEADER)", ".parquet": "(FORMAT parquet)"}


class Answer(NamedTuple):
    """Rows of a query."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(directory: Path, sql: str, output: Path | None = None) -> Answer:
    """What a query over the tables `points` and `records` gives; all of its rows.

    output: also written there, as CSV or Parquet by the ending; it is there whole or not at all.
    SpecError for a directory without records, SQL that is none, or another ending."""
    if output is not None:
        _check(output)
    newest, every = store.read(directory), store.Store(directory).records()
    with tempfile.TemporaryDirectory(prefix="modmul-") as name, duckdb.connect() as base:
        folder = Path(name)
        _table(base, "points", newest, folder)
        _table(base, "records", every, folder)
        _close(base)
        try:
            statements = base.extract_statements(sql)
            if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
                raise _refuse(sql, "is something else")
            found = base.sql(sql)
            answer = Answer(_distinct(found.columns), found.fetchall())
        except duckdb.Error as error:
            raise _refuse(sql, str(error).splitlines()[0]) from None
    if output is not None:
        _export(answer, newest, every, sql, output)
    return answer


def _distinct(names: list[str]) -> list[str]:
    """Names of columns, _1, _2 ... behind those that are there already."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in names:
        distinct.append(f"{name}_{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return distinct


def _table(
    base: duckdb.DuckDBPyConnection, name: str, records: list[Record], folder: Path
) -> None:
    """Put records into a table of that name."""
    file = folder / f"{name}.ndjson"
    encoder = msgspec.json.Encoder(order="deterministic")
    file.write_bytes(b"\n".join(encoder.encode(record) for record in records) + b"\n")
    columns = ", ".join(f"'{key}': '{kind}'" for key, kind in schema.columns().items())
    source = f"read_json('{file}', format = 'newline_delimited', columns = {{{columns}}})"
    base.execute(f"CREATE TABLE {name} AS {schema.view(source)}")


def _close(base: duckdb.DuckDBPyConnection) -> None:
    """A query sees the tables and no file."""
    base.execute("SET enable_external_access = false")


def _export(
    answer: Answer, newest: list[Record], every: list[Record], sql: str, output: Path
) -> None:
    """Write the rows again, from DuckDB, which knows their types."""
    with replacing(output) as part, tempfile.TemporaryDirectory(prefix="modmul-") as name:
        place = str(part).replace("'", "''")  # as SQL writes it in a text
        copy = f"COPY ({sql.rstrip().rstrip(';')}) TO '{place}' {FORMATS[output.suffix]}"
        with duckdb.connect() as base:
            _table(base, "points", newest, Path(name))
            _table(base, "records", every, Path(name))
            try:
                base.execute(copy)
            except duckdb.IOException as error:
                raise OSError(errno.EIO, str(error).splitlines()[0], str(output)) from None


def _check(output: Path) -> None:
    if output.suffix not in FORMATS:
        allowed = f"a file that ends in {' or '.join(FORMATS)}"
        message = f"output = {str(output)!r}: must be {allowed}"
        raise SpecError("output", str(output), allowed, message)
    check_file(output)


def _refuse(sql: str, why: str) -> SpecError:
    allowed = "one SELECT over the tables points and records"
    return SpecError("sql", sql, allowed, f"sql = {quoted(sql)}: {why}; must be {allowed}")
