"""Merges operations on neighbouring single bits into operations on vectors."""

from __future__ import annotations

from collections import Counter

from modmul.export.verilog.netlist import Net, Netlist, reads
from modmul.export.verilog.rtlil import Cell, Chunk, Signal, joined, width

_BITWISE = ("$and", "$or", "$xor", "$xnor", "$not")


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
