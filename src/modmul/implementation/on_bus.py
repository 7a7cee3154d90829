"""`implement` with a bus: area and clock of a design together with its registers.

The module stands apart from `implement`, whose results are kept under keys of all code that it
imports: they do not depend on buses."""

from __future__ import annotations

import msgspec

from modmul.export import hdl
from modmul.implementation import implement as alone
from modmul.implementation import silicon
from modmul.implementation.implement import JOBS
from modmul.implementation.result import CellsResult, ImplementResult
from modmul.parameters import SEEDS
from modmul.spec import Spec
from modmul.system.build import check_bus
from modmul.system.on_bus import outermost
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent
from modmul.toolchain.work import Work


class OnBusResult(msgspec.Struct, frozen=True, kw_only=True):
    """A design on a bus, and the same without it.

    module: the outermost module, of which `on_bus` is: core, adapter, and registers if the bus has
    some; its `spec` has the keys `bus` and `banks`.  without_bus: what `implement` returns
    without a bus."""

    module: str
    on_bus: ImplementResult | CellsResult
    without_bus: ImplementResult | CellsResult


def implement(
    spec: Spec,
    *,
    bus: str | None = None,
    banks: int = 0,
    seeds: int = SEEDS,
    jobs: int = JOBS,
    route: bool = True,
    cache: Cache | None = None,
    progress: Report = silent,
) -> ImplementResult | CellsResult | OnBusResult:
    """Synthesise and time a design, by `implement.implement`, and, if there is a bus, the design on
    it, too, with the same seeds.  bus, banks: as in `system.build.build`."""
    check_bus(spec, bus, banks)
    cache = cache or Cache()
    without = alone.implement(
        spec, seeds=seeds, jobs=jobs, route=route, cache=cache, progress=progress
    )
    if bus is None:
        return without
    work, what = Work(jobs, cache, progress), f"on {bus}"
    module, verilog = outermost(spec, hdl.emit(spec.design), bus, banks)
    made: ImplementResult | CellsResult
    if isinstance(without, CellsResult):
        made = silicon.implement_module(spec, verilog, module, what=what, work=work)
    else:
        made = alone.implement_module(
            spec, verilog, module, seeds=seeds, route=route, what=what, work=work
        )
    keys = {"bus": bus, **({"banks": banks} if banks else {})}
    made = msgspec.structs.replace(made, spec={**spec.options(), **keys})
    return OnBusResult(module=module, on_bus=made, without_bus=without)
