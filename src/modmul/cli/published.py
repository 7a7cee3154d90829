"""Prints one of our designs beside the figures of its papers: a table of `modmul implement`."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from modmul.cli.output import table
from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.papers.beside import ours, published_designs
from modmul.spec import Spec

_PRINTED = "Published: routed clocks of their own chips, no adapter."
_WITH = "core + adapter: interface stream, nobody pauses; core alone: what the papers print."


def published(spec: Spec, result: ImplementResult) -> list[RenderableType]:
    """Return a table of this design beside those that the papers of its architecture printed for
    the same width, and notes; our times are at the usable clock.  Empty if the papers print
    none."""
    rows = published_designs(spec.multiplier) if isinstance(spec.design, Multiplier) else []
    if not rows:
        return []
    listing = table(
        "\nBeside the published",
        "source",
        "design",
        "chip",
        "LUT",
        "FF",
        "DSP",
        "usable MHz",
        "routed MHz",
        "latency",
        "eight products",
    )
    chip = result.device or result.target
    for parts, own in ours(spec, result).items():
        clock, times = own.fmax_mhz, own.usable
        usable = clock.words.replace(" MHz", "") if clock else "-"
        listing.add_row(
            "here",
            f"{spec.multiplier.title}, {parts}",
            chip,
            str(own.lut),
            str(own.ff),
            str(own.dsp),
            usable,
            _mhz(clock.median if clock else None),
            f"{own.cycles.latency:g}",
            f"{times.eight_ns:.1f} ns" if times else "-",
        )
    for row in rows:
        listing.add_row(
            row.source,
            row.design,
            row.chip,
            str(row.lut),
            str(row.ff),
            str(row.dsp),
            "-",
            _mhz(row.mhz),
            str(row.latency),
            f"{row.eight_ns:g} ns",
        )
    return [listing, *map(Text, _notes(result))]


def _notes(result: ImplementResult) -> list[str]:
    clock = result.fmax_mhz
    notes = [_WITH] if result.adapter else []
    if clock is not None:
        notes.append(f"Here: times at the usable clock, the core's limited by {clock.limited_by}.")
    return [*notes, _PRINTED]


def _mhz(mhz: float | None) -> str:
    return "-" if mhz is None else f"{mhz:.6g}"
