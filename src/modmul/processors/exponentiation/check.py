"""The check of a power before it leaves.

X1 is X0 times x in the ladder at all times, whatever the exponent.  So at the end y*x and X1, taken
out of the domain, are the same residue; a wrong product, operand or constant changes one of them.
What that does not show is seen by itself: wrong bits of the exponent, or a wrong number of them
(`ExponentBits.agrees`), results in the wrong number (by the parity of those for X0), a multiplier
whose products are not of their operands (R^2 mod N must leave the domain as R mod N), a power that
is not below N (by the borrow of the last subtraction), and 0, which stays 0: a power of 0 is taken
for a fault unless the base is 0.

Both products of a bit have one factor in common.  If it were wrong for one of its places a or b
only, X1 would still be X0 times x.  So bits above the bound of operands, which a multiplier may use
in one place and not in the other, are read as 0.

What is not right is remembered until the next command.  Then zeros leave in the place of the power,
and a last beat that is not 0.  Before that beat, what a fault has left of the base and the exponent
is taken: the next operation would take it for its own."""

from __future__ import annotations

from typing import Any, ClassVar

from amaranth.hdl import Array, Cat, Mux, Signal, Value

from modmul.processors.exponentiation.constants import BASE, ONE, POWER, PROOF
from modmul.processors.exponentiation.datapath import ExponentiationDatapath
from modmul.processors.exponentiation.reduction import FinalSubtraction


