"""One point of an exploration: what was asked for, and what came out.  One JSON file a point."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from modmul.implementation.critical_path import CriticalPath
from modmul.implementation.levels import Estimate, PathLevels
from modmul.implementation.result import (
    Adapter,
    CellsAdapter,
    Clock,
    CycleCounts,
    ModeTimes,
    Performance,
)
from modmul.implementation.timing import CellPath

EQUIVALENTS = "LUT equivalents"  # LUTs, and for a DSP block as many as `luts_per_dsp` says
Status = Literal["done", "outside", "failed"]


class Checked(msgspec.Struct, frozen=True):
    """What `verify` did before anything was measured: products compared with the integers, of
    these bit for bit with the golden model, clock cycles simulated, seed."""

    products: int
    golden: int
    cycles: int
    seed: int


class Area(msgspec.Struct, frozen=True):
    """An area.  unit: EQUIVALENTS on a chip, else that of the cell library.

    luts_per_dsp: what a DSP counts in EQUIVALENTS (LUTs of the device over its DSPs); None in a
    cell library, and in records of older versions."""

    value: float
    unit: str
    luts_per_dsp: float | None = None


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
    operation: the headline, which cycles and times are about; length: of its exponent or scalar,
    bits.
    spec: every key with its value.  field: of the modulus, else the first the multiplier has.
    area: of the core alone: LUT equivalents (a DSP counts as the LUTs that the device has for each
    of its DSPs), or the area of the cells.  adapter, cell_adapter: what interface stream adds.
    time: None where there is no clock.
    timing: as declared; timing_proved: whether `constant` is proved on the Verilog; None where it
    is not declared, and in records of older versions.
    The others: as in `ImplementResult`; None where they do not apply, or were not reached."""

    key: str
    status: Status
    reason: str | None = None
    title: str
    architecture: str
    operation: str = "multiply"
    length: int | None = None
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
    timing_proved: bool | None = None
    area: Area | None = None
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
    adapter: Adapter | None = None
    cell_adapter: CellsAdapter | None = None
    tools: dict[str, str]
    sources: str
    seconds: Seconds
    finished: str

    @property
    def technology(self) -> str:
        """What its area and times can be compared within: the chip family, the cell library."""
        return str(self.spec.get("library") or self.target)

    @property
    def luts_per_dsp(self) -> float | None:
        """What a DSP counts in LUT equivalents; None where its area is in another unit, or an older
        version kept none and there is no DSP to tell."""
        area = self.area
        if area is None or area.unit != EQUIVALENTS:
            return None
        if area.luts_per_dsp is None and self.dsp and self.lut is not None:
            return (area.value - self.lut) / self.dsp
        return area.luts_per_dsp

    @property
    def area_unit(self) -> str:
        """The unit of its area for people, with what a DSP counts; "" where it has none."""
        return "" if self.area is None else area_words(self.area.unit, [self.luts_per_dsp])

    @property
    def unverified(self) -> bool:
        """Whether its times are at a clock that an unverified limit decides."""
        return self.fmax_mhz is not None and self.fmax_mhz.unverified

    @property
    def group(self) -> str:
        """Of what it is one design: technology, width, field, and, unless that is to multiply,
        the operation with the length of its exponent or scalar."""
        does = "" if self.operation == "multiply" else f", {self.operation}"
        does += "" if self.length is None else f" {self.length} bits"
        return f"{self.technology}, {self.width} bits, {self.field}{does}"


def area_words(unit: str, factors: Iterable[float | None]) -> str:
    """A unit of area for people: of LUT equivalents what a DSP counts, in some designs."""
    known = sorted({f"{one:.4g}" for one in factors if one is not None}, key=float)
    if unit != EQUIVALENTS or not known:
        return unit
    if known == ["0"]:
        return f"{unit}, DSP blocks count nothing"
    return f"{unit}, 1 DSP = {' or '.join(known)} LUT"


# Made once, at import: two threads that meet the type for the first time together crash msgspec.
DECODER = msgspec.json.Decoder(Record)
