"""The datapath on multiply-accumulate slices: tasks 1, 2 and 3 and the feedback of T.

With words of T, of U = T + a_i*B and of U + q*N, and carries that are never cleared
between slots (Algorithm 2 of gallin2019, section 5.4 of its specification):

    y_j     <- low1_j + high1_(j-1) + carry
    u_j     <- y_j + t_j + carry                  this carry is d
    v_0     <- low1_0 + t_0 mod 2^w               d must not enter q
    t_(j-1) <- low3_j + high3_(j-1) + carry       this carry is c; u_j is in low3 and high3 ...
            (+ u_j + carry)                       ... or added here, where a P register is too short

With `t_in_dsp` t enters the first slice of task 1, so that low1 is v and u_j = low1_j + high1_(j-1)
is a plain sum of w + 1 bits.  Bounds then: a_i*b_j + t_j < 2^2w; q*n_j + u_j < 2^2w.

`isolated`: no carry crosses slots.  At j = 0 the word t_-1, known to be zero, is replaced by
u_s + c of the slot before; the slot's own carries start from its own low word (2.4).
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, ClockSignal, Const, Module, Mux, Signal, Value

from modmul.blocks.delay import DelayLine, delay
from modmul.blocks.part import wire
from modmul.multipliers.fpmm.quotient import Quotient
from modmul.multipliers.fpmm.schedule import CascadeSchedule, SliceRegisters
from modmul.multipliers.fpmm.timeline import SlotFlag, SlotSource, SlotValue, Timeline
from modmul.multipliers.fpmm.wordproduct import WordProduct
from modmul.targets import Target


class CascadeDatapath:
    """Builds the datapath into `m`.

    a: a_i, a SlotValue held from `schedule.ports` on.  b: the stream of b_j, word 0 visible at
    `schedule.ports`, zero in empty slots.  modulus(time): the stream of n_j with word 0 at `time`.
    active: whether a slot has a product.  keep(time): whether its t is not zero.  slack: by how
    many cycles the outer iteration is longer than the loop."""

    def __init__(
        self,
        m: Module,
        timeline: Timeline,
        schedule: CascadeSchedule,
        target: Target,
        registers: SliceRegisters,
        quotient_shared: bool,
        isolated: bool,
        slack: int,
    ):
        self.m, self.timeline, self.schedule, self.target = m, timeline, schedule, target
        self.tiling, self.word = schedule.tiling, schedule.tiling.word
        self.registers, self.quotient_shared, self.isolated = registers, quotient_shared, isolated
        self.t_in = Signal(self.word, name="t_in", reset_less=True)  # T fed back, masked
        self.slack = slack

    def build(
        self,
        a: SlotValue,
        b: Value,
        n_prime: Value,
        modulus: Callable[[int], Value],
        active: SlotFlag,
        keep: Callable[[int], Value],
    ) -> Value:
        """The result stream, word 0 visible at `schedule.first_word`."""
        self.active = active
        product = self._task1(a, b, keep)
        names = [f"early_{h}" for h in range(self.tiling.held_blocks)]
        early = [product[name] for name in names if name in product]
        u, v = self._sum(product["low"], product["high"], early)
        quotient = Quotient(
            self.m,
            self.timeline,
            self.schedule,
            self.target,
            self.registers.task2[0],
            v,
            n_prime,
            self.quotient_shared,
        )
        low3, high3 = self._task3(quotient, modulus, u, v)
        t = self._accumulate(low3, high3, u)
        self._feed_back(t, keep)
        return t(self.schedule.registers.t_stage if self.schedule.u_in_dsp else 0)

    # ---- task 1 ---------------------------------------------------------------------------------

    def _held_ports(
        self, ports: list[int], registers: tuple[int, ...], source: Callable[[int], SlotSource]
    ) -> dict[str, Value]:
        """The inputs for the blocks of a slot's operand: into the slices' A registers, if
        any."""
        inputs: dict[str, Value] = {}
        for k, tile in enumerate(self.tiling.tiles):
            if registers[k] >= 2:
                inputs[f"enable_{k}"] = self.timeline.start(ports[k])
                inputs[f"held_{k}"] = source(tile.held).at(ports[k])
            else:
                inputs[f"held_{k}"] = source(tile.held).during(ports[k])
        return inputs

    def _stream_ports(self, product: WordProduct, word: Value, name: str) -> dict[str, Value]:
        pieces = [self.tiling.stream_slice(g) for g in range(self.tiling.stream_blocks)]
        lines = [DelayLine(self.m, word[s], self.tiling.named(name, s)) for s in pieces]
        return {
            f"stream_{k}": lines[tile.stream](product.skew[k] - product.stream_delay(k))
            for k, tile in enumerate(self.tiling.tiles)
        }

    def _use(self, product: WordProduct, inputs: dict[str, Value]) -> dict[str, Signal]:
        """Place an instance, named as its module; return its outputs, whose names begin so."""
        return product.use(self.m, product.module, clk=ClockSignal(), **inputs)

    def _task1(self, a: SlotValue, b: Value, keep: Callable[[int], Value]) -> dict[str, Signal]:
        schedule = self.schedule
        product = WordProduct(
            self.tiling,
            self.target,
            self.registers.task1,
            "product",
            first_p=not schedule.small,
            clears=schedule.a_unregistered,
            early=schedule.t_in_dsp,
            skew=[port - schedule.ports for port in schedule.port1],
            addend_width=self.word if schedule.t_in_dsp else 0,
            addend_register=True,
        )
        blocks = self._blocks(a, "a")
        inputs = self._held_ports(schedule.port1, self.registers.task1, lambda h: blocks[h])
        inputs |= self._stream_ports(product, b, "b")
        if schedule.a_unregistered:
            clears: dict[int, Value] = {}
            for k, port in enumerate(schedule.port1):
                clear = self.timeline.start(port) & ~self.active.in_cycle(port)
                if port not in schedule.port1[:k]:
                    clears[port] = wire(self.m, clear, f"clear_a_at{port}")
                inputs[f"clear_{k}"] = clears[port]
        if schedule.t_in_dsp:
            inputs |= {"addend": self.t_in, "addend_clear": ~keep(schedule.t_in)}
        return self._use(product, inputs)

    def _blocks(self, value: SlotValue, name: str) -> list[SlotValue]:
        """The pieces of a held word, one for each port of a slice."""
        pieces = [self.tiling.held_slice(h) for h in range(self.tiling.held_blocks)]
        return [value.piece(bits, self.tiling.named(name, bits)) for bits in pieces]

    def _carry_adder(
        self, x: Value, y: Value, time: int, name: str, restart: tuple[Value, Value] | None = None
    ) -> Signal:
        """Add words as `carry_adder` does, with word 0 at `time`.

        If no carry may cross slots, the adder restarts with each slot.  Otherwise an empty slot,
        which can have no carry, drops it, so that nothing undefined stays in the loop."""
        clear = None if self.isolated else ~self.active.at(time)
        return carry_adder(self.m, x, y, name, clear=clear, restart=restart)

    def _sum(self, low: Value, high: Value, early: list[Value]) -> tuple[Value, list[SlotValue]]:
        """u (word 0 visible at schedule.u) and the blocks of v_0."""
        m, schedule, tl = self.m, self.schedule, self.timeline
        if schedule.t_in_dsp:
            v_blocks = self._early_blocks(early)
        product = schedule.registers.product
        lows = DelayLine(m, low, "product_low")
        low, aligned = lows(product), lows(product + schedule.low_delay)
        previous = delay(m, high, schedule.high_delay + product, "product_high")
        time = schedule.low1 + schedule.low_delay
        if schedule.t_in_dsp:
            u = Signal(self.word + 1, name="u", reset_less=True)
            if self.isolated:
                self.carried = SlotValue(tl, previous, time, "carried")
                previous = Mux(tl.start(time), 0, previous)
            m.d.sync += u.eq(aligned + previous)
            return u, v_blocks
        v = wire(m, (low + self.t_in)[: self.word + 1], "v")
        t = delay(m, self.t_in, schedule.low_delay + 1, "t_in")
        if not self.isolated:
            y = self._carry_adder(aligned, previous, time, "ab")
            u = self._carry_adder(y, t, time + 1, "u")
        else:
            start, zero = tl.start, Const(0, 1)
            own_carry = SlotValue(tl, v[self.word], schedule.low1, "v_carry").at(schedule.u)
            own_low = Mux(start(time), 0, aligned)
            y = self._carry_adder(own_low, previous, time, "ab", (start(time + 1), zero))
            own_t = Mux(start(time + 1), 0, t)
            u = self._carry_adder(y, own_t, time + 1, "u", (start(time + 2), own_carry))
            self.carried = SlotValue(tl, u, schedule.u, "carried")
        return u, self._blocks(SlotValue(tl, v[: self.word], schedule.low1, "v"), "v")

    def _early_blocks(self, early: list[Value]) -> list[SlotValue]:
        """Blocks of v_0 as the cascade delivers them, before the low word is complete."""
        return [
            SlotValue(
                self.timeline,
                block,
                self.schedule.v_block(h),
                self.tiling.named("v", self.tiling.held_slice(h)),
            )
            for h, block in enumerate(early)
        ]

    # ---- task 3 ---------------------------------------------------------------------------------

    def _task3(
        self,
        quotient: Quotient,
        modulus: Callable[[int], Value],
        u: Value,
        v: list[SlotValue],
    ) -> tuple[Value, Value]:
        m, schedule = self.m, self.schedule
        product = WordProduct(
            self.tiling,
            self.target,
            self.registers.task3,
            "reduction",
            addend_width=len(u) if schedule.u_in_dsp else 0,
            addend_register=bool(schedule.u_registered),
            skew=[port - schedule.n_word for port in schedule.port3],
        )
        inputs = self._held_ports(schedule.port3, self.registers.task3, quotient.block)
        inputs |= self._stream_ports(product, modulus(schedule.n_word), "n")
        if schedule.u_in_dsp:
            time = schedule.u_at_addend
            addend = delay(m, u, time - schedule.u, "u")
            if self.isolated and not schedule.t_in_dsp:
                own = Cat(block.at(time) for block in v)
                addend = Mux(self.timeline.start(time), own, addend)
            inputs |= {"addend": addend, "addend_clear": Const(0, 1)}
        outputs = self._use(product, inputs)
        return outputs["low"], outputs["high"]

    def _accumulate(self, low: Value, high: Value, u: Value) -> DelayLine:
        """The words of T; t_0 is visible at schedule.t0, after the stages of the result."""
        m, schedule, tl = self.m, self.schedule, self.timeline
        product = schedule.registers.product
        aligned = delay(m, low, schedule.low_delay + product, "reduction_low")
        previous = delay(m, high, schedule.high_delay + product, "reduction_high")
        time = schedule.z - 1
        restart = None
        if self.isolated:
            start = tl.start(time)
            if schedule.u_in_dsp:  # the low word is zero: it takes the carry of the slot before
                aligned = aligned | Mux(start, self.carried.at(time), 0)
                restart = (tl.start(time + 1), Const(0, 1))
            else:
                lost = SlotValue(tl, aligned.any(), time, "own_carry").at(time + 1)
                aligned = Mux(start, 0, aligned)
                restart = (tl.start(time + 1), lost)
        name = "t" if schedule.u_in_dsp else "qn"
        total = self._carry_adder(aligned, previous, time, name, restart)
        if schedule.u_in_dsp:
            return DelayLine(m, total, "t")
        late = delay(m, u, schedule.z - schedule.u, "u")
        restart = (tl.start(schedule.z + 1), Const(0, 1)) if self.isolated else None
        return DelayLine(m, self._carry_adder(total, late, schedule.z, "t", restart), "t")

    def _feed_back(self, t: DelayLine, keep: Callable[[int], Value]) -> None:
        schedule, m, late = self.schedule, self.m, self.schedule.registers.t_mux
        stages = self.slack + (schedule.registers.t_stage if schedule.u_in_dsp else 0)
        if schedule.t_in_dsp:
            m.d.comb += self.t_in.eq(t(stages + late))
            return
        masked = Mux(keep(schedule.t_in - late), t(stages), 0)
        m.d["sync" if late else "comb"] += self.t_in.eq(masked)


def carry_adder(
    m: Module,
    x: Value,
    y: Value,
    name: str,
    *,
    clear: Value | None = None,
    restart: tuple[Value, Value] | None = None,
) -> Signal:
    """The register of sum <- x + y + carry, carry <- carry out, as wide as the wider operand.

    clear: drops the carry out.  restart (when, carry): when this carry comes in instead of the kept
    one."""
    width = max(len(x), len(y))
    total = Signal(width, name=name, reset_less=True)
    carry = Signal(name=f"{name}_carry", reset_less=True)
    carry_in: Value = carry if restart is None else Mux(restart[0], restart[1], carry)
    m.d.sync += Cat(total, carry).eq(x + y + carry_in)
    if clear is not None:
        with m.If(clear):
            m.d.sync += carry.eq(0)
    return total
