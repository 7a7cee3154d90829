"""Records in SQL: names, types, files."""

import csv
from pathlib import Path

import duckdb
import msgspec
import pytest

from made_records import record
from modmul.errors import SpecError
from modmul.exploration import schema
from modmul.exploration.database import query
from modmul.exploration.record import Record
from modmul.exploration.store import Store


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("found")
    store = Store(directory)
    records = [
        record({"architecture": "interleaved", "width": 8}),
        record({"architecture": "fpmm", "width": 16, "word": 9, "target": "ecp5"}, dsp=3,
               fmax_mhz={"median": 210.0, "best": 220.0, "usable": 200.0, "limited_by": "x",
                         "seeds": [{"seed": 1, "mhz": 210.0}]}),
        record({"architecture": "interleaved", "width": 9}, status="failed", reason="it's broken"),
    ]  # fmt: skip
    with store.writing(""):
        for one in records:
            store.put(one)
        old = msgspec.structs.replace(records[0], key="0" * 64, finished="2000-01-01", lut=99)
        store.put(old)
    return directory


def test_names_of_records_and_of_specs(found: Path) -> None:
    sql = ("SELECT architecture, lut, dsp, fmax_mhz.usable, word, latency_reduction, spec.\"dsp\","
           " cycles.latency FROM points WHERE status = 'done' ORDER BY width")  # fmt: skip
    answer = query(found, sql)
    assert answer.columns[:3] == ["architecture", "lut", "dsp"]
    first, second = answer.rows
    assert first[:7] == ("interleaved", 25, 0, None, None, None, None)
    assert second[:6] == ("fpmm", 56, 3, 200.0, 9, True)  # 3 * 16 + 8 slots
    assert first[7] == record({"architecture": "interleaved", "width": 8}).cycles.latency


def test_columns_of_the_same_name_are_told_apart(found: Path) -> None:
    answer = query(found, "SELECT time.latency, cycles.latency FROM points LIMIT 1")
    assert answer.columns == ["latency", "latency_1"]


def test_points_are_the_newest_and_records_all(found: Path) -> None:
    assert query(found, "SELECT count(*) FROM points").rows == [(3,)]
    assert query(found, "SELECT count(*), max(lut) FROM records").rows == [(4, 99)]
    assert query(found, "FROM points SELECT reason WHERE status = 'failed'").rows == [
        ("it's broken",)
    ]


def test_every_name_that_is_told_can_be_asked(found: Path) -> None:
    names = ", ".join(
        ".".join(f'"{part}"' for part in name.split(".")) for name in schema.described()
    )
    assert len(query(found, f"SELECT {names} FROM points").rows) == 3
    assert {"lut", "fmax_mhz.usable", "time.per_product", "latency_reduction"} <= set(
        schema.described()
    )


def test_what_is_explained_is_there() -> None:
    explained = schema.explained()
    assert {name: one.type for name, one in explained.items()} == schema.described()
    assert set(schema._MEANINGS) <= set(explained)


def test_columns_are_the_record(found: Path) -> None:
    assert set(schema.columns()) == set(Record.__struct_fields__)
    assert not set(schema.flattened()) & set(schema.columns())


def test_files(found: Path, tmp_path: Path) -> None:
    sql = "SELECT width, lut, reason FROM points ORDER BY width;"
    for name in ("rows.csv", "rows.parquet"):
        query(found, sql, tmp_path / name)
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[1] == {"width": "9", "lut": "28", "reason": "it's broken"}
    with duckdb.connect() as base:
        kept = base.execute(f"SELECT * FROM '{tmp_path / 'rows.parquet'}'").fetchall()
    assert kept == query(found, sql).rows
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.csv", "rows.parquet"]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT nothing FROM points", "nothing"),
        ("SELEC 1", "syntax error"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled"),
        ("CREATE TABLE x AS SELECT 1", "is something else"),
        ("SELECT 1; SELECT 2", "is something else"),
    ],
)
def test_refused(found: Path, sql: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        query(found, sql)


def test_other_endings_are_refused(found: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"must be a file that ends in .csv or .parquet"):
        query(found, "FROM points", tmp_path / "rows.xls")
