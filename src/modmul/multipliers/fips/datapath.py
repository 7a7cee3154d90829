"""Memories, multipliers and accumulator: read, multiply, add.

A bundle issued in clock t reads its words in t, multiplies from t + 1 to t + stages, and is added
in t + stages + 1 (from four stages on, one clock later), where the column is shifted by a word if
it is complete.

Source: dualfips, sections 5.1 and 5.2 (paths with one and two multipliers).
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.carry_save import masked
from modmul.blocks.dual_field import DualFieldMultiplier, dual_add
from modmul.blocks.memory import SimpleDualPort
from modmul.multipliers.fips.controller import Controller, Lane
from modmul.multipliers.fips.cursor import Shape
from modmul.multipliers.fips.schedule import Schedule
from modmul.targets import Target


@dataclass(frozen=True)
class Build:
    """What the circuit is made of.  accumulator: its bits.  prime, binary: fields.  subtract: the
    modulus is subtracted at the end where the result is not below it.  dsp: integer products on
    hard multipliers."""

    chip: Target
    word: int
    shape: Shape
    schedule: Schedule
    accumulator: int
    prime: bool
    binary: bool
    subtract: bool
    dsp: bool

    @property
    def operand_register(self) -> bool:
        """Whether the first of the stages is only the choice of operands, and sums are cut."""
        return self.schedule.stages >= 3 and not self.schedule.bypass

    @property
    def riding(self) -> bool:
        """Squares of words come with products."""
        return self.shape.squares and self.shape.binary == "spread" and self.binary


class Store:
    """`words` words with any number of read ports, read in the same clock.

    enable, address, data: of the one write port, at the clock edge."""

    def __init__(self, m: Module, build: Build, name: str):
        self.m, self.build, self.name = m, build, name
        self.enable = Signal(name=f"{name}_write")
        self.address = Signal(build.shape.bits, name=f"{name}_address")
        self.data = Signal(build.word, name=f"{name}_data")

    def read(self, address: Value, reader: str) -> Value:
        """The word at `address`."""
        build = self.build
        ram = SimpleDualPort(build.chip, build.word, build.shape.words, "distributed", 0)
        self.m.submodules[f"{self.name}_for_{reader}"] = ram
        self.m.d.comb += [
            ram.write_enable.eq(self.enable),
            ram.write_address.eq(self.address),
            ram.write_data.eq(self.data),
            ram.read_address.eq(address),
        ]
        return ram.read_data


class Datapath:
    """Driven by the caller: the write ports of the stores a, b, n; n0, the word n0'; binary, the
    field.

    sum: what the adder gives, before the shift; its lowest word is a result word when `result_word`
    is high, and the last one when `finished` is, with the bit `top` above it; after that the
    accumulator is 0.  quotients: the store of quotient words, and (in other clocks) of what the
    caller writes with `write`, `write_index`, `write_data`."""

    def __init__(self, m: Module, build: Build, controller: Controller, binary: Value, n0: Value):
        self.m, self.build, self.binary, self.n0 = m, build, binary, n0
        self.a, self.b, self.n, self.quotients = (
            Store(m, build, name) for name in ("a", "b", "n", "m")
        )
        self.accumulator = Signal(build.accumulator, name="accumulator")
        self.sum = Signal(build.accumulator, name="sum")
        self.top = Signal(name="sum_top")
        self.following = Signal(build.accumulator, name="following")  # sum, shifted or not
        self.q_word = Signal(build.word, name="quotient_word", reset_less=True)
        added = build.schedule.added
        self.column_last = self._later(controller.last, added, "column_last")
        self.finished = self._later(controller.finish, added, "finished")
        rear = self._later(controller.rear, added, "column_rear")
        self.result_word = Signal(name="result_word")
        m.d.comb += self.result_word.eq((self.column_last & rear) | self.finished)
        self.write = Signal(name="write_result")
        self.write_index = Signal(build.shape.bits, name="write_result_index")
        self.write_data = Signal(build.word, name="write_result_data")
        self.multipliers = [self._multiplier(i) for i in range(build.schedule.multipliers)]
        self.maker = 1 if build.schedule.paired else 0  # makes the quotient words
        for number, lane in enumerate(controller.lanes):
            self._lane(lane, number)
        self._keep_quotients(controller.lanes[self.maker])
        self._add(controller.lanes)

    def _later(self, value: Value, cycles: int, name: str) -> Value:
        """A control bit `cycles` later; 0 after a reset."""
        for number in range(1, cycles + 1):
            stage = Signal(len(value), name=f"{name}_d{number}")
            self.m.d.sync += stage.eq(value)
            value = stage
        return value

    def _multiplier(self, number: int) -> DualFieldMultiplier:
        build = self.build
        return DualFieldMultiplier(
            build.chip, build.word, build.schedule.stages - build.operand_register,
            prime=build.prime, binary=build.binary, dsp=build.dsp, riding=build.riding,
            name=f"multiplier_{number}",
        )  # fmt: skip

    # ---- read and multiply --------------------------------------------------------------------

    def _lane(self, lane: Lane, number: int) -> None:
        m, multiplier, name = self.m, self.multipliers[number], f"lane_{number}"
        left, right, ride = self._words(lane, number)
        operand = Signal(self.build.word, name=f"{name}_operand")
        m.d.comb += operand.eq(left)
        if not self._only_ab(number):
            with m.If(self._later(lane.forward, 1, f"{name}_forward")):
                m.d.comb += operand.eq(self.q_word)
            with m.If(self._later(lane.fresh, 1, f"{name}_fresh")):
                m.d.comb += operand.eq(self.multipliers[self.maker].p[: self.build.word])
        if number == self.maker:
            settled = self._settled()
            with m.If(self._later(lane.quotient, 1, f"{name}_quotient")):
                m.d.comb += operand.eq(settled[: self.build.word])
        domain = m.d.sync if self.build.operand_register else m.d.comb
        domain += [
            multiplier.a.eq(operand),
            multiplier.b.eq(right),
            multiplier.double.eq(self._later(lane.double, 1, f"{name}_double")),
            multiplier.ride.eq(ride),
        ]
        m.d.comb += multiplier.field.eq(self.binary)
        multiplier.place(m)

    def _settled(self) -> Value:
        """V in the clock in which the quotient word is begun; no product is added to its lowest
        word then, except with `bypass`."""
        if self.build.schedule.bypass:
            return self.following
        return self.sum if self.build.operand_register else self.accumulator

    def _only_ab(self, number: int) -> bool:
        return self.build.schedule.paired and number == 0

    def _only_mn(self, number: int) -> bool:
        return self.build.schedule.paired and number == 1

    def _words(self, lane: Lane, number: int) -> tuple[Signal, Signal, Value]:
        """In registers, the words read for a product, 0 for none, and the one that rides."""
        m, build, name = self.m, self.build, f"lane_{number}"
        left = Signal(build.word, name=f"{name}_left", reset_less=True)
        right = Signal(build.word, name=f"{name}_right")
        ride = Signal(build.word if build.riding else 0, name=f"{name}_ride_word", reset_less=True)
        index = Mux(lane.mn, lane.middle, lane.j) if build.riding else lane.j
        if self._only_mn(number):
            chosen = (self.quotients.read(lane.j, name), self.n.read(lane.k, name))
        else:
            chosen = (self.a.read(index, name), self.b.read(lane.k, name))
            if build.riding:
                m.d.sync += ride.eq(Mux(lane.ride, chosen[0], 0))
            if not self._only_ab(number):
                mn = (self.quotients.read(lane.j, name), self.n.read(lane.k, name))
                chosen = (Mux(lane.mn, mn[0], chosen[0]), Mux(lane.mn, mn[1], chosen[1]))
        second = chosen[1]
        if number == self.maker:
            second = Mux(lane.quotient, self.n0, second)
        m.d.sync += [left.eq(chosen[0]), right.eq(second)]
        with m.If(~lane.valid):
            m.d.sync += right.eq(0)
        return left, right, ride

    def _keep_quotients(self, lane: Lane) -> None:
        """A quotient word goes from the multiplier into the store, and into a register for the
        clock in which the store does not give it yet."""
        m, build = self.m, self.build
        made = self._later(lane.quotient, build.schedule.stages + 1, "quotient_made")
        word = self.multipliers[self.maker].p[: build.word]
        index = Signal(build.shape.bits, name="quotient_index")
        with m.If(made):
            m.d.sync += [self.q_word.eq(word), index.eq(index + 1)]
        with m.If(self.finished):
            m.d.sync += index.eq(0)
        m.d.comb += [
            self.quotients.enable.eq(made | self.write),
            self.quotients.address.eq(Mux(self.write, self.write_index, index)),
            self.quotients.data.eq(Mux(self.write, self.write_data, word)),
        ]

    # ---- add ----------------------------------------------------------------------------------

    def _add(self, lanes: list[Lane]) -> None:
        m, build = self.m, self.build
        addends = [self._addend(lane, number) for number, lane in enumerate(lanes)]
        first, second = self.accumulator, addends[0]
        if len(addends) == 2:
            carries = (first & second) | (first & addends[1]) | (second & addends[1])
            first = self._named(first ^ second ^ addends[1], "carry_save_sum")
            second = self._named(Cat(Const(0, 1), self._gated(carries)[:-1]), "carry_save_carry")
        if build.operand_register:
            self._sum_in_segments(first, second)
        else:
            sum_ = self._plus(first, second, "sum_in_field")
            m.d.comb += [self.sum.eq(sum_), self.top.eq(sum_[build.word])]
        m.d.comb += self.following.eq(Mux(self.column_last, self.sum[build.word :], self.sum))
        m.d.sync += self.accumulator.eq(self.following)
        with m.If(self.finished):
            m.d.sync += self.accumulator.eq(0)

    def _plus(
        self, first: Value, second: Value, name: str, width: int | None = None,
        carry: Value | None = None,
    ) -> Signal:  # fmt: skip
        """Their sum in the field; after a row of full adders, the second is 0 in GF(2^m)."""
        field = self.binary if self.build.schedule.multipliers == 1 else Const(0, 1)
        return dual_add(self.m, first, second, field, name, width, carry)

    def _sum_in_segments(self, first: Value, second: Value) -> None:
        """Short carry chains: the carry out of each word waits for the next clock.

        So the lowest word of `sum` is right in every clock, which is all that is ever read, while
        that of the accumulator may lack the carry that was shifted down with it."""
        m, word, total = self.m, self.build.word, self.build.accumulator
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
        m.d.sync += waiting.eq(Mux(self.column_last, carries, Cat(Const(0, 1), carries)))
        with m.If(self.finished):
            m.d.sync += waiting.eq(0)

    def _named(self, value: Value, name: str) -> Signal:
        signal = Signal(self.build.accumulator, name=name)
        self.m.d.comb += signal.eq(value)
        return signal

    def _gated(self, value: Value) -> Value:
        """What only integers have."""
        if not self.build.binary:
            return value
        if not self.build.prime:
            return Const(0, len(value))
        return masked(value, ~self.binary)

    def _addend(self, lane: Lane, number: int) -> Signal:
        """The product, moved up by the words that it lies ahead; 0 for quotients and for none."""
        build, schedule = self.build, self.build.schedule
        p, terms = self.multipliers[number].p, []
        for ahead in range(schedule.lookahead + 1):
            chosen = Signal(name=f"lane_{number}_ahead_{ahead}")
            self.m.d.comb += chosen.eq(lane.valid & ~lane.quotient & (lane.ahead == ahead))
            chosen = self._later(chosen, schedule.stages + 1, f"lane_{number}_ahead_{ahead}")
            terms.append(Cat(Const(0, ahead * build.word), masked(p, chosen)))
        addend = self._named(_any(terms), f"lane_{number}_addend")
        if not schedule.addend_register:
            return addend
        register = Signal(build.accumulator, name=f"lane_{number}_addend_reg")
        self.m.d.sync += register.eq(addend)
        return register


def _any(terms: list[Value]) -> Value:
    found = terms[0]
    for term in terms[1:]:
        found = found | term
    return found
