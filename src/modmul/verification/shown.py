"""Writes the files that show a run: waveform and replay of a failing case, waveforms of the first
products or operations."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from modmul.design import Interface
from modmul.errors import ToolFailed
from modmul.toolchain.cache import Cache
from modmul.toolchain.files import check_file, replacing
from modmul.verification import replay as replays
from modmul.verification.result import Failure
from modmul.verification.trial import Answer, AnyRequest, AnySimulator, OneTask, Running, Trial
from modmul.verification.verdict import Verdict


class Files:
    """The paths of the files, and the cache for simulators that trace."""

    def __init__(self, folder: Path, title: str, cache: Cache):
        self.folder, self.title, self.cache = folder, title, cache

    @property
    def case(self) -> Path:
        """The path of the replay of a failing case; its waveform is beside it."""
        return self.folder / f"{self.title}_failure.json"

    def waveform(self, interface: Interface) -> Path:
        return self.folder / f"{self.title}_{interface}.vcd"

    def check(self, interfaces: Sequence[Interface]) -> None:
        """Raise SpecError if one of the files could not be written."""
        traces = [self.case.with_suffix(".vcd"), *map(self.waveform, interfaces)]
        for path in (self.case, *traces):
            check_file(path)


def attempt(
    trial: Trial[AnyRequest, OneTask, Running, Answer],
    simulator: AnySimulator[Running],
    power_up: int,
    request: AnyRequest,
) -> Verdict:
    with simulator.start(seed=power_up) as session:
        return trial.judged(request, trial.answered(session, request))


def failure(
    trial: Trial[AnyRequest, OneTask, Running, Answer],
    netlist: bool,
    simulator: AnySimulator[Running],
    failed: tuple[AnyRequest, Verdict],
    seed: int,
    files: Files,
) -> Failure:
    """Reduce the failing batch, write its replay and its waveform, and return its description."""
    run = functools.partial(attempt, trial, simulator, seed)
    request, verdict = trial.reduced(*failed, run)
    case = files.case
    replays.write(case, trial.spec, netlist, request, verdict, seed, trial.written.pins)
    target = case.with_suffix(".vcd")
    trace(trial, request, seed, target, files.cache)
    return describe(trial, request, verdict, case, target)


def describe(
    trial: Trial[AnyRequest, OneTask, Running, Answer],
    request: AnyRequest,
    verdict: Verdict,
    case: Path,
    waveform: Path,
) -> Failure:
    products, moduli = trial.size(request)
    return Failure(
        messages=tuple(mismatch.message for mismatch in verdict.mismatches[:10]),
        interface=request.drive.interface,
        drive=request.drive.name,
        products=products,
        moduli=moduli,
        replay=str(case),
        waveform=str(waveform),
    )


def trace(
    trial: Trial[AnyRequest, OneTask, Running, Answer],
    request: AnyRequest,
    power_up: int,
    target: Path,
    cache: Cache,
) -> None:
    """Run a batch once more in a simulator that writes the waveform."""
    tracing = trial.tracing(request.drive.interface, cache)
    try:
        with replacing(target) as part, tracing.start(seed=power_up, waveform=part) as session:
            trial.answered(session, replace(request, design=0))
    except FileNotFoundError:
        raise ToolFailed(f"{target}: the simulator could not write the waveform") from None


def waveforms(
    trial: Trial[AnyRequest, OneTask, Running, Answer], seed: int, files: Files
) -> tuple[str, ...]:
    """Write waveforms of the first products or operations at each interface; return the files."""
    paths = []
    for request in trial.first(seed):
        target = files.waveform(request.drive.interface)
        trace(trial, request, seed, target, files.cache)
        paths.append(str(target))
    return tuple(paths)
