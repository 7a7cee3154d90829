"""Writes a design as Verilog-2005."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from modmul.export.remarks import Remarks
from modmul.export.verilog import alike, families, hard_blocks, rtlil, structs
from modmul.export.verilog.aliases import label_ports, unnumbered
from modmul.export.verilog.module import ModuleText
from modmul.export.verilog.naming import Naming
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.ports import drop_unread, join_inputs, open_unread
from modmul.export.verilog.sorting import settle, sorted_out


@dataclass(frozen=True)
class Merged:
    """The netlists to write, in any language.  remarks: of these.  became: for each module of the
    RTLIL the netlist that stands for it, and values of its parameters."""

    netlists: Sequence[Netlist]
    remarks: Mapping[str, Remarks]
    became: Mapping[str, tuple[str, Mapping[str, int]]]


@dataclass(frozen=True)
class Written:
    """The written text.  text: the Verilog.  modules: for each module of the RTLIL, the beginning
    of its instances in the text: a name, and values of parameters.  merged: of what it is
    written."""

    text: str
    modules: Mapping[str, str]
    merged: Merged


def verilog(
    design: str,
    order: Mapping[str, Sequence[str]],
    remarks: Mapping[str, Remarks],
    meanings: Mapping[str, Mapping[str, str]],
) -> Written:
    """The text of a design given as RTLIL without processes.

    order: the names in each module, in the order of the source.  remarks: on modules, their
    sections and ports.  meanings: of the ports of the modules that are known outside.  Raises
    ValueError for a design that cannot be written."""
    ports: dict[str, dict[str, str]] = {}
    merged = _design(design, order, remarks, meanings)
    written = [
        ModuleText(
            netlist, ports, merged.remarks.get(netlist.name, Remarks()), meanings.get(netlist.name)
        )
        for netlist in from_the_top(merged.netlists, meanings)
    ]
    for module in written:
        ports[module.netlist.name] = {
            port.name[1:]: module.naming.names[port.name] for port in module.netlist.ports
        }
    texts, first = [], dict[tuple[str, ...], str]()
    for module in written:
        # the comment above the first module might be false for one with other ports
        same = (module.remarks.kind, module.remarks.common, *ports[module.netlist.name].values())
        texts.append(module.text(first.get(same, "")))
        if module.remarks.kind:
            first.setdefault(same, module.netlist.name)
    modules = {old: _beginning(name, values) for old, (name, values) in merged.became.items()}
    return Written("\n".join(texts), modules, merged)


def _beginning(name: str, values: Mapping[str, int]) -> str:
    pairs = ", ".join(f".{parameter}({value})" for parameter, value in values.items())
    return f"{name} #({pairs})" if pairs else name


def from_the_top(netlists: Sequence[Netlist], public: Collection[str]) -> list[Netlist]:
    """The modules in order: each before those that it uses, level by level; in a level by
    names and numbers, those known outside last."""

    def key(name: str) -> tuple[object, ...]:
        return name in public, [
            (not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in re.split(r"(\d+)", name)
        ]

    known = {netlist.name: netlist for netlist in netlists}
    inside = {
        name: sorted({cell.kind for cell in netlist.instances if cell.kind in known}, key=key)
        for name, netlist in known.items()
    }
    used = {inner for children in inside.values() for inner in children}
    order = sorted((name for name in known if name not in used), key=key)
    for name in order:  # grows while it is read
        order += [inner for inner in inside[name] if inner not in order]
    return [known[name] for name in order]


def _with_fields(remark: Remarks, taken: Mapping[str, Sequence[str]]) -> Remarks:
    """The remarks on a module whose structs were taken apart."""
    fields = {old[1:]: [unnumbered(name) for name in new] for old, new in taken.items()}
    members = tuple(new for old in remark.members for new in fields.get(old, [old]))
    return replace(remark, members=members)


def _pins(netlist: Netlist) -> list[str]:
    """The pins of instances of a module, as they are called in RTLIL."""
    return sorted(port.name[1:] for port in netlist.ports)


def _pins_by_text(netlist: Netlist) -> list[str]:
    """The same, sorted by the names in the text, which can be others."""
    names = Naming(netlist).names
    return [port.name[1:] for port in sorted(netlist.ports, key=lambda port: names[port.name])]


def _body(netlist: Netlist, remarks: Mapping[str, Remarks]) -> str:
    """The text of a module without its name and comments."""
    about = remarks.get(netlist.name, Remarks())
    text = ModuleText(replace(netlist, name=""), {}, about, None).text()
    return "\n".join(filter(None, (line.partition("//")[0].rstrip() for line in text.splitlines())))


def _design(
    design: str,
    order: Mapping[str, Sequence[str]],
    remarks: Mapping[str, Remarks],
    public: Collection[str],
) -> Merged:
    netlists = []
    modules = rtlil.read(design)
    taken = structs.take_apart(modules, remarks, public)
    for module in modules:
        remark, fields = remarks.get(module.name, Remarks()), taken[module.name]
        own_order = [new for old in order.get(module.name, ()) for new in fields.get(old, [old])]
        noted = {name for notes in remark.sections.values() for name in notes}
        netlists.append(sorted_out(module, own_order, remark.registers, noted))
    names = [netlist.name for netlist in netlists]
    about = {name: _with_fields(remarks.get(name, Remarks()), taken[name]) for name in names}
    join_inputs(netlists, {name: about[name].members for name in names if name not in public})
    for netlist in netlists:
        for cell in netlist.instances:
            cell.note = about[cell.kind].holds if cell.kind in about else ""
    netlists, merged = alike.merge(netlists, about, public, alike.content, _pins)
    netlists = hard_blocks.share(netlists, about)
    drop_unread(netlists, public)
    open_unread(netlists)
    for netlist in netlists:
        settle(netlist)
    inner = [netlist.name for netlist in netlists if netlist.name not in public]
    label_ports(netlists, {name: about[name].members for name in inner})
    # without what nothing reads, and with all names, more modules are equal
    netlists, again = alike.merge(
        netlists, about, public, lambda module: _body(module, about), _pins_by_text
    )
    netlists, became = families.join(netlists, about, public)
    now = {name: merged.get(name, name) for name in names}
    now = {old: again.get(new, new) for old, new in now.items()}
    return Merged(
        netlists,
        {netlist.name: about[netlist.name] for netlist in netlists},
        {old: became.get(new, (new, {})) for old, new in now.items()},
    )
