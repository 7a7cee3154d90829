"""Assigns wires that are put together from pieces as a whole, and joins operations on neighbouring
bits.

Yosys has one name for each bit.  The lowest bits of a sum, if they are final, may come from an
output, slice by slice.  Here readers read the pieces themselves, if these have names of their own,
so that a wire can be one assignment if none of its pieces depends on another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from modmul.export.verilog.netlist import Net, Netlist, reads
from modmul.export.verilog.rtlil import Cell, Chunk, Signal, joined, part, width

_BITWISE = ("$and", "$or", "$xor", "$xnor", "$not")


def put_together(netlist: Netlist) -> None:
    """Make readers read the pieces of wires that are in pieces, and make each such wire one
    assignment if possible."""
    _Pieces(netlist).run()


class _Pieces:
    def __init__(self, netlist: Netlist):
        self.netlist = netlist
        self.driven: dict[str, list[tuple[Chunk, Signal]]] = {}
        for (left,), right in netlist.assigned:
            self.driven.setdefault(str(left.wire), []).append((left, right))
        self.split = {name for name, pieces in self.driven.items() if len(pieces) > 1}
        self.readings = Counter[str]()
        self.results = set(self._results())
        self.instances: dict[str, list[Signal]] = {}
        for cell in netlist.instances:
            signals = list(cell.pins.values())
            for chunk in (chunk for signal in signals for chunk in signal):
                self.instances.setdefault(str(chunk.wire), []).extend(signals)

    def _results(self) -> Iterator[str]:
        """The operations of which a named wire has all bits, or all but the highest."""
        for pieces in self.driven.values():
            ordered = sorted(pieces, key=lambda piece: piece[0].low)
            signal = joined(self._sources(chunk for _, right in ordered for chunk in right))
            if len(signal) == 1 and signal[0].low == 0:
                yield from self.netlist.nets_in([signal])

    def run(self) -> None:
        """Replace the readers' signals first: the dependencies of wires are known only then."""
        for name, pieces in self.driven.items():
            self.driven[name] = [(left, self._inside(right)) for left, right in pieces]
        for cell in (*(net.cell for net in self.netlist.nets.values()), *self.netlist.cells):
            for pin in reads(cell):
                if cell.kind.startswith("$"):
                    cell.pins[pin] = self._inside(cell.pins[pin])
        self._set()
        self.readings = Counter(self.netlist.nets_in(self.netlist.read()))
        for name, pieces in self.driven.items():
            if len(pieces) > 1 and self._may_be_one(name):
                ordered = sorted(pieces, key=lambda piece: piece[0].low)
                signal = joined(chunk for _, right in ordered for chunk in right)
                self.driven[name] = [(Chunk(name, 0, width(signal)), signal)]
        self._set()

    def _set(self) -> None:
        self.netlist.assigned = [
            ((left,), right) for pieces in self.driven.values() for left, right in pieces
        ]

    def _inside(self, signal: Signal) -> Signal:
        """The signal with wires replaced by their pieces, if these have names of their
        own."""
        if not any(chunk.wire in self.split for chunk in signal):
            return signal
        chunks = list[Chunk]()
        for chunk in signal:
            sources = joined(self._sources((chunk,)))
            nameless = set(self.netlist.nets_in([sources])) - self.results
            chunks += [chunk] if nameless else sources
        return joined(tuple(chunks))

    def _sources(self, signal: Iterable[Chunk]) -> Iterator[Chunk]:
        for chunk in signal:
            pieces = self.driven[chunk.wire] if chunk.wire in self.split else []
            low, end = chunk.low, chunk.low + chunk.width
            for left, right in sorted(pieces, key=lambda piece: piece[0].low):
                if left.low <= low < min(end, left.low + left.width):
                    bits = min(end, left.low + left.width) - low
                    yield from self._sources(part(right, low - left.low, bits))
                    low += bits
            if low < end:
                yield Chunk(chunk.wire, low, end - low, chunk.bits)

    def _may_be_one(self, name: str) -> bool:
        """Whether the pieces cover a wire and can be one readable assignment: at most one of them
        is an operation without other readers."""
        pieces = self.driven[name]
        complete = sum(left.width for left, _ in pieces) == self.netlist.wires[name].width
        inside = Counter(self.netlist.nets_in(right for _, right in pieces))
        own = [wire for wire, count in inside.items() if count == self.readings[wire]]
        return complete and len(own) <= 1 and not self._depends_on(name)

    def _depends_on(self, name: str) -> bool:
        """Whether a wire depends on itself without a register between.  As a conservative
        assumption, the outputs of an instance depend on all of its pins."""
        todo, seen = [right for _, right in self.driven[name]], set[str]()
        for signal in todo:
            for wire in {str(chunk.wire) for chunk in signal}:
                if wire == name:
                    return True
                if wire not in seen:
                    seen.add(wire)
                    todo += [right for _, right in self.driven.get(wire, ())]
                    todo += self.instances.get(wire, ())
                    if wire in self.netlist.nets:
                        todo += self.netlist.nets[wire].cell.pins.values()
        return False


