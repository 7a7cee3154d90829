"""What an implementation costs and how fast it is: the records that `implement` returns."""

from __future__ import annotations

from typing import final

import msgspec

from modmul.implementation.critical_path import CriticalPath
from modmul.implementation.levels import Estimate, PathLevels
from modmul.implementation.timing import CellPath
from modmul.targets import Limit, clock_words


class SeedClock(msgspec.Struct, frozen=True):
    """Routed clock with one seed of the placer."""

    seed: int
    mhz: float


class Clock(msgspec.Struct, frozen=True):
    """Clocks in MHz.  median, best: routed, over the seeds; usable: the smaller of the median and
    the limits of the hard blocks used, the one at which designs are compared.

    limited_by: what decides `usable`.  verified: False if that is a limit that was not checked
    in its source."""

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
        """The usable clock for people, UNVERIFIED beside it where it is."""
        return clock_words(self.usable, self.verified)


class CycleCounts(msgspec.Struct, frozen=True):
    """Clock cycles declared by the design (means, where they depend on data): of its headline
    operation, for the field and length of the spec's modulus, else for the longest operands.

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
    at that of the longest path; None where there is none."""

    mode: str
    latency: float
    interval: float
    per_product: float
    latency_time: Figure | None
    per_product_time: Figure | None


class Area(msgspec.Struct, frozen=True):
    """An area.  unit: EQUIVALENTS on a chip, else that of the cell library.

    luts_per_dsp: what a DSP counts in EQUIVALENTS (LUTs of the device over its DSPs); None in a
    cell library."""

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


class Performance(msgspec.Struct, frozen=True):
    """Times (ns) and products per second, in all and per unit of area, at one clock.

    A figure per something that the design has none of is None."""

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
    """What the elastic adapter adds to the core, and the routed clock of both together (median of
    the seeds; None where nothing was routed)."""

    lut: int
    ff: int
    ram_bits: int
    mhz_with_core: float | None


class Slices(msgspec.Struct, frozen=True):
    """How much of a chip the bare core takes at least: slices that are full of what there is more
    of, LUTs or flip-flops.  A packer takes more.  of: slices of the device; percent: of these."""

    at_least: int
    of: int
    percent: float


class Attempt(msgspec.Struct, frozen=True):
    """One number of partitions that was synthesised.  share: of the device's LUTs; fits: whether
    that, and the hard blocks, are within what was asked for."""

    partitions: int
    lut: int
    share: float
    fits: bool


@final
class ImplementResult(msgspec.Struct, frozen=True, kw_only=True):
    """One multiplier on one chip.  Areas are those of the bare core alone.

    lut, ff, dsp: in the units of the target's table of cells.  ram_blocks, ram_bits: block RAMs and
    their capacity (generic: memories as written); distributed RAM counts as LUTs.
    None where nothing was routed: fmax_mhz, routed, usable, critical_path.
    levels: the path with most LUTs in series; None where the target's cells have no arcs.
    estimate: a delay by adding up, only on targets without a router whose cells have delays.
    limits: of the hard blocks used and of the clock net, lowest first; empty: none is known.
    by_mode: empty where there is one mode.  adapter: None with interface core.
    tried: in the search for the fewest partitions that fit, in order; empty where none was made.
    slices: None where the device has none on record."""

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
    adapter: Adapter | None = None
    tried: tuple[Attempt, ...] = ()
    slices: Slices | None = None
    tools: dict[str, str]


class LibraryUsed(msgspec.Struct, frozen=True):
    """A cell library.  name: as in its file; asked: as in the spec; sha256: of its file."""

    name: str
    asked: str
    sha256: str
    delay_model: str


class CellsAdapter(msgspec.Struct, frozen=True):
    """What the elastic adapter adds to the core's area, and the longest path of both together."""

    area: Figure
    critical_path_with_core: float | None


class CellsResult(msgspec.Struct, frozen=True, kw_only=True):
    """One multiplier in the cells of one library.  Figures are those of the bare core alone.

    cells: how many of each type.  area: their sum, nothing for wires.  critical_path: the longest
    from register to register, None if there is none; then there are no times either.
    latency, per_product: at a clock of that period.  area_time: area times time per product.
    by_mode: empty where there is one mode.  adapter: None with interface core."""

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
