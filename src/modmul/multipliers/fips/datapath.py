"""Memories, multipliers and accumulator: read, multiply, add.

A bundle issued in clock t reads its words in t, multiplies from t + 1 to t + stages, and is added
in t + stages + 1 (from four stages on, one clock later), where the column is shifted by a word if
it is complete.

Source: dualfips, sections 5.1 and 5.2 (paths with one and two multipliers).
"""

from __future__ import annotations

from typing import NamedTuple

from amaranth.hdl import Module, Mux, Signal, Value

from modmul.blocks.dual_field import DualFieldMultiplier
from modmul.blocks.memory import SimpleDualPort
from modmul.multipliers.fips.accumulator import ColumnAccumulator
from modmul.multipliers.fips.controller import Controller, Lane
from modmul.multipliers.fips.parameters import FipsParameters


class StorePort(NamedTuple):
    """A write port: `data` goes to the word `address` at the clock edge where `enable` is high."""

    enable: Value
    address: Value
    data: Value


class WordStore:
    """Words with any number of read ports, which read in the same clock: each port has a copy."""

    def __init__(self, m: Module, p: FipsParameters, name: str, write: StorePort):
        self.m, self.parameters, self.name, self.write = m, p, name, write

    def read(self, address: Value, reader: str) -> Value:
        p, name = self.parameters, f"{self.name}_for_{reader}"
        ram = SimpleDualPort(p.chip, p.word, p.shape.words, "distributed", 0)
        self.m.submodules[name] = ram
        word = Signal(p.word, name=f"{name}_word")
        self.m.d.comb += [
            ram.write_enable.eq(self.write.enable),
            ram.write_address.eq(self.write.address),
            ram.write_data.eq(self.write.data),
            ram.read_address.eq(address),
            word.eq(ram.read_data),
        ]
        return word


