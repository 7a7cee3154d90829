"""The common part of cores that scan operands step by step: handshake, memories, and control
bits that accompany a product."""

from __future__ import annotations

import abc
from typing import NamedTuple

from amaranth.hdl import Module, Mux, Signal, Value

from modmul.blocks.delay import DelayLine
from modmul.blocks.memory import SimpleDualPort
from modmul.multipliers.core import BareCore
from modmul.multipliers.operand_scanning import StepByStep
from modmul.targets.primitives import ZERO

BEAT_NOTES = {
    "loading": "more beats of an operand follow",
    "load_index": "the number of the next one",
    "reloading": "more beats of a modulus follow",
    "modulus_index": "the number of the next one",
    "operand_taken": "a beat of an operand is stored",
    "modulus_taken": "a beat of a modulus is stored",
}
OPERAND_NOTES = {
    "operands and modulus": {
        "product_begins": "the first beat of an operand is taken",
        "free": "it can be taken",
        "busy": "a product is being computed",
        **BEAT_NOTES,
        "a_word": "a_i",
        "b_word": "b_j",
        "n_word": "n_j or N'",
        "n_address": "of n_j, or of N' behind it",
        "memory_[abn]": "",
    },
}


class Write(NamedTuple):
    """A write into a memory at the next clock edge, with `enable`."""

    enable: Value
    address: Value
    data: Value


