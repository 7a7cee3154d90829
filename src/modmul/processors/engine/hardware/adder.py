"""Sums, differences and selections, a beat of each operand a cycle, lowest first.

    cycle   0      1                2          3         5
            pins   a, b inverted,   u = a+-b   v = u+m   written
                   or 0

`m` comes from the constant store: N * 2^k for SUB, its negative for RED, else 0.  Both additions
keep their carry from beat to beat.  Of SEL and SCAN one of the operands is 0.

RED, and sums of an adder that reduces, give u or v, which is known after the last beat: both are
kept for as many cycles as there are beats, and the one that is right leaves then."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import DelayLine, delay
from modmul.blocks.memory import SimpleDualPort, bits_of
from modmul.blocks.parity import coded, with_parity
from modmul.blocks.part import whole
from modmul.processors.engine.hardware.build import EngineBuild

V_AT = 3  # cycles from the pins to v
_KEPT = {"sum": "the sum u", "reduced": "the sum v"}  # what memories keep
WRITE = ("ADD", "SUB", "WRAP", "RED", "SEL", "SCAN")  # the instructions that have a result
CONTROL = {
    "go": 1,  # first beat
    "minus": 1,  # b is inverted
    "writes": 1,
    "late": 1,
    "tests": 1,
    "carries": 1,
    "aux": 4,
}


class Adder(wiring.Component):
    """An adder of the engine: sums, differences and selections of numbers of {beats} beats of
    {word} bits, a beat of each operand in a cycle, lowest first.

    It computes u = a + b or u = a - b, and then v = u + `multiple`, both modulo 2 to the power of
    the bits of a register. The result of most instructions is v, of which the first beat is written
    {cycles} cycles after the operands are at `a` and `b`. Where the carries decide between u and v
    (`control_late`), both are kept until the last beat is known, and the result comes {beats}
    cycles later.

    Ports; in cycle 0 the first beats of the operands are at `a` and `b`:

      `control`: what is done with all beats, in cycle -2; `go`: an instruction is issued,
        `minus`: b is subtracted, `writes`: there is a result, `late`: u or v, `tests`: TEST,
        `carries`: WRAP, `aux`: field aux of the instruction
      `register`: the register of the result, in cycle -2; with protection with a parity bit above
        it, in `to` and `place`, too, and `out` has its code
      `a`, `b`: the operands, a beat a cycle from cycle 0 on
      `drops_a`, `drops_b`, `inverts`: a is taken as 0, b is taken as 0, b is inverted, for all
        beats
      `xors` (if there are polynomials): with `drops_b`, a xor b is taken in the place of a
      `multiple`: a multiple of the modulus or of its negative, or 0, a beat a cycle from cycle 2
        on
      `enable`, `to`, `place`, `out`: a beat of a result, its register and its number in it, a
        cycle before it is written; 0 in all other cycles
      `carry`, `aux`: with `carry_valid`, carry out of the last beat of a WRAP, and its field aux
      `due`, `due_late` (with protection): in cycle -2, from the copy of the sequencer: a result is
        due, at once or late
      `moved` (with protection): a beat of a result does not come when it is due, or another does
      `nonzero`, `nonzero_aux`: a beat of a TEST was not 0, and the field aux of that TEST; 5
        cycles after the beat was at `a`
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "control, kept for all beats of an instruction": {
            "held_go": "its first beat comes",
            "held_minus": "b is subtracted",
            "held_writes": "it has a result",
            "held_late": "the result is u or v, chosen after the last beat",
            "held_tests": "TEST",
            "held_carries": "WRAP",
            "held_aux": "bit of the status or scalar",
            "held_*_d[0-9]*": "so many cycles later; _d4 belongs to the beat in v",
        },
        "u = a + b or a - b": {
            "a_taken": "a or 0",
            "b_taken": "b, inverted b or 0",
            "carry_before_u": "carry out of the beat before; 0 before a first beat",
            "begins_u": "1 is added to a first beat: b is subtracted",
            "u_sum": "its two lowest bits bring both carries in",
            "carry_u": "carry out of u",
            "u_d1": "u beside v",
            "carry_u_d1": "carry_u beside carry_v",
        },
        "v = u + multiple": {
            "carry_before_v": "carry out of the beat before; 0 before a first beat",
            "v_sum": "its two lowest bits bring both carries in",
            "carry_v": "carry out of v",
            "beat_of_v": "number of the beat in v",
            "v_valid": "v holds a beat",
            "last_of_v": "the last one of a number",
            "register_d[0-9]*": "register of the result, on its way to v",
            "register_of_v": "register of the result of which v is a beat",
        },
        "results that are known after their last beat": {
            "late_choice": "v is the result, else u",
            "late_valid": "a beat of it leaves",
            "late_place": "number of that beat",
            "late_last": "it is the last one",
            "late_to": "register of the result",
            "late_sum": "keeps u",
            "late_reduced": "keeps v",
        },
        "beats to be written; each is 0 where it does not come, so that an OR joins them": {
            "*_valid_d[0-9]*": "such a beat comes",
            "fast_to": "results that are v: register",
            "fast_place": "number of the beat",
            "fast_word": "the beat",
            "sum_to": "register of the result",
            "sum_place": "number of the beat",
            "sum_word": "the beat",
            "late_sum_to": "late results that are u: register",
            "late_sum_place": "number of the beat",
            "late_sum_word": "the beat",
            "late_reduced_to": "late results that are v: register",
            "late_reduced_place": "number of the beat",
            "late_reduced_word": "the beat",
        },
        "whether each result comes when the copy of the sequencer says": {
            "due_late_d[0-9]*": "so many cycles later",
            "begins_d[0-9]*": "the first beat of a result is due, so many cycles later",
            "goes_on": "the next beat of the same result is due",
        },
        "TEST": {
            "tests_d1": "v was a beat of a TEST",
            "parts_of_v_nonzero_d1": "whether each group of four of its bits was not 0",
            "tested_aux_d1": "bit of the status that it sets",
        },
    }

    def __init__(self, build: EngineBuild, port: int = 0):
        self.build = build
        self.beats, self.word = build.beats, build.word
        self.cycles = build.machine.adder + build.machine.wait("ADD", port)
        word, number = build.word, build.with_parity(bits_of(build.machine.bank_size))
        super().__init__(
            {
                "control": In(
                    wiring.Signature({name: Out(bits) for name, bits in CONTROL.items()})
                ),
                "register": In(number),
                "a": In(word),
                "b": In(word),
                "multiple": In(word),
                "drops_a": In(1),
                "drops_b": In(1),
                "inverts": In(1),
                # with `drops_b`: a xor b takes the place of a
                **({"xors": In(1)} if build.polynomials else {}),
                "enable": Out(1),
                "to": Out(number),
                "place": Out(build.with_parity(bits_of(build.beats))),
                "out": Out(build.stored),
                "carry": Out(1),
                "carry_valid": Out(1),
                "aux": Out(4),
                "nonzero": Out(1),
                "nonzero_aux": Out(4),
                **({"due": In(1), "due_late": In(1), "moved": Out(1)} if build.protected else {}),
            }
        )

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        self._hold()
        self._add()
        self._beats()
        if self.build.machine.reducing or self.build.has("RED"):
            self._late()
        else:
            self._fast()
        self._flags()
        if self.build.protected:
            self._check()
        return m

    def _hold(self) -> None:
        """Hold the control fields for all beats of a word."""
        m = self.m
        held = {name: Signal(bits, name=f"held_{name}") for name, bits in CONTROL.items()}
        with m.If(self.control.go):
            m.d.sync += [signal.eq(getattr(self.control, name)) for name, signal in held.items()]
        with m.Else():
            m.d.sync += held["go"].eq(0)
        self.held = {
            name: DelayLine(m, signal, f"held_{name}", reset=True) for name, signal in held.items()
        }

    def _add(self) -> None:
        """Elaborate both additions: u is there 2 cycles after the pins, v 3 cycles after them."""
        m = self.m
        a, b = (Signal(self.word, name=f"{name}_taken", reset_less=True) for name in "ab")
        first: Value = self.a
        if self.build.polynomials:
            first ^= self.b & self.xors.replicate(self.word)
        inverts = self.inverts.replicate(self.word)
        late = self.build.multiplier.chip.logic_before_carry
        m.d.sync += [a.eq(first), b.eq(self.b if late else self.b ^ inverts)]
        for taken, drops in ((a, self.drops_a), (b, self.drops_b)):
            with m.If(drops):
                m.d.sync += taken.eq(0)
        second: Value = b
        if late:  # b is inverted only for SUB, which never drops it
            second = b ^ delay(m, self.inverts, 1, "inverts").replicate(self.word)
        go, minus = self.held["go"], self.held["minus"]
        u, carry_u = self._sum(a, second, go(V_AT - 2), minus(V_AT - 2), "u")
        v, carry_v = self._sum(u, self.multiple, go(V_AT - 1), Const(0, 1), "v")
        self.v, self.carry_v = v, carry_v
        self.u, self.carry_u = u, carry_u
        self.u_beside_v = delay(m, u, 1, "u")
        self.carry_u_beside_v = delay(m, carry_u, 1, "carry_u")

    def _at_v(self, name: str) -> Value:
        """A control field of the beat of v that is there."""
        return self.held[name](V_AT + 1)

    def _sum(
        self, a: Value, b: Value, first: Value, begins: Value, name: str
    ) -> tuple[Signal, Signal]:
        """The sum of two beats and the carry of the beats before, and its own carry.  first:
        whether the beats in the next cycle begin a number; then `begins` is the carry.

        The carry goes in by two bits below the lowest: 1 + the carry of the beat before, which is 0
        for a first beat, plus 1 + `begins` for a first beat.  So there is only the carry chain
        between registers, and the beats before a first beat have no influence, even if they are
        undefined."""
        m = self.m
        out = Signal(self.word, name=name, reset_less=True)
        carry, before = (
            Signal(name=f"{kind}_{name}", reset_less=True) for kind in ("carry", "carry_before")
        )
        begin = Signal(name=f"begins_{name}")
        total = Cat(Const(3, 2), a) + Cat(before, begin, b)
        m.d.sync += [Cat(out, carry).eq(total[2:]), before.eq(total[-1]), begin.eq(first & begins)]
        with m.If(first):
            m.d.sync += before.eq(0)
        return out, carry

    def _beats(self) -> None:
        """Count the beats of v, and keep the register that they are for."""
        m = self.m
        place = Signal(bits_of(self.beats), name="beat_of_v")
        busy = Signal(name="v_valid")
        last = Signal(name="last_of_v")
        go = self.held["go"](V_AT)  # v comes in the next cycle
        with m.If(go):
            m.d.sync += [place.eq(0), busy.eq(1), last.eq(self.beats == 1)]
        with m.Else():
            m.d.sync += [place.eq(place + 1), last.eq(busy & (place == self.beats - 2))]
            with m.If(last):
                m.d.sync += [busy.eq(0), last.eq(0)]
        self.v_valid, self.v_place, self.v_last = busy, place, last
        to = Signal.like(self.register, name="register_of_v")
        waiting = delay(
            m, self.register, V_AT + 1, "register"
        )  # `register` holds as long as its beats
        with m.If(go):
            m.d.sync += to.eq(waiting)
        self.v_to = to

    def _fast(self) -> None:
        """Elaborate the registers from v to the write, if no result comes late."""
        valid = self.v_valid & self._at_v("writes")
        self._write(*self._zeroed("sum", valid, (self.v_to, self.v_place, self._coded(self.v))))

    def _late(self) -> None:
        """Elaborate both results of a word whose choice is known only after its last beat."""
        m, beats, v = self.m, self.beats, self._coded(self.v)
        place = Signal(bits_of(beats), name="late_place")
        kept = [
            self._kept(name, value, place)
            for name, value in (("sum", self._coded(self.u_beside_v)), ("reduced", v))
        ]
        busy, last = Signal(name="late_valid"), Signal(name="late_last")
        to, choice = Signal.like(self.v_to, name="late_to"), Signal(name="late_choice")
        ends = self.v_valid & self.v_last & self._at_v("late")
        v_is_right = self._choice()
        with m.If(ends):
            m.d.sync += [
                busy.eq(1),
                place.eq(0),
                to.eq(self.v_to),
                last.eq(beats == 1),
                choice.eq(v_is_right),
            ]
        with m.Elif(busy):
            m.d.sync += [place.eq(place + 1), last.eq(place == beats - 2)]
            with m.If(last):
                m.d.sync += [busy.eq(0), last.eq(0)]
        self._merge(
            self._zeroed(
                "fast",
                self.v_valid & self._at_v("writes") & ~self._at_v("late"),
                (self.v_to, self.v_place, v),
            ),
            self._zeroed("late_sum", busy & ~choice, (to, place, kept[0])),
            self._zeroed("late_reduced", busy & choice, (to, place, kept[1])),
        )

    def _coded(self, word: Value) -> Value:
        """A word of a result as the registers hold it."""
        return coded(word) if self.build.protected else word

    def _kept(self, name: str, value: Value, place: Value) -> Value:
        """A beat of u or v, delayed by as many cycles as there are beats (`place` counts
        them)."""
        m, chip = self.m, self.build.multiplier.chip
        if chip.shift_block is not None:
            return delay(m, value, self.beats, f"late_{name}")
        ram = SimpleDualPort(
            chip,
            len(value),
            1 << len(place),
            "distributed",
            0,
            f"{_KEPT[name]}, kept until the choice is known",
        )
        m.submodules[f"late_{name}"] = ram
        m.d.comb += [
            ram.write_enable.eq(self.v_valid & self._at_v("late")),
            ram.write_address.eq(self.v_place),
            ram.write_data.eq(value),
            ram.read_address.eq(place),
        ]
        return ram.read_data

    def _merge(self, *sources: list[Value]) -> None:
        """Join results that come late and results that come at once.  They never come in the same
        cycle, and each is 0 while it is not there, so an OR is enough."""
        joined, *others = sources
        for other in others:
            joined = [value | more for value, more in zip(joined, other, strict=True)]
        self._write(*joined)

    def _zeroed(self, name: str, valid: Value, values: tuple[Value, ...]) -> list[Value]:
        """`valid` and the values in registers, which are 0 without `valid`."""
        m = self.m
        late = self.cycles - V_AT - 2
        streams = [delay(m, valid, late + 1, f"{name}_valid", reset=True)]
        comes = delay(m, valid, late, f"{name}_valid", reset=True)
        for value, what in zip(values, ("to", "place", "word"), strict=True):
            last = Signal(len(value), name=f"{name}_{what}", reset_less=True)
            m.d.sync += last.eq(delay(m, value, late, f"{name}_{what}"))
            with m.If(~comes):
                m.d.sync += last.eq(0)
            streams.append(last)
        return streams

    def _choice(self) -> Value:
        """Whether v is the right result, in the cycle of its last beat."""
        u, v = self.carry_u_beside_v, self.carry_v
        if not self.build.machine.reducing:
            return v
        return Mux(self._at_v("minus"), ~u, u | v)

    def _write(self, enable: Value, to: Value, place: Value, word: Value) -> None:
        if self.build.protected:
            place = whole(with_parity(place))
        self.m.d.comb += [
            self.enable.eq(enable),
            self.to.eq(to),
            self.place.eq(place),
            self.out.eq(word),
        ]

    def _check(self) -> None:
        """Elaborate the check that every result comes when it is due, beat after beat."""
        m, place = self.m, self.place[:-1]
        begins = self.due | delay(m, self.due_late, self.beats, "due_late", reset=True)
        begins = delay(m, begins, self.cycles + 1, "begins", reset=True)
        goes_on = Signal(name="goes_on")
        m.d.sync += goes_on.eq(self.enable & (place != self.beats - 1))
        not_first = begins & (place != 0)
        m.d.comb += self.moved.eq((self.enable != (begins | goes_on)) | not_first)

    def _flags(self) -> None:
        """Elaborate the carry of a WRAP, and the outcome of a TEST."""
        m = self.m
        m.d.comb += [
            self.carry.eq(self.carry_u_beside_v),
            self.aux.eq(self._at_v("aux")),
            self.carry_valid.eq(self.v_valid & self.v_last & self._at_v("carries")),
        ]
        tested = delay(m, self.v_valid & self._at_v("tests"), 1, "tests", reset=True)
        parts = Cat(self.v[low : low + 4].any() for low in range(0, self.word, 4))
        some = delay(m, parts, 1, "parts_of_v_nonzero")
        m.d.comb += [
            self.nonzero.eq(delay(m, some.any() & tested, 1, "nonzero", reset=True)),
            self.nonzero_aux.eq(delay(m, self._at_v("aux"), 2, "tested_aux")),
        ]


def late_ops(reducing: bool) -> tuple[str, ...]:
    """The instructions whose result is known after their last beat."""
    return ("RED", "ADD", "SUB") if reducing else ("RED",)


def control_of(named: Callable[..., Value], reducing: bool) -> dict[str, Value]:
    """The fields of `CONTROL` between `go` and `aux`.  named: returns whether the word is
    one of some instructions."""
    return {
        "minus": named("SUB"),
        "writes": named(*WRITE),
        "late": named(*late_ops(reducing)),
        "tests": named("TEST"),
        "carries": named("WRAP"),
    }
