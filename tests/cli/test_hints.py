"""A name that is no file: what was probably meant is said behind the complaint."""

import json
import warnings
from pathlib import Path

import pytest

from modmul import designs, targets
from modmul.cli import main, options
from modmul.cli.verbs import OF_A_SPEC

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _clone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder like that of a clone, with a delivery in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` replaces it
    for name in ("core-ecp5", "core-cells"):
        Path(f"{name}.toml").write_text('modulus = "p256"\n')
    Path("Mine.TOML").write_text('modulus = "p256"\n')
    Path("built").mkdir()
    for name in ("core.json", "core.v"):
        Path("built", name).write_text("{}")


def complaint(capsys: Capture, *words: str) -> str:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err.rstrip("\n")


@pytest.mark.parametrize("verb", OF_A_SPEC)
@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("p256", "--modulus p256, or the job ecdsa-p256 or ecdsa-secp256k1 or multiplier-p256"),
        ("P-256", "--modulus P-256"),
        ("ecdsa-p257", "ecdsa-p256 or ecdsa-secp256k1 or ecdsa-p384"),
        ("rsa2048", "rsa-2048"),
        ("0x10001", "--modulus 0x10001"),
        ("x^163+x^7+x^6+x^3+1", "--modulus x^163+x^7+x^6+x^3+1"),
        ("fips", "--architecture fips"),
        ("artix7", "--target artix7"),
        ("coreecp5", "core-ecp5.toml"),
        ("core_cells.toml", "core-cells.toml"),
        ("core-ecp", "core-ecp5.toml or core-cells.toml"),
        ("mine", "Mine.TOML"),
        ("built", "built/core.json"),
    ],
)
def test_what_was_meant(capsys: Capture, verb: str, word: str, hint: str) -> None:
    said = complaint(capsys, verb, word)
    assert said.startswith(f"modmul: {word}: cannot be read: ")
    assert said.endswith(f"; did you mean {hint}?")


@pytest.mark.parametrize("word", ["nothing-like-it", ".", "examples", "@none", "9" * 100, "a/b/c"])
def test_nothing_is_near(capsys: Capture, word: str) -> None:
    said = complaint(capsys, "build", word)
    assert said.startswith(f"modmul: {word}: cannot be read: ")
    assert "did you mean" not in said


def test_a_file_that_is_there_is_what_was_meant(capsys: Capture) -> None:
    Path("p256").write_text("no spec")
    assert "not TOML" in (said := complaint(capsys, "build", "p256"))
    assert "did you mean" not in said
    assert main(["build", "none", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["key"] is None


def test_every_name_leads_to_its_option() -> None:
    for name in designs.NAMES:
        assert options.hint_about(Path(name)).startswith(f"; did you mean --architecture {name}")
    for name in targets.NAMES:
        assert options.hint_about(Path(name)).startswith(f"; did you mean --target {name}")


def test_the_name_of_a_multiplier_is_no_number_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "--architecture", "exponentiation", "--multipliers", "fips"]
    assert main([*words, "--modulus", "65521"]) == 2
    assert "the key multiplier names what a processor multiplies with" in capsys.readouterr().err
