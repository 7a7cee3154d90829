"""What nobody should type: every verb answers with one message and exit code 2, and leaves nothing.

Words of the command line, files that are read, and records, each with every verb that takes it."""

from __future__ import annotations

import contextlib
import html
import io
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from example_records import record
from modmul.cli import main
from modmul.cli.verbs import VERBS
from modmul.errors import visible
from modmul.exploration.names import find
from modmul.exploration.store import Store

DEEP = 10_000
SECONDS = 60.0  # for any of these, on a machine that may be busy
DIGITS, HEXADECIMAL = "9" * 5000, "0x" + "f" * 5000

# By verb, words in which {} is something nasty.  `list`, `tools` ... take next to nothing.
WORDS = {
    "list": ["{}"],
    "constants": [
        "{}",
        "--modulus {}",
        "--architecture {}",
        "--width {}",
        "--target {}",
        "--interface {}",
        "--device {}",
        "--format {}",
        "--architecture interleaved --target cells --library {}",
    ],
    "build": ["{}", "--output={} --width 1", "--modulus {}", "--slots {}"],
    "check": ["./{}"],  # what "/" has is not known
    "check-proof": ["./{}"],
    "simulate": [
        "{}",
        "--modulus p256 --a {}",
        "--operand {}",
        "--operand a={}",
        "--operation {}",
        "--modulus {} --a 5 --b 5 --operation none",
        "--input {}",
        "--output={} --width 1",
        "--waveform={} --width 1",
    ],
    "verify": ["--replay {}", "--seed {} --width 1", "--products {} -j {}", "--jobs={} --width 1"],
    "implement": ["{}", "--seeds {} --width 1", "--fit --partitions {}", "--fit --share {}"],
    "explore": [
        "{} -o out",
        "wide.toml --output={}",
        "wide.toml -o out --budget {}",
        "wide.toml -o out -j {}",
        "wide.toml -o out --scheduler {}",
    ],
    "query": ["{}", "found {}", "found --output={}"],
    "recommend": [
        "--modulus {} --target ecp5",
        "--modulus p256 --target {}",
        "--modulus p256 --target ecp5 --where {}",
        "--modulus p256 --target ecp5 --results {}",
        "--modulus p256 --target ecp5 --goal {}",
        "--modulus p256 --target ecp5 --finalists 0 --device {}",
    ],
    "report": ["{}", "none --output={}", "none --pictures {}", "found --schedules {}"],
    "papers": ["{}", "gallin2019 --widest {}", "none --seeds {}", "none --pictures {}"],
    "schema": ["{}"],
    "tools": ["{}"],
    "program": ["{}", "x25519 --multiplier {}", "x25519 --width {}"],
    "cache": ["{}"],
}

