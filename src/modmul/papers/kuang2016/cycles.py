"""Clock cycles over random patterns: the hardware, simulated, and the model of it.

One pattern is a modulus, random, odd, of full width, and operands A, B uniform below it; each has a
modulus of its own.  All designs of a width get the same patterns.  Every product is compared with
the integers, and with the model, in value and in cycles."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from modmul.errors import CheckFailed
from modmul.export import hdl
from modmul.multipliers.oracle import contradicted
from modmul.multipliers.radix2.family import Radix2
from modmul.papers.kept import may_make
from modmul.papers.kuang2016.designs import DESIGNS, design, options
from modmul.papers.side_by_side import each
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification import simulator, stimuli
from modmul.verification.protocol import Drive, Request, Run
from modmul.verification.simulator import Simulator

PATTERNS = 10_000  # as in the paper
CHUNK = 250  # patterns simulated at a time, and kept
_SEED = 2016
CYCLES = Step("paper-cycles", __name__, JUDGED)


class Sample(NamedTuple):
    """Cycles of one design, counted as the paper does, over some patterns.

    modelled: mean of the golden model on the same operands."""

    patterns: int
    mean: float
    deviation: float
    modelled: float
    smallest: int
    largest: int

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.deviation / math.sqrt(self.patterns)


def draw(width: int, chunk: int, count: int) -> list[tuple[int, int, int]]:
    """N, A, B of one chunk; the same for all designs."""
    rng = random.Random(f"kuang2016 {width} {chunk}")
    found = []
    for _ in range(count):
        modulus = rng.getrandbits(width) | 1 | 1 << (width - 1)
        found.append((modulus, rng.randrange(modulus), rng.randrange(modulus)))
    return found


def sample(
    names: Sequence[str], width: int, count: int, *, jobs: int, cache: Cache, progress: Report
) -> dict[str, Sample]:
    """Simulate designs of one width on `count` patterns.  Where nothing may be made (see `kept`),
    those that are kept whole.  CheckFailed if a product is wrong, or is
    another or takes another time than the model says."""
    bench = _Bench(names, width, cache)
    tasks = [
        (name, chunk, min(CHUNK, count - chunk * CHUNK))
        for name in names
        for chunk in range(math.ceil(count / CHUNK))
    ]
    what = f"{width} bits, chunks of {CHUNK} products"
    chunks = each(lambda task: bench.chunk(*task), tasks, jobs=jobs, progress=progress, what=what)
    cycles: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
    missing = set()
    for (name, *_), found in zip(tasks, chunks, strict=True):
        cycles[name] += found or []
        missing |= set() if found else {name}
    return {
        name: _summary(pairs, DESIGNS[name].uncounted)
        for name, pairs in cycles.items()
        if name not in missing
    }


def _summary(pairs: Sequence[tuple[int, int]], uncounted: int) -> Sample:
    simulated = [cycles - uncounted for cycles, _ in pairs]
    return Sample(
        patterns=len(simulated),
        mean=statistics.fmean(simulated),
        deviation=statistics.stdev(simulated),
        modelled=statistics.fmean(model - uncounted for _, model in pairs),
        smallest=min(simulated),
        largest=max(simulated),
    )


class _Bench:
    """The designs of one width, compiled into one simulator when the first chunk is not known."""

    def __init__(self, names: Sequence[str], width: int, cache: Cache):
        self.names, self.width, self.cache = list(names), width, cache
        self.multipliers = {name: design(name, width) for name in names}
        self._pool = ThreadPoolExecutor(1)
        self._compiled: Simulator | None = None

    def chunk(self, name: str, chunk: int, count: int) -> list[tuple[int, int]] | None:
        """Cycles simulated and modelled, of one chunk; None as of `kept`."""
        step = CYCLES.of(type(self.multipliers[name]))
        key = {"spec": options(name, self.width), "chunk": chunk, "count": count}
        kept = self.cache.get(step, key)
        if kept is not None:
            return [(simulated, modelled) for simulated, modelled in kept["cycles"]]
        if not may_make(self.cache):
            return None
        pairs = self._run(name, draw(self.width, chunk, count))
        self.cache.put(step, key, {"cycles": pairs})
        return pairs

    def _simulator(self) -> Simulator:
        """Compiled by whoever comes first; the others wait."""
        return self._pool.submit(self._compile).result()

    def _compile(self) -> Simulator:
        if self._compiled is None:
            designs = []
            for multiplier in self.multipliers.values():
                text = hdl.emit(multiplier)
                designs.append(
                    simulator.Design(multiplier, text.verilog, text.core, "core", text.models)
                )
            self._compiled = simulator.compile_simulator(designs, self.cache)
        return self._compiled

    def _run(self, name: str, chosen: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
        multiplier, rng = self.multipliers[name], random.Random(_SEED)
        assert isinstance(multiplier, Radix2)
        drawn = [(n, stimuli.in_form(multiplier, [(a, b)], rng)) for n, a, b in chosen]
        runs = [Run(multiplier.over(n), products) for n, products in drawn]
        request = Request(
            multiplier, self.names.index(name), Drive("back to back", "core"), runs, 1
        )
        with self._simulator().start(seed=_SEED) as session:
            outcome = session.run(request)
        if outcome.complaints or len(outcome.values) != len(runs):
            raise CheckFailed(
                f"{multiplier.title}: {outcome.complaints[:1] or 'results are missing'}"
            )
        latencies = outcome.results["last"].astype(int) - outcome.taken["first"].astype(int) + 1
        pairs = []
        for run, value, latency in zip(runs, outcome.values, latencies.tolist(), strict=True):
            ((a, b),) = run.products
            modulus = run.setting.modulus
            if contradicted(run.setting, run.products, [value]):
                raise CheckFailed(f"{multiplier.title}: {a} * {b} mod {modulus} gave {value}")
            wanted = multiplier.run(a, b, modulus)
            modelled = sum(wanted.phases.values())
            if value != wanted.value or latency != modelled:
                raise CheckFailed(
                    f"{multiplier.title}: {a} * {b} mod {modulus} gave {value} in {latency} "
                    f"cycles, the model {wanted.value} in {modelled}"
                )
            pairs.append((latency, modelled))
        return pairs
