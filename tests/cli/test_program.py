"""modmul program."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from modmul.cli.entry import main
from modmul.processors.engine import library

MINE = """# y = x^2 mod N
constant r2, unit
input x secret
X = x * r2
output X ** 2 * unit % N
"""


def test_names_of_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["program", "--json"]) == 0
    programs = dict(json.loads(capsys.readouterr().out))
    assert programs.keys() == library.entries().keys()
    assert all(programs.values())
    assert main(["program"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 100 for line in lines)
    assert [line.split()[0] for line in lines[2:]] == [*library.entries()]
    assert "(RFC 8032)" in next(line for line in lines if line.startswith("ed25519"))


def test_figures_of_a_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    drawing = tmp_path / "x.svg"
    assert main(["program", "x25519", "--json", "--picture", str(drawing)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["cycles"]["fixed"] <= 220_000
    assert data["secrets"] == ["lam", "k"] and data["timing"] == "constant"
    step = max(data["loops"], key=lambda loop: loop["products"])
    assert (step["products"], step["others"]) == (10, 10) and step["period"] <= 704
    bars = ElementTree.parse(drawing).getroot().findall("{*}rect")
    assert len(bars) >= 2 * (step["products"] + step["others"])
    assert main(["program", "x25519", "--words"]) == 0
    text = capsys.readouterr().out
    assert "multiplier 0 slot 1" in text and "LOOP'" in text and "bound that it meets" in text


def test_a_program_of_ones_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(MINE)
    options = ["--multiplier", "fips", "--width", "64", "--json"]
    assert main(["program", str(file), *options]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["program"], data["loops"], data["inputs"]) == ("mine", [], ["x"])
    assert data["reducing"]
    file.write_text(MINE.replace("X ** 2", "Y"))
    assert main(["program", str(file)]) == 2
    assert "line 5: 'Y'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tokens", "says"),
    [
        (["p256-lader"], "did you mean p256-ladder"),
        (["x25519", "--multiplier", "scs-mm-2"], "constant"),
        (["x25519", "--ports", "2"], "no more ports than"),
    ],
)
def test_what_is_refused(tokens: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["program", *tokens]) == 2
    assert says in capsys.readouterr().err
