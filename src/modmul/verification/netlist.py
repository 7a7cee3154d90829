"""Replaces the core of a design by its netlist after synthesis, for simulation."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import replace
from pathlib import Path

from modmul import targets
from modmul.errors import SpecError, ToolMissing
from modmul.export.hdl import Hdl, models_in
from modmul.implementation import cell_synthesis, synthesis
from modmul.spec import Spec
from modmul.targets import Target, libraries
from modmul.targets.models import Model
from modmul.toolchain import scratch, yosys


def mapped(hdl: Hdl, spec: Spec) -> Hdl:
    """`hdl` with its core replaced by the netlist from synthesis for the target of `spec`.
    The adapter stays as it is.  Raises SpecError for a target without cells, ToolFailed if Yosys
    fails."""
    target = spec.design.chip
    with scratch.folder() as work:
        if target.takes_library:
            _map_cells(hdl, spec, work)
        else:
            _map_chip(hdl, target, work)
        netlist = (work / "netlist.v").read_text()
    # The emitted core stays in the text under another name, which nothing instantiates.
    core = hdl.measured
    behind = re.sub(rf"^module {core}\b", f"module {core}_written", hdl.verilog, flags=re.M)
    theirs = (Model(name, _with_includes(_share() / name)) for name in target.cell_models)
    # of several models of one name the first counts; ours are for blocks without a model in Yosys
    models = dict.fromkeys((*hdl.models, *theirs, *models_in(netlist, spec.design)))
    return replace(hdl, verilog=f"{netlist}\n{behind}", models=tuple(models))


def _map_chip(hdl: Hdl, target: Target, work: Path) -> None:
    """Write the mapped core to netlist.v in `work`."""
    if not target.cell_models:
        allowed = ", ".join(target.name for target in targets.REGISTRY.values() if target.netlists)
        message = f"netlist = true: target {target.name} has no cells; those that have: {allowed}"
        raise SpecError("netlist", True, f"a target among {allowed}", message)
    (work / "core.v").write_text(hdl.verilog)
    commands = [
        "read_verilog core.v",
        synthesis.commands(target, hdl.measured, hdl.verilog),
        f"select {hdl.measured}",
        "write_verilog -noattr -selected netlist.v",
    ]
    yosys.run("\n".join(commands), work)


def _map_cells(hdl: Hdl, spec: Spec, work: Path) -> None:
    """Write the netlist in cells of a library to netlist.v in `work`, with the cells' functions
    from the library's file."""
    loaded = cell_synthesis.open_library(spec.library or libraries.DEFAULT)
    cell_synthesis.synthesise(hdl.verilog, hdl.measured, spec.design.chip, loaded, work)
    (work / "library.lib").write_bytes(loaded.text)
    commands = [
        "read_liberty -ignore_miss_func -ignore_miss_dir -ignore_miss_data_latch -ignore_buses "
        "library.lib",
        f"read_json {cell_synthesis.NETLIST}",
        f"hierarchy -check -top {hdl.measured}",
        "write_verilog -noattr netlist.v",
    ]
    yosys.run("\n".join(commands), work)


def _with_includes(path: Path) -> str:
    """Return the text of a Verilog file with the files of its folder that it includes."""
    return re.sub(
        r'^\s*`include "([^"]+)"',
        lambda match: _with_includes(path.parent / match[1]),
        path.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )


def _share() -> Path:
    """Yosys' folder of cell models."""
    package = importlib.util.find_spec("pyosys")
    if package is None or package.origin is None:
        raise ToolMissing("Yosys is missing: install the Python package pyosys")
    return Path(package.origin).parent / "share"
