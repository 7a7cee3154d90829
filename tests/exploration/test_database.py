"""Records in SQL: names, types, files, and what a query cannot reach."""

import csv
import re
import shutil
import signal
import time
from pathlib import Path

import duckdb
import msgspec
import pytest

import modmul
from example_records import record
from modmul.errors import SpecError
from modmul.exploration import database, names
from modmul.exploration.database import query
from modmul.exploration.record import Record
from modmul.exploration.store import Store


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
    told = names.described()
    columns = ", ".join(".".join(f'"{part}"' for part in name.split(".")) for name in told)
    assert len(query(explored, f"SELECT {columns} FROM points").rows) == 3
    assert {"lut", "fmax_mhz.usable", "time.per_product", "latency_reduction"} <= set(told)


def test_what_is_explained_is_there() -> None:
    assert set(names._MEANINGS) <= set(names.described())


def test_columns_are_the_record(explored: Path) -> None:
    assert list(names.columns()) == list(names.plain(record({"width": 8})))
    own = set(Record.__struct_fields__) - {"shape", "chip", "silicon"}
    assert set(names.columns()) == own | set(names.SHORT)
    assert not set(names.flattened()) & set(names.columns())


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
        ("", "is something else"),
        ("DROP TABLE points", "is something else"),
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


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_csv('https://example.org/x.csv')",
        "SELECT * FROM read_json('{folder}/x.json')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM read_duckdb('{folder}/x.duckdb')",
        "ATTACH '{folder}/x.duckdb'",
        "COPY (SELECT 1) TO '{folder}/x.csv'",
        "EXPORT DATABASE '{folder}/x'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 4",
        "SET enable_external_access = true",
        "SET allowed_paths = ['{folder}/x.json']",
        "SET lock_configuration = false",
        "RESET memory_limit",
        "SET temp_directory = '{folder}'",
        "CREATE PERSISTENT SECRET (TYPE s3)",
        "SELECT getenv('HOME')",
        "FROM SECRET",
        "FROM query",
        "FROM _LOCKS",
    ],
)
def test_nothing_outside_can_be_reached(text: str, explored: Path, tmp_path: Path) -> None:
    """Neither by a query, nor by statements that queries do not have."""
    (tmp_path / "x.json").write_text("[1]")
    sql = text.format(folder=tmp_path)
    with pytest.raises(SpecError, match="sql = "):
        query(explored, sql)
    with pytest.raises(SpecError, match="sql = "):
        query(explored, sql, tmp_path / "rows.csv")
    with database.connect(tmp_path / "rows.csv") as base, pytest.raises(duckdb.Error):
        base.execute(sql)
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_an_output_is_not_read_by_the_query(explored: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("secret")
    for path in (tmp_path / "rows.csv", tmp_path / "*", tmp_path / "*" / "*.csv"):
        with pytest.raises(SpecError, match="disabled"):
            query(explored, f"SELECT * FROM read_text('{path}')", tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text() == "secret"


def test_every_lock_is_closed() -> None:
    wanted = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "enable_external_access": "false",
        "lock_configuration": "true",
        "python_enable_replacements": "false",
        "threads": "1",
        "temp_directory": "",
        "max_temp_directory_size": "0 bytes",
        "memory_limit": "1.0 GiB",
        "allowed_paths": "[]",
        "allowed_directories": "[]",
    }
    select = "SELECT name, value FROM duckdb_settings() WHERE list_contains($1, name)"
    with database.connect() as base:
        assert dict(base.execute(select, [list(wanted)]).fetchall()) == wanted


def test_databases_are_opened_in_one_place() -> None:
    root = Path(modmul.__file__).parent
    opened = [
        path
        for path in root.rglob("*.py")
        if re.search(r"duckdb\.(connect|sql|query|exec)", path.read_text())
    ]
    assert opened == [root / "exploration" / "database.py"]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*) FROM range(100000000) a, range(100000000) b",
        "WITH RECURSIVE t AS (SELECT 1 x UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t",
        "SELECT sleep_ms(60000) FROM points",
    ],
)
def test_a_query_that_does_not_end_is_refused(
    text: str, explored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "SECONDS", 0.5)
    began = time.monotonic()
    with pytest.raises(SpecError, match="takes longer than 0.5 s"):
        query(explored, text, tmp_path / "rows.csv")
    assert time.monotonic() - began < 20
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_ends_the_query(explored: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            query(explored, "SELECT count(*) FROM range(100000000) a, range(100000000) b")
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - began < 20


@pytest.mark.short("SELECT list(i) FROM range(1000000000) t(i)-Out of Memory")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT list(i) FROM range(1000000000) t(i)", "Out of Memory"),
        ("SELECT i FROM range(1000000000) t(i) ORDER BY hash(i) OFFSET 900000000", "Out of Memory"),
        ("SELECT repeat('x', 2000) FROM range(900000)", "Out of Memory"),
        ("SELECT true FROM range(2000000)", "more than 1,000,000 rows"),
    ],
)
def test_memory_and_rows_are_bounded_and_no_disk_takes_their_place(
    text: str, message: str, explored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError, match=message):
        query(explored, text)
    assert list(tmp_path.iterdir()) == []


def test_an_answer_keeps_its_order(explored: Path) -> None:
    text = "SELECT i FROM range(130000) t(i) ORDER BY hash(i)"
    with duckdb.connect() as base:
        assert query(explored, f"{text}; -- the end").rows == base.sql(text).fetchall()


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
