"""Synthesises a design: Verilog in, mapped netlist out (Yosys JSON).

The core is always mapped alone; the routed design is that very netlist inside the harness.  Modules
marked to be kept (rows of an array) are mapped by themselves; then the whole is flattened.  The
commands are the target's; docs/decisions/synthesis-options.md lists those that were tried.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from modmul import targets
from modmul.errors import SpecError
from modmul.implementation import harness
from modmul.targets import Target
from modmul.toolchain import packed, yosys
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

MAPPED = Step("mapped", ("pyosys",), (__name__, yosys.__name__))
ROUTABLE = Step("routable", ("pyosys",), (__name__, harness.__name__, yosys.__name__))
CORE_NETLIST = "core.json"
ROUTABLE_NETLIST = "routable.json"
# Products whose wire has use_dsp = "no" become rows of full adders, as on a chip without hard
# multipliers, before a pass can map them to hard multipliers.
_SOFT = """
hierarchy -top {top}
opt_clean
alumacc w:* a:use_dsp=no %i %ci1 t:$mul %i
maccmap t:$macc t:$macc_v2
"""
# ABC9 maps one module after the other, and the newer writer of its input (write_xaiger2) visits the
# whole design for each: 37 kept rows of 128 bits took 49 s, with the older one 27 s.
_MANY_MODULES = "scratchpad -set abc9.xaiger 1\n"
_FLATTEN = """
setattr -mod -unset keep_hierarchy
setattr -unset keep_hierarchy
flatten
opt_clean
"""


def script(target: Target, top: str) -> str:
    """The Yosys commands that map module `top` onto a target.  Raises SpecError if it has
    none."""
    if target.synthesis is None:
        allowed = ", ".join(target.name for target in targets.REGISTRY.values() if target.synthesis)
        message = f"target = {target.name!r}: has no synthesis; those that have: {allowed}"
        raise SpecError("target", target.name, allowed, message)
    return target.synthesis.format(top=top)


def commands(target: Target, top: str, verilog: str) -> str:
    """The Yosys commands that map module `top` of this text after it has been read."""
    before = _SOFT.format(top=top) if "use_dsp" in verilog else ""
    if "keep_hierarchy" not in verilog:
        return before + script(target, top)
    return before + _MANY_MODULES + script(target, top) + _FLATTEN


def mapped(verilog: str, top: str, target: Target, cache: Cache) -> Path:
    """The packed netlist of module `top` for a target, in the cache."""
    key = {
        "verilog": hashlib.sha256(verilog.encode()).hexdigest(),
        "script": commands(target, top, verilog),
    }

    def make(folder: Path) -> None:
        synthesise(verilog, top, target, folder)
        packed.pack(folder / CORE_NETLIST)

    return cache.folder(MAPPED, key, make) / (CORE_NETLIST + packed.SUFFIX)


def routable(core: Path, top: str, target: Target, cache: Cache) -> Path:
    """Put a packed netlist from `mapped` into its harness; return the packed result, in the
    cache."""
    key = {"netlist": packed.digest(core), "top": top, "script": script(target, harness.TOP)}

    def make(folder: Path) -> None:
        plain = packed.unpack(core, folder)
        put_in_harness(json.loads(plain.read_text()), top, target, folder)
        plain.unlink()
        packed.pack(folder / ROUTABLE_NETLIST)

    return cache.folder(ROUTABLE, key, make) / (ROUTABLE_NETLIST + packed.SUFFIX)


def synthesise(verilog: str, top: str, target: Target, folder: Path) -> dict[str, Any]:
    """Map `top` alone; leave the flat netlist in `folder` and return it as Yosys JSON."""
    (folder / "core.v").write_text(verilog)
    mapping = commands(target, top, verilog)
    yosys.run(f"read_verilog core.v\n{mapping}\nwrite_json {CORE_NETLIST}", folder)
    netlist: dict[str, Any] = json.loads((folder / CORE_NETLIST).read_text())
    return netlist


def put_in_harness(netlist: dict[str, Any], top: str, target: Target, folder: Path) -> None:
    """Surround the mapped netlist in `folder` by the harness, and write the netlist to be
    routed."""
    ports = harness.ports(netlist["modules"][top])
    (folder / "harness.v").write_text(harness.verilog(top, ports))
    yosys.run(
        f"""read_json {CORE_NETLIST}
design -stash mapped
read_verilog harness.v
{script(target, harness.TOP)}
delete ={top}
design -copy-from mapped -as {top} {top}
flatten
opt_clean
write_json {ROUTABLE_NETLIST}
""",
        folder,
    )
