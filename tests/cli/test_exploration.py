"""The verbs of explorations: exit codes, messages, JSON."""

import importlib
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from example_records import record, reply
from modmul.cli import main
from modmul.exploration import store
from modmul.exploration.store import Store
from modmul.toolchain import terminal

SPACE = "architecture = 'interleaved'\nwidth = [8, 9, 10]\nseeds = 1\nproducts = 10\n"


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    module = importlib.import_module("modmul.exploration.explore")
    monkeypatch.setattr(module, "measure_in_child", reply)
    file = tmp_path / "space.toml"
    file.write_text(SPACE)
    return file


def test_explore_tells_what_it_did(
    space: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "found"
    assert main(["explore", str(space), "-o", str(directory), "--budget", "2"]) == 0
    text = capsys.readouterr().out
    assert "2 done, 0 outside the conditions, 0 failed" in text
    assert "budget of 2 points used up" in text and "Pareto front" in text
    assert main(["explore", str(space), "-o", str(directory), "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert (outcome["done"], outcome["cached"], outcome["left"]) == (1, 2, 0)
    assert outcome["front"][0]["spec"]["width"] == 8
    assert (directory / "space.toml").read_text() == SPACE


def test_a_terminal_shows_the_front_during_a_run(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=120, highlight=False)
    monkeypatch.setattr(terminal, "console", lambda *_, **__: console)
    assert main(["explore", str(space), "-o", str(tmp_path / "found"), "--json"]) == 0
    shown = screen.getvalue()
    assert "space: 3 done, 0 failed, 0 cached, 0 running, 0 left, 3 on the front" in shown
    assert "Pareto front" in shown and "interleaved-10" in shown


def test_a_full_run_has_no_budget(
    space: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space.write_text("budget = 1\n" + SPACE)
    assert main(["explore", str(space), "-o", str(tmp_path / "found"), "--full"]) == 0
    assert "3 done" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explore", "nothing.toml", "-o", "x"], "nothing.toml: cannot be read"),
        (["explore", "{space}", "-o", "{file}"], "is not a directory"),
        (["explore", "{space}", "-o", "x", "--budget", "soon"], "budget = 'soon'"),
        (["explore", "{space}", "-o", "x", "-j", "0"], "jobs = 0"),
        (["explore", "{space}", "-o", "x", "--scheduler", "nonsense://"], "scheduler = 'nonsense"),
        (["explore", "{space}", "-o", "x", "--scheduler", ""], "scheduler = ''"),
        (["query", "{none}", "SELECT 1"], "no exploration is there"),
        (["recommend", "--modulus", "p256", "--target", "ecp5", "--goal", "x"], "goal = 'x'"),
        (["recommend", "--modulus", "p256", "--target", "ecp5", "--where", "x < 1"], "no name x"),
        (
            ["recommend", "--modulus", "p256", "--target", "ecp5", "--results", "{none}"],
            "no exploration is there",
        ),
    ],
)
def test_bad_input(
    space: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    before = sorted(tmp_path.rglob("*"))
    known = {"space": space, "file": tmp_path / "file", "none": tmp_path / "none"}
    assert main([word.format(**known) for word in words]) == 2
    assert message in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_query_shows_rows_and_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = Store(tmp_path / "found")
    with results.writing(""):
        results.put(record({"architecture": "interleaved", "width": 8}))
    assert main(["query", str(results.root), "SELECT title, lut, routed FROM points"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["interleaved-8", "25", "-"]
    assert main(["query", str(results.root), "SELECT lut FROM points", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["columns"], answer["rows"]) == (["lut"], [{"lut": 25}])
    assert answer["coverage"]["complete"] is None  # no run left its counts there
    assert main(["query", str(results.root)]) == 0
    assert "fmax_mhz.usable" in capsys.readouterr().out
    assert main(["query", str(results.root), "--json"]) == 0
    names = json.loads(capsys.readouterr().out)
    assert names["area.value"]["type"] == "DOUBLE"
    assert "lut + dsp * area.luts_per_dsp" in names["area.value"]["what"]
    assert names["area.luts_per_dsp"]["what"] and names["word"]["what"] is None
    assert main(["query", "--json"]) == 0  # they are those of any exploration
    assert json.loads(capsys.readouterr().out) == names
    assert main(["query", "-o", "names.csv"]) == 2


@pytest.mark.parametrize("verb", ["explore", "recommend"])
def test_help_says_where_the_names_of_conditions_are(
    capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    assert main([verb, "--help"]) == 0
    words = re.sub(r"[│╭╰─╮╯]", " ", capsys.readouterr().out).split()
    assert "`modmul query` prints" in " ".join(words)


def test_tables_of_a_file_are_as_wide_as_columns_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line ends in spaces; nothing is lost where lines are broken."""
    widths, texts = {}, {}
    for asked in ("", "100", "60", "0", "-5", "many", "9" * 5):
        monkeypatch.setenv("COLUMNS", asked)
        assert main(["query"]) == 0
        text = capsys.readouterr().out
        assert all(line == line.rstrip() for line in text.splitlines())
        widths[asked], texts[asked] = max(map(len, text.splitlines())), sorted(text.split())
    assert 100 < widths[""] <= 160 and 90 < widths["100"] <= 100 and 50 < widths["60"] <= 60
    assert widths[""] == widths["0"] == widths["-5"] == widths["many"] <= widths["9" * 5]
    assert texts["100"] == texts[""]


def test_recommend_as_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "recommend",
        "--modulus",
        "p256",
        "--target",
        "ecp5",
        "--where",
        "dsp = 0",
        "--finalists",
        "0",
    ]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert 'modulus = "p256"' in text and "No clock of this was routed" in text
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["basis"] == "estimated" and data["best"]["dsp"] == 0


def test_store_is_not_touched_by_queries(tmp_path: Path) -> None:
    results = Store(tmp_path)
    with results.writing(""):
        results.put(record({"architecture": "interleaved", "width": 8}))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    store.read(tmp_path)
    assert main(["query", str(tmp_path), "FROM points SELECT title"]) == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize(
    ("sql", "cell"),
    [
        ("MAP {1: 2}", {"1": 2}),
        ("[MAP {true: 2}]", [{"True": 2}]),
        ("{'a': MAP {DATE '2020-01-01': 1.5::DOUBLE}}", {"a": {"2020-01-01": 1.5}}),
    ],
)
def test_keys_of_cells_are_texts_in_json(
    sql: str, cell: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(tmp_path).writing(""):
        Store(tmp_path).put(record({"architecture": "interleaved", "width": 8}))
    assert main(["query", str(tmp_path), f"SELECT {sql} AS x", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [{"x": cell}]
