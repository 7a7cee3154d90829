"""Several names for one wire: which of them a text uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from modmul.export.verilog.netlist import Netlist, is_named, renamed
from modmul.export.verilog.rtlil import Module, Signal

_NAMELESS = "signal"  # what a signal is called that stands in no variable
_NUMBERED = re.compile(r"(.+?)(?:\$\d+)+")


def is_numbered(wire: str) -> bool:
    """Whether the name is only another's with a number behind it."""
    return _NUMBERED.fullmatch(wire) is not None


def unnumbered(wire: str) -> str:
    """The name from the source without its backslash and without such a number."""
    found = _NUMBERED.fullmatch(wire)
    return (found[1] if found else wire).removeprefix("\\")


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
        inner.sort(key=lambda name: (is_numbered(name), unnumbered(name) == _NAMELESS))
        kept = ports[0].name if ports else inner[0]
        if inner and is_numbered(kept) and not is_numbered(inner[0]):
            labels[kept] = inner[0]
        wire, aliases[kept] = module.wires[kept], group
        for name in inner:
            stays[name] = kept
            wire.init = wire.init or module.wires[name].init
            wire.attributes = module.wires[name].attributes | wire.attributes
    for cell in module.cells:
        cell.pins = {pin: renamed(signal, stays) for pin, signal in cell.pins.items()}
    module.connections = [
        (renamed(left, stays), renamed(right, stays)) for left, right in module.connections
    ]
    module.wires = {n: wire for n, wire in module.wires.items() if stays.get(n, n) == n}
    return aliases, labels


def label_ports(netlists: Sequence[Netlist], public: Collection[str]) -> None:
    """Ports that have no name of their own, or also the one of what they are connected to outside,
    are called like that; but those of modules that are known outside stay as they are."""
    known = {netlist.name: netlist for netlist in netlists if netlist.name not in public}
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
