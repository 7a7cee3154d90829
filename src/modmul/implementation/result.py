"""The records that `implement` returns: the area of an implementation, its clock and its times."""

from __future__ import annotations

from typing import final

import msgspec

from modmul.implementation.critical_path import CriticalPath
from modmul.targets import Limit, clock_words

LABEL = "estimate, not routed"


class SeedClock(msgspec.Struct, frozen=True):
    """The routed clock with one seed of the placer."""

    seed: int
    mhz: float


class Clock(msgspec.Struct, frozen=True):
    """Clocks in MHz.

    median, best: routed, over the seeds.  usable: the smaller of the median and the limits of the
    hard blocks used; designs are compared at this clock.  limited_by: what decides `usable`.
    verified: False if that is a limit that was not checked in its source."""

    median: float
    best: float
    usable: float
    limited_by: str
    seeds: tuple[SeedClock, ...]
    verified: bool

    @property
    def period(self) -> float:
        """The period of the usable clock in ns."""
        return 1000 / self.usable

    @property
    def words(self) -> str:
        """The usable clock in words, marked UNVERIFIED if its limit was not checked."""
        return clock_words(self.usable, self.verified)


class PathLevels(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """A path, and the LUTs, carry chains and multiplexers that it runs through.

    lut_levels: LUTs in series, a carry chain with its LUTs counted as one.  carry_chains: the
    number of carry chains.  carry_bits: the bits of these that the path runs through.  wide_muxes:
    multiplexers behind LUTs (MUXF5 and the like)."""

    start: str
    end: str
    lut_levels: int
    carry_chains: int
    carry_bits: int
    wide_muxes: int


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """The delay of the slowest path, added up over its cells and nets.  It is not routed, and no
    clock is claimed from it.

    delay_ns = cells_ns + nets * net_delay_ns.  net_delay_ns: assumed for each net outside a slice.
    net_source: the basis of that assumption.  speed_grade, source: of the cells' delays.  verified:
    every delay on this path was checked against the cited source.  cells: the number of cells of
    each type on the path."""

    label: str = LABEL
    delay_ns: float
    cells_ns: float
    nets: int
    net_delay_ns: float
    net_source: str
    speed_grade: str
    source: str
    verified: bool
    path: PathLevels
    cells: dict[str, int]


class EstimatedClock(msgspec.Struct, frozen=True, kw_only=True):
    """A clock in MHz that was estimated: nothing was routed.

    mhz: within the limits of the hard blocks.  limited_by: what decides it.  verified: False if
    that is a limit that was not checked in its source.  low, high: the error band, which is as wide
    as that of the designs that were measured.  source: of the estimate and of its band."""

    mhz: float
    limited_by: str
    verified: bool
    low: float
    high: float
    source: str

    @property
    def period(self) -> float:
        """The period in ns."""
        return 1000 / self.mhz

    @property
    def words(self) -> str:
        """The clock in words, with its band, marked UNVERIFIED if its limit was not checked."""
        mhz = clock_words(self.mhz, self.verified)
        return f"{mhz}, estimated ({self.low:g} to {self.high:g})"


class CellStage(msgspec.Struct, frozen=True):
    """A cell on a path, the signal that it drives (None if the design has no name for it), and the
    time since the stage before, in the unit of the library."""

    cell: str
    signal: str | None
    delay: float


class CellPath(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """The longest path between registers.  value: its length in `unit`, setup time included.
    setup: the setup time alone."""

    value: float
    unit: str
    start: str
    end: str
    setup: float
    stages: tuple[CellStage, ...]


class CycleCounts(msgspec.Struct, frozen=True):
    """Clock cycles that the design declares (means, if they depend on data) for its headline
    operation, at the field and length of the spec's modulus, else for the longest operands.

    eight: for eight independent operations, from the first word in to the last word out."""

    latency: float
    interval: float
    per_product: float
    eight: float


class Figure(msgspec.Struct, frozen=True):
    """A number and its unit."""

    value: float
    unit: str


class ModeTimes(msgspec.Struct, frozen=True):
    """One mode (operation, field, words in use): declared cycles, and times at the usable clock or
    at that of the longest path; the times are None if there is no clock."""

    mode: str
    latency: float
    interval: float
    per_product: float
    latency_time: Figure | None
    per_product_time: Figure | None


class Area(msgspec.Struct, frozen=True):
    """An area.  unit: EQUIVALENTS on a chip, else that of the cell library.

    luts_per_dsp, luts_per_ram: the LUTs that a DSP block and a block RAM count as in EQUIVALENTS
    (LUTs of the device over its DSPs, and over its block RAMs); None in a cell library."""

    value: float
    unit: str
    luts_per_dsp: float | None = None
    luts_per_ram: float | None = None


class Times(msgspec.Struct, frozen=True):
    """Times at one clock.

    kind: 'usable' (routed, and within the limits of the hard blocks), 'estimated' (nothing was
    routed), 'critical path' (of cells).  unit: of all figures, ns or that of
    the cell library.  eight: the time for eight independent products."""

    kind: str
    unit: str
    period: float
    latency: float
    per_product: float
    eight: float


class Performance(msgspec.Struct, frozen=True):
    """Times (ns) and products per second, in total and per unit of area, at one clock.

    A figure per resource is None if the design uses none of that resource."""

    mhz: float
    latency_ns: float
    per_product_ns: float
    eight_ns: float
    products_per_second: float
    per_dsp: float | None
    per_lut: float | None
    per_ff: float | None
    per_ram_bit: float | None


class Adapter(msgspec.Struct, frozen=True):
    """The area that the elastic adapter adds to the core, and the routed clock of both together
    (median of the seeds; None if nothing was routed)."""

    lut: int
    ff: int
    ram_bits: int
    mhz_with_core: float | None


class Slices(msgspec.Struct, frozen=True):
    """The least part of a chip that the bare core takes.  at_least: the slices that its LUTs or its
    flip-flops fill, whichever are more; a packer takes more.  of: the slices of the device.
    percent: `at_least` of these."""

    at_least: int
    of: int
    percent: float


class Attempt(msgspec.Struct, frozen=True):
    """One number of partitions that was synthesised.  share: of the device's LUTs.  fits: whether
    the share is within the limit."""

    partitions: int
    lut: int
    share: float
    fits: bool


@final
class ImplementResult(msgspec.Struct, frozen=True, kw_only=True):
    """One multiplier on one chip.  Areas are those of the bare core alone.

    lut, ff, dsp: in the units of the target's table of cells.  ram_blocks, ram_bits: block RAMs and
    their capacity (generic: memories as written); distributed RAM counts as LUTs.
    fmax_mhz, routed, usable, critical_path: None if nothing was routed.
    levels: the path with the most LUTs in series; None if the target describes no paths of cells.
    estimate: an added-up delay, only on targets without a router whose cells have delays.
    estimated_mhz: the clock of that delay, within the limits; never beside a routed one.
    limits: of the hard blocks used and of the clock net, lowest first; empty if none is known.
    by_mode: empty if there is only one mode.  adapter: None with interface core.
    tried: the search for the fewest partitions that fit, in order; empty if there was none.
    slices: None if the device's number of slices is unknown."""

    spec: dict[str, object]
    target: str
    device: str | None
    lut: int
    ff: int
    dsp: int
    ram_bits: int
    ram_blocks: int
    cells: dict[str, int]
    cycles: CycleCounts
    by_mode: tuple[ModeTimes, ...] = ()
    fmax_mhz: Clock | None = None
    routed: Performance | None = None
    usable: Performance | None = None
    limits: tuple[Limit, ...] = ()
    critical_path: CriticalPath | None = None
    levels: PathLevels | None = None
    estimate: Estimate | None = None
    estimated_mhz: EstimatedClock | None = None
    adapter: Adapter | None = None
    tried: tuple[Attempt, ...] = ()
    slices: Slices | None = None
    tools: dict[str, str]


class LibraryUsed(msgspec.Struct, frozen=True):
    """A cell library.  name: in its file.  asked: in the spec.  sha256: of its file."""

    name: str
    asked: str
    sha256: str
    delay_model: str


class CellsAdapter(msgspec.Struct, frozen=True):
    """The area that the elastic adapter adds to the core, and the longest path of both together."""

    area: Figure
    critical_path_with_core: float | None


class CellsResult(msgspec.Struct, frozen=True, kw_only=True):
    """One multiplier in the cells of one library.  Figures are those of the bare core alone.

    cells: the number of each type.  area: the sum over the cells, without wires.
    critical_path: the longest from register to register; if it is None, there are no times either.
    latency, per_product: at a clock of that period.  area_time: area times time per product.
    by_mode: empty if there is only one mode.  adapter: None with interface core."""

    spec: dict[str, object]
    target: str
    library: LibraryUsed
    area: Figure
    critical_path: CellPath | None
    cells: dict[str, int]
    flip_flops: int
    cycles: CycleCounts
    by_mode: tuple[ModeTimes, ...]
    latency: Figure | None
    per_product: Figure | None
    area_time: Figure | None
    adapter: CellsAdapter | None
    tools: dict[str, str]
