"""Integer products on carry chains: radix-4 Booth digits, added in groups.

A row of a group costs one six-input look-up table a bit: five inputs choose the multiple, the sixth
is the number that it is added to.  The groups are added in pairs.  A negative multiple is the
complement; what it lacks, 1 at the weight of its digit, is added together with the next row."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import DelayLine
from modmul.blocks.dual_field.pipeline import LogicStep, cut, ready, slowest
from modmul.blocks.part import whole

GROUP = 3  # rows added in series: as deep as adding rows in pairs at 32 bits, but smaller
CHAIN_BIT = 0.04  # delay of a bit of a carry chain, in levels of look-up tables


class BoothTerm(NamedTuple):
    """A summand (value + lack * 2^lack_at) * 2^weight.

    value: in two's complement.  lack: 1 bit, or None.  first, last: the digits of b that it
    contains. late: by how many cycles it has been delayed."""

    value: Value
    weight: int
    lack: Value | None
    lack_at: int
    first: int
    last: int
    late: int = 0


def slowest_stage(width: int, stages: int) -> float:
    """The delay of the slowest stage of `product`, in levels of look-up tables."""
    return slowest(_steps(width), stages, last=1.0)


def _steps(width: int) -> list[LogicStep]:
    """The additions of the rows of a group, then those of groups."""
    groups = -(-(width // 2 + 1) // GROUP)
    bits = width * CHAIN_BIT
    row, pair = (
        LogicStep(1.3, 1.0 + bits),
        LogicStep(1.3, bits),
    )  # a row has a look-up table for its multiple in front of the carry chain
    return [row] * (GROUP - 1) + [pair] * (groups - 1).bit_length()


class BoothMultiplier(wiring.Component):
    """The product p = a * b of unsigned integers of {width} bits, by Booth's digits in radix 4.
    {when}

    b = sum over k of d_k*4^k with the digits d_k = -2*b[2k+1] + b[2k] + b[2k-1], each of which is
    one of -2 ... 2 (b[-1] and bits above b are 0). digit_k_one and digit_k_two tell whether |d_k|
    is 1 or 2. digit_k is |d_k|*a, complemented where b[2k+1] is 1; to be the negative number, a
    complement needs 1 more, and this 1, which is b[2k+1] itself, enters the next sum at the weight
    4^k. (With d_k = 0 the two are -1 + 1.)

    sum_i_j is digit_i + ... + digit_j, without the 1 of digit_j, in two's complement at the weight
    4^i. sum_i_j_upper is the part of it that an adder makes: all of it, or all but the lowest bits,
    which come from the left term and are final. Where it is all, either name may stand. Groups of
    three digits are added one digit after the other, then the groups in pairs. Everything is
    computed modulo 4^{width}, and a*b is below that."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "digits of b": {
            "digit_*_one": "the digit is 1 or -1",
            "digit_*_two": "the digit is 2 or -2",
            "digit_*": "the digit times a, or its complement",
        },
        "sums of these": {
            "sum_*_upper": "of two terms, from where both have bits",
            "sum_*": "of digits, as the name says",
        },
    }

    def __init__(self, width: int, stages: int):
        """stages: pipeline stages; the product is there in the last of them, before any register
        behind it."""
        self.width, self._registers = width, stages - 1
        super().__init__({"a": In(width), "b": In(width), "p": Out(2 * width)})

    @property
    def when(self) -> str:
        """When the product is ready, for the comment above the module."""
        return ready(self._registers)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        width, digits, steps = 2 * self.width, self.width // 2 + 1, _steps(self.width)
        last = self._registers
        times = [*cut(steps, last + 1, last=1.0), last]
        a, b = DelayLine(m, self.a, "a"), DelayLine(m, self.b, "b")
        rows = []
        for k in range(digits):
            stage = times[k % GROUP - 1] if k % GROUP else 0
            rows.append(digit_row(m, a(stage), b(stage), k))
        terms = rows[::GROUP]
        for step in range(len(steps)):
            if step < GROUP - 1:
                for group, row in enumerate(rows[step + 1 :: GROUP]):
                    terms[group] = add(m, terms[group], row, width)
            else:
                terms = _pairs(m, terms, width)
            wait = times[step + 1] - times[step]
            terms = [_delayed(m, term, wait) for term in terms]
        m.d.comb += self.p.eq(whole(terms[0].value))
        return m


def digit_row(m: Module, a: Value, b: Value, index: int) -> BoothTerm:
    """A times digit `index` of b, -2 ... 2, at its weight, as a row of len(a) + 2 bits.

    The last digit of b, whose two higher bits are zero, is 0 or more and lacks nothing."""
    low, middle, high = Cat(Const(0, 1), b, Const(0, 2))[2 * index : 2 * index + 3]
    width, name = len(a) + 2, f"digit_{index}"
    once, twice = Signal(name=f"{name}_one"), Signal(name=f"{name}_two")
    row = Signal(width, name=name)
    multiple = Cat(a, Const(0, 2)) & once.replicate(width)
    multiple |= Cat(Const(0, 1), a, Const(0, 1)) & twice.replicate(width)
    m.d.comb += [
        once.eq(low ^ middle),
        twice.eq(~once & (middle ^ high)),
        row.eq(multiple ^ high.replicate(width)),
    ]
    last = index == len(b) // 2
    return BoothTerm(row, 2 * index, None if last else high, 0, index, index)


def add(m: Module, left: BoothTerm, right: BoothTerm, width: int) -> BoothTerm:
    """Left + right modulo 2^width; right has the greater weight, left must have a lack."""
    assert left.lack is not None
    start = left.lack_at
    gap = right.weight - left.weight - start
    x = left.value[start:]
    y = Cat(left.lack, Const(0, gap - 1), right.value)
    weight = left.weight + start
    size = min(max(len(x), len(y)) + 1, width - weight)
    name = f"sum_{left.first}_{right.last}"
    upper, whole = Signal(size, name=f"{name}_upper"), Signal(start + size, name=name)
    m.d.comb += [
        upper.eq(_extended(x, size) + _extended(y, size)),
        whole.eq(Cat(left.value[:start], upper)),
    ]
    lack_at = right.weight - left.weight + right.lack_at
    return BoothTerm(whole, left.weight, right.lack, lack_at, left.first, right.last)


def _extended(value: Value, width: int) -> Value:
    """A number in two's complement, cut to `width` bits or extended by its sign."""
    return Cat(value, value[-1].replicate(max(0, width - len(value))))[:width]


def _pairs(m: Module, terms: list[BoothTerm], width: int) -> list[BoothTerm]:
    whole = len(terms) // 2 * 2
    return [add(m, terms[k], terms[k + 1], width) for k in range(0, whole, 2)] + terms[whole:]


def _delayed(m: Module, term: BoothTerm, cycles: int) -> BoothTerm:
    name = f"sum_{term.first}_{term.last}" if term.last > term.first else f"digit_{term.first}"
    value, lack = term.value, term.lack
    for late in range(term.late + 1, term.late + cycles + 1):
        value = _register(m, value, f"{name}_d{late}")
        lack = None if lack is None else _register(m, lack, f"{name}_lack_d{late}")
    return term._replace(value=value, lack=lack, late=term.late + cycles)


def _register(m: Module, value: Value, name: str) -> Signal:
    register = Signal(len(value), name=name, reset_less=True)
    m.d.sync += register.eq(value)
    return register
