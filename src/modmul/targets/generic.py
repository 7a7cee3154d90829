"""No chip in particular: plain HDL with the registers that the papers assume."""

from modmul.targets.description import DspBlock, Target

TARGET = Target(
    name="generic",
    summary="plain HDL, no chip's primitives; the registers that the papers assume",
    dsp=DspBlock(cell=None, wide=17, narrow=17, accumulator=48),
    lut_inputs=6,
)
