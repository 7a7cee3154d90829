"""Reservations of units in time: which operation has which unit when, on a line or round the table
of a loop's pass.

A set of cycles is a number whose bit t stands for cycle t."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from math import lcm

from modmul.processors.engine.machine import Machine


class ReservationTable:
    """Reservations of read ports, adders, write ports of banks, slots and cycles of issue.  period:
    of a loop, whose passes begin this many cycles apart; None: everything happens once."""

    def __init__(self, machine: Machine, period: int | None = None):
        self.machine, self.period = machine, period
        self.round = lcm(period, machine.turn) if period else 0
        self.issue = 0
        self.reads = [0] * machine.ports
        self.adders = [0] * machine.ports
        self.banks = [0] * machine.banks
        self.slots: dict[tuple[int, int], int] = defaultdict(int)  # by multiplier and slot
        # Of products round a loop, by cycle and length: many are tried in the same ones.
        self.turns: dict[tuple[int, int], Sequence[tuple[int, int]] | None] = {}

    def again(self) -> ReservationTable:
        """A table with the same reservations, to which others can be added."""
        table = copy(self)
        table.reads, table.adders, table.banks = [*self.reads], [*self.adders], [*self.banks]
        table.slots = self.slots.copy()
        return table

    def _mask(self, begin: int, length: int) -> int:
        mask, size = (1 << length) - 1, self.period
        if not size:
            return mask << begin
        mask <<= begin % size
        return mask & (1 << size) - 1 | mask >> size

    def _slots(self, cycle: int, op: str) -> Sequence[tuple[int, int]] | None:
        """The cycles that a product takes of each slot; in a loop, over all passes until the
        slots come round.  None if a pass collides with a later one: nothing is free for it."""
        length = self.machine.duration(op)
        if not self.round:
            return [(self.machine.slot(cycle), (1 << length) - 1 << cycle)]
        key = cycle % self.round, length
        if key not in self.turns:
            self.turns[key] = self._turns(*key)
        return self.turns[key]

    def _turns(self, cycle: int, length: int) -> Sequence[tuple[int, int]] | None:
        size, taken = self.round, defaultdict[int, int](int)
        for time in range(cycle, cycle + size, self.period or 1):
            mask = (1 << length) - 1 << time % size
            mask = mask & (1 << size) - 1 | mask >> size
            slot = self.machine.slot(time)
            if taken[slot] & mask:
                return None
            taken[slot] |= mask
        return [*taken.items()]

    def unit(self, op: str, cycle: int) -> int | None:
        """The first multiplier (or the adder) that can take a word issued in this cycle;
        None if none can, or if no word may be issued then."""
        port = self.machine.port(cycle)
        if port is None:
            return None
        for unit in self._multipliers(port):
            if self.free(op, cycle, unit):
                return unit
        return None

    def later(self, op: str, cycle: int) -> int:
        """A later cycle in which a word may be issued that cannot be issued in this one.  No
        cycle between them is possible."""
        machine, time = self.machine, cycle + 1
        if machine.slots == machine.ports == 1 and op in ("MUL", "SQR"):
            time = cycle + max(1, min(self._busy(op, cycle, unit) for unit in self._multipliers(0)))
        phase = (time + machine.memory) % machine.align
        return time if phase < machine.ports else time + machine.align - phase

    def _busy(self, op: str, cycle: int, unit: int) -> int:
        """The cycles until a multiplier with one slot is free from what a product issued now
        would collide with."""
        taken, place = self.slots[unit, 0], cycle
        if self.round:
            place = cycle % self.round
            taken |= taken << self.round
        return (taken >> place & (1 << self.machine.duration(op)) - 1).bit_length()

    def _multipliers(self, port: int) -> range:
        return range(port, self.machine.multipliers, self.machine.ports)

    def free(self, op: str, cycle: int, unit: int) -> bool:
        """Whether everything that a word needs is free, with this multiplier."""
        machine, period = self.machine, self.period
        port = machine.port(cycle)
        if port is None or self.issue >> (cycle % period if period else cycle) & 1:
            return False
        span = self._mask(cycle, machine.beats)
        if self.reads[port] & span:
            return False
        if op != "TEST":
            out = self._mask(cycle + machine.first(op, port), machine.beats)
            if self.banks[machine.write_port(op, port)] & out:
                return False
        if op not in ("MUL", "SQR"):
            return not self.adders[port] & span
        if period and machine.duration(op) > self.round:
            return False
        taken = self._slots(cycle, op)
        return taken is not None and not any(self.slots[unit, slot] & mask for slot, mask in taken)

    def apart(self, some: tuple[str, int], other: tuple[str, int]) -> bool:
        """Whether two products, each given by instruction and cycle, fit into one multiplier."""
        first, two = (self._slots(cycle, op) for op, cycle in (some, other))
        if first is None or two is None:
            return False
        taken = dict(two)
        return not any(mask & taken.get(slot, 0) for slot, mask in first)

    def take(self, op: str, cycle: int, unit: int) -> None:
        """Reserve everything that a word needs.  unit: the one that `unit` returned."""
        machine, period = self.machine, self.period
        port = machine.port(cycle)
        assert port is not None
        span = self._mask(cycle, machine.beats)
        self.issue |= 1 << (cycle % period if period else cycle)
        self.reads[port] |= span
        if op != "TEST":
            out = self._mask(cycle + machine.first(op, port), machine.beats)
            self.banks[machine.write_port(op, port)] |= out
        if op in ("MUL", "SQR"):
            for slot, mask in self._slots(cycle, op) or ():
                self.slots[unit, slot] |= mask
        else:
            self.adders[port] |= span

    def hold(self, cycle: int) -> bool:
        """Reserve a cycle of issue for the sequencer.  Return whether it was free."""
        mask = self._mask(cycle, 1)
        free = not self.issue & mask
        self.issue |= mask
        return free
