"""`modmul simulate`: operands of the command line and of files, what is printed and written."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from modmul import designs
from modmul.arithmetic import moduli
from modmul.cli import main
from modmul.cli.application import application
from modmul.cli.simulate import FACTORS, simulate_verb
from modmul.multipliers.interleaved import Interleaved
from modmul.parameters import parameters
from modmul.spec.keys import COMMON, MULTIPLIER
from modmul.verification import simulation
from modmul.verification.simulation.request import BITS, MODULUS

Capture = pytest.CaptureFixture[str]
SMALL = "--architecture interleaved --width 8"
FIXED = f"{SMALL} --modulus 251"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def nothing_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("a simulator is compiled")

    monkeypatch.setattr(simulation.runs, "compile_streams", never)


def run(line: str) -> int:
    return main(["simulate", *shlex.split(line)])


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def write(*records: object) -> None:
    """The file n.jsonl."""
    Path("n.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


# ---- names ---------------------------------------------------------------------------------------


def test_no_operand_and_spec_key_and_option_share_a_name() -> None:
    """But for `a` and `b`, which are options of that meaning, and the modulus, which is both."""
    operands = {
        name
        for design in designs.REGISTRY.values()
        for names in design.operands.values()
        for name in names
    }
    keys = {*COMMON, MULTIPLIER}.union(*(parameters(entry) for entry in designs.REGISTRY.values()))
    options = simulate_verb.verb.__annotations__.keys() - {"spec", "return"}
    assert operands >= {"a", "b", "base", "exponent"} and {"input", "operand", "json"} <= options
    assert not operands & keys
    assert not options & keys
    assert operands & options == set(FACTORS)
    assert MODULUS in keys and MODULUS not in operands | options
    assert BITS not in operands | keys | options


def test_every_option_reaches_the_parser() -> None:
    app = application("simulate")
    words = [*shlex.split("--a 1 --b 2 --operand c=3 --operand d=4 --json"), "-i", "x", "-o", "y"]
    _, bound, _ = app.parse_args(["simulate", *words], exit_on_error=False, print_error=False)
    assert bound.kwargs == {
        "a": "1",
        "b": "2",
        "operand": ["c=3", "d=4"],
        "json": True,
        "input": Path("x"),
        "output": Path("y"),
    }


# ---- one operation -------------------------------------------------------------------------------


def test_the_line_that_scripts_run(capsys: Capture) -> None:
    words = "--architecture fpmm --modulus p256 --a 0x5 --b 0x7 --json"
    assert run(words) == 0
    data = json.loads(capsys.readouterr().out)
    assert data.keys() == {"result", "cycles", "faults", "montgomery_factor"}
    assert data["faults"] == [] and data["montgomery_factor"] == hex(1 << 272)
    assert data["result"].keys() == {"product", "residue"}
    modulus = moduli.find("p256").value
    inverse = pow(1 << 272, -1, modulus)
    assert int(data["result"]["residue"], 16) == 35 * inverse % modulus
    assert isinstance(data["cycles"], int) and data["cycles"] > 100


@pytest.mark.parametrize(
    "words", ["--a 100 --b 0x64", "--operand a=100 --operand b=0x6_4", "--a 100 --operand b=100"]
)
def test_operands_of_the_command_line(capsys: Capture, words: str) -> None:
    assert run(f"{FIXED} {words}") == 0
    text = capsys.readouterr().out
    for row in ("modulus 0xfb", "a 0x64", "b 0x64", "product 0xd3", "residue 0xd3", "faults none"):
        assert row in " ".join(text.split())
    assert text.startswith("interleaved-8: multiply, interface stream\n")


def test_a_modulus_among_the_operands_and_a_file_of_the_specification(capsys: Capture) -> None:
    Path("s.toml").write_text('architecture = "interleaved"\nwidth = 8\n')
    assert run("s.toml --a 100 --b 100 --operand modulus=0xfb --json") == 0
    assert json.loads(capsys.readouterr().out)["result"]["residue"] == "0xd3"


def test_a_processor(capsys: Capture) -> None:
    words = "--architecture exponentiation --multiplier interleaved --width 16 --modulus 65521"
    assert run(f"{words} --operand base=3 --operand exponent=257 --operand bits=9 --json") == 0
    assert json.loads(capsys.readouterr().out)["result"] == {"power": hex(pow(3, 257, 65521))}


def test_a_square_where_there_is_none_is_said(capsys: Capture) -> None:
    assert run(f"{FIXED} --operation square --a 100 --json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["result"]["residue"] == "0xd3"
    assert err.startswith("modmul: warning: interleaved has no squares of its own")


def test_a_fault_is_told_and_ends_with_1(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Interleaved, "compute", lambda self, a, b, modulus: 1)
    write({"a": 1, "b": 1}, {"a": 2, "b": 2})
    assert run(f"{FIXED} --a 2 --b 2") == 1
    said = "product = 0x4, but the golden model has 0x1"
    assert said in " ".join(capsys.readouterr().out.split())
    assert run(f"{FIXED} --input n.jsonl --json") == 1
    assert [line["faults"] for line in lines(capsys.readouterr().out)] == [[], [said]]
    assert run(f"{FIXED} --input n.jsonl -o out --json") == 1
    assert json.loads(capsys.readouterr().out)["faulty"] == 1
    assert lines(Path("out").read_text())[1]["faults"] == [said]
    assert run(f"{FIXED} --input n.jsonl") == 1
    assert "2 operations, 1 with faults" in capsys.readouterr().out


# ---- files ---------------------------------------------------------------------------------------


def test_one_record_a_line_in_order(capsys: Capture) -> None:
    write(*({"a": a, "b": hex(250 - a)} for a in range(250)))
    assert run(f"{FIXED} --input n.jsonl --json") == 0
    results = lines(capsys.readouterr().out)
    assert [line["result"]["residue"] for line in results] == [
        hex(a * (250 - a) % 251) for a in range(250)
    ]
    assert {line["cycles"] for line in results} == {results[0]["cycles"]}
    assert run(f"{FIXED} --input n.jsonl -o out.jsonl --json") == 0
    told = json.loads(capsys.readouterr().out)
    cycles = results[0]["cycles"]
    assert (told["operations"], told["faulty"], told["cycles"]) == (250, 0, [cycles, cycles])
    assert told["spec"]["modulus"] == "0xfb" and told["output"] == "out.jsonl"
    assert lines(Path("out.jsonl").read_text()) == results
    assert run(f"{FIXED} --input n.jsonl") == 0
    text = capsys.readouterr().out
    assert "250 operations, no faults (230 not shown: --json or --output give all)" in text
    assert len(text.splitlines()) < 30


def test_moduli_of_the_lines(capsys: Capture) -> None:
    write({"a": 6, "b": 6, "modulus": 7}, {"a": "0x6", "b": 6, "modulus": "0xB"})
    assert run(f"{SMALL} --input n.jsonl --json") == 0
    assert [line["result"]["residue"] for line in lines(capsys.readouterr().out)] == ["0x1", "0x3"]


def test_lines_of_a_pipe_with_a_mark_and_without_a_last_end(capsys: Capture) -> None:
    os.mkfifo("pipe")
    content = '\ufeff{"a": 1, "b": 2}\r\n{"a": 3, "b": 4}'.encode()
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(content))
    writer.start()
    assert run(f"{FIXED} --input pipe --json") == 0
    writer.join()
    assert [line["result"]["product"] for line in lines(capsys.readouterr().out)] == ["0x2", "0xc"]


def test_lines_of_standard_input(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1, "b": 2}\n')))
    assert run(f"{FIXED} -i - --json") == 0
    assert len(lines(capsys.readouterr().out)) == 1


def test_a_waveform_beside_results(capsys: Capture) -> None:
    write({"a": 1, "b": 2}, {"a": 3, "b": 4})
    assert run(f"{FIXED} --input n.jsonl -o out --waveform w.vcd") == 0
    assert "results in out\nwaveform in w.vcd\n" in capsys.readouterr().out
    assert Path("w.vcd").read_text().startswith("$version")
    assert sorted(path.name for path in Path().iterdir()) == ["n.jsonl", "out", "w.vcd"]


# ---- what is refused -----------------------------------------------------------------------------

DEEP = 10_000
BAD = {
    "empty file": (b"", "n.jsonl: it is empty"),
    "empty line": (b'\n{"a": 1, "b": 1}\n', "n.jsonl, line 1: it is empty"),
    "no JSON": (b'{"a": 1, "b": 1}\n{"a": 1,\n', "n.jsonl, line 2: not JSON: Expecting"),
    "no object": (b"[1, 2]\n", "n.jsonl, line 1: no JSON object"),
    "a number": (b"5\n", "n.jsonl, line 1: no JSON object"),
    "over the bound": (b'{"a": 1, "b": 1}\n{"a": 1, "b": 251}\n', "line 2: b = 0xfb: must be"),
    "unknown": (b'{"a": 1, "b": 1, "c": 1}\n', "n.jsonl, line 1: 'c': no operand of multiply"),
    "missing": (b'{"a": 1}\n', "n.jsonl, line 1: b is missing"),
    "twice": (b'{"a": 1, "a": 2, "b": 1}\n', "line 1: not JSON: the key 'a' stands there twice"),
    "modulus twice": (b'{"a": 1, "b": 1, "modulus": 251}\n', "line 1: modulus = 251: must be"),
    "deep": (b"[" * DEEP + b"]" * DEEP + b"\n", "line 1: not JSON: more than 20 lists"),
    "deep object": (b'{"a": ' * DEEP + b"1" + b"}" * DEEP, "line 1: not JSON: more than 20"),
    "deep operand": (b'{"a": [[[[1]]]], "b": 1}', "line 1: a = [[[[1]]]]: must be a whole"),
    "digits": (b'{"a": ' + b"9" * 5000 + b', "b": 1}', "line 1: not JSON: a number of more than"),
    "hexadecimal": (b'{"a": "0x' + b"f" * 5000 + b'", "b": 1}', "line 1: a = 0xffff"),
    "float": (b'{"a": 1e400, "b": NaN}', "line 1: a = inf: must be a whole number"),
    "no UTF-8": (b'{"a": 1, "b": 1}\n\xff\xfe\n', "line 2: not UTF-8 text (byte 0)"),
    "nulls": (b"\0" * 100, "line 1: not JSON"),
    "surrogate": (b'{"a": "\\ud800", "b": 1}', "line 1: a = '\\ud800': must be"),
    "long line": (b'{"a": 1, "b": 1}\n' + b" " * (2 << 20), "line 2: longer than 1 MiB"),
}


FILES = ("empty file", "long line")  # which are refused as a whole


@pytest.mark.parametrize("name", FILES)
@pytest.mark.usefixtures("nothing_simulated")
def test_bad_files(capsys: Capture, name: str) -> None:
    content, message = BAD[name]
    Path("n.jsonl").write_bytes(content)
    assert run(f"{FIXED} --input n.jsonl -o out --waveform w.vcd") == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("modmul: n.jsonl") and len(err.splitlines()) == 1
    assert message in err
    assert [path.name for path in Path().iterdir()] == ["n.jsonl"]


@pytest.mark.parametrize("name", [name for name in BAD if name not in FILES])
def test_bad_lines(capsys: Capture, name: str) -> None:
    """Each has its error where others have their result, and the first is the message."""
    content, message = BAD[name]
    given = content.removesuffix(b"\n").split(b"\n")
    bad = next(line for line in given if line != b'{"a": 1, "b": 1}')
    given += [b'{"a": 3, "b": 5}', bad, b'{"a": 4, "b": 5}']
    Path("n.jsonl").write_bytes(b"\n".join([*given, b"", b" "]))
    assert run(f"{FIXED} --input n.jsonl -o out --waveform w.vcd") == 2
    out, err = capsys.readouterr()
    assert f"{len(given)} operations, no faults, 2 refused" in out
    assert err.startswith("modmul: n.jsonl") and len(err.splitlines()) == 1
    assert message in err and len(err) < 700
    answers = lines(Path("out").read_text())
    assert [line == bad for line in given] == ["error" in answer for answer in answers]
    products = [answer["result"] and answer["result"]["product"] for answer in answers]
    assert products[-3:] == ["0xf", None, "0x14"]
    assert message in answers[given.index(bad)]["error"]
    assert run(f"{FIXED} --input n.jsonl --json") == 2
    assert lines(capsys.readouterr().out) == answers
    assert run(f"{FIXED} --input n.jsonl -o out --json") == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["operations"], told["refused"], told["faulty"]) == (len(given), 2, 0)


@pytest.mark.usefixtures("nothing_simulated")
def test_lines_that_are_all_bad(capsys: Capture) -> None:
    write({"a": 1}, {"b": 1})
    for words in ("--json", ""):
        assert run(f"{FIXED} --input n.jsonl {words}") == 2
        out, err = capsys.readouterr()
        if words:
            assert ["missing" in line["error"] for line in lines(out)] == [True, True]
        else:
            assert "2 operations, no faults, 2 refused" in out and "line 1: b is missing" in err


@pytest.mark.usefixtures("nothing_simulated")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "a is missing: multiply of interleaved takes the operands a, b"),
        ("--a 1", "b is missing"),
        ("--a 1 --b 1 --operand a=1", "operand = 'a=1': must be given once"),
        ("--operand c=1 --operand c=2", "operand = 'c=2': must be given once"),
        ("--operand a", "operand = 'a': must be NAME=VALUE, such as base=0x5"),
        ("--operand =5", "operand = '=5': must be NAME=VALUE"),
        ("--operand aa=1 --b 1", "'aa': no operand of multiply of interleaved; must be one of a,"),
        ("--a '' --b 1", "a = '': must be a whole number"),
        ("--a 1.5 --b 1", "a = '1.5': must be a whole number"),
        ("--a -1 --b 1", "a = '-1': must be a whole number"),
        ("--a 1 --b 1 --input n.jsonl", "input = 'n.jsonl': must be absent where operands are"),
        ("--a 1 --b 1 --operation divide", "operation = 'divide': must be one of multiply, square"),
        ("--input none.jsonl", "none.jsonl: cannot be read: No such file"),
        ("--input .", ".: cannot be read: Is a directory"),
        ("--input /dev/zero", "/dev/zero, line 1: longer than 1 MiB"),
        ("--a 1 --b 1 -o pipe", "output = 'pipe': must be a new file, or a regular file"),
        ("--a 1 --b 1 -o /dev/full", "output = '/dev/full': must be a new file"),
        ("--a 1 --b 1 --waveform pipe", "waveform = 'pipe': must be a new file"),
        ("--a 1 --b 1 --waveform nowhere", "waveform = 'nowhere': must be .* leads nowhere"),
        ("--a 1 --b 1 --waveform=-", "waveform = '-': must be a new file"),
        ("--a 1 --b 1 --waveform /proc/x/w", "waveform = .* must be a directory that can be writ"),
        ("--a 1 --b 1 --waveform x -o ./x", "waveform = 'x': must be another file than the output"),
        ("--input n.jsonl -o n.jsonl", "output = 'n.jsonl': must be another file than the input"),
    ],
)
def test_bad_command_lines(capsys: Capture, words: str, message: str) -> None:
    os.mkfifo("pipe")
    Path("nowhere").symlink_to("gone")
    write({"a": 1, "b": 1})
    before = sorted(Path().iterdir())
    assert run(f"{FIXED} {words}") == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1
    assert re.search(re.escape(message).replace(r"\.\*", ".*"), err), err
    assert sorted(Path().iterdir()) == before
    assert run(f"{FIXED} {words} --json") == 2
    assert json.loads(capsys.readouterr().out)["error"]["message"] in err


@pytest.mark.long
def test_results_that_cannot_be_printed_end_the_run() -> None:
    """A reader that has seen enough, and a full device; more results than a pipe holds."""
    write(*({"a": a % 250, "b": 1} for a in range(1200)))
    words = [*FIXED.split(), "-i", "n.jsonl", "--json"]
    command = [sys.executable, "-m", "modmul", "simulate", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert json.loads(process.stdout.readline())["faults"] == []
        process.stdout.close()
        assert (process.wait(timeout=300), process.stderr.read()) == (0, b"")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 74 and done.stderr.startswith(b"modmul: standard output: No space")
