"""Clock cycles over random patterns: the hardware, simulated, and the model of it.

One pattern is a modulus, random, odd, of full width, and operands A, B uniform below it; each has a
modulus of its own.  All designs of a width get the same patterns.  Every product is compared with
the integers and with the model, in value and in cycles (`observe`)."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

from modmul.papers.kuang2016.designs import DESIGNS, design, options
from modmul.papers.needs import Measuring, Need
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification import stimuli
from modmul.verification.observed import compile_cores, observe
from modmul.verification.protocol import ModulusRun
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
    patterns = []
    for _ in range(count):
        modulus = rng.getrandbits(width) | 1 | 1 << (width - 1)
        patterns.append((modulus, rng.randrange(modulus), rng.randrange(modulus)))
    return patterns


def sample(names: Sequence[str], width: int, count: int, run: Measuring) -> dict[str, Sample]:
    """Simulate designs of one width on `count` patterns; those of which a part is neither in the
    cache nor may be measured are left out.  CheckFailed if a product is wrong, or is another or
    takes another time than the model says."""
    bench = _Bench(names, width)
    chunks = {
        (name, place): bench.chunk(name, place, min(CHUNK, count - place * CHUNK))
        for name in names
        for place in range(math.ceil(count / CHUNK))
    }
    results = run.fill(f"{width} bits, chunks of {CHUNK} products", chunks)
    samples = {}
    for name in names:
        parts = [results.get(chunk) for chunk in chunks if chunk[0] == name]
        if None not in parts:
            pairs = [pair for part in parts for pair in part or ()]
            samples[name] = _summary(pairs, DESIGNS[name].uncounted)
    return samples


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
    """The designs of one width, compiled into one simulator when the first chunk is missing."""

    def __init__(self, names: Sequence[str], width: int):
        self.names, self.width = list(names), width
        self.multipliers = {name: design(name, width) for name in names}
        self._lock = Lock()
        self._compiled: Simulator | None = None

    def chunk(self, name: str, place: int, count: int) -> Need[list[tuple[int, int]]]:
        """Cycles simulated and modelled, of one chunk."""
        return Need(
            CYCLES.of(type(self.multipliers[name])),
            {"spec": options(name, self.width), "chunk": place, "count": count},
            list[tuple[int, int]],
            lambda run: self._cycles(name, draw(self.width, place, count), run.cache),
        )

    def _simulator(self, cache: Cache) -> Simulator:
        """Compiled by whoever comes first; the others wait."""
        with self._lock:
            if self._compiled is None:
                self._compiled = compile_cores([*self.multipliers.values()], cache)
            return self._compiled

    def _cycles(
        self, name: str, chosen: list[tuple[int, int, int]], cache: Cache
    ) -> list[tuple[int, int]]:
        multiplier, rng = self.multipliers[name], random.Random(_SEED)
        runs = [
            ModulusRun(multiplier.over(n), stimuli.in_form(multiplier, [(a, b)], rng))
            for n, a, b in chosen
        ]
        with self._simulator(cache).start(seed=_SEED) as session:
            schedule = observe(session, self.names.index(name), runs).schedule
        pairs = zip(runs, schedule.latencies, strict=True)
        return [(latency, run.setting.latency_of(*run.products[0])) for run, latency in pairs]
