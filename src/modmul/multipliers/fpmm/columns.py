"""The datapath on plain multipliers whose sums go to fabric, for words of two digits.

Words are two digits of e = w/2 bits.  Every sum is a registered e-bit adder; its carry out is one
bit, taken as carry in by a later adder one digit higher, so that no carry chain is longer than a
digit.  Digit 1 of a word is handled one cycle after digit 0; digit 0 of word j+1 together with
digit 1 of word j.  Products: `p_hg` = a_h * b_g (task 1), `r_hg` = q_h * p_g (task 3).

    task 1   V0 <- p00.lo + t0          X <- p00.hi + t1        S_lo <- p01.lo + p10.lo
             V1 <- X + S_lo             v_0 = (V0, V1): no carry of the word before is in it
             S_hi <- p01.hi + p10.hi    x2 <- S_hi + p11.lo     x3 <- p11.hi + two carries
             U0_(j+1) <- V0 + x2_j      U1_(j+1) <- V1 + x3_j   d is the carry out of U1
    task 3   E <- U + r00.lo, r00.hi; then F, G, H <- + r01, r10, r11, each in turn: the two digits
             of T, and one bit pending at the bottom of each word (the carry out of H1)

Why one pending bit does not disturb the argument of Algorithm 2 (gallin2019, 2.2): the word t_-1 of
a slot, digits plus pending bit, is congruent to the X < 2^w that the slot before left; it equals X,
since it is at most 2^w, and were it 2^w, X would be 0 although the pending bit, a part of X, is 1.

The result alone needs canonical words: T_j plus one bit b_j, b_(j+1) = pending_(j+1) or (b_j and
all bits of T_j are ones).  Pending and carried-over bit are never both set: H1 sums up to
2^(e+1) - 2 at most, so that it is not all ones when it overflows.
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.delay import DelayLine, delay
from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule
from modmul.multipliers.fpmm.timeline import SlotFlag, SlotValue, Timeline
from modmul.targets import Target

ZERO = Const(0, 1)


class ColumnsDatapath:
    """Builds the datapath into `m`; parameters as for CascadeDatapath."""

    def __init__(
        self,
        m: Module,
        timeline: Timeline,
        schedule: ColumnsSchedule,
        target: Target,
        word: int,
        dsp_registers: int,
        slack: int,
    ):
        self.m, self.timeline, self.schedule, self.target = m, timeline, schedule, target
        self.digit, self.dsp_registers, self.slack = word // 2, dsp_registers, slack
        self.t = [Signal(self.digit, name=f"t{k}", reset_less=True) for k in range(2)]
        self.t_pending = Signal(name="t_pending", reset_less=True)

    def build(
        self,
        a: SlotValue,
        b: Value,
        p_prime: Value,
        modulus: Callable[..., Value],
        active: SlotFlag,
        keep: Callable[[int], Value],
    ) -> Value:
        """Returns the result stream, word 0 visible at `schedule.first_word`."""
        e = self.digit
        digits = slice(0, e), slice(e, 2 * e)
        v, u, d = self._task1([a[s] for s in digits], active, [b[s] for s in digits])
        q = self._task2(v, [p_prime[s] for s in digits])
        t, pending = self._task3(q, modulus, u, d)
        self._feed_back(t, pending, keep)
        return self._canonical(t, pending)

    # ---- pieces ---------------------------------------------------------------------------------

    def _product(
        self, name: str, a: Value, enable: Value, b: Value, register: int, clear: Value = ZERO
    ) -> Value:
        """a * b; enable, clear: of the register in which the block holds a."""
        multiplier = self.target.multiplier(self.digit, self.digit, self.dsp_registers, name)
        multiplier.place(self.m)
        self.m.d.comb += [
            multiplier.a.eq(a),
            multiplier.a_enable.eq(enable),
            multiplier.a_clear.eq(clear),
            multiplier.b.eq(b),
        ]
        return delay(self.m, multiplier.p, register, name)

    def _add(
        self, name: str, x: Value, y: Value, carry: Value | None = None, out: bool = True
    ) -> tuple[Signal, Value]:
        """sum, carry out <- x + y + carry."""
        e = self.digit
        total = Signal(e, name=name, reset_less=True)
        carry_out = Signal(name=f"{name}_carry", reset_less=True)
        if carry is None:
            sum_ = (x + y)[: e + 1]
        else:  # the carry comes in through a bit below the lowest
            sum_ = (Cat(Const(1, 1), x) + Cat(carry, y))[1 : e + 2]
        self.m.d.sync += total.eq(sum_[:e])
        if out:
            self.m.d.sync += carry_out.eq(sum_[e])
        return total, carry_out

    def _later(self, value: Value, cycles: int, name: str) -> Value:
        return delay(self.m, value, cycles, name)

    # ---- task 1 ---------------------------------------------------------------------------------

    def _task1(
        self, a: list[SlotValue], active: SlotFlag, b: list[Value]
    ) -> tuple[list[Signal], list[Value], Value]:
        """V (two streams), U (two streams), and the carry out of U1.

        a is zero in empty slots, like b: no product of what was never written."""
        e, later, add = self.digit, self._later, self._add
        b0, b1 = DelayLine(self.m, b[0], "b0"), DelayLine(self.m, b[1], "b1")

        def product(h: int, g: int, skew: int) -> Value:
            time = self.schedule.ports + skew
            line = (b0, b1)[g]
            start = self.timeline.start(time)
            empty = start & ~active.in_cycle(time) if self.schedule.a_unregistered else ZERO
            return self._product(
                f"p{h}{g}", a[h].at(time), start, line(skew), self.schedule.registers.task1, empty
            )

        p00, p01, p10, p11 = product(0, 0, 0), product(0, 1, 1), product(1, 0, 1), product(1, 1, 3)
        v0, v0_carry = add("v0", p00[:e], self.t[0], self.t_pending)
        x, x_carry = add("x", later(p00[e:], 1, "p00_hi"), self.t[1], v0_carry)
        s_lo, s_carry = add("s_lo", p01[:e], p10[:e])
        v1, v1_carry = add("v1", x, s_lo)
        s_hi, s_hi_carry = add(
            "s_hi", later(p01[e:], 1, "p01_hi"), later(p10[e:], 1, "p10_hi"), s_carry
        )
        x2, x2_carry = add("x2", s_hi, p11[:e], later(x_carry, 1, "x_carry"))
        s_hi_later = later(s_hi_carry, 1, "s_hi_carry")
        x3, _ = add("x3", later(p11[e:], 1, "p11_hi"), s_hi_later, x2_carry, out=False)
        u0, u0_carry = add("u0", later(v0, 2, "v0"), x2, later(v1_carry, 1, "v1_carry"))
        u1, u1_carry = add("u1", later(v1, 1, "v1"), x3, u0_carry)
        return [v0, v1], [u0, u1], u1_carry

    # ---- task 2 ---------------------------------------------------------------------------------

    def _task2(self, v: list[Signal], p_prime: list[Value]) -> list[SlotValue]:
        """q = v_0*P' mod 2^w: v0*P'0, v0*P'1 (same v0, held in the block), v1*P'0."""
        e, schedule = self.digit, self.schedule
        time, select = schedule.v0, schedule.registers.select
        tl = Timeline(self.m, self.timeline.theta, "quotient_phase")  # its own: much hangs on it
        a = Mux(tl.start(time + 2), v[1], v[0])
        b = Mux(tl.start(time + 1), p_prime[1], p_prime[0])
        a, b = self._later(a, select, "v_select"), self._later(b, select, "p_prime_select")
        load = Signal(name="quotient_load", reset_less=True)
        before = time + select - 1
        self.m.d.sync += load.eq(tl.start(before) | tl.start(before + 2))
        product = self._product("quotient", a, load, b, schedule.registers.task2)
        partial, _ = self._add(
            "q1_partial", self._later(product[e:], 1, "quotient_hi"), product[:e], out=False
        )
        q1, _ = self._add("q1", partial, product[:e], out=False)
        return [
            SlotValue(self.timeline, product[:e], schedule.q0, "q0"),
            SlotValue(self.timeline, q1, schedule.q0 + 3, "q1"),
        ]

    # ---- task 3 ---------------------------------------------------------------------------------

    def _task3(
        self, q: list[SlotValue], modulus: Callable[..., Value], u: list[Value], d: Value
    ) -> tuple[list[Signal], Value]:
        """H (two streams: the digits of T) and the pending bit."""
        e, later, add, schedule = self.digit, self._later, self._add, self.schedule
        first = schedule.q0
        p0 = DelayLine(self.m, modulus(first, slice(0, e)), "p0")
        p1 = DelayLine(self.m, modulus(first + 2, slice(e, 2 * e)), "p1")

        def product(h: int, stream: Value, skew: int, name: str) -> Value:
            time = first + skew
            start = self.timeline.start(time)
            return self._product(name, q[h].at(time), start, stream, schedule.registers.task3)

        r00, r01 = product(0, p0(0), 0, "r00"), product(0, p1(0), 2, "r01")
        r10, r11 = product(1, p0(3), 3, "r10"), product(1, p1(2), 4, "r11")
        wait = schedule.r00 - schedule.u0
        u0, u1, d = later(u[0], wait, "u0"), later(u[1], wait, "u1"), later(d, wait, "d")
        e0, e0_carry = add("e0", u0, r00[:e], d)
        e1, e1_carry = add("e1", u1, later(r00[e:], 1, "r00_hi"), e0_carry)
        f0, f0_carry = add("f0", e0, r01[e:], e1_carry)
        f1, f1_carry = add("f1", e1, r01[:e], f0_carry)
        g0, g0_carry = add("g0", f0, r10[e:], f1_carry)
        g1, g1_carry = add("g1", f1, r10[:e], g0_carry)
        h0, h0_carry = add("h0", g0, r11[:e], g1_carry)
        h1, h1_carry = add("h1", g1, later(r11[e:], 1, "r11_hi"), h0_carry)
        return [h0, h1], h1_carry

    def _feed_back(self, t: list[Signal], pending: Value, keep: Callable[[int], Value]) -> None:
        """T to where it enters; its last register is zeroed in first iterations and empty slots."""
        m, time = self.m, self.schedule.p00 - 1
        names = ("t0", "t1", "pending")
        values, registers = (*t, pending), (*self.t, self.t_pending)
        for name, value, register, late in zip(names, values, registers, (0, 1, 0), strict=True):
            m.d.sync += register.eq(self._later(value, self.slack, f"{name}_again"))
            with m.If(~keep(time + late)):
                m.d.sync += register.eq(0)

    def _canonical(self, t: list[Signal], pending: Value) -> Value:
        """The words of T with the pending bits added in."""
        m, later = self.m, self._later
        half = self.digit // 2
        ones: list[list[Signal]] = []  # all bits of each half of a digit are ones
        for k, digit in enumerate(t):
            ones.append([Signal(name=f"t{k}_{part}_ones", reset_less=True) for part in "ab"])
            m.d.sync += [ones[k][0].eq(digit[:half].all()), ones[k][1].eq(digit[half:].all())]
        low_ones = later(ones[0][0] & ones[0][1], 1, "t0_ones")
        bit = Signal(name="carry_over", reset_less=True)
        high_ones = ones[1][0] & ones[1][1]
        m.d.sync += bit.eq(later(pending, 1, "pending") | (bit & low_ones & high_ones))
        low, _ = self._add("result_low", later(t[0], 2, "t0_out"), bit, out=False)
        high = Signal(self.digit, name="result_high", reset_less=True)
        t1 = later(t[1], 1, "t1_out")
        m.d.sync += high.eq((Cat(low_ones, t1) + bit)[1:])
        return Cat(low, high)
