"""Files that show what hardware did: waveform and replay of a failing case, waveforms of the first
products."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

from modmul.design import Interface
from modmul.errors import ToolFailed
from modmul.multipliers.setting import Setting
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.files import check_file, replacing
from modmul.verification import plan
from modmul.verification import replay as replays
from modmul.verification.campaign import Tally
from modmul.verification.judge import judge
from modmul.verification.protocol import Request, Run
from modmul.verification.reduce import reduce
from modmul.verification.result import Failure
from modmul.verification.simulator import Simulator, compile_simulator
from modmul.verification.verdict import Verdict


class Files:
    """Where files go, and the cache for simulators that trace."""

    def __init__(self, folder: Path, title: str, cache: Cache):
        self.folder, self.title, self.cache = folder, title, cache

    @property
    def case(self) -> Path:
        """The replay of a failing case; its waveform beside it."""
        return self.folder / f"{self.title}_failure.json"

    def waveform(self, interface: Interface) -> Path:
        return self.folder / f"{self.title}_{interface}.vcd"

    def check(self) -> None:
        """SpecError if one of them could not be written."""
        traces = [self.case.with_suffix(".vcd"), self.waveform("core"), self.waveform("stream")]
        for path in (self.case, *traces):
            check_file(path)


def attempt(simulator: Simulator, power_up: int, request: Request) -> Verdict:
    with simulator.start(seed=power_up) as session:
        return judge(request, session.run(request))


def failure(
    spec: Spec, netlist: bool, simulator: Simulator, tally: Tally, seed: int, files: Files
) -> Failure:
    assert tally.failed is not None
    run = functools.partial(attempt, simulator, seed)
    request, verdict = reduce(*tally.failed, run)
    case = files.case
    replays.write(case, spec, netlist, request, verdict, seed)
    target = case.with_suffix(".vcd")
    trace(simulator, request, seed, target, files.cache)
    return describe(request, verdict, case, target)


def describe(request: Request, verdict: Verdict, case: Path, waveform: Path) -> Failure:
    return Failure(
        messages=tuple(fault.message for fault in verdict.faults[:10]),
        interface=request.drive.interface,
        drive=request.drive.name,
        products=sum(len(run.products) for run in request.runs),
        moduli=len(request.runs),
        replay=str(case),
        waveform=str(waveform),
    )


def trace(
    simulator: Simulator, request: Request, power_up: int, target: Path, cache: Cache
) -> None:
    """Run a batch once more in a simulator that writes the waveform."""
    design = simulator.designs[request.design]
    tracing = compile_simulator([design], cache, trace=True)
    try:
        with replacing(target) as part, tracing.start(seed=power_up, waveform=part) as session:
            session.run(replace(request, design=0))
    except FileNotFoundError:
        raise ToolFailed(f"{target}: the simulator could not write the waveform") from None


def waveforms(
    simulator: Simulator, own: Setting | None, seed: int, files: Files
) -> tuple[str, ...]:
    """The first products at each interface, two more than there are slots."""
    found = []
    for number, design in enumerate(simulator.designs):
        multiplier = design.multiplier
        drive = plan.CORE[0] if design.interface == "core" else plan.STREAM[0]
        task = plan.Task(0, number, drive, "random", 2 * multiplier.slots + 2, 1)
        request = plan.request(multiplier, own, seed, task)
        first = request.runs[0]
        run = Run(first.setting, first.products, squares=first.squares)
        request = replace(request, runs=[run])
        target = files.waveform(design.interface)
        trace(simulator, request, seed, target, files.cache)
        found.append(str(target))
    return tuple(found)
