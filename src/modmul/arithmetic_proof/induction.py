"""Products in a bare core from every state in which one can begin: what is held there is found by
induction, from one beginning of a product or a modulus to all that can come next."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

from modmul.arithmetic_proof import signals
from modmul.arithmetic_proof.circuit import Circuit
from modmul.arithmetic_proof.control import Beats, Begin, Control
from modmul.arithmetic_proof.facts import Facts
from modmul.arithmetic_proof.operations import Operations
from modmul.arithmetic_proof.outline import Beside, Outline
from modmul.arithmetic_proof.products import bits_of, given, loaded
from modmul.arithmetic_proof.signals import Signal
from modmul.arithmetic_proof.simulator import Held, Simulator
from modmul.multipliers.contract import Multiplier

_ONE = signals.constant(1, 1)
_APART = 24  # cycles in which ways to begin are simulated one by one


class Induction:
    """A bare core, and what it holds whenever a product or a modulus can begin.

    begins: the cycles in which something can begin.  held: what is held in them.  Raises NoProof
    if what steers the core depends on data, or it does not go by its contract."""

    def __init__(self, multiplier: Multiplier, circuit: Circuit, ends: float):
        self.multiplier, self.circuit, self.given = multiplier, circuit, given(multiplier)
        [[modulus]] = self.given.modulus.polynomial
        self.facts = Facts(self.given.variables, modulus, ends)
        self.operations = Operations(self.given.variables, self.facts)
        self._outline = Outline(self.operations)
        self.beside = Beside(self.operations)
        self._loads = loaded(multiplier, self.given)
        after_reset = Simulator(circuit, self._outline)
        valid = dict.fromkeys(("operand_valid", "modulus_valid"), signals.nothing(1))
        after_reset.settle({"rst": _ONE} | valid)
        after_reset.clock()
        held = after_reset.held()
        numbers = {
            each.outputs["Q"]: signals.known_value(held.values[each.outputs["Q"]])
            for each in circuit.registers
        }
        self.control = Control(circuit, Beats.of(multiplier, len(self._loads)), numbers)
        self.begins = self.control.begins()
        self._followed = set[object]()
        self.held = self._invariant(held)

    @property
    def products(self) -> list[list[Begin]]:
        """The ways in which a product can begin, by the phase."""
        ways = sorted(begin for begin in self.held if begin.event == "operand")
        return [list(group) for _, group in itertools.groupby(ways, lambda begin: begin.phase)]

    # ---- what is held ---------------------------------------------------------------------------

    def _invariant(self, after_reset: Held) -> dict[Begin, Held]:
        """What is held at all beginnings: found by joining what comes from the reset, and from one
        beginning to the next, until that changes nothing."""
        found: dict[Begin, Held] = {}
        todo: list[Begin | None] = [None]
        joined_before = set[object]()
        while todo:
            begin = todo.pop()
            for reached, held in self._follow(begin, found[begin] if begin else after_reset):
                key = reached, held.key()
                if key in joined_before:
                    continue
                joined_before.add(key)
                joined = held.joined(found[reached]) if reached in found else held
                if reached not in found or joined.key() != found[reached].key():
                    found[reached] = joined
                    todo = [reached, *(each for each in todo if each != reached)]
        return found

    def _follow(self, begin: Begin | None, held: Held) -> Iterator[tuple[Begin, Held]]:
        """From a beginning (None: a reset) to all that can come next, and what is held there: of
        operands nothing, of a modulus before nothing."""
        control = self.control
        simulator = Simulator(self.circuit, self._outline, control.outputs, held)
        first = [step for state in control.first for step in control.steps(state)]
        steps = self.begins[begin] if begin else first
        loads = self._loads if begin and begin.event == "modulus" else []
        for cycle in itertools.count():
            self.facts.hurry()
            if cycle or begin is None:
                now = simulator.held()
                for reached in {step.begin for step in steps if step.begin}:
                    yield reached, now.without_words() if reached.event == "modulus" else now
                steps = [step for step in steps if not step.begin]
            if not steps:
                return
            inputs = {"modulus_data": loads[cycle]} if cycle < len(loads) else {}
            simulator.settle(inputs, control.carried(steps))
            simulator.clock()
            states = frozenset(step.after for step in steps)
            if cycle >= len(loads):  # from here on all goes as it went from here before
                key = states, simulator.held().key()
                if key in self._followed:
                    return
                self._followed.add(key)
            steps = [step for state in states for step in control.steps(state)]

    # ---- a product ------------------------------------------------------------------------------

    def result(self, begins: Sequence[Begin]) -> Signal:
        """All beats of the result of the product of the operands, whatever comes behind them, where
        it begins in one of these ways, of the same phase.

        After some cycles they only differ in what came before, and are joined: what differs is
        free from then on."""
        latency = self.control.beats.latency
        apart = min(_APART, latency // 2) if len(begins) > 1 else 0
        turned = self._turned(begins)
        parts = []
        for begin in begins:
            part = _Part(self, begin, turned)
            for cycle in range(apart):
                part.advance(cycle)
            parts.append(part)
        joined, results = functools.reduce(_Part.joined, parts), []
        for cycle in range(apart, latency):
            result = joined.advance(cycle)
            if cycle >= latency - self.multiplier.beats:
                results.append(result)
        return signals.joined(results)

    def _turned(self, begins: Sequence[Begin]) -> list[int]:
        """The places of memories of which nothing is known, and that are written at several
        addresses."""
        control = self.control
        starts = {control.written(step) for begin in begins for step in self.begins[begin]}
        return [
            place
            for place, each in enumerate(control.memories)
            if len({start[place] for start in starts}) > 1
            and not any(
                word is not None and signals.has_known(word)
                for begin in begins
                for word in self.held[begin].memories[each.name]
            )
        ]

    def operands(self, cycle: int) -> dict[str, Signal]:
        """The beats of the operands in a cycle of their product."""
        if cycle >= self.multiplier.beats:
            return {}
        beat, words = self.multiplier.beat, zip("ab", self.given.operands, strict=True)
        return {f"operand_{name}": bits_of(word, cycle * beat, beat) for name, word in words}


class _Part:
    """A product that begins in one way, with all that can come beside and behind it.  turned:
    the memories whose addresses are counted from one that is written in the midst of a product,
    since products are at several addresses of them: queues."""

    def __init__(self, core: Induction, begin: Begin, turned: Sequence[int]):
        self.core, self._turned, control = core, turned, core.control
        self.simulator = Simulator(core.circuit, core.beside, control.outputs, core.held[begin])
        self.steps = [(control.written(step), step) for step in core.begins[begin]]

    def advance(self, cycle: int) -> Signal:
        """Simulate a cycle of the product; what the port of the result carries in it."""
        self.core.facts.hurry()
        control, simulator = self.core.control, self.simulator
        for place in self._turned:
            name = control.memories[place].name
            simulator.addresses[name] = control.places(place, self.steps)
        carried = control.carried([step for _, step in self.steps])
        simulator.settle(self.core.operands(cycle), carried)
        result = simulator.output("result_data")
        simulator.clock()
        self.steps = [
            (first, step)
            for first, state in {(first, step.after) for first, step in self.steps}
            for step in control.steps(state)
            if not (control.beats.flushes and step.begin and step.begin.event == "modulus")
        ]
        return result

    def joined(self, other: _Part) -> _Part:
        self.simulator.restore(self.simulator.held().joined(other.simulator.held()))
        self.steps = list(dict.fromkeys([*self.steps, *other.steps]))
        return self
