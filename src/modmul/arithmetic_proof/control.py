"""What steers a core: the cells that depend on no data, and all states that they can be in.

They are a machine whose inputs are reset and the framing of the streams (`valid`, `first`, `last`).
It is explored from a reset, for everything that the contract of bare cores allows around it; on the
way each result is seen to come in the cycles that its latency declares."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from modmul.arithmetic_proof import signals
from modmul.arithmetic_proof.circuit import Circuit, CircuitCell
from modmul.arithmetic_proof.compiled import compiled, inputs_of, is_known
from modmul.arithmetic_proof.signals import Signal
from modmul.arithmetic_proof.variables import NoProof
from modmul.multipliers.contract import Multiplier

Event = Literal["operand", "modulus"]  # whose first beat is taken
STREAMS: tuple[Event, Event] = ("modulus", "operand")
FRAMING = ("valid", "first", "last")
_MOST_STATES = 60_000
_MOST_UNKNOWN = 8
_PORTS = (
    *(f"{stream}_ready" for stream in STREAMS),
    *(f"result_{name}" for name in FRAMING),
)


class Around(NamedTuple):
    """What is around a core.  operand, modulus: the number of beats that were taken, 0 between two
    operands.  loaded: a modulus began.  ages: bit i is set if a product began i cycles ago whose
    result is not complete.  dropped: cycles in which beats of products that a new modulus dropped
    may still come."""

    operand: int = 0
    modulus: int = 0
    loaded: bool = False
    ages: int = 0
    dropped: int = 0


class State(NamedTuple):
    registers: tuple[int, ...]
    around: Around


class Begin(NamedTuple):
    """Cycles in which a product or a modulus begins.  phase: what those registers hold in them that
    run whatever comes, such as the number of the slot whose turn it is.  flags: what the others of
    one bit hold."""

    event: Event
    phase: tuple[int, ...]
    flags: tuple[int, ...]


class Step(NamedTuple):
    """A cycle.  values: what the outputs `Control.shown` carry in it.  addresses: for each of
    `Control.memories`, what its read ports and its write ports have.  begin: if something begins in
    it."""

    values: tuple[int, ...]
    addresses: tuple[int, ...]
    begin: Begin | None
    after: State


@dataclass(frozen=True)
class Beats:
    """How the streams of a core go: beats of a modulus (0: none is loaded), of an operand and of a
    result, and its latency.  alone: a product only begins where no other is in flight.
    patience: cycles within which a core takes something again."""

    modulus: int
    operand: int
    latency: int
    flushes: bool
    drop_latency: int
    alone: bool
    patience: int

    @classmethod
    def of(cls, multiplier: Multiplier, loads: int) -> Beats:
        latency = multiplier.latency()
        if latency.minimum != latency.maximum:
            raise NoProof("a time that depends on data is not covered so far")
        return cls(
            modulus=loads,
            operand=multiplier.beats,
            latency=int(latency.maximum),
            flushes=multiplier.reload == "flushes",
            drop_latency=multiplier.drop_latency,
            alone=multiplier.slots > 1,
            patience=2 * int(latency.maximum + multiplier.interval().maximum) + loads,
        )

    def result(self, around: Around) -> tuple[bool, bool, bool]:
        """Whether a beat of a result is due, and it is a first one, a last one."""
        due = [around.ages >> self.latency - 1 - beat & 1 for beat in range(self.operand)]
        return any(due), bool(due[-1]), bool(due[0])


class Control:
    """reset: what each register holds after a reset, as a number, None if that is not known.  All
    methods raise NoProof where what steers the core depends on data.

    outputs: the numbers of outputs of cells (and inputs) that depend on no data.  shown: those of
    them that data meets, and the inputs."""

    def __init__(self, circuit: Circuit, beats: Beats, reset: Mapping[int, int | None]):
        self.circuit, self.beats = circuit, beats
        self.framing = {
            (stream, name): circuit.inputs[f"{stream}_{name}"]
            for stream, name in itertools.product(STREAMS, FRAMING)
            if f"{stream}_{name}" in circuit.inputs
        }
        clock = {circuit.inputs["clk"], circuit.inputs["rst"]}
        self._public = {*self.framing.values(), *clock}
        self.outputs = self._independent(reset)
        self._check_ports()
        self.registers = [r for r in circuit.registers if r.outputs["Q"] in self.outputs]
        self.shown = self._shown()
        read = set().union(*map(inputs_of, circuit.cells))
        self._used = {out for out in self.framing.values() if out in read}
        inside = [each for each in circuit.order if self._is_inside(each)]
        self.memories = [each for each in circuit.memories if self._is_addressed(each)]
        pins = [circuit.outputs.get(name, ()) for name in _PORTS]
        pins += [each.inputs[name] for each in self.memories for name in ("RD_ADDR", "WR_ADDR")]
        inputs = list(self.framing.values())
        self._cycle = compiled(self.registers, inputs, clock, inside, self.shown, pins)
        values = [self._after(reset, register) for register in self.registers]
        around = Around(loaded=not beats.modulus)
        self.first = [State(each, around) for each in itertools.product(*values)]
        self._steps: dict[State, list[Step]] = {}
        self._free_running = self._without_inputs()
        bits = {p for p, each in enumerate(self.registers) if each.width("Q") == 1}
        self._flags = sorted(bits - set(self._free_running))

    @staticmethod
    def _after(reset: Mapping[int, int | None], register: CircuitCell) -> Sequence[int]:
        """What a register can hold after a reset."""
        known = reset[register.outputs["Q"]]
        return range(1 << register.width("Q")) if known is None else [known]

    # ---- which cells ----------------------------------------------------------------------------

    def _independent(self, reset: Mapping[int, int | None]) -> frozenset[int]:
        circuit = self.circuit
        data: set[int | None] = {out for out in circuit.inputs.values() if out not in self._public}
        cells = [*circuit.order, *circuit.registers]
        for each in cells:
            if not is_known(each):
                data.update(each.outputs.values())
        self._spread(data, cells)
        left = _MOST_UNKNOWN  # bits that a reset does not set: all their values are explored
        for each in circuit.registers:
            output = each.outputs["Q"]
            if reset[output] is None and output not in data:
                left -= each.width("Q")
                if left < 0:
                    data.add(output)
        self._spread(data, cells)
        return frozenset(range(len(circuit.widths))) - data

    @staticmethod
    def _spread(reached: set[int | None], cells: Sequence[CircuitCell]) -> None:
        """Add the outputs of cells that read one of these."""
        grown = True
        while grown:
            before = len(reached)
            for each in cells:
                if not inputs_of(each).isdisjoint(reached):
                    reached.update(each.outputs.values())
            grown = len(reached) > before

    def _is_inside(self, each: CircuitCell) -> bool:
        return bool(each.outputs) and self.outputs.issuperset(each.outputs.values())

    def _is_addressed(self, each: CircuitCell) -> bool:
        """Whether no address of a memory depends on data, and all addresses have words."""
        if each.cell.number("SIZE") != 1 << each.cell.number("ABITS"):
            return False
        runs = [run for name in ("RD_ADDR", "WR_ADDR") for run in each.inputs[name]]
        return all(
            run.bit != "x" if run.output is None else run.output in self.outputs for run in runs
        )

    def _shown(self) -> list[int]:
        outside = [each for each in self.circuit.cells if not self._is_inside(each)]
        read: set[int | None] = {run.output for pin in self.circuit.outputs.values() for run in pin}
        read.update(self.framing.values())
        for each in outside:
            read |= inputs_of(each) | {run.output for pin in each.adder for run in pin}
        return sorted(out for out in read if out in self.outputs and out is not None)

    def _without_inputs(self) -> list[int]:
        """The places of registers that no input but the reset changes."""
        changed: set[int | None] = set(self.framing.values())
        self._spread(changed, self.circuit.cells)
        places = enumerate(self.registers)
        return [place for place, each in places if each.outputs["Q"] not in changed]

    def _check_ports(self) -> None:
        for name in _PORTS:
            pin = self.circuit.outputs.get(name, ())
            if any(run.output is not None and run.output not in self.outputs for run in pin):
                raise NoProof(f"{name} depends on data")

    # ---- all that can happen --------------------------------------------------------------------

    def steps(self, state: State) -> list[Step]:
        """All cycles that can begin in a state."""
        if state not in self._steps:
            if len(self._steps) > _MOST_STATES:
                raise NoProof(f"what steers the core has more than {_MOST_STATES} states")
            found = [self._step(state, offered) for offered in self._offers(state.around)]
            self._steps[state] = list(dict.fromkeys(step for step in found if step is not None))
        return self._steps[state]

    def _offers(self, around: Around) -> Iterator[Sequence[tuple[int, int, int]]]:
        """What may be offered, with the framing of streams that offer nothing, which is
        arbitrary."""
        choices: list[list[tuple[int, int, int]]] = []
        for stream in STREAMS:
            if (stream, "valid") not in self.framing:
                continue
            taken, beats = getattr(around, stream), getattr(self.beats, stream)
            valid = (1, int(taken == 0), int(taken == beats - 1))
            ends = [
                (0, 1) if self.framing[stream, name] in self._used else (0,)
                for name in ("first", "last")
            ]
            idle = [(0, first, last) for first, last in itertools.product(*ends)]
            if taken:
                choices.append([valid])
            else:
                possible = stream == "modulus" or self._may_begin(around)
                choices.append([*idle, *([valid] if possible else [])])
        yield from itertools.product(*choices)

    def _may_begin(self, around: Around) -> bool:
        return around.loaded and not (self.beats.alone and around.ages)

    def _step(self, state: State, offered: Sequence[tuple[int, int, int]]) -> Step | None:
        around, beats = state.around, self.beats
        inputs = tuple(value for stream in offered for value in stream)
        registers, values, ports = self._cycle(state.registers, inputs)
        ready = dict(zip(STREAMS, ports[:2], strict=True))
        names = STREAMS[-len(offered) :]
        taken = {s: bool(o[0] and ready[s]) for s, o in zip(names, offered, strict=True)}
        for stream, (valid, _, _) in zip(names, offered, strict=True):
            if getattr(around, stream) and valid and not taken[stream]:
                raise NoProof(f"a beat of {stream} behind the first is not taken")
        begins = [stream for stream in names if taken[stream] and not getattr(around, stream)]
        if len(begins) == 2:
            return None  # not allowed
        self._check_result(around, ports[2 : len(_PORTS)])
        event = begins[0] if begins else None
        ages, dropped, loaded = around.ages | (event == "operand"), around.dropped, around.loaded
        if event == "modulus":
            loaded = True
            if beats.flushes:
                ages, dropped = 0, beats.drop_latency + 1
        at = {
            stream: (getattr(around, stream) + 1) % getattr(beats, stream)
            if taken.get(stream)
            else getattr(around, stream)
            for stream in STREAMS
        }
        ages = ages << 1 & (1 << beats.latency) - 1
        then = Around(at["operand"], at["modulus"], loaded, ages, max(0, dropped - 1))
        begin = self._begin(event, state) if event else None
        addresses = tuple(ports[len(_PORTS) :])
        return Step(values, addresses, begin, State(registers, then))

    def _check_result(self, around: Around, ports: Sequence[int]) -> None:
        expected = self.beats.result(around)
        if not around.loaded or (not expected[0] and (around.dropped or not ports[0])):
            return
        if tuple(map(bool, ports)) != expected:
            latency = self.beats.latency
            raise NoProof(f"a result does not come in the cycles of its latency, {latency}")

    def reachable(self) -> list[State]:
        """All states, those after a reset first."""
        found = dict.fromkeys(self.first)
        todo = list(self.first)
        while todo:
            for step in self.steps(todo.pop()):
                if step.after not in found:
                    found[step.after] = None
                    todo.append(step.after)
        return list(found)

    def _begin(self, event: Event, state: State) -> Begin:
        """A modulus that drops all products begins alike, whatever they are at."""
        phase = tuple(state.registers[place] for place in self._free_running)
        apart = event == "operand" or not self.beats.flushes
        flags = tuple(state.registers[place] for place in self._flags) if apart else ()
        return Begin(event, phase, flags)

    def begins(self) -> dict[Begin, list[Step]]:
        """The cycles in which something can begin."""
        found: dict[Begin, list[Step]] = {}
        for state in self.reachable():
            for step in self.steps(state):
                if step.begin:
                    found.setdefault(step.begin, []).append(step)
        for stream in STREAMS if self.beats.modulus else STREAMS[1:]:
            if not any(begin.event == stream for begin in found):
                raise NoProof(f"{stream} is never taken")
            for steps in found.values():
                self._check_taken(stream, {step.after for step in steps})
        return found

    def _check_taken(self, stream: Event, states: set[State]) -> None:
        """Raise NoProof unless a beat of a stream is taken, if nothing else is, some time after
        something began."""
        for _ in range(self.beats.patience):
            steps = [self.steps(state) for state in states]
            if all(any(s.begin and s.begin.event == stream for s in each) for each in steps):
                return
            states = {step.after for each in steps for step in each if not step.begin}
        raise NoProof(f"{stream} is not taken any more")

    def written(self, step: Step) -> tuple[int, ...]:
        """The addresses that the first write port of each of `memories` has half a product after
        a beginning."""
        for _ in range(self.beats.latency // 2):
            step = next(each for each in self.steps(step.after) if not each.begin)
        addresses = zip(self.memories, step.addresses[1::2], strict=True)
        return tuple(value & each.cell.number("SIZE") - 1 for each, value in addresses)

    def places(
        self, place: int, steps: Sequence[tuple[tuple[int, ...], Step]]
    ) -> tuple[Signal, Signal]:
        """What the read and write ports of a memory have in all of these cycles, counted from an
        address that goes with each of them."""
        each = self.memories[place]
        bits, size = each.cell.number("ABITS"), each.cell.number("SIZE")
        pins = []
        for way, name in enumerate(("RD_ADDR", "WR_ADDR")):
            parts = []
            for low in range(0, each.width(name), bits):
                places = {
                    (step.addresses[2 * place + way] >> low) - first[place] & size - 1
                    for first, step in steps
                }
                alike = [signals.constant(bits, value) for value in places]
                parts.append(functools.reduce(signals.common, alike))
            pins.append(signals.joined(parts))
        return pins[0], pins[1]

    def carried(self, steps: Sequence[Step]) -> dict[int, Signal]:
        """What the outputs `shown` carry in all of these cycles; bits that differ are not known."""
        carried: dict[int, Signal] = {}
        columns = zip(*(step.values for step in steps), strict=True)
        for output, values in zip(self.shown, columns, strict=True):
            width, first = self.circuit.widths[output], values[0]
            differ = functools.reduce(int.__or__, {value ^ first for value in values})
            carried[output] = signals.common(
                signals.constant(width, first), signals.constant(width, first ^ differ)
            )
        return carried
