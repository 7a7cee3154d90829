"""Assembles the contents of a delivery: the design, the files for other tools, the verdicts of
simulators, and the sheets about it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from modmul.errors import CheckFailed
from modmul.export import blocks, check, datasheet, ghdl_check, hdl, names
from modmul.export.addition import Addition, Bench
from modmul.export.deliver import put
from modmul.export.description import clock_limit
from modmul.export.hdl import Hdl
from modmul.export.layout import LANGUAGES, Layout, layout
from modmul.export.pins import USUAL, Pins
from modmul.export.ports import Port, is_asynchronous, ports, reset_of
from modmul.export.processor.plan import TestbenchPlan
from modmul.export.processor.plan import plan as operations
from modmul.export.protocol import diagram
from modmul.export.testbench import templates, testbench
from modmul.export.vectors import VectorPlan
from modmul.export.vectors import plan as vectors
from modmul.export.vhdl import testbench as vhdl_testbench
from modmul.processors import Processor
from modmul.spec import Spec
from modmul.toolchain import scratch
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent

_PERIOD_NS = 10.0  # if no limit is known: a round figure to be replaced
PICTURE, BLOCKS = "_timing.svg", "_blocks.svg"  # the ends of the names of diagrams
_OUTERMOST = """\
// The outermost module is {}, behind the modules of the design.

