"""How many mutants the delivered testbench catches, and how many `verify` catches."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.mutants import MODES, Mutant, mutated
from modmul.errors import CheckFailed, ToolFailed
from modmul.export import check, vectors
from modmul.export.hdl import Hdl, emit
from modmul.export.testbench import testbench
from modmul.spec import Spec
from modmul.toolchain import child, scratch
from modmul.toolchain.cache import Cache
from modmul.verification import campaign, plan
from modmul.verification.products import INTERFACES, designs
from modmul.verification.simulator import compile_simulator

_LIMIT = 300.0  # seconds of one run of a testbench
PRODUCTS = 2000  # random ones of `verify`, after all its edges


@dataclass(frozen=True)
class Score:
    """products: of the testbench.  by_testbench, by_verify: the mutants that each caught; by_verify
    is None where it was asked only about those that the testbench did not catch.
    missed: by the testbench, while `verify` catches them.  silent: nobody catches them; perhaps
    they are the same function.  broken: a simulator ended without an answer, or took too long:
    what it would have said is not known, and they are none of the others unless they are caught."""

    products: int
    mutants: tuple[Mutant, ...]
    by_testbench: int
    by_verify: int | None
    missed: tuple[Mutant, ...]
    silent: tuple[Mutant, ...]
    broken: tuple[Mutant, ...]


class TriedFault(NamedTuple):
    """Numbers of mutants.  caught: they were found faulty.  broken: no answer."""

    caught: set[int]
    broken: set[int]

    @classmethod
    def of(cls, answers: Mapping[int, bool | None]) -> TriedFault:
        """answers: whether each was found faulty; None: no answer."""
        caught = {number for number, faulty in answers.items() if faulty}
        return cls(caught, {number for number, faulty in answers.items() if faulty is None})


def score(
    spec: Spec,
    count: int,
    cache: Cache,
    *,
    seed: int = 1,
    products: int = PRODUCTS,
    net: str = "",
    modes: Sequence[str] = MODES,
    complete: bool = False,
) -> Score:
    """Inject `count` mutants in what `build` emits for `spec`, and try each.

    products: random ones of `verify`; it is asked about those mutants that the testbench misses, or
    (`complete`) about all.  net, modes: see `mutated`.  CheckFailed if the design without a mutant
    fails, ToolFailed, ToolMissing."""
    hdl = emit(spec.multiplier)
    within = "" if spec.interface == "stream" else rf"^{hdl.core}"
    faulty, mutants = mutated(hdl, count, seed=seed, within=within, net=net, modes=modes)
    every = range(1, len(mutants) + 1)
    bench = bench_catches(spec, faulty, every, cache)
    left = [number for number in every if complete or number not in bench.caught]
    verify = verify_catches(spec, faulty, left, cache, products)
    broken = bench.broken | verify.broken
    named = dict(zip(every, mutants, strict=True))

    def those(numbers: set[int]) -> tuple[Mutant, ...]:
        return tuple(named[number] for number in sorted(numbers))

    return Score(
        len(vectors.plan(spec).products),
        tuple(mutants),
        len(bench.caught),
        len(verify.caught) if complete else None,
        those(verify.caught - bench.caught - bench.broken),
        those(set(every) - verify.caught - bench.caught - broken),
        those(broken),
    )


def bench_catches(spec: Spec, faulty: Hdl, numbers: Sequence[int], cache: Cache) -> TriedFault:
    """The mutants of those numbers with which the emitted testbench fails.

    CheckFailed if it fails without one, ToolFailed if it does not end."""
    name, planned = "mutants", vectors.plan(spec)
    count = len(planned.products)
    with scratch.folder() as work:
        sources = [work / f"{name}.v", work / f"{name}_tb.v"]
        sources[0].write_text(faulty.simulated)
        sources[-1].write_text(testbench(spec, faulty, name, planned, ""))
        program = check.compile_bench(sources, f"{name}_check", work, cache)
        check.verdict(_output(program, 0), "Verilator", count)
        return _each(numbers, lambda mutant: not _passes(_output(program, mutant), count))


def _each(numbers: Sequence[int], wrong: Callable[[int], bool]) -> TriedFault:
    """Ask about each, some at a time; ToolFailed is no answer."""

    def answer(number: int) -> bool | None:
        try:
            return wrong(number)
        except ToolFailed:
            return None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return TriedFault.of(dict(zip(numbers, pool.map(answer, numbers), strict=True)))


def _output(program: Path, mutant: int) -> str:
    """What the testbench prints, which ends also where the design hangs.

    ToolFailed if the simulator gives up or takes too long."""
    try:
        code, output = child.run([str(program), f"+mutant={mutant}"], timeout=_LIMIT)
    except child.TimedOut:
        raise ToolFailed(f"mutant {mutant}: no end within {_LIMIT:g} s") from None
    if code != 0:
        raise ToolFailed(f"mutant {mutant}: the testbench ended with {code}\n{output[-2000:]}")
    return output


def _passes(output: str, count: int) -> bool:
    try:
        check.verdict(output, "Verilator", count)
    except CheckFailed:
        return False
    return True


def verify_catches(
    spec: Spec, faulty: Hdl, numbers: Sequence[int], cache: Cache, products: int
) -> TriedFault:
    """The mutants of those numbers with which `verify` finds a fault.

    CheckFailed if it finds one in the design without a mutant, ToolFailed if that ends its
    simulator."""
    interfaces = [place for place in INTERFACES if place[1] == "core" or spec.interface == "stream"]
    simulator = compile_simulator(designs(spec.multiplier, faulty)[: len(interfaces)], cache)
    own = spec.setting

    def wrong(mutant: int) -> bool:
        chosen = replace(simulator, arguments=(f"+mutant={mutant}",))
        tasks = plan.tasks(spec.multiplier, products, interfaces)
        return campaign.run(chosen, spec.multiplier, own, tasks, seed=1).wrong > 0

    if wrong(0):
        raise CheckFailed(f"{spec.multiplier.title}: verify finds a fault without a mutant")
    return _each(numbers, wrong)
