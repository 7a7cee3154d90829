"""Who drives what in a module, and who reads it: a module of RTLIL made ready to be written.

In RTLIL every operation drives a wire, mostly one without a name of its own (`$123`).  Here each
operation is a net that is read directly; names that only repeat another one are gone, equal
operations are one, operations are as wide as somebody reads them, and what nobody reads is left
out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from modmul.export.verilog import memories
from modmul.export.verilog.rtlil import Cell, Chunk, Module, Signal, Wire, joined, part, width

REGISTER = "$dff"
COMPARISONS = ("$eq", "$ne", "$lt", "$le", "$gt", "$ge")
# Operations of which the low bits of the result depend on the low bits of the operands alone.
_FROM_BELOW = ("$add", "$sub", "$mul", "$and", "$or", "$xor", "$xnor", "$not", "$neg", "$mux")
_NET = "$net"  # with a number: the wire of an operation
_NAMELESS = "\\signal"  # what a signal is called that stands in no variable
_BITWISE = ("$and", "$or", "$xor", "$xnor", "$not")
_NUMBERED = re.compile(r"(.+?)(?:\$\d+)+")


def is_named(wire: str | None) -> bool:
    """Whether a wire has its name from the source."""
    return wire is not None and wire.startswith("\\")


def is_numbered(wire: str) -> bool:
    """Whether the name is only another's with a number behind it."""
    return _NUMBERED.fullmatch(wire) is not None


def unnumbered(wire: str) -> str:
    """The name from the source without its backslash and without such a number."""
    found = _NUMBERED.fullmatch(wire)
    return (found[1] if found else wire).removeprefix("\\")


@dataclass
class Net:
    """One operation.  `wire` is its name in signals that read it; width: bits of it.

    uses: the signals that read it."""

    cell: Cell
    wire: str
    width: int
    uses: list[Signal] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether each of its readers reads all of its bits, in order."""
        read = (chunk for signal in self.uses for chunk in signal if chunk.wire == self.wire)
        return all(chunk.width == self.width for chunk in read)


@dataclass
class Netlist:
    """A module, sorted.

    wires: the named ones that stay.  aliases: the other names of each.  labels: the better one.
    assigned: what drives (slices of) named wires.
    registers, memories, instances: cells of the kind.  nets: operations by their wires, each after
    those that it reads."""

    name: str
    attributes: dict[str, str]
    wires: dict[str, Wire]
    aliases: dict[str, list[str]]
    labels: dict[str, str]
    assigned: list[tuple[Signal, Signal]]
    registers: list[Cell]
    memories: list[Cell]
    instances: list[Cell]
    nets: dict[str, Net]

    @property
    def ports(self) -> list[Wire]:
        """In their order."""
        found = [wire for wire in self.wires.values() if wire.direction]
        return sorted(found, key=lambda wire: wire.position)


def sorted_out(module: Module, order: Sequence[str]) -> Netlist:
    """The netlist of a module as Yosys writes it.  order: of the names in the source."""
    place = {name: place for place, name in enumerate(order)}
    wires = sorted(module.wires.items(), key=lambda item: place.get(item[0], len(place)))
    module.wires = dict(wires)
    return _Sorting(module).netlist()


def reads(cell: Cell) -> Iterator[str]:
    """The pins by which a cell of Yosys' own reads; all pins of an instance."""
    return (pin for pin in cell.pins if pin not in ("Y", "Q"))


