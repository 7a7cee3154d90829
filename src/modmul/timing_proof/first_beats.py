"""Payload on one wire that is public in the first beats of a packet and secret in the others.

Taint alone knows no time: a wire that is ever secret is always secret.  So cycles are told apart by
the *place* in the packet: the number of beats that have gone over (`valid` and `ready`) since the
last reset or beat with `last`.  In the hardware some registers follow it, too: those that depend on
the handshake of this stream alone.  Which values they can have at which place is found by going
through all of them, from a reset on.  What they have in common in all later places (the counter of
first beats is zero, say) can be assumed while the payload is secret, and shuts the ways that are
open in the first beats only."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from modmul.timing_proof.constants import Value, implied, readers, value
from modmul.timing_proof.graph import Known
from modmul.timing_proof.netlist import Bit, FlatNetlist
from modmul.timing_proof.propagation import COMBINATIONAL, CycleCase, reached
from modmul.timing_proof.rules import edges

_MOST_STATES = 5000  # with more states, nothing is assumed about the registers
_HANDSHAKE = ("valid", "ready", "first", "last")
_ENABLE = "clk_en"
State = tuple[Value, ...]


@dataclass(frozen=True)
class PublicBeats:
    """The first `count` beats of every packet of `stream` have a public payload, `data`."""

    stream: str
    data: str
    count: int


def cases(netlist: FlatNetlist, secrets: Sequence[Bit], public: PublicBeats) -> list[CycleCase]:
    """Cases that cover all cycles.  secrets: the payload bits of all streams.

    The bits of `public.data` are secret after the first beats, and while nothing is valid (then
    anything may lie on the wires).  They are public while a first beat is offered."""
    data = set(netlist.ports[public.data][1])
    others = [bit for bit in secrets if bit not in data]
    (valid,) = netlist.ports[f"{public.stream}_valid"][1]
    later = _common(_Follower(netlist, public).later())
    cells = readers(netlist.cells)
    return [
        CycleCase(others),
        CycleCase(secrets, implied({valid: 0}, cells)),
        CycleCase(secrets, implied(later, cells)),
    ]


class _Follower:
    """The registers that depend on the handshake of one stream alone, with all their states."""

    def __init__(self, netlist: FlatNetlist, public: PublicBeats):
        self.public = public
        ports = netlist.ports
        self.signals = {
            name: ports[f"{public.stream}_{name}"][1][0]
            for name in _HANDSHAKE
            if f"{public.stream}_{name}" in ports
        }
        self.enables = ports[_ENABLE][1] if _ENABLE in ports else ()
        (self.reset,), (clock,) = ports["rst"][1], ports["clk"][1]
        seen = {*self.signals.values(), *self.enables, self.reset, clock}
        foreign = [
            bit
            for direction, bits in ports.values()
            if direction == "input"
            for bit in bits
            if bit not in seen
        ]
        foreign += [
            bit
            for cell in netlist.cells
            if cell.type not in (*COMBINATIONAL, "$dff")
            for bit in cell.bits("output")
        ]
        # `ready` counts as an input here: what it depends on does not matter.
        dependent = reached(netlist, [CycleCase(foreign, {self.signals["ready"]: 0})], edges)
        self.next = {
            out: data
            for cell in netlist.cells
            if cell.type == "$dff"
            for out, data in zip(cell.pins["Q"], cell.pins["D"], strict=True)
            if out not in dependent
        }
        self.cells = readers(
            cell
            for cell in netlist.cells
            if cell.type in COMBINATIONAL and any(b not in dependent for b in cell.bits("output"))
        )

    def later(self) -> list[dict[Bit, Value]]:
        """The values of the registers in every state that can occur after the first beats of
        a packet.  If there are too many states, return one in which nothing is known."""
        blank = tuple(None for _ in self.next)
        start = (0, self._after(blank, {self.reset: 1}))
        seen, due = {start}, [start]
        while due:
            for state in self._successors(*due.pop()):
                if state not in seen:
                    seen.add(state)
                    due.append(state)
            if len(seen) > _MOST_STATES:
                return [dict.fromkeys(self.next)]
        return [
            dict(zip(self.next, state, strict=True))
            for place, state in seen
            if place == self.public.count
        ]

    def _successors(self, place: int, state: State) -> Iterator[tuple[int, State]]:
        """All states that can follow in the next cycle, whatever the handshake does."""
        for values in itertools.product((0, 1), repeat=len(self.signals)):
            now = dict(zip(self.signals, values, strict=True))
            bits: dict[Bit, int] = {self.signals[name]: now[name] for name in now}
            bits |= dict.fromkeys(self.enables, 1)  # without it the state stays
            after = self._after(state, {self.reset: 0} | bits)
            if not (now["valid"] and now["ready"]):
                yield place, after
            else:
                yield 0 if now["last"] else min(place + 1, self.public.count), after

    def _after(self, state: State, inputs: Known) -> State:
        """The state of the registers in the next cycle."""
        held = {
            bit: level for bit, level in zip(self.next, state, strict=True) if level is not None
        }
        known = implied({**held, **inputs}, self.cells)
        return tuple(value(data, known) for data in self.next.values())


def _common(states: list[dict[Bit, Value]]) -> dict[Bit, int]:
    """The bits that have the same known value in all the states."""
    values = {}
    for bit, first in (states[0] if states else {}).items():
        if first is not None and all(state[bit] == first for state in states):
            values[bit] = first
    return values
