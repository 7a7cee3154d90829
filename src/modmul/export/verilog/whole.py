"""Makes readers read vectors that the designer named by their names, not by their pieces.

Amaranth and Yosys look at single bits.  If a wire is only another name for a result, or is put
together from others, its readers in RTLIL read the pieces.  Here such readers get the wire back: if
they read a slice of it that has no name or several pieces, and if it is a field of a port whose
fields the text names."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from modmul.export.verilog.aliases import is_numbered
from modmul.export.verilog.netlist import Netlist, reads
from modmul.export.verilog.operations import is_simple
from modmul.export.verilog.rtlil import Chunk, Signal, joined, part

_Bit = tuple[str, int]
_MANY = 8  # with so many pieces at the pin of an instance, names replace some of them


class _Place(NamedTuple):
    """A bit of a named wire."""

    wire: str
    bit: int


def use_whole(netlist: Netlist) -> None:
    """Make readers read named wires in place of the pieces of these."""
    _Whole(netlist).run()


def assign_outputs(netlist: Netlist) -> None:
    """If the value of an output has a name without other readers, assign the value to the output
    and remove the name."""
    readers = Counter(c.wire for signal in netlist.read() for c in signal)
    values = {left[0]: right for left, right in netlist.assigned}
    gone = set[Chunk]()
    for place, (left, right) in enumerate(netlist.assigned):
        output, value = netlist.wires[str(left[0].wire)], netlist.wires.get(str(right[0].wire))
        if not output.direction or right[1:] or right[0] not in values or value is None:
            continue
        inner = not value.direction and "keep" not in value.attributes
        if inner and right[0].width == value.width and readers[value.name] == 1:
            netlist.assigned[place] = (left, values[right[0]])
            gone.add(right[0])
    netlist.assigned = [pair for pair in netlist.assigned if pair[0][0] not in gone]
    netlist.wires = {
        name: wire for name, wire in netlist.wires.items() if Chunk(name, 0, wire.width) not in gone
    }


class _Whole:
    def __init__(self, netlist: Netlist):
        self.netlist = netlist
        self.driven: dict[str, list[tuple[Chunk, Signal]]] = {}
        for (left,), right in netlist.assigned:
            self.driven.setdefault(str(left.wire), []).append((left, right))
        self.places: dict[_Bit, list[_Place]] = {}
        ports = {wire.name for wire in netlist.ports if wire.direction == "input"}
        registers = {str(c.wire) for cell in netlist.registers for c in cell.pins["Q"]}
        self.known = ports | registers | self.driven.keys()

    def run(self) -> None:
        """Treat definitions first, then readers in their order, so that no wire depends on
        itself."""
        for name in self.driven:
            self._define(name)
        self._set()
        order = {name: place for place, name in enumerate(self._order())}
        for name in sorted(self.driven, key=self._rank):
            for left, right in self.driven[name]:
                self._note(left, right)
        for name, pieces in self.driven.items():
            if not self._is_result(name):
                self.driven[name] = [
                    (left, self._read(right, order, order.get(name, -1))) for left, right in pieces
                ]
        for wire, net in self.netlist.nets.items():
            for pin, signal in net.cell.pins.items():
                net.cell.pins[pin] = self._read(signal, order, order.get(wire, -1))
        for cell in self.netlist.cells:
            for pin in reads(cell):
                if pin != "CLK" and (cell.kind.startswith("$") or self._is_long(cell.pins[pin])):
                    cell.pins[pin] = self._read(cell.pins[pin], order, len(order))
        self._set()

    def _set(self) -> None:
        self.netlist.assigned = [
            ((left,), right) for pieces in self.driven.values() for left, right in pieces
        ]

    def _is_long(self, signal: Signal) -> bool:
        """Whether the pin of an instance, which does not drive it, reads many pieces."""
        return len(signal) >= _MANY and all(
            chunk.wire is None or chunk.wire in self.netlist.nets or chunk.wire in self.known
            for chunk in signal
        )

    def _define(self, name: str) -> None:
        """If the bits of a wire are together one whole result, assign that result."""
        pieces = sorted(self.driven[name], key=lambda piece: piece[0].low)
        bits = self.netlist.wires[name].width
        if sum(left.width for left, _ in pieces) != bits:
            return
        signal = joined(source for _, right in pieces for source in self._source(right, {name}))
        if len(signal) == 1 and signal[0].wire in self.netlist.nets and signal[0].low == 0:
            self.driven[name] = [(Chunk(name, 0, bits), signal)]

    def _source(self, signal: Signal, seen: set[str]) -> Iterator[Chunk]:
        """The drivers of a signal behind wires that are only names."""
        for chunk in signal:
            pieces = self.driven.get(chunk.wire or "")
            if pieces is None or chunk.wire in seen:
                yield chunk
                continue
            for left, right in pieces:
                low = max(chunk.low, left.low)
                bits = min(chunk.low + chunk.width, left.low + left.width) - low
                if bits > 0:
                    inner = part(right, low - left.low, bits)
                    yield from self._source(inner, seen | {str(chunk.wire)})

    def _is_result(self, name: str) -> bool:
        """Whether an inner wire is the whole result of an operation."""
        (left, right), *more = self.driven[name]
        net = self.netlist.nets.get(str(right[0].wire)) if len(right) == 1 else None
        inner = not self.netlist.wires[name].direction
        return inner and not more and net is not None and net.width == left.width

    def _rank(self, name: str) -> tuple[bool, bool, bool]:
        """A sorting key for names: inner names first, then whole results, then names without
        numbers."""
        outer = bool(self.netlist.wires[name].direction)
        return outer, not self._is_result(name), is_numbered(name)

    def _note(self, left: Chunk, right: Signal) -> None:
        """Record the pieces of a wire, bit by bit."""
        bit = left.low
        for chunk in right:
            net = self.netlist.nets.get(str(chunk.wire))
            plain = net is not None and is_simple(net)
            for place in range(chunk.width):
                if chunk.wire is not None and not plain:
                    source = (chunk.wire, chunk.low + place)
                    self.places.setdefault(source, []).append(_Place(str(left.wire), bit))
                bit += 1

    def _order(self) -> list[str]:
        """Wires and operations, each after those that it reads; names before operations that
        are also ready.  Wires that depend on each other's slices keep the order of the source."""
        before = {
            name: {str(c.wire) for _, right in pieces for c in right} - {name}
            for name, pieces in self.driven.items()
        }
        for wire, net in self.netlist.nets.items():
            before[wire] = {str(c.wire) for pin in net.cell.pins.values() for c in pin}
        after: dict[str, list[str]] = {}
        missing = {}
        for name, needed in before.items():
            missing[name] = len(needed & before.keys())
            for source in needed & before.keys():
                after.setdefault(source, []).append(name)
        key = {
            name: (2 if name in self.netlist.nets else int(not self._is_result(name)), place)
            for place, name in enumerate(before)
        }
        ready = [(key[name], name) for name, count in missing.items() if not count]
        heapq.heapify(ready)
        done, left = dict[str, None](), dict.fromkeys(before)
        while left:
            name = heapq.heappop(ready)[1] if ready else next(iter(left))
            if name in done:
                continue
            done[name] = None
            del left[name]
            for reader in after.get(name, ()):
                missing[reader] -= 1
                if not missing[reader] and reader not in done:
                    heapq.heappush(ready, (key[reader], reader))
        return list(done)

    def _read(self, signal: Signal, order: dict[str, int], before: int) -> Signal:
        """The signal with wires in place of their pieces; only wires before a place in the
        order."""
        if not any((chunk.wire, chunk.low) in self.places for chunk in signal):
            return signal
        done, bits, low, end = list[Chunk](), list(_bits(signal)), 0, 0
        for chunk in signal:
            end += chunk.width  # of this chunk; what was taken may reach beyond
            while low < end:
                runs = list(self._runs(bits, low, order, before))
                best = max(runs, key=lambda run: run.width, default=None)
                rest = chunk.part(chunk.width - (end - low), end - low)
                if best is not None and (low + best.width > end or chunk.wire in self.netlist.nets):
                    done.append(best)
                    low += best.width
                else:
                    done.append(rest)
                    low = end
        return joined(tuple(done))

    def _runs(
        self, bits: list[_Bit | None], low: int, order: dict[str, int], before: int
    ) -> Iterator[Chunk]:
        """Slices of wires that have the same bits from a place up."""
        first = bits[low]
        for wire, start in self.places.get(first, ()) if first else ():
            if order[wire] >= before:
                continue
            count = 1
            while low + count < len(bits):
                bit = bits[low + count]
                if bit is None or (wire, start + count) not in self.places.get(bit, ()):
                    break
                count += 1
            yield Chunk(wire, start, count)


def _bits(signal: Signal) -> Iterator[_Bit | None]:
    """The named bits; None for a constant."""
    for chunk in signal:
        for place in range(chunk.width):
            yield (chunk.wire, chunk.low + place) if chunk.wire is not None else None
