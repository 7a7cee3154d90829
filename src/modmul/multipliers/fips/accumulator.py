"""The accumulator: adds products to a column, and moves it down by a word when it is complete."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.carry_save import masked
from modmul.blocks.dual_field import dual_add
from modmul.multipliers.fips.controller import Lane
from modmul.multipliers.fips.parameters import FipsParameters


class ColumnAccumulator:
    """The register `value`, which is 0 after `finished`.

    sum: the output of the adder, before the shift; top: the bit above its lowest word.  following:
    what the register takes, shifted or not.

    Driven by the caller: column_ends; finished, when the last column of a product ends.  later:
    returns a control bit some cycles later, under that name."""

    def __init__(
        self,
        m: Module,
        p: FipsParameters,
        binary: Value,
        column_ends: Value,
        finished: Value,
        later: Callable[[Value, int, str], Value],
    ):
        self.m, self.parameters, self.binary, self.later = m, p, binary, later
        self.column_ends, self.finished = column_ends, finished
        self.value = Signal(p.accumulator_bits, name="accumulator")
        self.sum = Signal(p.accumulator_bits, name="sum")
        self.top = Signal(name="sum_top")
        self.following = Signal(p.accumulator_bits, name="accumulator_next")

    def add(self, lanes: Sequence[Lane], products: Sequence[Signal]) -> None:
        """Add the products of the lanes; behind the last product of a column, begin the next."""
        m, p = self.m, self.parameters
        addends = [
            self._addend(lane, product, number)
            for number, (lane, product) in enumerate(zip(lanes, products, strict=True))
        ]
        first, second = self.value, addends[0]
        if len(addends) == 2:
            carries = (first & second) | (first & addends[1]) | (second & addends[1])
            first = self._named(first ^ second ^ addends[1], "carry_save_sum")
            second = self._named(Cat(Const(0, 1), self._gated(carries)[:-1]), "carry_save_carry")
        if p.operand_register:
            self._sum_in_segments(first, second)
        else:
            sum_ = self._plus(first, second, "sum_in_field")
            m.d.comb += [self.sum.eq(sum_), self.top.eq(sum_[p.word])]
        m.d.comb += self.following.eq(Mux(self.column_ends, self.sum[p.word :], self.sum))
        m.d.sync += self.value.eq(self.following)
        with m.If(self.finished):
            m.d.sync += self.value.eq(0)

    def _plus(
        self,
        first: Value,
        second: Value,
        name: str,
        width: int | None = None,
        carry: Value | None = None,
    ) -> Signal:
        """The sum in the field; behind a row of full adders, `second` is 0 in GF(2^m)."""
        field = self.binary if self.parameters.schedule.multipliers == 1 else Const(0, 1)
        return dual_add(self.m, first, second, field, name, width, carry)

    def _sum_in_segments(self, first: Value, second: Value) -> None:
        """Add with short carry chains: the carry out of each word waits for the next clock.

        Therefore the lowest word of `sum` is right in every clock, and no other is ever read.  The
        lowest word of the accumulator may lack the carry that was shifted down with it."""
        m, word, total = self.m, self.parameters.word, self.parameters.accumulator_bits
        starts = range(0, total, word)
        carries = Signal(len(starts) - 1, name="carries")  # out of each word but the last
        waiting = Signal(len(starts), name="carries_waiting")  # into each word
        parts = []
        for place, start in enumerate(starts):
            stop = min(start + word, total)
            words = (first[start:stop], second[start:stop])
            width = stop - start + 1
            parts.append(self._plus(*words, f"sum_{place}", width, waiting[place]))
        m.d.comb += [
            self.sum.eq(Cat(part[:-1] for part in parts)),
            carries.eq(Cat(part[-1] for part in parts[:-1])),
            self.top.eq(self.sum[word] | carries[0]),
        ]
        m.d.sync += waiting.eq(Mux(self.column_ends, carries, Cat(Const(0, 1), carries)))
        with m.If(self.finished):
            m.d.sync += waiting.eq(0)

    def _named(self, value: Value, name: str) -> Signal:
        signal = Signal(self.parameters.accumulator_bits, name=name)
        self.m.d.comb += signal.eq(value)
        return signal

    def _gated(self, value: Value) -> Value:
        """`value` for integers, 0 for polynomials."""
        if not self.parameters.binary:
            return value
        if not self.parameters.prime:
            return Const(0, len(value))
        return masked(value, ~self.binary)

    def _addend(self, lane: Lane, product: Signal, number: int) -> Signal:
        """The product, moved up by the words that it is ahead; 0 for quotients and for
        none."""
        p, schedule = self.parameters, self.parameters.schedule
        terms = []
        adds = Signal(name=f"lane_{number}_adds")
        self.m.d.comb += adds.eq(lane.valid & ~lane.quotient)
        for ahead in range(schedule.lookahead + 1):
            chosen = Signal(name=f"lane_{number}_ahead_{ahead}")
            self.m.d.comb += chosen.eq(adds & (lane.ahead == ahead))
            chosen = self.later(chosen, schedule.stages + 1, f"lane_{number}_ahead_{ahead}")
            terms.append(Cat(Const(0, ahead * p.word), masked(product, chosen)))
        value = _any(terms)
        addend = Signal(len(value), name=f"lane_{number}_addend")
        self.m.d.comb += addend.eq(value)
        if not schedule.addend_register:
            return addend
        register = Signal(len(value), name=f"lane_{number}_addend_reg")
        self.m.d.sync += register.eq(addend)
        return register


def _any(terms: list[Value]) -> Value:
    value = terms[0]
    for term in terms[1:]:
        value = value | term
    return value
