"""The circuit of SCS-MM-New (kuang2016, Fig. 11), as `scs_mm_new` describes it."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.carry_save import (
    Pair,
    carry_save_add,
    configurable_add,
    is_zero,
    one_of,
    select4,
)
from modmul.blocks.sequencer import PhaseSequencer
from modmul.blocks.skipping import SkippingLoop, Steps, plain_steps, skip_one_row
from modmul.multipliers.radix2.family import BitSerialCore, control


class Core(BitSerialCore):
    """{theory}

    Phases of the sequencer: `add` (B^ to N^), `ripple` (its carries; its last cycle is `store`),
    `loop`, `align` and `convert` (the term `convert`, whose first cycle does the last shift).

    N^ is what is loaded as modulus_hat. Here k = {width}."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        **control(
            in_add="B^ is added to N^, which SS is when a product begins",
            in_ripple="half-adder steps on D^ = B^ + N^, {steps} in each cycle",
            in_loop="first a look at a_0; then iterations, some of which may be skipped",
            in_align="the shift of the last iteration, and first half-adder steps of the result",
            in_convert="half-adder steps of the result, {steps} in each cycle",
        ),
        "operands and modulus": {
            "modulus_reg": "N^ from bit 2 on; below that it is 0",
            "a_reg": "A; its lowest bits are shifted out a cycle after they have been used",
            "b_reg": "B; B^ = 8B",
            "d_hat_reg": "D^ from bit 2 on, complete behind in_ripple; below that it is 0",
        },
        "the next addend, and which iterations are skipped": {
            **SkippingLoop.NOTES,
            "a_bit": "a_i in the loop; (a_bit, quotient) = 00, 01, 10, 11 for 0, N^, B^, D^",
            "quotient": "q_i in the loop; outside it 0, or 1 while idle: the row makes SS = N^",
            "a_bit_next": "a_(i+1)",
            "a_bit_enable": "the next iteration is not skipped",
            "a_bit_enable_part": "lowest bits of SS, after the shift that is due",
            "value_part": "lowest bits of SS, after the shift that is due",
            "quotient_part": "lowest bits of SC, likewise",
            "addend": "0, N^, B^ or D^",
        },
        "the row: D^, the loop, the conversion": {
            "ss_reg": "SS before the shift that is due; in the end the result",
            "sc_reg": "SC from bit 1 on, likewise; bit 0 is 0",
            "stop_convert": "no carry is left",
            "shift_none": "the row reads SS and SC as they stand: in both conversions",
            "full_adders": "the row adds the addend; else it does two half-adder steps",
            "ss": "SS as the row reads it; 0 while idle and before the first iteration",
            "sc": "SC, likewise",
            "row_half": "ss + sc: sum bits",
            "row_generate": "carries of that; bit j has the weight 2^(j+1)",
            "row_third": "the addend, or these carries, for a second half-adder step",
            "row_sum": "sum bits",
            "row_carry": "carries; bit j has the weight 2^(j+1)",
        },
    }

    def phases(self) -> dict[str, int | None]:
        parameters = self.parameters
        constant, (ripple, convert) = parameters.constant_time, parameters.longest
        return {
            "add": 1,
            "ripple": ripple + 1 if constant else None,
            "loop": parameters.loop_iterations + 1 if parameters.skips == "off" else None,
            "align": 1,
            "convert": convert - 1 if constant else None,
        }

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        parameters, operand = self.parameters, self.operand.p
        bits, active = parameters.beat, control.active
        n_hat = self.modulus_register(m, zeros=2)
        a = Signal(bits, name="a_reg", reset_less=True)
        b = Signal(bits, name="b_reg", reset_less=True)
        d = Signal(bits + 2, name="d_hat_reg", reset_less=True)  # bits 2 to p + 3
        ss_reg = Signal(bits + 4, name="ss_reg", reset_less=True)
        sc_reg = Signal(bits + 3, name="sc_reg", reset_less=True)  # bits 1 to p + 3
        stored = Pair(ss_reg, Cat(Const(0, 1), sc_reg))
        steps, skip = self._loop(m, control)
        with m.If(control.idle):
            m.d.sync += [a.eq(operand.a), b.eq(operand.b)]
        with m.Elif(active["loop"]):
            m.d.sync += a.eq(Mux(steps.two, a[2:], a[1:]))
        with m.If(active["ripple"]):
            m.d.sync += d.eq(ss_reg[2:])

        bit, quotient = self._next_addend(m, control, (steps, skip), stored, a, n_hat[2])
        addends = (Const(0), n_hat, Cat(Const(0, 3), b), Cat(Const(0, 2), d))
        addend = select4(bit, quotient, addends)
        row = self._row(m, control, steps, stored, addend)
        m.d.sync += [ss_reg.eq(row.sum), sc_reg.eq(row.carry[1:])]
        m.d.comb += self.result.p.data.eq(ss_reg)
        if not parameters.constant_time:
            zero = is_zero(m, sc_reg, "sc_is_zero")
            if parameters.waits:
                tested = Signal(name="sc_was_zero")
                m.d.sync += tested.eq(zero & (active["ripple"] | active["convert"]))
                zero = tested
            m.d.comb += [control.stop["ripple"].eq(zero), control.stop["convert"].eq(zero)]

    def _loop(self, m: Module, control: PhaseSequencer) -> tuple[Steps, Signal]:
        """The loop's state, and the signal to be driven: the next iteration is left out."""
        parameters, active = self.parameters, control.active["loop"]
        if parameters.skips == "off":
            return plain_steps(m, active, control.last["loop"]), Signal(name="skip")
        adjacent = parameters.skips == "free"
        loop = SkippingLoop(m, active, parameters.loop_iterations, adjacent)
        m.d.comb += control.stop["loop"].eq(loop.last)
        return loop.steps, loop.skip

    def _row(
        self, m: Module, control: PhaseSequencer, steps: Steps, stored: Pair, addend: Value
    ) -> Pair:
        active, last = control.active, control.last
        width, chip = len(stored.sum), self.parameters.chip
        hold, full = Signal(name="shift_none"), Signal(name="full_adders", init=1)
        ripples = active["ripple"] & ~last["ripple"]
        converts = active["align"] | (active["convert"] & ~last["convert"])
        m.d.sync += [
            hold.eq(self.load | active["add"] | ripples | converts),
            full.eq(~(active["add"] | ripples | last["loop"] | converts)),
        ]
        ss, sc, x = (Signal(width, name=name) for name in ("ss", "sc", "addend"))
        for word, register in ((ss, stored.sum), (sc, stored.carry)):
            sources = (register, hold), (register[1:], steps.one), (register[2:], steps.two)
            m.d.comb += word.eq(one_of(*sources))
        m.d.comb += x.eq(addend)
        if self.parameters.configurable:
            row = configurable_add(m, chip, ss, sc, x, full, "row")
        else:
            row = carry_save_add(m, chip, ss, sc, x, "row")
        return Pair(row.sum, row.carry[:width])

    def _next_addend(
        self,
        m: Module,
        control: PhaseSequencer,
        loop: tuple[Steps, Signal],
        stored: Pair,
        a: Signal,
        n_hat_2: Value,
    ) -> tuple[Signal, Signal]:
        """A_i and q_i, which choose the addend: N^ while idle, B^ at the beginning, then 0
        until the loop begins."""
        steps, skip = loop
        low = [one_of((word[1:4], steps.one), (word[2:5], steps.two)) for word in stored]
        following = Mux(steps.two, a[1], a[0]), Mux(steps.two, a[2], a[1])
        idle = (control.idle & ~self.load) | control.last["convert"]
        bit, quotient = Signal(name="a_bit"), Signal(name="quotient", init=1)
        addend = quotient & n_hat_2
        decision = skip_one_row(low[0], low[1], addend, following, steps, (idle, self.load))
        m.d.comb += skip.eq(decision.skip)
        m.d.sync += [bit.eq(decision.bit), quotient.eq(decision.quotient)]
        return bit, quotient
