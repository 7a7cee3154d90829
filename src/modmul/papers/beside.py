"""Compares a design of ours with designs of the same width that the papers of its architecture
printed."""

from __future__ import annotations

from modmul.implementation.figures import core_and_adapter
from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.multipliers.streamed import added_latency
from modmul.papers.printed import PrintedDesign, printed_designs
from modmul.spec import Spec


def published_designs(multiplier: Multiplier) -> list[PrintedDesign]:
    """The rows to compare `multiplier` with: of its architecture and width, with all that is
    compared; empty if none was printed."""
    return [
        row
        for row in printed_designs()
        if (row.architecture, row.width) == (multiplier.name, multiplier.width)
        and None not in (row.lut, row.ff, row.dsp, row.mhz, row.latency, row.eight_ns)
    ]


def ours(spec: Spec, result: ImplementResult) -> dict[str, ImplementResult]:
    """What `implement` measured, by what is counted: with interface stream first the core with its
    adapter, which is what a user of that interface gets; last the core alone, which is what papers
    print."""
    core = {"core alone": result}
    if result.adapter is None:
        return core
    added = added_latency(spec.multiplier, spec.headline)
    return {"core + adapter": core_and_adapter(result, added), **core}
