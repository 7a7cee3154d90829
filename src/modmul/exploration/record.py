"""The record of one point of an exploration, one JSON file: what was asked for, and the results."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from modmul.implementation.figures import area_words
from modmul.implementation.result import (
    Area,
    CellsResult,
    Clock,
    CycleCounts,
    ImplementResult,
    Times,
)

MULTIPLY = "multiply"  # the operation of multipliers
SHAPE: Literal[2] = 2  # of a record's file
Status = Literal["done", "outside", "failed"]


class Checked(msgspec.Struct, frozen=True):
    """What `verify` did before anything was measured: products compared with the integers, of
    these bit for bit with the golden model, clock cycles simulated, seed."""

    products: int
    golden: int
    cycles: int
    seed: int


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
    of its DSPs), or the area of the cells.  time: None where there is no clock.
    timing: as declared; timing_proved: whether `constant` is proved on the Verilog; None where it
    is not declared.
    chip, silicon: what `implement` answered, on a chip or in cells of a library; None where that
    was not reached.  Short names of what is in them are in `view`.
    shape: of the file; one of another shape is not read."""

    shape: Literal[2]
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
        """What its area and times can be compared within: the chip family, the cell library."""
        return str(self.spec.get("library") or self.target)

    @property
    def luts_per_dsp(self) -> float | None:
        """What a DSP counts in LUT equivalents; None where its area is in another unit."""
        return None if self.area is None else self.area.luts_per_dsp

    @property
    def clock(self) -> Clock | None:
        """Routed; None where nothing was."""
        return None if self.chip is None else self.chip.fmax_mhz

    @property
    def area_unit(self) -> str:
        """The unit of its area for people, with what a DSP counts; "" where it has none."""
        return "" if self.area is None else area_words(self.area.unit, [self.luts_per_dsp])

    @property
    def unverified(self) -> bool:
        """Whether the times are at a clock that an unverified limit decides."""
        return self.clock is not None and not self.clock.verified

    @property
    def group(self) -> str:
        """Of what it is one design: technology, width, field, and, unless that is to multiply,
        the operation with the length of its exponent or scalar."""
        does = "" if self.operation == MULTIPLY else f", {self.operation}"
        does += "" if self.length is None else f" {self.length} bits"
        return f"{self.technology}, {self.width} bits, {self.field}{does}"


# Made once, at import: two threads that meet the type for the first time together crash msgspec.
DECODER = msgspec.json.Decoder(Record)
