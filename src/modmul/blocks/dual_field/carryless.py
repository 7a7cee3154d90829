"""Carry-less products: Karatsuba's halves down to 16 bits, then a tree of XORs.

With X = x^h: (a1 X + a0)(b1 X + b0) = hi X^2 + ((a1+a0)(b1+b0) + hi + lo) X + lo, so that three
products of h bits do for four; a bit of the whole is the XOR of at most four of theirs."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.carry_save import masked
from modmul.blocks.delay import delay
from modmul.blocks.dual_field.columns import xor
from modmul.blocks.dual_field.pipeline import LogicStep, cut, ready, within
from modmul.blocks.part import whole, wire
from modmul.targets import Target

SPLIT = 32  # words of at least so many bits are split; for shorter ones it does not pay


class XorTreePlan(NamedTuple):
    """Where the registers of a carry-less multiplier are.

    fan_in: inputs of a gate, or of the look-up tables that all chips have.  wait: registers in
    front of the rows.  levels: the stage of each level of XORs, and that of their result.  joins:
    registers behind each join of halves, the innermost first."""

    fan_in: int
    wait: int
    levels: tuple[int, ...]
    joins: tuple[int, ...]


def plan(chip: Target, width: int, stages: int, limit: float) -> XorTreePlan:
    """The plan of a multiplier of `width` bits in `stages` pipeline stages.

    limit: the delay of a stage, in levels of gates or look-up tables, that is fast enough; with it,
    there are as few registers as possible."""
    splits = 0
    while width >= SPLIT and width % 2 == 0:
        width, splits = width // 2, splits + 1
    fan_in = chip.gate_inputs
    levels = _levels(width, fan_in)
    folding = min(splits, 1)  # all foldings are one step
    steps = [LogicStep(1.0)] * (folding + levels + splits)
    times = within(steps, stages, 1.0, limit) or cut(steps, stages, last=1.0)
    times.append(stages - 1)
    wait = times[1] - times[0] if folding else 0
    late = times[folding:]
    joins = [late[k + 1] - late[k] for k in range(levels, levels + splits)]
    return XorTreePlan(fan_in, wait, tuple(late[: levels + 1]), tuple(joins))


def _levels(height: int, fan_in: int) -> int:
    """The levels of XOR gates for `height` rows; the AND gates are in the first."""
    height, levels = -(-height // max(1, fan_in // 2)), 1
    while height > 1:
        height, levels = -(-height // fan_in), levels + 1
    return levels


class CarrylessMultiplier(wiring.Component):
    """The product p = a * b of polynomials over GF(2) with {width} coefficients: sums have no
    carries, so they are XORs. {when}

    {how}"""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "rows and their sums": {
            "row_*": "a, if this bit of b is 1",
            "sum_*": "of the rows from the first number to the second",
        },
    }

    def __init__(self, width: int, plan: XorTreePlan):
        """plan: where the registers are (see `plan`)."""
        self.width = width
        self._registers = plan.wait + plan.levels[-1] - plan.levels[0] + sum(plan.joins)
        self._plan = plan
        super().__init__({"a": In(width), "b": In(width), "p": Out(2 * width - 1)})

    @property
    def when(self) -> str:
        """When the product is ready, for the comment above the module."""
        return ready(self._registers)

    @property
    def how(self) -> str:
        """The algorithm, for the comment above the module."""
        if not self._plan.joins:
            return (
                "row_j is a where b[j] is 1, else 0. sum_i_j is the sum of row_i to row_j, each "
                "one bit further up than the one before."
            )
        half = self.width // 2
        return (
            f"Karatsuba's way, from four products of half the length to three: with X = x^{half}, "
            "a = a_high*X + a_low, b = b_high*X + b_low and the products high = a_high*b_high, "
            "low = a_low*b_low, middle = (a_high + a_low)*(b_high + b_low), "
            "a*b = high*X^2 + (high + low + middle)*X + low."
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self._plan.joins:
            self._halves(m)
        else:
            m.d.comb += self.p.eq(whole(self._rows(m)))
        return m

    def _halves(self, m: Module) -> None:
        half, plan = self.width // 2, self._plan
        low, high, middle = products = [
            Signal(2 * half - 1, name=f"{name}_product") for name in ("low", "high", "middle")
        ]
        inner_part = Cat(Const(0, half), low ^ high ^ middle)
        joined = wire(m, Cat(low, Const(0, 1), high) ^ inner_part, "joined")
        # p comes first, so that the p of no half takes its name.
        m.d.comb += self.p.eq(whole(delay(m, joined, plan.joins[-1], "joined")))
        words = (self.a, self.b)
        folded = [
            wire(m, word[:half] ^ word[half:], f"{name}_folded")
            for name, word in zip("ab", words, strict=True)
        ]
        operands = ([w[:half] for w in words], [w[half:] for w in words], folded)
        for name, (a, b), product in zip(
            ("low", "high", "middle"), operands, products, strict=True
        ):
            inner = CarrylessMultiplier(half, plan._replace(joins=plan.joins[:-1]))
            m.submodules[name] = inner
            m.d.comb += [inner.a.eq(a), inner.b.eq(b), product.eq(inner.p)]

    def _rows(self, m: Module) -> Value:
        fan_in, wait, levels, _ = self._plan
        a, b = delay(m, self.a, wait, "a"), delay(m, self.b, wait, "b")
        rows: list[Value] = []
        for j in range(self.width):
            rows.append(Signal(self.width, name=f"row_{j}"))
            m.d.comb += rows[j].eq(masked(a, b[j]))
        span = 1  # rows in a sum
        for level in range(len(levels) - 1):
            size = fan_in if level else max(1, fan_in // 2)
            wait = levels[level + 1] - levels[level]
            rows = [
                self._sum(m, rows[k : k + size], k * span, span, wait)
                for k in range(0, len(rows), size)
            ]
            span *= size
        return rows[0]

    def _sum(self, m: Module, terms: list[Value], first: int, span: int, wait: int) -> Value:
        """The sum of terms of `span` rows each, the lowest of which is row `first`."""
        if len(terms) == 1 and not wait:
            return terms[0]
        last = min(self.width, first + len(terms) * span) - 1
        title = f"sum_{first}_{last}" if last > first else f"row_{first}"
        if len(terms) == 1:
            return delay(m, terms[0], wait, title)
        moved = [Cat(Const(0, k * span), term) for k, term in enumerate(terms)]
        sum_ = Signal(max(map(len, moved)), name=title)
        m.d.comb += sum_.eq(xor(moved))
        return delay(m, sum_, wait, title)
