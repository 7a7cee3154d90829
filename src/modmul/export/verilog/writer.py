"""A design as Verilog-2005."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from modmul.export.remarks import Remarks
from modmul.export.verilog import alike, families, rtlil
from modmul.export.verilog.aliases import label_ports
from modmul.export.verilog.module import ModuleText
from modmul.export.verilog.naming import Naming
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.ports import drop_unread, join_inputs, open_unread
from modmul.export.verilog.sorting import settle, sorted_out


@dataclass(frozen=True)
class Written:
    """text: the Verilog.  modules: what instances of each module of the RTLIL begin with in it: a
    name, and values of parameters.  said: of the modules of the text."""

    text: str
    modules: Mapping[str, str]
    said: Mapping[str, Remarks]


@dataclass(frozen=True)
class _Design:
    """netlists: what is written.  said: of these.  became: the netlist in which another one stands,
    and values of its parameters, by the names in the RTLIL."""

    netlists: Sequence[Netlist]
    said: Mapping[str, Remarks]
    became: Mapping[str, tuple[str, Mapping[str, int]]]


def verilog(
    design: str,
    order: Mapping[str, Sequence[str]],
    said: Mapping[str, Remarks],
    meanings: Mapping[str, Mapping[str, str]],
) -> Written:
    """The text of a design given as RTLIL without processes.

    order: of the names in a module, as they stand in the source.  said: of a module, its sections
    and ports.  meanings: of the ports of the modules that are known outside.  ValueError for what
    cannot be written."""
    ports: dict[str, dict[str, str]] = {}
    found = _design(design, order, said, meanings)
    made = [
        ModuleText(netlist, ports, found.said.get(netlist.name, Remarks()),
                   meanings.get(netlist.name))
        for netlist in _from_the_top(found.netlists, meanings)
    ]  # fmt: skip
    for one in made:
        ports[one.netlist.name] = {
            port.name[1:]: one.naming.found[port.name] for port in one.netlist.ports
        }
    texts, first = [], dict[tuple[str, ...], str]()
    for one in made:
        # of other ports what stands above the first might not be true
        same = (one.said.kind, one.said.common, *ports[one.netlist.name].values())
        texts.append(one.text(first.get(same, "")))
        if one.said.kind:
            first.setdefault(same, one.netlist.name)
    modules = {old: _beginning(name, values) for old, (name, values) in found.became.items()}
    return Written("\n".join(texts), modules, found.said)


def _beginning(name: str, values: Mapping[str, int]) -> str:
    """What an instance begins with."""
    given = ", ".join(f".{parameter}({value})" for parameter, value in values.items())
    return f"{name} #({given})" if given else name


def _from_the_top(netlists: Sequence[Netlist], public: Collection[str]) -> list[Netlist]:
    """Each module before those that it uses, level by level; of one level in the order of names
    and numbers, those known outside last."""

    def key(name: str) -> tuple[object, ...]:
        return name in public, [(not p.isdigit(), int(p) if p.isdigit() else 0, p)
                                for p in re.split(r"(\d+)", name)]  # fmt: skip

    known = {netlist.name: netlist for netlist in netlists}
    inside = {
        name: sorted({cell.kind for cell in netlist.instances if cell.kind in known}, key=key)
        for name, netlist in known.items()
    }
    used = {inner for found in inside.values() for inner in found}
    order = sorted((name for name in known if name not in used), key=key)
    for name in order:  # grows while it is read
        order += [inner for inner in inside[name] if inner not in order]
    return [known[name] for name in order]


def plain_names(
    design: str,
    order: Mapping[str, Sequence[str]],
    said: Mapping[str, Remarks],
    public: Collection[str],
) -> dict[str, dict[str, str]]:
    """What everything that keeps a name is called in the text, by module and name in RTLIL.

    public: the modules whose ports are known outside."""
    found = _design(design, order, said, public)
    names = {one.name: Naming(one).found for one in found.netlists}
    return {old: names[new] for old, (new, _) in found.became.items()}


def _design(
    design: str,
    order: Mapping[str, Sequence[str]],
    said: Mapping[str, Remarks],
    public: Collection[str],
) -> _Design:
    netlists = []
    for module in rtlil.read(design):
        one = said.get(module.name, Remarks())
        structs = [port for port in one.ports if port.endswith("_payload")]
        found = sorted_out(module, order.get(module.name, ()), one.registers, structs)
        netlists.append(found)
    names = [netlist.name for netlist in netlists]
    about = {name: said.get(name, Remarks()) for name in names}
    join_inputs(netlists, {name: about[name].members for name in names if name not in public})
    netlists, merged = alike.merge(netlists, about, public)
    drop_unread(netlists, public)
    open_unread(netlists)
    for netlist in netlists:
        settle(netlist)
    inner = [one.name for one in netlists if one.name not in public]
    label_ports(netlists, {name: about[name].members for name in inner})
    netlists, became = families.join(netlists, about, public)
    now = {name: merged.get(name, name) for name in names}
    return _Design(
        netlists,
        {one.name: about[one.name] for one in netlists},
        {old: became.get(new, (new, {})) for old, new in now.items()},
    )
