"""Takes vectors apart whose parts have names: the payload of a stream, which is one signal of a
component, becomes a port and a wire for each of its fields."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from modmul.export.remarks import Field, Remarks
from modmul.export.verilog.aliases import unnumbered
from modmul.export.verilog.netlist import renamed
from modmul.export.verilog.rtlil import Chunk, RtlilModule, Signal, Wire, joined, part

_END = "_payload"  # left out in the names of fields
_Node = tuple[str, str]  # a module and one of its wires


def take_apart(
    modules: Sequence[RtlilModule], remarks: Mapping[str, Remarks], public: Collection[str]
) -> dict[str, dict[str, list[str]]]:
    """Replace the wires of structs, and return the names of their fields, by modules and wires.

    remarks: of each module, with the fields of its ports.  public: modules whose ports stay.  Wires
    that are the same as a whole, in one module or through a port, are taken apart together; not if
    one of them is a register, or if their fields have different names."""
    nodes = _Same(modules, remarks)
    fields: dict[_Node, tuple[Field, ...]] = {}
    for module in modules:
        known = remarks.get(module.name, Remarks()).fields
        for wire in module.wires.values():
            if wire.direction and module.name not in public:
                fields[module.name, wire.name] = known.get(unnumbered(wire.name), ())
    done: dict[str, dict[str, list[str]]] = {module.name: {} for module in modules}
    split: dict[str, dict[str, list[Chunk]]] = {module.name: {} for module in modules}
    by_name = {module.name: module for module in modules}
    for group in nodes.groups():
        found = {own for node in group if (own := fields.get(node))}
        if len(found) != 1 or any(map(nodes.stays, group)):
            continue
        (own,) = found
        if any(nodes.wire(node).direction and node[0] in public for node in group):
            continue
        bits = own[-1].low + own[-1].width
        if any(nodes.wire(node).width != bits for node in group):
            continue
        for name, vector in group:
            pieces = list(_pieces(by_name[name], vector, own))
            split[name][vector] = pieces
            done[name][vector] = [str(piece.wire) for piece in pieces]
    for module in modules:
        _replace(module, split)
    shorter = {module.name: dict(_shorter(module)) for module in modules}
    for module in modules:
        _rename(module, shorter)
        done[module.name] |= {old: [new] for old, new in shorter[module.name].items()}
    return done


class _Same:
    """Wires that are the same as a whole, not through a port that a component has as a vector."""

    def __init__(self, modules: Sequence[RtlilModule], remarks: Mapping[str, Remarks]):
        self.modules = {module.name: module for module in modules}
        self.leader: dict[_Node, _Node] = {}
        self.registers: set[_Node] = set()
        for module in modules:
            for left, right in module.connections:
                self._join(self._whole(module, left), self._whole(module, right))
            for cell in module.cells:
                if cell.kind in self.modules:
                    about = remarks.get(cell.kind, Remarks())
                    vectors = {name for name in about.members if name not in about.fields}
                    for pin, signal in cell.pins.items():
                        if unnumbered(f"\\{pin}") not in vectors:
                            self._join(self._whole(module, signal), (cell.kind, f"\\{pin}"))
                for chunk in cell.pins.get("Q", ()) if cell.kind.startswith("$") else ():
                    self.registers.add((module.name, str(chunk.wire)))

    def wire(self, node: _Node) -> Wire:
        return self.modules[node[0]].wires[node[1]]

    def stays(self, node: _Node) -> bool:
        """Whether a wire is a register."""
        return node in self.registers

    def groups(self) -> Iterator[list[_Node]]:
        groups: dict[_Node, list[_Node]] = {}
        for module in self.modules.values():
            for wire in module.wires:
                node = (module.name, wire)
                groups.setdefault(self._first(node), []).append(node)
        yield from groups.values()

    def _whole(self, module: RtlilModule, signal: Signal) -> _Node | None:
        wire = module.wires.get(str(signal[0].wire)) if len(signal) == 1 else None
        same = wire is not None and signal[0].width == wire.width
        return (module.name, wire.name) if wire is not None and same else None

    def _first(self, node: _Node) -> _Node:
        while node in self.leader:
            node = self.leader[node]
        return node

    def _join(self, one: _Node | None, other: _Node | None) -> None:
        if one is None or other is None:
            return
        first, second = self._first(one), self._first(other)
        if first != second:
            self.leader[second] = first


def _pieces(module: RtlilModule, wire: str, fields: Sequence[Field]) -> Iterator[Chunk]:
    plain = unnumbered(wire)
    number = wire.removeprefix(f"\\{plain}")
    old = module.wires[wire]
    for place, field in enumerate(fields):
        names = (f"{plain.removesuffix(_END)}_{field.name}", f"{plain}_{field.name}")
        free = (f"\\{name}{end}" for end in (number, f"{number}$1") for name in names)
        name = next(name for name in free if name not in module.wires)
        end = len(old.init) - field.low
        module.wires[name] = replace(
            old,
            name=name,
            width=field.width,
            position=old.position * len(module.wires) + place,
            init=old.init[end - field.width : end] if old.init else "",
        )
        yield Chunk(name, 0, field.width)


def _replace(module: RtlilModule, split: Mapping[str, Mapping[str, Sequence[Chunk]]]) -> None:
    own = split[module.name]

    def taken(signal: Signal) -> Signal:
        return joined(piece for chunk in signal for piece in _parts(chunk, own))

    module.connections = [
        pair for left, right in module.connections for pair in _pairs(taken(left), taken(right))
    ]
    for cell in module.cells:
        pins = dict[str, Signal]()
        for pin, signal in cell.pins.items():
            ports, low = split.get(cell.kind, {}).get(f"\\{pin}"), 0
            for port in ports or ():
                pins[str(port.wire)[1:]] = part(taken(signal), low, port.width)
                low += port.width
            if ports is None:
                pins[pin] = taken(signal)
        cell.pins = pins
    for wire in own:
        del module.wires[wire]


def _pairs(left: Signal, right: Signal) -> Iterator[tuple[Signal, Signal]]:
    """A connection field by field, if both sides have the same fields."""
    bits = [chunk.width for chunk in left]
    if len(bits) > 1 and bits == [chunk.width for chunk in right]:
        yield from (((one,), (other,)) for one, other in zip(left, right, strict=True))
    else:
        yield left, right


def _shorter(module: RtlilModule) -> Iterator[tuple[str, str]]:
    """The wires that Amaranth names after a field of a payload, with shorter names."""
    taken = set(module.wires)
    for wire in module.wires:
        name = wire.replace(f"{_END}_", "_")
        if name not in taken:
            taken.add(name)
            yield wire, name


def _rename(module: RtlilModule, names: Mapping[str, Mapping[str, str]]) -> None:
    own = names[module.name]
    wires = (replace(wire, name=own.get(name, name)) for name, wire in module.wires.items())
    module.wires = {wire.name: wire for wire in wires}
    module.connections = [
        (renamed(left, own), renamed(right, own)) for left, right in module.connections
    ]
    for cell in module.cells:
        ports = names.get(cell.kind, {})
        cell.pins = {
            ports.get(f"\\{pin}", f"\\{pin}")[1:]: renamed(signal, own)
            for pin, signal in cell.pins.items()
        }


def _parts(chunk: Chunk, split: Mapping[str, Sequence[Chunk]]) -> Iterator[Chunk]:
    pieces = split.get(str(chunk.wire))
    if pieces is None:
        yield chunk
    else:
        yield from part(tuple(pieces), chunk.low, chunk.width)
