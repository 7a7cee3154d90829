"""Integer products on carry chains: radix-4 Booth digits, added in groups.

A row of a group costs one six-input look-up table a bit: five inputs choose the multiple, the sixth
is the number that it is added to.  The groups are added in pairs.  A negative multiple is the
complement; what it lacks, 1 at the weight of its digit, is added together with the next row."""

from __future__ import annotations

from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.blocks.delay import DelayLine, delay
from modmul.blocks.dual_field.pipeline import Step, cut, slowest

GROUP = 3  # rows added one after the other: as deep as pairs of rows at 32 bits, but smaller
CHAIN_BIT = 0.04  # delay of a bit of a carry chain, in levels of look-up tables


class Term(NamedTuple):
    """(value + lack * 2^lack_at) * 2^weight.  value: two's complement.  lack: 1 bit, or None."""

    value: Value
    weight: int
    lack: Value | None
    lack_at: int


def slowest_stage(width: int, stages: int) -> float:
    """Delay of the slowest stage of `product`, in levels of look-up tables."""
    return slowest(_steps(width), stages, last=1.0)


def _steps(width: int) -> list[Step]:
    """The additions of the rows of a group, then those of groups."""
    groups = -(-(width // 2 + 1) // GROUP)
    bits = width * CHAIN_BIT
    row, pair = Step(1.3, 1.0 + bits), Step(1.3, bits)  # a row's multiple comes before its chain
    return [row] * (GROUP - 1) + [pair] * (groups - 1).bit_length()


def product(m: Module, a: Value, b: Value, stages: int, name: str) -> Value:
    """a * b, unsigned words of equal width w; 2 * w bits.

    In the last of `stages` pipeline stages, not in a register behind it."""
    digits, steps = len(b) // 2 + 1, _steps(len(b))
    times = [*cut(steps, stages, last=1.0), stages - 1]
    a_line, b_line = DelayLine(m, a, f"{name}_a"), DelayLine(m, b, f"{name}_b")

    def row(index: int, stage: int) -> Term:
        return digit_row(m, a_line(stage), b_line(stage), index, f"{name}_digit{index}")

    terms = [row(first, 0) for first in range(0, digits, GROUP)]
    for step in range(len(steps)):
        now, following = times[step], times[step + 1]
        if step < GROUP - 1:
            for group, first in enumerate(range(step + 1, digits, GROUP)):
                title = f"{name}_group{group}_row{step + 1}"
                terms[group] = add(m, terms[group], row(first, now), 2 * len(a), title)
        else:
            terms = _pairs(m, terms, 2 * len(a), f"{name}_sum{step - GROUP + 1}")
        terms = [
            _delayed(m, term, following - now, f"{name}_step{step}_{k}")
            for k, term in enumerate(terms)
        ]
    return terms[0].value


def digit_row(m: Module, a: Value, b: Value, index: int, name: str) -> Term:
    """a times digit `index` of b, -2 ... 2, at its weight; a row of len(a) + 2 bits.

    The last digit of b, whose two higher bits are zero, is 0 or more and lacks nothing."""
    low, middle, high = Cat(Const(0, 1), b, Const(0, 2))[2 * index : 2 * index + 3]
    once, twice = low ^ middle, (middle ^ high) & ~(low ^ middle)
    width = len(a) + 2
    row = Signal(width, name=name)
    multiple = Cat(a, Const(0, 2)) & once.replicate(width)
    multiple |= Cat(Const(0, 1), a, Const(0, 1)) & twice.replicate(width)
    m.d.comb += row.eq(multiple ^ high.replicate(width))
    last = index == len(b) // 2
    return Term(row, 2 * index, None if last else high, 0)


def add(m: Module, left: Term, right: Term, width: int, name: str) -> Term:
    """left + right modulo 2^width; right has the greater weight, and left lacks something."""
    assert left.lack is not None
    start = left.lack_at
    gap = right.weight - left.weight - start
    x = left.value[start:]
    y = Cat(left.lack, Const(0, gap - 1), right.value)
    weight = left.weight + start
    size = min(max(len(x), len(y)) + 1, width - weight)
    sum_ = Signal(size, name=name)
    m.d.comb += sum_.eq(_extended(x, size) + _extended(y, size))
    whole = Cat(left.value[:start], sum_)
    return Term(whole, left.weight, right.lack, right.weight - left.weight + right.lack_at)


def _extended(value: Value, width: int) -> Value:
    """Two's complement, cut or with copies of its sign."""
    return Cat(value, value[-1].replicate(max(0, width - len(value))))[:width]


def _pairs(m: Module, terms: list[Term], width: int, name: str) -> list[Term]:
    whole = len(terms) // 2 * 2
    sums = [add(m, terms[k], terms[k + 1], width, f"{name}_{k // 2}") for k in range(0, whole, 2)]
    return sums + terms[whole:]


def _delayed(m: Module, term: Term, cycles: int, name: str) -> Term:
    value = delay(m, term.value, cycles, name)
    lack = None if term.lack is None else delay(m, term.lack, cycles, f"{name}_lack")
    return Term(value, term.weight, lack, term.lack_at)
