"""What the multipliers cost and how fast they are, beside the paper, the peers and the limit that
the DSP blocks set."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from modmul.implementation.implement import implement_chip
from modmul.implementation.result import ImplementResult
from modmul.multipliers.fpmm import Fpmm
from modmul.papers import gallin2019
from modmul.papers.printed import fpmm_rows
from modmul.spec import Spec
from modmul.toolchain.progress import Report
from modmul.toolchain.work import Work

PEERS = tomllib.loads(Path(__file__).with_name("peers.toml").read_text())["peer"]
DESIGNS: dict[str, dict[str, Any]] = {
    "F44D ecp5": {"width": 128, "slots": 4, "target": "ecp5"},
    "F44D fast ecp5": {"width": 128, "slots": 4, "target": "ecp5", "pipeline": "fast"},
    "256 bits ecp5": {"width": 256, "target": "ecp5"},
    "512 bits ecp5": {"width": 512, "target": "ecp5"},
    "F44D xc7": {"width": 128, "slots": 4, "target": "xc7"},
}
PUBLISHED = {"F44D xc7": ("F44D", "V7")}


def measure(options: dict[str, Any], seeds: int, jobs: int, progress: Report) -> dict[str, Any]:
    """Area, clocks, and products per second per DSP block and per LUT, of one design."""
    spec = Spec.from_options({"architecture": "fpmm", **options, "interface": "core"})
    result = implement_chip(spec, seeds=seeds, work=Work(jobs, progress=progress))
    multiplier = spec.multiplier
    assert isinstance(multiplier, Fpmm)
    clock = result.fmax_mhz
    figures: dict[str, Any] = {
        "spec": result.spec,
        "lut": result.lut,
        "ff": result.ff,
        "dsp": result.dsp,
        "ram_bits": result.ram_bits,
        "latency_cc": result.cycles.latency,
        "per_product_cc": result.cycles.per_product,
        "eight_cc": result.cycles.eight,
        "dsp_occupancy": round(multiplier.dsp_occupancy, 4),
        "routed_mhz": clock.median if clock else None,
        "best_mhz": clock.best if clock else None,
        "usable_mhz": clock.usable if clock else None,
        "usable_unverified": clock.unverified if clock else None,
        "limited_by": clock.limited_by if clock else None,
        "limit_per_dsp": limit_per_dsp(result, multiplier),
    }
    for name in ("routed", "usable"):
        speed = getattr(result, name)
        for unit in ("dsp", "lut"):
            figures[f"{name}_per_{unit}"] = round(getattr(speed, f"per_{unit}")) if speed else None
    return figures


def limit_per_dsp(result: ImplementResult, multiplier: Fpmm) -> int | None:
    """Products per second per DSP block if every block did a useful product in every cycle at the
    highest clock of the block; None where nobody knows that clock."""
    blocks = [limit.mhz for limit in result.limits if limit.block in ("MULT18X18D", "DSP48E1")]
    busy = multiplier.dsp_occupancy * multiplier.dsps * multiplier.cycles_per_product()
    return round(blocks[0] * 1e6 / busy) if blocks else None


def published(name: str) -> dict[str, Any] | None:
    """What gallin2019 prints for a design of DESIGNS, if it does."""
    if name not in PUBLISHED:
        return None
    spec, fpga = PUBLISHED[name]
    rows = fpmm_rows(gallin2019.PAPER.figures())
    (row,) = [r for r in rows if (r["n_bits"], r["spec"], r["fpga"]) == (128, spec, fpga)]
    return row


def against_peers(name: str, figures: dict[str, Any]) -> list[dict[str, Any]]:
    """Every peer with a run-time modulus of that width: how many times ahead a design is, at its
    usable clock, the peer at its routed one (None: the peer has none of the resource)."""
    rows = []
    bits = figures["spec"]["width"]
    for peer in PEERS:
        if peer["modulus"] == "run time" and peer["bits"] == bits and "mhz" in peer:
            rate = peer["mhz"] * 1e6 / peer["interval_cc"]
            ratios = {
                f"times_per_{unit}": round(figures[f"usable_per_{unit}"] * peer[unit] / rate, 2)
                if peer[unit]
                else None
                for unit in ("dsp", "lut")
            }
            rows.append({"design": name, "peer": peer["name"], "bits": bits, **ratios})
    return rows
