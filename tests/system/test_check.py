"""A delivery is what modmul makes of its specification; each difference is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from modmul import check
from modmul.cli import main
from modmul.errors import SpecError
from modmul.export.deliver import sealed, sha
from modmul.spec import Spec
from modmul.system.build import build

SPEC = Spec.from_options({"architecture": "interleaved", "modulus": 251})
NAME = "interleaved_8"
ON_BUS = f"{NAME}_apb4_2_banks_no_initial_values"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    build(SPEC, folder)
    options: dict[str, Any] = {"bus": "apb4", "banks": 2, "packages": ["fusesoc", "vivado"]}
    build(SPEC, folder, **options, no_initial_values=True, simulate=False)
    return folder


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "copy")
    return tmp_path / "copy"


def forge(folder: Path, change: Callable[[dict[str, Any]], object], name: str = NAME) -> None:
    """Change a description, with its own digest renewed."""
    place = folder / f"{name}.json"
    description = json.loads(place.read_text())
    del description["sha256"]
    change(description)
    place.write_text(sealed(description))


def differences(folder: Path) -> list[str]:
    result = check(folder)
    found = [text for delivery in result.deliveries for text in delivery.differences]
    assert result.passed == (not found)
    return found


def test_a_delivery_is_as_it_was_made(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(built)]) == 0
    said = capsys.readouterr().out
    for name in (NAME, ON_BUS):
        count = len(json.loads((built / f"{name}.json").read_text())["files"])
        assert f"{name}.json: {count} files, as modmul makes them" in said


@pytest.mark.parametrize("file", [f"{NAME}.v", f"sim/{NAME}_tb.v", f"{NAME}.html", f"{ON_BUS}.rdl"])
def test_a_changed_file_is_named(copy: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without its digest, or with all digests renewed."""
    name = file.removeprefix("sim/").split(".")[0].removesuffix("_tb")
    text = (copy / file).read_text().replace("interleaved", "interweaved", 1)
    (copy / file).write_text(text)
    assert main(["check", str(copy)]) == 1
    assert f"{file} is not the file that {name}.json describes" in capsys.readouterr().out
    forge(copy, lambda made: made["files"][file].update(sha256=sha(text)), name)
    assert differences(copy) == [f"{file} in {name}.json is not the text that modmul makes"]


def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / f"{ON_BUS}.rdl").unlink()
    assert differences(copy) == [f"{ON_BUS}.rdl is missing"]


def test_a_changed_description_is_named(copy: Path) -> None:
    place = copy / f"{NAME}.json"
    place.write_text(place.read_text().replace('"proved": true', '"proved":  true'))
    assert differences(copy) == [
        f"{NAME}.json was changed: its digest is not the one in its last line"
    ]
    place.write_text("{}")
    assert differences(copy) == [f"{NAME}.json is no description that modmul wrote"]


def test_files_of_others_are_passed_over(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    foreign = {"compile_commands.json": "[]", "package.json": '{"files": {}}', "x.json": "}"}
    for name, text in foreign.items():
        (copy / name).write_text(text)
    (copy / "folder.json").mkdir()
    result = check(copy)
    assert result.passed and result.passed_over == sorted([*foreign, "folder.json"])
    assert [delivery.description for delivery in result.deliveries] == [
        f"{NAME}.json",
        f"{ON_BUS}.json",
    ]
    assert main(["check", str(copy)]) == 0
    assert "package.json: not written by modmul, passed over" in capsys.readouterr().out
    for place in copy.glob("interleaved*.json"):
        place.unlink()
    with pytest.raises(SpecError, match="must be a directory that `build` wrote"):
        check(copy)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda made: made.update(slots=2), [f"{NAME}.json: slots is not what modmul writes"]),
        (lambda made: made.update(more=2), [f"{NAME}.json: more is not what modmul writes"]),
        (
            lambda made: made["files"].pop(f"{NAME}.v"),
            [f"{NAME}.v is a file of this design that {NAME}.json does not list"],
        ),
        (
            lambda made: made["files"].update({"../x.v": {"what": "", "sha256": ""}}),
            ["../x.v is missing", "../x.v is no file of this design"],
        ),
        (
            lambda made: made["tools"].update(pyosys="0.1"),
            [f"{NAME}.json was made with pyosys 0.1 (here "],
        ),
        (lambda made: made.update(modmul="0.0"), [f"{NAME}.json was made with modmul 0.0 (here "]),
        (
            lambda made: made.update(measured=5),
            [f"{NAME}.json has entries that modmul does not write"],
        ),
    ],
)
def test_what_modmul_would_not_write_is_named(
    copy: Path, change: Callable[[dict[str, Any]], object], found: list[str]
) -> None:
    forge(copy, change)
    told = differences(copy)
    assert len(told) == len(found)
    assert all(sentence.startswith(begin) for sentence, begin in zip(told, found, strict=True))


