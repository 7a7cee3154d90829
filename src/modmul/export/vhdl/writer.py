"""Writes a design as VHDL-93, from the records of which its Verilog is written."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from pathlib import Path

from modmul.export.remarks import Remarks
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.writer import Merged, from_the_top
from modmul.export.vhdl.entity import EntityText
from modmul.export.vhdl.names import unique

_FUNCTIONS = Path(__file__).with_name("functions.vhd")


def vhdl(merged: Merged, meanings: Mapping[str, Mapping[str, str]], package: str) -> str:
    """The text: a package of functions, then each entity behind those that it contains.

    meanings: of the ports of the modules that are known outside.  Raises ValueError for a design
    that cannot be written."""
    netlists = from_the_top(merged.netlists, meanings)
    names = unique([netlist.name for netlist in netlists])
    written = [
        EntityText(
            netlist,
            names[netlist.name],
            package,
            merged.remarks.get(netlist.name, Remarks()),
            meanings.get(netlist.name),
        )
        for netlist in _from_below(netlists)
    ]
    entities = {each.netlist.name: each.entity for each in written}
    texts, first = [functions(package)], dict[tuple[str, ...], str]()
    for each in written:
        ports = (name for name, _ in each.entity.ports.values())
        same = (each.remarks.kind, each.remarks.common, *ports)
        texts.append(each.text(entities, first.get(same, "")))
        if each.remarks.kind:
            first.setdefault(same, each.name)
    return "\n".join(texts)


def _from_below(netlists: Sequence[Netlist]) -> list[Netlist]:
    """The modules, each behind those that it contains."""
    known = {netlist.name: netlist for netlist in netlists}
    inside = {
        name: [cell.kind for cell in netlist.instances if cell.kind in known]
        for name, netlist in reversed(known.items())
    }
    return [known[name] for name in TopologicalSorter(inside).static_order()]


@functools.cache
def _functions() -> str:
    return _FUNCTIONS.read_text(encoding="utf-8")


def functions(package: str) -> str:
    """The package of that name."""
    return _functions().replace("@{package}", package)
