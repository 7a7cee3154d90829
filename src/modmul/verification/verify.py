"""`verify`: the emitted Verilog, compiled, against big-integer arithmetic.

Edges first, then random products over many moduli, at the bare core (where the latency and interval
of every product must be the declared ones) and behind the elastic adapter (where nothing may be
lost).  A failing case is reduced and written to a file that can be run again."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from modmul.design import Interface, Mode
from modmul.export import hdl
from modmul.export.hdl import Hdl
from modmul.export.names import identifier
from modmul.multipliers.contract import Multiplier
from modmul.parameters import MOST_JOBS, MOST_PRODUCTS, check_number
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.directories import check_writable
from modmul.toolchain.files import check_file
from modmul.toolchain.progress import Report, silent
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification import campaign, plan, shown
from modmul.verification import netlist as netlists
from modmul.verification import replay as replays
from modmul.verification.campaign import Tally
from modmul.verification.cycles import declared_range
from modmul.verification.executable import with_includes
from modmul.verification.result import DriveCount, Failure, Measured, ModeCycles, VerifyResult
from modmul.verification.simulator import Design, compile_simulator
from modmul.verification.verdict import Measure

VERDICT = Step("verify", __name__, JUDGED)
PRODUCTS = 100_000
SEED, MOST_SEED = 1, 2**63 - 1
INTERFACES: list[tuple[int, Interface]] = [(0, "core"), (1, "stream")]


def verify(
    spec: Spec | None = None,
    *,
    products: int = PRODUCTS,
    seed: int = SEED,
    jobs: int | None = None,
    netlist: bool = False,
    waveform: bool = False,
    replay: Path | None = None,
    output: Path | None = None,
    written: Hdl | None = None,
    cache: Cache | None = None,
    progress: Report = silent,
) -> VerifyResult:
    """Check a multiplier on all edge cases and `products` random products.

    products: random ones, 0 or more.  jobs: simulators side by side (default: one a processor); the
    result does not depend on it.  netlist: simulate the core as the netlist after synthesis for
    its target.  waveform: also write a VCD file of the first products at each interface.
    replay: run the failing case in that file instead, with the specification in it.
    output: directory for waveforms and a failing case (default: `NAME_verify` in the current one,
    made when there is something to be written).
    written: its Verilog, where that was emitted before.
    A run that passed is read from the cache the second time.

    Wrong products are no exception: see `passed`.  SpecError for impossible arguments; ToolMissing,
    ToolFailed."""
    _refuse_impossible(products, seed, jobs, output)
    cache = cache or Cache()
    if replay is not None:
        return _run_again(replay, output, cache, progress)
    spec = spec or Spec.from_options({})
    written = _written(spec, netlist, written)
    make = functools.partial(
        check, spec, written, products=products, seed=seed, jobs=jobs, netlist=netlist,
        waveform=waveform, output=output, cache=cache, progress=progress,
    )  # fmt: skip
    if waveform:
        return make()
    return _once(spec, _key(spec, written, products, seed, netlist), make, cache)


def _once(
    spec: Spec, key: dict[str, Any], make: Callable[[], VerifyResult], cache: Cache
) -> VerifyResult:
    """From the cache; or made, and kept if it passed."""
    step = VERDICT.of(type(spec.multiplier))
    kept = cache.get(step, key)
    if kept is not None:
        return msgspec.convert(kept, VerifyResult)
    result = make()
    if result.passed:
        cache.put(step, key, msgspec.to_builtins(result))
    return result


def check(
    spec: Spec,
    written: Hdl,
    *,
    products: int,
    seed: int,
    jobs: int | None,
    netlist: bool,
    waveform: bool,
    output: Path | None,
    cache: Cache,
    progress: Report = silent,
) -> VerifyResult:
    """As `verify`, for Verilog that is already written."""
    multiplier, own = spec.multiplier, spec.setting
    files = shown.Files(_folder(spec, output), identifier(multiplier.title), cache)
    if output is not None or waveform:
        files.check()
    began = time.monotonic()
    progress("compiling the simulator", 0, 1)
    simulator = compile_simulator(designs(multiplier, written), cache)
    progress("compiling the simulator", 1, 1)
    compile_seconds = time.monotonic() - began
    tally = campaign.run(
        simulator, multiplier, own, plan.tasks(multiplier, products, INTERFACES), seed, jobs,
        _counting(progress, products),
    )  # fmt: skip
    failure = shown.failure(spec, netlist, simulator, tally, seed, files) if tally.failed else None
    waveforms = shown.waveforms(simulator, own, seed, files) if waveform and not failure else ()
    return _result(spec, tally, seed, netlist, compile_seconds, failure, waveforms)


def _folder(spec: Spec, output: Path | None) -> Path:
    return output or Path(f"{identifier(spec.multiplier.title)}_verify")


def _run_again(path: Path, output: Path | None, cache: Cache, progress: Report) -> VerifyResult:
    """Run the failing case in the file `path` again, and write its waveform to `output`."""
    case = replays.read(path)
    spec = case.spec
    target = _folder(spec, output) / f"{path.stem}.vcd"
    check_file(target)
    written = _written(spec, case.netlist)
    interfaces = [interface for _, interface in INTERFACES]
    request = case.request(interfaces.index(case.drive.interface))
    began = time.monotonic()
    progress("compiling the simulator", 0, 1)
    simulator = compile_simulator(designs(spec.multiplier, written), cache)
    progress("compiling the simulator", 1, 1)
    compile_seconds = time.monotonic() - began
    tally = Tally()
    began = time.monotonic()
    verdict = shown.attempt(simulator, case.power_up, request)
    tally.add(plan.Task(0, request.design, request.drive, "edges", 0, 1), verdict)
    tally.seconds = time.monotonic() - began
    shown.trace(simulator, request, case.power_up, target, cache)
    failure = None
    if verdict.faults:
        failure = shown.describe(request, verdict, path, target)
    waveforms = () if failure else (str(target),)
    return _result(spec, tally, case.power_up, case.netlist, compile_seconds, failure, waveforms)


def designs(multiplier: Multiplier, written: Hdl) -> list[Design]:
    """The bare core, and the same behind the adapter."""
    return [
        Design(multiplier, written.verilog, written.core, "core", written.models),
        Design(multiplier, written.verilog, written.stream, "stream", written.models),
    ]


def _written(spec: Spec, mapped: bool, written: Hdl | None = None) -> Hdl:
    written = written or hdl.emit(spec.multiplier)
    return netlists.mapped(written, spec) if mapped else written


def _key(spec: Spec, written: Hdl, products: int, seed: int, netlist: bool) -> dict[str, Any]:
    """Besides the sources: the models of primitives that come with Yosys are text, too."""
    texts = [written.verilog, *map(with_includes, written.models)]
    return {
        "spec": spec.options(),
        "hdl": hashlib.sha256("\0".join(texts).encode()).hexdigest(),
        "modules": [written.core, written.stream],
        "products": products,
        "seed": seed,
        "netlist": netlist,
    }


def _counting(progress: Report, products: int) -> Callable[[int], None]:
    done = 0

    def count(checked: int) -> None:
        nonlocal done
        done += checked
        progress("checking products", done, max(done, products))

    return count


# ---- the record ----------------------------------------------------------------------------------


def _result(
    spec: Spec,
    tally: Tally,
    seed: int,
    netlist: bool,
    compile_seconds: float,
    failure: Failure | None,
    waveforms: tuple[str, ...],
) -> VerifyResult:
    multiplier = spec.multiplier
    latency, interval = _together(tally.latency), _together(tally.interval)
    first = tally.interval.get(spec.modes[0], Measure())
    return VerifyResult(
        spec=spec.options(),
        title=multiplier.title,
        passed=tally.wrong == 0,
        products=tally.products,
        wrong=tally.wrong,
        dropped=tally.dropped,
        golden=tally.golden,
        latency=_measured(declared_range(multiplier, "latency"), latency),
        interval=_measured(declared_range(multiplier, "interval"), interval),
        cycles_per_product=(
            first.total / first.count / multiplier.slots if first.count else None
        ),
        cycles=tally.cycles,
        seconds=round(tally.seconds, 3),
        checked_per_second=round(tally.products / tally.seconds) if tally.seconds else 0.0,
        compile_seconds=round(compile_seconds, 3),
        seed=seed,
        netlist=netlist,
        by_mode=_by_mode(spec, tally) if len(spec.modes) > 1 else (),
        drives=tuple(
            DriveCount(one.interface, one.drive, one.products, one.wrong, one.dropped)
            for one in tally.counts.values()
        ),
        failure=failure,
        waveforms=waveforms,
    )


def _together(measures: dict[Mode, Measure]) -> Measure:
    found = Measure()
    for measure in measures.values():
        found.merge(measure)
    return found


def _by_mode(spec: Spec, tally: Tally) -> tuple[ModeCycles, ...]:
    def one(mode: Mode, what: str, measures: dict[Mode, Measure]) -> Measured:
        declared = getattr(spec.multiplier, what)(mode)
        measure = measures.get(mode, Measure())
        return _measured((declared.minimum, declared.maximum), measure)

    return tuple(
        ModeCycles(
            mode.name, one(mode, "latency", tally.latency), one(mode, "interval", tally.interval)
        )
        for mode in spec.modes
    )


def _measured(declared: tuple[int, int], measure: Measure) -> Measured:
    if measure.smallest is None or measure.largest is None:
        return Measured(declared, None, None)
    return Measured(declared, (measure.smallest, measure.largest), measure.total / measure.count)


def _refuse_impossible(products: int, seed: int, jobs: int | None, output: Path | None) -> None:
    check_number("products", products, 0, MOST_PRODUCTS)
    check_number("seed", seed, 0, MOST_SEED)
    if jobs is not None:
        check_number("jobs", jobs, 1, MOST_JOBS)
    if output is not None:
        check_writable(output)
