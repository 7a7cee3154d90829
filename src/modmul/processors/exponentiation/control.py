"""The states of an exponentiation: what happens when.

IDLE -> LOAD -> HAND -> IDLE for a modulus, and for a command
IDLE -> BASE -> [ENTER -> ONE] -> WAIT -> FIRST -> [WAIT_SQUARE] -> [SECOND] -> WAIT ...
     -> [UNIT -> LEAVE -> FINISH] -> [REDUCE] -> UNLOAD -> IDLE.

With a check, REDUCE -> KEEP -> LEAVE -> FINISH -> REDUCE ... twice, and STATUS after UNLOAD
(`Control._keep`)."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Mux, Signal, Value
from amaranth.hdl._dsl import FSM

from modmul.processors.exponentiation.check import ResultCheck
from modmul.processors.exponentiation.constants import MODULUS, ONE, POWER, SQUARE
from modmul.processors.exponentiation.datapath import ExponentiationDatapath

# What happens in a state; those of an architecture are listed above its module, with their codes.
_STATES = {
    "IDLE": "waits for a modulus or a command",
    "LOAD": "constants of a modulus come in and are stored",
    "HAND": "the multipliers get theirs",
    "BASE": "the base comes into X1, and {unit} into X0",
    "ENTER": "X1 <- X0*X1: the base enters the Montgomery domain",
    "ONE": "X0 becomes R mod N, which is 1 in the domain",
    "WAIT": "waits for a bit of the exponent, and until all results have begun to come",
    "FIRST": "operands of {first} are offered",
    "WAIT_SQUARE": "the bit is 1: waits until the square has begun to come",
    "SECOND": "operands of {second} are offered",
    "UNIT": "X1 becomes 1",
    "LEAVE": "X0 <- X0*X1: X0 leaves the Montgomery domain",
    "FINISH": "waits for the result",
    "REDUCE": "passes over the words of X0 and X1, until the power is below N",
    "KEEP": "words are kept for the check, or compared",
    "UNLOAD": "the power leaves, word by word",
    "STATUS": "the status leaves",
}


class Control:
    """The state machine of an exponentiation.

    Outputs: offering (a product is offered to multiplier 0), side_by_side (with it a square to
    multiplier 1), squaring (the offer to multiplier 0 is a square), handing (a constant is offered
    to all), unloading (a word of the result is offered), last_beat and last_constant (`index` is
    that of an operand's last beat, or of the last constant), check (None without one), states (a
    list of them, for the text above the module).
    Driven by the caller: taken (a beat of the product was taken), handed (a constant was taken)."""

    NOTES: ClassVar[dict[str, str]] = {
        "control_state": "state of the control, see above",
        "idle": "IDLE or HAND: a new packet begins on each stream",
        "modulus_loaded": "the multipliers have a modulus",
        "modulus_whole": "the modulus that came had the right number of beats",
        "index": "counts words, beats or constants in a state; 0 when a state begins",
        "index_sum": "",
        "index_next": "index in the next cycle, in states that offer operands",
        "value_part": "index in the next cycle, in states that count words",
        "used_bits": "bits that an operand can have in its word at index",
        "last_beat": "index is that of the last beat of an operand",
        "last_constant": "index is that of the last constant of the multiplier",
        "offering": "operands are offered to multiplier_0",
        "side_by_side": "operands are offered to both; multiplier_1 squares",
        "squaring": "the operands for multiplier_0 are those of a square",
        "taken": "multiplier_0 takes a beat of operands",
        "arrived": "the first beats of all results have come",
        "finished": "all results have come",
        "handing": "a constant is offered to the multipliers",
        "handed": "the multipliers take a constant",
        "present_bit": "bit of the exponent, for the products that are offered",
        "reducing": "in REDUCE",
        "unloading": "a word of the power is offered",
    }

    def __init__(self, path: ExponentiationDatapath):
        self.path, self.m, self.facts, self.ports = path, path.m, path.facts, path.ports
        for name in (
            *("offering", "side_by_side", "squaring", "handing", "unloading", "reducing"),
            *("last_beat", "last_constant", "taken", "handed"),
        ):
            setattr(self, name, Signal(name=name))
        self.loaded = Signal(name="modulus_loaded")
        self.whole = Signal(name="modulus_whole", init=1)
        units = path.units
        self.arrived, self.finished = Signal(name="arrived"), Signal(name="finished")
        self.m.d.comb += [
            self.arrived.eq(Cat(unit.arrived for unit in units).all()),
            self.finished.eq(Cat(unit.finished for unit in units).all()),
            self.last_beat.eq(path.index == path.last_word if path.in_words else 1),
            self.last_constant.eq(path.index == self._last_constant()),
        ]
        self._store_index()
        self.check: ResultCheck | None = None
        if self.facts.checked and path.reduction is not None:
            self.check = ResultCheck(path, path.reduction)
        with self.m.FSM(name="control") as control:
            self._modulus()
            self._begin()
            self._loop()
            self._end()
        self.m.d.comb += path.idle.eq(control.ongoing("IDLE") | control.ongoing("HAND"))
        self.states = self._states(control)

    offering: Signal
    side_by_side: Signal
    squaring: Signal
    handing: Signal
    unloading: Signal
    reducing: Signal
    last_beat: Signal
    last_constant: Signal
    taken: Signal
    handed: Signal

    def _states(self, machine: FSM) -> str:
        """A list of the states, in the order in which they follow each other."""
        first = "the product X0*X1" if self.facts.is_ladder else "the square X0*X0"
        second = "a square" if self.facts.is_ladder else "the product X0*X1"
        told = {
            "unit": "R^2 mod N" if self.facts.enters_domain else "1",
            "first": f"{first}, and of a square," if self.facts.units == 2 else first,
            "second": second,
        }
        return "\n".join(
            f"  {machine.encoding[name]:2} {name:11} {text.format_map(told)}"
            for name, text in _STATES.items()
            if name in machine.encoding
        )

    def _last_constant(self) -> Value | int:
        """The number of the multiplier's last constant, from 0."""
        p = self.facts
        if p.multiplier.lengths is None:
            return p.core_constants - 1
        return self.path.last_word + (p.core_constants - p.words)

    def _store_index(self) -> None:
        m, path = self.m, self.path
        if path.in_words:
            before = Signal.like(path.index, name="index_before")
            m.d.sync += before.eq(path.index)
            m.d.comb += path.store_index.eq(Mux(self.reducing, before, path.index))

    def _count(self, last: Value) -> None:
        """Count words, constants or beats of this state; the next state counts from 0."""
        m, index = self.m, self.path.index
        m.d.sync += index.eq(Mux(last, 0, index + 1))

    # ---- a modulus ------------------------------------------------------------------------------

    def _modulus(self) -> None:
        m, path, constants = self.m, self.path, self.path.constants
        arriving = path.inputs["modulus"].valid
        with m.State("IDLE"):
            m.d.comb += path.inputs["command"].ready.eq(self.loaded & ~arriving)
            with m.If(arriving):
                m.d.sync += constants.rewind()
                m.next = "LOAD"
            with m.Elif(path.inputs["command"].valid & self.loaded):
                m.d.comb += path.bits.begin.eq(1)
                m.d.sync += constants.read(SQUARE)
                if self.check is not None:
                    m.d.comb += [self.check.begin.eq(1), *(u.begin.eq(1) for u in path.units)]
                m.next = "BASE"
        with m.State("LOAD"):
            m.d.comb += [path.inputs["modulus"].ready.eq(1), constants.loading.eq(1)]
            with m.If(arriving):
                self._load_word()
        with m.State("HAND"):
            m.d.comb += self.handing.eq(1)
            with m.If(self.handed):
                self._count(self.last_constant)
                m.d.comb += constants.step.eq(1)
                with m.If(self.last_constant):
                    m.d.sync += self.loaded.eq(self.whole)
                    m.next = "IDLE"

    def _load_word(self) -> None:
        m, path, constants = self.m, self.path, self.path.constants
        ends: Value = path.index == path.last_word
        if path.in_words:
            chosen = self.facts.multiplier.mode_header_beats
            # Before its first beats are in, nothing is known of the length: not even to a simulator
            # whose registers begin as X.
            own_ends = self.last_constant & (path.index >= chosen) if chosen else self.last_constant
            ends = Mux(constants.own, own_ends, ends)
            with m.If(constants.own & (path.index < chosen)):
                m.d.sync += path.choice.eq(
                    Cat(path.choice[self.facts.word :], path.inputs["modulus"].p.data)
                )
        else:
            number = path.numbers[0]
            arrived = path.inputs["modulus"].p.data
            m.d.comb += [number.store.eq(constants.own), number.stored.eq(arrived)]
        self._count(constants.section_ends)
        m.d.comb += [constants.store.eq(1), constants.section_ends.eq(ends)]
        with m.If(constants.section_ends & constants.last):
            if self.facts.checked:
                m.d.sync += self.whole.eq(path.inputs["modulus"].p.last)
            m.d.sync += constants.read("")
            m.next = "HAND"

    # ---- before the loop ------------------------------------------------------------------------

    def _begin(self) -> None:
        m, path, enters = self.m, self.path, self.facts.enters_domain
        x0, x1 = path.numbers
        with m.State("BASE"):
            begun = 1 if self.check is None else self.check.begun
            m.d.comb += path.inputs["operand"].ready.eq(begun)
            if path.reduction is not None:
                m.d.comb += [
                    path.reduction.begin.eq(1),
                    path.reduction.holds.eq(self.check is not None),
                ]
            if self.check is not None:
                m.d.comb += self.check.base.eq(1)
            with m.If(path.inputs["operand"].valid & begun):
                m.d.comb += [x1.store.eq(1), x1.stored.eq(path.inputs["operand"].p.data)]
                m.d.comb += [
                    x0.store.eq(1),
                    x0.stored.eq(path.constants.word if enters else path.index == 0),
                ]
                self._words("ENTER" if enters else "WAIT")
        if not enters:
            return
        with m.State("ENTER"):
            self._offer("ONE", target=1)
            m.d.sync += path.constants.read(ONE)
        with m.State("ONE"):
            m.d.comb += [x0.store.eq(1), x0.stored.eq(path.constants.word)]
            self._words("WAIT")

    def _words(self, following: str) -> None:
        """Go on to the next word of this state, and after the last one to the state `following`."""
        m, path = self.m, self.path
        last = path.index == path.last_word
        m.d.comb += path.constants.step.eq(1)
        self._count(last)
        with m.If(last):
            m.next = following

    def _offer(self, following: str, target: Value | int) -> None:
        """Offer a product with its result to number `target`; then go to the state `following`."""
        m, path = self.m, self.path
        m.d.comb += [self.offering.eq(1), path.units[0].target.eq(target)]
        with m.If(self.taken):
            if path.in_words:
                self._count(self.last_beat)
            with m.If(self.last_beat):
                m.next = following

    # ---- the loop -------------------------------------------------------------------------------

    def _loop(self) -> None:
        m, path, p = self.m, self.path, self.facts
        with m.State("WAIT"):
            m.d.sync += path.constants.read(MODULUS)
            with m.If(path.bits.valid & self.arrived):
                m.d.comb += path.bits.take.eq(1)
                m.d.sync += path.bit.eq(path.bits.bit)
                m.next = "FIRST"
            with m.Elif(path.bits.ended & self.finished):
                m.next = "UNIT" if p.enters_domain else self._after_products()
        with m.State("FIRST"):
            if p.units == 2:
                m.d.comb += [self.side_by_side.eq(1), path.units[1].target.eq(path.bit)]
            if p.is_ladder:
                self._offer("WAIT" if p.units == 2 else "SECOND", target=~path.bit)
            else:
                m.d.comb += self.squaring.eq(1)
                self._offer("WAIT", target=0)
                with m.If(path.bit & self.taken & self.last_beat):
                    m.next = "WAIT_SQUARE"
        if p.units == 2:
            return
        if not p.is_ladder:
            with m.State("WAIT_SQUARE"), m.If(self.arrived):
                m.next = "SECOND"
        with m.State("SECOND"):
            m.d.comb += self.squaring.eq(int(p.is_ladder))
            self._offer("WAIT", target=path.bit if p.is_ladder else 0)

    # ---- after the loop -------------------------------------------------------------------------

    def _after_products(self) -> str:
        return "UNLOAD" if self.path.reduction is None else "REDUCE"

    def _end(self) -> None:
        m, path = self.m, self.path
        if self.facts.enters_domain:
            with m.State("UNIT"):
                x1 = path.numbers[1]
                m.d.comb += [x1.store.eq(1), x1.stored.eq(path.index == 0)]
                if self.check is not None:
                    m.d.comb += self.check.proof.eq(1)
                self._words("LEAVE")
            with m.State("LEAVE"):
                self._offer("FINISH", target=0)
                if self.check is not None:
                    m.d.comb += self.check.reduction.begin.eq(1)
            with m.State("FINISH"):
                m.d.sync += path.constants.read(MODULUS)
                with m.If(self.finished):
                    m.next = self._after_products()
                    if self.check is not None:
                        with m.If(self.check.leaves_again()):
                            m.next = "LEAVE"
        if path.reduction is not None:
            with m.State("REDUCE"):
                self._reduce()
        if self.check is not None:
            with m.State("KEEP"):
                self._keep(self.check)
        with m.State("UNLOAD"):
            unbegun = 0 if self.check is None else ~self.check.begun
            offered = 1 if self.check is None else path.constants.unloaded
            m.d.comb += self.unloading.eq(1)
            with m.If((self.ports.result.ready & offered) | unbegun):
                for place, number in enumerate(path.numbers):
                    m.d.comb += number.turn.eq(self._holds(place))
                self._words("IDLE" if self.check is None else "STATUS")
        if self.check is not None:
            with m.State("STATUS"):
                m.d.comb += self.check.ending.eq(1)
                with m.If(self.check.rest_of_base):
                    m.d.comb += path.inputs["operand"].ready.eq(1)
                with m.If((self.check.telling & self.ports.result.ready) | unbegun):
                    m.next = "IDLE"

    def _keep(self, check: ResultCheck) -> None:
        """Go through the words of the number that was reduced, and of one in the memory:

        phase 0: the power y is kept; the other number becomes x, and the next product is s = y*x
        phase 1: s is kept in the place of x; X0 becomes the proof, which leaves the domain twice
                 (phases 2 and 3)
        phase 3: it is compared with s
        phase 4: X0 becomes R^2 mod N, which leaves the domain
        phase 5: it is compared with R mod N"""
        m, (x0, x1), phase = self.m, self.path.numbers, check.phase
        word, last = self.path.constants.word, self.path.index == self.path.last_word
        m.d.comb += [check.keeping.eq(1), x0.stored.eq(word)]
        with m.If(phase == 0):
            holder = check.reduction.holder
            m.d.comb += [
                x0.store.eq(holder),
                x0.turn.eq(~holder),
                x1.store.eq(~holder),
                x1.turn.eq(holder),
                x1.stored.eq(word),
            ]
        with m.Else():
            m.d.comb += x1.stored.eq(self.path.index == 0)
            for number in (x0, x1):
                m.d.comb += [number.store.eq(~check.compares), number.turn.eq(check.compares)]
        self._words("LEAVE")
        with m.If(last):
            m.d.sync += phase.eq(phase + 1)
            with m.If(phase == 3):
                m.d.sync += self.path.constants.read(SQUARE)
                m.next = "KEEP"
            with m.If(phase == 5):
                m.d.sync += self.path.constants.read(POWER)
                m.next = "UNLOAD"

    def _holds(self, place: int) -> Value | int:
        reduction = self.path.reduction
        if reduction is None:
            return int(place == 0)
        return reduction.holder if place else ~reduction.holder

    def _reduce(self) -> None:
        m, path, reduction = self.m, self.path, self.path.reduction
        assert reduction is not None
        first, last = path.index == 0, path.index == path.last_word + 1
        self._count(last)
        if self.check is not None:
            m.d.comb += self.check.subtracts.eq(~last)
        m.d.comb += [
            self.reducing.eq(1),
            path.constants.step.eq(1),
            reduction.active.eq(1),
            reduction.first.eq(first),
            reduction.last.eq(last),
            reduction.keep.eq(path.binary),
            reduction.word_of_modulus.eq(path.constants.word),
        ]
        for place, number in enumerate(path.numbers):
            m.d.comb += [
                number.turn.eq(self._holds(place) & ~last),
                number.store.eq(~self._holds(place) & ~first),
                number.stored.eq(reduction.total),
            ]
        with m.If(last):
            m.d.sync += path.constants.read(MODULUS)
            with m.If(reduction.ended):
                m.next = "UNLOAD" if self.check is None else "KEEP"
                if self.check is not None:
                    m.d.sync += self.check.read()
