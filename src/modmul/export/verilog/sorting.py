"""Sorts the contents of an RTLIL module into its netlist.

In RTLIL every operation drives a wire, mostly one without a name of its own (`$123`).  Here each
operation is a net that is read directly; names that only repeat another one are removed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from modmul.export.verilog import memories, pieces, sharing, whole, widths
from modmul.export.verilog.aliases import merge_names
from modmul.export.verilog.netlist import REGISTER, Netlist, is_named, reads
from modmul.export.verilog.rtlil import Cell, Chunk, RtlilModule, Signal, joined, part, width

_QUOTIENTS = {"$div": "$div", "$divfloor": "$div", "$mod": "$mod", "$modfloor": "$mod"}
_SHIFTS = {"$shl": "$shl", "$sshl": "$shl", "$shr": "$shr", "$shift": "$shr", "$shiftx": "$shr"}


def sorted_out(
    module: RtlilModule,
    order: Sequence[str],
    registers: Collection[str],
    noted: Collection[str],
) -> Netlist:
    """The netlist of a module from Yosys.  order: the names in the order of the source.
    registers, noted: see `merge_names`."""
    place = {name: place for place, name in enumerate(order)}

    def place_of(name: str) -> int:
        return place.get(name, len(place))

    module.wires = dict(sorted(module.wires.items(), key=lambda item: place_of(item[0])))
    aliases, labels = merge_names(module, registers, noted)
    netlist = Netlist(module.name, module.attributes, module.wires, aliases, labels, noted=noted)
    _Sorting(module, netlist).run()
    pieces.join_bits(netlist)
    sharing.share(netlist)
    pieces.put_together(netlist)
    whole.use_whole(netlist)
    sharing.keep_what_is_read(netlist)
    whole.assign_outputs(netlist)
    netlist.cells.sort(key=lambda cell: min(map(place_of, _called(cell))))
    return netlist


def settle(netlist: Netlist) -> None:
    """Settle widths and record readers, after everything unread has been removed."""
    widths.narrow(netlist)
    widths.widen(netlist)
    netlist.note_uses()


def _called(cell: Cell) -> list[str]:
    """The names of a cell in the source: for a register those of its wires."""
    return [str(c.wire) for c in cell.pins["Q"]] if cell.kind == REGISTER else [cell.name]


class _Sorting:
    """Finds the drivers of everything, in terms of named wires and nets."""

    def __init__(self, module: RtlilModule, netlist: Netlist):
        self.module, self.netlist = module, netlist
        self.meaning: dict[str, list[tuple[int, Signal]]] = {}  # (lowest bit, driver) of a wire

    def run(self) -> None:
        self._connect()
        for cell in self.module.cells:
            for simple in memories.separated(cell):
                for plain in _simpler(simple):
                    self._drive(plain)
        self._resolve()

    def _connect(self) -> None:
        """Record the drivers of slices of named wires, and of unnamed wires."""
        for left, right in self.module.connections:
            start = 0
            for chunk in left:
                self._drives(chunk, part(right, start, chunk.width))
                start += chunk.width

    def _drives(self, chunk: Chunk, driver: Signal) -> None:
        if not is_named(chunk.wire):
            self.meaning.setdefault(str(chunk.wire), []).append((chunk.low, driver))
        elif driver != (chunk,):
            self.netlist.assigned.append(((chunk,), driver))

    def _drive(self, cell: Cell) -> None:
        """Turn an operation into a net, which drives named wires or replaces unnamed ones."""
        if cell.kind in (REGISTER, memories.KIND) or not cell.kind.startswith("$"):
            self.netlist.cells.append(cell)
            return
        result = cell.pins.pop("Y")
        net, low = self.netlist.add(cell, width(result)), 0
        for chunk in result:
            self._drives(chunk, (Chunk(net.wire, low, chunk.width),))
            low += chunk.width

    def _resolve(self) -> None:
        """Rewrite all signals that are read in terms of named wires, constants and nets."""
        netlist = self.netlist
        for meanings in self.meaning.values():
            meanings.sort(key=lambda piece: piece[0])
        netlist.assigned = [(left, self._resolved(right)) for left, right in netlist.assigned]
        for cell in (*(net.cell for net in netlist.nets.values()), *netlist.cells):
            for pin in reads(cell):
                cell.pins[pin] = self._resolved(cell.pins[pin])

    def _resolved(self, signal: Signal) -> Signal:
        return joined(piece for chunk in signal for piece in self._pieces(chunk))

    def _pieces(self, chunk: Chunk) -> Iterator[Chunk]:
        """The drivers of a chunk; a chunk without known driver stays."""
        if chunk.wire is None or chunk.wire not in self.meaning:
            yield chunk
            return
        low, end = chunk.low, chunk.low + chunk.width
        for start, signal in self.meaning[chunk.wire]:
            if low < end and start <= low < start + width(signal):
                bits = min(end, start + width(signal)) - low
                for piece in part(signal, low - start, bits):
                    yield from self._pieces(piece)
                low += bits
        if low < end:
            yield Chunk(chunk.wire, low, end - low)


def _simpler(cell: Cell) -> Iterator[Cell]:
    """Simpler cells with the same function.  Raises ValueError for signed shifts and
    quotients."""
    if cell.kind == "$pmux":
        yield from _choices(cell)
    elif cell.kind in _SHIFTS:
        yield from _shift(cell)
    elif cell.kind in _QUOTIENTS:
        yield from _quotient(cell)
    else:
        yield cell


def _choices(cell: Cell) -> Iterator[Cell]:
    """A chain of multiplexers; at most one of the conditions is true."""
    result, conditions = cell.pins["Y"], cell.pins["S"]
    bits, value = width(result), cell.pins["A"]
    for place in reversed(range(width(conditions))):
        output = result if place == 0 else (Chunk(f"${cell.name}.{place}", 0, bits),)
        pins = {
            "A": value,
            "B": part(cell.pins["B"], place * bits, bits),
            "S": part(conditions, place, 1),
            "Y": output,
        }
        yield Cell("$mux", f"{cell.name}.{place}", {}, pins)
        value = output


def _shift(cell: Cell) -> Iterator[Cell]:
    """The shift, as wide as the operand or the result, whichever is wider."""
    _check_unsigned(cell)
    bits = max(width(cell.pins["A"]), width(cell.pins["Y"]))
    pins = {"A": _zeros(cell.pins["A"], bits), "B": cell.pins["B"], "Y": _longer(cell, bits)}
    yield Cell(_SHIFTS[cell.kind], cell.name, cell.parameters, pins)


def _quotient(cell: Cell) -> Iterator[Cell]:
    """Quotient or remainder, as wide as the widest of operands and result."""
    _check_unsigned(cell)
    bits = max(width(signal) for signal in cell.pins.values())
    pins = {pin: _zeros(cell.pins[pin], bits) for pin in ("A", "B")} | {"Y": _longer(cell, bits)}
    yield Cell(_QUOTIENTS[cell.kind], cell.name, cell.parameters, pins)


def _check_unsigned(cell: Cell) -> None:
    if cell.number("A_SIGNED") or cell.number("B_SIGNED"):
        raise ValueError(f"cell {cell.name}: {cell.kind} of signed numbers is not understood")


def _zeros(signal: Signal, bits: int) -> Signal:
    missing = bits - width(signal)
    return (*signal, Chunk(None, 0, missing, "0" * missing)) if missing > 0 else signal


def _longer(cell: Cell, bits: int) -> Signal:
    """The result with so many bits; the additional bits are not read."""
    missing = bits - width(cell.pins["Y"])
    return (*cell.pins["Y"], *([Chunk(f"${cell.name}.rest", 0, missing)] if missing else []))
