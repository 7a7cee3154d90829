"""What `build --bus` delivers: complete, described, clean under a linter; no user's file goes."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bus_systems import FORMS, spec_of
from modmul.cli import main
from modmul.errors import SpecError
from modmul.export import check
from modmul.export.build import BuildResult
from modmul.export.deliver import sealed
from modmul.spec import Spec
from modmul.system import buses
from modmul.system.build import build
from modmul.toolchain import verilator

SPEC = """architecture = "interleaved"
width = 8
bus = "wishbone"
banks = 2
package = "fusesoc"
"""
CASES = [
    (form, bus)
    for form in FORMS
    for bus in buses.NAMES
    if form == "words" or bus in ("axi4lite", "axi4stream")
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}, {case[1]}")
def built(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, BuildResult, str]:
    form, bus = request.param
    folder = tmp_path_factory.mktemp("built")
    spec, banks = spec_of(FORMS[form])
    banks *= bus in buses.REGISTERED
    return folder, build(spec, folder, bus=bus, banks=banks, simulate=False), bus


def lint(folder: Path, *words: str) -> str:
    command = [verilator.root() / "bin" / "verilator_bin", "--lint-only", "--quiet", *words]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"VERILATOR_ROOT": str(verilator.root())},
    )
    return done.stdout + done.stderr


@pytest.mark.short("words, wishbone")
def test_no_linter_has_anything_to_say(built: tuple[Path, BuildResult, str]) -> None:
    folder, result, _ = built
    name = result.name
    models = [file.name for file in result.files if file.name.endswith("_sim.v")]
    files = ["-f", f"{name}_synth.f", *models, "--top-module", result.top]
    bench = ["-f", f"{name}_bus_sim.f", "--top-module", f"{name}_bus_tb"]
    assert lint(folder, *files) + lint(folder, "-Wall", f"{name}.vlt", *files) == ""
    assert lint(folder, "--timing", *bench) == ""


@pytest.mark.short("words, wishbone")
def test_the_json_names_every_file_and_port(built: tuple[Path, BuildResult, str]) -> None:
    folder, result, bus = built
    text = (folder / f"{result.name}.json").read_text()
    said = json.loads(text)
    assert sealed({key: value for key, value in said.items() if key != "sha256"}) == text
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert said["files"].keys() == files - {f"{result.name}.json"}
    multiplies = Spec.from_options(said["spec"]).design.role == "multiplier"
    registers = bus in buses.REGISTERED and multiplies
    calls = [call["name"] for call in said["bus"].get("calls", ())]
    assert calls[:2] == (["multiply", "multiply_by"] if registers else [])
    assert ("Calls of the driver" in (folder / f"{result.name}.md").read_text()) == registers
    sheet = (folder / f"{result.name}.md").read_text()
    places = [
        sheet.index(f"\n## {part}\n")
        for part in ("On the bus", "Constants")
        if f"\n## {part}\n" in sheet
    ]
    assert places == sorted(places) and "## On the bus" in sheet
    for file, entry in said["files"].items():
        assert hashlib.sha256((folder / file).read_bytes()).hexdigest() == entry["sha256"]
        assert (
            file.endswith((".svg", ".html", ".md"))
            or "NOT VERIFIED" in ((folder / file).read_text()[:200])
        )
    assert said["modules"]["top"] == said["bus"]["module"] == result.top
    assert said["bus"]["name"] == bus
    sheet = (folder / f"{result.name}.md").read_text()
    for port in said["bus"]["ports"]:
        assert f"| `{port['name']}` | {port['width']} | {port['direction']} |" in sheet
    for register in [*said["bus"].get("registers", []), *said["bus"].get("windows", [])]:
        assert f"| `0x{register['address']:03x}` | `{register['name']}` |" in sheet


def test_nobody_s_file_is_replaced(tmp_path: Path) -> None:
    spec, mine = Spec.from_options(FORMS["plain"]), tmp_path / "driver" / "array_booth_8.h"
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(SpecError, match="is not what modmul wrote there"):
        build(spec, tmp_path, bus="apb4", simulate=False)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [mine]


def test_another_bus_stands_beside_the_first(tmp_path: Path) -> None:
    """And takes the place of its own earlier delivery."""
    spec = Spec.from_options(FORMS["plain"])
    build(spec, tmp_path, bus="apb4", simulate=False)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    build(spec, tmp_path, bus="axi4stream", packages=["amaranth"], simulate=False)
    build(spec, tmp_path, bus="axi4stream", simulate=False)
    assert {path: path.read_bytes() for path in before} == before
    others = {path.name for path in tmp_path.rglob("*") if path.is_file() and path not in before}
    assert others and all("axi4stream" in name for name in others)
    assert not any(name.endswith(".py") for name in others)


@pytest.mark.long
def test_the_line_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it simulated; the same bytes again.  The testbench says when each access is done."""
    outputs, run = list[str](), check.in_verilator

    def kept(*given: Any, **named: Any) -> str:
        outputs.append(run(*given, **named))
        return outputs[-1]

    monkeypatch.setattr(check, "in_verilator", kept)
    line = (
        "build --architecture interleaved --modulus 251 --bus axi4lite --package fusesoc,amaranth"
    )
    for folder in ("one", "other"):
        assert main([*line.split(), "-o", str(tmp_path / folder)]) == 0
        said = capsys.readouterr().out
        assert "testbench in verilator, axi4lite: PASS" in said
        assert "top module: interleaved_8_axi4lite" in said
        (count,) = re.findall(r"axi4lite: PASS (\d+) accesses", said)[:1]
        assert outputs[-1].count("TRACE done after") == int(count)
    for path in (tmp_path / "one").rglob("*"):
        if path.is_file():
            other = tmp_path / "other" / path.relative_to(tmp_path / "one")
            assert other.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("design", "words", "why"),
    [
        ("montgomery-radix2", "--bus native --banks 16", "must be 0 to 15"),
        ("montgomery-radix2", "--bus native --banks -1", "must be 0 to 15"),
        ("montgomery-radix2", "--banks 2", "must be 0, or with the bus native"),
        ("montgomery-radix2", "--bus axi4stream --banks 2", "must be 0, or with the bus native"),
        ("array-booth", "--bus native --banks 2", "a result of array-booth cannot be an operand"),
        ("exponentiation", "--bus native --banks 2", "a processor has registers of its own"),
    ],
)
def test_banks_that_cannot_be(
    design: str, words: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    width = "" if design == "exponentiation" else "--width 8"
    assert main(["build", "--architecture", design, *width.split(), *words.split()]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and why in said.err


@pytest.mark.parametrize("words", [["--bus", "pci"], ["--package", "deb"], ["--package", ""]])
def test_bad_words(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "--architecture", "interleaved", "--modulus", "251", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1 and "must be one" in said.err


def test_bus_and_packages_are_keys_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of `build`; an option wins, and other verbs look past them."""
    file = tmp_path / "spec.toml"
    file.write_text(SPEC)
    assert Spec.from_file(file) == Spec.from_options({"architecture": "interleaved", "width": 8})
    assert main(["build", str(file), "--no-check", "-o", str(tmp_path / "one")]) == 0
    assert (
        main(["build", str(file), "--no-check", "-o", str(tmp_path / "other"), "--bus", "native"])
        == 0
    )
    for folder, bus in (("one", "wishbone"), ("other", "native")):
        (description,) = (tmp_path / folder).glob("*.json")
        said = json.loads(description.read_text())
        assert (said["bus"]["name"], list(said["packages"])) == (bus, ["fusesoc"])
        assert said["bus"]["windows"][-1]["bank"] == 2
    file.write_text(SPEC.replace('"wishbone"', "5"))
    capsys.readouterr()
    assert main(["build", str(file), "-o", str(tmp_path / "none")]) == 2
    assert f"{file}: bus = 5: must be a text" in capsys.readouterr().err
    file.write_text(SPEC.replace("wishbone", "pci"))
    assert main(["build", str(file), "-o", str(tmp_path / "none")]) == 2
    assert "bus = 'pci': must be one of" in capsys.readouterr().err.replace('"', "'")
    assert not (tmp_path / "none").exists()
