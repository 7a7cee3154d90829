"""The JSON of a build in the place of a spec: the same design again, and no more believed of it
than of any other spec."""

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest

from modmul import designs
from modmul.cli import main
from modmul.cli.verbs import OF_A_SPEC
from modmul.errors import SpecError
from modmul.spec import Spec
from modmul.targets import libraries

Capture = pytest.CaptureFixture[str]
# By verb, more words that end it soon.
SOON = {
    "constants": [],
    "build": ["--no-check", "-o", "again"],
    "verify": ["--products", "20"],
    "implement": ["--no-route"],
    "simulate": ["--a", "5", "--b", "7"],
}
OPTIONS = {"architecture": "interleaved", "modulus": "251", "target": "ecp5", "interface": "core"}


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` replaces it


def words(options: dict[str, str]) -> list[str]:
    return [word for key, value in options.items() for word in (f"--{key}", value)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "first"
    assert main(["build", *words(OPTIONS), "--no-check", "-o", str(folder)]) == 0
    return next(folder.glob("*.json"))


def answer(capsys: Capture, *line: str) -> Any:
    assert main([*line, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_verb_of_a_spec_is_tried() -> None:
    assert set(SOON) == set(OF_A_SPEC)


@pytest.mark.parametrize("verb", ["constants", "verify", "implement", "simulate"])
@pytest.mark.short("constants", "implement")  # all read it by one function
def test_a_verb_answers_as_for_the_options(capsys: Capture, built: Path, verb: str) -> None:
    replies = [
        answer(capsys, verb, *given, *SOON[verb]) for given in ([str(built)], words(OPTIONS))
    ]
    for reply in replies:
        for key in [key for key in reply if "second" in key]:  # what was measured on this machine
            del reply[key]
    assert replies[0] == replies[1]


def test_it_builds_the_same_files(capsys: Capture, built: Path) -> None:
    assert main(["build", str(built), "--no-check", "-o", "again"]) == 0
    first, again = (
        {
            path.relative_to(folder): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        for folder in (built.parent, Path("again"))
    )
    assert first == again and len(first) > 8


@pytest.mark.parametrize("verb", OF_A_SPEC)
def test_its_help_is_about_its_architecture(capsys: Capture, built: Path, verb: str) -> None:
    capital = Path("SPEC.JSON")
    shutil.copy(built, capital)
    for path in (built, capital):
        assert main([verb, str(path), "--help"]) == 0
        assert "More about interleaved" in " ".join(capsys.readouterr().out.split())


def test_options_win(capsys: Capture, built: Path) -> None:
    reply = answer(capsys, "constants", str(built), "--modulus", "241")
    assert (reply["modulus"], reply["width"]) == ("0xf1", 8)
    assert main(["constants", str(built), "--modulus", "p256"]) == 2  # the width is the core's
    assert "has 256 bits; width = 8 takes at most 8 bits" in capsys.readouterr().err


@pytest.mark.parametrize("name", designs.NAMES)
def test_every_design_comes_back_whole(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.json"
    for example in designs.find(name).examples()[:5]:
        spec = Spec(example)
        path.write_text(json.dumps({"spec": spec.options()}))
        assert Spec.from_file(path) == spec


def test_a_library_of_ones_own_is_found_again(capsys: Capture) -> None:
    """Its path is as it was where the design was built; that in a spec is one from its folder."""
    Path("libraries").mkdir()
    shutil.copy(libraries.locate("normalised"), "libraries/mine.lib")
    core = {"architecture": "scs-mm-1", "width": "8", "target": "cells", "interface": "core"}
    given = words(core | {"library": "libraries/mine.lib"})
    assert main(["build", *given, "--no-check", "-o", "built"]) == 0
    (path,) = Path("built").glob("*.json")
    capsys.readouterr()
    assert answer(capsys, "implement", str(path))["library"]["asked"] == "libraries/mine.lib"
    shutil.move("libraries", "others")
    assert main(["implement", str(path)]) == 2
    assert f"{path}: library = 'libraries/mine.lib': no such file" in capsys.readouterr().err
    reply = answer(capsys, "implement", str(path), "--library", "others/mine.lib")
    assert reply["library"]["asked"] == "others/mine.lib"


BAD: dict[str, tuple[object, str]] = {
    "no JSON": ("{", "not JSON"),
    "nothing": ("", "not JSON"),
    "TOML": ('modulus = "p256"', "not JSON"),
    "a list": ([], "it has no object `spec`"),
    "keys alone": ({"architecture": "interleaved"}, "it has no object `spec`"),
    "a list in place of a spec": ({"spec": ["p256"]}, "it has no object `spec`"),
    "a table": ({"spec": {"modulus": {"p256": 1}}}, "a spec is flat"),
    "a number with a point": ({"spec": {"width": 8.0}}, "width = 8.0: must be a string"),
    "no number": ('{"spec": {"width": NaN}}', "width = nan: must be a string"),
    "a key that nobody has": ({"spec": {"wrod": 17}}, "wrod = 17: no such key"),
    "a key twice": ({"spec": {"adder-word": 8, "adder_word": 9}}, "adder"),
    "no architecture": ({"spec": {"architecture": "x"}}, "architecture = 'x'"),
    "an even modulus": ({"spec": {"modulus": "0x100"}}, "must be odd and at least 3"),
    "too wide": ({"spec": {"architecture": "interleaved", "width": 10**9}}, "width = 1000000000"),
    "a file that is not there": ({"spec": {"modulus": "@none"}}, "none"),
    "too deep": ('{"spec":' + "[" * 30 + "]" * 30 + "}", "inside each other"),
    "too long a number": ('{"spec": {"width": ' + "9" * 5000 + "}}", "a number of more than"),
    "no text": (b"\xff\xfe{}", "not UTF-8"),
}


@pytest.mark.parametrize("verb", OF_A_SPEC)
@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_spec_is_one_message(
    capsys: Capture, tmp_path: Path, verb: str, kind: str
) -> None:
    """With the file's name, exit code 2, and nothing written."""
    content, message = BAD[kind]
    path = tmp_path / "bad.json"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert main([verb, "bad.json", *SOON[verb]]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("modmul: bad.json: ") and message in err
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_else_in_it_is_believed(capsys: Capture, built: Path) -> None:
    """Neither ports, nor cycles, nor proofs, nor digests: only what the spec asks for."""
    description = json.loads(built.read_text())
    false = {key: None for key in description if key != "spec"} | {"spec": description["spec"]}
    Path("false.json").write_text(json.dumps(false))
    assert Spec.from_file(Path("false.json")) == Spec.from_file(built)
    replies = [answer(capsys, "constants", str(path)) for path in ("false.json", built)]
    assert replies[0] == replies[1]


def test_a_spec_for_the_other_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(json.dumps({"spec": OPTIONS}))
    with pytest.raises(SpecError, match="not TOML"):
        Spec.from_file(path)