class FipsDatapath:
    """Driven by the caller: a, b, n, the write ports of these stores; n0, the word n0'; binary, the
    field.

    sum: the output of the adder, before the shift.  Its lowest word is a result word when
    `result_word_valid` is high, and the last one when `finished` is, with the bit `top` above it;
    after that the accumulator is 0.  quotients: the store of quotient words and, in other clocks,
    of the words that the caller writes with `write_back`, registers of its own."""

    def __init__(
        self,
        m: Module,
        p: FipsParameters,
        controller: Controller,
        binary: Value,
        n0: Value,
        a: StorePort,
        b: StorePort,
        n: StorePort,
    ):
        self.m, self.parameters, self.binary, self.n0 = m, p, binary, n0
        self.a, self.b, self.n = (
            WordStore(m, p, name, write) for name, write in (("a", a), ("b", b), ("n", n))
        )
        self.late: dict[str, list[Value]] = {}  # delay lines of control bits
        self.q_word = Signal(p.word, name="quotient_word", reset_less=True)
        added = p.schedule.added
        self.column_ends = self._later(controller.ends, added, "column_ends")
        self.finished = self._later(controller.finish, added, "finish")
        self.accumulator = ColumnAccumulator(
            m, p, binary, self.column_ends, self.finished, self._later
        )
        self.sum, self.top = self.accumulator.sum, self.accumulator.top
        rear = self._later(controller.rear, added, "column_is_rear")
        self.result_word_valid = Signal(name="result_word_valid")
        m.d.comb += self.result_word_valid.eq((self.column_ends & rear) | self.finished)
        self.write_back = StorePort(
            Signal(name="write_back"),
            Signal(p.shape.bits, name="write_back_index"),
            Signal(p.word, name="minuend" if p.subtract else "stored_word", reset_less=True),
        )
        self.multipliers = [self._multiplier(i) for i in range(p.schedule.multipliers)]
        self.products = [self._product(i) for i in range(p.schedule.multipliers)]
        self.maker = 1 if p.schedule.paired else 0  # makes the quotient words
        self.quotients = WordStore(m, p, "m", self._keep_quotients(controller.lanes[self.maker]))
        for number, lane in enumerate(controller.lanes):
            self._lane(lane, number)
        self.accumulator.add(controller.lanes, self.products)

    def _later(self, value: Value, cycles: int, name: str) -> Value:
        """A control bit `cycles` later; it is 0 after a reset."""
        line = self.late.setdefault(name, [value])
        while len(line) <= cycles:
            stage = Signal(len(value), name=f"{name}_d{len(line)}")
            self.m.d.sync += stage.eq(line[-1])
            line.append(stage)
        return line[cycles]

    def _multiplier(self, number: int) -> DualFieldMultiplier:
        p = self.parameters
        multiplier = DualFieldMultiplier(
            p.chip,
            p.word,
            p.schedule.stages - p.operand_register,
            prime=p.prime,
            binary=p.binary,
            dsp=p.dsp,
            riding=p.riding,
            doubles=p.doubles and not self._only_mn(number),
            cancels=p.cancels,
        )
        self.m.submodules[f"multiplier_{number}"] = multiplier
        return multiplier

    def _product(self, number: int) -> Signal:
        product = Signal(2 * self.parameters.word + 1, name=f"product_{number}")
        self.m.d.comb += product.eq(self.multipliers[number].p)
        return product

    # ---- read and multiply --------------------------------------------------------------------

    def _lane(self, lane: Lane, number: int) -> None:
        m, multiplier, name = self.m, self.multipliers[number], f"lane_{number}"
        left, right, ride = self._words(lane, number)
        operand = Signal(self.parameters.word, name=f"{name}_operand")
        m.d.comb += operand.eq(left)
        if not self._only_ab(number):
            with m.If(self._later(lane.left_is_latest, 1, f"{name}_left_is_latest")):
                m.d.comb += operand.eq(self.q_word)
            with m.If(self._later(lane.left_is_product, 1, f"{name}_left_is_product")):
                m.d.comb += operand.eq(self.products[self.maker][: self.parameters.word])
        if number == self.maker:
            settled = self._settled()
            with m.If(self._later(lane.quotient, 1, f"{name}_quotient")):
                m.d.comb += operand.eq(settled[: self.parameters.word])
        inputs = [("a", operand), ("b", right)]
        inputs += [("double", self._later(lane.double, 1, f"{name}_double"))] * multiplier.doubles
        inputs += [("ride", ride)] * multiplier.riding
        for port, value in inputs:
            if self.parameters.operand_register:
                register = Signal(len(value), name=f"multiplier_{number}_{port}")
                m.d.sync += register.eq(value)
                value = register
            m.d.comb += getattr(multiplier, port).eq(value)
        if multiplier.chooses:
            m.d.comb += multiplier.binary_field.eq(self.binary)

    def _settled(self) -> Value:
        """V in the clock in which the quotient word is begun; no product is added to its
        lowest word then, except with `bypass`."""
        if self.parameters.schedule.bypass:
            return self.accumulator.following
        return self.sum if self.parameters.operand_register else self.accumulator.value

    def _only_ab(self, number: int) -> bool:
        return self.parameters.schedule.paired and number == 0

    def _only_mn(self, number: int) -> bool:
        return self.parameters.schedule.paired and number == 1

    def _words(self, lane: Lane, number: int) -> tuple[Signal, Signal, Value]:
        """Registers with the words for a product, 0 without one, and with the word that
        rides."""
        m, p, name = self.m, self.parameters, f"lane_{number}"
        left = Signal(p.word, name=f"{name}_left", reset_less=True)
        right = Signal(p.word, name=f"{name}_right")
        ride = Signal(p.word if p.riding else 0, name=f"{name}_ride_word", reset_less=True)
        index = Mux(lane.mn, lane.middle, lane.j) if p.riding else lane.j
        if self._only_mn(number):
            chosen = (self.quotients.read(lane.j, name), self.n.read(lane.k, name))
        else:
            chosen = (self.a.read(index, name), self.b.read(lane.k, name))
            if p.riding:
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

    def _keep_quotients(self, lane: Lane) -> StorePort:
        """The write port by which a quotient word goes from the multiplier into the store;
        it also goes into a register, for the clock in which the store does not give it yet."""
        m, p, back = self.m, self.parameters, self.write_back
        comes = self._later(lane.quotient, p.schedule.stages + 1, f"lane_{self.maker}_quotient")
        word = self.products[self.maker][: p.word]
        index = Signal(p.shape.bits, name="quotient_index")
        with m.If(comes):
            m.d.sync += [self.q_word.eq(word), index.eq(index + 1)]
        with m.If(self.finished):
            m.d.sync += index.eq(0)
        write = StorePort(
            Signal(name="m_write"),
            Signal(p.shape.bits, name="m_index"),
            Signal(p.word, name="m_word"),
        )
        m.d.comb += [
            write.enable.eq(comes | back.enable),
            write.address.eq(Mux(back.enable, back.address, index)),
            write.data.eq(Mux(back.enable, back.data, word)),
        ]
        return write
