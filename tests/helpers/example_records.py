"""Records for tests, without tools: figures by a formula of the spec."""

from __future__ import annotations

from typing import Any

import msgspec

from modmul.arithmetic.words import ceil_div
from modmul.exploration import grid
from modmul.exploration.child import PointRequest, Reply
from modmul.exploration.measure import begun, ended
from modmul.exploration.names import SHORT
from modmul.exploration.record import Record, Seconds
from modmul.implementation.critical_path import CriticalPath, Stage
from modmul.implementation.figures import cell_times, cycle_counts, performance
from modmul.implementation.result import (
    CellPath,
    CellsResult,
    CellStage,
    Clock,
    CycleCounts,
    Estimate,
    Figure,
    ImplementResult,
    PathLevels,
    SeedClock,
    Slices,
)
from modmul.papers.silicon import MappedCore
from modmul.spec import Spec
from modmul.targets import UNVERIFIED, CellArea

_CHIP = {"ram_bits": 0, "ram_blocks": 0, "cells": {}, "tools": {}}
_SILICON = {
    "critical_path": None,
    "cells": {},
    "by_mode": [],
    "latency": None,
    "per_product": None,
    "area_time": None,
    "adapter": None,
    "tools": {},
    "library": {"name": "l", "asked": "l", "sha256": "", "delay_model": "constant"},
}


def record(options: dict[str, Any], seeds: int = 1, products: int = 10, **more: Any) -> Record:
    """A record of a spec: LUTs and times follow from width and slots.

    more: what else it says, by short names; lut None: in cells of a library, if it is about them
    that something is said, else nothing is implemented."""
    spec = grid.make(options, None).spec
    started = begun(spec, seeds, products)
    assert started.cycles is not None
    lut, period = 3 * started.width + started.slots, 5.0
    figures: dict[str, Any] = {
        "lut": lut,
        "ff": 2 * lut,
        "dsp": 0,
        "area": {"value": lut, "unit": "LUT equivalents", "luts_per_dsp": None},
        "time": {
            "kind": "usable",
            "unit": "ns",
            "period": period,
            "latency": started.cycles.latency * period,
            "eight": started.cycles.eight * period,
            "per_product": started.cycles.per_product * period,
        },
        "verified": {"products": products, "golden": 1, "cycles": 100, "seed": 1},
    } | more
    short = {name: figures.pop(name) for name in SHORT if name in figures}
    fields = msgspec.to_builtins(started) | {"status": "done"} | figures
    on = {"spec": fields["spec"], "target": started.target, "cycles": fields["cycles"]}
    if short["lut"] is not None:
        chip = {**on, "device": started.device, **_CHIP, **short}
        fields["chip"] = msgspec.to_builtins(msgspec.convert(chip, ImplementResult))
    elif "cell_path" in short or fields["area"]:
        cells = {
            **on,
            **_SILICON,
            "area": fields["area"],
            "flip_flops": short["ff"],
            "critical_path": short.get("cell_path"),
        }
        fields["silicon"] = msgspec.to_builtins(msgspec.convert(cells, CellsResult))
    finished = msgspec.convert(fields, Record)
    return ended(finished, finished.status, finished.reason, Seconds(2.0, 1.9, {"yosys": 1.9}))


def reply(request: PointRequest, **more: Any) -> Reply:
    """What a process that measures would answer."""
    measured = record(request.options, request.seeds, request.products, **more)
    return Reply(measured)


