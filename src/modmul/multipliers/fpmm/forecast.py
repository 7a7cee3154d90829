"""Area and clock of an FPMM before it is elaborated.

w: bits of a word; K: tiles of a word product; t: bits of a tile.  Where sums are in fabric (ecp5),
each DSP block goes with 3.3 t LUTs of adders.  In columns there are 33 to 46 words of registers, by
the pipeline; in the cascade operands wait the longer the farther down their tile is: (230 + 300 K +
10.7 K^2) t/17 flip-flops.  Where sums are in the blocks, control, quotient and registers of words
are left; where T does not fit there, its adders come on top.  Everywhere: two operand memories, and
T waits for its slot.

The set has words of 17 to 68 bits, all pipelines, both storages, on ecp5 and xc7.
Calibrated from 32 to 521 bits: LUTs within 21 %, flip-flops 19 %, clock 14 %.
"""

from __future__ import annotations

from typing import NamedTuple

from modmul.forecast import Fabric, Forecast, Logic, fabric
from modmul.multipliers.fpmm.build import FpmmBuild
from modmul.multipliers.fpmm.schedule import CascadeSchedule

_COLUMN_WORDS = {"lean": 33.5, "full": 39.0, "fast": 46.0}
_STEP = {"lean": -1, "full": 0, "fast": 1}  # registers more than `full`


class FpmmOutline(NamedTuple):
    """The figures on which area and clock depend.  tile: bits of a DSP block's operands, which may
    be more than a word has.  dsps: DSP blocks.  pipeline: the choice of fabric registers."""

    build: FpmmBuild
    tile: tuple[int, int]
    dsps: int
    pipeline: str


def forecast(outline: FpmmOutline) -> Forecast:
    """Area and clock of one set of parameters."""
    p, schedule = outline.build, outline.build.schedule
    chip, dsp = fabric(p.chip), p.chip.dsp
    lut, bits = chip.memory(p.depth, p.word_bits, p.storage)
    _, kept = chip.memory(p.words, p.word_bits)  # the modulus; in LUTs it is a part of the rest
    late = p.storage == "block" and not p.from_blocks  # its output register is in fabric
    waiting = max(0, p.alpha - schedule.loop) * p.word_bits
    inside = dsp is not None and dsp.cell is not None and dsp.accumulator is not None
    if not isinstance(schedule, CascadeSchedule):
        logic = _columns(outline)
    else:
        logic = (_blocks if inside else _cascade)(outline, schedule, chip)
    return chip.forecast(
        *logic._replace(
            lut=logic.lut + 2 * lut + (waiting / 16 if inside else 0),
            ff=logic.ff
            + (p.word_bits if late else 0)
            + (0 if inside else waiting)
            - (p.word_bits if p.from_blocks else 0),
            levels=logic.levels + (3 if late and not inside and chip.inputs == 4 else 0),
            dsp=outline.dsps,
            ram_bits=2 * bits + kept,
        )
    )


def _columns(outline: FpmmOutline) -> Logic:
    word, pipeline = outline.build.word_bits, outline.pipeline
    lut = 57.0 * outline.dsps * word / 34
    levels = 0.75 - 0.45 * _STEP[pipeline]
    return Logic(lut, _COLUMN_WORDS[pipeline] * word, levels=levels, carry=word / 2)


def _cascade(outline: FpmmOutline, schedule: CascadeSchedule, chip: Fabric) -> Logic:
    p, tile, k = outline.build, sum(outline.tile) / 2, schedule.tiling.count
    soft = p.chip.dsp is None or p.chip.dsp.cell is None  # adders of 48 bits, as in a block
    lut = (6.1 if soft else 4.6 if p.isolated else 3.3) * tile * outline.dsps
    ff = (230 + 300 * k + 10.7 * k * k) * tile / 17
    return Logic(lut, ff, levels=1.5, carry=2 * tile)


def _blocks(outline: FpmmOutline, schedule: CascadeSchedule, chip: Fabric) -> Logic:
    w, tiling, step = outline.build.word_bits, schedule.tiling, _STEP[outline.pipeline]
    lut, ff = (3.7 + step) * w + 60, (11.7 + step) * w + 35 * tiling.count - 33
    levels = {"lean": 2.6, "full": 3.1, "fast": 4.4}[outline.pipeline] * chip.by_lut_inputs(1.35, 1)
    if outline.build.theta < 3:  # registers in front of the memories
        ff += 3 * w
    if schedule.small:  # a cycle less: fewer words wait beside the first block
        ff -= 3 * w
    if schedule.t_in_dsp:
        return Logic(lut, ff, levels=levels)
    return Logic(lut + 3 * w * tiling.held_blocks, ff + 3 * w, levels=levels, carry=w)
