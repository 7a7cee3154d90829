"""Records in SQL: names, types, files."""

import csv
import shutil
from pathlib import Path

import duckdb
import msgspec
import pytest

from example_records import record
from modmul.errors import SpecError
from modmul.exploration import schema, view
from modmul.exploration.database import query
from modmul.exploration.record import Record
from modmul.exploration.store import Store
from modmul.toolchain import sql


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("found")
    store = Store(directory)
    records = [
        record({"architecture": "interleaved", "width": 8}),
        record(
            {"architecture": "fpmm", "width": 16, "word": 9, "target": "ecp5"},
            dsp=3,
            fmax_mhz={
                "median": 210.0,
                "best": 220.0,
                "usable": 200.0,
                "limited_by": "x",
                "seeds": [{"seed": 1, "mhz": 210.0}],
                "verified": True,
            },
        ),
        record({"architecture": "interleaved", "width": 9}, status="failed", reason="it's broken"),
    ]
    with store.writing(""):
        for point in records:
            store.put(point)
        chip = records[0].chip
        assert chip is not None
        old = msgspec.structs.replace(
            records[0],
            key="0" * 64,
            finished="2000-01-01",
            chip=msgspec.structs.replace(chip, lut=99),
        )
        store.put(old)
    return directory


def test_names_of_records_and_of_specs(explored: Path) -> None:
    text = (
        'SELECT architecture, lut, dsp, fmax_mhz.usable, word, latency_reduction, spec."dsp",'
        " cycles.latency FROM points WHERE status = 'done' ORDER BY width"
    )
    answer = query(explored, text)
    assert answer.columns[:3] == ["architecture", "lut", "dsp"]
    first, second = answer.rows
    assert first[:7] == ("interleaved", 25, 0, None, None, None, None)
    assert second[:6] == ("fpmm", 56, 3, 200.0, 9, True)  # 3 * 16 + 8 slots
    assert first[7] == record({"architecture": "interleaved", "width": 8}).cycles.latency


def test_columns_of_the_same_name_are_told_apart(explored: Path) -> None:
    answer = query(explored, "SELECT time.latency, cycles.latency FROM points LIMIT 1")
    assert answer.columns == ["latency", "latency_1"]


def test_points_are_the_newest_and_records_all(explored: Path) -> None:
    assert query(explored, "SELECT count(*) FROM points").rows == [(3,)]
    assert query(explored, "SELECT count(*), max(lut) FROM records").rows == [(4, 99)]
    assert query(explored, "FROM points SELECT reason WHERE status = 'failed'").rows == [
        ("it's broken",)
    ]


def test_every_name_that_is_told_can_be_asked(explored: Path) -> None:
    names = ", ".join(
        ".".join(f'"{part}"' for part in name.split(".")) for name in schema.described()
    )
    assert len(query(explored, f"SELECT {names} FROM points").rows) == 3
    assert {"lut", "fmax_mhz.usable", "time.per_product", "latency_reduction"} <= set(
        schema.described()
    )


def test_what_is_explained_is_there() -> None:
    explained = schema.explained()
    assert {name: column.type for name, column in explained.items()} == schema.described()
    assert set(schema._MEANINGS) <= set(explained)


def test_columns_are_the_record(explored: Path) -> None:
    assert list(schema.columns()) == list(view.plain(record({"width": 8})))
    own = set(Record.__struct_fields__) - {"shape", "chip", "silicon"}
    assert set(schema.columns()) == own | set(view.SHORT)
    assert not set(schema.flattened()) & set(schema.columns())


@pytest.mark.parametrize("end", ["", ";", " -- the end", "; -- the end", " /* end */ ;\n", "\n;"])
@pytest.mark.short("", "; -- the end")
def test_files(explored: Path, tmp_path: Path, end: str) -> None:
    text = f"SELECT width, lut, reason, [width] AS l, uuid() AS u FROM points ORDER BY width{end}"
    folder = tmp_path / "it's [red]"
    with_types = query(explored, text, folder / "rows.parquet")
    with duckdb.connect() as base:
        written = base.from_parquet(str(folder / "rows.parquet"))
        assert [str(kind) for kind in written.types] == [
            "BIGINT",
            "BIGINT",
            "VARCHAR",
            "BIGINT[]",
            "UUID",
        ]
        assert written.fetchall() == with_types.rows  # of one evaluation: the same random numbers
    shown = query(explored, text, folder / "rows.csv")
    with (folder / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[1] == {
        "width": "9",
        "lut": "28",
        "reason": "it's broken",
        "l": "[9]",
        "u": str(shown.rows[1][4]),
    }
    assert sorted(path.name for path in folder.iterdir()) == ["rows.csv", "rows.parquet"]


def test_a_directory_with_quotes_in_its_name(explored: Path, tmp_path: Path) -> None:
    quoted = tmp_path / 'it\'s "[/]" $1'
    shutil.copytree(explored, quoted)
    assert query(quoted, "SELECT count(*) FROM points").rows == [(3,)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT nothing FROM points", "nothing"),
        ("SELEC 1", "syntax error"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled"),
        ("CREATE TABLE x AS SELECT 1", "is something else"),
        ("SELECT 1; SELECT 2", "is something else"),
        ("-- nothing", "is something else"),
        ("SELECT '\ud800'", "not valid Unicode"),
        ("COPY points TO '/tmp/x.csv'", "is something else"),
        ("FROM points; COPY points TO '/tmp/x.csv'", "is something else"),
        ("SELECT * FROM records, newest", "newest"),  # a variable of the function
    ],
)
def test_refused(explored: Path, text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        query(explored, text)
    assert caught.value.exit_code == 2


def test_a_query_that_does_not_end_is_refused(
    explored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "SECONDS", 1.0)
    with pytest.raises(SpecError, match="takes longer than 1 s"):
        query(explored, "SELECT sleep_ms(60000) FROM points", tmp_path / "rows.csv")
    assert list(tmp_path.iterdir()) == []


def test_other_endings_are_refused(explored: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"must be a file that ends in .csv or .parquet"):
        query(explored, "FROM points", tmp_path / "rows.xls")


def test_times_with_a_zone_are_text(explored: Path, tmp_path: Path) -> None:
    """Their Python objects need a package that does not come with this one."""
    text = 'SELECT \'2020-01-01 02:00:00+02\'::TIMESTAMPTZ AS "a""b", 1 AS c, [now()] AS d'
    answer = query(explored, text, tmp_path / "x.csv")
    assert answer.columns == ['a"b', "c", "d"]
    assert answer.rows[0][:2] == ("2020-01-01 00:00:00+00", 1)
    assert query(explored, "SELECT count(*) FROM points WHERE finished < now()::VARCHAR").rows
