"""Makes small results of the steps, and prints which files of the package had a say in each: those
whose functions were called, and those that were opened.

Modules are loaded before, so that only what a step does is seen.  Arguments: a directory for the
cache, in which Verilator's library may be already; and `papers`, for those of papers as well."""

import importlib
import json
import pkgutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import modmul
from modmul import multipliers
from modmul.exploration.measure import POINT, measure
from modmul.export import secrecy
from modmul.implementation import place_and_route, synthesis
from modmul.implementation.implement import map_module
from modmul.multipliers.fips import Fips
from modmul.papers import implemented, silicon
from modmul.papers import simulated as scheduled
from modmul.papers.alkhaleel2006 import designs as arrays
from modmul.papers.amanor2005 import engines
from modmul.papers.dualfips import exponentiation
from modmul.papers.kuang2016 import cycles
from modmul.papers.needs import Measuring, Need, Needs
from modmul.processors.exponentiation import Exponentiation
from modmul.processors.rsa import Rsa
from modmul.spec import Spec
from modmul.timing_proof import certificate
from modmul.toolchain import nextpnr, sources
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step
from modmul.toolchain.work import Work
from modmul.verification import verify as verification
from modmul.verification.observed import SCHEDULE, simulate
from modmul.verification.result import VerifyResult
from modmul.verification.verify import VERDICT, verify

SMALL = {"architecture": "interleaved", "width": 6, "target": "cells", "interface": "core"}
CHIP = ("--25k", "--package", "CABGA256", "--speed", "8")
FIPS = Fips(width=12, word=4)
FPMM = multipliers.find("fpmm")(width=16)
ROOT = f"{sources.ROOT}/"
under_way: list[Step] = []
seen: dict[Step, set[str]] = {}


def note(file: str) -> None:
    if file.startswith(ROOT):
        for step in under_way:
            seen[step].add(file.removeprefix(ROOT))


def on_call(frame: FrameType, event: str, _: object) -> None:
    if event == "call" and under_way:
        note(frame.f_code.co_filename)


def on_event(event: str, arguments: tuple[Any, ...]) -> None:
    file = str(arguments[0]) if event == "open" else ""
    if under_way and not file.endswith(".py"):
        note(file)


@contextmanager
def making(step: Step) -> Iterator[None]:
    seen.setdefault(step, set())
    under_way.append(step)
    try:
        yield
    finally:
        under_way.pop()


class WatchedCache(Cache):
    """Notes what makes each folder."""

    def folder(self, step: Step, key: Mapping[str, Any], make: Callable[[Path], None]) -> Path:
        def noted(folder: Path) -> None:
            with making(step):
                make(folder)

        return super().folder(step, key, noted)


def report(*_: object, **__: object) -> dict[str, Any]:
    """What nextpnr might say."""
    end = {"cell": "ff", "port": "Q"}
    steps = [{"type": "clk-to-q", "delay": 1.0, "from": end, "to": end}]
    path = {"from": "posedge clk", "to": "posedge clk", "path": steps}
    return {"fmax": {"clk": {"achieved": 300.0}}, "critical_paths": [path]}


def verified(spec: Spec, **options: Any) -> VerifyResult:
    with making(VERDICT.of(type(spec.multiplier))):
        return verify(spec, **options)


def load_everything() -> None:
    for module in pkgutil.walk_packages(modmul.__path__, "modmul."):
        if not module.name.startswith(("modmul.cli", "modmul.reporting", "modmul.__main__")):
            importlib.import_module(module.name)


def figures_of_papers(spec: Spec, cache: Cache) -> None:
    """Of a small design in the place of theirs; nextpnr does not run."""
    run = Measuring(jobs=1, cache=cache)
    chip = Spec.from_options({**SMALL, "target": "ecp5"})
    needs: list[Need[Any]] = [
        implemented.cells(chip),
        implemented.routed(chip, 1, "small"),
        silicon.mapped(SMALL),
        scheduled.schedules({6: spec.multiplier})[6],
        arrays.counted(arrays.MUX, 6),
        scheduled.schedules_by_mode(FIPS, [scheduled.Stimulus(FIPS.modes[0])]),
        exponentiation.exponentiations(exponentiation.ML_ONE, [8]),
        engines.of_engine(Rsa(multiplier=FPMM, method="ladder"), 32),
    ]
    for need in needs:
        with making(need.step):
            run.fill(Needs("small", {6: need}))
    with making(cycles.CYCLES.of(type(cycles.design("SCS-MM-2", 8)))):
        run.fill(Needs("small", cycles.chunks(["SCS-MM-2"], 8, 2)))


def main(root: Path, papers: bool) -> None:
    load_everything()
    cache = WatchedCache(root)
    sys.addaudithook(on_event)
    threading.setprofile(on_call)
    sys.setprofile(on_call)
    spec = Spec.from_options(SMALL)
    design = type(spec.multiplier)
    verification.verify = verified
    with making(POINT.of(design)):
        record = measure(spec.options(), seeds=1, products=50, cache=cache)
    assert record.status == "done" and record.time is not None, record.reason
    with making(SCHEDULE.of(design)):
        simulate(spec, cache)
    chip = Spec.from_options({"architecture": "fpmm", "width": 16, "target": "ecp5"})
    text = modmul.export.hdl.emit(chip.multiplier)
    core = map_module(text.verilog, text.core, chip.multiplier.chip, cache)
    choosing = Fips(width=12, word=4)
    for interface in ("core", "stream"):
        subject = secrecy.subject(choosing, modmul.export.hdl.emit(choosing), interface)
        with making(certificate.PROOF):
            assert certificate.prove(subject, cache).proved
    netlist = synthesis.routable(core.file, core.top, chip.multiplier.chip, cache)
    nextpnr.route = report
    with making(place_and_route.ROUTE):
        place_and_route.route_all(netlist, "nextpnr-ecp5", CHIP, [1], work=Work(cache=cache))
    if papers:
        power = Exponentiation(multiplier=FIPS, beat=4)
        exponentiation.processor = lambda *_: power  # words of 4 bits are compiled sooner
        figures_of_papers(spec, cache)
    sys.setprofile(None)
    files_by_step = {
        f"{step.name} of {' '.join(step.designs)}": {
            "seen": sorted(files),
            "named": sources.closure(step.module, *step.designs).files,
        }
        for step, files in seen.items()
    }
    print(json.dumps(files_by_step))


if __name__ == "__main__":
    main(Path(sys.argv[1]), "papers" in sys.argv[2:])
