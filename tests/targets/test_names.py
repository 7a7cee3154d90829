"""Other names of targets: taken where they mean one, refused with the right one elsewhere."""

import json
from pathlib import Path

import pytest

from modmul import targets
from modmul.cli import main
from modmul.errors import SpecError
from modmul.spec import Spec
from modmul.targets import names


@pytest.mark.parametrize(
    ("given", "target"),
    [("artix7", "xc7"), ("Artix-7", "xc7"), ("kintex7", "xc7"), ("virtex7", "xc7"),
     ("zynq7", "xc7"), ("Zynq-7000", "xc7"), ("spartan7", "xc7"), ("spartan6", "xc6s"),
     ("virtex5", "xc5v"), ("virtex4", "xc4v"), ("ultrascale+", "xcup"),
     ("Kintex UltraScale+", "xcup"), ("virtex-e", "xcve"), ("virtex-ii-pro", "xc2vp"),
     ("ECP5", "ecp5"), ("XC7", "xc7")],
)  # fmt: skip
def test_a_family_leads_to_its_target(given: str, target: str) -> None:
    """Everywhere else the target has its own name."""
    spec = Spec.from_options({"architecture": "interleaved", "target": given})
    assert spec.multiplier.target == spec.options()["target"] == target
    assert spec == Spec.from_options({"architecture": "interleaved", "target": target})


def test_every_target_and_no_other_name_is_itself() -> None:
    for name in targets.NAMES:
        assert targets.canonical(name) == name
    known = [one for others in names.ALIASES.values() for one in others]
    assert len(known) == len(set(known)) and not set(known) & set(targets.NAMES)
    assert set(names.ALIASES) <= set(targets.NAMES)
    assert targets.canonical("stratix10") == "stratix10"  # refused with the names there are


@pytest.mark.parametrize(
    ("given", "right"),
    [("lattice", ["ecp5"]), ("xilinx", ["xc7", "xcup"]), ("ultrascale", ["xcup"]),
     ("virtex", ["xc7", "xc5v", "xc4v"]), ("spartan", ["xc7", "xc6s"]), ("zynq", ["xc7", "xcup"]),
     ("ecp5-85", ["ecp5", "LFE5U-85F"]), ("ecp5-25k", ["ecp5", "LFE5U-25F"]),
     ("LFE5U-45F", ["ecp5", "LFE5U-45F"]), ("xc7a35t", ["xc7", "XC7A35T"]),
     ("XC7A100T-1CSG324", ["xc7", "XC7A100T-1CSG324"]), ("stratix10", ["ecp5", "xc7"])],
)  # fmt: skip
def test_what_means_no_single_target_is_refused_with_the_right_one(
    capsys: pytest.CaptureFixture[str], given: str, right: list[str]
) -> None:
    words = ["constants", "--modulus", "p256", "--architecture", "interleaved", "--target", given]
    assert main([*words, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)["error"]
    assert (found["key"], found["value"]) == ("target", given)
    assert all(name in found["allowed"] for name in right)


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