class ScanningCore(BareCore):
    """Base class: ports and what is used below; `m` is the module that is being made.

    summing, last_pass: where it `adds`, a sum is being computed, in its last pass."""

    parameters: StepByStep
    m: Module

    def elaborate(self, platform: object) -> Module:
        self.m = Module()
        self.summing, self.last_pass = Signal(name="summing"), Signal(name="last_pass")
        self.control()
        self.datapath()
        return self.m

    @abc.abstractmethod
    def control(self) -> None:
        """Place the control: handshake, steps and rows."""

    @abc.abstractmethod
    def datapath(self) -> None:
        """Place memories, products and sums."""

    @property
    def words(self) -> int:
        """s, the number of words."""
        return self.parameters.words

    @property
    def word_bits(self) -> int:
        """w, the bits of a word."""
        return self.parameters.word_bits

    def named(self, value: Value, name: str) -> Signal:
        signal = Signal(len(value), name=name)
        self.m.d.comb += signal.eq(value)
        return signal

    def flag(self, value: Value, name: str) -> DelayLine:
        """A control bit that accompanies a product through its delays."""
        return DelayLine(self.m, self.named(value, name), name, reset=True)

    @property
    def adds(self) -> bool:
        return self.parameters.adder

    def either(self, product: Value, a_sum: Value) -> Value:
        """`product` while a product is computed, `a_sum` in a sum."""
        return Mux(self.summing, a_sum, product) if self.adds else product

    def without_sums(self, value: Value) -> Value:
        """The bit, but 0 in a sum."""
        return value & ~self.summing if self.adds else value

    def quotient_at(self, starts: DelayLine, clocks: int) -> Signal:
        """A register: high `clocks` clocks after the start of a step, but not in a sum."""
        if not self.adds:
            return self.named(starts(clocks), "quotient")
        quotient = Signal(name="quotient")
        self.m.d.sync += quotient.eq(self.without_sums(starts(clocks - 1)))
        return quotient

    def sums(self, begin: Value, pass_ends: Value, alone: Value = ZERO) -> None:
        """Drive `summing`, which holds from `begin` on, and `last_pass`, which is high from the end
        of the last but one pass on, or, if a pass is `alone`, from `begin` on."""
        m, operand = self.m, self.operand.p
        with m.If(begin):
            m.d.sync += [
                self.summing.eq(operand.add | operand.subtract),
                self.last_pass.eq(alone),
            ]
        with m.Elif(pass_ends):
            m.d.sync += self.last_pass.eq(1)

    def after(self, value: Value, stages: list[Signal]) -> Value:
        """`value` behind these stages."""
        for stage in stages:
            self.m.d.sync += stage.eq(value)
            value = stage
        return value

    def handshake(self, begin: Signal, ends: Value, in_use: Value = ZERO) -> None:
        """Drive `begin`: a product begins in an idle clock or in `ends`, the last clock in which
        the product before needs the memories of operands.  in_use: N is needed, though no operand
        is.  Sets `operands` and `modulus_words`, the writes into the memories."""
        m, s = self.m, self.words
        busy, loading, reloading = (Signal(name=name) for name in ("busy", "loading", "reloading"))
        index, modulus_index = (
            Signal(range(s), name="load_index"),
            Signal(range(s + 1), name="modulus_index"),
        )
        free = self.named((~busy | ends) & ~reloading, "free")
        self.free = free
        m.d.comb += [
            self.operand.ready.eq(free | loading),
            self.modulus.ready.eq(~busy & ~in_use),
            begin.eq(self.operand.valid & free),
        ]
        taken = self.named(self.operand.valid & self.operand.ready, "operand_taken")
        loads = self.named(self.modulus.valid & self.modulus.ready, "modulus_taken")
        with m.If(begin | ends):
            m.d.sync += busy.eq(begin)
        with m.If(taken):
            last = self.operand.p.last
            m.d.sync += [loading.eq(~last), index.eq(Mux(last, 0, index + 1))]
        with m.If(loads):
            done = self.modulus.p.last
            m.d.sync += [reloading.eq(~done), modulus_index.eq(Mux(done, 0, modulus_index + 1))]
        self.operands = [Write(taken, index, self.operand.p[name]) for name in "ab"]
        self.modulus_words = Write(loads, modulus_index, self.modulus.p.data)

    def memory(self, name: str, holds: str, depth: int, write: Write, read: Value) -> Signal:
        """The word of a distributed RAM at the address `read`, in the same clock."""
        m = self.m
        memory = SimpleDualPort(
            self.parameters.chip, self.word_bits, depth, "distributed", 0, holds
        )
        m.submodules[f"memory_{name}"] = memory
        m.d.comb += [
            memory.write_enable.eq(write.enable),
            memory.write_address.eq(write.address),
            memory.write_data.eq(write.data),
            memory.read_address.eq(read),
        ]
        return self.named(memory.read_data, f"{name}_word")

    def queue(
        self, name: str, holds: str, depth: int, word: Value, write: Value, read: Value, full: int
    ) -> Signal:
        """The word read, in the same clock, from a memory whose words are read in the order
        of writing. depth: a power of 2.  full: the number of meaningless words in it at first."""
        write_at = Signal(range(depth), name=f"{name}_write_address", init=full % depth)
        read_at = Signal(range(depth), name=f"{name}_read_address")
        for enable, address in ((write, write_at), (read, read_at)):
            with self.m.If(enable):
                self.m.d.sync += address.eq(address + 1)
        return self.memory(name, holds, depth, Write(write, write_at, word), read_at)

    def cleared(self, word: Value, clear: Value, name: str) -> Signal:
        """The register of a word, which is 0 where `clear` was high."""
        register = Signal(len(word), name=name, reset_less=True)
        self.m.d.sync += register.eq(word)
        with self.m.If(clear):
            self.m.d.sync += register.eq(0)
        return register

    def results(self, total: Value, valid: Value, last: Value) -> None:
        """Drive the ports of the result; there is a gap between the results of two products."""
        m = self.m
        before = Signal(name="result_before")
        m.d.sync += before.eq(valid)
        m.d.comb += [
            self.result.valid.eq(valid),
            self.result.p.data.eq(total),
            self.result.p.first.eq(~before),
            self.result.p.last.eq(last),
        ]


def power(count: int) -> int:
    """The least power of 2 that is not below `count`."""
    return 1 << (count - 1).bit_length()
