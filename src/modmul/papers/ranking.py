"""Two orders of the area-time product, printed and ours, and why they differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, zip_longest
from typing import NamedTuple, TypeVar

from modmul.papers.columns import Row, tabulate
from modmul.papers.records import Figures, Table, TableCell, rounded

M = TypeVar("M")  # what is measured for a paper


class Ranked(NamedTuple):
    """A design.  area, delay (of a cycle), cycles (of a product): in units that all of them share.

    area_detail, delay_detail: what its area and its path are made of, for people."""

    name: str
    area: float
    delay: float
    cycles: float
    area_detail: str = ""
    delay_detail: str = ""

    @property
    def product(self) -> float:
        return self.area * self.delay * self.cycles


FACTORS = ("area", "delay", "cycles")


def order(entries: Sequence[Ranked]) -> list[Ranked]:
    """The smallest product first."""
    return sorted(entries, key=lambda entry: entry.product)


class Comparison(NamedTuple):
    """The same designs printed and here.  where: size, library, what is counted."""

    where: str
    printed: Sequence[Ranked]
    ours: Sequence[Ranked]


def tables(
    compared: Callable[[Figures, M], Sequence[Comparison]],
) -> tuple[Callable[[Figures, M], Table], ...]:
    """Both orders, and every pair that changes places, of what a paper compares."""
    return (
        lambda figures, measured: orders(figures, compared(figures, measured)),
        lambda figures, measured: swaps(figures, compared(figures, measured)),
    )


def orders(figures: Figures, comparisons: Sequence[Comparison]) -> Table:
    """Both orders side by side, products relative to the smallest of each."""
    rows: list[Row] = []
    for comparison in comparisons:
        sides = order(comparison.printed), order(comparison.ours)
        for place, pair in enumerate(zip_longest(*sides), 1):
            names = [entry.name if entry else None for entry in pair]
            ratios = [
                rounded(entry.product / side[0].product if entry else None, 4)
                for entry, side in zip(pair, sides, strict=True)
            ]
            row: Row = {
                "where": comparison.where,
                "place": place,
                "multiplier": TableCell.ours(names[1], published=names[0]),
                "product_relative_to_the_best": TableCell.ours(ratios[1], published=ratios[0]),
            }
            rows.append(row)
    return tabulate(figures, "Order", rows)


def swaps(figures: Figures, comparisons: Sequence[Comparison]) -> Table:
    """Every pair in another order here than in print: the ratio of each factor, which of them
    turned the order round, and the first time what the figures say about it.  Only names that both
    have."""
    unsaid = {frozenset(pair): case["why"] for case in figures["order"] for pair in case["pairs"]}
    rows = (row for comparison in comparisons for row in _swapped(comparison, unsaid))
    return tabulate(figures, "Swaps", rows)


def _swapped(comparison: Comparison, unsaid: dict[frozenset[str], str]) -> Iterator[Row]:
    left = {entry.name: entry for entry in comparison.printed}
    right = {entry.name: entry for entry in comparison.ours}
    for a, b in combinations([e.name for e in order(comparison.printed) if e.name in right], 2):
        if right[a].product <= right[b].product or left[a].product == left[b].product:
            continue
        why = (explain(left[a], left[b], right[a], right[b]), unsaid.pop(frozenset((a, b)), None))
        cells = {}
        for factor in (*FACTORS, "product"):
            printed, ours = (getattr(x[b], factor) / getattr(x[a], factor) for x in (left, right))
            remark = "  ".join(filter(None, why)) if factor == "product" else None
            cells[factor] = TableCell.ours(rounded(ours, 4), remark, published=rounded(printed, 4))
        yield {"where": comparison.where, "ahead_here_/_ahead_in_print": f"{b} / {a}", **cells}


def explain(print_a: Ranked, print_b: Ranked, a: Ranked, b: Ranked) -> str:
    """Why b is ahead of a here, though a is in print: the factors that moved, most first, and what
    area and path of both are made of here."""
    moved = {
        factor: math.log(getattr(b, factor) / getattr(a, factor))
        - math.log(getattr(print_b, factor) / getattr(print_a, factor))
        for factor in FACTORS
    }
    favour = sorted((factor for factor in FACTORS if moved[factor] < -0.02), key=moved.__getitem__)
    parts = [f"{factor} {math.exp(moved[factor]):.2f} times" for factor in favour]
    details = []
    for factor, what in (("delay", "path"), ("area", "area")):
        pair = [getattr(ranked, f"{factor}_detail") for ranked in (b, a)]
        if factor in favour and all(pair):
            details.append(f"{what} of {b.name}: {pair[0]}; of {a.name}: {pair[1]}")
    head = f"{b.name} before {a.name}: against print the ratio of {', of '.join(parts)} as large"
    return ".  ".join([head, *details]) + "."