def test_claims_of_a_simulation_are_believed_or_missing(copy: Path) -> None:
    """The description of a design that was not simulated says so; so do its files."""
    forge(copy, lambda made: made.update(simulated=None))
    assert f"{NAME}.v in {NAME}.json is not the text that modmul makes" in differences(copy)


def test_the_description_alone_builds_it_again(built: Path, tmp_path: Path) -> None:
    """With its bus, banks, packages, and without initial values, as its `spec` says."""
    alone, again = tmp_path / f"{ON_BUS}.json", tmp_path / "again"
    shutil.copy(built / alone.name, alone)
    assert main(["build", str(alone), "--no-check", "-o", str(again)]) == 0
    files = {path.relative_to(again) for path in again.rglob("*") if path.is_file()}
    named = json.loads(alone.read_text())
    assert files == {Path(file) for file in (*named["files"], alone.name)}
    for file in files:
        assert (again / file).read_bytes() == (built / file).read_bytes()
    keys = {"bus": "apb4", "banks": 2, "package": "fusesoc,vivado", "no-initial-values": True}
    assert keys.items() <= named["spec"].items()
    assert Spec.from_options(named["spec"]) == SPEC
    plain = json.loads((built / f"{NAME}.json").read_text())["spec"]
    assert not keys.keys() & plain.keys()


@pytest.mark.parametrize("key", ["bus", "banks", "package", "no-initial-values"])
def test_the_specification_is_what_is_compared(copy: Path, key: str) -> None:
    forge(copy, lambda made: made["spec"].pop(key), ON_BUS)
    if key == "bus":
        with pytest.raises(SpecError, match="banks = 2: must be 0, or with the bus"):
            check(copy)
    else:
        assert f"{ON_BUS}.json: spec is not what modmul writes" not in differences(copy) != []


def test_one_name_for_two_buses_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the directory that has the name of the design."""
    monkeypatch.chdir(tmp_path)
    words = ["build", "--architecture", "interleaved", "--width", "8", "--name", "sig"]
    words.append("--no-check")
    assert main([*words, "--bus", "apb4"]) == 0
    assert main([*words, "--bus", "apb4"]) == 0
    for other in (["--bus", "wishbone"], []):
        assert main([*words, *other]) == 2
    assert json.loads((tmp_path / "sig" / "sig.json").read_text())["bus"]["name"] == "apb4"


def test_a_directory_without_a_delivery_is_refused(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(SpecError, match="must be a directory that `build` wrote") as caught:
            check(directory)
        assert caught.value.exit_code == 2


@pytest.mark.parametrize("verb", ["verify", "simulate", "implement"])
def test_verbs_refuse_a_text_that_is_not_described(
    copy: Path, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They would answer for the Verilog of the specification, not for the one beside it."""
    file, place = copy / f"{NAME}.v", copy / f"{NAME}.json"
    right = file.read_text()
    file.write_text(right + "\n")
    assert main([verb, str(place)]) == 2
    assert f"{NAME}.v is not the file that {NAME}.json describes" in capsys.readouterr().err
    file.write_text(right)
    place.write_text(place.read_text().replace("0xfb", "0xf1"))
    assert main([verb, str(place)]) == 2
    assert f"{NAME}.json was changed: its digest" in capsys.readouterr().err


def test_a_description_alone_is_a_specification(copy: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.json"
    alone.write_text((copy / f"{NAME}.json").read_text().replace("0xfb", "0xf1"))
    assert main(["simulate", str(alone), "--a", "5", "--b", "7"]) == 0