class _Sorting:
    """The steps from a module to its netlist."""

    def __init__(self, module: Module):
        self.module = module
        self.meaning: dict[str, list[tuple[int, Signal]]] = {}  # of a wire, by its lowest bits
        self.assigned: list[tuple[Signal, Signal]] = []
        self.nets: dict[str, Net] = {}
        self.others: list[Cell] = []
        self.count = 0

    def netlist(self) -> Netlist:
        self.names = merge_names(self.module)
        self._connect()
        for cell in [part for cell in self.module.cells for part in memories.separated(cell)]:
            self._drive(cell)
        self._resolve()
        self._join_bits()
        self._share()
        self._keep_what_is_read()
        self._narrow()
        for net in self.nets.values():
            widen(net)
        self._count_uses()
        kinds: dict[str, list[Cell]] = {"registers": [], "memories": [], "instances": []}
        for cell in self.others:
            register, memory = cell.kind == REGISTER, cell.kind == memories.KIND
            kind = "registers" if register else "memories" if memory else "instances"
            kinds[kind].append(cell)
        module = self.module
        return Netlist(
            module.name, module.attributes, module.wires, *self.names, self.assigned, **kinds,
            nets=self.nets,
        )  # fmt: skip

    def _connect(self) -> None:
        """What drives slices of named wires, and what unnamed ones mean."""
        for left, right in self.module.connections:
            start = 0
            for chunk in left:
                driver = part(right, start, chunk.width)
                start += chunk.width
                if not is_named(chunk.wire):
                    self._means(chunk, driver)
                elif driver != (chunk,):
                    self.assigned.append(((chunk,), driver))

    def _means(self, chunk: Chunk, signal: Signal) -> None:
        self.meaning.setdefault(str(chunk.wire), []).append((chunk.low, signal))

    def _drive(self, cell: Cell) -> None:
        """Operations become nets.  What they drive is named wires, or means the net."""
        if cell.kind == REGISTER or cell.kind == memories.KIND or not cell.kind.startswith("$"):
            self.others.append(cell)
            return
        result, wire = cell.pins.pop("Y"), f"{_NET}{self.count}"
        self.count += 1
        self.nets[wire] = Net(cell, wire, width(result))
        low = 0
        for chunk in result:
            bits = (Chunk(wire, low, chunk.width),)
            low += chunk.width
            if is_named(chunk.wire):
                self.assigned.append(((chunk,), bits))
            else:
                self._means(chunk, bits)

    def _resolve(self) -> None:
        """All signals that are read in terms of named wires, constants and nets."""
        for pieces in self.meaning.values():
            pieces.sort(key=lambda piece: piece[0])
        self.assigned = [(left, self._resolved(right)) for left, right in self.assigned]
        for cell in (*(net.cell for net in self.nets.values()), *self.others):
            for pin in reads(cell):
                cell.pins[pin] = self._resolved(cell.pins[pin])

    def _resolved(self, signal: Signal) -> Signal:
        return joined(found for chunk in signal for found in self._pieces(chunk))

    def _pieces(self, chunk: Chunk) -> Iterator[Chunk]:
        """What a chunk means; what nothing is known of stays itself."""
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

    def _join_bits(self) -> None:
        """Operations on single bits that stand side by side become one on all of them."""
        cells = [*(net.cell for net in self.nets.values()), *self.others]
        read = [right for _, right in self.assigned]
        read += [cell.pins[pin] for cell in cells for pin in reads(cell)]
        self.readers = Counter(wire for signal in read for wire in self._nets_in([signal]))
        by_wire: dict[str, list[tuple[Chunk, Signal]]] = {}
        for (left,), right in self.assigned:
            by_wire.setdefault(str(left.wire), []).append((left, right))
        self.assigned = []
        for pieces in by_wire.values():
            pieces.sort(key=lambda piece: piece[0].low)
            done = [pieces[0]]
            for left, right in pieces[1:]:
                last, before = done[-1]
                together = self._vector(before, right) if last.low + last.width == left.low else ()
                if together:
                    done[-1] = (last._replace(width=last.width + left.width), together)
                else:
                    done.append((left, right))
            self.assigned += [((left,), right) for left, right in done]
        for cell in self.others:
            for pin in reads(cell):
                cell.pins[pin] = self._joined_bits(cell.pins[pin])

    def _joined_bits(self, signal: Signal) -> Signal:
        done: list[Signal] = []
        for chunk in signal:
            together = self._vector(done[-1], (chunk,)) if done else ()
            if together and chunk.wire in self.nets:
                done[-1] = together
            else:
                done.append((chunk,))
        return tuple(chunk for piece in done for chunk in piece)

    def _vector(self, low: Signal, high: Signal) -> Signal:
        """Two signals side by side as one operation, name or constant; empty where that is not
        one, but two."""
        if not (len(low) == 1 and low[0].wire in self.nets):
            return _side_by_side(low, high)
        first, second = (self.nets.get(str(signal[0].wire)) for signal in (low, high))
        if first is None or second is None or first is second or len(high) != 1:
            return ()
        if first.cell.kind != second.cell.kind or first.cell.kind not in _BITWISE:
            return ()
        if self.readers[first.wire] != 1 or self.readers[second.wire] != 1:
            return ()
        pins = {}
        for pin, signal in first.cell.pins.items():
            pins[pin] = self._vector(signal, second.cell.pins[pin])
            if not pins[pin] or width(signal) != first.width:
                return ()
        wire, bits = f"{_NET}{self.count}", first.width + second.width
        self.count += 1
        cell = Cell(first.cell.kind, wire, {"A_SIGNED": "0"}, pins)
        self.nets[wire], self.readers[wire] = Net(cell, wire, bits), 1
        return (Chunk(wire, 0, bits),)

    def _ordered(self) -> list[str]:
        """The nets, each after those that it reads."""
        before = {
            wire: sorted(set(self._nets_in(net.cell.pins.values())))
            for wire, net in self.nets.items()
        }
        return list(TopologicalSorter(before).static_order())

    def _nets_in(self, signals: Iterable[Signal]) -> Iterator[str]:
        return (str(c.wire) for signal in signals for c in signal if c.wire in self.nets)

    def _share(self) -> None:
        """Equal operations on equal operands become one."""
        first: dict[object, str] = {}
        same: dict[str, str] = {}
        for wire in self._ordered():
            net = self.nets[wire]
            for pin, signal in net.cell.pins.items():
                net.cell.pins[pin] = _renamed(signal, same)
            key = (net.cell.kind, net.width, *net.cell.parameters.items(), *net.cell.pins.items())
            same[wire] = first.setdefault(key, wire)
        self.nets = {wire: self.nets[wire] for wire in same if same[wire] == wire}
        self.assigned = [(left, _renamed(right, same)) for left, right in self.assigned]
        for cell in self.others:
            for pin in reads(cell):
                cell.pins[pin] = _renamed(cell.pins[pin], same)

    def _keep_what_is_read(self) -> None:
        """Leave out what no way leads from to an output: named wires, registers, nets."""
        drivers = self._drivers()
        wires = self.module.wires
        todo = [wire.name for wire in wires.values() if wire.direction or "keep" in wire.attributes]
        for cell in self.others:
            if not cell.kind.startswith("$"):
                todo += _wires(cell.pins.values())
        live: set[str] = set()
        while todo:
            wire = todo.pop()
            if wire not in live:
                live.add(wire)
                todo += _wires(drivers.get(wire, ()))
        self.nets = {wire: net for wire, net in self.nets.items() if wire in live}
        self.assigned = [pair for pair in self.assigned if live.intersection(_wires(pair[:1]))]
        self.others = [cell for cell in self.others if live.intersection(_driven(cell))]
        self.module.wires = {name: wire for name, wire in wires.items() if name in live}

    def _drivers(self) -> dict[str, list[Signal]]:
        """The signals on which a wire depends."""
        drivers: dict[str, list[Signal]] = {}
        for left, right in self.assigned:
            for wire in _wires([left]):
                drivers.setdefault(wire, []).append(right)
        for cell in self.others:
            for wire in _driven(cell):
                inputs = (cell.pins[pin] for pin in reads(cell))
                drivers.setdefault(wire, []).extend(inputs)
        for wire, net in self.nets.items():
            drivers[wire] = list(net.cell.pins.values())
            if net.cell.kind == memories.READ:
                drivers[wire].append((Chunk(net.cell.parameters["MEMORY"], 0, 1),))
        return drivers

    def _narrow(self) -> None:
        """Operations get no wider than what is read of them, where that is all they depend on."""
        needed = dict.fromkeys(self.nets, 0)

        def count(signals: Iterable[Signal]) -> None:
            for signal in signals:
                for chunk in signal:
                    if chunk.wire in needed:
                        end = chunk.low + chunk.width
                        needed[chunk.wire] = max(needed[chunk.wire], end)

        count(right for _, right in self.assigned)
        count(cell.pins[pin] for cell in self.others for pin in reads(cell))
        for wire in reversed(list(self.nets)):
            net = self.nets[wire]
            if net.cell.kind in _FROM_BELOW and needed[wire] < net.width:
                net.width = needed[wire]
                for pin in ("A", "B"):
                    if pin in net.cell.pins:
                        net.cell.pins[pin] = part(net.cell.pins[pin], 0, net.width)
            count(net.cell.pins.values())

    def _count_uses(self) -> None:
        signals = [right for _, right in self.assigned]
        signals += [cell.pins[pin] for cell in self.others for pin in reads(cell)]
        signals += [signal for net in self.nets.values() for signal in net.cell.pins.values()]
        for signal in signals:
            for chunk in signal:
                if chunk.wire in self.nets:
                    self.nets[chunk.wire].uses.append(signal)


