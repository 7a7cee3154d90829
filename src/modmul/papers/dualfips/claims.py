"""What the text says in figures besides the tables."""

from __future__ import annotations

from modmul.arithmetic.words import ceil_div
from modmul.papers.dualfips.area import place
from modmul.papers.dualfips.designs import (
    DRAWN,
    ONE,
    ONE_DEFAULT,
    WIDTHS,
    WORD,
    WORDS,
    clocks,
    design,
    modes,
)
from modmul.papers.dualfips.exponentiation import BITS, L_R, ML_TWO
from modmul.papers.dualfips.measured import Measured
from modmul.papers.dualfips.tables import circuits, counted, saved
from modmul.papers.records import Cell, Figure, Figures, MeasuredCell, Origin, Table, rounded

_LONGEST = ceil_div(max(WIDTHS), WORD)


def claims(figures: Figures, measured: Measured) -> Table:
    """Figures of abstract, sections 3 to 6 and conclusion, each with a verdict."""
    said = figures["claims"]
    both = modes(WORDS, "prime")
    computed = [clocks(circuits(figures)[ONE], mode) for mode in both]
    found = [int(counted(measured, ONE, mode) or 0) for mode in both]
    ratio = [rounded(pair[0] / pair[1], 3) if all(pair) else None for pair in (computed, found)]
    rows: list[tuple[Figure | Cell, ...]] = [
        ("1024-bit square: speed gained, %", MeasuredCell(
            said["speed_gain_1024_square_pct"], saved(*computed),
            saved(*found) if all(found) else None,
            "these are clocks saved: as a speed the gain is 31 %", origin=Origin.CIRCUIT,
        )),
        ("1024-bit square: products in the time of which", MeasuredCell(
            None, ratio[0], ratio[1], origin=Origin.CIRCUIT,
        )),
        ("clocks saved by a square, s to infinity, %", MeasuredCell(
            said["optimisation_limit_pct"], rounded(100 * _limit("square")),
            _far(measured, "prime"), f"holds; measured at s = {_LONGEST}",
            origin=Origin.ARITHMETIC,
        )),
        ("the same in GF(2^m), %", MeasuredCell(
            None, rounded(100 * _limit("skip")), _far(measured, "binary"),
            f"not said; twice as much, since no doubled product is needed; s = {_LONGEST}",
            origin=Origin.ARITHMETIC,
        )),
        *_in_words(figures, measured),
        *_widths(figures),
        *_times(figures, measured),
    ]  # fmt: skip
    return Table("Claims", "Figures in the text", ("claim", "figure"), tuple(rows))


def _in_words(figures: Figures, measured: Measured) -> list[tuple[Figure | Cell, ...]]:
    """Of exponentiation and control."""
    said = figures["claims"]
    return [
        ("squares among the products, %", Cell(
            f"close to {said['probability_of_squares_pct']}", "50, 66.7", None,
            "50 in the ladder; two in three from left to right with half ones",
            origin=Origin.ARITHMETIC,
        )),
        ("clocks of L_R to those of ML", MeasuredCell(
            said["lr_over_ml"], rounded(1 - _limit("square") + 0.5), _measured_ratio(measured),
            "printed as a ratio of speeds: see Figure 11; computed: s to infinity, half ones",
            origin=Origin.ARITHMETIC,
        )),
        ("states of the controller", Cell(
            said["fsm_states"], None, None,
            "one list of states for one multiplier; here cursors walk through the columns, for one "
            "and two multipliers and any look-ahead", origin=Origin.PRINT,
        )),
    ]  # fmt: skip


def _limit(kind: str) -> float:
    """Share of 2 s^2 products that a square leaves out, from the terms in s^2."""
    return 1 - {"square": 1.5, "skip": 1.0}[kind] / 2


def _measured_ratio(measured: Measured) -> float | None:
    """Of simulated loops, the longest ones."""
    left, ladder = (measured.loops.get((method, max(BITS))) for method in (L_R, ML_TWO))
    return rounded(left.clocks / ladder.clocks, 4) if left and ladder else None


def _far(measured: Measured, field: str) -> float | None:
    pair = [counted(measured, ONE_DEFAULT, mode) for mode in modes(_LONGEST, field)]
    return saved(pair[0], pair[1]) if pair[0] and pair[1] else None


def _widths(figures: Figures) -> list[tuple[Figure | Cell, ...]]:
    """Bits of the datapath."""
    widths = figures["widths_bits"]
    one = design(ONE)
    ahead = design(ONE_DEFAULT).accumulator_bits
    return [
        ("bits of a word product, doubled", Cell(
            widths["product_with_doubling"], 2 * WORD + 1, origin=Origin.ARITHMETIC,
        )),
        ("bits of the accumulator, one multiplier", Cell(
            widths["accumulator"], one.accumulator_bits, None,
            f"2 w + 1 + log2 s are enough; {ahead} with products of the next column",
            origin=Origin.CIRCUIT,
        )),
        ("bits of the sum of two products", Cell(
            widths["double_path_sum"], 2 * WORD + 2, None, "a doubled one, and a plain one",
            origin=Origin.ARITHMETIC,
        )),
    ]  # fmt: skip


def _times(figures: Figures, measured: Measured) -> list[tuple[Figure | Cell, ...]]:
    drawn = measured.ecp5.get("one, as drawn")
    path = f"; measured on ecp5: {drawn.period:.1f} ns, {drawn.path}" if drawn else ""
    return [
        ("clock, MHz", MeasuredCell(
            figures["meta"]["clock_mhz"], None, rounded(drawn.usable, 4) if drawn else None,
            "assumed, not synthesised, and not believable: 2 ns for a 32 x 32 product from lookup "
            f"tables, or for 96-bit sum, product and quotient in one{path}", origin=Origin.MEASURED,
        )),
        ("place by A T^2 in Table 2", Cell(
            None, place(figures, corrected=True), None,
            f"by the printed column {place(figures, corrected=False)}; computed: with the latency "
            "of a product, which the others give", origin=Origin.ARITHMETIC,
        )),
        ("controller with two multipliers: 1024-bit square, clocks", MeasuredCell(
            None,
            clocks(design(DRAWN), modes(WORDS, "prime")[1]),
            counted(measured, DRAWN, modes(WORDS, "prime")[1]),
            f"printed: {figures['clocks_1024']['proposed_square_double']}, in table Clocks; not "
            "with the drawn data path, but with look-ahead", origin=Origin.CIRCUIT,
        )),
    ]  # fmt: skip
