"""Names for what has none in the source: after what it is, if that is short, or what it feeds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from modmul.export import names
from modmul.export.verilog import memories
from modmul.export.verilog.aliases import is_numbered, unnumbered
from modmul.export.verilog.netlist import Net, Netlist, is_named, reads
from modmul.export.verilog.operations import is_simple, may_stand_inside
from modmul.export.verilog.rtlil import Signal, width
from modmul.export.verilog.widths import in_context

_DEEPEST = 40  # operations inside each other
_LONGEST = 40  # characters of a name that says what something is
_WORDS = {"$and": "and", "$or": "or", "$xor": "xor"}
_KINDS = {
    "$add": "sum", "$sub": "difference", "$mul": "product", "$mux": "choice", "$eq": "match",
    "$ne": "mismatch", memories.READ: "word",
}  # fmt: skip


class Naming:
    """Plain names of everything in a module that is not written where it is read.

    found: by the names in RTLIL, of wires, nets, cells.  sizes: bits of the wires."""

    def __init__(self, netlist: Netlist):
        self.netlist = netlist
        self.found: dict[str, str] = {}
        self.sizes = {name: wire.width for name, wire in netlist.wires.items()}
        self.taken = set[str]()
        self.index: dict[str, str] = {}  # what counts the words of a memory at power-up
        self._source()
        self._outputs()
        self.feeds: dict[str, tuple[int, str, bool]] = {}
        for wire, feed in self._feeds():
            if wire not in self.feeds or feed[0] < self.feeds[wire][0]:
                self.feeds[wire] = feed
        named = self._named()
        for wire in reversed(named):
            net = netlist.nets[wire]
            self.found[wire] = self._free(self._meaning(net) or self._purpose(net))

    def _named(self) -> list[str]:
        """The nets that get a name: each that cannot stand where it is read, or that others stand
        in to too great a depth."""
        depths: dict[str, int] = {}
        for wire, net in self.netlist.nets.items():
            inside = self.netlist.nets_in(net.cell.pins.values())
            depths[wire] = 1 + max((depths[one] for one in inside), default=0)
            whole = self._is_assigned(net) or not in_context(net)
            if not (may_stand_inside(net) and whole) or depths[wire] > _DEEPEST:
                depths[wire] = 0
        return [wire for wire, depth in depths.items() if depth == 0]

    def _source(self) -> None:
        """Names from the source; a number behind one goes where that leaves it alone."""
        cells = (*self.netlist.memories, *self.netlist.instances)
        labels, ports = self.netlist.labels, [wire.name for wire in self.netlist.ports]
        inner = [name for name in self.netlist.wires if name not in ports]
        for name in (*ports, *inner):
            label = labels.get(name, name)
            if not is_numbered(label) or name in ports:
                self.found[name] = self._free(unnumbered(label))
        for cell in cells:
            self.found[cell.name] = self._free(unnumbered(cell.name))
        for cell in self.netlist.memories:
            self.index[cell.name] = self._free(f"{self.found[cell.name]}_word")

    def _outputs(self) -> None:
        """Wires that begin or end at the pin of an instance, and have no good name themselves."""
        for cell in self.netlist.instances:
            for pin, signal in cell.pins.items():
                for chunk in signal:
                    wire = chunk.wire
                    if wire is None or wire in self.found or wire in self.netlist.nets:
                        continue
                    owner = unnumbered(cell.name)
                    end = unnumbered(wire) if is_named(wire) else pin.lower()
                    self.found[wire] = self._free(f"{owner}_{end}")
                    self.sizes.setdefault(wire, max(width(signal), chunk.low + chunk.width))
        for name in self.netlist.wires:
            if name not in self.found:
                self.found[name] = self._free(unnumbered(name))
        for cell in self.netlist.registers:
            for chunk in cell.pins["Q"]:
                if chunk.wire is not None and chunk.wire not in self.found:
                    self.found[chunk.wire] = self._free("register")
                    self.sizes[chunk.wire] = chunk.low + chunk.width

    def _free(self, wanted: str) -> str:
        """A plain name that nothing else has."""
        plain = names.identifier(wanted)
        numbered = (f"{plain}_{count}" for count in itertools.count(2))
        name = next(n for n in itertools.chain((plain,), numbered) if n not in self.taken)
        self.taken.add(name)
        return name

    def _is_assigned(self, net: Net) -> bool:
        """Whether its one reader is an assignment or a register that takes the whole of it."""
        feed = self.feeds.get(net.wire)
        return feed is not None and feed[2]

    def _feeds(self) -> Iterator[tuple[str, tuple[int, str, bool]]]:
        """What each net feeds: by which of its bits, the name, whether it is assigned whole."""
        for left, right in self.netlist.assigned:
            yield from self._fed(right, _whole(left), len(right) == 1)
        for cell in self.netlist.registers:
            for pin in reads(cell):
                whole = pin == "D" and len(cell.pins["D"]) == 1
                yield from self._fed(cell.pins[pin], _whole(cell.pins["Q"]), whole)
        for wire, net in self.netlist.nets.items():
            for signal in net.cell.pins.values():
                yield from self._fed(signal, wire, False)
        for cell in (*self.netlist.memories, *self.netlist.instances):
            for pin, signal in cell.pins.items():
                yield from self._fed(signal, f"{unnumbered(cell.name)}_{pin.lower()}", False)

    def _fed(
        self, signal: Signal, name: str, whole: bool
    ) -> Iterator[tuple[str, tuple[int, str, bool]]]:
        for chunk in signal:
            if chunk.wire in self.netlist.nets:
                yield str(chunk.wire), (chunk.low, name, whole)

    def _meaning(self, net: Net) -> str:
        """What an operation on names is, as a name; empty where that is too long."""
        pins, kind = net.cell.pins, net.cell.kind
        operands = [self._reference(pins[pin]) for pin in ("A", "B") if pin in pins]
        if not all(operands):
            return ""
        made = ""
        if kind in _WORDS and net.width == 1:
            made = f"{operands[0]}_{_WORDS[kind]}_{operands[1]}"
        elif kind in ("$eq", "$ne") and pins["B"][0].wire is None:
            made = f"{operands[0]}_is_{'' if kind == '$eq' else 'not_'}{operands[1]}"
        elif kind in ("$add", "$sub") and pins["B"][0].wire is None:
            made = f"{operands[0]}_{'plus' if kind == '$add' else 'minus'}_{operands[1]}"
        elif kind in ("$reduce_or", "$reduce_bool", "$reduce_and"):
            made = f"{'all' if kind == '$reduce_and' else 'any'}_{operands[0]}"
        elif kind in ("$not", "$logic_not"):
            made = f"not_{operands[0]}"
        return made if len(made) <= _LONGEST else ""

    def _reference(self, signal: Signal) -> str:
        """A signal in a name: a number, or a name and its bit; empty for anything else."""
        signal = tuple(c for c in signal if c.wire is not None or "1" in c.bits) or signal
        if len(signal) != 1:
            return ""
        (chunk,) = signal
        if chunk.wire is None:
            return str(int(chunk.bits, 2)) if set(chunk.bits) <= {"0", "1"} else ""
        name, net = self.found.get(chunk.wire, ""), self.netlist.nets.get(chunk.wire)
        if not name and net is not None and is_simple(net):
            return f"not_{self._reference(net.cell.pins['A'])}"
        if not name or chunk.width == self._size(chunk.wire):
            return name
        high = chunk.low + chunk.width - 1
        return f"{name}_{high}" if chunk.width == 1 else f"{name}_{high}_{chunk.low}"

    def _size(self, wire: str) -> int:
        net = self.netlist.nets.get(wire)
        return net.width if net else self.sizes[wire]

    def _purpose(self, net: Net) -> str:
        """What a net feeds, and how."""
        wire, seen = net.wire, set[str]()
        while wire in self.netlist.nets and wire in self.feeds and wire not in seen:
            seen.add(wire)
            wire = self.feeds[wire][1]
            if wire in self.found:
                wire = self.found[wire]
                break
        kind = _KINDS.get(net.cell.kind, "term")
        return f"{unnumbered(wire)}_{kind}"


def _whole(signal: Signal) -> str:
    """The name of what a signal drives first."""
    return next((unnumbered(c.wire) for c in reversed(signal) if c.wire is not None), "value")

