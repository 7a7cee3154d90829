"""Products in a bare core from every state in which one can begin: what is held there is found by
induction, from one beginning of a product or a modulus to all that can come next."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

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


class Induction:
    """A bare core, and what it holds whenever a product or a modulus can begin.

    products: the beginnings of products.  Raises NoProof if what steers the core depends on
    data, or it does not go by its contract."""

    def __init__(self, multiplier: Multiplier, circuit: Circuit, ends: float):
        self.multiplier, self.circuit, self.given = multiplier, circuit, given(multiplier)
        [[modulus]] = self.given.modulus.polynomial
        self.facts = Facts(self.given.variables, modulus, ends)
        self.operations = Operations(self.given.variables, self.facts)
        self._outline = Outline(self.operations)
        self._beside = Beside(self.operations)
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
        self._begins = self.control.begins()
        self._followed = set[object]()
        self._held = self._invariant(held)

    @property
    def products(self) -> list[Begin]:
        return sorted(begin for begin in self._held if begin.event == "operand")

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
        steps = self._begins[begin] if begin else first
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

    def result(self, begin: Begin) -> Signal:
        """All beats of the result of the product of the operands, whatever comes behind them.

        Where products are at several addresses of a memory of which nothing is known, such as a
        queue, its addresses are counted from one that is written in their midst."""
        control, beats = self.control, self.multiplier.beats
        simulator = Simulator(self.circuit, self._beside, control.outputs, self._held[begin])
        steps = [(control.written(step), step) for step in self._begins[begin]]
        turned = self._turned(begin, {written for written, _ in steps})
        parts = []
        for cycle in range(control.beats.latency):
            self.facts.hurry()
            for place in turned:
                name = control.memories[place].name
                simulator.addresses[name] = control.places(place, steps)
            carried = control.carried([step for _, step in steps])
            simulator.settle(self._operands(cycle), carried)
            if cycle >= control.beats.latency - beats:
                parts.append(simulator.output("result_data"))
            simulator.clock()
            steps = [
                (first, step)
                for first, state in {(first, step.after) for first, step in steps}
                for step in control.steps(state)
                if not (control.beats.flushes and step.begin and step.begin.event == "modulus")
            ]
        return signals.joined(parts)

    def _turned(self, begin: Begin, starts: Collection[tuple[int, ...]]) -> list[int]:
        """The places of memories of which nothing is known, and that are written at several
        addresses."""
        held = self._held[begin].memories
        return [
            place
            for place, each in enumerate(self.control.memories)
            if len({start[place] for start in starts}) > 1
            and all(word is None or not signals.has_known(word) for word in held[each.name])
        ]

    def _operands(self, cycle: int) -> dict[str, Signal]:
        """The beats of the operands in a cycle of their product."""
        if cycle >= self.multiplier.beats:
            return {}
        beat, words = self.multiplier.beat, zip("ab", self.given.operands, strict=True)
        return {f"operand_{name}": bits_of(word, cycle * beat, beat) for name, word in words}
