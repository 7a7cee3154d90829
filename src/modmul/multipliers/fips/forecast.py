"""Area and clock of a FIPS multiplier before it is elaborated.

w: bits of a word.  Each of the (one or two) word multipliers has a lane: carry-less partial
products, 0.73 w^2 LUTs of four inputs; the tree that makes an integer product of them, 1.5 w^2, or
hard multipliers; in GF(p) the adders of accumulator and final subtraction; seven copies of operand
memories.  The controller is the same for all.

The set has words of 8 to 64 bits, both fields, 1 to 5 stages, on ecp5 and xc7.
Calibrated from 128 to 1024 bits: LUTs within 19 %, flip-flops 18 %, clock 28 %.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.forecast import Fabric, Forecast, fabric
from modmul.multipliers.fips.schedule import Schedule
from modmul.targets import Target

_CONTROL = 380  # LUTs of the controller
_COPIES = 7  # operand memories of a lane


class FipsOutline(NamedTuple):
    """The parameters on which area and clock depend.  word: bits of a word.  words: of the longest
    operand. prime, binary: the fields.  dsp: integer products on hard multipliers."""

    chip: Target
    word: int
    words: int
    schedule: Schedule
    prime: bool
    binary: bool
    dsp: bool


def forecast(p: FipsOutline) -> Forecast:
    chip, w, lanes, stages = fabric(p.chip), p.word, p.schedule.multipliers, p.schedule.stages
    memory, bits = chip.memory(p.words, w)
    lane = 8 * w + _COPIES * memory
    lane += chip.by_lut_inputs(16.4, 10) * w if p.prime else 0
    lane += chip.by_lut_inputs(0.73, 0.49) * w * w if p.binary else 0
    lane += chip.by_lut_inputs(1.5, 0.71) * w * w if p.prime and not p.dsp else 0
    counters = 33 * (p.words - 1).bit_length()
    ff = (9.5 + 6.6 * (lanes - 1)) * w + 166 + counters
    ff += (2.8 if p.dsp else 5.5) * w * (stages - 1)
    return chip.forecast(
        lut=lanes * lane + _CONTROL,
        ff=ff,
        levels=_levels(p, chip),
        carry=w if p.prime else 0,
        dsp=lanes * _blocks(p) if p.dsp else 0,
        ram_bits=_COPIES * lanes * bits,
    )


def _levels(p: FipsOutline, chip: Fabric) -> float:
    """The levels of the word multiplier, cut into stages, and of the logic around it."""
    first, through = chip.by_lut_inputs(1.5, 3.4), chip.by_lut_inputs(13, 8.1)
    if p.dsp:
        first, through = 0.7, chip.by_lut_inputs(10, 8.2)
    elif not p.prime:  # carry-less: no adder at all
        first, through = 1.5, chip.by_lut_inputs(6.5, 3.7)
    levels = first + through / p.schedule.stages + chip.by_lut_inputs(4, 2.5) * p.schedule.bypass
    return levels * (0.5 + 0.1 * math.log2(p.word))


def _blocks(p: FipsOutline) -> int:
    """The DSP blocks of one word product."""
    dsp = p.chip.dsp
    if dsp is None or dsp.cell is None:
        return 1
    return ceil_div(p.word, dsp.narrow) * (1 + ceil_div(max(0, p.word - dsp.wide), dsp.narrow))
