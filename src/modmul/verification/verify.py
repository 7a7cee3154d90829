"""`verify`: compiles the emitted Verilog, and compares it with the right answers of its operations.

Edges come first, then random products over many moduli, at the bare core (where latency and
interval of every product must be the declared ones) and behind the elastic adapter (where nothing
may be lost).  A processor is given operations, with pauses on every stream and without any.  A
failing case is reduced and written to a file that can be run again."""

from __future__ import annotations

import functools
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from modmul.export import hdl
from modmul.export.hdl import Hdl
from modmul.export.names import identifier
from modmul.export.pins import Pins
from modmul.operation import Mode, Time
from modmul.parameters import MOST_JOBS, MOST_PRODUCTS, SEED, check_number
from modmul.processors import Processor
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.files import check_file, check_writable
from modmul.toolchain.progress import Report, silent
from modmul.toolchain.steps import JUDGED, Step, is_own
from modmul.toolchain.work import Work
from modmul.verification import campaign, shown
from modmul.verification import netlist as netlists
from modmul.verification import replay as replays
from modmul.verification.campaign import CampaignTotals
from modmul.verification.processors.trial import OperationTrial
from modmul.verification.products import ProductTrial
from modmul.verification.result import CycleRange, DriveCount, Failure, ModeCycles, VerifyResult
from modmul.verification.trial import AnySimulator, Trial, measured
from modmul.verification.verdict import Measure

VERDICT = Step("verify", JUDGED)
MOST_SEED = 2**63 - 1
AnyTrial = Trial[Any, Any, Any, Any]


class VerifyOptions(NamedTuple):
    """What a run is asked for; `verify` describes each."""

    products: int
    seed: int = SEED
    netlist: bool = False
    waveform: bool = False
    output: Path | None = None


def verify(
    spec: Spec | None = None,
    *,
    products: int | None = None,
    seed: int = SEED,
    jobs: int | None = None,
    netlist: bool = False,
    waveform: bool = False,
    clock_enable: bool = False,
    replay: Path | None = None,
    output: Path | None = None,
    cache: Cache | None = None,
    progress: Report = silent,
) -> VerifyResult:
    """Check a design on all edge cases, and a multiplier on `products` random products, a processor
    on as many random operations.

    products: 0 or more (default: `usual` of its trial).
    jobs: simulators side by side (default: one for each processor of this machine); the result does
    not depend on it.
    netlist: simulate the core, or the processor, as the netlist after synthesis for its target.
    waveform: also write a VCD file of the first products or operations at each interface.
    clock_enable: the design has a clock enable, which pauses all of it at random.
    replay: run the failing case in this file instead, with the specification in it.
    output: directory for waveforms and a failing case (default: `NAME_verify` in the current one,
    made when there is something to write).

    A repeated run that passed is read from the cache.  Wrong products are no exception: see
    `passed`.  Raises SpecError for impossible arguments; ToolMissing, ToolFailed."""
    _refuse_impossible(products, seed, jobs, output)
    work = Work(jobs or os.cpu_count() or 1, cache or Cache(), progress)
    if replay is not None:
        return _run_again(replay, output, work)
    spec = spec or Spec.from_options({})
    count = trial_of(spec).usual if products is None else products
    asked = VerifyOptions(count, seed, netlist, waveform, output)
    written = _written(spec, netlist, clock_enable)
    make = functools.partial(check, spec, written, asked, work)
    if waveform or not is_own(*spec.design.classes):
        return make()
    return _once(_key(spec, written, asked), make, work.cache)


def _once(key: dict[str, Any], make: Callable[[], VerifyResult], cache: Cache) -> VerifyResult:
    """The result from the cache; else make it, and keep it if the design passed."""
    record = cache.get(VERDICT, key)
    if record is not None:
        return msgspec.convert(record, VerifyResult)
    result = make()
    if result.passed:
        cache.put(VERDICT, key, msgspec.to_builtins(result))
    return result


def check(spec: Spec, written: Hdl, asked: VerifyOptions, work: Work) -> VerifyResult:
    """Verify Verilog that is already written."""
    trial, seed = trial_of(spec)(spec, written), asked.seed
    files = shown.Files(_folder(spec, asked.output), identifier(spec.title), work.cache)
    if asked.output is not None or asked.waveform:
        files.check(spec.design.interfaces)
    simulator, compile_seconds = _compiled(trial, work)
    tally = campaign.conduct(
        trial.tasks(asked.products),
        lambda: simulator.start(seed=seed),
        functools.partial(trial.request, seed),
        trial.answered,
        trial.judged,
        work.jobs,
        _counting(work.progress, trial.what, asked.products),
    )
    failure, waveforms = None, tuple[str, ...]()
    if tally.failed is not None:
        failure = shown.failure(trial, asked.netlist, simulator, tally.failed, seed, files)
    elif asked.waveform:
        waveforms = shown.waveforms(trial, seed, files)
    return _result(trial, tally, seed, asked.netlist, compile_seconds, failure, waveforms)