def widen(net: Net) -> None:
    """Make the operands of an operation as wide as its result, of a comparison as each other.

    A sum or difference that is one bit wider than its operands stays so, and so does a product:
    they are written as they are, where the width of what is assigned counts (`in_context`)."""
    cell, pins = net.cell, net.cell.pins
    signed = bool(cell.parameters.get("A_SIGNED") and cell.number("A_SIGNED"))
    operands = [pin for pin in ("A", "B") if pin in pins]
    widest = max((width(pins[pin]) for pin in operands), default=0)
    if cell.kind in COMPARISONS or (in_context(net) and cell.kind != "$mul"):
        wanted = widest
    elif cell.kind in ("$mul", *_FROM_BELOW[3:]) or cell.kind in ("$add", "$sub"):
        wanted = net.width
    else:
        return
    for pin in operands:
        pins[pin] = extended(pins[pin], wanted, signed)


def in_context(net: Net) -> bool:
    """Whether the operation is right only where it is assigned to something of its width."""
    pins = net.cell.pins
    if net.cell.kind == "$mul":
        return True
    if net.cell.kind not in ("$add", "$sub") or net.cell.number("A_SIGNED"):
        return False
    if any(len(pins[pin]) == 1 and str(pins[pin][0].wire).startswith(_NET) for pin in ("A", "B")):
        return False  # whose operands may be expressions, for which that width counts as well
    return net.width == max(width(pins["A"]), width(pins["B"])) + 1


