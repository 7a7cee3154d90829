"""What a clock enable costs: the same designs without and with it, as they are delivered."""

from __future__ import annotations

from typing import Any

from modmul.export import hdl
from modmul.export.pins import Pins
from modmul.implementation.implement import implement_module
from modmul.spec import Spec
from modmul.toolchain.progress import Report
from modmul.toolchain.work import Work

DESIGNS: tuple[dict[str, Any], ...] = (
    {"architecture": "fpmm", "width": 128, "slots": 4, "target": "ecp5"},
)


def measure(seeds: int, jobs: int, progress: Report) -> list[dict[str, Any]]:
    """Return a row for each design without and with a clock enable: area, and the routed clock of
    all seeds."""
    rows, work = [], Work(jobs, progress=progress)
    for options in DESIGNS:
        spec = Spec.from_options(options)
        for pins in (Pins(), Pins(clock_enable=True)):
            written = hdl.emit(spec.design, pins=pins)
            what = f"{spec.design.title} {pins.suffix}".strip()
            made = implement_module(
                spec, written.verilog, written.stream, seeds=seeds, what=what, work=work
            )
            clock = made.fmax_mhz
            assert clock is not None
            rows.append(
                {
                    "design": spec.design.title,
                    "clock enable": pins.clock_enable,
                    "LUT": made.lut,
                    "FF": made.ff,
                    "DSP": made.dsp,
                    "median MHz": clock.median,
                    "all": ", ".join(f"{seed.mhz:.6g}" for seed in clock.seeds),
                    "f_max MHz": clock.usable,
                }
            )
    return rows
