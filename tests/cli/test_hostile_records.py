"""Records that others wrote, on a terminal and in files: they are shown, and do nothing."""

import os
import pty
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from example_records import record
from modmul.cli import main
from modmul.exploration.record import Record
from modmul.exploration.store import Store

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b1m\r\u202e"
MARKUP = "[/] [red]x[/red] [link=file:///x]y[/link] :smile: [/bold"
MATHS = r"$\frac{$ <script>alert(1)</script> -->"
NASTY = ESCAPES + MARKUP + MATHS + "\n\u2028second line"
RECOMMEND = ["recommend", "--modulus", "251", "--target", "ecp5"]
Capture = pytest.CaptureFixture[str]


def hostile() -> list[Record]:
    """Records whose every text is nasty: a known architecture, an unknown one, a failure."""
    base = record({"architecture": "interleaved", "width": 8, "target": "ecp5"})
    texts = {"title": NASTY, "device": NASTY, "timing": NASTY, "finished": NASTY}
    area, time = base.area, base.time
    assert area is not None and time is not None
    units = {
        "area": msgspec.structs.replace(area, unit=NASTY),
        "time": msgspec.structs.replace(time, unit=NASTY, kind=NASTY),
    }
    strange = {"architecture": NASTY, "target": NASTY * 50, "field": NASTY}
    other = record(
        {"architecture": "interleaved", "width": 8, "target": "ecp5"},
        lut=20,
        area={"value": 20.0, "unit": area.unit},
    )
    records = [
        msgspec.structs.replace(base, key="1" * 64, **texts, **units),
        msgspec.structs.replace(
            base,
            key="2" * 64,
            **texts,
            **units,
            **strange,
            spec={"architecture": NASTY, "more" + NASTY: NASTY},
        ),
        msgspec.structs.replace(
            base, key="3" * 64, **texts, status="failed", reason=NASTY, seeds=9
        ),
        msgspec.structs.replace(other, key="4" * 64, **texts, seeds=8),
    ]
    return records


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    results = Store(tmp_path / ("found" + MARKUP.replace("/", "|")))
    with results.writing(""):
        for nasty in hostile():
            results.put(nasty)
    return results.root


@pytest.fixture(autouse=True)
def _own_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` replaces it


def harmless(text: str) -> None:
    assert not any(letter in text for letter in "\x1b\x07\x9b\r\u202e\u2028\x7f")


@pytest.mark.parametrize(
    "words",
    [
        ["query", "{}", "SELECT * FROM records"],
        ["query", "{}", "SELECT title, reason, spec FROM records"],
        ["query", "{}", 'SELECT 1 AS "[/] :smile:\x1b[31m\n"'],
        ["query", "{}", "SELECT '\x1b[31m' FROM nowhere\x1b[31m"],
        ["report", "{}"],
        [*RECOMMEND, "--results", "{}", "--data-dependent"],
        [*RECOMMEND, "--where", "title = '\x1b[31m' OR x"],
        ["explore", "{}/[/red]\x1b[31m.toml", "-o", "x"],
    ],
)
def test_text_does_nothing(directory: Path, capsys: Capture, words: list[str]) -> None:
    assert main([word.replace("{}", str(directory)) for word in words]) in (0, 2)
    out, err = capsys.readouterr()
    harmless(out)
    harmless(err)
    assert out or err


def test_cells_are_as_they_are(directory: Path, capsys: Capture) -> None:
    sql = "SELECT '[/] [red]x :smile: [/b' AS \"[/] [b]:smile:\", 'a' || chr(27) || chr(10) AS c"
    assert main(["query", str(directory), sql]) == 0
    names, cells, *told = capsys.readouterr().out.splitlines()
    assert len(told) == 2 and "points measured" in told[1]
    assert [names.split()[:3], cells.split()] == [
        ["[/]", "[b]:smile:", "c"],
        ["[/]", "[red]x", ":smile:", "[/b", r"a\x1b\n"],
    ]


def test_wide_rows_and_cells_can_be_read(directory: Path, capsys: Capture) -> None:
    columns = ", ".join(f"{k} AS column_{k}" for k in range(75))
    assert main(["query", str(directory), f"SELECT {columns}"]) == 0
    out = capsys.readouterr().out
    assert all(f"column_{k} " in out for k in range(75))
    assert main(["query", str(directory), "SELECT repeat('x', 5000000) AS x"]) == 0
    out = capsys.readouterr().out
    assert len(out) < 3000
    assert "5,000,000 letters" in out.replace("\n", "")


@pytest.mark.long
def test_on_a_terminal(directory: Path) -> None:
    """Where colours are on, ours are the only escape sequences."""
    output, terminal = pty.openpty()
    command = [sys.executable, "-m", "modmul", "query", str(directory), "FROM records"]
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"}
    child = subprocess.Popen(command, stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
    said = bytearray()

    def read() -> None:
        try:
            while part := os.read(output, 4096):
                said.extend(part)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    assert child.wait(60) == 0
    reader.join(10)
    os.close(output)
    text = said.decode()
    assert "owned" in text and r"\x1b" in text and "\x1b[1m" in text  # bold, of ours
    assert "\x1b[2J" not in text and "\x1b]0" not in text and "\x1b[31m" not in text


def test_a_report_of_them(directory: Path, tmp_path: Path, capsys: Capture) -> None:
    page, pictures = tmp_path / "page.html", tmp_path / "pictures"
    words = [
        "report",
        str(directory),
        "-o",
        str(page),
        "--pictures",
        str(pictures),
        "--title",
        NASTY,
        "--schedules",
        "0",
    ]
    assert main(words) == 0
    harmless(capsys.readouterr().out)
    text = page.read_text()
    assert "<script>alert" not in text and "$" in text
    drawn = list(pictures.iterdir())
    assert drawn
    for file in drawn:
        assert file.parent == pictures and len(file.name) < 200
        if file.suffix == ".svg":
            assert not {"script", "a"} & {
                node.tag.rpartition("}")[2] for node in ElementTree.parse(file).iter()
            }


@pytest.mark.parametrize(
    "words",
    [
        ["query", "{}", "SELECT width FROM points"],
        ["report", "{}"],
        [*RECOMMEND, "--results", "{}"],
    ],
)
def test_a_damaged_record_is_named_and_skipped(
    tmp_path: Path, capsys: Capture, words: list[str]
) -> None:
    results = Store(tmp_path)
    with results.writing(""):
        results.put(record({"architecture": "interleaved", "width": 8, "target": "ecp5"}))
    damaged = {
        "cut.json": b'{"key": ',
        "empty.json": b"",
        "other\x1b[31m.json": b"[]",
        "deep.json": b'{"x":' + b"[" * 9999,
        "bytes.json": b'{"key": "\xff"}',
    }
    for name, content in damaged.items():
        (results.points / name).write_bytes(content)
    assert main([word.replace("{}", str(tmp_path)) for word in words]) == 0
    out, err = capsys.readouterr()
    harmless(err)
    lines = [line for line in err.splitlines() if "is damaged" in line]
    assert len(lines) == len(damaged)
    assert all(str(results.points) in line for line in lines)
    assert "8" in out


@pytest.mark.parametrize("modulus", ["@secret", " @secret", "\t\n@secret"])
def test_no_file_is_read_because_of_a_record(modulus: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("251")
    original = record({"architecture": "interleaved", "width": 8, "target": "ecp5"})
    forged = msgspec.structs.replace(original, spec=original.spec | {"modulus": modulus})
    with Store(tmp_path).writing(""):
        Store(tmp_path).put(forged)
    with pytest.warns(UserWarning, match="names a file"):
        assert not Store(tmp_path).records()