def extended(signal: Signal, wanted: int, signed: bool) -> Signal:
    """The signal with so many bits: zeros or copies of its sign are put before it."""
    missing = wanted - width(signal)
    if missing <= 0:
        return signal
    if signed:
        return joined((*signal, *(part(signal, width(signal) - 1, 1) * missing)))
    return joined((*signal, Chunk(None, 0, missing, "0" * missing)))


def _side_by_side(low: Signal, high: Signal) -> Signal:
    """Two signals together if they are neighbouring slices, copies of one bit, or constants."""
    together = joined((*low, *high))
    copies = width(together) == len(together) and len(set(together)) == 1
    return together if len(together) == 1 or copies else ()


def _renamed(signal: Signal, names: dict[str, str]) -> Signal:
    return tuple(
        chunk._replace(wire=names.get(chunk.wire, chunk.wire)) if chunk.wire else chunk
        for chunk in signal
    )


def merge_names(module: Module) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Of named wires that are one and the same, ports and one more stay at most; the others' names
    are replaced by it.  All names of those that stay, and the better one where there is one."""
    groups: dict[str, list[str]] = {name: [name] for name in module.wires if is_named(name)}
    for left, right in module.connections:
        names = [_whole(side, module) for side in (left, right)]
        one, other = (groups.get(name or "") for name in names)
        if one is not None and other is not None and one is not other:
            one += other
            groups |= dict.fromkeys(other, one)
    stays, labels, aliases = dict[str, str](), dict[str, str](), dict[str, list[str]]()
    for group in {id(group): group for group in groups.values()}.values():
        ports = [module.wires[name] for name in group if module.wires[name].direction]
        ports.sort(key=lambda port: (port.direction != "input", port.position))
        inner = [name for name in group if not module.wires[name].direction]
        inner.sort(key=lambda name: (is_numbered(name), unnumbered(name) == _NAMELESS[1:]))
        kept = ports[0].name if ports else inner[0]
        if inner and is_numbered(kept) and not is_numbered(inner[0]):
            labels[kept] = inner[0]
        wire, aliases[kept] = module.wires[kept], group
        for name in inner:
            stays[name] = kept
            wire.init = wire.init or module.wires[name].init
            wire.attributes = module.wires[name].attributes | wire.attributes
    for cell in module.cells:
        cell.pins = {pin: _renamed(signal, stays) for pin, signal in cell.pins.items()}
    module.connections = [
        (_renamed(left, stays), _renamed(right, stays)) for left, right in module.connections
    ]
    module.wires = {n: wire for n, wire in module.wires.items() if stays.get(n, n) == n}
    return aliases, labels


def label_ports(netlists: Sequence[Netlist]) -> None:
    """Ports that have no name of their own, or also the one of what they are connected to outside,
    are called like that."""
    known = {netlist.name: netlist for netlist in netlists}
    pins = [
        (outer, known[cell.kind], f"\\{pin}", signal)
        for outer in netlists
        for cell in outer.instances
        if cell.kind in known
        for pin, signal in cell.pins.items()
    ]
    changed = True
    while changed:  # names go down through the hierarchy
        changed = False
        for outer, inner, port, signal in pins:
            name = outer.labels.get(str(signal[0].wire), str(signal[0].wire))
            good = len(signal) == 1 and is_named(name) and not is_numbered(name)
            also = is_numbered(port) or name in inner.aliases.get(port, ())
            if good and also and port not in inner.labels and name != port:
                inner.labels[port] = name
                changed = True


def _whole(signal: Signal, module: Module) -> str | None:
    """The named wire of which a signal is the whole."""
    (first, *more) = signal
    if more or not is_named(first.wire):
        return None
    return first.wire if first.width == module.wires[str(first.wire)].width else None


def _wires(signals: Iterable[Signal]) -> list[str]:
    return [chunk.wire for signal in signals for chunk in signal if chunk.wire is not None]


def _driven(cell: Cell) -> list[str]:
    """The wires that a register or an instance drives (or may drive); of a memory its name."""
    if cell.kind == memories.KIND:
        return [cell.name]
    return _wires([cell.pins["Q"]] if cell.kind == REGISTER else cell.pins.values())
