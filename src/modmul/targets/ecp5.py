"""Lattice ECP5: 18 x 18 multipliers whose sums go to fabric."""

from modmul.targets.description import DspBlock, Target
from modmul.targets.tables import ecp5 as tables

TARGET = Target(
    name="ecp5",
    summary="Lattice ECP5 and ECP5-5G",
    dsp=DspBlock(cell="MULT18X18D", wide=18, narrow=18, accumulator=None),
    cells=tables.CELLS,
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    lut_inputs=4,
    router="nextpnr-ecp5",
    synthesis="synth_ecp5",
)
