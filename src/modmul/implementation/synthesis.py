"""Synthesis: Verilog in, mapped netlist out (Yosys JSON).

The core is always mapped alone and flat; the routed design is that very netlist inside the harness.
Which options were tried and why these: docs/decisions/synthesis-options.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from modmul.errors import SpecError
from modmul.implementation import harness
from modmul.toolchain import yosys

CORE_NETLIST = "core.json"
ROUTABLE_NETLIST = "routable.json"

# -no-rw-check: no word of a block RAM is read in the cycle in which it is written and then used (a
# test makes such reads return garbage).  -nowidelut: the few wide multiplexers cost less without.
# The last phase of synth_ecp5 only checks and gives names: it is left out, since its names grow
# with the depth of the logic to many kilobytes.  What else it does is the second line.
ECP5 = """
synth_ecp5 -top {top} -no-rw-check -nowidelut -run begin:check
blackbox =A:whitebox
"""

XC7 = """
synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top}
"""

# Multipliers and memories stay as they are, under names that no pass knows, and are only counted.
GENERIC = """
hierarchy -check -top {top}
proc
flatten
opt_expr
opt_clean
opt -nodffe -nosdff
opt
wreduce
peepopt
opt_clean
chtype -set $__multiplier t:$mul
alumacc
share
opt
memory -nomap -nordff
opt_clean
chtype -set $__memory t:$mem_v2
opt -full
techmap
opt -fast
abc -lut 6
opt_clean
"""
SCRIPTS = {"generic": GENERIC, "ecp5": ECP5, "xc7": XC7}


def script(target: str, top: str) -> str:
    """The Yosys commands that map module `top` onto a target."""
    if target not in SCRIPTS:
        allowed = ", ".join(SCRIPTS)
        message = f"target = {target!r}: has no synthesis; those that have: {allowed}"
        raise SpecError("target", target, allowed, message)
    return SCRIPTS[target].format(top=top)


def synthesise(verilog: str, top: str, target: str, folder: Path) -> dict[str, Any]:
    """Map `top` alone, flat; the netlist is left in `folder` and returned as Yosys JSON."""
    (folder / "core.v").write_text(verilog)
    yosys.run(f"read_verilog core.v\n{script(target, top)}\nwrite_json {CORE_NETLIST}", folder)
    netlist: dict[str, Any] = json.loads((folder / CORE_NETLIST).read_text())
    return netlist


def put_in_harness(netlist: dict[str, Any], top: str, folder: Path) -> None:
    """Surround the mapped ECP5 netlist in `folder` by the harness: leaves what is to be routed."""
    ports = harness.ports(netlist["modules"][top])
    (folder / "harness.v").write_text(harness.verilog(top, ports))
    yosys.run(
        f"""read_json {CORE_NETLIST}
design -stash mapped
read_verilog harness.v
{script("ecp5", harness.TOP)}
delete ={top}
design -copy-from mapped -as {top} {top}
flatten
opt_clean
write_json {ROUTABLE_NETLIST}
""",
        folder,
    )
