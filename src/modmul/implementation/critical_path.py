"""Describes the critical path of a routed design in the signal names of the design."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from modmul.errors import ToolFailed
from modmul.implementation import harness


class Stage(msgspec.Struct, frozen=True):
    """A cell on the path, or a chain of carry cells: its delay, and the delay of the wire before
    it.  signal: the signal that it drives, if the design has a name for that."""

    cell: str
    signal: str | None
    wire_ns: float
    cell_ns: float


class CriticalPath(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """The slowest path between two registers, with one seed.  wire_ns: the part of `ns` in
    wires."""

    start: str
    end: str
    seed: int
    ns: float
    wire_ns: float
    stages: tuple[Stage, ...]

    def in_words(self) -> str:
        """The ends, the cells and the share of the wires in words."""
        cells = " ".join(stage.cell for stage in self.stages)
        wires = 100 * self.wire_ns / self.ns
        return f"{self.start} -> {self.end} through {cells}, {wires:.0f} % of it wires"


class Named(NamedTuple):
    """A cell of the netlist: its type, and the designer's name for the signal that it drives."""

    cell: str
    signal: str | None


def read(report: Mapping[str, Any], names: Mapping[str, Named], seed: int) -> CriticalPath:
    """The slowest register-to-register path in nextpnr's report.  Raises ToolFailed if there
    is none."""
    paths = [
        path["path"]
        for path in report["critical_paths"]
        if "<async>" not in path["from"] + path["to"]
    ]
    if not paths:
        raise ToolFailed("nextpnr found no path from register to register")
    steps = max(paths, key=lambda path: sum(step["delay"] for step in path))
    return CriticalPath(
        start=_label(steps[0]["from"], names),
        end=_label(steps[-1]["to"], names),
        seed=seed,
        ns=round(sum(step["delay"] for step in steps), 3),
        wire_ns=round(sum(step["delay"] for step in steps if step["type"] == "routing"), 3),
        stages=tuple(_stages(steps, names)),
    )


def cell_names(netlist: Mapping[str, Any]) -> dict[str, Named]:
    """The type and the signal of every cell of a flat Yosys JSON netlist.

    Signals of the core are named as inside it, those of the harness begin with `harness.`.  A block
    that the designer instantiated has its own name."""
    module = netlist["modules"][harness.TOP]
    signals = signal_names(module)
    names = {}
    for name, cell in module["cells"].items():
        instance = None if cell.get("hide_name") else _own_name(name)
        names[name] = Named(cell["type"], instance or next(_driven(cell, signals), None))
    return names


def signal_names(
    module: Mapping[str, Any], own: Callable[[str], str] | None = None
) -> dict[int, str]:
    """The designer's name of each net of a flat module, by net number, without hidden names.

    own: turns a name of the netlist into the name to show (default: that of a core in a
    harness)."""
    shown = own or _own_name
    signals: dict[int, str] = {}
    for name in sorted(module["netnames"], key=_rank):
        net = module["netnames"][name]
        if not net.get("hide_name"):
            for index, bit in enumerate(net["bits"]):
                signal = shown(name) if len(net["bits"]) == 1 else f"{shown(name)}[{index}]"
                signals.setdefault(bit, signal)
    return signals


def _own_name(name: str) -> str:
    prefix = harness.CORE + "."
    return name[len(prefix) :] if name.startswith(prefix) else f"{harness.TOP}.{name}"


def _rank(name: str) -> tuple[bool, int, str]:
    """A sorting key for names of one signal: names of the core first, outermost first."""
    return not name.startswith(harness.CORE + "."), name.count("."), name


def _driven(cell: Mapping[str, Any], signals: Mapping[int, str]) -> Iterator[str]:
    for port, bits in cell["connections"].items():
        if cell["port_directions"].get(port) == "output":
            yield from (signals[bit] for bit in bits if bit in signals)


def _named(end: Mapping[str, str], names: Mapping[str, Named]) -> Named:
    """The cell at one end of a step; nextpnr splits carry cells in two and adds cells of its
    own."""
    cell = end["cell"].partition("$CCU2_")[0]
    if cell.startswith("$nextpnr_CCU2C"):
        return Named("CCU2C", None)
    return names.get(cell, Named(cell, None))


def _label(end: Mapping[str, str], names: Mapping[str, Named]) -> str:
    cell, signal = _named(end, names)
    return signal or f"{cell}.{end['port']}"


@dataclass
class _Part:
    """A stage that is still growing.  halves: the number of halves of carry cells in it."""

    named: Named
    wire: float
    cell: float
    halves: int = 1


def _stages(steps: Sequence[Mapping[str, Any]], names: Mapping[str, Named]) -> Iterator[Stage]:
    parts: list[_Part] = []
    wire = 0.0
    for step in steps:
        if step["type"] == "routing":
            wire += step["delay"]
            continue
        named = _named(step["from"], names)
        if parts and named.cell == parts[-1].named.cell == "CCU2C" and wire == 0:
            parts[-1] = _Part(
                named, parts[-1].wire, parts[-1].cell + step["delay"], parts[-1].halves + 1
            )
        else:
            parts.append(_Part(named, wire, step["delay"]))
        wire = 0.0
    for part in parts:
        cell, signal = part.named
        chain = f"{-(-part.halves // 2)} x {cell}" if cell == "CCU2C" else cell
        yield Stage(chain, signal, round(part.wire, 3), round(part.cell, 3))
