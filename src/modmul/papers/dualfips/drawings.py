"""Figures 10 and 11, and clocks over the width, as pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from modmul.arithmetic.words import ceil_div
from modmul.multipliers.fips import Fips
from modmul.operation import Mode
from modmul.papers.dualfips import designs
from modmul.papers.dualfips.designs import ONE, TWO, WIDTHS, WORDS, clocks, design
from modmul.papers.dualfips.exponentiation import BITS, METHODS, ML_TWO, Loops, formula
from modmul.papers.dualfips.measured import ClockCounts, Measured
from modmul.papers.records import Figures, Picture, Series

_KINDS = {
    "product": Mode(),
    "square in GF(p)": Mode().square(),
    "square in GF(2^m)": Mode(field="binary").square(),
}


def pictures(figures: Figures, measured: Measured) -> tuple[Picture, ...]:
    """Lines: computed, which is what was simulated; markers: printed."""
    return (
        Picture(
            "figure10",
            "dualfips, Figure 10: clocks, words of 32 bits",
            "curves",
            "words of an operand",
            "clocks",
            (*_lines(figures), *_printed(figures)),
        ),
        Picture(
            "figure11",
            "dualfips, Figure 11: clocks of the loop of an exponentiation",
            "bars",
            "bits",
            "clocks / clocks of the ladder on two multipliers",
            tuple(_ratios(measured.loops)),
        ),
        Picture(
            "widths",
            "A product in GF(p) on one multiplier; markers: simulated",
            "curves",
            "bits of the modulus",
            "clocks",
            tuple(_widths(ClockCounts(figures, measured))),
            logarithmic=True,
        ),
    )


def _lines(figures: Figures) -> Iterator[Series]:
    longest = max(row["words"] for row in figures["table1"])
    for name, count in ((ONE, "one"), (TWO, "two")):
        multiplier = design(name, longest * designs.WORD)
        for kind, mode in _KINDS.items():
            of_words = (replace(mode, words=words) for words in range(1, longest + 1))
            points = ((word.words or 0, clocks(multiplier, word)) for word in of_words)
            yield Series.curve(f"{kind}, {count}", points)


def _printed(figures: Figures) -> Iterator[Series]:
    """Table 1 with the clocks at the ends, and the text."""
    ns = 1000 // figures["meta"]["clock_mhz"]
    text = figures["clocks_1024"]
    columns = {
        "printed product": ("traditional_ns", "traditional_double"),
        "printed square": ("proposed_ns", "proposed_square_double"),
    }
    for name, (column, double) in columns.items():
        points = [(row["words"], row[column] / ns + designs.OVERHEAD) for row in figures["table1"]]
        yield Series.curve(name, [*points, (WORDS, text[double])], joined=False)


def _ratios(loops: Loops) -> Iterator[Series]:
    """The ratios at lengths at which the loop of the ladder on two multipliers is there."""
    for method in METHODS:
        by_formula = (
            (place, formula(method, bits) / formula(ML_TWO, bits), str(bits))
            for place, bits in enumerate(BITS)
        )
        yield Series.of(f"{method}, formula", by_formula)
        simulated = (
            (place, loops[method, bits].clocks / loops[ML_TWO, bits].clocks, str(bits))
            for place, bits in enumerate(BITS)
            if {(method, bits), (ML_TWO, bits)} <= loops.keys()
        )
        yield Series.of(f"{method}, simulated", simulated)


def _widths(counts: ClockCounts) -> Iterator[Series]:
    for word in designs.WORD_SIZES:
        multiplier = Fips(width=max(WIDTHS), word=word)
        modes = {bits: Mode(words=ceil_div(bits, word)) for bits in WIDTHS}
        yield Series.curve(f"w = {word}", ((n, clocks(multiplier, m)) for n, m in modes.items()))
        name = designs.of_word(word)
        runs = ((bits, counts.of(name, mode).simulated) for bits, mode in modes.items())
        yield Series.curve("", ((n, count) for n, count in runs if count), joined=False)
