"""Clock cycles over random patterns: the hardware, simulated, and the model of it.

One pattern is a modulus, random, odd, of full width, and operands A, B uniform below it; each has a
modulus of its own.  All designs of a width get the same patterns.  Every product is compared with
the integers and with the model, in value and in cycles (`observe`)."""

from __future__ import annotations

import functools
import math
import random
import statistics
from collections.abc import Mapping, Sequence
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
CYCLES = Step("paper-cycles", JUDGED)
Chunk = tuple[str, int, int]  # name and width of a design, and place of the chunk
Chunks = Mapping[Chunk, list[tuple[int, int]]]  # cycles simulated and modelled


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


def chunks(
    names: Sequence[str], width: int, count: int = PATTERNS
) -> dict[Chunk, Need[list[tuple[int, int]]]]:
    """Cycles simulated and modelled of each pattern, for all designs of a width; these are compiled
    into one simulator when the first chunk is missing.  CheckFailed if a product is wrong, or is
    another or takes another time than the model says."""
    multipliers, lock = {name: design(name, width) for name in names}, Lock()

    @functools.cache
    def compiled(cache: Cache) -> Simulator:
        return compile_cores([*multipliers.values()], cache)

    def need(name: str, place: int) -> Need[list[tuple[int, int]]]:
        multiplier, size = multipliers[name], min(CHUNK, count - place * CHUNK)

        def simulate(run: Measuring) -> list[tuple[int, int]]:
            with lock:  # whoever comes first compiles, the others wait
                simulator = compiled(run.cache)
            rng = random.Random(_SEED)
            runs = [
                ModulusRun(multiplier.over(n), stimuli.in_form(multiplier, [(a, b)], rng))
                for n, a, b in draw(width, place, size)
            ]
            with simulator.start(seed=_SEED) as session:
                schedule = observe(session, names.index(name), runs).schedule
            modelled = [run.setting.latency_of(*run.products[0]) for run in runs]
            return list(zip(schedule.latencies, modelled, strict=True))

        key = {"spec": options(name, width), "chunk": place, "count": size}
        return Need(CYCLES, key, list[tuple[int, int]], simulate)

    places = range(math.ceil(count / CHUNK))
    return {(name, width, place): need(name, place) for name in names for place in places}


def sampled(results: Chunks, name: str, width: int, count: int = PATTERNS) -> Sample | None:
    """The sample of a design; None if one of its chunks is missing."""
    parts = [results.get((name, width, place)) for place in range(math.ceil(count / CHUNK))]
    if None in parts:
        return None
    return summary([pair for part in parts for pair in part or ()], DESIGNS[name].uncounted)


def summary(pairs: Sequence[tuple[int, int]], uncounted: int) -> Sample:
    """Of cycles simulated and modelled."""
    simulated = [cycles - uncounted for cycles, _ in pairs]
    return Sample(
        patterns=len(simulated),
        mean=statistics.fmean(simulated),
        deviation=statistics.stdev(simulated),
        modelled=statistics.fmean(model - uncounted for _, model in pairs),
        smallest=min(simulated),
        largest=max(simulated),
    )
