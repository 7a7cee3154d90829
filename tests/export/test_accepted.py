"""What `build` delivers, in the hands of other tools: linters, simulators, synthesis for chips that
modmul has no target for."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import itertools
import os
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from modmul import multipliers, targets
from modmul.errors import SpecError
from modmul.export.build import BuildResult, build
from modmul.multipliers import Multiplier
from modmul.multipliers.fips import Fips
from modmul.spec import Spec
from modmul.toolchain import icarus, verilator, yosys

ALL = bool(os.environ.get("CONFORMANCE"))
# Each with an interface: the first example of an architecture, and the last one on a chip or in
# cells.
FIRST, ON_CHIP, IN_CELLS = ("generic", "stream", 0), ("ecp5", "core", -1), ("cells", "stream", -1)
# By default one text of each kind: hard blocks, modes, rows of an array, carry-save operands,
# processing elements, GF(2^m), one modulus that is wired in.
QUICK = {
    "fpmm": ON_CHIP,
    "fips": FIRST,
    "three-pass": FIRST,
    "fcs-mm-1": IN_CELLS,
    "systolic-cios": IN_CELLS,
    "gf2m-serial": FIRST,
    "pseudo-mersenne": FIRST,
}
HARD = [name for name, target in targets.REGISTRY.items() if target.dsp and target.dsp.cell]
PYOSYS = importlib.util.find_spec("pyosys")
assert PYOSYS is not None and PYOSYS.origin is not None
SHARE = Path(PYOSYS.origin).parent / "share"
QUICK_HARD = ("ecp5", "xc7")
needs_icarus = pytest.mark.skipif(not icarus.installed(), reason="Icarus Verilog is not installed")


class DeliveredText(NamedTuple):
    """A design as it was delivered."""

    spec: Spec
    folder: Path
    result: BuildResult


def example_on(architecture: type[Multiplier], target: str, which: int) -> Multiplier:
    """An example of the architecture on a target, the nearest one to that place that it takes."""
    examples = list(architecture.examples())
    for example in examples if which == 0 else reversed(examples):
        with contextlib.suppress(SpecError):
            return dataclasses.replace(example, target=target)
    raise AssertionError(f"{architecture.name} has no example on {target}")


def specs() -> Iterator[Spec]:
    for name in multipliers.NAMES if ALL else QUICK:
        for target, interface, which in (FIRST, ON_CHIP, IN_CELLS) if ALL else (QUICK[name],):
            example = example_on(multipliers.REGISTRY[name], target, which)
            yield Spec(example, interface=interface)  # type: ignore[arg-type]
    yield Spec(Fips(width=16, word=8, protection="full"))
    for target in (name for name in (HARD if ALL else QUICK_HARD) if name != "ecp5"):
        yield Spec(example_on(multipliers.REGISTRY["fpmm"], target, 0))


@pytest.fixture(scope="module")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> list[DeliveredText]:
    root = tmp_path_factory.mktemp("delivered")  # here: pytest's own is not made for threads

    def deliver(place: int, spec: Spec) -> DeliveredText:
        folder = root / str(place)
        return DeliveredText(spec, folder, build(spec, folder, simulate=False))

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(deliver, itertools.count(), specs()))


def fpmm_on(target: str, delivered: list[DeliveredText]) -> DeliveredText:
    """The first design there that has hard blocks of the target."""
    return next(
        design
        for design in delivered
        if design.spec.multiplier.target == target and design.spec.multiplier.name == "fpmm"
    )


def lint(design: DeliveredText, *arguments: str) -> str:
    """What Verilator's linter says, in the directory that was delivered."""
    done = subprocess.run(
        [str(verilator.root() / "bin" / "verilator_bin"), "--lint-only", *arguments],
        cwd=design.folder,
        env=os.environ | {"VERILATOR_ROOT": str(verilator.root())},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    # A report of times and sizes begins like this.
    lines = [line for line in done.stdout.splitlines() if not line.startswith("- ")]
    assert done.returncode in (0, 1)
    return "\n".join(lines)


def test_no_linter_has_anything_to_say(delivered: list[DeliveredText]) -> None:
    """The design with all options, and the rules delivered; testbenches, of which every third has
    to do by default; and, in the long run, the design alone with default options."""

    def said_of(place: int, design: DeliveredText) -> tuple[str, str]:
        name = design.result.name
        models = sorted(file.name for file in design.result.files if file.name.endswith("_sim.v"))
        files = ["-f", f"{name}_synth.f", *models, "--top-module", design.result.top]
        bench = ["--timing", "-f", f"{name}_sim.f", "--top-module", f"{name}_tb"]
        said = lint(design, "-Wall", f"{name}.vlt", *files)
        said += lint(design, *bench) if ALL or place % 3 == 0 else ""
        return name, said + (lint(design, *files) if ALL else "")

    with ThreadPoolExecutor(2) as pool:
        said = dict(pool.map(said_of, itertools.count(), delivered))
    assert len(said) >= (3 * len(multipliers.REGISTRY) if ALL else len(QUICK))
    assert {name: text for name, text in said.items() if text} == {}


@pytest.mark.parametrize("target", ["generic", "ecp5"])
def test_a_time_scale_in_another_file_needs_none_in_ours(
    target: str, delivered: list[DeliveredText], tmp_path: Path
) -> None:
    design = next(each for each in delivered if each.spec.multiplier.target == target)
    name, user = design.result.name, tmp_path / "user.v"
    instance = f"{design.result.top} core (.clk(clk), .rst(rst));"
    user.write_text(
        f"`timescale 1ns/1ps\nmodule user (input wire clk, rst);\n  {instance}\nendmodule\n"
    )
    models = sorted(file.name for file in design.folder.glob("*_sim.v"))
    files = ["-f", f"{name}_synth.f", *models]
    for order in ([*files, str(user)], [str(user), *files]):
        said = lint(design, "-Wall", "-Wno-PINMISSING", f"{name}.vlt", *order)
        assert "TIMESCALEMOD" not in said
    assert "TIMESCALEMOD" in lint(design, "-Wall", "-Wno-PINMISSING", *files, str(user))


@needs_icarus
def test_icarus_takes_every_design(delivered: list[DeliveredText]) -> None:
    for design in delivered:
        name = design.result.name
        command = ["iverilog", "-g2005", "-Wall", "-s", f"{name}_tb", "-f", f"{name}_sim.f"]
        done = subprocess.run(
            [*command, "-o", os.devnull], cwd=design.folder, capture_output=True, text=True
        )
        assert done.returncode == 0, (name, done.stderr)


# What else there is in Yosys for chips; -dsp of synth_ice40 is not safe (a bug of Yosys).
SYNTHESIS = (
    ("synth_ice40", 3),
    pytest.param("synth_ice40", 1, marks=pytest.mark.long),
    pytest.param("synth_gowin", 1, marks=pytest.mark.long),
    pytest.param("synth_intel_alm", 1, marks=pytest.mark.long),
)


@pytest.mark.parametrize(("command", "stride"), SYNTHESIS)
def test_generic_designs_go_to_any_chip(
    command: str, stride: int, delivered: list[DeliveredText], tmp_path: Path
) -> None:
    """One process for all, or for every third; the first that is refused ends it."""
    script = []
    designs = [design for design in delivered if design.spec.multiplier.target == "generic"]
    assert len(designs) == 1 + (len(multipliers.REGISTRY) if ALL else 4)
    designs = designs[::stride]
    for design in designs:
        files = sorted(path.relative_to(design.folder) for path in design.folder.glob("*.v"))
        script += ["design -reset"]
        script += [f"read_verilog {design.folder / file}" for file in files]
        top = design.result.top
        script += [f"hierarchy -check -top {top}", f"{command} -top {top}"]
    log = yosys.run("\n".join(script), tmp_path)
    assert log.count("Executing HIERARCHY") >= len(designs)
    assert "Driver-driver conflict" not in log
    assert not re.search(r"^Warning: .*(?:unsupported|ignored)", log, re.MULTILINE)


LIBRARIES = {"ecp5": ("ecp5/cells_sim.v", "ecp5/cells_bb.v"), "xc7": ("xilinx/cells_sim.v",)}


@pytest.mark.parametrize("target", ["ecp5", "xc7"])
@pytest.mark.long
def test_the_directory_is_what_synthesis_reads(
    target: str, delivered: list[DeliveredText], tmp_path: Path
) -> None:
    """With the library's own blocks as black boxes: no model of ours is in the way."""
    design = fpmm_on(target, delivered)
    top, chip = design.result.top, design.spec.multiplier.chip
    script = [f"read_verilog -lib {SHARE / file}" for file in LIBRARIES[target]]
    script += [f"read_verilog {design.folder}/*.v", f"hierarchy -check -top {top}"]
    script += [chip.synthesis.format(top=top), "tee -o count.txt stat"]
    yosys.run("\n".join(script), tmp_path)
    cell = chip.dsp.cell
    assert re.search(rf"\d+\s+{cell}\b|{cell}\s+\d+", (tmp_path / "count.txt").read_text())


def library_block(target: str) -> str:
    """The text of the hard block in the library that Yosys has for the chip."""
    chip = targets.find(target)
    assert chip.dsp is not None
    folders = {(SHARE / model).parent for model in chip.cell_models}
    for file in sorted(file for folder in folders for file in folder.glob("*.v")):
        pattern = rf"^module {chip.dsp.cell}\b.*?^endmodule"
        if block := re.search(pattern, file.read_text(), re.MULTILINE | re.DOTALL):
            return block[0]
    raise AssertionError(f"no {chip.dsp.cell} in the library of {target}")


@pytest.mark.parametrize("target", HARD)
@pytest.mark.short(*QUICK_HARD)
def test_every_pin_of_a_hard_block_is_named(target: str, delivered: list[DeliveredText]) -> None:
    """As the chip's library has them, not our model."""
    design = fpmm_on(target, delivered)
    cell = design.spec.multiplier.chip.dsp.cell
    ports = re.findall(
        r"^ *(?:input|output)(?: reg)?(?: signed)? *(?:\[.*?\])? *(\w+)",
        library_block(target),
        re.MULTILINE,
    )
    text = "".join(file.read_text() for file in design.folder.glob("*.v"))
    instances = re.findall(rf"^  {cell} .*?^  \);", text, re.MULTILINE | re.DOTALL)
    assert instances and len(ports) >= 6  # MULT18X18S has few
    for instance in instances:
        named = set(re.findall(r"\.(\w+)\(", instance))
        assert set(ports) <= named, set(ports) - named


@needs_icarus
@pytest.mark.parametrize("target", ["ecp5", "xc7"])
def test_the_simulation_list_is_complete(target: str, delivered: list[DeliveredText]) -> None:
    design = fpmm_on(target, delivered)
    name = design.result.name
    program = design.folder / "sim" / "program"
    command = ["iverilog", "-g2005", "-s", f"{name}_tb", "-f", f"{name}_sim.f", "-o", str(program)]
    subprocess.run(command, cwd=design.folder, check=True)
    done = subprocess.run(
        ["vvp", "-n", str(program), "+products=9"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "PASS 9 products"


def test_other_designs_are_among_them(delivered: list[DeliveredText]) -> None:
    kinds = {(design.spec.multiplier.name, design.spec.interface) for design in delivered}
    every = set(itertools.product(multipliers.NAMES, ("core", "stream")))
    assert kinds == every if ALL else kinds < every
    assert {interface for _, interface in kinds} == {"core", "stream"}
    hard = HARD if ALL else QUICK_HARD
    assert {design.spec.multiplier.target for design in delivered} >= {"generic", "cells", *hard}
