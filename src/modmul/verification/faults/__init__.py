"""`verify --faults`: strikes the stored bits of a simulated design, and tells what comes of it.

Each run begins with a reset and a load.  Two operations follow: a fault strikes between the reset
and the end of the first one, and the second one shows what the fault leaves behind.  Results are
compared with those of the same run without a fault, which are compared with the integers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from queue import SimpleQueue
from typing import Annotated, Any, NamedTuple

import msgspec

from modmul.arithmetic import moduli
from modmul.design import Beat
from modmul.export import hdl
from modmul.processors.contract import Load
from modmul.spec import Spec
from modmul.toolchain.work import Work
from modmul.verification import stimuli as of_multipliers
from modmul.verification.campaign import in_order, on_idle, started
from modmul.verification.faults.pair import EFFECTS, Effect, Pair, Reply
from modmul.verification.faults.sites import FIELDS, STREAM, Place, Sites, struck
from modmul.verification.processors import stimuli as of_processors
from modmul.verification.processors.replay import PlainKey, plain_key
from modmul.verification.simulation import numerals
from modmul.verification.simulation.request import Subject
from modmul.verification.simulation.subjects import subject
from modmul.verification.streams import (
    StreamDesign,
    StreamOutcome,
    StreamSession,
    compile_streams,
)

STORAGES = ("flip-flop", "memory")
_PAIRS = 4  # of operations that are struck, for each operation of a design
_MOST_CASES = 20
_FLIP, _CLEAR, _SET, _HOLD = range(4)
_Cycles = Annotated[int, msgspec.Meta(ge=0, lt=1 << FIELDS["cycles"])]


KINDS = ("flip", "double-flip", "stuck", "skip")


class Fault(NamedTuple):
    """One fault.  kind: of `KINDS`.  action: what happens to the struck bits, as sites.v numbers
    it.  site: the number of the first bit.  span: so many neighbouring bits.  cycle: counted from
    the reset.  cycles: how long it lasts in a register."""

    kind: str
    action: int
    site: int
    span: int
    cycle: int
    cycles: int

    @property
    def beat(self) -> Beat:
        """The beat of the stream `fault`, which is offered in the cycle `cycle`."""
        return {
            "site": self.site,
            "span": self.span,
            "kind": self.action,
            "cycles": self.cycles,
        }

    def strike(self, session: StreamSession, pair: Pair) -> StreamOutcome:
        """Simulate a pair with this fault."""
        return session.strike(0, pair.exchange, STREAM, self.cycle, self.beat)


class Case(msgspec.Struct, frozen=True):
    """A fault with a silent or released result.  bit: the first one.  action, span, cycle, cycles:
    see `Fault`.  operands, results: of both operations, numbers as hexadecimal texts; a result is
    None if no whole packet came."""

    effect: Effect
    kind: str
    bit: str
    action: Annotated[int, msgspec.Meta(ge=_FLIP, le=_HOLD)]
    span: Annotated[int, msgspec.Meta(ge=1, lt=1 << FIELDS["span"])]
    cycle: _Cycles
    cycles: _Cycles
    operation: str
    operands: tuple[dict[str, Any], ...]
    results: tuple[dict[str, Any] | None, ...]


class Effects(msgspec.Struct, frozen=True):
    """How many faults of a kind had which effect.  storage: flip-flop or memory.  bits: how many
    there are."""

    kind: str
    storage: str
    bits: int
    faults: int
    counts: dict[Effect, int]


class FaultsResult(msgspec.Struct, frozen=True):
    """The results of a campaign.  spec: with what was loaded.  key: of RSA, if that was one.

    harmless: both results are right.  refused: the design reports `fault` or `exceptional` instead
    of a result, or the operation that is struck calls a right signature or point invalid.
    stopped: a packet has too few or too many beats.  released: refused or stopped, but numbers left
    that are no part of the right result.  silent: a wrong result without a report.  cases: the
    first of those that were released or silent."""

    spec: dict[str, Any]
    key: PlainKey | None
    title: str
    seed: int
    faults: int
    effects: tuple[Effects, ...]
    cases: tuple[Case, ...]


def inject(spec: Spec, faults: int, kinds: Sequence[str], seed: int, work: Work) -> FaultsResult:
    """Strike a design `faults` times, by faults of these kinds in turn, half of them in memories if
    it has any.  A spec without a modulus gets a random one.  Raises SpecError, ToolMissing,
    ToolFailed, and CheckFailed if a result is wrong without a fault."""
    rng = random.Random(seed)
    spec = _loaded(spec, rng)
    with _simulators(spec, seed, work) as (sites, sessions):
        session = sessions.get()
        pairs = [pair.with_results(session) for pair in _pairs(spec, rng)]
        sessions.put(session)

        tasks = ((each, each) for each in _faults(sites, pairs, faults, kinds, rng))
        strike = on_idle(sessions, _strike)
        tally = _Tally(sites)
        with ThreadPoolExecutor(work.jobs) as pool:
            for ((pair, fault), _), future in in_order(pool, strike, tasks, 2 * work.jobs):
                tally.add(pair, fault, future.result())
                work.progress("striking", tally.faults.total(), faults)
    return tally.result(spec, seed)


def inject_again(spec: Spec, seed: int, case: Case, work: Work) -> FaultsResult:
    """Run one case of a campaign again.  spec, seed: of the campaign, with what was loaded.  Raises
    SpecError if the design has no such bit or does not take the operands."""
    operation = subject(spec, case.operation)
    first, second = map(operation.read, case.operands)
    pair = Pair.of(operation, (first, second))
    with _simulators(spec, seed, replace(work, jobs=1)) as (sites, sessions):
        site = sites.site(case.bit)
        fault = Fault(case.kind, case.action, site, case.span, case.cycle, case.cycles)
        session = sessions.get()
        pair = pair.with_results(session)
        tally = _Tally(sites)
        tally.add(pair, fault, fault.strike(session, pair))
        sessions.put(session)
    return tally.result(spec, seed)


@contextmanager
def _simulators(
    spec: Spec, seed: int, work: Work
) -> Iterator[tuple[Sites, SimpleQueue[StreamSession]]]:
    """The stored bits of a design, and simulators in which they can be struck."""
    written = hdl.emit(spec.design)
    work.progress("compiling the simulator", 0, 1)
    design, sites = struck(StreamDesign.of(spec.design, "stream", written))
    simulator = compile_streams([design], work.cache)
    work.progress("compiling the simulator", 1, 1)
    with started(lambda: simulator.start(seed=seed), work.jobs) as sessions:
        yield sites, sessions


def _strike(session: StreamSession, struck: tuple[Pair, Fault]) -> StreamOutcome:
    pair, fault = struck
    return fault.strike(session, pair)


# ---- what is struck ------------------------------------------------------------------------------


def _loaded(spec: Spec, rng: random.Random) -> Spec:
    """The spec with what is loaded: its own, or else a random modulus, curve or key."""
    if spec.modulus is not None or spec.design.modulus_at == "none":
        return spec
    if spec.design.role == "processor":
        load = of_processors.random_load(spec.processor, rng)
    else:
        mode = of_multipliers.random_mode(spec.multiplier, rng)
        load = Load(of_multipliers.random_setting(spec.multiplier, mode, rng).modulus, mode.field)
    return replace(spec, modulus=moduli.of(load.modulus, load.field), curve=load.curve)


def _pairs(spec: Spec, rng: random.Random) -> Iterator[Pair]:
    """Pairs of random operations, `_PAIRS` for each operation of the design."""
    if spec.design.role == "multiplier":
        names = spec.multiplier.operations
    else:
        assert spec.load is not None
        names = spec.processor.operations_on(spec.load)
    for name in names:
        operation = subject(spec, name)
        for _ in range(_PAIRS):
            first, second = (operation.read(_operands(operation, rng)) for _ in range(2))
            yield Pair.of(operation, (first, second))


def _operands(operation: Subject, rng: random.Random) -> Mapping[str, object]:
    spec, load = operation.spec, operation.spec.load
    if spec.design.role == "multiplier":
        rules = operation.rules(spec)
        return {rule.name: rng.randrange(rule.least, rule.below or 1) for rule in rules}
    assert load is not None
    mode = spec.processor.mode(operation.operation, load)
    return of_processors.job_of(spec.processor, mode, load, rng).operands


def _faults(
    sites: Sites, pairs: Sequence[Pair], faults: int, kinds: Sequence[str], rng: random.Random
) -> Iterator[tuple[Pair, Fault]]:
    """Faults at random bits and cycles.  Memories have flips only."""
    struck = [
        (kind, storage)
        for kind in kinds
        for storage in STORAGES
        if sites.of(storage) and (storage == "flip-flop" or "flip" in kind)
    ]
    for number in range(faults):
        kind, storage = struck[number % len(struck)]
        pair = pairs[number // len(struck) % len(pairs)]
        places = sites.of(storage)
        place = rng.choices(places, [place.size for place in places])[0]
        yield pair, _fault(kind, place, pair, rng)


def _fault(kind: str, place: Place, pair: Pair, rng: random.Random) -> Fault:
    """Draw a fault of this kind.  A stuck bit is 0 or 1 until the first operation ends; a skip
    keeps the whole register for one cycle."""
    site, cycle = place.base + rng.randrange(place.size), rng.randrange(pair.ends)
    match kind:
        case "stuck":
            return Fault(kind, rng.choice((_CLEAR, _SET)), site, 1, cycle, pair.ends - cycle)
        case "skip":
            return Fault(kind, _HOLD, place.base, place.width, cycle, 1)
    return Fault(kind, _FLIP, site, 2 if kind == "double-flip" else 1, cycle, 1)


# ---- what came of it -----------------------------------------------------------------------------


class _Tally:
    """Counts effects, and keeps the first cases."""

    def __init__(self, sites: Sites):
        self.sites = sites
        self.faults: Counter[tuple[str, str, Effect]] = Counter()
        self.cases: list[Case] = []

    def add(self, pair: Pair, fault: Fault, outcome: StreamOutcome) -> None:
        effect, replies = pair.effect(outcome)
        self.faults[fault.kind, self.sites.place(fault.site).storage, effect] += 1
        if effect in ("released", "silent") and len(self.cases) < _MOST_CASES:
            case = Case(
                effect=effect,
                kind=fault.kind,
                bit=str(self.sites.bit(fault.site)),
                action=fault.action,
                span=fault.span,
                cycle=fault.cycle,
                cycles=fault.cycles,
                operation=pair.subject.operation,
                operands=tuple(_numbers(request.operands) for request in pair.requests),
                results=tuple(_result(reply) for reply in replies),
            )
            self.cases.append(case)

    def result(self, spec: Spec, seed: int) -> FaultsResult:
        key = None if spec.load is None else plain_key(spec.load.modulus)
        effects, cases = tuple(self.effects()), tuple(self.cases)
        total = self.faults.total()
        return FaultsResult(spec.options(), key, spec.title, seed, total, effects, cases)

    def effects(self) -> Iterator[Effects]:
        for kind, storage in dict.fromkeys((kind, storage) for kind, storage, _ in self.faults):
            bits = sum(place.size for place in self.sites.of(storage))
            counts = {effect: self.faults[kind, storage, effect] for effect in EFFECTS}
            yield Effects(kind, storage, bits, sum(counts.values()), counts)


def _numbers(numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: numerals.written(value) for name, value in numbers.items()}


def _result(reply: Reply) -> dict[str, Any] | None:
    return None if reply is None else _numbers(reply)
