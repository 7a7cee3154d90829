"""Static timing of a netlist of library cells: the longest path from register to register.

Delays are those of the Liberty tables at the slope that arrives and the load of the pins driven,
for rising and falling edges apart; where several slopes meet in a net, the largest one is used.
Tables are linear between their entries and beyond the outermost.  The clock is ideal: no skew,
slope 0.  There are no wires.  A path begins at a flip-flop's clock pin and ends with the setup time
of another; paths from inputs and to outputs of the core are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from modmul.errors import ToolFailed
from modmul.implementation import order
from modmul.implementation.critical_path import signal_names
from modmul.implementation.lookup import Floats, Ints, Tables
from modmul.implementation.result import CellPath, CellStage
from modmul.targets.libraries.library import Library, LibraryArc, LibraryCell, LookupTable

_DIGITS = 4

# Descriptions of the two delay models, for people.
CONSTANT = "one constant for each path through a cell; no loads, no slopes, no wires"
TABLES = "Liberty tables at the loads of the pins driven and the slopes that arrive; no wires"


class _Edges(NamedTuple):
    """All transitions through cells: from node to node, with the tables of delay and slope.

    A node is a transition of a net: 2 * net for rising, 2 * net + 1 for falling."""

    source: Ints
    target: Ints
    delay: Ints
    slope: Ints
    cell: Ints


class Timing:
    """Arrival times and slopes of all nets of a flat module (Yosys JSON)."""

    def __init__(self, module: Mapping[str, Any], library: Library):
        self.module, self.library, self.tables = module, library, Tables()
        self.cells = [
            (name, cell) for name, cell in module["cells"].items() if cell["type"] != "$scopeinfo"
        ]
        self.nets = _Numbers()
        for _, cell in self.cells:
            if cell["type"] not in library.cells:
                raise ToolFailed(f"synthesis left a cell {cell['type']}, not of {library.name}")
            for bits in cell["connections"].values():
                self.nets.add(bits[0])
        self.load = self._loads()
        self.edges = self._edges()
        self.starts = self._starts()
        self.tables.pack()
        size = 2 * len(self.nets.of)
        self.arrival, self.slope = np.full(size, -np.inf), np.zeros(size)
        self.best = np.full(size, -1, np.int64)  # the edge of the latest arrival at each node
        self._propagate()

    def critical_path(self) -> CellPath | None:
        """The longest path from register to register; None if there is none."""
        ends = [end for end in self._ends() if np.isfinite(end[0])]
        if not ends:
            return None
        value, last, setup, cell = max(ends)
        nodes = [last]
        while self.best[nodes[-1]] >= 0:
            nodes.append(int(self.edges.source[self.best[nodes[-1]]]))
        nodes.reverse()
        names = signal_names(self.module, own=lambda name: name)
        bits = {number: bit for bit, number in self.nets.of.items()}
        starts = {int(start): cell for start, _, _, cell in self.starts}
        stages, before = [], 0.0
        for k, node in enumerate(nodes):
            by = starts[node] if k == 0 else int(self.edges.cell[self.best[node]])
            time = float(self.arrival[node])
            kind, signal = self.cells[by][1]["type"], names.get(bits[node // 2])
            stages.append(CellStage(kind, signal, round(time - before, _DIGITS)))
            before = time
        return CellPath(
            value=round(value, _DIGITS),
            unit=self.library.time_unit,
            start=stages[0].signal or self.cells[starts[nodes[0]]][0],
            end=self._register(cell, names),
            setup=round(setup, _DIGITS),
            stages=tuple(stages),
        )

    def _register(self, cell: int, names: Mapping[int, str]) -> str:
        """The signal that a flip-flop drives, or the name of the flip-flop."""
        name, cell_json = self.cells[cell]
        for pin in self.library.cells[cell_json["type"]].outputs():
            for bit in cell_json["connections"].get(pin.name, ()):
                if bit in names:
                    return names[bit]
        return str(name)

    def _loads(self) -> Floats:
        load = np.zeros(2 * len(self.nets.of))
        for _, cell in self.cells:
            for name, pin in self.library.cells[cell["type"]].pins.items():
                bits = cell["connections"].get(name)
                if pin.direction != "output" and bits and bits[0] in self.nets.of:
                    at = 2 * self.nets.of[bits[0]]
                    load[at] += pin.load[0]
                    load[at + 1] += pin.load[1]
        return load

    def _edges(self) -> _Edges:
        edges: list[tuple[int, int, int, int, int]] = []
        through = {
            kind: list(_through(self.library.cells[kind], self.tables))
            for kind in {cell["type"] for _, cell in self.cells}
        }
        of = self.nets.of
        for k, (_, cell) in enumerate(self.cells):
            nets = {pin: of.get(bits[0]) for pin, bits in cell["connections"].items() if bits}
            for pin_in, edge_in, pin_out, edge_out, delay, slope in through[cell["type"]]:
                source, target = nets.get(pin_in), nets.get(pin_out)
                if source is not None and target is not None:
                    edges.append((2 * source + edge_in, 2 * target + edge_out, delay, slope, k))
        return _Edges(*np.array(edges, np.int64).reshape(-1, 5).T)

    def _starts(self) -> list[tuple[int, int, int, int]]:
        """Node, table of delay, table of slope and cell for every transition at a
        flip-flop's output."""
        starts = []
        for k, (_, cell) in enumerate(self.cells):
            for pin in self.library.cells[cell["type"]].outputs():
                bits = cell["connections"].get(pin.name)
                for arc in pin.arcs if bits and bits[0] in self.nets.of else ():
                    if arc.kind == "rising_edge":
                        for edge, delay, slope in _drawn(arc, self.tables):
                            starts.append((2 * self.nets.of[bits[0]] + edge, delay, slope, k))
        return starts

    def _ends(self) -> Iterator[tuple[float, int, float, int]]:
        """Arrival with setup, node, setup and cell for every transition at a flip-flop's
        input."""
        for k, (_, cell) in enumerate(self.cells):
            for pin in self.library.cells[cell["type"]].pins.values():
                for arc in pin.arcs:
                    net = self.nets.of.get(cell["connections"].get(pin.name, ["x"])[0])
                    if arc.kind != "setup_rising" or net is None:
                        continue
                    for edge, table in enumerate((arc.rise, arc.fall)):
                        node = 2 * net + edge
                        if table is not None:
                            setup = table.at(float(self.slope[node]), 0.0)
                            yield float(self.arrival[node]) + setup, node, setup, k

    def _propagate(self) -> None:
        starts = np.array(self.starts, np.int64).reshape(-1, 4).T
        zero = np.zeros(starts.shape[1])
        load = self.load[starts[0]]
        np.maximum.at(self.arrival, starts[0], self.tables.at(starts[1], zero, load))
        np.maximum.at(self.slope, starts[0], self.tables.at(starts[2], zero, load))
        edges = self.edges
        for group in order.groups(edges.source, edges.target, len(self.load)):
            source, target = edges.source[group], edges.target[group]
            slope, load = self.slope[source], self.load[target]
            time = self.arrival[source] + self.tables.at(edges.delay[group], slope, load)
            np.maximum.at(self.arrival, target, time)
            np.maximum.at(self.slope, target, self.tables.at(edges.slope[group], slope, load))
            latest = (time == self.arrival[target]) & np.isfinite(time)
            self.best[target[latest]] = group[latest]


