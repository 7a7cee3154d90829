"""Implements a design in a library of standard cells: mapped netlist, area, longest path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from modmul.export import hdl
from modmul.implementation import area, cell_synthesis, timing
from modmul.implementation.cell_synthesis import LoadedLibrary
from modmul.implementation.figures import by_mode, cell_times, cycle_counts, rounded
from modmul.implementation.result import (
    CellPath,
    CellsAdapter,
    CellsResult,
    Figure,
    LibraryUsed,
)
from modmul.implementation.timing import Timing
from modmul.spec import Spec
from modmul.targets import Target, libraries
from modmul.toolchain.cache import Cache
from modmul.toolchain.versions import version
from modmul.toolchain.work import Work


class OnCells(NamedTuple):
    """A netlist of library cells in the cache.  folder: the folder of its files."""

    folder: Path
    module: dict[str, Any]
    cells: dict[str, int]
    area: float
    path: CellPath | None


def implement_cells(spec: Spec, *, work: Work) -> CellsResult:
    """Map a design onto the cells of `spec.library`: area, longest path, time per product.  Raises
    SpecError if the library cannot be used, ToolFailed or ToolMissing if Yosys fails or is
    missing."""
    cache, progress = work.cache, work.progress
    loaded = cell_synthesis.open_library(spec.library or libraries.DEFAULT)
    target, written = spec.design.chip, hdl.emit(spec.design)
    around = spec.interface == "stream" and "core" in spec.design.interfaces
    stages = 2 if around else 1
    progress("synthesis", 0, stages)
    core = map_cells(written.verilog, written.measured, target, loaded, cache)
    progress("synthesis", 1, stages)
    adapter = None
    if around:
        both = map_cells(written.verilog, written.stream, target, loaded, cache)
        progress("synthesis", 2, stages)
        longest = both.path.value if both.path else None
        extra = Figure(rounded(both.area - core.area), loaded.library.area_unit)
        adapter = CellsAdapter(extra, longest)
    return _result(spec, loaded, core, adapter)


def implement_module(spec: Spec, verilog: str, top: str, *, what: str, work: Work) -> CellsResult:
    """Map a module around a design, as `implement_cells` does with the design.  what: the step, for
    the progress."""
    loaded = cell_synthesis.open_library(spec.library or libraries.DEFAULT)
    work.progress(f"synthesis, {what}", 0, 1)
    mapped = map_cells(verilog, top, spec.design.chip, loaded, work.cache)
    work.progress(f"synthesis, {what}", 1, 1)
    return _result(spec, loaded, mapped, None)


def map_cells(
    verilog: str, top: str, target: Target, loaded: LoadedLibrary, cache: Cache
) -> OnCells:
    """Synthesise one module of a text for a library, and compute its timing."""
    folder = cell_synthesis.mapped(verilog, top, target, loaded, cache)
    module = json.loads((folder / cell_synthesis.NETLIST).read_text())["modules"][top]
    counted = area.count_cells({"modules": {top: module}}, top)
    path = Timing(module, loaded.library).critical_path()
    total = sum(loaded.library.cells[kind].area * number for kind, number in counted.items())
    return OnCells(folder, module, counted, total, path)


def _result(
    spec: Spec, loaded: LoadedLibrary, core: OnCells, adapter: CellsAdapter | None
) -> CellsResult:
    library, cycles = loaded.library, cycle_counts(spec)
    period = Figure(core.path.value, library.time_unit) if core.path else None
    times = cell_times(period, cycles, core.area, library.area_unit)
    return CellsResult(
        spec=spec.options(),
        target=spec.design.target,
        library=LibraryUsed(
            name=library.name,
            asked=loaded.asked,
            sha256=loaded.digest,
            delay_model=timing.CONSTANT if library.constant else timing.TABLES,
        ),
        area=Figure(rounded(core.area), library.area_unit),
        critical_path=core.path,
        cells=core.cells,
        flip_flops=core.cells.get(loaded.roles.flip_flop.cell.name, 0),
        cycles=cycles,
        by_mode=by_mode(spec, period),
        latency=times.latency,
        per_product=times.per_product,
        area_time=times.area_time,
        adapter=adapter,
        tools={"yosys": version("pyosys")},
    )
