"""Decides the places of the files of a delivery, and writes the file lists and lint rules for them.

The design stands at the top, so that a synthesis tool may read `*.v` there; files for simulation
only stand in a folder of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from modmul.design import Design
from modmul.export import hdl
from modmul.export.hdl import Hdl
from modmul.export.testbench import templates
from modmul.targets import models

FOLDER = "sim"
LANGUAGES = ("verilog", "vhdl", "both")


@dataclass(frozen=True)
class VhdlLayout:
    """The names of the files in VHDL, below the delivery's directory.  models: of the chip's
    primitives, with their texts.  missing: primitives that have none.  steps: what the testbench
    offers."""

    design: str
    models: dict[str, str]
    missing: list[str]
    testbench: str
    steps: str
    synthesis: str
    simulation: str

    @property
    def simulated(self) -> list[str]:
        """The files to simulate, in order: GHDL binds components to entities that it knows."""
        return [*self.models, self.design, self.testbench]

    def lists(self) -> dict[str, str]:
        return {
            self.synthesis: f"{self.design}\n",
            self.simulation: "".join(f"{file}\n" for file in self.simulated),
        }


@dataclass(frozen=True)
class Layout:
    """The names of files below the delivery's directory.  parts: further files of the design.
    models: of the chip's primitives.  Both with their texts.  vhdl: the same in VHDL, if it is
    delivered."""

    design: str
    parts: dict[str, str]
    models: dict[str, str]
    testbench: str
    synthesis: str
    simulation: str
    lint: str
    vhdl: VhdlLayout | None = None

    @property
    def synthesised(self) -> list[str]:
        """The files of the design, in reading order."""
        return [self.design, *self.parts]

    @property
    def simulated(self) -> list[str]:
        """The files to simulate: the design, models of primitives, the testbench."""
        return [*self.synthesised, *self.models, self.testbench]

    def lists(self, design: Design) -> dict[str, str]:
        """The lists of files and the rules for Verilator's linter, by their names."""
        rules = (
            templates()
            .get_template("lint.vlt.j2")
            .render(
                header=hdl.header(design, "//"),
                design=self.design,
                parts=list(self.parts),
                models=list(self.models),
            )
        )
        return {
            self.synthesis: "".join(f"{file}\n" for file in self.synthesised),
            self.simulation: "".join(f"{file}\n" for file in self.simulated),
            self.lint: rules,
        }


def layout(
    design: Design, emitted: Hdl, name: str, file: str, language: str = LANGUAGES[0]
) -> Layout:
    """The places of the files of the delivery `name`.  file: name of that of the design.
    language: one of `LANGUAGES`."""
    silicon = design.chip.takes_library
    also = "_vhdl" if language == "both" else ""
    known = {model: models.in_vhdl(model) for model in emitted.models}
    vhdl = VhdlLayout(
        design=f"{file}.vhd",
        models={
            f"{FOLDER}/{Path(model.file).stem}_sim.vhd": model.text
            for model in known.values()
            if model
        },
        missing=[Path(model.file).stem.upper() for model, found in known.items() if not found],
        testbench=f"{FOLDER}/{name}_tb.vhd",
        steps=f"{FOLDER}/{name}_steps.txt",
        synthesis=f"{name}{also}_synth.f",
        simulation=f"{name}{also}_sim.f",
    )
    return Layout(
        design=f"{file}.v",
        parts=dict(emitted.models) if silicon else {},
        models={}
        if silicon
        else {f"{FOLDER}/{Path(file).stem}_sim.v": text for file, text in emitted.models},
        testbench=f"{FOLDER}/{name}_tb.v",
        synthesis=f"{name}_synth.f",
        simulation=f"{name}_sim.f",
        lint=f"{name}.vlt",
        vhdl=vhdl if language != LANGUAGES[0] else None,
    )
