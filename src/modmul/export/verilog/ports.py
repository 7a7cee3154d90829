"""Ports of inner modules that nobody reads are left out, and what they alone are for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.rtlil import Cell, Wire
from modmul.export.verilog.sharing import keep_what_is_read


def drop_unread(netlists: Sequence[Netlist], public: Collection[str]) -> None:
    """Inputs that their module does not read, and outputs that no user does.

    public: the modules that are known outside, whose ports stay."""
    inner = {netlist.name: netlist for netlist in netlists if netlist.name not in public}
    changed = True
    while changed:
        found = list(_unread(netlists, inner))
        for netlist, port in found:
            _drop(netlists, netlist, port)
        for netlist in netlists if found else ():
            keep_what_is_read(netlist)
        changed = bool(found)


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

    def is_read(port: Wire, outer: Netlist, cell: Cell) -> bool:
        """Whether the output of an instance is connected to more than its own pin."""
        signal = cell.pins.get(port.name[1:], ())
        return any(
            counted[outer.name][chunk.wire] > 1 or outer.wires[chunk.wire].direction
            if chunk.wire in outer.wires
            else counted[outer.name][chunk.wire] > 1
            for chunk in signal
        )

    for name, netlist in inner.items():
        for port in netlist.ports:
            if "keep" in port.attributes or not users[name]:
                continue
            if port.direction == "input":
                unread = not counted[name][port.name]
            else:
                unread = not any(is_read(port, *user) for user in users[name])
            if unread:
                yield netlist, port


def _drop(netlists: Sequence[Netlist], netlist: Netlist, port: Wire) -> None:
    port.direction = ""
    for outer in netlists:
        for cell in outer.instances:
            if cell.kind == netlist.name:
                cell.pins.pop(port.name[1:], None)
