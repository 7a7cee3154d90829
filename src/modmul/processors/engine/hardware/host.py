"""The words of the unit `host`: numbers in and out, zeros, scalars, a modulus; the status.

Numbers come and go a beat at a time, whenever the other side is ready; meanwhile `busy` holds the
sequencer where the word's time runs out.  The words that read a register (OUT, SCALAR) step through
its beats themselves: `stay` keeps the read port at a beat until `step`."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import delay
from modmul.blocks.memory import bits_of
from modmul.blocks.parity import coded, is_damaged
from modmul.processors.engine.hardware.build import FAULT, STATUS_LATER, EngineBuild
from modmul.processors.engine.hardware.register_ports import write_signature
from modmul.processors.engine.instructions import FLAGS

SOURCES = ("operand", "scalar", "random")  # streams of IN by its field aux; the store is next
WORDS = ("IN", "WIPE", "OUT", "SCALAR", "HALT")
SETTLES = 2  # cycles from a step of the read port to its beat at the pins


class Host(wiring.Component):
    """The unit `host` of the engine: moves numbers of {beats} beats of {word} bits between the
    streams, the constant store and the registers, and ends a program by sending its status.

    Numbers move a beat at a time, whenever the other side is ready; meanwhile `busy` makes the
    sequencer wait.

    Ports:

      `is_in`, `is_wipe`: a number, or zeros, is to be written into a register; in the cycle of
        issue
      `is_out`, `is_scalar`, `is_halt`: the register at the read port goes to the stream `result`,
        or into the scalar store; the program ends
      `into`, `source`: fields dst (the register among those of sums) and aux of the instruction
      `constant`: a number of the constant store, a beat a cycle from three cycles after IN on
      `a`: the beat that the read port gives; `stay`: the port stays at this beat until `step`
      `status`: bits that go into the last beat of the result
      `start`: a program begins; the next beat of the result is its first
      `operand`, `scalar`, `random`: input streams, those that programs use
      `result`, `result_valid`, `result_ready`, `result_first`, `result_last`: the output stream
      `busy`: a number is on its way
      `write`: a beat for a register, a cycle before it is written: `enable`, `register`,
        `place` (the number of the beat), `data`; 0 if there is none
      `scalar_write`, `scalar_number`, `scalar_place`: the beat at `a` is this word of this scalar
      `scalar_comes`: the words of a scalar are not all there

    With protection:

      `releases`, `ends`, `damaged`: numbers may leave; the status may; something was changed, so
        that zeros leave and the status tells it
      `place_read`: number of the beat at `a`
      `admits`: in the cycle of the issue of IN and WIPE, from the copy of the sequencer
      `mark`: with `into`, the parity of the register's whole number, later in `write`, where
        `place_parity` is that of the beat's number, and `expected` that `enable` is right
      `wrong`: the beat at the output was changed, or a beat came that should not
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "numbers that come": {
            "begins_d[0-9]*": "IN or WIPE was issued so many cycles ago",
            "into_d[0-9]*": "its register",
            "*_comes_d[0-9]*": "it asks this stream, the constant store, or for zeros",
            "operand_comes": "a number of the stream operand is taken",
            "random_comes": "one of the stream random is taken",
            "constant_comes": "one of the constant store is taken",
            "zero_comes": "a register is overwritten with zeros",
            "beat_taken": "one of its beats is taken",
            "beat_that_comes": "the number of that beat",
            "last_comes": "it is the last one",
            "into_reg": "register into which it goes",
            "operand_beat": "the beat that was taken, 0 if it was of another source",
            "scalar_beat": "likewise",
            "random_beat": "likewise",
            "constant_beat": "likewise",
            "asks_d1": "IN was issued in the cycle before",
            "asks_later_d1": "two cycles before",
            "admits_d[0-9]*": "the copy of the sequencer issued IN or WIPE so many cycles ago",
            "number_expected": "since then not all beats have come",
            "beat_expected": "the number of the next one",
            "comes_wrong": "a beat comes that is not expected, or with another number",
            "mark_d[0-9]*": "mark, so many cycles later",
            "mark_of_into": "parity of the register's number",
            "nothing_written": "the inverse of write_enable, to find a flipped bit",
        },
        "numbers that go": {
            "number_goes": "OUT is at work",
            "settling": "cycles until the beat is at the read port",
            "settled": "it is there, and the one before has left",
            "beat_that_goes": "its number",
            "only_checked": "it leaves only if all tests passed",
            "withheld": "zeros leave in its place",
            "halted_[0-9]_ago": "HALT was issued so many cycles ago",
            "offered": "a beat is at the stream result",
            "status_offered": "it is the status",
            "cycles_settled": "counts up, where settling counts down, to find a flipped bit",
            "read_wrong": "the beat at a is not the one that was asked for, or none should leave",
            "result_number": "the beat that is offered, with its parity bits",
            "beat_is_wrong": "its parity is wrong, or it should not leave: it leaves as 0",
        },
    }

    def __init__(self, build: EngineBuild):
        self.build, self.beats, self.word = build, build.beats, build.stored
        place = bits_of(build.beats)
        number = bits_of(build.machine.bank_size * build.machine.ports)
        inputs = {name: In(stream.Signature(self.word)) for name in SOURCES}
        super().__init__(
            {
                **{f"is_{op.lower()}": In(1) for op in WORDS},
                "into": In(number),
                "source": In(4),
                "constant": In(self.word),
                "a": In(self.word),
                "status": In(FLAGS),
                "start": In(1),
                **inputs,
                **(_protection(build) if build.protected else {}),
                "result_valid": Out(1),
                "result_ready": In(1),
                "result_first": Out(1),
                "result_last": Out(1),
                "result": Out(build.word),
                "busy": Out(1),
                "stay": Out(1),
                "step": Out(1),
                "scalar_comes": Out(1),
                "write": Out(_write_signature(build)),
                "scalar_write": Out(1),
                "scalar_number": Out(4),
                "scalar_place": Out(place),
            }
        )

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        self.comes_wrong = Signal(name="comes_wrong")
        self.coming = self._coming()
        self.going = self._going()
        m.d.comb += self.busy.eq(self.coming | self.going)
        return m

    def _coming(self) -> Value:
        """Elaborate IN and WIPE.  Return whether one is at work that may have to wait."""
        m, beats = self.m, self.beats
        begins = delay(m, self.is_in | self.is_wipe, 2, "begins", reset=True)
        number = delay(m, self.into, 2, "into")
        into = Signal.like(number, name="into_reg")
        place = Signal(bits_of(beats), name="beat_that_comes")
        comes = [Signal(name=f"{name}_comes") for name in (*SOURCES, "constant", "zero")]
        taken = Signal(name="beat_taken")
        last = Signal(init=beats == 1, name="last_comes")
        streams = [getattr(self, name) for name in SOURCES]
        m.d.comb += [source.ready.eq(come) for come, source in zip(comes, streams, strict=False)]
        arrived = [come & source.valid for come, source in zip(comes, streams, strict=False)]
        arrived += comes[len(SOURCES) :]
        m.d.comb += taken.eq(Cat(arrived).any())
        asked = [self.is_in & (self.source == code) for code, _ in enumerate(comes[:-1])]
        for come, ask, beat in zip(comes, (*asked, self.is_wipe), arrived, strict=True):
            m.d.sync += come.eq(delay(m, ask, 2, come.name, reset=True) | (come & ~(beat & last)))
        with m.If(taken):
            m.d.sync += [place.eq(place + 1), last.eq(beats == 1 or place == beats - 2)]
        with m.If(~Cat(comes).any()):
            m.d.sync += [place.eq(0), into.eq(0)]
        with m.If(begins):
            m.d.sync += [into.eq(number), place.eq(0)]
        self._store(taken, place, into, arrived)
        if self.build.protected:
            self._check_coming(Cat(comes).any(), taken, place, begins)
        asks = delay(m, self.is_in, 1, "asks", reset=True)
        return asks | delay(m, asks, 1, "asks_later", reset=True) | Cat(comes[:-1]).any()

    def _check_coming(self, comes: Value, taken: Value, place: Value, begins: Value) -> None:
        """Elaborate the check of the beats that come, by a count of its own, which begins with the
        copy of the sequencer."""
        m, expected = self.m, Signal.like(place, name="beat_expected")
        awaited = Signal(name="number_expected")
        again = delay(m, self.admits, 2, "admits", reset=True)
        ends = taken & (expected == self.beats - 1)
        with m.If(taken):
            m.d.sync += expected.eq(expected + 1)
            with m.If(ends):
                m.d.sync += awaited.eq(0)
        with m.If(again):
            m.d.sync += [expected.eq(0), awaited.eq(1)]
        early = again & ~ends  # before the number before it is complete
        moved = (place != expected) | early
        m.d.comb += self.comes_wrong.eq((comes ^ awaited) | (awaited & moved))
        mark, coming = Signal(name="mark_of_into"), delay(m, self.mark, 2, "mark")
        with m.If(begins):
            m.d.sync += mark.eq(coming)
        with m.Elif(~comes):
            m.d.sync += mark.eq(0)
        none = Signal(name="nothing_written", init=1)  # the inverse of `enable`, kept apart from it
        m.d.sync += none.eq(~taken)
        m.d.comb += [
            self.write.expected.eq(~none),
            self.write.mark.eq(delay(m, mark, 1, "write_mark")),
            self.write.place_parity.eq(delay(m, place.xor(), 1, "write_place_parity")),
        ]

    def _store(self, taken: Value, place: Value, into: Value, arrived: list[Value]) -> None:
        """Elaborate the beat on its way to the bank, in a register for each stream and for the
        store.  A beat that is not there is 0."""
        m = self.m
        values = [*(getattr(self, name).payload for name in SOURCES), self.constant]
        beats = []
        for arrives, value, name in zip(arrived, values, (*SOURCES, "constant"), strict=False):
            beat = Signal(self.word, name=f"{name}_beat", reset_less=True)
            m.d.sync += beat.eq(value)
            with m.If(~arrives):
                m.d.sync += beat.eq(0)
            beats.append(beat)
        operand, scalar, random, constant = beats
        m.d.comb += [
            self.write.enable.eq(delay(m, taken, 1, "writes", reset=True)),
            self.write.register.eq(delay(m, into, 1, "write_register")),
            self.write.place.eq(delay(m, place, 1, "write_place")),
            self.write.data.eq(operand | scalar | random | constant),
        ]

    def _going(self) -> Value:
        """Elaborate OUT, SCALAR and the status.  Return whether one is at work."""
        m, beats = self.m, self.beats
        out, scalar = Signal(name="number_goes"), Signal(name="scalar_goes")
        settle = Signal(range(SETTLES + 2), name="settling")
        place = Signal(bits_of(beats), name="beat_that_goes")
        offered, last = Signal(name="offered"), Signal(name="status_offered")
        settled, done = Signal(name="settled"), Signal(name="beat_goes")
        stands = (settle == 0) & self._stands_in_copy(done)
        m.d.comb += settled.eq(stands & (out | scalar) & ~offered)
        accepted = offered & self.result_ready
        m.d.comb += done.eq(Mux(out, accepted, settled & scalar))
        with m.If(settle != 0):
            m.d.sync += settle.eq(settle - 1)
        with m.If(done):
            m.d.sync += [place.eq(place + 1), settle.eq(SETTLES)]
            with m.If(place == beats - 1):
                m.d.sync += [out.eq(0), scalar.eq(0)]
        if self.build.checks and not self.build.protected:
            self.checked = Signal(name="only_checked")
            with m.If(self.is_out):
                m.d.sync += self.checked.eq(self.source.any())
        with m.If(self.is_out | self.is_scalar):
            m.d.sync += [
                out.eq(self.is_out),
                scalar.eq(self.is_scalar),
                place.eq(0),
                settle.eq(SETTLES),
                self.scalar_number.eq(self.source),
            ]
        m.d.comb += [
            self.stay.eq(out | scalar),
            self.scalar_comes.eq(scalar),
            self.step.eq(done),
            self.scalar_write.eq(settled & scalar),
            self.scalar_place.eq(place),
        ]
        # a fault in the word HALT is an alarm before the status is offered
        self.halts = [self.is_halt]
        for later in range(STATUS_LATER if self.build.protected else 0):
            halted = Signal(name=f"halted_{later + 1}_ago")
            m.d.sync += halted.eq(self.halts[-1])
            self.halts.append(halted)
        self._offer(settled & out, accepted, offered, last, place)
        return out | scalar | offered | Cat(self.halts[1:]).any()

    def _stands_in_copy(self, done: Value) -> Value:
        """Whether the beat at `a` is the one that was asked for, by a counter that counts
        the other way: if a fault changes one of both, it is only later that a beat goes."""
        if not self.build.protected:
            return Const(1, 1)
        m, passed = self.m, Signal(range(SETTLES + 1), name="cycles_settled")
        stands = passed == SETTLES
        with m.If(done | self.is_out | self.is_scalar):
            m.d.sync += passed.eq(0)
        with m.Elif(~stands):
            m.d.sync += passed.eq(passed + 1)
        return stands

    def _offer(
        self, settled: Value, accepted: Value, offered: Signal, last: Signal, place: Value
    ) -> None:
        """Elaborate the stream `result`: numbers, and the status as the last beat."""
        m = self.m
        first = Signal(name="result_begins")
        with m.If(accepted):
            m.d.sync += [offered.eq(0), first.eq(0), last.eq(0)]
        number = Signal(self.word, name="result_number", reset_less=True)
        withheld, read_wrong = Signal(name="withheld"), Signal(name="read_wrong")
        if self.build.protected:
            m.d.comb += [
                read_wrong.eq((self.place_read != place) | ~self.releases),
                withheld.eq(self.status.any() | self.damaged | read_wrong),
            ]
        elif self.build.checks:
            m.d.comb += withheld.eq(self.checked & self.status.any())
        with m.If(settled):
            m.d.sync += [offered.eq(1), number.eq(self.a)]
            with m.If(withheld):
                m.d.sync += number.eq(0)
        with m.If(self.halts[-1]):
            status: Value = self.status
            if self.build.protected:
                status = coded(Cat(status, Const(0, self.build.word - FLAGS)))
            m.d.sync += [offered.eq(1), last.eq(1), number.eq(status)]
        with m.If(self.start):
            m.d.sync += first.eq(1)
        m.d.comb += [
            self.result.eq(self._with_fault(number, last, settled & read_wrong)),
            self.result_valid.eq(offered),
            self.result_first.eq(first),
            self.result_last.eq(last),
        ]

    def _with_fault(self, number: Value, last: Value, wrong_before: Value) -> Value:
        """The beat at the output, 0 if it was changed; in the status a bit tells a fault.
        wrong_before: the beat that comes to the output was changed."""
        if not self.build.protected:
            return number
        wrong = Signal(name="beat_is_wrong")
        self.m.d.comb += [
            wrong.eq(is_damaged(number) | ~Mux(last, self.ends, self.releases)),
            self.wrong.eq((self.result_valid & wrong) | wrong_before | self.comes_wrong),
        ]
        fault = last & (wrong | self.damaged)
        return Mux(wrong, 0, number[: self.build.word]) | (fault << FAULT)


def _protection(build: EngineBuild) -> dict[str, In | Out]:
    """The ports of a protected host."""
    return {
        "releases": In(1),
        "ends": In(1),
        "damaged": In(1),
        "wrong": Out(1),
        "admits": In(1),
        "mark": In(1),
        "place_read": In(bits_of(build.beats)),
    }


def _write_signature(build: EngineBuild) -> wiring.Signature:
    """The ports of a beat for the registers."""
    checks = ("mark", "place_parity", "expected") if build.protected else ()
    plain = write_signature(build, build.machine.ports).members
    return wiring.Signature({**plain, **dict.fromkeys(checks, Out(1))})
