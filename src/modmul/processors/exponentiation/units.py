"""The multipliers of the processor, with what has to be known of the products in flight."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.multipliers.contract import Multiplier
from modmul.processors.exponentiation.storage import StoredNumber

_IN_FLIGHT = 2


class Unit:
    """A bare core, and the way of its results to the numbers.

    words: of a number, if the core takes words, else None.
    Driven by the caller: start (the core takes the first beat of a product), target (the number, 0
    or 1, that receives the result), begin (an exponentiation begins, and no product is in flight).
    Outputs: arrived (the first beats of all results have come, the last of them perhaps in this
    cycle), finished (the same of last beats), load (for each number), index and data (the beat of a
    result that comes now), unsettled (by the counters, a product is in flight)."""

    NOTES: ClassVar[dict[str, str]] = {
        "multiplier_[01]": "",
        "multiplier_[01]_operand_valid": "a beat of operands is offered to this multiplier",
        "multiplier_[01]_operand_ready": "this multiplier takes a beat of operands",
        "multiplier_[01]_operand_first": "index is 0: a first beat",
        "multiplier_[01]_operand_a": "the first operand: X0, or X1 for its square",
        "multiplier_[01]_operand_b": "the second operand: X1, or X0 for its square",
        "multiplier_[01]_operand_[ab]_carry": "carry vector of that operand",
        "multiplier_[01]_start": "this multiplier takes the first beat of a product",
        "multiplier_[01]_target": "target: the number that receives the result, 0 for X0, 1 for X1",
        "multiplier_[01]_modulus_valid": "a constant of the modulus is offered to this multiplier",
        "multiplier_[01]_modulus_ready": "this multiplier takes a constant of the modulus",
        "multiplier_[01]_modulus_first": "index is 0: the first constant",
        "multiplier_[01]_result_valid": "a beat of a result comes",
        "multiplier_[01]_result_first": "this beat begins the result",
        "multiplier_[01]_result_last": "this beat ends it",
        "multiplier_[01]_result_data": "bits of this beat",
        "multiplier_[01]_result_index": "number of the next beat of a result",
        "multiplier_[01]_unarrived": "products in it of whose results no beat has come",
        "multiplier_[01]_no_unarrived": "the first beats of all results have come, the last "
        "perhaps now",
        "multiplier_[01]_unfinished": "products in it of whose results the last beat has not come",
        "multiplier_[01]_no_unfinished": "all results have come, the last beat perhaps now",
        "multiplier_[01]_targets": "how many targets wait for their results",
        "multiplier_[01]_targets_left": "targets that go on waiting, when a result begins to come",
        "multiplier_[01]_target_0": "target of the next result",
        "multiplier_[01]_target_1": "target of the result after it",
        "multiplier_[01]_kept_target": "target of the beat of a result that came last",
        "multiplier_[01]_present_target": "target of the beat that comes",
        "multiplier_[01]_begin": "a command is taken, while no product is computed",
    }

    def __init__(self, m: Module, multiplier: Multiplier, name: str, words: int | None):
        self.core: wiring.Component = multiplier.create()
        m.submodules[name] = self.core
        self.m, self.name = m, name
        self.result = self.core.result
        self.start = Signal(name=f"{name}_start")
        self.target = Signal(name=f"{name}_target")
        self.begin = Signal(name=f"{name}_begin")
        self.counters: list[Signal] = []
        first = self.result.valid & self.result.p.first
        last = self.result.valid & self.result.p.last
        self.arrived = self._all_here(first, "unarrived")
        self.finished = self.arrived
        self.index: Value | None = None
        if words is not None:
            self.finished = self._all_here(last, "unfinished")
            self.index = Signal(range(words), name=f"{name}_result_index")
            with m.If(self.result.valid):
                m.d.sync += self.index.eq(Mux(self.result.p.last, 0, self.index + 1))
        self.load = self._loads(first)
        self.unsettled = Cat(self.counters).any()
        with m.If(self.begin):
            m.d.sync += [counter.eq(0) for counter in self.counters]
        self.data = [self.result.p.data]
        if multiplier.result_form == "carry-save":
            self.data.append(self.result.p.carry)

    def _all_here(self, come: Value, name: str) -> Signal:
        m = self.m
        count = Signal(range(_IN_FLIGHT + 1), name=f"{self.name}_{name}")
        self.counters.append(count)
        with m.If(self.start & ~come):
            m.d.sync += count.eq(count + 1)
        with m.Elif(come & ~self.start):
            m.d.sync += count.eq(count - 1)
        none_left = Signal(name=f"{self.name}_no_{name}")
        m.d.comb += none_left.eq((count == 0) | ((count == 1) & come))
        return none_left

    def _loads(self, first: Value) -> list[Value]:
        """Return, for each number, whether the beat that comes belongs to it.

        Targets wait in a queue of two; the target of a result in progress is kept apart."""
        m, name = self.m, self.name
        queue = [Signal(name=f"{name}_target_{place}") for place in range(_IN_FLIGHT)]
        waiting = Signal(range(_IN_FLIGHT + 1), name=f"{name}_targets")
        self.counters.append(waiting)
        after = Signal.like(waiting, name=f"{name}_targets_left")
        m.d.comb += after.eq(waiting - first)
        m.d.sync += waiting.eq(after + self.start)
        with m.If(first):
            m.d.sync += queue[0].eq(queue[1])
        with m.If(self.start & (after == 0)):
            m.d.sync += queue[0].eq(self.target)
        with m.If(self.start & (after == 1)):
            m.d.sync += queue[1].eq(self.target)
        present = Signal(name=f"{name}_present_target")
        kept = Signal(name=f"{name}_kept_target")
        m.d.comb += present.eq(Mux(first, queue[0], kept))
        m.d.sync += kept.eq(present)
        return [self.result.valid & ~present, self.result.valid & present]


def route(m: Module, units: list[Unit], numbers: list[StoredNumber]) -> None:
    """Connect the results of the multipliers to the numbers."""
    for place, number in enumerate(numbers):
        loads = [unit.load[place] for unit in units]
        m.d.comb += number.load.eq(Cat(loads).any())
        for vector, loaded in enumerate(number.loaded):
            m.d.comb += loaded.eq(_from(loads, [unit.data[vector] for unit in units]))
        if number.load_index is not None:
            m.d.comb += number.load_index.eq(_from(loads, [unit.index for unit in units]))


def _from(loads: list[Value], values: list[Value]) -> Value:
    return values[0] if len(values) == 1 else Mux(loads[1], values[1], values[0])
