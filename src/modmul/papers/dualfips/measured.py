"""Everything that is measured for the tables: simulated clocks, as the paper counts them and beside
what is declared, xc7 counts, ECP5 clocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from modmul.implementation.result import ImplementResult
from modmul.operation import Mode
from modmul.papers.dualfips.designs import (
    BITS,
    CONTROLLERS,
    ONE,
    TWO_DEFAULT,
    WORD,
    clocks,
    left_out,
    subjects,
)
from modmul.papers.dualfips.exponentiation import BITS as BITS_OF_LOOPS
from modmul.papers.dualfips.exponentiation import METHODS, LoopClocks, Loops, exponentiations
from modmul.papers.implemented import cells, routed
from modmul.papers.needs import Measuring, Need, Needs
from modmul.papers.records import Figure, Figures, TableCell
from modmul.papers.simulated import schedules_by_mode
from modmul.spec import Spec
from modmul.verification.observed import ProductSchedule

# Circuits of Table 2, 1024 bits: options besides the default ones.
AREAS: dict[str, Mapping[str, Any]] = {
    "one, as drawn": CONTROLLERS[ONE].options,
    "one": {},
    "one, 3 stages": {"stages": 3},
    "one, DSP": {"dsp": True},
    "one, DSP, 3 stages": {"dsp": True, "stages": 3},
    "two": CONTROLLERS[TWO_DEFAULT].options,
    "one, GF(p) alone": {"field": "prime"},
}
ROUTED = ("one, as drawn", "one", "one, 3 stages", "one, DSP", "one, DSP, 3 stages")


class Measured(NamedTuple):
    """clocks: simulated products, by the name of a circuit and mode; loops: simulated
    exponentiations; xc7: counted; ecp5: placed and routed.  What was not measured is missing."""

    clocks: Mapping[tuple[str, Mode], ProductSchedule]
    loops: Loops
    xc7: Mapping[str, ImplementResult]
    ecp5: Mapping[str, ImplementResult]


def spec_of(name: str, target: str) -> Spec:
    """One of AREAS as a bare core."""
    common = {"architecture": "fips", "width": BITS, "word": WORD, "interface": "core"}
    return Spec.from_options({**common, "target": target, **AREAS[name]})


def needs(printed: Figures, run: Measuring) -> Measured:
    """Circuits are simulated, counted, and with at least one seed routed."""
    clocks: dict[tuple[str, Mode], Need[ProductSchedule]] = {}
    for name, subject in subjects([row["words"] for row in printed["table1"]]).items():
        runs = schedules_by_mode(*subject)
        clocks |= runs.entries((name, load.mode) for load in subject.loads)
    loops: dict[tuple[str, int], Need[LoopClocks]] = {}
    for method in METHODS:
        powers = exponentiations(method, BITS_OF_LOOPS)
        loops |= powers.entries((method, bits) for bits in BITS_OF_LOOPS)
    seeds = run.seeds_of(3)  # as these circuits are wide
    routes = {name: routed(spec_of(name, "ecp5"), seeds, name) for name in ROUTED}
    return Measured(
        clocks=Needs("simulate circuits", clocks),
        loops=Needs("simulate exponentiations", loops),
        xc7=Needs("count cells", {name: cells(spec_of(name, "xc7")) for name in AREAS}),
        ecp5=Needs("place and route", routes, lambda _: seeds > 0),
    )


class DeclaredAndSimulated(NamedTuple):
    """A figure of a circuit, declared and simulated; None: not measured."""

    declared: float
    simulated: float | None

    def cell(self, published: Figure | None = None, remark: str | None = None) -> TableCell:
        """A cell with these clocks beside what is printed."""
        return TableCell.circuit(published, self.declared, remark, measured=self.simulated)


def of_both(function: Callable[..., float], *counts: DeclaredAndSimulated) -> DeclaredAndSimulated:
    """A function of figures that are declared, and of those that are simulated."""
    simulated = [count.simulated for count in counts]
    return DeclaredAndSimulated(
        function(*(count.declared for count in counts)),
        None if None in simulated else function(*simulated),
    )


class ClockCounts:
    """Clocks of all circuits that are simulated: what is declared is of the same circuit."""

    def __init__(self, figures: Figures, measured: Measured):
        circuits = subjects([row["words"] for row in figures["table1"]])
        self.circuits = {name: subject.multiplier for name, subject in circuits.items()}
        self.measured = measured

    def of(self, name: str, mode: Mode, without: int = 0) -> DeclaredAndSimulated:
        """Clocks of a product as the paper counts, without some of them."""
        run = self.measured.clocks.get((name, mode))
        circuit = self.circuits[name]
        simulated = run and run.latency - left_out(circuit, mode) - without
        return DeclaredAndSimulated(clocks(circuit, mode) - without, simulated)

    def interval(self, name: str, mode: Mode) -> DeclaredAndSimulated:
        """Clocks from product to product."""
        run = self.measured.clocks.get((name, mode))
        return DeclaredAndSimulated(
            self.circuits[name].interval(mode).maximum, run and run.interval
        )


def saved(product: DeclaredAndSimulated, square: DeclaredAndSimulated) -> DeclaredAndSimulated:
    """Percent of the clocks of a product that a square does not take."""
    return of_both(percent_saved, product, square)


def percent_saved(product: float, square: float) -> float:
    """How much less a square takes than a product, in percent."""
    return round(100 * (1 - square / product), 2)