def trial_of(spec: Spec) -> type[AnyTrial]:
    return OperationTrial if isinstance(spec.design, Processor) else ProductTrial


def _compiled(trial: AnyTrial, work: Work) -> tuple[AnySimulator[Any], float]:
    """The simulator, and the seconds that compiling it took."""
    began = time.monotonic()
    work.progress("compiling the simulator", 0, 1)
    simulator = trial.compiled(work.cache)
    work.progress("compiling the simulator", 1, 1)
    return simulator, time.monotonic() - began


def _folder(spec: Spec, output: Path | None) -> Path:
    return output or Path(f"{identifier(spec.title)}_verify")


def _run_again(path: Path, output: Path | None, work: Work) -> VerifyResult:
    """Run the failing case in the file `path` again, and write its waveform to `output`."""
    case = replays.read(path)
    spec = case.spec
    target = _folder(spec, output) / f"{path.stem}.vcd"
    check_file(target)
    written = _written(spec, case.netlist, case.clock_enable)
    trial = trial_of(spec)(spec, written)
    request = case.request(spec.design.interfaces.index(case.drive.interface))
    simulator, compile_seconds = _compiled(trial, work)
    tally = CampaignTotals()
    began = time.monotonic()
    verdict = shown.attempt(trial, simulator, case.power_up, request)
    tally.add(request.drive, verdict)
    tally.seconds = time.monotonic() - began
    shown.trace(trial, request, case.power_up, target, work.cache)
    failure = None
    if verdict.mismatches:
        failure = shown.describe(trial, request, verdict, path, target)
    waveforms = () if failure else (str(target),)
    return _result(trial, tally, case.power_up, case.netlist, compile_seconds, failure, waveforms)


def _written(spec: Spec, mapped: bool, clock_enable: bool) -> Hdl:
    written = hdl.emit(spec.design, pins=Pins(clock_enable=clock_enable))
    return netlists.mapped(written, spec) if mapped else written


def _key(spec: Spec, written: Hdl, asked: VerifyOptions) -> dict[str, Any]:
    """The key of a result.  It includes the models of primitives, since the sources do not
    cover those that come with Yosys."""
    return {
        "spec": spec.options(),
        "hdl": hashlib.sha256(written.simulated.encode()).hexdigest(),
        "modules": [*written.modules.values()],
        "products": asked.products,
        "seed": asked.seed,
        "netlist": asked.netlist,
    }


def _counting(progress: Report, what: str, products: int) -> Callable[[int], None]:
    done = 0

    def count(checked: int) -> None:
        nonlocal done
        done += checked
        progress(f"checking {what}", done, max(done, products))

    return count


# ---- the record ----------------------------------------------------------------------------------


def _result(
    trial: AnyTrial,
    tally: CampaignTotals,
    seed: int,
    netlist: bool,
    compile_seconds: float,
    failure: Failure | None,
    waveforms: tuple[str, ...],
) -> VerifyResult:
    spec = trial.spec
    first = tally.interval.get(spec.modes[0], Measure())
    return VerifyResult(
        spec=spec.options() | trial.written.pins.options,
        title=spec.title,
        passed=tally.wrong == 0,
        products=tally.products,
        wrong=tally.wrong,
        dropped=tally.dropped,
        golden=tally.golden,
        latency=trial.latency(tally.latency),
        interval=trial.interval(tally.interval),
        cycles_per_product=(first.total / first.count / spec.design.slots if first.count else None),
        cycles=tally.cycles,
        seconds=round(tally.seconds, 3),
        checked_per_second=round(tally.products / tally.seconds) if tally.seconds else 0.0,
        compile_seconds=round(compile_seconds, 3),
        seed=seed,
        netlist=netlist,
        by_mode=_by_mode(spec, tally) if len(spec.modes) > 1 else (),
        drives=tuple(
            DriveCount(count.interface, count.drive, count.products, count.wrong, count.dropped)
            for count in tally.counts.values()
        ),
        failure=failure,
        waveforms=waveforms,
    )


def _by_mode(spec: Spec, tally: CampaignTotals) -> tuple[ModeCycles, ...]:
    def span(mode: Mode, what: Time, measures: dict[Mode, Measure]) -> CycleRange:
        declared = spec.design.time(what, mode)
        own = [measures[mode]] if mode in measures else []
        return measured((declared.minimum, declared.maximum), own)

    return tuple(
        ModeCycles(
            mode.name, span(mode, "latency", tally.latency), span(mode, "interval", tally.interval)
        )
        for mode in spec.modes
    )


def _refuse_impossible(
    products: int | None, seed: int, jobs: int | None, output: Path | None
) -> None:
    if products is not None:
        check_number("products", products, 0, MOST_PRODUCTS)
    check_number("seed", seed, 0, MOST_SEED)
    if jobs is not None:
        check_number("jobs", jobs, 1, MOST_JOBS)
    if output is not None:
        check_writable(output)
