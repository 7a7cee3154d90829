"""Time in a pipeline whose slots follow each other every theta cycles.

All times are cycles after word 0 of a slot was on the input pins; word j is j cycles later
everywhere.  A control signal for time t is therefore the slot counter seen t cycles later.
"""

from __future__ import annotations

from typing import Protocol

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value


class Timeline:
    """The phases of the slot rotation, as a one-hot ring."""

    def __init__(self, m: Module, theta: int):
        self.m, self.theta = m, theta
        self.phase = Signal(theta, init=1, name="phase")
        m.d.sync += self.phase.eq(Cat(self.phase[-1], self.phase[:-1]))

    def start(self, time: int) -> Value:
        return self.phase[time % self.theta]

    def in_words(self, value: Value, words: int, time: int) -> Value:
        """`value`, but low in the phases of a slot, seen at `time`, that have no word."""
        if self.theta == words:
            return value
        if self.theta == words + 1:
            return value & ~self.word(words, time)
        return value & Cat(self.word(k, time) for k in range(words)).any()

    def word(self, index: int, time: int) -> Value:
        """A flag that is high when word `index` of some slot is at `time`."""
        return self.start(time + index)


class SlotSource(Protocol):
    """Anything with one value for each slot, such as a SlotValue or a block of the quotient."""

    def at(self, time: int) -> Value: ...

    def during(self, time: int) -> Value: ...


class SlotValue:
    """A value that exists once for each slot, and registers that hold it for later.

    It is valid only in the cycle `time`, or, if `held`, for theta cycles from `time` on."""

    def __init__(self, timeline: Timeline, value: Value, time: int, name: str, held: bool = False):
        self.timeline, self.value, self.time = timeline, value, time
        self.name, self.held = name, held
        self.registers: list[tuple[Value, int]] = []  # value, first cycle of its theta cycles

    def _register(self, loaded: int) -> Value:
        """A register loaded in cycle `loaded` (valid for the theta cycles behind it)."""
        for value, first in self.registers:
            if first == loaded + 1:
                return value
        source = self.at(loaded)
        number = len(self.registers)
        name = f"{self.name}_held{number * '_later'}"
        held = Signal(len(source), name=name, reset_less=True)
        with self.timeline.m.If(self.timeline.start(loaded)):
            self.timeline.m.d.sync += held.eq(source)
        self.registers.append((held, loaded + 1))
        return held

    def at(self, time: int) -> Value:
        """The value in the one cycle `time`, from as few registers as possible."""
        theta, last = self.timeline.theta, self.time
        if time < last:
            raise ValueError(f"{self.name} would be needed {last - time} cycles too early")
        if time == last or (self.held and time < last + theta):
            return self.value
        for value, first in self.registers:
            if first <= time < first + theta:
                return value
        ends = [last + theta - 1 if self.held else last]
        ends += [first + theta - 1 for _, first in self.registers]
        newest = max(end for end in ends if end < time)
        while newest + theta < time:
            self._register(newest)
            newest += theta
        return self._register(newest)

    def during(self, time: int) -> Value:
        """The value throughout the theta cycles from `time` on."""
        if time == self.time:
            if self.held:
                return self.value
            start = self.timeline.start(time)
            return Mux(start, self.value, self._register(time))
        return self._register(time - 1)

    def piece(self, bits: slice, name: str) -> SlotValue:
        """Some of the bits, with their own registers, whose names begin with `name`."""
        return SlotValue(self.timeline, self.value[bits], self.time, name, self.held)


class SlotFlag:
    """A bit that belongs to a slot, and its copies at later times; `clear` clears them, unless it
    is a constant."""

    def __init__(self, timeline: Timeline, value: Value, time: int, name: str, clear: Value):
        self.timeline, self.name, self.clear = timeline, name, clear
        self.known: dict[int, Value] = {time: value}

    def at(self, time: int) -> Value:
        """The bit, valid throughout the theta cycles from `time` on."""
        if time in self.known:
            return self.known[time]
        m, theta = self.timeline.m, self.timeline.theta
        first = min(self.known)
        if time < first:
            raise ValueError(f"{self.name} would be needed {first - time} cycles too early")
        earlier = max(t for t in self.known if t < time)
        source = self.at(time - theta) if time - earlier > theta else self.known[earlier]
        stage = Signal(name=f"{self.name}_at{time}")
        with m.If(self.timeline.start(time - 1)):
            m.d.sync += stage.eq(source)
        if not isinstance(self.clear, Const):
            with m.If(self.clear):
                m.d.sync += stage.eq(0)
        self.known[time] = stage
        return stage

    def in_cycle(self, time: int) -> Value:
        """The bit in the one cycle `time`, from an existing copy if there is one."""
        theta = self.timeline.theta
        copies = [first for first in self.known if first <= time < first + theta]
        return self.at(copies[0] if copies else time)
