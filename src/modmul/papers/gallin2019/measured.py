"""Everything that is measured for the tables: simulated cycles, counted cells, ECP5 clocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from modmul.implementation.result import ImplementResult
from modmul.papers.gallin2019.designs import FIGURE4, ON_ECP5, Name, design, figure1_design
from modmul.papers.implemented import Counted, cells, implementation
from modmul.papers.needs import Measuring
from modmul.papers.printed import fpmm_rows
from modmul.papers.records import Figures
from modmul.papers.simulated import schedules
from modmul.spec import Spec
from modmul.verification.observed import Schedule


class Measured(NamedTuple):
    """cycles: of every design, target generic.  cells: of each on the chips that the paper put it
    on, by target.  ecp5: some of them, placed and routed on another family.  first: the design of
    Figure 1.  None, or missing: not measured."""

    cycles: Mapping[Name, Schedule]
    cells: Mapping[tuple[Name, str], Counted]
    ecp5: Mapping[Name, ImplementResult]
    first: Schedule | None


def measure(printed: Figures, run: Measuring) -> Measured:
    """Simulate all designs, count cells of those of Table II, route some."""
    on_chips = [((row.width, row.design), row.target) for row in fpmm_rows(printed)]
    names = [*dict.fromkeys(name for name, _ in on_chips), FIGURE4["without"]]
    simulated = schedules([*(design(*name) for name in names), figure1_design()])
    runs = run.one("simulate", simulated) or []  # that of Figure 1 is the last
    counted = {one: cells(_spec(*one)) for one in on_chips}
    routed = {
        name: implementation(_spec(name, "ecp5"), run.seeds, f"{name[1]}, {name[0]} bits")
        for name in (ON_ECP5 if run.seeds else ())
    }
    return Measured(
        cycles=dict(zip(names, runs, strict=False)),
        cells=run.fill("count cells", counted),
        ecp5=run.fill("place and route", routed),
        first=runs[-1] if runs else None,
    )


def _spec(name: Name, target: str) -> Spec:
    device = "XC7VX690T" if target == "xc7" else None  # the paper's; the others' stand first
    return Spec(design(*name, target), device=device, interface="core")