def implemented(
    spec: Spec, seeds: int = 1, *, mhz: float = 200.0, usable: float | None = None, dsp: int = 0
) -> ImplementResult:
    """A design on a chip: 250 LUTs and 500 flip-flops, routed with some seeds where its target has
    a router.  mhz: the routed clock.  usable: None: the same."""
    counts = cycle_counts(spec)
    on = {"spec": {}, "target": spec.design.target, "device": None}
    area = CellArea(lut=250, ff=500, dsp=dsp)
    cells = {**_CHIP, "lut": area.lut, "ff": area.ff, "dsp": dsp}
    core = msgspec.convert({**on, **cells, "cycles": msgspec.to_builtins(counts)}, ImplementResult)
    if not (spec.design.chip.router and seeds):
        return core
    used = usable or mhz
    clocks = tuple(SeedClock(seed + 1, mhz) for seed in range(seeds))
    stage = Stage("LUT4", "a", 1.0, 1.5)
    return msgspec.structs.replace(
        core,
        fmax_mhz=Clock(mhz, mhz + 1, used, "path", clocks, verified=True),
        routed=performance(mhz, counts, area),
        usable=performance(used, counts, area),
        critical_path=CriticalPath("a[0]", "b[0]", 1, 5.0, 2.0, (stage, stage)),
    )


def counted(
    lut: int,
    ff: int,
    dsp: int = 0,
    *,
    ram_blocks: int = 0,
    levels: int | None = None,
    estimate_ns: float | None = None,
) -> ImplementResult:
    """A core after synthesis, on a chip whose slices have two LUTs and two flip-flops."""
    path = PathLevels("a", "b", levels or 0, 0, 0, 0)
    estimate = (
        None
        if estimate_ns is None
        else Estimate(
            delay_ns=estimate_ns,
            cells_ns=0.0,
            nets=0,
            net_delay_ns=0.0,
            net_source="",
            speed_grade="",
            source="",
            verified=True,
            path=path,
            cells={},
        )
    )
    counts = CycleCounts(1.0, 1.0, 1.0, 8.0)
    core = {"spec": {}, "target": "", "device": None, **_CHIP, "lut": lut, "ff": ff, "dsp": dsp}
    return msgspec.structs.replace(
        msgspec.convert({**core, "cycles": msgspec.to_builtins(counts)}, ImplementResult),
        ram_blocks=ram_blocks,
        levels=None if levels is None else path,
        estimate=estimate,
        slices=Slices(ceil_div(max(lut, ff), 2), 1, 0.0),
    )


def routed_core(
    lut: int,
    ff: int,
    mhz: float,
    usable: float,
    *,
    dsp: int = 0,
    seeds: int = 3,
    cycles: CycleCounts | float = 1.0,
    limited_by: str = "",
) -> ImplementResult:
    """The same, routed.  cycles: of all that can take some."""
    counts = cycles if isinstance(cycles, CycleCounts) else CycleCounts(*[cycles] * 3, 8 * cycles)
    area = CellArea(lut=lut, ff=ff, dsp=dsp)
    stage, clocks = Stage("LUT4", "a", 1.0, 1.0), (SeedClock(1, mhz),) * seeds
    return msgspec.structs.replace(
        counted(lut, ff, dsp),
        cycles=counts,
        fmax_mhz=Clock(mhz, mhz, usable, limited_by, clocks, UNVERIFIED not in limited_by),
        routed=performance(mhz, counts, area),
        usable=performance(usable, counts, area),
        critical_path=CriticalPath("a", "b", 1, 2.0, 1.0, (stage,)),
    )


def mapped_core(
    width: int, area: float, delay: float, cycles: float, cells: dict[str, int]
) -> MappedCore:
    """A core in the cells of a library."""
    counts = CycleCounts(cycles, cycles, cycles, 8 * cycles)
    times = cell_times(Figure(delay, "T_FA"), counts, area, "A_FA")
    stage = CellStage("FA", None, 1.0)
    path = CellPath(delay, "T_FA", "a_reg[0]", "b", 0.0, (stage, stage))
    core = {
        "spec": {"width": width},
        "target": "cells",
        **_SILICON,
        "cells": cells,
        "cycles": counts,
        "flip_flops": 0,
        "area": Figure(area, "A_FA"),
        "critical_path": path,
        **times._asdict(),
    }
    return msgspec.convert(msgspec.to_builtins(core), MappedCore)
