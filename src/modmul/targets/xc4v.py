"""Xilinx Virtex-4: LUTs of four inputs, two in a slice with their carry logic (alkhaleel2006).

Its DSP48 multiply signed 18 x 18.  Two of them share one port C, so that a cascade's first two can
not both add a value there; fpmm uses C once in a cascade, where the tiles are of 17 bits.
"""

from __future__ import annotations

from amaranth.hdl import ClockSignal, Const, Instance, Module, Signal, Value

from modmul.targets.block_ram import Ramb16, Ramb16Pair
from modmul.targets.description import DspBlock, Target
from modmul.targets.dsp48 import Dsp48, synthesis
from modmul.targets.memories import ShiftedWords
from modmul.targets.primitives import ONE, ZERO
from modmul.targets.tables import xc4v as tables
from modmul.targets.virtex import NO_WIDE_LUTS, SHIFT_REGISTERS


class Srl16e(ShiftedWords):
    """Words in SRL16E, one for each bit of a word: half of the look-up tables of RAM16X1D.  Yosys
    finds these only where the place that is read stays."""

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


class Dsp48Block(Dsp48):
    """{operation}: one DSP48, whose multiplier is 18 x 18 bits, signed.

    {pins}"""

    cell = "DSP48"
    a_bits = 18
    unused = ("BCOUT",)

    def others(self) -> dict[str, object]:
        return {
            "p_B_INPUT": "DIRECT",
            "p_CARRYINSELREG": 0,
            "p_LEGACY_MODE": "MULT18X18S" if self.config.registers >= 3 else "MULT18X18",
            "p_SUBTRACTREG": 0,
            "i_CEA": ONE,
            "i_CEB": self.a_enable,
            "i_CECINSUB": ZERO,
            "i_RSTCARRYIN": ZERO,
            "i_BCIN": Const(0, 18),
            "i_CARRYINSEL": Const(0, 2),
            "i_SUBTRACT": ZERO,
        }


TARGET = Target(
    name="xc4v",
    summary="Xilinx Virtex-4 LX",
    dsp=DspBlock(cell="DSP48", wide=17, narrow=17, accumulator=48),
    synthesis=synthesis("xc4v", "DSP48", NO_WIDE_LUTS, SHIFT_REGISTERS),
    cells=tables.CELLS,
    arcs=tables.ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    constraints=("sdc", "ucf"),
    models=("dsp48.v", "ramb16.v", "srl16e.v"),
    logic_before_carry=True,
    shallow=16,
    no_shifted_sum="two share one port C",
    mac_block=Dsp48Block,
    memory_block=Ramb16,
    pair_block=Ramb16Pair,
    shift_block=Srl16e,
)
