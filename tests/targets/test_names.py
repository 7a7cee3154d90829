"""Other names of targets: taken where they mean one, refused with the right one elsewhere."""

import json
import re
from pathlib import Path

import pytest

from modmul import targets
from modmul.cli import main
from modmul.errors import SpecError
from modmul.spec import Spec
from modmul.targets import families, names


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ("artix7", "xc7"),
        ("Artix-7", "xc7"),
        ("kintex7", "xc7"),
        ("virtex7", "xc7"),
        ("zynq7", "xc7"),
        ("Zynq-7000", "xc7"),
        ("spartan7", "xc7"),
        ("spartan6", "xc6s"),
        ("virtex5", "xc5v"),
        ("virtex4", "xc4v"),
        ("ultrascale+", "xcup"),
        ("Kintex UltraScale+", "xcup"),
        ("virtex-e", "xcve"),
        ("virtex-ii-pro", "xc2vp"),
        ("ECP5", "ecp5"),
        ("XC7", "xc7"),
    ],
)
def test_a_family_leads_to_its_target(given: str, target: str) -> None:
    """Everywhere else the target has its own name."""
    spec = Spec.from_options({"architecture": "interleaved", "target": given})
    assert spec.multiplier.target == spec.options()["target"] == target
    device = families.chip_of(given)
    same = {"architecture": "interleaved", "target": target, "device": device}
    assert spec == Spec.from_options(same)


def test_a_family_stands_for_a_chip_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """Who says Artix-7 has no Virtex-7 in mind; a chip that is named wins."""
    begins = {
        "artix": "XC7A",
        "kintex": "XC7K",
        "virtex": "XC7V",
        "spartan": "XC7S",
        "zynq": "XC7Z",
        "zynqu": "XCZU",
        "kintexu": "XCKU",
        "virtexu": "XCVU",
    }
    for family in families.CHIPS:
        letters = re.match(r"[a-z]+?(?=7|ltrascale)", family)
        assert letters is not None
        plain = {"architecture": "interleaved", "width": 8}
        device = Spec.from_options(plain | {"target": family}).device
        assert device is not None and device.startswith(begins[letters[0]]), family
    assert Spec.from_options(plain | {"target": "artix7", "device": "XC7A35T"}).device == (
        "XC7A35T-1CSG324"
    )
    assert Spec.from_options(plain | {"target": "xc7"}).device == "XC7A100T-1CSG324"
    assert set(families.CHIPS) <= {name for aliase in names.ALIASES.values() for name in aliase}
    assert main(["list", "xc7", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["families"]
    assert told["artix7"] == "XC7A100T" and told["7series"] is None
    assert main(["list", "xc7"]) == 0
    assert "as artix7" in capsys.readouterr().out


@pytest.mark.parametrize("words", ["--target artix7", "--target xc7 --device XC7A100T"])
def test_a_recommendation_is_for_that_chip(capsys: pytest.CaptureFixture[str], words: str) -> None:
    asked = ["recommend", "--modulus", "p256", "--finalists", "0", *words.split(), "--json"]
    assert main(asked) == 0
    best = json.loads(capsys.readouterr().out)["best"]
    assert Spec.from_options(best["spec"]).device == "XC7A100T-1CSG324"
    assert best["luts_per_dsp"] == pytest.approx(63400 / 240, rel=1e-4)


def test_every_target_and_no_other_name_is_itself() -> None:
    for name in targets.NAMES:
        assert targets.canonical(name) == name
    known = [other for others in names.ALIASES.values() for other in others]
    assert len(known) == len(set(known)) and not set(known) & set(targets.NAMES)
    assert set(names.ALIASES) <= set(targets.NAMES)
    assert targets.canonical("stratix10") == "stratix10"  # refused with the names there are


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("lattice", ["ecp5"]),
        ("xilinx", ["xc7", "xcup"]),
        ("ultrascale", ["xcup"]),
        ("virtex", ["xc7", "xc5v", "xc4v"]),
        ("spartan", ["xc7", "xc6s"]),
        ("zynq", ["xc7", "xcup"]),
        ("ecp5-85", ["ecp5", "LFE5U-85F"]),
        ("ecp5-25k", ["ecp5", "LFE5U-25F"]),
        ("LFE5U-45F", ["ecp5", "LFE5U-45F"]),
        ("xc7a35t", ["xc7", "XC7A35T"]),
        ("XC7A100T-1CSG324", ["xc7", "XC7A100T-1CSG324"]),
        ("stratix10", ["ecp5", "xc7"]),
    ],
)
def test_what_means_no_single_target_is_refused_with_the_right_one(
    capsys: pytest.CaptureFixture[str], given: str, right: list[str]
) -> None:
    words = ["constants", "--modulus", "p256", "--architecture", "interleaved", "--target", given]
    assert main([*words, "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["key"], error["value"]) == ("target", given)
    assert all(name in error["allowed"] for name in right)


def test_names_in_files_and_lists(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text('architecture = "interleaved"\ntarget = "artix7"\n')
    assert Spec.from_file(path).multiplier.target == "xc7"
    path.write_text('architecture = "interleaved"\ntarget = "lattice"\n')
    with pytest.raises(SpecError, match=r"spec\.toml: target = 'lattice'.*ecp5"):
        Spec.from_file(path)
    assert main(["list", "artix7", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "xc7"
    assert main(["list", "lattice"]) == 2


def test_a_registry_names_what_its_modules_have() -> None:
    for name, target in targets.REGISTRY.items():
        assert target.name == name
    with pytest.raises(KeyError):
        targets.REGISTRY["artix7"]
