"""The core as a netlist after synthesis, so that this, too, can be simulated."""

from __future__ import annotations

import importlib.util
import re
import tempfile
from dataclasses import replace
from pathlib import Path

from modmul.errors import SpecError, ToolMissing
from modmul.export.hdl import Hdl
from modmul.implementation import synthesis
from modmul.targets import Target
from modmul.toolchain import yosys

# Yosys' own models of a family's cells, in its share folder.
_CELLS = {"ecp5": ("ecp5/cells_sim.v",), "xc7": ("xilinx/cells_sim.v",)}


def mapped(hdl: Hdl, target: Target) -> Hdl:
    """`hdl` with its core replaced by the netlist that synthesis for `target` makes of it.

    The adapter stays as it is.  SpecError for a target without cells, ToolFailed if Yosys fails."""
    if target.name not in _CELLS:
        allowed = ", ".join(_CELLS)
        message = f"netlist = true: target {target.name} has no cells; those that have: {allowed}"
        raise SpecError("netlist", True, f"a target among {allowed}", message)
    with tempfile.TemporaryDirectory(prefix="modmul-") as folder:
        work = Path(folder)
        (work / "core.v").write_text(hdl.verilog)
        commands = [
            "read_verilog core.v",
            synthesis.script(target.name, hdl.core),
            f"select {hdl.core}",
            "write_verilog -noattr -selected netlist.v",
        ]
        yosys.run("\n".join(commands), work)
        netlist = (work / "netlist.v").read_text()
    # The written core stays below under another name, which nothing uses.
    behind = re.sub(rf"^module {hdl.core}\b", f"module {hdl.core}_written", hdl.verilog, flags=re.M)
    models = (*hdl.models, *(_share() / name for name in _CELLS[target.name]))
    return replace(hdl, verilog=f"{netlist}\n{behind}", models=models)


def _share() -> Path:
    """Yosys' folder of cell models."""
    found = importlib.util.find_spec("pyosys")
    if found is None or found.origin is None:
        raise ToolMissing("Yosys is missing: install the Python package pyosys")
    return Path(found.origin).parent / "share"
