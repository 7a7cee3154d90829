"""The datapath on plain multipliers whose sums go to fabric, for words of two halves.

Words are two halves of e = w/2 bits, the low one half 0.  Every sum is a registered e-bit adder;
its carry out is one bit, taken as carry in by a later adder one half higher, so that no carry chain
is longer than a half.  Half 1 of a word is handled one cycle after half 0; half 0 of word j+1
together with half 1 of word j.  Products: `ab_hg` = a_h * b_g (task 1), `qn_hg` = q_h * n_g
(task 3).

    task 1   the four halves of V = a_i*b_j + t_j:
             v0 <- ab00.lo + t0          v1_partial <- ab00.hi + t1
             cross_lo <- ab01.lo + ab10.lo
             v1 <- v1_partial + cross_lo         no carry of the word before is in (v0, v1)
             cross_hi <- ab01.hi + ab10.hi          v2 <- cross_hi + ab11.lo
             v3 <- ab11.hi + two carries
             u0_(j+1) <- v0 + v2_j       u1_(j+1) <- v1 + v3_j        d is the carry out of u1
    task 3   acc00 <- U + qn00; then acc01, acc10, T <- + qn01, qn10, qn11, each in turn: the two
             halves of T, and one bit pending at the bottom of each word (the carry out of t1)

Why one pending bit does not disturb the argument of Algorithm 2 (gallin2019, 2.2): the word t_-1 of
a slot, halves plus pending bit, is congruent to the X < 2^w that the slot before left; it equals X,
since it is at most 2^w, and were it 2^w, X would be 0 although the pending bit, a part of X, is 1.

The result alone needs canonical words: T_j plus one bit b_j, b_(j+1) = pending_(j+1) or (b_j and
all bits of T_j are ones).  Pending and carried-over bit are never both set: t1 sums up to
2^(e+1) - 2 at most, so that it is not all ones when it overflows.
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, ClockSignal, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import DelayLine, delay
from modmul.blocks.part import Part, wire
from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule
from modmul.multipliers.fpmm.timeline import SlotFlag, SlotValue, Timeline
from modmul.targets import Target

_STAGES = {
    3: "Three cycles: input registers, a register behind the multiplier, output register",
    2: "Two cycles: input registers and output register",
}
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
        words: int,
        dsp_registers: int,
        slack: int,
    ):
        self.m, self.timeline, self.schedule, self.target = m, timeline, schedule, target
        self.half, self.words = word // 2, words
        self.dsp_registers, self.slack = dsp_registers, slack
        self.t_in = [Signal(self.half, name=f"t{k}_in", reset_less=True) for k in range(2)]
        self.t_pending_in = Signal(name="t_pending_in", reset_less=True)

    def build(
        self,
        a: SlotValue,
        b: Value,
        n_prime: Value,
        modulus: Callable[..., Value],
        active: SlotFlag,
        keep: Callable[[int], Value],
    ) -> Value:
        """The result stream, word 0 visible at `schedule.first_word`."""
        e = self.half
        low, high = slice(0, e), slice(e, 2 * e)
        a_halves = [a.piece(low, "a_lo"), a.piece(high, "a_hi")]
        v, u, d = self._task1(a_halves, active, [b[low], b[high]])
        q = self._task2(v, [n_prime[low], n_prime[high]])
        halves, pending = self._task3(q, modulus, u, d)
        t = [DelayLine(self.m, half, f"t{k}") for k, half in enumerate(halves)]
        t_pending = DelayLine(self.m, pending, "t_pending")
        self._feed_back([*t, t_pending], keep)
        return self._canonical(t, t_pending)

    # ---- pieces ---------------------------------------------------------------------------------

    def _product(
        self, name: str, a: Value, enable: Value, b: Value, register: int, clear: Value = ZERO
    ) -> Value:
        """A * b.  enable, clear: of the register in which the block holds a."""
        part = HalfProduct(self.target, self.half, self.dsp_registers, self.schedule.b_unregistered)
        inputs = {"clk": ClockSignal(), "a": a, "a_enable": enable, "a_clear": clear, "b": b}
        product = part.use(self.m, f"multiplier_{name}", {"p": name}, **inputs)["p"]
        return delay(self.m, product, register, name)

    def _add(
        self,
        name: str,
        x: Value,
        y: Value,
        carry: Value | None = None,
        carry_name: str | None = "",
    ) -> tuple[Signal, Value]:
        """The registers of x + y + carry and of the carry out.  carry_name: None for no
        carry."""
        e = self.half
        total = Signal(e, name=name, reset_less=True)
        carry_out = Signal(name=carry_name or f"{name}_carry", reset_less=True)
        if carry is None:
            sum_ = (x + y)[: e + 1]
        else:  # the carry comes in through a bit below the lowest
            sum_ = (Cat(Const(1, 1), x) + Cat(carry, y))[1 : e + 2]
        self.m.d.sync += total.eq(sum_[:e])
        if carry_name is not None:
            self.m.d.sync += carry_out.eq(sum_[e])
        return total, carry_out

    def _later(self, value: Value, cycles: int, name: str, late: int = 0) -> Value:
        return delay(self.m, value, cycles, name, late)

    # ---- task 1 ---------------------------------------------------------------------------------

    def _task1(
        self, a: list[SlotValue], active: SlotFlag, b: list[Value]
    ) -> tuple[list[Signal], list[Value], Value]:
        """V (two streams), U (two streams), and the carry out of U1.

        a and b are zero in empty slots, so that no words are used that were never written."""
        e, later, add = self.half, self._later, self._add
        ab00, ab01, ab10, ab11 = self._products_of_task1(a, active, b)
        late = self.schedule.registers.task1
        v0, v0_carry = add("v0", ab00[:e], self.t_in[0], self.t_pending_in)
        ab00_hi = later(ab00[e:], 1, "ab00_hi", late)
        v1_partial, v1_partial_carry = add("v1_partial", ab00_hi, self.t_in[1], v0_carry)
        cross_lo, cross_lo_carry = add("cross_lo", ab01[:e], ab10[:e])
        v1, v1_carry = add("v1", v1_partial, cross_lo)
        ab01_hi, ab10_hi = (
            later(product[e:], 1, f"{name}_hi", late)
            for name, product in (("ab01", ab01), ("ab10", ab10))
        )
        cross_hi, cross_hi_carry = add("cross_hi", ab01_hi, ab10_hi, cross_lo_carry)
        v2, v2_carry = add("v2", cross_hi, ab11[:e], later(v1_partial_carry, 1, "v1_partial_carry"))
        cross_hi_carry = later(cross_hi_carry, 1, "cross_hi_carry")
        ab11_hi = later(ab11[e:], 1, "ab11_hi", late)
        v3, _ = add("v3", ab11_hi, cross_hi_carry, v2_carry, carry_name=None)
        u0, u0_carry = add("u0", later(v0, 2, "v0"), v2, later(v1_carry, 1, "v1_carry"))
        u1, u1_carry = add("u1", later(v1, 1, "v1"), v3, u0_carry)
        return [v0, v1], [u0, u1], u1_carry

    def _products_of_task1(
        self, a: list[SlotValue], active: SlotFlag, b: list[Value]
    ) -> tuple[Value, ...]:
        """Ab00, ab01, ab10, ab11."""
        lines = DelayLine(self.m, b[0], "b_lo"), DelayLine(self.m, b[1], "b_hi")
        clears: dict[int, Value] = {}

        def product(h: int, g: int, skew: int) -> Value:
            time = self.schedule.ports + skew
            start = self.timeline.start(time)
            if self.schedule.b_unregistered and time not in clears:
                used = self.timeline.in_words(active.at(time), self.words, time)
                clears[time] = wire(self.m, ~used, f"clear_a_b_at{time}")
            elif self.schedule.a_unregistered and time not in clears:
                empty = start & ~active.in_cycle(time)
                clears[time] = wire(self.m, empty, f"clear_a_at{time}")
            register, clear = self.schedule.registers.task1, clears.get(time, ZERO)
            return self._product(f"ab{h}{g}", a[h].at(time), start, lines[g](skew), register, clear)

        return product(0, 0, 0), product(0, 1, 1), product(1, 0, 1), product(1, 1, 3)

    # ---- task 2 ---------------------------------------------------------------------------------

    def _task2(self, v: list[Signal], n_prime: list[Value]) -> list[SlotValue]:
        """q = v_0*N' mod 2^w: of v0*N'0, v0*N'1 (same v0, held in the block), v1*N'0."""
        e, schedule, m = self.half, self.schedule, self.m
        time, select, late = schedule.v0, schedule.registers.select, schedule.registers.task2
        second = self._own_phase("quotient_takes_n_hi", time + 1)
        third = self._own_phase("quotient_takes_v1", time + 2)
        load = self._own_phase("quotient_a_enable", time + select, time + select + 2)
        a = wire(m, Mux(third, v[1], v[0]), "quotient_a")
        b = wire(m, Mux(second, n_prime[1], n_prime[0]), "quotient_b")
        a, b = self._later(a, select, "quotient_a"), self._later(b, select, "quotient_b")
        product = self._product("vn", a, load, b, late)
        vn_hi = self._later(product[e:], 1, "vn_hi", late)
        partial, _ = self._add("q1_partial", vn_hi, product[:e], carry_name=None)
        q1, _ = self._add("q1", partial, product[:e], carry_name=None)
        return [
            SlotValue(self.timeline, product[:e], schedule.q0, "q0"),
            SlotValue(self.timeline, q1, schedule.q0 + 3, "q1"),
        ]

    def _own_phase(self, name: str, *times: int) -> Signal:
        """A flag that is high in those cycles, from its own register since it drives much.

        It has no reset; otherwise synthesis would merge it with a bit of the phase ring."""
        flag = Signal(name=name, reset_less=True)
        before = [self.timeline.start(time - 1) for time in times]
        self.m.d.sync += flag.eq(Cat(before).any())
        return flag

    # ---- task 3 ---------------------------------------------------------------------------------

    def _task3(
        self, q: list[SlotValue], modulus: Callable[..., Value], u: list[Value], d: Value
    ) -> tuple[list[Signal], Value]:
        """The halves of T and the pending bit."""
        e, later, add, schedule = self.half, self._later, self._add, self.schedule
        qn00, qn01, qn10, qn11 = self._products_of_task3(q, modulus)
        wait, late = schedule.qn00 - schedule.u0, schedule.registers.task3
        u0, u1, d = later(u[0], wait, "u0"), later(u[1], wait, "u1"), later(d, wait, "u1_carry")
        sum0, carry = add("acc00_lo", u0, qn00[:e], d)
        sum1, carry = add("acc00_hi", u1, later(qn00[e:], 1, "qn00_hi", late), carry)
        sum0, carry = add("acc01_lo", sum0, qn01[e:], carry)
        sum1, carry = add("acc01_hi", sum1, qn01[:e], carry)
        sum0, carry = add("acc10_lo", sum0, qn10[e:], carry)
        sum1, carry = add("acc10_hi", sum1, qn10[:e], carry)
        t0, carry = add("t0", sum0, qn11[:e], carry)
        qn11_hi = later(qn11[e:], 1, "qn11_hi", late)
        t1, pending = add("t1", sum1, qn11_hi, carry, carry_name="t_pending")
        return [t0, t1], pending

    def _products_of_task3(
        self, q: list[SlotValue], modulus: Callable[..., Value]
    ) -> tuple[Value, ...]:
        """Qn00, qn01, qn10, qn11."""
        e, first, register = self.half, self.schedule.q0, self.schedule.registers.task3
        n_lo = DelayLine(self.m, modulus(first, slice(0, e), "n_lo"), "n_lo")
        n_hi = DelayLine(self.m, modulus(first + 2, slice(e, 2 * e), "n_hi"), "n_hi")

        def product(h: int, stream: Value, skew: int, name: str) -> Value:
            time = first + skew
            start = self.timeline.start(time)
            return self._product(name, q[h].at(time), start, stream, register)

        return (
            product(0, n_lo(0), 0, "qn00"),
            product(0, n_hi(0), 2, "qn01"),
            product(1, n_lo(3), 3, "qn10"),
            product(1, n_hi(2), 4, "qn11"),
        )

    def _feed_back(self, t: list[DelayLine], keep: Callable[[int], Value]) -> None:
        m, time = self.m, self.schedule.ab00 - 1
        registers = (*self.t_in, self.t_pending_in)
        for line, register, late in zip(t, registers, (0, 1, 0), strict=True):
            m.d.sync += register.eq(line(self.slack))
            with m.If(~keep(time + late)):
                m.d.sync += register.eq(0)

    def _canonical(self, t: list[DelayLine], pending: DelayLine) -> Value:
        """The words of T with the pending bits added."""
        m, half = self.m, self.half // 2
        ones: list[list[Signal]] = []  # all bits of each part of a half are ones
        for k, line in enumerate(t):
            bits, parts = line(0), ("low", "high")
            ones.append([Signal(name=f"t{k}_{part}_ones", reset_less=True) for part in parts])
            m.d.sync += [ones[k][0].eq(bits[:half].all()), ones[k][1].eq(bits[half:].all())]
        t0_ones = wire(m, ones[0][0] & ones[0][1], "t0_ones")
        t1_ones = wire(m, ones[1][0] & ones[1][1], "t1_ones")
        t0_ones = self._later(t0_ones, 1, "t0_ones")
        carry = Signal(name="result_carry", reset_less=True)
        m.d.sync += carry.eq(pending(1) | (carry & t0_ones & t1_ones))
        low, _ = self._add("result_lo", t[0](2), carry, carry_name=None)
        high = Signal(self.half, name="result_hi", reset_less=True)
        m.d.sync += high.eq((Cat(t0_ones, t[1](1)) + carry)[1:])
        return Cat(low, high)


class HalfProduct(Part):
    """The product p = a * b of {bits} x {bits} bits, unsigned, on one hard multiplier ({cell}).

    {stages}. The input register of a is loaded where a_enable is high and zeroed where a_clear is
    high; that of b is loaded in every cycle{b_too}. So a stays while a_enable is low, and new
    values of b go by. There is no other reset than a_clear. Pins of the block that stay open are
    not used."""

    kept = False

    def __init__(self, target: Target, bits: int, registers: int, clears_b: bool):
        """clears_b: a_clear zeroes the input register of b, too."""
        assert target.dsp is not None
        self._clears_b, self.b_too = clears_b, ", or zeroed by a_clear, too" if clears_b else ""
        self._target, self.bits, self._registers = target, bits, registers
        self.cell, self.stages = str(target.dsp.cell), _STAGES[registers]
        loads = {"a_enable": In(1), "a_clear": In(1)}
        super().__init__({"clk": In(1), "a": In(bits), **loads, "b": In(bits), "p": Out(2 * bits)})

    @property
    def module(self) -> str:
        return f"mult_{self.bits}x{self.bits}"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.clocked(m)
        multiplier = self._target.multiplier(self._registers, "product", self._clears_b)
        product = multiplier.place(m, self.a, self.b, self.a_enable, self.a_clear)
        m.d.comb += self.p.eq(product)
        return m
