"""Many small faults in one emitted Verilog text, of which a simulation chooses one.

A mutant is one bit at one pin of one cell: inverted, stuck at 0 or at 1, or inverted while its
neighbour is 1.  Yosys puts them all into the text, each behind a comparison with the number that
the simulated design finds in its argument +mutant=NUMBER; 0 or none is the design as it was.
Compiling a simulator takes longer than running it, so all mutants share one."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from modmul.export.hdl import Hdl
from modmul.toolchain import scratch, yosys

MODES = ("inv", "const0", "const1", "cnot1")
SELECT = "modmul_mutant"
_BITS = 16
_PREPARE = ("proc -norom", "memory_collect", "opt_expr -fine", "opt_clean")
_LIMIT = 300.0  # seconds of Yosys
_SELECTOR = f"""
module {SELECT}(output reg [{_BITS - 1}:0] chosen);
  initial if (!$value$plusargs("mutant=%d", chosen)) chosen = 0;
endmodule
"""


class Site(NamedTuple):
    """One bit of a cell's port."""

    module: str
    cell: str
    port: str
    bit: int


class Mutant(NamedTuple):
    """mode: one of MODES.  bit: of the port.  net: what the bit is called in the text, or ''."""

    mode: str
    module: str
    cell: str
    port: str
    bit: int
    net: str

    def command(self, number: int) -> str:
        """What Yosys is told to do."""
        cell = self.cell if self.cell.startswith("$") else f"\\{self.cell}"
        other = f" -ctrlbit {self.bit - 1}" if self.mode.startswith("cnot") else ""
        module = self.module if self.module.startswith("$") else f"\\{self.module}"
        return (
            f"mutate -mode {self.mode} -module {module} -cell {cell} "
            f"-port \\{self.port} -portbit {self.bit}{other} -ctrl mutant {_BITS} {number}"
        )


def mutated(
    hdl: Hdl,
    count: int,
    *,
    seed: int = 1,
    within: str = "",
    net: str = "",
    modes: Sequence[str] = MODES,
) -> tuple[Hdl, list[Mutant]]:
    """The text with up to `count` mutants in it, +mutant=1 the first of the list, and the list.

    within, net: only in modules, and at pins on nets, whose name has a match of that regular
    expression.  modes: some of MODES.  The same arguments give the same text.  ToolFailed,
    ToolMissing; ValueError where there is nothing to be changed."""
    with scratch.folder() as work:
        (work / "design.v").write_text(hdl.verilog)
        (work / "models.v").write_text("".join(model.text for model in hdl.models))
        read = "\n".join(
            [
                "read_verilog -lib models.v",
                "read_verilog design.v",
                f"hierarchy -top {hdl.stream}",
                *_PREPARE,
            ]
        )
        yosys.run(f"{read}\nwrite_json design.json\n", work, _LIMIT)
        modules = json.loads((work / "design.json").read_text())["modules"]
        sites, names = _sites(modules, within)
        sites = {site: kind for site, kind in sites.items() if re.search(net, names[site])}
        chosen = _choose(sites, names, count, modes, random.Random(seed))
        if not chosen:
            raise ValueError(f"nothing to be changed: within {within!r}, at {net!r}")
        commands = [mutant.command(number) for number, mutant in enumerate(chosen, 1)]
        script = "\n".join([read, *commands, "write_verilog -noattr mutated.v\n"])
        yosys.run(script, work, _LIMIT)
        text = _self_selecting((work / "mutated.v").read_text())
    return replace(hdl, verilog=text), chosen


def _choose(
    sites: Mapping[Site, str],
    names: Mapping[Site, str],
    count: int,
    modes: Sequence[str],
    rng: random.Random,
) -> list[Mutant]:
    """Every second one from all bits alike, the others from all kinds of cells alike: an adder
    that is there once is met as often as a gate that is there a thousand times."""
    kinds: defaultdict[str, list[Site]] = defaultdict(list)
    for site, kind in sites.items():
        kinds[kind].append(site)
    every, groups, mutants = list(sites), list(kinds.values()), dict[Mutant, None]()
    for turn in range(20 * count if every else 0):
        site = rng.choice(every if turn % 2 else rng.choice(groups))
        mode = rng.choice(modes)
        if site.bit or not mode.startswith("cnot"):  # the neighbour is the bit below
            mutants[Mutant(mode, *site, names[site])] = None
        if len(mutants) == count:
            break
    return list(mutants)


def _sites(modules: Mapping[str, Any], within: str) -> tuple[dict[Site, str], dict[Site, str]]:
    """Each pin of a cell and its kind (module and type of the cell); the names of their nets.

    No clocks, no constants."""
    sites: dict[Site, str] = {}
    names: dict[Site, str] = {}
    for module, content in modules.items():
        written_name = content["attributes"].get("hdlname", module)  # of one with parameters
        if content["attributes"].get("blackbox") or not re.search(within, written_name):
            continue
        net_names = _called(content["netnames"])
        for cell, details in content["cells"].items():
            for port, bits in details["connections"].items():
                for index, bit in enumerate(bits):
                    name = net_names.get(bit, "")
                    if isinstance(bit, int) and name != "clk":
                        site = Site(module, cell, port, index)
                        sites[site] = f"{module} {details['type']}"
                        names[site] = name
    return sites, names


def _called(nets: Mapping[str, Any]) -> dict[int, str]:
    """Names by the number of a bit; plain ones before those that a tool made up."""
    names: dict[int, str] = {}
    for name in sorted(nets, key=lambda net: (nets[net]["hide_name"], bool(_made_up(net)))):
        bits = nets[name]["bits"]
        for index, bit in enumerate(bits):
            if isinstance(bit, int):
                names.setdefault(bit, f"{name}[{index}]" if len(bits) > 1 else name)
    return names


def _made_up(name: str) -> re.Match[str] | None:
    return re.fullmatch(r"n_\d+_?", name)


def _self_selecting(verilog: str) -> str:
    """Every module asks for its mutant by itself, so that all ports stay as they were."""
    verilog = re.sub(r"^ *input (?:\[\d+:0\] )?mutant;\n", "", verilog, flags=re.MULTILINE)
    verilog = re.sub(
        r"^( *wire (?:\[\d+:0\] )?mutant;\n)",
        rf"\1  {SELECT} select(.chosen(mutant));\n",
        verilog,
        flags=re.MULTILINE,
    )
    verilog = re.sub(r"^ *\.mutant\(mutant\),?\n", "", verilog, flags=re.MULTILINE)
    verilog = re.sub(r"^module [^;]*;", _without_port, verilog, flags=re.MULTILINE)
    return re.sub(r",(\s*\);)", r"\1", verilog) + _SELECTOR


def _without_port(head: re.Match[str]) -> str:
    return re.sub(r",\s*mutant\b|\bmutant,\s*", "", head[0])
