"""One point of an exploration: what was asked for, and what came out.  One JSON file a point."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from modmul.implementation.critical_path import CriticalPath
from modmul.implementation.levels import Estimate, PathLevels
from modmul.implementation.result import Clock, CycleCounts, Figure, ModeTimes, Performance
from modmul.implementation.timing import CellPath

Status = Literal["done", "outside", "failed"]


class Checked(msgspec.Struct, frozen=True):
    """What `verify` did before anything was measured: products compared with the integers, of
    these bit for bit with the golden model, clock cycles simulated, seed."""

    products: int
    golden: int
    cycles: int
    seed: int


class Times(msgspec.Struct, frozen=True):
    """Times at one clock.  kind: 'usable' (routed, and within the limits of the hard blocks),
    'estimate' (added up over the netlist, nothing was routed), 'critical path' (of cells).

    unit: of all figures, ns or that of the cell library.  eight: eight independent products."""

    kind: str
    unit: str
    period: float
    latency: float
    per_product: float
    eight: float


class Expected(msgspec.Struct, frozen=True):
    """The closed-form forecast by which the work was sorted.  mhz: None where there is none."""

    lut: int
    ff: int
    dsp: int
    ram_bits: int
    mhz: float | None


class Seconds(msgspec.Struct, frozen=True):
    """Where the time went.  tools: while at least one tool ran; of it `by_tool`, which may overlap;
    total: the whole point."""

    total: float
    tools: float
    by_tool: dict[str, float]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One point, measured, never changed afterwards.

    key: address, of the spec, the options of the steps, the sources of this program and the tools.
    status: 'done'; 'outside': a condition of the space does not hold (`reason`), so that not all
    was measured; 'failed': no figures, `reason` says why.
    spec: every key with its value.  field: of the modulus, else the first the multiplier has.
    area: LUT equivalents (a DSP counts as the LUTs that the device has for each of its DSPs), or
    the area of the cells.  time: None where there is no clock.
    The others: as in `ImplementResult`; None where they do not apply, or were not reached."""

    key: str
    status: Status
    reason: str | None = None
    title: str
    architecture: str
    target: str
    device: str | None
    width: int
    field: str
    timing: str
    slots: int
    spec: dict[str, Any]
    seeds: int
    products: int
    forecast: Expected | None = None
    verified: Checked | None = None
    area: Figure | None = None
    time: Times | None = None
    lut: int | None = None
    ff: int | None = None
    dsp: int | None = None
    ram_bits: int | None = None
    ram_blocks: int | None = None
    cells: dict[str, int] | None = None
    cycles: CycleCounts | None = None
    by_mode: tuple[ModeTimes, ...] = ()
    fmax_mhz: Clock | None = None
    routed: Performance | None = None
    usable: Performance | None = None
    critical_path: CriticalPath | None = None
    cell_path: CellPath | None = None
    levels: PathLevels | None = None
    estimate: Estimate | None = None
    tools: dict[str, str]
    sources: str
    seconds: Seconds
    finished: str

    @property
    def technology(self) -> str:
        """What its area and times can be compared within: the chip family, the cell library."""
        return str(self.spec.get("library") or self.target)

    @property
    def group(self) -> str:
        """Of what it is one design: technology, width, field."""
        return f"{self.technology}, {self.width} bits, {self.field}"


# Made once, at import: two threads that meet the type for the first time together crash msgspec.
DECODER = msgspec.json.Decoder(Record)
