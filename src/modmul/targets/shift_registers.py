"""Look-up tables of Xilinx that are shift registers of up to 16 bits, read at any of them.

Where a RAM16X1D takes two look-up tables, words that are always written in order take half as much
so.  Yosys finds these only where the place that is read stays.
"""

from __future__ import annotations

from amaranth.hdl import ClockSignal, Instance, Module, Signal, Value

from modmul.targets.memories import ShiftedWords
from modmul.targets.primitives import ZERO


class Srl16e(ShiftedWords):
    """Words in SRL16E, one for each bit of a word."""

    most = 16

    @staticmethod
    def place(m: Module, enable: Value, data: Value, before: Value) -> Value:
        word = Signal(len(data), name="word_read")
        address = {f"i_A{k}": before[k] if k < len(before) else ZERO for k in range(4)}
        for place, (bit, out) in enumerate(zip(data, word, strict=True)):
            m.submodules[f"bit_{place}"] = Instance(
                "SRL16E", i_CLK=ClockSignal(), i_CE=enable, i_D=bit, o_Q=out, **address
            )
        return word
