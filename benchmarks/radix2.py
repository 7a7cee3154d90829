"""The radix-2 multipliers on an ECP5 at 256 bits: products per second per LUT, beside the peer that
does the same with the same means, mod_sim_exp."""

from __future__ import annotations

from typing import Any

from benchmarks.hardware import PEERS
from modmul.implementation.implement import implement_chip
from modmul.papers.kuang2016.designs import LOOKAHEADS, OURS, PAPERS, WORDS
from modmul.spec import Spec
from modmul.toolchain.progress import Report
from modmul.toolchain.work import Work

WIDTH = 256
PEER = "mod_sim_exp, 64 stages"
DESIGNS: dict[str, dict[str, Any]] = {
    **PAPERS,
    **{
        f"{OURS}, word {word}, lookahead {ahead}": {
            "architecture": OURS,
            "stream_word": word,
            "lookahead": ahead,
        }
        for ahead in LOOKAHEADS
        for word in WORDS
        if 16 <= word <= 64
    },
}


def measure(seeds: int, jobs: int, progress: Report) -> list[dict[str, Any]]:
    """Area, usable clock (median of the seeds, within the limits of the chip) and rate of every
    design, the most products per second per LUT first.

    times_peer: how many times the peer's."""
    rows = [_one(name, options, seeds, jobs, progress) for name, options in DESIGNS.items()]
    return sorted([*rows, peer()], key=lambda row: -row["per_lut"])


def _one(
    name: str, options: dict[str, Any], seeds: int, jobs: int, progress: Report
) -> dict[str, Any]:
    given = {**options, "width": WIDTH, "target": "ecp5", "interface": "core"}

    def report(what: str, done: int, total: int) -> None:
        progress(f"{name}: {what}", done, total)

    spec = Spec.from_options(given)
    result = implement_chip(spec, seeds=seeds, work=Work(jobs, progress=report))
    clock = result.fmax_mhz
    assert clock is not None
    form = "carry-save" if spec.multiplier.result_form == "carry-save" else "binary"
    cycles = result.cycles.per_product
    return row(name, spec.multiplier.timing, form, result.lut, result.ff, clock.usable, cycles) | {
        "routed_mhz": clock.median
    }


def peer() -> dict[str, Any]:
    """The same figures of mod_sim_exp; its clock is the best of three seeds, below every limit of
    the chip."""
    (printed,) = [entry for entry in PEERS if entry["name"] == PEER and entry["bits"] == WIDTH]
    lut, ff, mhz, cycles = (printed[key] for key in ("lut", "ff", "mhz", "interval_cc"))
    return row(PEER, "constant", "binary", lut, ff, mhz, cycles) | {"routed_mhz": mhz}


def row(
    name: str, timing: str, form: str, lut: int, ff: int, mhz: float, cycles: float
) -> dict[str, Any]:
    """One line of the table.  mhz: usable; cycles: from product to product, mean."""
    (other,) = [entry for entry in PEERS if entry["name"] == PEER and entry["bits"] == WIDTH]
    rate = mhz * 1e6 / cycles
    base = other["mhz"] * 1e6 / other["interval_cc"] / other["lut"]
    return {
        "design": name,
        "time": timing,
        "result": form,
        "lut": lut,
        "ff": ff,
        "usable_mhz": mhz,
        "cycles": round(cycles, 1),
        "products_per_second": round(rate),
        "per_lut": round(rate / lut, 1),
        "times_peer": round(rate / lut / base, 2),
    }