"""
_AFTER = ("## Constants\n", "## Files\n")  # the section of a bus stands before the first of these


def name_of(
    spec: Spec,
    bus: str | None = None,
    banks: int = 0,
    without_initial_values: bool = False,
    pins: Pins = USUAL,
) -> str:
    if spec.name is not None:
        return spec.name
    core = "core" if spec.interface == "core" else None
    return names.of_delivery(spec.design.title, bus or core, banks, without_initial_values, pins)


class Verdicts(NamedTuple):
    """The verdicts on the design and on the addition, by simulator, and the timing diagram, if
    there is one."""

    own: dict[str, str | None]
    added: dict[str, str | None]
    picture: str | None


def plan_of(spec: Spec) -> VectorPlan | TestbenchPlan:
    return operations(spec) if isinstance(spec.design, Processor) else vectors(spec)


@dataclass(frozen=True)
class Contents:
    """The design of a spec as it is delivered: its name, its emitted text, the plan of its
    testbench, the places of the files, clock and reset of the outermost module, the language, and
    the addition of a layer above."""

    spec: Spec
    name: str
    emitted: Hdl
    plan: VectorPlan | TestbenchPlan
    places: Layout
    pins: Pins = USUAL
    language: str = LANGUAGES[0]
    added: Addition = field(default_factory=Addition)

    @classmethod
    def of(
        cls,
        spec: Spec,
        name: str,
        add: Callable[[Contents], Addition] | None = None,
        without_initial_values: bool = False,
        *,
        bus: str | None = None,
        pins: Pins = USUAL,
        language: str = LANGUAGES[0],
    ) -> Contents:
        """Emit the design; `add` makes what is added, given the contents without it.  On a bus the
        modules of the design have names of their own: several buses can stand in one project.  The
        text of a bare core is that of the design with streams."""
        design, without, vhdl = spec.design, without_initial_values, language != LANGUAGES[0]
        if bus is None:
            own = spec.name or names.of_delivery(
                design.title, without_initial_values=without, pins=pins
            )
            # Without a name of its own the text that other verbs use is kept already.
            named = own if without or spec.name or pins != USUAL else None
            emitted = hdl.emit(design, named, without_initial_values=without, pins=pins, vhdl=vhdl)
            file = own
        else:
            inner = name if design.role == "multiplier" else f"{name}_core"
            emitted = hdl.emit(design, inner, without_initial_values=without, pins=pins.inner)
            file = name
        places = layout(design, emitted, name, file, language)
        contents = cls(spec, name, emitted, plan_of(spec), places, pins, language)
        return replace(contents, added=add(contents)) if add else contents

    def texts(self) -> dict[str, str]:
        """Every text that exists before a simulation, by the name of its file; the Verilog also if
        it is not delivered: it is what is simulated and proved first."""
        texts = self._simulated_files()
        if self.language != "vhdl":
            texts |= self.places.lists(self.spec.design)
        if self.added.top is not None:
            design = f"{_OUTERMOST.format(self.added.top)}{texts[self.places.design]}"
            texts[self.places.design] = f"{design}{self.added.verilog}"
        return texts | self._vhdl() | self._constraints() | self.added.files

    def delivered(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Those of the texts that are delivered."""
        verilog = self.places.simulated if self.language == "vhdl" else []
        return {file: text for file, text in texts.items() if file not in verilog}

    def _vhdl(self) -> dict[str, str]:
        """The files in VHDL, if they are wanted."""
        places = self.places.vhdl
        if places is None:
            return {}
        files = (places.steps, places.simulation)
        bench, steps = vhdl_testbench.testbench(
            self.spec, self.emitted, self.name, self.plan, files
        )
        texts = {places.design: self.emitted.vhdl, places.testbench: bench, places.steps: steps}
        return texts | places.models | places.lists()

    def _simulated_files(self) -> dict[str, str]:
        texts = {self.places.design: self.emitted.verilog}
        texts |= self.places.parts | self.places.models
        bench = testbench(self.spec, self.emitted, self.name, self.plan, self.places.simulation)
        return texts | {self.places.testbench: bench}

    def _constraints(self) -> dict[str, str]:
        spec, limit = self.spec, clock_limit(self.spec, self.emitted)
        reset = self.added.reset or self._reset
        if limit is None:
            period = _PERIOD_NS
            why = "# The period is only a place for yours: no limit of the chip is known."
        else:
            period = 1000 / limit.mhz
            why = (
                f"# The clock asked for is the limit of {limit.block}: put your own.\n"
                f"# Source: {limit.named_source}"
            )
        return {
            f"{self.name}.{kind}": templates()
            .get_template(f"constraints.{kind}.j2")
            .render(
                header=hdl.header(spec.design, "#"),
                top=self.added.top or self.emitted.top(spec.interface),
                reset=reset.name,
                asynchronous=is_asynchronous(reset),
                why=why,
                period=period,
            )
            for kind in spec.design.chip.constraints
        }

    @property
    def _reset(self) -> Port:
        spec = self.spec
        return reset_of(ports(spec.design, spec.interface, self.emitted.pins))

    @property
    def bench(self) -> Bench:
        files, design = tuple(self.places.simulated), self.spec.design
        if isinstance(self.plan, TestbenchPlan):
            widest = max(
                sum(bits for bits, _ in stream.members.values()) for stream in design.streams
            )
            return Bench("", self.name, files, len(self.plan.operations), "operations", widest)
        beat = self.spec.multiplier.beat
        return Bench("", self.name, files, len(self.plan.products), "products", beat)

    def _picture(self, output: str) -> str | None:
        """The timing diagram, from what the testbench prints; None for a processor."""
        if isinstance(self.plan, TestbenchPlan):
            return None
        return diagram(self.spec, self.plan, output)

    def simulate(
        self, texts: Mapping[str, str], cache: Cache, progress: Report = silent
    ) -> Verdicts:
        """Run all testbenches.  Raises CheckFailed if one fails; it names a directory with the
        files."""
        with scratch.folder() as folder:
            put(texts, folder)
            try:
                benches = (self.bench, *self.added.benches)
                ran = [
                    check.simulated(
                        [folder / file for file in bench.sources],
                        bench.top,
                        bench.tried,
                        cache,
                        beat=bench.beat,
                        what=bench.what,
                        about=bench.about,
                        progress=progress,
                    )
                    for bench in benches
                ]
                (output, own), *others = ran
                added = {name: verdict for _, some in others for name, verdict in some.items()}
                added |= self._in_ghdl(folder, output, cache, progress)
                return Verdicts(own, added, self._picture(output))
            except CheckFailed as error:
                copy = tempfile.mkdtemp(prefix=f"modmul-{self.name[:60]}-")
                shutil.copytree(folder, copy, dirs_exist_ok=True)
                where = f"the files are in {copy}, nothing was delivered"
                raise CheckFailed(f"{error}\n{where}") from None

    def _in_ghdl(
        self, folder: Path, output: str, cache: Cache, progress: Report
    ) -> dict[str, str | None]:
        """The verdict of GHDL on the VHDL; empty if there is none.  output: that of the testbench
        in Verilator."""
        places = self.places.vhdl
        if places is None:
            return {}
        bench = self.bench
        files = [folder / file for file in (*places.simulated, places.steps)]
        progress("testbench, in GHDL", 0, 1)
        verdict = ghdl_check.verdict(
            files,
            f"{self.name}_tb",
            cache,
            cycles=check.cycles_of(output, bench.tried),
            what=bench.what,
            missing=places.missing,
        )
        progress("testbench, in GHDL", 1, 1)
        return {"ghdl": verdict}

    def what(self) -> dict[str, str]:
        """The meaning of each file of the delivery, by its name."""
        places, name = self.places, self.name
        rows = "rows of full adders: part of the design; to be mapped onto cells of the library"
        what = dict.fromkeys(places.parts, rows)
        what |= dict.fromkeys(places.models, "simulation model of a primitive of the chip")
        several = "s" * (len(self.emitted.modules) > 1)
        named = " and ".join(f"`{module}`" for module in self.emitted.modules.values())
        what[places.design] = f"the design: module{several} {named}"
        what[places.testbench] = f"self-checking testbench, top module `{name}_tb`"
        what[places.synthesis] = "files of the design, one a line: for synthesis"
        what[places.simulation] = "files to simulate: design, models, testbench"
        what[places.lint] = "rules for `verilator --lint-only -Wall`, each with its reason"
        if self.language == "vhdl":
            what = {}
        if places.vhdl is not None:
            entities = "entities" if several else "entity"
            what[places.vhdl.design] = f"the design in VHDL: {entities} {named}"
            what |= dict.fromkeys(places.vhdl.models, "model of a primitive of the chip, in VHDL")
            what[places.vhdl.testbench] = f"self-checking testbench in VHDL, top `{name}_tb`"
            what[places.vhdl.steps] = "what the testbench in VHDL offers, and what should come out"
            what[places.vhdl.synthesis] = "VHDL files of the design, one a line: for synthesis"
            what[places.vhdl.simulation] = "VHDL files to simulate: design, testbench"
        for kind in self.spec.design.chip.constraints:
            what[f"{name}.{kind}"] = f"timing constraints, {kind.upper()}"
        about = {
            f"{name}.md": "this datasheet",
            f"{name}.html": "this datasheet as one page",
            f"{name}{BLOCKS}": "the block diagram",
            f"{name}{PICTURE}": "the timing diagram",
            f"{name}.json": "the same for programs, with the SHA-256 of every other file",
        }
        return what | about | self.added.what

    def sheets(
        self, description: dict[str, Any], picture: str | None, what: dict[str, str]
    ) -> dict[str, str]:
        """The diagrams, the datasheet and its page.

        picture: the timing diagram; if it is None, its file is removed from `what`."""
        blocks_file, timing = f"{self.name}{BLOCKS}", f"{self.name}{PICTURE}"
        drawn = {blocks_file: blocks.draw(description, self.emitted.verilog)}
        if picture is not None:
            drawn[timing] = picture
        else:
            del what[timing]
        shown = None if picture is None else timing
        sheet = datasheet.markdown(description, shown, what, blocks_file)
        after = next(heading for heading in _AFTER if f"\n{heading}" in sheet)
        sheet = sheet.replace(f"\n{after}", f"\n{self.added.section}{after}", 1)
        page = datasheet.html(sheet, self.name, drawn)
        return {**drawn, f"{self.name}.md": sheet, f"{self.name}.html": page}
