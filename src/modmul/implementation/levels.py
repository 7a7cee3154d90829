"""Counts LUTs in series and estimates a delay, from the mapped netlist alone: nothing is routed.

Both are over all paths from a register or an input to a register or an output.  LUT levels are LUTs
in series; a carry chain together with the LUTs that feed its selects counts as one, wide
multiplexers are counted apart.  The estimate adds up the delays of the cells (`targets/arcs.py`)
and one assumed delay for every net outside a slice, however long it is and however many cells it
feeds.  It ranks designs; it is not a clock frequency.  Inputs arrive, and outputs are wanted, at
the clock's edge; reset and enable pins end paths like data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from modmul.errors import ToolFailed
from modmul.implementation import order
from modmul.implementation.critical_path import signal_names
from modmul.implementation.lookup import Floats, Ints
from modmul.implementation.result import Estimate, PathLevels
from modmul.targets.arcs import Arc, CellArcs, FamilyArcs, Kind

Flags = NDArray[np.bool_]

_SOURCE, _SINK, _NETS = 0, 1, 2  # nodes: the begin and the end of all paths; nets are from 2 up
_KINDS = {kind: k for k, kind in enumerate(get_args(Kind))}
_NONE = len(_KINDS)
_ANY = -1  # the mask of all kinds
_SHOWN = 8  # the most signals of a loop in a message
# Weights that put LUTs, carry bits and multiplexers of a path into one number, which a float
# represents exactly for less than 2^19 LUTs in series.
_LUT, _BIT = 2.0**34, 2.0**10


class _Arc(NamedTuple):
    """An arc as numbers.  near: a mask of the kinds of cells that can feed it without a net."""

    ns: float
    kind: int
    bits: int
    near: int
    verified: bool


_PORT = _Arc(0.0, _NONE, 0, _ANY, True)


class Paths:
    """All paths through a flat module of mapped cells (Yosys JSON), found in time linear in its
    size.  Raises ValueError for a cell that the family does not know, ToolFailed for a loop without
    register."""

    def __init__(self, module: Mapping[str, Any], family: FamilyArcs):
        self.module, self.family = module, family
        self.cells = [
            (name, cell) for name, cell in module["cells"].items() if cell["type"] != "$scopeinfo"
        ]
        self.ports = [
            (name if len(port["bits"]) == 1 else f"{name}[{k}]", bit, port["direction"])
            for name, port in module["ports"].items()
            for k, bit in enumerate(port["bits"])
            if isinstance(bit, int)
        ]
        self.arcs = [_PORT]
        self.drivers: dict[int, int] = {}  # for each net, the kind of the cell that drives it
        edges = np.array([*self._port_edges(), *self._cell_edges()], np.int64).reshape(-1, 4)
        self.source, self.target, self.arc, self.cell = edges.T
        self.size = int(edges[:, :2].max(initial=_SINK)) + 1
        self.ns, kind, self.bits, near, verified = np.array(self.arcs, np.float64)[self.arc].T
        self.verified = verified > 0
        self.net = self._nets(near.astype(np.int64))
        self.carries, self.muxes = kind == _KINDS["carry"], kind == _KINDS["mux"]
        self.luts = (kind == _KINDS["lut"]) | self.carries & self.net
        try:
            self.order = list(order.groups(self.source, self.target, self.size))
        except order.CombinationalLoop as loop:
            raise ToolFailed(f"{loop}: {self._signals(loop.nodes)}") from None

    def deepest(self) -> PathLevels | None:
        """The path with the most LUT levels and, of these, the most bits of carry chains;
        None if there is no path."""
        edges = self._longest(self.luts * _LUT + self.bits * _BIT + self.muxes)
        return self._levels(edges) if edges else None

    def slowest(self) -> Estimate | None:
        """The path of the largest delay; None if there is no path, or the family has no
        delays."""
        delays = self.family.delays
        if delays is None:
            return None
        edges = self._longest(self.ns + delays.net_ns * self.net)
        if not edges:
            return None
        cells, nets = float(self.ns[edges].sum()), int(self.net[edges].sum())
        used = (int(self.cell[edge]) for edge in edges)
        types = Counter(self.cells[k][1]["type"] for k in dict.fromkeys(used) if k >= 0)
        return Estimate(
            delay_ns=round(cells + nets * delays.net_ns, 3),
            cells_ns=round(cells, 3),
            nets=nets,
            net_delay_ns=delays.net_ns,
            net_source=delays.net_source,
            speed_grade=delays.speed,
            source=delays.source,
            verified=bool(self.verified[edges].all()),
            path=self._levels(edges),
            cells=dict(sorted(types.items())),
        )

    # ---- the graph: edges are (source, target, arc, cell); cells below 0 are ports ---------------

    def _port_edges(self) -> Iterator[tuple[int, int, int, int]]:
        for k, (_, bit, direction) in enumerate(self.ports):
            if direction == "output":
                yield bit + _NETS, _SINK, 0, -1 - k
            else:
                yield _SOURCE, bit + _NETS, 0, -1 - k

    def _cell_edges(self) -> Iterator[tuple[int, int, int, int]]:
        expanded: dict[int, list[tuple[str | None, int, str | None, int, int]]] = {}
        known: dict[str, CellArcs] = {}
        for k, (_, cell) in enumerate(self.cells):
            key = cell["type"]
            if not isinstance(self.family.cells.get(key), CellArcs):
                key += str(cell.get("parameters"))
            if key not in known:
                known[key] = self.family.of(cell)
            arcs, pins = known[key], cell["connections"]
            if id(arcs) not in expanded:
                expanded[id(arcs)] = list(self._expanded(arcs, pins))
            kind = _KINDS[arcs.kind]
            for start, at, end, to, number in expanded[id(arcs)]:
                first = _SOURCE - _NETS if start is None else _bit(pins, start, at)
                last = _SINK - _NETS if end is None else _bit(pins, end, to)
                if first is not None and last is not None:
                    if end is not None:
                        self.drivers[last + _NETS] = kind
                    yield first + _NETS, last + _NETS, number, k

    def _expanded(
        self, arcs: CellArcs, pins: Mapping[str, list[Any]]
    ) -> Iterator[tuple[str | None, int, str | None, int, int]]:
        """The arcs between single bits, each with the number of its arc."""
        for arc in arcs.arcs:
            starts, ends = _pins(arc.start, pins), _pins(arc.end, pins)
            self.arcs.append(_as_numbers(arc, arcs))
            for start, at in starts:
                yield from ((start, at, end, to, len(self.arcs) - 1) for end, to in ends)

    def _nets(self, near: Ints) -> Flags:
        """Return, for each edge, whether it begins with a net outside a slice."""
        kinds = np.full(self.size, _NONE, np.int64)  # of ports and of what nothing drives
        kinds[list(self.drivers)] = list(self.drivers.values())
        outside: Flags = (near >> kinds[self.source]) & 1 == 0
        return outside

    def _longest(self, weight: Floats) -> list[int]:
        """The edges of the heaviest path, in order; empty if there is no path."""
        heaviest, best = np.full(self.size, -np.inf), np.full(self.size, -1, np.int64)
        heaviest[_SOURCE] = 0.0
        for group in self.order:
            target = self.target[group]
            total = heaviest[self.source[group]] + weight[group]
            np.maximum.at(heaviest, target, total)
            winning = (total == heaviest[target]) & np.isfinite(total)
            best[target[winning]] = group[winning]
        longest: list[int] = []
        node = _SINK
        while node != _SOURCE and best[node] >= 0:
            longest.append(int(best[node]))
            node = int(self.source[best[node]])
        return longest[::-1]

    # ---- the description of a path ---------------------------------------------------------------

    def _levels(self, edges: list[int]) -> PathLevels:
        carry = self.carries[edges]
        entered = carry & (self.net[edges] | ~np.concatenate(([False], carry[:-1])))
        names = signal_names(self.module, own=lambda name: name)
        return PathLevels(
            start=self._end(edges[0], names),
            end=self._end(edges[-1], names),
            lut_levels=int(self.luts[edges].sum()),
            carry_chains=int(entered.sum()),
            carry_bits=int(self.bits[edges].sum()),
            wide_muxes=int(self.muxes[edges].sum()),
        )

    def _end(self, edge: int, names: Mapping[int, str]) -> str:
        """The name of an end of a path: a port, a register, or a signal that the register
        drives."""
        k = int(self.cell[edge])
        if k < 0:
            return self.ports[-1 - k][0]
        name, cell = self.cells[k]
        if not cell.get("hide_name"):
            return str(name)
        for pin, bits in cell["connections"].items():
            if cell["port_directions"].get(pin) == "output":
                for bit in bits:
                    if bit in names:
                        return names[bit]
        return str(name)

    def _signals(self, nodes: list[int]) -> str:
        """The signals of a loop, at most `_SHOWN` of them."""
        names = signal_names(self.module, own=lambda name: name)
        nets = [node - _NETS for node in nodes]
        shown = [names.get(net, f"net {net}") for net in nets[:_SHOWN]]
        return " -> ".join([*shown, "..." if len(nets) > _SHOWN else shown[0]])


def _bit(pins: Mapping[str, list[Any]], pin: str, at: int) -> int | None:
    """The net at one bit of a pin; None for a constant and for an open pin."""
    bits = pins.get(pin, ())
    net = bits[at] if at < len(bits) else None
    return net if isinstance(net, int) else None


def _pins(name: str | None, pins: Mapping[str, list[Any]]) -> list[tuple[str | None, int]]:
    """A pin of an arc as single bits."""
    if name is None:
        return [(None, 0)]
    port, _, index = name.partition("[")
    if index:
        return [(port, int(index.rstrip("]")))]
    return [(port, k) for k in range(len(pins.get(port, ())))]


def _as_numbers(arc: Arc, cell: CellArcs) -> _Arc:
    through = arc.start is not None and arc.end is not None
    near = _ANY
    if arc.start is not None:
        kinds = cell.near.get(arc.start.partition("[")[0], ())
        near = sum(1 << _KINDS[kind] for kind in kinds)
    kind = _KINDS[cell.kind] if through else _NONE
    return _Arc(arc.ns, kind, arc.bits, near, arc.verified)
