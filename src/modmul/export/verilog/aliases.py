"""Chooses, for a wire with several names, which of them the text uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from modmul.export.verilog.netlist import Netlist, is_named, renamed
from modmul.export.verilog.rtlil import Chunk, RtlilModule, Signal, Wire

_NAMELESS = "signal"  # Amaranth's name for a signal that is assigned to no variable
_OF_MEMORY = "signature_"  # and for those of the ports of a memory
_NUMBERED = re.compile(r"(.+?)(?:\$\d+)+")


def is_numbered(wire: str) -> bool:
    """Whether the name is only another name with a number behind it."""
    return _NUMBERED.fullmatch(wire) is not None


def is_nameless(wire: str) -> bool:
    """Whether no variable in the source had the signal."""
    plain = unnumbered(wire)
    return plain == _NAMELESS or plain.startswith(_OF_MEMORY)


def unnumbered(wire: str) -> str:
    """The name from the source without its backslash and without such a number."""
    match = _NUMBERED.fullmatch(wire)
    return (match[1] if match else wire).removeprefix("\\")


def merge_names(
    module: RtlilModule, registers: Collection[str], noted: Collection[str]
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Merge named wires that are the same: only ports and at most one other wire stay, and replace
    the rest.  Return all names of the wires that stay, and a better name for those that have one.

    registers: the names, as in the text, of signals that clocked statements assign.  These are
    preferred, even to an output, which then is assigned.  noted: names that comments explain, which
    are preferred to those at pins of instances, and these to others."""
    preferred = _Preferred(registers, noted, _at_pins(module))
    stays, labels, aliases = dict[str, str](), dict[str, str](), dict[str, list[str]]()
    outputs = list[tuple[Signal, Signal]]()
    for group in _groups(module):
        ports = [module.wires[name] for name in group if module.wires[name].direction]
        ports.sort(key=lambda port: (port.direction != "input", port.position))
        inner = [name for name in group if not module.wires[name].direction]
        inner.sort(key=preferred.badness)
        chosen = ports[0].name if ports else inner[0]
        if inner and is_numbered(chosen) and not is_numbered(inner[0]):
            labels[chosen] = inner[0]
        given_up = inner
        if ports and _is_better(inner, ports, preferred):
            chosen, labels = inner[0], {name: labels[name] for name in labels if name != chosen}
            given_up = group
            outputs += [(_all(port), _all(module.wires[chosen])) for port in ports]
        wire, aliases[chosen] = module.wires[chosen], group
        for name in given_up:
            stays[name] = chosen
            wire.init = wire.init or module.wires[name].init
            wire.attributes = module.wires[name].attributes | wire.attributes
    for cell in module.cells:
        cell.pins = {pin: renamed(signal, stays) for pin, signal in cell.pins.items()}
    connections = [
        (renamed(left, stays), renamed(right, stays)) for left, right in module.connections
    ]
    # names of one output, each connected to its driver, have become the same connection
    module.connections = list(dict.fromkeys(connections)) + outputs
    module.wires = {
        n: wire for n, wire in module.wires.items() if wire.direction or stays.get(n, n) == n
    }
    return aliases, labels


def _groups(module: RtlilModule) -> list[list[str]]:
    groups: dict[str, list[str]] = {name: [name] for name in module.wires if is_named(name)}
    for left, right in module.connections:
        names = [_whole(side, module) for side in (left, right)]
        group, second = (groups.get(name or "") for name in names)
        if group is not None and second is not None and group is not second:
            group += second
            groups |= dict.fromkeys(second, group)
    return list({id(group): group for group in groups.values()}.values())


def _at_pins(module: RtlilModule) -> set[str]:
    """The wires at pins of instances: there Amaranth uses the first name of a signal."""
    return {
        str(chunk.wire)
        for cell in module.cells
        if not cell.kind.startswith("$")
        for signal in cell.pins.values()
        for chunk in signal
        if chunk.wire is not None
    }


class _Preferred(NamedTuple):
    """Names that are preferred to others: see `merge_names`."""

    registers: Collection[str]
    noted: Collection[str]
    at_pins: Collection[str]

    def badness(self, name: str) -> tuple[bool, ...]:
        """A sorting key: the disadvantages of a name, the worst first."""
        plain = unnumbered(name)
        numbered = is_numbered(name)
        return (
            is_nameless(name),
            plain not in self.registers,
            numbered or plain not in self.noted,
            name not in self.at_pins,
            numbered,
        )


def _is_better(inner: list[str], ports: list[Wire], preferred: _Preferred) -> bool:
    """Whether the first of the inner names is that of a register, and none of the ports has it."""
    if not inner or any(port.direction == "input" for port in ports):
        return False
    same = unnumbered(inner[0]) in {unnumbered(port.name) for port in ports}
    nameless, unregistered, *_, numbered = preferred.badness(inner[0])
    return not (nameless or unregistered or numbered or same)


def _all(wire: Wire) -> Signal:
    return (Chunk(wire.name, 0, wire.width),)


def label_ports(netlists: Sequence[Netlist], members: Mapping[str, Sequence[str]]) -> None:
    """Name the ports inside a text as in the component of their module, and order them as it
    declares them.  Ports without a name of their own are named after their connection outside.

    members: the ports of components, by their modules.  Modules that are known outside are not in
    it: their ports stay."""
    known = {netlist.name: netlist for netlist in netlists if netlist.name in members}
    for netlist in known.values():
        _label(netlist, members[netlist.name])
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
            if good and is_numbered(port) and port not in inner.labels:
                inner.labels[port] = name
                changed = True


def _label(netlist: Netlist, members: Sequence[str]) -> None:
    order = {f"\\{name}": place for place, name in enumerate(("clk", "rst", *members))}
    used = {port.name for port in netlist.ports}
    for port in netlist.ports:
        names = [port.name, *netlist.aliases.get(port.name, ())]
        plain = [f"\\{unnumbered(name)}" for name in names]
        label = next((name for name in plain if name in order), None)
        if label is not None and (label == port.name or label not in used):
            netlist.labels[port.name] = label
            used.add(label)
    last = len(order)
    ports = sorted(
        netlist.ports,
        key=lambda port: (order.get(netlist.labels.get(port.name, port.name), last), port.position),
    )
    for place, port in enumerate(ports):
        port.position = place


def _whole(signal: Signal, module: RtlilModule) -> str | None:
    """The named wire that a signal consists of, as a whole."""
    if len(signal) != 1:
        return None
    (first,) = signal
    if not is_named(first.wire):
        return None
    return first.wire if first.width == module.wires[str(first.wire)].width else None
