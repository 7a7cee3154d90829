"""What no architecture of today has: carry-save, data-dependent latency, plain products.

The first one also has a core that drops what is in flight although its latency is not constant."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from modmul.export.hdl import emit
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.ranges import Bound
from modmul.multipliers.signature import core_signature
from modmul.operation import Cycles, Mode
from modmul.toolchain.cache import Cache
from modmul.verification import campaign, plan
from modmul.verification.products import designs
from modmul.verification.simulator import Simulator, compile_simulator


@dataclass(frozen=True, kw_only=True)
class Wandering(Multiplier):
    """a*b mod N in carry-save form; takes as many cycles more as the low bits of a say."""

    name = "wandering"
    summary = "a product that takes its time"
    operand_form = "carry-save"
    result_form = "carry-save"
    radix = 2
    montgomery_factor = 1
    beats = 1
    timing = "data-dependent"
    reload = "flushes"

    @property
    def beat(self) -> int:
        return self.width

    @property
    def operand_limit(self) -> Bound:
        return Bound(1)

    @property
    def result_limit(self) -> Bound:
        return Bound(1)

    def constants(self, modulus: int) -> list[Constant]:
        return [Constant("modulus", modulus)]

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        return {"load": Cycles.constant(2), "wait": Cycles(0, 3.5, 7)}

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles(2, 5.5, 9)

    def compute(self, a: Any, b: Any, modulus: int) -> Any:
        result = sum(a) * sum(b) % modulus
        return result & 0x55, result & 0xAA

    def latency_of(self, a: Any, b: Any, modulus: int) -> int:
        return 2 + sum(a) % 8

    def core_forecast(self) -> Forecast:
        raise NotImplementedError("nobody plans with it")

    def create(self) -> wiring.Component:
        return _Wandering(self)


class _Wandering(wiring.Component):
    def __init__(self, parameters: Multiplier):
        self.parameters = parameters
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        n = self.parameters.width
        modulus, a, b = Signal(n, init=1), Signal(n), Signal(n)
        busy, left, result = Signal(), Signal(3), Signal(n)
        given = self.operand.p
        m.d.comb += [
            self.operand.ready.eq(~busy),
            self.modulus.ready.eq(1),
            result.eq((a * b) % modulus),
            self.result.valid.eq(busy & (left == 0)),
            self.result.p.first.eq(1),
            self.result.p.last.eq(1),
            self.result.p.data.eq(result & 0x55),
            self.result.p.carry.eq(result & 0xAA),
        ]
        with m.If(busy):
            m.d.sync += left.eq(left - 1)
            with m.If(left == 0):
                m.d.sync += busy.eq(0)
        with m.Elif(self.operand.valid):
            total = Signal(n)
            m.d.comb += total.eq(given.a + given.a_carry)
            m.d.sync += [busy.eq(1), a.eq(total), left.eq(total), b.eq(given.b + given.b_carry)]
        with m.If(self.modulus.valid):
            m.d.sync += [modulus.eq(self.modulus.p.data), busy.eq(0)]
        return m


@dataclass(frozen=True, kw_only=True)
class Plain(Multiplier):
    """a*b, operands in two beats, the product in two twice as wide."""

    name = "plain"
    summary = "a plain product"
    kind = "plain"
    modulus_at = "none"
    radix = 2
    montgomery_factor = None
    beats = 2

    @property
    def beat(self) -> int:
        return self.width // 2

    @property
    def result_beat(self) -> int:
        return self.width

    @property
    def operand_limit(self) -> Bound:
        return Bound(1 << self.width, "1")

    @property
    def result_limit(self) -> Bound:
        return Bound(1 << 2 * self.width, "1")

    def constants(self, modulus: int) -> list[Constant]:
        return []

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        return {"load": Cycles.constant(2), "unload": Cycles.constant(2)}

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(2)

    def compute(self, a: int, b: int, modulus: int) -> int:
        return a * b

    def core_forecast(self) -> Forecast:
        raise NotImplementedError("nobody plans with it")

    def create(self) -> wiring.Component:
        return _Plain(self)


class _Plain(wiring.Component):
    def __init__(self, parameters: Multiplier):
        self.parameters = parameters
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat = self.parameters.beat
        a, b, product, phase = Signal(beat), Signal(beat), Signal(4 * beat), Signal(2)
        given = self.operand.p
        m.d.comb += [
            self.operand.ready.eq(1),
            self.result.valid.eq(phase != 0),
            self.result.p.first.eq(phase == 1),
            self.result.p.last.eq(phase == 2),
            self.result.p.data.eq(product),
        ]
        m.d.sync += [phase.eq(0), product.eq(product >> 2 * beat)]
        with m.If(phase == 1):
            m.d.sync += phase.eq(2)
        with m.If(self.operand.valid & given.first):
            m.d.sync += [a.eq(given.a), b.eq(given.b)]
        with m.If(self.operand.valid & given.last):
            value = (a | given.a << beat) * (b | given.b << beat)
            m.d.sync += [product.eq(value), phase.eq(1)]
        return m


MULTIPLIERS: list[Multiplier] = [Wandering(width=8), Plain(width=34)]


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    both = [designs(multiplier, emit(multiplier)) for multiplier in MULTIPLIERS]
    return compile_simulator(list(itertools.chain(*both)), Cache())


@pytest.mark.parametrize("multiplier", MULTIPLIERS, ids=lambda multiplier: multiplier.name)
def test_it_is_verified_like_any_other(multiplier: Multiplier, simulator: Simulator) -> None:
    number = 2 * MULTIPLIERS.index(multiplier)
    tasks = plan.tasks(multiplier, 20000, [(number, "core"), (number + 1, "stream")])
    tally = campaign.run(simulator, multiplier, None, tasks, 1)
    assert tally.failed is None, tally.failed[1].mismatches[:3]
    assert tally.products >= 20000
    latency = multiplier.latency()
    measured = tally.latency[Mode()]
    assert (measured.smallest, measured.largest) == (latency.minimum, latency.maximum)
    assert (tally.dropped > 0) == (multiplier.reload == "flushes")


class Hasty(Wandering):
    """Says of every product that it takes the shortest time."""

    def latency_of(self, a: Any, b: Any, modulus: int) -> int:
        return 2


def test_the_time_of_a_product_must_be_the_declared_one(simulator: Simulator) -> None:
    tasks = plan.tasks(Hasty(width=8), 100, [(0, "core")])
    tally = campaign.run(simulator, Hasty(width=8), None, tasks, 1)
    assert tally.failed is not None
    assert "golden model takes 2" in tally.failed[1].mismatches[0].message
