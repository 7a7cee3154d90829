"""Figures 10 and 11, and clocks over the width, as pictures."""

from __future__ import annotations

from collections.abc import Iterator

from modmul.arithmetic.words import ceil_div
from modmul.design import Mode
from modmul.multipliers.fips import Fips
from modmul.papers.dualfips.designs import (
    ONE,
    OVERHEAD,
    TWO,
    WIDTHS,
    WORD,
    WORD_SIZES,
    WORDS,
    clocks,
    design,
    of_word,
)
from modmul.papers.dualfips.exponentiation import BITS, METHODS, ML_TWO, Loops, formula
from modmul.papers.dualfips.measured import Measured
from modmul.papers.records import Figures, Picture, PicturePoint, Series

_KINDS = {
    "product": Mode(),
    "square in GF(p)": Mode().square(),
    "square in GF(2^m)": Mode(field="binary").square(),
}


def pictures(figures: Figures, measured: Measured) -> tuple[Picture, ...]:
    """Lines: computed, which is what was simulated; markers: printed."""
    return (
        Picture(
            "figure10", "dualfips, Figure 10: clocks, words of 32 bits", "curves",
            "words of an operand", "clocks",
            (*_lines(figures), *_printed(figures)),
        ),
        Picture(
            "figure11", "dualfips, Figure 11: clocks of the loop of an exponentiation", "bars",
            "bits", "clocks / clocks of the ladder on two multipliers",
            tuple(_ratios(measured.loops)),
        ),
        Picture(
            "widths", "A product in GF(p) on one multiplier; markers: simulated", "curves",
            "bits of the modulus", "clocks", tuple(_widths(measured)), logarithmic=True,
        ),
    )  # fmt: skip


def _at(mode: Mode, words: int) -> Mode:
    return Mode(mode.operation, mode.field, words)


def _lines(figures: Figures) -> Iterator[Series]:
    longest = max(row["words"] for row in figures["table1"])
    for name, count in ((ONE, "one"), (TWO, "two")):
        multiplier = design(name, longest * WORD)
        for kind, mode in _KINDS.items():
            points = [
                PicturePoint(words, clocks(multiplier, _at(mode, words)), "")
                for words in range(1, longest + 1)
            ]
            yield Series(f"{kind}, {count}", tuple(points), "line")


def _printed(figures: Figures) -> Iterator[Series]:
    """Table 1 with the clocks at the ends, and the text."""
    ns = 1000 // figures["meta"]["clock_mhz"]
    text = figures["clocks_1024"]
    columns = {
        "printed product": ("traditional_ns", "traditional_double"),
        "printed square": ("proposed_ns", "proposed_square_double"),
    }
    for name, (column, double) in columns.items():
        points = [
            PicturePoint(row["words"], row[column] / ns + OVERHEAD, "") for row in figures["table1"]
        ]
        yield Series(name, (*points, PicturePoint(WORDS, text[double], "")), "marker")


def _ratios(loops: Loops) -> Iterator[Series]:
    for method in METHODS:
        points = [
            PicturePoint(place, formula(method, bits) / formula(ML_TWO, bits), str(bits))
            for place, bits in enumerate(BITS)
        ]
        yield Series(f"{method}, formula", tuple(points))
        simulated = [
            PicturePoint(place, loops[method, bits].clocks / loops[ML_TWO, bits].clocks, str(bits))
            for place, bits in enumerate(BITS)
            if (method, bits) in loops
        ]
        yield Series(f"{method}, simulated", tuple(simulated))


def _widths(measured: Measured) -> Iterator[Series]:
    for word in WORD_SIZES:
        multiplier = Fips(width=max(WIDTHS), word=word)
        line, simulated = [], []
        for bits in WIDTHS:
            mode = Mode(words=ceil_div(bits, word))
            line.append(PicturePoint(bits, clocks(multiplier, mode), ""))
            run = measured.clocks.get((of_word(word), mode))
            if run:
                simulated.append(PicturePoint(bits, run.clocks, ""))
        yield Series(f"w = {word}", tuple(line), "line")
        yield Series("", tuple(simulated), "marker")