class ResultCheck:
    """The state of a check.

    Driven by the caller: begin (a command is taken), base (words of the base are taken; what is
    there is kept in each cycle, at last the word that comes), proof (a
    word of X1 is kept), keeping and ending (the states KEEP and STATUS), used (a product has used
    the present bit of the exponent), subtracts (a word of N is used).
    Outputs: begun (a command was taken, and its status has not left: without one no base is taken
    and no result offered), telling (the status is offered), rest_of_base and rest_of_exponent
    (beats of it are to come, and are taken in STATUS), phase (see `Control._keep`), compares (it is
    one of a comparison), good (the power may leave)."""

    NOTES: ClassVar[dict[str, str]] = {
        "check_begin": "a command is taken",
        "check_base": "words of the base come, and what is there is kept",
        "check_proof": "a word of X1 is kept, which is X0 times the base after the loop",
        "check_keeping": "words are kept or compared: in KEEP, by check_phase",
        "check_phase": "0: the power y is kept, 1: y*x, 3: X1 is compared with y*x, 5: R^2 with R",
        "check_compares": "phase 3 or 5",
        "check_used": "a square begins, with the present bit of the exponent",
        "check_subtracts": "a word of N is used in a subtraction",
        "compared": "words were compared, in the cycle before",
        "number_differs": "these words differ",
        "looked_at": "a stored word was used in the cycle before, and its parity counts",
        "exponent_complete": "no beat of the exponent is to come: it was the last, or a filled one",
        "base_complete": "no beat of the base is to come: it was the last, or a filled one",
        "check_begun": "a command was taken, and its status has not left",
        "check_ending": "in STATUS",
        "check_telling": "the status is offered: nothing of this operation is to come",
        "check_rest_of_*": "beats of it are to come after a fault, and are taken in STATUS",
        "results_of_x0": "parity of the results for X0 and of the bits of the exponent: 0 in the "
        "end",
        "reads_power": "words of the power and the base were read in the cycle before",
        "base_is_0": "no word of the base was other than 0",
        "power_is_0": "no word of the power was other than 0",
        "fault": "something was wrong since the command",
        "fault_enable": "a fault was seen",
        "doubt": "faults seen in the cycle before, a bit for each kind",
        "proved": "all comparisons are over",
        "check_good": "the power may leave",
    }

    def __init__(self, path: ExponentiationDatapath, reduction: FinalSubtraction):
        self.path, self.m, self.reduction = path, path.m, reduction
        for name in (
            *("begin", "base", "proof", "keeping", "ending", "telling", "used", "subtracts"),
            *("rest_of_base", "rest_of_exponent", "begun"),
            *("compares", "good"),
        ):
            setattr(self, name, Signal(name=f"check_{name}"))
        self.phase = Signal(3, name="check_phase")
        self.fault, self.proved = Signal(name="fault"), Signal(name="proved")
        self.m.d.comb += [
            self.compares.eq((self.phase == 3) | (self.phase == 5)),
            self.good.eq(self.proved & ~self.fault),
        ]
        with self.m.If(self.begin):
            self.m.d.sync += self.phase.eq(0)
        self._keep()
        self._fault()

    begin: Signal
    base: Signal
    proof: Signal
    keeping: Signal
    ending: Signal
    telling: Signal
    begun: Signal
    rest_of_base: Signal
    rest_of_exponent: Signal
    used: Signal
    subtracts: Signal
    compares: Signal
    good: Signal

    def read(self) -> list[Any]:
        """The statements after which the words come that this phase reads in KEEP."""
        constants = self.path.constants
        [one] = (
            start for number, start in constants.starts.items() if constants.sections[number] == ONE
        )
        by_phase = {1: constants.numbers[PROOF], 5: one}
        starts = Array(by_phase.get(phase, constants.numbers[BASE]) for phase in range(8))
        return [constants.address.eq(starts[self.phase])]

    def leaves_again(self) -> Value:
        """Whether the proof leaves the domain once more, and go to that phase."""
        again = self.phase == 2
        with self.m.If(again):
            self.m.d.sync += self.phase.eq(3)
        return again

    def _keep(self) -> None:
        m, constants = self.m, self.path.constants
        of_power = self.keeping & (self.phase == 0)
        section = Mux(of_power, constants.numbers[POWER], constants.numbers[BASE])
        # Before its gate: where that gives 0 instead, there is a fault anyway.
        operand = self.path.ports.operand.p.data
        m.d.comb += [
            constants.keep.eq(self.base | self.proof | (self.keeping & (self.phase[1:] == 0))),
            constants.section_kept.eq(Mux(self.proof, constants.numbers[PROOF], section)),
            constants.kept.eq(Mux(self.proof | self.keeping, self.reduction.held(), operand)),
        ]

    def _fault(self) -> None:
        m, path, constants = self.m, self.path, self.path.constants
        command, exponent = path.inputs["command"].p, path.inputs["exponent"]
        last = path.index == path.last_word
        complete, differs = Signal(name="exponent_complete", init=1), Signal(name="number_differs")
        compared, looked_at = Signal(name="compared"), Signal(name="looked_at")
        taken, operand = exponent.valid & exponent.ready, path.inputs["operand"]
        base_complete = Signal(name="base_complete", init=1)
        with m.If(taken):
            m.d.sync += complete.eq(exponent.p.last | path.fills["exponent"])
        with m.If(operand.valid & operand.ready):
            m.d.sync += base_complete.eq(operand.p.last | path.fills["operand"])
        m.d.comb += [
            self.rest_of_base.eq(self.ending & ~base_complete),
            self.rest_of_exponent.eq(self.ending & ~complete),
            self.telling.eq(self.ending & base_complete & complete & self.begun),
        ]
        agrees = path.bits.agrees(self.used, path.bit, path.ports.exponent.p.data)
        m.d.comb += differs.eq(self.reduction.left != constants.before)
        m.d.sync += [
            compared.eq(self.keeping & self.compares),
            looked_at.eq(self.keeping | self.subtracts | constants.unload),
        ]
        doubts = Cat(
            self.base & operand.valid & self._misframed(last),
            taken & complete,
            path.fills["exponent"],
            self.proof & ~(agrees & complete & ~self._unbalanced()),
            self.keeping & Cat(unit.unsettled for unit in path.units).any(),
            self.keeping & ~self.reduction.below,
            self.keeping & self.compares & self._vanished(),
        )
        doubt = Signal(len(doubts), name="doubt")
        m.d.sync += doubt.eq(doubts)
        with m.If(doubt.any() | (compared & differs) | (looked_at & constants.flawed)):
            m.d.sync += self.fault.eq(1)
        with m.If(self.keeping & (self.phase == 5) & last):
            m.d.sync += self.proved.eq(1)
        with m.If(self.telling & path.ports.result.ready):
            m.d.sync += [self.proved.eq(0), self.begun.eq(0)]
        with m.If(self.begin):
            m.d.sync += [
                self.proved.eq(0),
                self.fault.eq(~(command.first & command.last)),
                complete.eq(command.bits == 0),
                base_complete.eq(0),
                self.begun.eq(1),
            ]

    def _misframed(self, last: Value) -> Value:
        """Whether the base does not begin and end with a packet."""
        operand = self.path.inputs["operand"].p
        return (operand.first != (self.path.index == 0)) | (operand.last != last)

    def _unbalanced(self) -> Value:
        """Whether the number of results for X0 is, modulo 2, not that of the bits."""
        m, parity = self.m, Signal(name="results_of_x0")
        first = Cat(unit.load[0] & unit.result.p.first for unit in self.path.units)
        m.d.sync += parity.eq(parity ^ first.xor())
        with m.If(self.begin):
            m.d.sync += parity.eq(self.path.inputs["command"].p.bits[0])
        return parity

    def _vanished(self) -> Value:
        """Whether the power is 0 and the base is not: both are read in phase 0."""
        m, reads = self.m, Signal(name="reads_power")
        of_base, of_power = Signal(name="base_is_0"), Signal(name="power_is_0")
        m.d.sync += reads.eq(self.keeping & (self.phase == 0))
        with m.If(reads & self.path.constants.before.any()):
            m.d.sync += of_base.eq(0)
        with m.If(reads & self.reduction.left.any()):
            m.d.sync += of_power.eq(0)
        with m.If(self.begin):
            m.d.sync += [of_base.eq(1), of_power.eq(1)]
        return of_power & ~of_base
