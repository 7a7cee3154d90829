"""A design as Verilog-2005."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from modmul.export.remarks import Remarks
from modmul.export.verilog import rtlil
from modmul.export.verilog.aliases import label_ports
from modmul.export.verilog.module import ModuleText
from modmul.export.verilog.naming import Naming
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.ports import drop_unread, join_inputs
from modmul.export.verilog.sorting import settle, sorted_out


def verilog(
    design: str,
    order: Mapping[str, Sequence[str]],
    said: Mapping[str, Remarks],
    meanings: Mapping[str, Mapping[str, str]],
) -> str:
    """The text of a design given as RTLIL without processes.

    order: of the names in a module, as they stand in the source.  said: of a module, its sections
    and ports.  meanings: of the ports of the modules that are known outside.  ValueError for what
    cannot be written."""
    ports: dict[str, dict[str, str]] = {}
    made = [
        ModuleText(netlist, ports, said.get(netlist.name, Remarks()), meanings.get(netlist.name))
        for netlist in _from_the_top(_netlists(design, order, said, meanings), meanings)
    ]
    for one in made:
        ports[one.netlist.name] = {
            port.name[1:]: one.naming.found[port.name] for port in one.netlist.ports
        }
    texts, first = [], dict[tuple[str, ...], str]()
    for one in made:
        # of other ports what stands above the first might not be true
        alike = (one.said.kind, one.said.common, *ports[one.netlist.name].values())
        texts.append(one.text(first.get(alike, "")))
        if one.said.kind:
            first.setdefault(alike, one.netlist.name)
    return "\n".join(texts)


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
    netlists = _netlists(design, order, said, public)
    return {one.name: Naming(one).found for one in netlists}


def _netlists(
    design: str,
    order: Mapping[str, Sequence[str]],
    said: Mapping[str, Remarks],
    public: Collection[str],
) -> list[Netlist]:
    netlists = [
        sorted_out(module, order.get(module.name, ()), said.get(module.name, Remarks()).registers)
        for module in rtlil.read(design)
    ]
    inside = [netlist.name for netlist in netlists if netlist.name not in public]
    members = {name: said.get(name, Remarks()).members for name in inside}
    join_inputs(netlists, members)
    drop_unread(netlists, public)
    for netlist in netlists:
        settle(netlist)
    label_ports(netlists, members)
    return netlists