class _Numbers:
    """Numbers nets in the order in which they are added; constants get no number."""

    def __init__(self) -> None:
        self.of: dict[int, int] = {}

    def add(self, bit: int | str) -> None:
        if isinstance(bit, int):
            self.of.setdefault(bit, len(self.of))


def _through(cell: LibraryCell, tables: Tables) -> Iterator[tuple[str, int, str, int, int, int]]:
    """Input pin and edge, output pin and edge, and tables, for all transitions through a
    cell."""
    for pin in cell.outputs():
        for arc in pin.arcs:
            if not arc.kind.startswith("combinational"):
                continue
            for edge, delay, slope in _drawn(arc, tables):
                before = {"positive_unate": (edge,), "negative_unate": (1 - edge,)}
                for edge_in in before.get(arc.sense, (0, 1)):
                    yield arc.related, edge_in, pin.name, edge, delay, slope


def _drawn(arc: LibraryArc, tables: Tables) -> Iterator[tuple[int, int, int]]:
    """The edge of the output and the tables of its delay and slope."""
    both = ((arc.rise, arc.rise_slope), (arc.fall, arc.fall_slope))
    for edge, (delay, slope) in enumerate(both):
        if delay is not None:
            yield edge, tables.add(delay), tables.add(slope or _FLAT)


_FLAT = LookupTable((0.0,), (0.0,), ((0.0,),))