def join_bits(netlist: Netlist) -> None:
    """Merge bits in the drivers of named wires, and in the signals that cells read.  Operations
    with several readers stay."""
    _Joining(netlist).run()


class _Joining:
    def __init__(self, netlist: Netlist):
        self.netlist = netlist
        self.readers = Counter(netlist.nets_in(netlist.read()))

    def run(self) -> None:
        by_wire: dict[str, list[tuple[Chunk, Signal]]] = {}
        for (left,), right in self.netlist.assigned:
            by_wire.setdefault(str(left.wire), []).append((left, right))
        self.netlist.assigned = [
            ((left,), right) for pieces in by_wire.values() for left, right in self._pieces(pieces)
        ]
        for cell in self.netlist.cells:
            for pin in reads(cell):
                cell.pins[pin] = self._signal(cell.pins[pin])

    def _pieces(self, pieces: list[tuple[Chunk, Signal]]) -> list[tuple[Chunk, Signal]]:
        """The slices of one wire with their drivers, merged where possible."""
        pieces.sort(key=lambda piece: piece[0].low)
        done = pieces[:1]
        for left, right in pieces[1:]:
            last, before = done[-1]
            together = self._vector(before, right) if last.low + last.width == left.low else ()
            if together:
                done[-1] = (last._replace(width=last.width + left.width), together)
            else:
                done.append((left, right))
        return done

    def _signal(self, signal: Signal) -> Signal:
        done: list[Signal] = []
        for chunk in signal:
            is_net = chunk.wire in self.netlist.nets
            together = self._vector(done[-1], (chunk,)) if done and is_net else ()
            if together:
                done[-1] = together
            else:
                done.append((chunk,))
        return tuple(chunk for piece in done for chunk in piece)

    def _vector(self, low: Signal, high: Signal) -> Signal:
        """Two signals side by side as one operation, slice or constant; empty if that is
        impossible."""
        first, second = self._net(low), self._net(high)
        if first is None and second is None:
            return _side_by_side(low, high)
        if first is None or second is None or first is second:
            return ()
        if first.cell.kind != second.cell.kind:
            return ()
        pins = {}
        for pin, signal in first.cell.pins.items():
            pins[pin] = self._vector(signal, second.cell.pins[pin])
            if not pins[pin]:
                return ()
        cell = Cell(first.cell.kind, "", {"A_SIGNED": "0"}, pins)
        net = self.netlist.add(cell, first.width + second.width)
        self.readers[net.wire] = 1
        return (Chunk(net.wire, 0, net.width),)

    def _net(self, signal: Signal) -> Net | None:
        """The operation that drives a signal, if it can be part of a wider one."""
        net = self.netlist.nets.get(str(signal[0].wire)) if len(signal) == 1 else None
        if net is None or net.cell.kind not in _BITWISE or self.readers[net.wire] != 1:
            return None
        bits = [net.width, signal[0].width, *map(width, net.cell.pins.values())]
        return net if len(set(bits)) == 1 else None


def _side_by_side(low: Signal, high: Signal) -> Signal:
    """Join two signals that are neighbouring slices, copies of one bit, or constants; empty if they
    are not."""
    together = joined((*low, *high))
    copies = width(together) == len(together) and len(set(together)) == 1
    return together if len(together) == 1 or copies else ()
