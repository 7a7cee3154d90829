"""How many mutants the delivered testbench catches, and how many `verify` catches."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
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
from modmul.verification.mutants import Mutant, mutated
from modmul.verification.simulator import Simulator, compile_simulator
from modmul.verification.stimuli import Loaded
from modmul.verification.verify import INTERFACES, designs

_LIMIT = 300.0  # seconds of one run of a testbench
PRODUCTS = 4000  # random ones of `verify`, after all its edges


@dataclass(frozen=True)
class Score:
    """products: of the testbench.  by_testbench, by_verify: the mutants that each caught."""

    products: int
    mutants: tuple[Mutant, ...]
    by_testbench: frozenset[Mutant]
    by_verify: frozenset[Mutant]

    @property
    def missed(self) -> list[Mutant]:
        """What `verify` catches and the testbench does not."""
        return [one for one in self.mutants if one in self.by_verify - self.by_testbench]

    @property
    def silent(self) -> list[Mutant]:
        """What nobody catches: perhaps the same function."""
        return [one for one in self.mutants if one not in self.by_verify | self.by_testbench]


def score(
    spec: Spec,
    count: int,
    cache: Cache,
    *,
    seed: int = 1,
    products: int = PRODUCTS,
) -> Score:
    """Plant `count` mutants in what `build` emits for `spec`, and try each.

    products: random ones of `verify`, which is asked about every mutant.  CheckFailed if the design
    without a mutant fails, ToolFailed, ToolMissing."""
    hdl = emit(spec.multiplier)
    within = "" if spec.interface == "stream" else rf"^{hdl.core}"
    faulty, mutants = mutated(hdl, count, seed=seed, within=within)
    caught = bench_catches(spec, faulty, len(mutants), cache)
    verified = verify_catches(spec, faulty, len(mutants), cache, products)
    return Score(
        len(vectors.plan(spec).products),
        tuple(mutants),
        frozenset(one for one, found in zip(mutants, caught, strict=True) if found),
        frozenset(one for one, found in zip(mutants, verified, strict=True) if found),
    )


def bench_catches(spec: Spec, faulty: Hdl, count: int, cache: Cache) -> list[bool]:
    """Whether the emitted testbench fails, for mutants 1 to `count`.

    CheckFailed if it fails without one."""
    name = "mutants"
    with tempfile.TemporaryDirectory(prefix="modmul-") as folder:
        work = Path(folder)
        sources = [work / f"{name}.v", *faulty.models, work / f"{name}_tb.v"]
        sources[0].write_text(faulty.verilog)
        sources[-1].write_text(testbench(spec, faulty, name, vectors.plan(spec), []))
        program = check.compile_bench(sources, f"{name}_check", work, cache)
        check.verdict(_output(program, 0), "Verilator")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            outputs = list(pool.map(lambda one: _output(program, one), range(1, count + 1)))
    return [re.search("^PASS ", output, re.MULTILINE) is None for output in outputs]


def _output(program: Path, mutant: int) -> str:
    """What the testbench prints; nothing if the simulator gives up or takes too long."""
    command = [str(program), f"+mutant={mutant}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout


def verify_catches(spec: Spec, faulty: Hdl, count: int, cache: Cache, products: int) -> list[bool]:
    """Whether `verify` finds a fault, for mutants 1 to `count`."""
    interfaces = [one for one in INTERFACES if one[1] == "core" or spec.interface == "stream"]
    simulator = compile_simulator(designs(spec.multiplier, faulty)[: len(interfaces)], cache)

    def wrong(mutant: int) -> bool:
        chosen = replace(simulator, arguments=(f"+mutant={mutant}",))
        return _verified(spec, chosen, products, [number for number, _ in interfaces])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(wrong, range(1, count + 1)))


def _verified(spec: Spec, simulator: Simulator, products: int, numbers: Sequence[int]) -> bool:
    """Whether a fault was found; a simulator that gives up counts."""
    multiplier, own = spec.multiplier, None
    if spec.modulus is not None:
        value = spec.modulus.value
        own = Loaded(value, multiplier.mode_for(value, spec.modulus.field))
    tasks = plan.tasks(multiplier, products, [INTERFACES[number] for number in numbers])
    try:
        return campaign.run(simulator, multiplier, own, tasks, seed=1, jobs=1).wrong > 0
    except ToolFailed:
        return True
