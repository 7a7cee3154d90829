"""Barrel register full adder: the bits of a number in carry-save form, one or two a cycle."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.carry_save import serial_add


class BarrelAdder:
    """Shift registers, and a full adder for each bit that is examined (kuang2016, section II).

    words: the number, as one word (binary) or as two words whose sum it is; loaded while `load` is
    high.  In every other cycle the registers shift down by one bit, or by two where `double` is
    high. below: the number of zero bits that come first, one for each cycle before the first bit is
    used. size: bits of the register of the first word, if it must be longer than that word.

    registers: the shift registers.  bits: the next bit, and, with `double`, also the bit after it;
    they are right as long as the sum has no carry out of the words."""

    NOTES: ClassVar[dict[str, str]] = {
        "a_reg": "{vector_of}A; bits that have been used are shifted out",
        "a_carry_reg": "carry vector of A, likewise",
        "a_carry_bit": "their carry; the next bit is a_reg[0] ^ a_carry_reg[0] ^ a_carry_bit",
        "a_carry_bit_part": "carry out of bits 0 of a_reg and a_carry_reg",
    }

    def __init__(
        self,
        m: Module,
        load: Value,
        words: tuple[Value, ...],
        *,
        double: Value | None = None,
        below: int = 0,
        size: int = 0,
    ):
        names = ("a_reg", "a_carry_reg")
        sizes = (max(size, len(words[0]) + below), len(words[-1]) + below)
        self.registers = [
            Signal(sizes[index], name=names[index], reset_less=True) for index in range(len(words))
        ]
        for register, word in zip(self.registers, words, strict=True):
            shifted = register[1:] if double is None else Mux(double, register[2:], register[1:])
            m.d.sync += register.eq(shifted)
            with m.If(load):
                m.d.sync += register.eq(Cat(Const(0, below), word))
        self.bits: list[Value] = [self.registers[0][0], self.registers[0][1]]
        if len(words) == 2:
            self.bits = self._add(m, load, double)

    def _add(self, m: Module, load: Value, double: Value | None) -> list[Value]:
        """The two lowest bits of the sum; a register keeps the carry of the bits before."""
        first, second = self.registers
        carry = Signal(name="a_carry_bit", reset_less=True)
        low, low_carry = serial_add(first[0], second[0], carry)
        high, high_carry = serial_add(first[1], second[1], low_carry)
        m.d.sync += carry.eq(low_carry if double is None else Mux(double, high_carry, low_carry))
        with m.If(load):
            m.d.sync += carry.eq(0)
        return [low, high]
