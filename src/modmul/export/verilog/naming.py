"""Names signals that have no name in the source, after the signals that they feed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from modmul.export import names
from modmul.export.verilog import memories
from modmul.export.verilog.aliases import is_nameless, is_numbered, unnumbered
from modmul.export.verilog.netlist import Net, Netlist, is_named, reads
from modmul.export.verilog.operations import may_stand_inside
from modmul.export.verilog.rtlil import Signal, width
from modmul.export.verilog.widths import in_context, in_sum

_DEEPEST = 40  # the most operations inside each other
# The role of an operation for the signal that it feeds, by its kind.
_KINDS = {"$add": "sum", "$sub": "rest", "$mul": "product", "$mux": "next"}
_ENABLE, _PART = "enable", "part"


class _Feed(NamedTuple):
    """A reader of a net: the lowest bit that it reads, its name and pin, and whether it assigns the
    whole net."""

    low: int
    name: str
    pin: str
    whole: bool


class Naming:
    """Plain names for everything in a module that is not written inside the expression that reads
    it.  names: the plain names, by the names in RTLIL of wires, nets and cells.  sizes: the bits of
    wires."""

    def __init__(self, netlist: Netlist):
        self.netlist = netlist
        self.names: dict[str, str] = {}
        self.sizes = {name: wire.width for name, wire in netlist.wires.items()}
        self.taken = set[str]()
        self.index: dict[str, str] = {}  # loop variables that initialise memories
        self._source()
        self._pins()
        self._others()
        self.feeds: dict[str, list[_Feed]] = {}
        for wire, feed in self._feeds():
            self.feeds.setdefault(wire, []).append(feed)
        for feeds in self.feeds.values():
            feeds.sort(key=lambda feed: feed.low)
        for wire in reversed(self._named()):
            self.names[wire] = self.free(*self._purposes(netlist.nets[wire]))

    def _named(self) -> list[str]:
        """The nets that get a name: those that cannot be written where they are read, or
        whose expression would be nested too deeply."""
        depths: dict[str, int] = {}
        operands: dict[str, int] = {}  # the number of names in the expression of each net
        for wire, net in self.netlist.nets.items():
            inside = list(self.netlist.nets_in(net.cell.pins.values()))
            depths[wire] = 1 + max((depths[wire] for wire in inside), default=0)
            read = (c for signal in net.cell.pins.values() for c in signal if c.wire is not None)
            operands[wire] = sum(operands.get(str(chunk.wire), 1) for chunk in read)
            placed = self._is_assigned(net) or self._is_in_sum(net) or not in_context(net)
            stands = may_stand_inside(net, operands[wire]) and placed and not self._is_factor(net)
            if not stands or depths[wire] > _DEEPEST:
                depths[wire], operands[wire] = 0, 1
        return [wire for wire, depth in depths.items() if depth == 0]

    def _source(self) -> None:
        """Take names from the source; drop a number behind a name if that leaves it unique."""
        cells = (*self.netlist.memories, *self.netlist.instances)
        labels, ports = self.netlist.labels, [wire.name for wire in self.netlist.ports]
        inner = [name for name in self.netlist.wires if name not in ports]
        of_pins = self._of_pins()
        for name in (*ports, *inner):
            label = labels.get(name, name)
            if name in ports or not (is_numbered(label) or is_nameless(label) or name in of_pins):
                self.names[name] = self.free(unnumbered(label))
        for name, owner in of_pins.items():
            self.names[name] = self.free(f"{unnumbered(owner)}_{unnumbered(name)}")
        for cell in cells:
            self.names[cell.name] = self.free(unnumbered(cell.name))
        for cell in self.netlist.memories:
            self.index[cell.name] = self.free(f"{self.names[cell.name]}_index")

    def _of_pins(self) -> dict[str, str]:
        """Inner wires that have the name of a pin, as others have, with the instance that they are
        at: without its name a reader could not tell which of them is meant."""
        several = Counter(unnumbered(name) for name in self.netlist.wires)
        kept = {str(c.wire) for cell in self.netlist.registers for c in cell.pins["Q"]}
        kept |= {port.name for port in self.netlist.ports}
        at: dict[str, list[str]] = {}
        called: dict[str, str] = {}  # those at a pin of that very name
        for cell in self.netlist.instances:
            for pin, (first, *more) in cell.pins.items():
                name = str(first.wire)
                if name in self.netlist.wires and not more and name not in kept:
                    at.setdefault(name, []).append(cell.name)
                    if unnumbered(name) == pin:
                        called.setdefault(name, cell.name)
        outside = {unnumbered(name) for name in self.netlist.wires.keys() - at.keys()}
        alone = {name: cells[0] for name, cells in at.items() if len(cells) == 1}
        found = {name: cell for name, cell in alone.items() if unnumbered(name) not in outside}
        return {
            name: cell
            for name, cell in (found | called).items()
            if several[unnumbered(name)] > 1
            and not is_numbered(name)
            and unnumbered(name) not in self.netlist.noted
        }

    def _pins(self) -> None:
        """Name the wires at pins of instances and memories that have no good name themselves."""
        for cell in self.netlist.instances:
            for pin, signal in cell.pins.items():
                for chunk in signal:
                    wire = chunk.wire
                    if wire is None or wire in self.names or wire in self.netlist.nets:
                        continue
                    owner = unnumbered(cell.name)
                    end = unnumbered(wire) if is_named(wire) else pin.lower()
                    self.names[wire] = self.free(f"{owner}_{end}")
                    self.sizes.setdefault(wire, max(width(signal), chunk.low + chunk.width))
        for cell in self.netlist.memories:
            for port in memories.writes(cell):
                for role in ("enable", "address", "data"):
                    for chunk in getattr(port, role):
                        if chunk.wire in self.netlist.wires and chunk.wire not in self.names:
                            name = f"{self.names[cell.name]}_write_{role}"
                            self.names[str(chunk.wire)] = self.free(name)

    def _others(self) -> None:
        """Name what a memory gives, and what has no good name and is at no pin."""
        for left, right in self.netlist.assigned:
            net = self.netlist.nets.get(str(right[0].wire))
            name = str(left[0].wire)
            if name not in self.names and net is not None and net.cell.kind == memories.READ:
                self.names[name] = self.free(f"{self.names[net.cell.parameters['MEMORY']]}_word")
        for name in self.netlist.wires:
            if name not in self.names:
                self.names[name] = self.free(unnumbered(name))
        for cell in self.netlist.registers:
            for chunk in cell.pins["Q"]:
                if chunk.wire is not None and chunk.wire not in self.names:
                    self.names[chunk.wire] = self.free("register")
                    self.sizes[chunk.wire] = chunk.low + chunk.width

    def free(self, *candidates: str) -> str:
        """An unused plain name: the first unused candidate, or the first candidate with a
        number."""
        plain = [names.identifier(name) for name in candidates]
        numbered = (f"{plain[0]}_{count}" for count in itertools.count(2))
        name = next(n for n in itertools.chain(plain, numbered) if n not in self.taken)
        self.taken.add(name)
        return name

    def _is_assigned(self, net: Net) -> bool:
        """Whether the only reader is an assignment or a register that takes the whole value."""
        feeds = self.feeds.get(net.wire, [])
        return any(feed.whole for feed in feeds[:1])

    def _is_in_sum(self, net: Net) -> bool:
        """Whether its only reader is a sum that gives it a context of its own width."""
        feeds = self.feeds.get(net.wire, [])
        reader = self.netlist.nets.get(feeds[0].name) if len(feeds) == 1 else None
        return reader is not None and in_sum(net, reader, feeds[0].pin)

    def _is_factor(self, net: Net) -> bool:
        """Whether it is a multiplexer that feeds a product wider than its factors: there the width
        of the product would apply to both alternatives, which linters report."""
        if net.cell.kind != "$mux":
            return False
        readers = (self.netlist.nets.get(feed.name) for feed in self.feeds.get(net.wire, []))
        return any(
            reader is not None and reader.cell.kind == "$mul" and in_context(reader)
            for reader in readers
        )

    def _feeds(self) -> Iterator[tuple[str, _Feed]]:
        for left, right in self.netlist.assigned:
            yield from self._fed(right, _whole(left), "", len(right) == 1)
        for cell in self.netlist.registers:
            for pin in reads(cell):
                whole = pin == "D" and len(cell.pins["D"]) == 1
                yield from self._fed(cell.pins[pin], _whole(cell.pins["Q"]), pin, whole)
        for wire, net in self.netlist.nets.items():
            for pin, signal in net.cell.pins.items():
                yield from self._fed(signal, wire, pin, False)
        for cell in (*self.netlist.memories, *self.netlist.instances):
            for pin, signal in cell.pins.items():
                name = f"{unnumbered(cell.name)}_{pin.lower()}"
                yield from self._fed(signal, name, pin, False)

    def _fed(self, signal: Signal, name: str, pin: str, whole: bool) -> Iterator[tuple[str, _Feed]]:
        for chunk in signal:
            if chunk.wire in self.netlist.nets:
                yield str(chunk.wire), _Feed(chunk.low, name, pin, whole)

    def _purposes(self, net: Net) -> Iterator[str]:
        """Names for a net after its readers; for a read port first the name of the memory's
        word."""
        if net.cell.kind == memories.READ:
            yield f"{self.names[net.cell.parameters['MEMORY']]}_word"
        for feed in self.feeds.get(net.wire, []):
            kind = _KINDS.get(net.cell.kind, _ENABLE if feed.pin == "S" else _PART)
            name = self._fed_name(feed.name)
            yield name if name.endswith(f"_{kind}") else f"{name}_{kind}"
        yield f"value_{_PART}"

    def _fed_name(self, wire: str) -> str:
        """The first name on the way from a net to a register or an output."""
        seen = set[str]()
        while wire in self.netlist.nets and wire not in self.names and wire not in seen:
            seen.add(wire)
            feeds = self.feeds.get(wire)
            if not feeds:
                break
            wire = feeds[0].name
        return unnumbered(self.names.get(wire, wire))


def _whole(signal: Signal) -> str:
    """The name of the wire with the highest bits of a driven signal."""
    return next((unnumbered(c.wire) for c in reversed(signal) if c.wire is not None), "value")
