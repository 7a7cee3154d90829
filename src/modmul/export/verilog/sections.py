"""Divides a module into sections: the items of each, its title, and the notes on its items.

The designer's notes (`export/remarks.py`) name signals, memories and instances of each section.
Other items go to the section of their readers, else of the items that they read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from modmul.export.verilog import memories
from modmul.export.verilog.netlist import Netlist, reads
from modmul.export.verilog.rtlil import Signal

Notes = Mapping[str, Mapping[str, str]]
_WILD = frozenset("*?[")  # characters with a meaning in a pattern


@dataclass
class Section:
    """A section of a module.  items: its items by their keys in `Netlist` or naming, in order.

    notes: by such keys.  ahead: its items that an earlier section reads."""

    title: str
    items: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    ahead: list[str] = field(default_factory=list)


class Reading:
    """The readers and sources of items in a module.  Items are named wires, named nets, memories
    and instances.  names: of everything that has a name in the text.  sources: the items that each
    item reads.  outputs: wires that instances drive, each with its instance."""

    def __init__(self, netlist: Netlist, names: Mapping[str, str]):
        self.netlist, self.names = netlist, names
        self.sources: dict[str, list[str]] = {}
        self.outputs: list[tuple[str, str]] = []
        inputs = {wire.name for wire in netlist.ports if wire.direction == "input"}
        self._logic()
        driven = inputs | {item for item in self.sources if item not in inputs}
        for cell in netlist.instances:
            self.sources[cell.name] = []
            for signal in cell.pins.values():
                self._instance_pin(cell.name, signal, driven)
        order = {name: place for place, name in enumerate(netlist.wires)}
        self.sources = {
            item: [source for source in dict.fromkeys(self.sources[item]) if source not in inputs]
            for item in sorted(self.sources, key=lambda item: order.get(item, len(order)))
        }

    def _logic(self) -> None:
        for left, right in self.netlist.assigned:
            for chunk in left:
                self._add(str(chunk.wire), [right])
        for cell in self.netlist.registers:
            for chunk in cell.pins["Q"]:
                self._add(str(chunk.wire), [cell.pins["D"]])
        for cell in self.netlist.memories:
            self._add(cell.name, cell.pins.values())
        for wire, net in self.netlist.nets.items():
            if wire in self.names:
                self._add(wire, net.cell.pins.values(), net.cell.parameters.get("MEMORY"))

    def _instance_pin(self, cell: str, signal: Signal, driven: set[str]) -> None:
        """Record a pin of an instance; the instance drives the wires that have no other driver."""
        for chunk in signal:
            if chunk.wire is None:
                continue
            if chunk.wire in self.netlist.nets or chunk.wire in driven:
                self._add(cell, [(chunk,)])
            else:
                self._add(chunk.wire, [], cell)
                self.outputs.append((chunk.wire, cell))

    def _add(self, item: str, signals: Iterable[Signal], memory: str | None = None) -> None:
        sources = self.sources.setdefault(item, [])
        sources += [memory] if memory else []
        sources += self._items(signals)

    def _items(self, signals: Iterable[Signal]) -> Iterator[str]:
        """The items that signals read, also through operations that are written inside."""
        todo, seen = [chunk for signal in signals for chunk in signal], set[str]()
        for chunk in todo:
            wire = chunk.wire
            if wire is None or wire in seen:
                continue
            seen.add(wire)
            net = self.netlist.nets.get(wire)
            if net is None or wire in self.names:
                yield wire
                continue
            if net.cell.kind == memories.READ:
                yield net.cell.parameters["MEMORY"]
            todo += [inner for pin in reads(net.cell) for inner in net.cell.pins[pin]]


def sections(netlist: Netlist, names: Mapping[str, str], notes: Notes) -> list[Section]:
    """Divide all items into sections; without notes, there is one section without a title."""
    reading = Reading(netlist, names)
    if not notes:
        return [Section("", list(reading.sources))]
    titled = [Section(title) for title in notes]
    place = _named(reading, titled, notes)
    readers: dict[str, list[str]] = {}
    for item, sources in reading.sources.items():
        for source in sources:
            readers.setdefault(source, []).append(item)
    _spread(place, reading.sources, readers, min)
    _spread(place, reading.sources, reading.sources, max)
    place |= {item: len(titled) - 1 for item in reading.sources if item not in place}
    for item, cell in reading.outputs:
        if item not in titled[place[item]].notes:  # declared with the instance, or before it
            place[item] = min(place[item], place[cell])
    for item in reading.sources:
        section = titled[place[item]]
        if item not in section.notes:
            section.items.append(item)
    read = [(item, source) for item, sources in reading.sources.items() for source in sources]
    for item, source in read + [(cell, wire) for wire, cell in reading.outputs]:
        if place[source] > place[item] and source not in titled[place[source]].ahead:
            titled[place[source]].ahead.append(source)
    for section in titled:
        section.ahead.sort(key=section.items.index)
    return [section for section in titled if section.items]


def _named(reading: Reading, titled: list[Section], notes: Notes) -> dict[str, int]:
    """Put the items that notes name into their sections; a whole name takes precedence over a
    pattern.  Patterns do not mean nets, whose names the text alone has."""
    place: dict[str, int] = {}
    items = list(reading.sources)
    placed: dict[str, tuple[bool, int, int]] = {}
    for section, named in enumerate(notes.values()):
        for order, pattern in enumerate(named):
            several = not _WILD.isdisjoint(pattern)
            for item in items:
                name, made = reading.names.get(item, ""), item in reading.netlist.nets
                if name == pattern or (several and not made and fnmatchcase(name, pattern)):
                    rank = (name != pattern, section, order)
                    placed[item] = min(placed.get(item, rank), rank)

    def key(item: str) -> tuple[int, int, list[int]]:
        _, section, order = placed[item]
        return section, order, [int(n) for n in re.findall(r"\d+", reading.names[item])]

    titles = list(notes)
    for item in sorted(placed, key=key):
        _, section, order = placed[item]
        place[item] = section
        titled[section].items.append(item)
        titled[section].notes[item] = list(notes[titles[section]].values())[order]
    return place


def _spread(
    place: dict[str, int],
    items: Iterable[str],
    neighbours: Mapping[str, list[str]],
    choose: Callable[[list[int]], int],
) -> None:
    """Give sections to items that have none, from their neighbours, step by step."""
    todo = [item for item in items if item not in place]
    while todo:
        nearest = {
            item: choose(places)
            for item in todo
            if (places := [place[other] for other in neighbours.get(item, ()) if other in place])
        }
        if not nearest:
            return
        place |= nearest
        todo = [item for item in todo if item not in nearest]
