"""No chip in particular: plain HDL with the registers that the papers assume."""

from modmul.targets.description import DspBlock, Target

# Multipliers and memories are only counted; names that no pass knows protect them from mapping.
SYNTHESIS = """
hierarchy -check -top {top}
proc
flatten
opt_expr
opt_clean
opt -nodffe -nosdff
opt
wreduce
peepopt
opt_clean
chtype -set $__multiplier t:$mul
alumacc
share
opt
memory -nomap -nordff
opt_clean
chtype -set $__memory t:$mem_v2
opt -full
techmap
opt -fast
abc -lut 6
opt_clean
"""

TARGET = Target(
    name="generic",
    summary="plain HDL, no chip's primitives; the registers that the papers assume",
    dsp=DspBlock(cell=None, wide=17, narrow=17, accumulator=48),
    synthesis=SYNTHESIS,
    constraints=("sdc", "lpf", "xdc", "ucf"),  # those for plain HDL go anywhere
    ram_styles=False,
)
