"""What a target names is there: router, templates, models; no other package lists targets."""

import re
from importlib import resources
from pathlib import Path

import pytest

import modmul
from modmul import targets
from modmul.export.testbench import templates
from modmul.implementation.place_and_route import ROUTERS
from modmul.targets import Target, models

ALL = pytest.mark.parametrize("target", targets.REGISTRY.values(), ids=targets.NAMES)


@ALL
def test_what_it_names_exists(target: Target) -> None:
    assert target.router is None or (target.router in ROUTERS and target.devices)
    assert target.synthesis is not None and "{top}" in target.synthesis
    for name in target.cell_models:
        assert resources.files("pyosys").joinpath("share", name).is_file(), name
    for model in models.read(target.models):
        assert "\nmodule " in model.text, model.file
    assert target.constraints
    for kind in target.constraints:
        assert templates().get_template(f"constraints.{kind}.j2")


@pytest.mark.parametrize("layer", ["export", "implementation", "verification", "toolchain", "cli"])
def test_no_table_by_target_elsewhere(layer: str) -> None:
    """So that a new target is one file and one registry line."""
    chips = "|".join(entry.name for entry in targets.REGISTRY.values() if entry.devices)
    for file in (Path(modmul.__file__).parent / layer).rglob("*.py"):
        match = re.search(rf"""["'](?:{chips})["']""", file.read_text())
        assert match is None, f"{file.name}: {match}"
