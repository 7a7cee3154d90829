"""Foreign SQL: what it can reach, how long it runs, what it takes, and that it ends with us."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pytest

import modmul
from modmul.toolchain import sql

SECRET = 4711  # no table
BOUND = 0.5  # seconds, in these tests


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "SECONDS", BOUND)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "it's [one].duckdb"
    with sql.connect(file) as base:
        base.execute("CREATE TABLE points AS SELECT 1 AS lut")
    return file


@pytest.mark.parametrize(
    "query",
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
def test_nothing_outside_can_be_reached(query: str, tmp_path: Path) -> None:
    text = query.format(folder=tmp_path)
    with pytest.raises(sql.QueryRefused):
        sql.evaluate(text)
    with sql.connect() as base, pytest.raises(duckdb.Error):
        base.execute(text)
    assert list(tmp_path.iterdir()) == []


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
    }
    query = "SELECT name, value FROM duckdb_settings() WHERE list_contains($1, name)"
    assert dict(sql.evaluate(query, [list(wanted)])) == wanted  # type: ignore[arg-type]


def test_a_folder_is_open_and_no_other(tmp_path: Path, file: Path) -> None:
    inside = tmp_path / "o'clock"
    inside.mkdir()
    with sql.connect(file, inside) as base:
        base.table("points").write_csv(str(inside / "x.csv"))
        with pytest.raises(duckdb.PermissionException):
            base.table("points").write_csv(str(tmp_path / "x.csv"))
    assert (inside / "x.csv").exists()


def test_databases_are_opened_in_one_place() -> None:
    root = Path(modmul.__file__).parent
    opened = [
        path
        for path in root.rglob("*.py")
        if re.search(r"duckdb\.(connect|sql|query|exec)", path.read_text())
    ]
    assert opened == [root / "toolchain" / "sql.py"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM range(100000000) a, range(100000000) b",
        "WITH RECURSIVE t AS (SELECT 1 x UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t",
        # one call of a function, which DuckDB does not interrupt
        "SELECT sleep_ms(60000)",
        "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))",
        "SELECT length(lpad('x', 2000000000, 'y'))",
    ],
)
@pytest.mark.short("SELECT count(*) FROM range(100000000) a, range(100000000) b")
def test_what_does_not_end_is_ended(query: str, file: Path, quick: None) -> None:
    for ask in (lambda: sql.evaluate(query), lambda: sql.answer(file, query)):
        began = time.monotonic()
        with pytest.raises(sql.QueryRefused, match=f"takes longer than {BOUND:g} s"):
            ask()
        assert time.monotonic() - began < BOUND + 20  # and the start of a process
    assert sql.evaluate("SELECT 1") == [[1]]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT list_sum(range(3000000000))",
        "SELECT length(repeat('x', 4000000000) || repeat('y', 4000000000))",
        "SELECT list(i) FROM range(1000000000) t(i)",
        "SELECT i FROM range(1000000000) t(i) ORDER BY hash(i) LIMIT 1 OFFSET 900000000",
    ],
)
@pytest.mark.short("SELECT list(i) FROM range(1000000000) t(i)")
def test_memory_is_bounded_and_no_disk_takes_its_place(
    query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sql.QueryRefused, match="Out of Memory|Out of Range"):
        sql.evaluate(query)
    assert list(tmp_path.iterdir()) == []
    assert sql.evaluate("SELECT 1") == [[1]]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT true FROM range(2000000)", "more than 1,000,000 rows"),
        ("SELECT repeat('x', 1000) FROM range(900000)", "more than 256 MiB"),
        ("SELECT 1; SELECT 2", "is something else"),
        ("DROP TABLE points", "is something else"),
        ("", "is something else"),
        ("SELECT '\ud800'", "is not valid Unicode"),
    ],
)
def test_answers_that_are_refused(file: Path, query: str, message: str) -> None:
    with pytest.raises(sql.QueryRefused, match=message):
        sql.answer(file, query)
    with sql.connect(file) as base:
        assert base.execute("FROM points").fetchall() == [(1,)]


def test_an_answer_keeps_order_and_types(file: Path) -> None:
    query = "SELECT i, [i] AS l, i::DECIMAL(9, 2) AS d FROM range(130000) t(i) ORDER BY hash(i)"
    sql.answer(file, f"{query}; -- the end")
    with sql.connect(file) as base:
        table = base.table(sql.ANSWER)
        assert [str(kind) for kind in table.types] == ["BIGINT", "BIGINT[]", "DECIMAL(9,2)"]
        assert table.fetchall() == base.sql(query).fetchall()


def test_an_interruption_takes_the_reply_with_it() -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    sql.evaluate("SELECT 0")
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            sql.evaluate("SELECT sleep_ms(30000)")
    finally:
        signal.signal(signal.SIGALRM, before)
    began = time.monotonic()
    assert sql.evaluate("SELECT 1") == [[1]]
    assert time.monotonic() - began < 20


def test_a_process_that_was_killed_between_two_queries_is_started_again() -> None:
    sql.evaluate("SELECT 0")
    process = sql._WORKER._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert sql.evaluate("SELECT 1") == [[1]]


def test_the_process_ends_with_the_one_that_started_it() -> None:
    """Also in the middle of a query: the kernel's alarm is its own."""
    script = (
        "import threading, time\n"
        "from modmul.toolchain import sql\n"
        f"sql.SECONDS = {BOUND}\n"
        "sql.evaluate('SELECT 1')\n"
        "print(sql._WORKER._process.pid, flush=True)\n"
        "sql.evaluate('SELECT sleep_ms(3600000)')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, env=dict(os.environ)
    ) as parent:
        assert parent.stdout is not None
        process = psutil.Process(int(parent.stdout.readline()))
        time.sleep(0.3)
        parent.kill()
    psutil.wait_procs([process], timeout=20)
    assert not process.is_running()