NASTY = (
    "",
    " ",
    "a\0b",
    "\udcff",
    "\ud800",
    "x" * 5000,
    DIGITS,
    HEXADECIMAL,
    "-" + DIGITS,
    "1.0e400",
    "-1",
    "nan",
    "²",
    "8.5",
    "[/b]",
    "[red]",
    "\n",
    "%s{}",
    "/dev/zero",
    "/",
    "nothing/\x1b[31m",
    "@/dev/zero",
    "@.",
    "x^" + "9" * 50,
    "(" * 3000,
    "loop.toml",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With records, a space that is impossible, and a link that leads to itself."""
    place = tmp_path_factory.mktemp("nasty")
    results = Store(place / "found")
    with results.writing(""):
        results.put(record({"architecture": "interleaved", "width": 8}))
    (place / "wide.toml").write_text("width = 100_000\n")
    (place / "loop.toml").symlink_to("loop.toml")
    return place


@pytest.fixture(autouse=True)
def _here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MODMUL_CACHE", str(folder / "cache"))
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` replaces it


def refused(words: list[str], codes: tuple[int, ...] = (2,)) -> str:
    """Run a command line; what it said.  It ends soon, and a refusal leaves nothing behind."""
    out, err = io.StringIO(), io.StringIO()
    before, began = sorted(Path().rglob("*")), time.monotonic()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    said = err.getvalue()
    assert code in codes, (words, code, said)
    assert "Traceback" not in said and time.monotonic() - began < SECONDS, (words, said)
    assert sorted(Path().rglob("*")) == before, words
    messages = [line for line in said.splitlines() if line.startswith("modmul: ")]
    assert len(messages) == (1 if code else 0), (words, said)
    return said


def test_every_verb_is_here() -> None:
    assert WORDS.keys() == VERBS.keys()


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("verb", WORDS)
def test_words(verb: str, every: bool) -> None:
    """Each verb gets half of them, and the next one the other half, each place of a verb its share;
    or, with `every`, all of them."""
    share = 1 if every else 2 * len(WORDS[verb])
    for place, line in enumerate(WORDS[verb], [*WORDS].index(verb) % 2 * len(WORDS[verb])):
        for nasty in NASTY[place % share :: share]:
            words = [word.replace("{}", nasty) for word in line.split()]
            # "" is no name and no number, but a directory (this one) and a condition that is absent
            refused([verb, *words], codes=(0, 2))


@pytest.mark.parametrize("nasty", ["a\0b", "\udcff", "\ud800"])
@pytest.mark.parametrize("words", [["query", "found"], ["report", "found", "--title"], ["list"]])
def test_words_that_are_no_text(words: list[str], nasty: str) -> None:
    assert "must be text in UTF-8 without null characters" in refused([*words, nasty])


def test_bytes_that_are_no_text_reach_the_message() -> None:
    """As a shell gives them, and on a terminal that knows no UTF-8."""
    for encoding in ("utf-8", "ascii"):
        done = subprocess.run(
            [sys.executable, "-m", "modmul", "list", b"\xff\xe2\x82\xac"],
            capture_output=True,
            env=os.environ | {"PYTHONIOENCODING": encoding},
        )
        assert done.returncode == 2 and b"Traceback" not in done.stderr
        assert done.stderr.startswith(b"modmul: argument '\\udcff")


@pytest.mark.parametrize("title", ["[/b]", "[red]", ":smile:", "</title><script>", "\x1b[31m€"])
def test_titles_are_shown_as_they_are(title: str, tmp_path: Path) -> None:
    file = tmp_path / f"{title.replace('/', '')}.html"  # its name is shown, too
    words = ["report", "found", "--schedules", "0", "--title", title, "-o", str(file)]
    with contextlib.redirect_stdout(io.StringIO()) as text:
        assert main(words) == 0
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([*words, "--json"]) == 0
    assert json.loads(out.getvalue())["title"] == visible(title)
    assert file.name.removeprefix("\x1b[31m") in text.getvalue()
    assert f"<title>{html.escape(visible(title))}" in file.read_text()


@pytest.mark.parametrize("name", ["[/b]", "[red]", ":smile:"])
def test_names_of_directories_are_shown_as_they_are(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["build", "--architecture", "interleaved", "--width", "8", "--no-check", "-o", name]
    with contextlib.redirect_stdout(io.StringIO()) as text:
        assert main(words) == 0
    assert f"interleaved_8 in {name}\n" in text.getvalue()


def test_a_directory_whose_name_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / os.fsdecode(b"\xff")
    place.mkdir()
    results = Store(place)
    with results.writing(""):
        results.put(record({"architecture": "interleaved", "width": 8}))
    monkeypatch.chdir(place)
    monkeypatch.setenv("MODMUL_CACHE", str(place / "cache"))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["report", ".", "-o", "x.html", "--schedules", "0", "--json"]) == 0
        assert main(["cache", "--json"]) == main(["cache"]) == 0
    assert json.loads(out.getvalue().partition("}\n{")[0] + "}")["title"] == "\\udcff"


# ---- files --------------------------------------------------------------------------------------

FILES = {
    "empty lists": "width = []",
    "deep list": "x = " + "[" * DEEP + "]" * DEEP,
    "deep table": "x = " + "{a = " * DEEP + "1" + "}" * DEEP,
    "deep key": ".".join("a" * DEEP) + " = 1",
    "deep header": "[" + ".".join("a" * DEEP) + "]",
    "digits": f"width = {DIGITS}",
    "hexadecimal": f"width = {HEXADECIMAL}",
    "digits inside": f"width = [[{HEXADECIMAL}]]",
    "date": "width = 2020-01-01",
    "infinite": "width = inf",
    "no number": "width = nan",
    "nested": "width = [[8], [9]]",
    "range": "width = {from = 1, to = 1_000_000_000_000}",
    "range of digits": f"width = {{from = 1, to = {HEXADECIMAL}}}",
    "range above": "width = {above-default = 1_000_000_000_000}",
    "range by nothing": "width = {from = 1, to = 9, step = 0}",
    "null in names": 'modulus = "@a\\u0000b"',
    "null in libraries": 'architecture = "interleaved"\ntarget = "cells"\nlibrary = "\\u0000"',
    "device": "device = 5",
    "interface": "interface = 5",
    "architecture": "architecture = 5",
    "architectures": "architecture = [[]]",
    "no architecture": "architecture = []",
    "budget": 'width = 8\nbudget = "99999999999999999999999 h"',
    "superscript": 'width = 8\nbudget = "²"',
    "seeds": "width = 8\nseeds = 1_000_000_000_000",
    "products": f"width = 8\nproducts = {HEXADECIMAL}",
    "time-limit": "width = 8\ntime-limit = []",
    "summary": "width = 8\nsummary = [1]",
    "objectives": "width = 8\nobjectives = [[1]]",
    "where": "width = 8\nwhere = [[1]]",
    "brackets": f"width = 8\nwhere = '{'(' * 3000}1 = 1{')' * 3000}'",
    "table": "fpmm = 5",
    "list of tables": "fpmm = [[1]]",
    "long text": f'width = "{DIGITS * 20}"',
    "long modulus": f'modulus = "{HEXADECIMAL * 20}"',
    "no UTF-8": b"\xff\xfe\x00",
    "nulls": b"\x00" * 100,
    "no TOML": "{",
}


@pytest.mark.parametrize("name", FILES)
def test_specifications_and_spaces(name: str, tmp_path: Path) -> None:
    content = FILES[name]
    file = tmp_path / "x.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    for words in (["constants"], ["build", "-o", "out"], ["implement"], ["verify"]):
        said = refused([*words, str(file)])
        assert len(said) < 2000
    assert len(refused(["explore", str(file), "-o", "out"])) < 2000


@pytest.mark.parametrize("name", ["/dev/zero", "/", "loop.toml"])
def test_files_that_are_none(name: str) -> None:
    for words in (
        ["constants", name],
        ["explore", name, "-o", "x"],
        ["verify", "--replay", name],
        ["constants", "--modulus", f"@{name}"],
    ):
        refused(words)


RECORDS = {
    "deep": '{"spec": {"x": ' + "[" * DEEP + "]" * DEEP + "}}",
    "no record": "[1]",
    "nothing": "",
    "no UTF-8": b"\xff",
}


@pytest.mark.parametrize("name", [*RECORDS, "digits", "directory", "FIFO", "link"])
def test_damaged_records_are_left_out(name: str, tmp_path: Path) -> None:
    results = Store(tmp_path)
    with results.writing(""):
        results.put(good := record({"architecture": "interleaved", "width": 8}))
    damaged, text = results.points / "x.json", (results.points / f"{good.key}.json").read_text()
    if name == "directory":
        damaged.mkdir()
    elif name == "FIFO":
        os.mkfifo(damaged)
    elif name == "link":
        damaged.symlink_to("x.json")
    else:
        digits = text.replace('"seeds": 1', '"seeds": ' + "9" * 30)
        content = {**RECORDS, "digits": digits}[name]
        damaged.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.warns(UserWarning, match="damaged") if name else contextlib.nullcontext():
        assert [entry.key for entry in results.records()] == [good.key]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert main(["query", str(tmp_path), "SELECT lut FROM records", "--json"]) == 0
    assert json.loads(out.getvalue())["rows"] == [{"lut": find(good, "lut")}]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
EXAMPLES = 25 if os.environ.get("CONFORMANCE") else 10
KEYS = st.sampled_from(
    [
        "architecture",
        "width",
        "modulus",
        "target",
        "device",
        "interface",
        "library",
        "slots",
        "word",
        "dsp",
    ]
)


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(options=st.dictionaries(KEYS, VALUES, min_size=1, max_size=3))
def test_any_values_of_options(options: dict[str, object], tmp_path: Path) -> None:
    """As they stand in a replay, which is JSON."""
    file = tmp_path / "case.json"
    case = {"format": 3, "spec": options, "netlist": False, "seed": 1, "power_up": 1, "runs": [{}]}
    file.write_text(json.dumps(case))
    refused(["verify", "--replay", str(file)])
