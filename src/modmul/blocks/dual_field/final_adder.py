"""The carry-propagate adder behind a compressor tree, in pipeline stages.

FPGAs: their carry chain, cut between bits.  Cell libraries: a parallel-prefix network (Sklansky),
cut between its levels."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.blocks.carry_propagate import prefix_level
from modmul.blocks.delay import delay
from modmul.blocks.dual_field.pipeline import LogicStep
from modmul.targets import Target

PIECE = 8  # bits of a carry chain between which it may be cut
CHAIN_BIT = 0.04  # delay of a bit of a carry chain, in levels of look-up tables
PREFIX = 0.4  # delay of a level of a prefix network, in full adders


def steps(chip: Target, width: int) -> list[LogicStep]:
    """The steps of `add` for rows of `width` bits; delays in full adders or look-up
    tables."""
    if not chip.carry_chains:
        return [LogicStep(PREFIX)] * (2 + (width - 1).bit_length())
    pieces = -(-width // PIECE)
    return [LogicStep(1.0 + PIECE * CHAIN_BIT)] + [LogicStep(PIECE * CHAIN_BIT, 1.0)] * (pieces - 1)


def add(m: Module, chip: Target, x: Value, y: Value, stages: Sequence[int], name: str) -> Value:
    """x + y of equal width, no carry out.  stages: the pipeline stage of each step."""
    if not chip.carry_chains:
        return _prefix(m, x, y, stages, name)
    return _chain(m, x, y, stages, name)


def _chain(m: Module, x: Value, y: Value, stages: Sequence[int], name: str) -> Value:
    """The sum by adders in series, with a register in the carry where a stage ends."""
    sums: list[Value] = []
    carry: Value | None = None
    ends = [k for k, stage in enumerate(stages) if [*stages, -1][k + 1] != stage]
    low = 0
    for end in ends:
        stage, high = stages[end], min(len(x), (end + 1) * PIECE)
        wait = stage - stages[0]
        left = delay(m, x[low:high], wait, f"{name}_x_{low}")
        right = delay(m, y[low:high], wait, f"{name}_y_{low}")
        piece = Signal(high - low + 1, name=f"{name}_sum_{low}")
        if carry is None:
            m.d.comb += piece.eq(left + right)
        else:  # with the carry as a bit below, synthesis makes no adder of three operands
            m.d.comb += piece.eq((Cat(carry, left) + Cat(carry, right))[1:])
        sums.append(delay(m, piece[:-1], stages[-1] - stage, f"{name}_sum_{low}"))
        following = [s for s in stages if s > stage]
        if following:
            carry = delay(m, piece[-1], following[0] - stage, f"{name}_carry_{high}")
        low = high
    return Cat(sums)


def _prefix(m: Module, x: Value, y: Value, stages: Sequence[int], name: str) -> Value:
    """The sum by generate and propagate, levels of the network, XOR with the carries."""

    def wire(value: Value, title: str) -> Signal:
        signal = Signal(len(value), name=f"{name}_{title}")
        m.d.comb += signal.eq(value)
        return signal

    g, p = wire(x & y, "g0"), wire(x ^ y, "p0")
    half = p
    for level, (before, now) in enumerate(itertools.pairwise(stages)):
        if level:
            new_g, new_p = prefix_level(g, p, level - 1)
            g, p = wire(new_g, f"g{level}"), wire(new_p, f"p{level}")
        g = delay(m, g, now - before, f"{name}_g{level}")
        p = delay(m, p, now - before, f"{name}_p{level}")
        half = delay(m, half, now - before, f"{name}_half{level}")
    return wire(half ^ Cat(Const(0, 1), g[:-1]), "sum")
