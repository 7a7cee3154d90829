"""Merges ports that are one port in the component, and removes ports that are not read, with the
logic that only they need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from modmul.export.verilog.aliases import is_numbered, unnumbered
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.rtlil import Cell, Chunk, Signal, Wire, joined
from modmul.export.verilog.sharing import keep_what_is_read


def join_inputs(netlists: Sequence[Netlist], members: Mapping[str, Collection[str]]) -> None:
    """Merge inputs that a module reads only as parts of one wire, if its component has that wire as
    a port.  members: the ports of components, by their modules."""
    for netlist in netlists:
        read = Counter(c.wire for signal in netlist.read() for c in signal)
        inputs = {wire.name: wire for wire in netlist.ports if wire.direction == "input"}
        for (left,), right in list(netlist.assigned):
            wire = netlist.wires[str(left.wire)]
            if wire.direction or unnumbered(wire.name) not in members.get(netlist.name, ()):
                continue
            pieces = [inputs.get(str(chunk.wire)) for chunk in right]
            if left.width == wire.width and all(
                port and port.width == chunk.width and read[port.name] == 1
                for port, chunk in zip(pieces, right, strict=True)
            ):
                netlist.assigned.remove(((left,), right))
                _join(netlists, netlist, wire, [str(chunk.wire) for chunk in right])


def _join(
    netlists: Sequence[Netlist], netlist: Netlist, whole: Wire, pieces: Sequence[str]
) -> None:
    whole.direction, whole.position = "input", netlist.wires[pieces[0]].position
    for piece in pieces:
        del netlist.wires[piece]
    for outer in netlists:
        for cell in outer.instances:
            if cell.kind == netlist.name:
                signals = [cell.pins.pop(piece[1:]) for piece in pieces]
                cell.pins[whole.name[1:]] = joined(c for signal in signals for c in signal)


def drop_unread(netlists: Sequence[Netlist], public: Collection[str]) -> None:
    """Remove inputs that their module does not read, and outputs that no user reads.

    public: the modules that are known outside, whose ports stay."""
    inner = {netlist.name: netlist for netlist in netlists if netlist.name not in public}
    changed = True
    while changed:
        unread = list(_unread(netlists, inner))
        for netlist, port in unread:
            _drop(netlists, netlist, port)
        for netlist in netlists if unread else ():
            keep_what_is_read(netlist)
        changed = bool(unread)


def open_unread(netlists: Sequence[Netlist]) -> None:
    """Leave pins of instances open if their output is read elsewhere, but not here."""
    known = {netlist.name: netlist for netlist in netlists}
    for outer in netlists:
        counted = Counter(c.wire for signal in outer.read() for c in signal)
        for cell in outer.instances:
            for port in known[cell.kind].ports if cell.kind in known else ():
                pin, signal = port.name[1:], cell.pins.get(port.name[1:], ())
                if port.direction == "output" and signal and not _is_read(signal, outer, counted):
                    cell.pins[pin] = (Chunk(None, 0, port.width, "z" * port.width),)
                    for chunk in signal:
                        outer.wires.pop(str(chunk.wire), None)


def _is_read(signal: Signal, outer: Netlist, counted: Mapping[str | None, int]) -> bool:
    """Whether the output of an instance is connected to more than its own pin.  counted: how often
    each outside wire is connected or read."""
    return any(
        counted[chunk.wire] > 1
        or (chunk.wire in outer.wires and bool(outer.wires[chunk.wire].direction))
        for chunk in signal
    )


def _unread(
    netlists: Sequence[Netlist], inner: dict[str, Netlist]
) -> Iterator[tuple[Netlist, Wire]]:
    users: dict[str, list[tuple[Netlist, Cell]]] = {name: [] for name in inner}
    counted: dict[str, Counter[str | None]] = {}
    for netlist in netlists:
        counted[netlist.name] = Counter(c.wire for signal in netlist.read() for c in signal)
        for cell in netlist.instances:
            if cell.kind in users:
                users[cell.kind].append((netlist, cell))

    for name, netlist in inner.items():
        for port in netlist.ports:
            if "keep" in port.attributes or not users[name]:
                continue
            if port.direction == "input":
                unread = not counted[name][port.name]
            else:
                unread = not any(
                    _is_read(cell.pins.get(port.name[1:], ()), outer, counted[outer.name])
                    for outer, cell in users[name]
                )
            if unread:
                yield netlist, port


def _drop(netlists: Sequence[Netlist], netlist: Netlist, port: Wire) -> None:
    port.direction = ""
    for outer in netlists:
        for cell in outer.instances:
            if cell.kind != netlist.name:
                continue
            for chunk in cell.pins.pop(port.name[1:], ()):
                wire = chunk.wire or ""
                others = (
                    c.wire for other in outer.instances for s in other.pins.values() for c in s
                )
                if is_numbered(wire) and wire in outer.wires and wire not in others:
                    # it would be named after the pin
                    name = f"{unnumbered(cell.name)}_{unnumbered(port.name)}"
                    outer.labels.setdefault(wire, f"\\{name}")
