"""The core as a netlist after synthesis, so that this, too, can be simulated."""

from __future__ import annotations

import importlib.util
import re
import tempfile
from dataclasses import replace
from pathlib import Path

from modmul import targets
from modmul.errors import SpecError, ToolMissing
from modmul.export.hdl import Hdl
from modmul.implementation import synthesis
from modmul.targets import Target
from modmul.toolchain import yosys


def mapped(hdl: Hdl, target: Target) -> Hdl:
    """`hdl` with its core replaced by the netlist that synthesis for `target` makes of it.

    The adapter stays as it is.  SpecError for a target without cells, ToolFailed if Yosys fails."""
    if not target.cell_models:
        allowed = ", ".join(one.name for one in targets.REGISTRY.values() if one.cell_models)
        message = f"netlist = true: target {target.name} has no cells; those that have: {allowed}"
        raise SpecError("netlist", True, f"a target among {allowed}", message)
    with tempfile.TemporaryDirectory(prefix="modmul-") as folder:
        work = Path(folder)
        (work / "core.v").write_text(hdl.verilog)
        commands = [
            "read_verilog core.v",
            synthesis.script(target, hdl.core),
            f"select {hdl.core}",
            "write_verilog -noattr -selected netlist.v",
        ]
        yosys.run("\n".join(commands), work)
        netlist = (work / "netlist.v").read_text()
    # The written core stays below under another name, which nothing uses.
    behind = re.sub(rf"^module {hdl.core}\b", f"module {hdl.core}_written", hdl.verilog, flags=re.M)
    models = (*hdl.models, *(_share() / name for name in target.cell_models))
    return replace(hdl, verilog=f"{netlist}\n{behind}", models=models)


def _share() -> Path:
    """Yosys' folder of cell models."""
    found = importlib.util.find_spec("pyosys")
    if found is None or found.origin is None:
        raise ToolMissing("Yosys is missing: install the Python package pyosys")
    return Path(found.origin).parent / "share"
