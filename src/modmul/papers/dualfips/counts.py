"""Clocks of the circuits as the paper counts them: declared, and simulated."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from modmul.design import Mode
from modmul.papers.dualfips.designs import clocks, subjects
from modmul.papers.dualfips.measured import Measured
from modmul.papers.records import Figure, Figures, TableCell


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
        """Clocks of a product, without some of them."""
        run = self.measured.clocks.get((name, mode))
        declared = clocks(self.circuits[name], mode) - without
        return DeclaredAndSimulated(declared, run and run.clocks - without)

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
