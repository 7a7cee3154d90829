"""Xilinx 7 series: DSP48E1 with a post-adder and a cascade that shifts by 17."""

from modmul.targets.description import DspBlock, Target
from modmul.targets.tables import xc7 as tables

TARGET = Target(
    name="xc7",
    summary="Xilinx 7 series (Artix-7, Kintex-7, Virtex-7, Zynq-7000)",
    dsp=DspBlock(cell="DSP48E1", wide=24, narrow=17, accumulator=48, cascade_shift=17),
    cells=tables.CELLS,
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    lut_inputs=6,
    synthesis="synth_xilinx -family xc7",
)
