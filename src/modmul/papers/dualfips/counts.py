"""Clocks of the circuits as the paper counts them: declared, and simulated."""

from __future__ import annotations

from typing import NamedTuple

from modmul.design import Mode
from modmul.papers.dualfips.designs import clocks, subjects
from modmul.papers.dualfips.measured import Measured
from modmul.papers.records import Figure, Figures, TableCell


class DeclaredAndSimulated(NamedTuple):
    """A figure of a circuit, declared and simulated; None: not measured."""

    declared: float
    simulated: float | None

    def less(self, clocks: int) -> DeclaredAndSimulated:
        """These clocks without some of them."""
        simulated = None if self.simulated is None else self.simulated - clocks
        return DeclaredAndSimulated(self.declared - clocks, simulated)

    def cell(self, published: Figure | None = None, remark: str | None = None) -> TableCell:
        """A cell with these clocks beside what is printed."""
        return TableCell.circuit(published, self.declared, remark, measured=self.simulated)


class ClockCounts:
    """Clocks of all circuits that are simulated: what is declared is of the same circuit."""

    def __init__(self, figures: Figures, measured: Measured):
        circuits = subjects([row["words"] for row in figures["table1"]])
        self.circuits = {name: subject.multiplier for name, subject in circuits.items()}
        self.measured = measured

    def of(self, name: str, mode: Mode) -> DeclaredAndSimulated:
        """Clocks of a product."""
        run = self.measured.clocks.get((name, mode))
        return DeclaredAndSimulated(clocks(self.circuits[name], mode), run and run.clocks)

    def interval(self, name: str, mode: Mode) -> DeclaredAndSimulated:
        """Clocks from product to product."""
        run = self.measured.clocks.get((name, mode))
        return DeclaredAndSimulated(
            self.circuits[name].interval(mode).maximum, run and run.interval
        )


def saved(product: DeclaredAndSimulated, square: DeclaredAndSimulated) -> DeclaredAndSimulated:
    """Percent of the clocks of a product that a square does not take."""
    simulated = None
    if product.simulated is not None and square.simulated is not None:
        simulated = percent_saved(product.simulated, square.simulated)
    return DeclaredAndSimulated(percent_saved(product.declared, square.declared), simulated)


def percent_saved(product: float, square: float) -> float:
    """How much less a square takes than a product, in percent."""
    return round(100 * (1 - square / product), 2)
