"""The record of one point of an exploration, one JSON file: the request and the results."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from modmul.implementation.figures import area_words
from modmul.implementation.result import (
    Area,
    CellsResult,
    Clock,
    CycleCounts,
    EstimatedClock,
    ImplementResult,
    Times,
)

MULTIPLY = "multiply"  # the operation of multipliers
SHAPE: Literal[3] = 3  # the version of the file format of records
Status = Literal["done", "outside", "failed"]
# measured: routed; mapped: the area is counted in the netlist, the clock estimated; estimated: both
Basis = Literal["measured", "mapped", "estimated"]


class Checked(msgspec.Struct, frozen=True):
    """The result of `verify`, which runs before any measurement: products compared with the
    integers, those also compared bit for bit with the golden model, clock cycles simulated,
    seed."""

    products: int
    golden: int
    cycles: int
    seed: int


class Expected(msgspec.Struct, frozen=True):
    """The closed-form forecast by which the work was sorted.  mhz: None if there is none."""

    lut: int
    ff: int
    dsp: int
    ram_bits: int
    mhz: float | None


class Seconds(msgspec.Struct, frozen=True):
    """The time that the point took.  total: the whole point.  tools: while at least one tool ran.
    by_tool: the time of each tool; these may overlap."""

    total: float
    tools: float
    by_tool: dict[str, float]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One measured point; it is never changed afterwards.

    key: an address made from the spec, the options of the steps, the sources and the tools.
    status: 'done'; 'outside': a condition of the space does not hold (`reason`), and not all was
    measured; 'failed': no figures, `reason` says why.
    operation: the headline, which cycles and times are about.  length: bits of its exponent or
    scalar.
    spec: every key with its value.  field: of the modulus, else the first field of the multiplier.
    area: of the core alone: LUT equivalents, or the area of
    the cells.
    time: None if there is no clock.  timing: as declared.  timing_proved: whether `constant` is
    proved on the Verilog; None if it is not declared.
    chip, silicon: the result of `implement` on a chip, or in cells of a library; None if it was not
    reached.  `names` has short names for the figures in them.
    shape: the version of the file format; records of another version are not read."""

    shape: Literal[3]
    key: str
    status: Status
    reason: str | None = None
    title: str
    architecture: str
    operation: str = MULTIPLY
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
    cycles: CycleCounts | None = None
    chip: ImplementResult | None = None
    silicon: CellsResult | None = None
    tools: dict[str, str]
    sources: str
    seconds: Seconds
    finished: str

    @property
    def technology(self) -> str:
        """The chip family or the cell library; areas and times can be compared within one only."""
        return str(self.spec.get("library") or self.target)

    @property
    def clock(self) -> Clock | EstimatedClock | None:
        """The routed clock or, if nothing was routed, the estimated one; None if there is none."""
        return None if self.chip is None else self.chip.fmax_mhz or self.chip.estimated_mhz

    @property
    def basis(self) -> Basis:
        if self.chip is not None and self.chip.fmax_mhz is not None:
            return "measured"
        netlist = self.silicon is not None or (self.chip is not None and self.chip.cells)
        return "mapped" if netlist else "estimated"

    @property
    def area_unit(self) -> str:
        """In words, with the LUTs that hard blocks count as; "" without area."""
        area = self.area
        return area_words(area.unit, [area.luts_per_dsp], [area.luts_per_ram]) if area else ""

    @property
    def unverified(self) -> bool:
        """Whether the times are at a clock that an unverified limit decides."""
        return self.clock is not None and not self.clock.verified

    @property
    def group(self) -> str:
        """The group within which designs are alternatives: technology, width, field and, for other
        operations than multiply, the operation with the length of its exponent or scalar."""
        does = "" if self.operation == MULTIPLY else f", {self.operation}"
        does += "" if self.length is None else f" {self.length} bits"
        return f"{self.technology}, {self.width} bits, {self.field}{does}"


# Created once, at import: msgspec crashes if two threads use a type for the first time together.
DECODER = msgspec.json.Decoder(Record)
