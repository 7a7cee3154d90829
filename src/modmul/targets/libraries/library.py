"""What a cell library has: cells, pins, functions, timing tables.

Times are in nanoseconds, unless the library says that it has a unit of its own (the attribute
`modmul_time_unit`, as `normalised.lib` has); capacitances are in the unit of the file.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class LookupTable:
    """Values by slope (rows) and load (columns); a constant has one value and the axes (0,).

    A constraint has the slope of the constrained pin in rows, that of the clock in columns."""

    slopes: tuple[float, ...]
    loads: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]

    @property
    def constant(self) -> bool:
        return len({value for row in self.values for value in row}) == 1

    def at(self, slope: float, load: float) -> float:
        """The value at a point: linear between entries, and beyond the outermost ones."""
        i, x = _between(self.slopes, slope)
        j, y = _between(self.loads, load)
        low, high = self.values[i], self.values[min(i + 1, len(self.values) - 1)]
        k = min(j + 1, len(low) - 1)
        first = low[j] + (low[k] - low[j]) * y
        return first + (high[j] + (high[k] - high[j]) * y - first) * x


def _between(axis: tuple[float, ...], value: float) -> tuple[int, float]:
    """The entry of an axis below a value, and how far the value is towards the next."""
    if len(axis) == 1:
        return 0, 0.0
    i = min(max(bisect.bisect_right(axis, value) - 1, 0), len(axis) - 2)
    return i, (value - axis[i]) / (axis[i + 1] - axis[i])


@dataclass(frozen=True)
class LibraryArc:
    """A timing arc from the input pin `related` to the pin that the arc belongs to.

    kind: Liberty's timing_type.  sense: its timing_sense.  rise, fall: delay to (or constraint on)
    that edge of the pin.  rise_slope, fall_slope: the slope of that edge; None for constraints."""

    related: str
    kind: str
    sense: str
    rise: LookupTable | None
    fall: LookupTable | None
    rise_slope: LookupTable | None
    fall_slope: LookupTable | None


@dataclass(frozen=True)
class Pin:
    """A pin.  load: capacitance for a rising and for a falling edge.  limit: max_capacitance."""

    name: str
    direction: str
    function: str | None
    load: tuple[float, float]
    limit: float | None
    three_state: bool
    arcs: tuple[LibraryArc, ...]


@dataclass(frozen=True)
class FlipFlop:
    """The ff group of a cell, its functions as texts.  clear, preset: "" if there is none."""

    state: str
    next_state: str
    clocked_on: str
    clear: str
    preset: str


@dataclass(frozen=True)
class LibraryCell:
    """A cell.  sequential: it holds a state of any kind.  usable: synthesis may use it.  source:
    where its size comes from, in libraries that say so."""

    name: str
    area: float
    pins: Mapping[str, Pin] = field(hash=False)
    flip_flop: FlipFlop | None
    sequential: bool
    usable: bool
    source: str | None

    def inputs(self) -> tuple[str, ...]:
        return tuple(pin.name for pin in self.pins.values() if pin.direction == "input")

    def outputs(self) -> tuple[Pin, ...]:
        return tuple(pin for pin in self.pins.values() if pin.direction == "output")


@dataclass(frozen=True)
class Library:
    """A cell library.  name: as in the file.  area_unit, time_unit: of its areas and times."""

    name: str
    area_unit: str
    time_unit: str
    cells: Mapping[str, LibraryCell] = field(hash=False)

    @property
    def constant(self) -> bool:
        """Whether no delay depends on slopes or loads."""
        pins = (pin for cell in self.cells.values() for pin in cell.pins.values())
        return all(
            table is None or table.constant
            for pin in pins
            for arc in pin.arcs
            for table in (arc.rise, arc.fall, arc.rise_slope, arc.fall_slope)
        )
