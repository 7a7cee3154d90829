"""A design of ours beside what its papers printed: one table of `modmul implement`."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from modmul.cli.output import table
from modmul.implementation.result import Clock, ImplementResult
from modmul.multipliers import Multiplier
from modmul.papers.beside import Ours, ours, published_designs
from modmul.spec import Spec

_PRINTED = "Published: routed clocks of their own chips, no adapter."
_WITH = "core + adapter: interface stream, nobody pauses; core alone: what the papers print."


def published(spec: Spec, result: ImplementResult) -> list[RenderableType]:
    """This design beside what the papers of its architecture printed for the same width; times of
    ours are at the usable clock.  Nothing where nothing was printed."""
    rows = published_designs(spec.multiplier) if isinstance(spec.design, Multiplier) else []
    if not rows:
        return []
    listing = table("\nBeside the published", "source", "design", "chip", "LUT", "FF", "DSP",
                 "usable MHz", "routed MHz", "latency", "eight products")  # fmt: skip
    chip, clock = result.device or result.target, result.fmax_mhz
    for own in ours(spec, result):
        listing.add_row("here", f"{spec.multiplier.title}, {own.parts}", chip, str(own.lut),
                     str(own.ff), str(own.dsp), _usable(own, clock), _mhz(own.routed_mhz),
                     f"{own.latency:g}", _ns(own.eight_ns))  # fmt: skip
    for row in rows:
        listing.add_row(row.source, row.design, row.chip, str(row.lut), str(row.ff), str(row.dsp),
                     "-", _mhz(row.mhz), str(row.latency), f"{row.eight_ns:g} ns")  # fmt: skip
    return [listing, *map(Text, _notes(result))]


def _notes(result: ImplementResult) -> list[str]:
    clock = result.fmax_mhz
    notes = [_WITH] if result.adapter else []
    if clock is not None:
        notes.append(f"Here: times at the usable clock, the core's limited by {clock.limited_by}.")
    return [*notes, _PRINTED]


def _usable(own: Ours, clock: Clock | None) -> str:
    """UNVERIFIED beside a clock that such a limit decides."""
    if own.usable_mhz is None or clock is None:
        return "-"
    if own.usable_mhz < clock.usable:  # the adapter decides
        return f"{own.usable_mhz:.6g}"
    return clock.words.replace(" MHz", "")


def _mhz(mhz: float | None) -> str:
    return "-" if mhz is None else f"{mhz:.6g}"


def _ns(time: float | None) -> str:
    return "-" if time is None else f"{time:.1f} ns"
