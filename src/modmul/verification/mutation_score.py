"""How many mutants the delivered testbench catches, and how many `verify` catches."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from modmul.errors import ToolFailed
from modmul.export import check, vectors
from modmul.export.hdl import Hdl, emit
from modmul.export.testbench import testbench
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification import campaign, plan
from modmul.verification.mutants import MODES, Mutant, mutated
from modmul.verification.simulator import Simulator, compile_simulator
from modmul.verification.stimuli import Loaded
from modmul.verification.verify import INTERFACES, designs

_LIMIT = 300.0  # seconds of one run of a testbench
PRODUCTS = 2000  # random ones of `verify`, after all its edges


@dataclass(frozen=True)
class Score:
    """products: of the testbench.  by_testbench, by_verify: the mutants that each caught; by_verify
    is None where it was asked only about those that the testbench missed.
    missed: by the testbench, while `verify` catches them.  silent: nobody catches them; perhaps
    they are the same function."""

    products: int
    mutants: tuple[Mutant, ...]
    by_testbench: int
    by_verify: int | None
    missed: tuple[Mutant, ...]
    silent: tuple[Mutant, ...]


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
    """Plant `count` mutants in what `build` emits for `spec`, and try each.

    products: random ones of `verify`; it is asked about those mutants that the testbench misses, or
    (`complete`) about all.  net, modes: see `mutated`.  CheckFailed if the design without a mutant
    fails, ToolFailed, ToolMissing."""
    hdl = emit(spec.multiplier)
    within = "" if spec.interface == "stream" else rf"^{hdl.core}"
    faulty, mutants = mutated(hdl, count, seed=seed, within=within, net=net, modes=modes)
    every = range(1, len(mutants) + 1)
    caught = bench_catches(spec, faulty, every, cache)
    asked = list(every) if complete else [number for number in every if number not in caught]
    verified = verify_catches(spec, faulty, asked, cache, products) if asked else set()
    named = dict(zip(every, mutants, strict=True))
    return Score(
        len(vectors.plan(spec).products),
        tuple(mutants),
        len(caught),
        len(verified) if complete else None,
        tuple(named[number] for number in every if number in verified - caught),
        tuple(named[number] for number in every if number not in verified | caught),
    )


def bench_catches(spec: Spec, faulty: Hdl, numbers: Sequence[int], cache: Cache) -> set[int]:
    """The mutants of those numbers with which the emitted testbench fails.

    CheckFailed if it fails without one."""
    name = "mutants"
    with tempfile.TemporaryDirectory(prefix="modmul-") as folder:
        work = Path(folder)
        sources = [work / f"{name}.v", *faulty.models, work / f"{name}_tb.v"]
        sources[0].write_text(faulty.verilog)
        sources[-1].write_text(testbench(spec, faulty, name, vectors.plan(spec), ""))
        program = check.compile_bench(sources, f"{name}_check", work, cache)
        check.verdict(_output(program, 0), "Verilator")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            outputs = list(pool.map(lambda number: _output(program, number), numbers))
    passed = re.compile("^PASS ", re.MULTILINE)
    return {n for n, text in zip(numbers, outputs, strict=True) if not passed.search(text)}


def _output(program: Path, mutant: int) -> str:
    """What the testbench prints; nothing if the simulator gives up or takes too long."""
    command = [str(program), f"+mutant={mutant}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout


def verify_catches(
    spec: Spec, faulty: Hdl, numbers: Sequence[int], cache: Cache, products: int
) -> set[int]:
    """The mutants of those numbers with which `verify` finds a fault."""
    interfaces = [one for one in INTERFACES if one[1] == "core" or spec.interface == "stream"]
    simulator = compile_simulator(designs(spec.multiplier, faulty)[: len(interfaces)], cache)

    def wrong(mutant: int) -> bool:
        chosen = replace(simulator, arguments=(f"+mutant={mutant}",))
        return _verified(spec, chosen, plan.tasks(spec.multiplier, products, interfaces))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(wrong, numbers))
    return {number for number, caught in zip(numbers, found, strict=True) if caught}


def _verified(spec: Spec, simulator: Simulator, tasks: Iterable[plan.Task]) -> bool:
    """Whether a fault was found; a simulator that gives up counts."""
    own = (
        None if spec.mode is None or spec.modulus is None else Loaded(spec.modulus.value, spec.mode)
    )
    try:
        return campaign.run(simulator, spec.multiplier, own, tasks, seed=1, jobs=1).wrong > 0
    except ToolFailed:
        return True
