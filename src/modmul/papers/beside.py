"""What the papers of an architecture printed for designs of the same width."""

from __future__ import annotations

from typing import NamedTuple

from modmul.multipliers import Multiplier
from modmul.papers import gallin2019
from modmul.papers.gallin2019 import tables


class Published(NamedTuple):
    """One printed row.  latency in clock cycles, mhz the routed clock, eight_ns for 8 products."""

    source: str
    design: str
    chip: str
    lut: int
    ff: int
    dsp: int
    mhz: float
    latency: int
    eight_ns: float


def beside(multiplier: Multiplier) -> list[Published]:
    """The rows to compare `multiplier` with; empty if none was printed for its width."""
    if gallin2019.KEY not in multiplier.sources:
        return []
    printed = gallin2019.figures()
    chips = {entry["fpga"]: entry["device"] for entry in printed["dsp_slices"]}
    return [
        Published(
            f"{gallin2019.KEY}, Table II", row["spec"], chips[row["fpga"]], row["luts"], row["ffs"],
            row["dsps"], row["freq_mhz"], row["latency_cc"], row["time8_ns"],
        )
        for row in tables.fpmm_rows(printed)
        if row["n_bits"] == multiplier.width
    ]  # fmt: skip
