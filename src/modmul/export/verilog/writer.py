"""A design as Verilog-2005."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from modmul.export.names import Source
from modmul.export.remarks import Remarks
from modmul.export.verilog import rtlil
from modmul.export.verilog.aliases import label_ports
from modmul.export.verilog.module import ModuleText
from modmul.export.verilog.naming import Naming
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.sorting import sorted_out


def verilog(
    design: str,
    sources: Mapping[str, Source],
    said: Mapping[str, Remarks],
    meanings: Mapping[str, Mapping[str, str]],
) -> str:
    """The text of a design given as RTLIL without processes.

    sources: what is known of its modules from Amaranth.  said: of a module, its sections and ports.
    meanings: of the ports of the modules that are known outside.  ValueError for what cannot be
    written."""
    ports: dict[str, dict[str, str]] = {}
    made = [
        ModuleText(netlist, ports, said.get(netlist.name, Remarks()), meanings.get(netlist.name))
        for netlist in _netlists(design, sources, said, meanings)
    ]
    for one in made:
        ports[one.netlist.name] = {
            port.name[1:]: one.naming.found[port.name] for port in one.netlist.ports
        }
    return "\n".join(one.text() for one in made)


def plain_names(
    design: str,
    sources: Mapping[str, Source],
    said: Mapping[str, Remarks],
    public: Collection[str],
) -> dict[str, dict[str, str]]:
    """What everything that keeps a name is called in the text, by module and name in RTLIL.

    public: the modules whose ports are known outside."""
    netlists = _netlists(design, sources, said, public)
    return {one.name: Naming(one).found for one in netlists}


def _netlists(
    design: str,
    sources: Mapping[str, Source],
    said: Mapping[str, Remarks],
    public: Collection[str],
) -> list[Netlist]:
    netlists = [
        sorted_out(module, sources.get(module.name, Source())) for module in rtlil.read(design)
    ]
    inside = [netlist.name for netlist in netlists if netlist.name not in public]
    label_ports(netlists, {name: said.get(name, Remarks()).members for name in inside})
    return netlists
