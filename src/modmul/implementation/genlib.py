"""Writes the gates of a library in ABC's genlib format, with one delay for each input of a gate.

The delay is the library's constant or, from a table, the value at one typical slope and load.
"""

from __future__ import annotations

from collections.abc import Iterator

from modmul.targets.libraries.functions import truth_table
from modmul.targets.libraries.library import LibraryArc, LibraryCell
from modmul.targets.libraries.roles import Roles

_FANOUT = 4  # the typical load, as a number of inverter inputs
_PHASE = {"positive_unate": "NONINV", "negative_unate": "INV"}


def genlib(roles: Roles) -> str:
    slope, load = typical(roles)
    lines = ["GATE _const0_ 0 Y=CONST0;", "GATE _const1_ 0 Y=CONST1;"]
    for cell in roles.gates:
        if (function := _function(cell)) is not None:
            (output,) = cell.outputs()
            lines.append(f"GATE {cell.name} {cell.area:g} {output.name}={function};")
            for pin in cell.inputs():
                lines.append(_pin(cell, pin, slope, load))
    return "\n".join(lines) + "\n"


def typical(roles: Roles) -> tuple[float, float]:
    """A typical slope and load: those at the output of an inverter that drives four
    inverters."""
    inverter = next(cell for cell in roles.gates if _table(cell) == 0b01)
    load = _FANOUT * max(inverter.pins[inverter.inputs()[0]].load)
    slope = 0.0
    for _ in range(4):  # it settles
        slope = max(_values(inverter.outputs()[0].arcs, slope, load, slopes=True), default=0.0)
    return slope, load


def _table(cell: LibraryCell) -> int:
    return truth_table(str(cell.outputs()[0].function), cell.inputs())


def _function(cell: LibraryCell) -> str | None:
    """The function as a sum of products; None for a constant function."""
    inputs, table = cell.inputs(), _table(cell)
    products = [
        "*".join(name if k >> j & 1 else f"!{name}" for j, name in enumerate(inputs))
        for k in range(1 << len(inputs))
        if table >> k & 1
    ]
    return "+".join(products) if 0 < len(products) < 1 << len(inputs) else None


def _pin(cell: LibraryCell, name: str, slope: float, load: float) -> str:
    arcs = [arc for arc in cell.outputs()[0].arcs if arc.related == name]
    delay = max(_values(arcs, slope, load), default=0.0)
    senses = {_PHASE.get(arc.sense, "UNKNOWN") for arc in arcs}
    phase = senses.pop() if len(senses) == 1 else "UNKNOWN"
    return f"  PIN {name} {phase} 1 999 {delay:.6g} 0 {delay:.6g} 0"


def _values(
    arcs: tuple[LibraryArc, ...] | list[LibraryArc], slope: float, load: float, slopes: bool = False
) -> Iterator[float]:
    """The delays (or slopes) of arcs, for both edges."""
    for arc in arcs:
        for table in (arc.rise_slope, arc.fall_slope) if slopes else (arc.rise, arc.fall):
            if table is not None:
                yield table.at(slope, load)
