"""What the text says in figures besides the tables."""

from __future__ import annotations

from modmul.arithmetic.words import ceil_div
from modmul.papers.columns import claims
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
from modmul.papers.records import Cell, Figures, Table, rounded

_LONGEST = ceil_div(max(WIDTHS), WORD)


def statements(figures: Figures, measured: Measured) -> Table:
    """Figures of abstract, sections 3 to 6 and conclusion, each with a verdict."""
    said, both = figures["claims"], modes(WORDS, "prime")
    computed = [clocks(circuits(figures)[ONE], mode) for mode in both]
    simulated = [int(counted(measured, ONE, mode) or 0) for mode in both]
    ratios = [
        rounded(pair[0] / pair[1], 3) if all(pair) else None for pair in (computed, simulated)
    ]
    cells = {
        "1024-bit square: speed gained, %": Cell.circuit(
            said["speed_gain_1024_square_pct"], saved(*computed),
            "these are clocks saved: as a speed the gain is 31 %",
            measured=saved(*simulated) if all(simulated) else None,
        ),
        "1024-bit square: products in the time of which": Cell.circuit(
            None, ratios[0], measured=ratios[1]
        ),
        "clocks saved by a square, s to infinity, %": Cell.arithmetic(
            said["optimisation_limit_pct"], rounded(100 * _limit("square")),
            f"holds; measured at s = {_LONGEST}", measured=_far(measured, "prime"),
        ),
        "the same in GF(2^m), %": Cell.arithmetic(
            None, rounded(100 * _limit("skip")),
            f"not said; twice as much, since no doubled product is needed; s = {_LONGEST}",
            measured=_far(measured, "binary"),
        ),
        "squares among the products, %": Cell.arithmetic(
            f"close to {said['probability_of_squares_pct']}", "50, 66.7",
            "50 in the ladder; two in three from left to right with half ones",
        ),
        "clocks of L_R to those of ML": Cell.arithmetic(
            said["lr_over_ml"], rounded(1 - _limit("square") + 0.5),
            "printed as a ratio of speeds: see Figure 11; computed: s to infinity, half ones",
            measured=_measured_ratio(measured),
        ),
        "states of the controller": Cell.printed(
            said["fsm_states"],
            "one list of states for one multiplier; here cursors walk through the columns, for one "
            "and two multipliers and any look-ahead",
        ),
    }  # fmt: skip
    more = {**_widths(figures), **_times(figures, measured)}
    return claims("Figures in the text", {**cells, **more})


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


def _widths(figures: Figures) -> dict[str, Cell]:
    """Bits of the datapath."""
    widths = figures["widths_bits"]
    ahead = design(ONE_DEFAULT).accumulator_bits
    return {
        "bits of a word product, doubled": Cell.arithmetic(
            widths["product_with_doubling"], 2 * WORD + 1
        ),
        "bits of the accumulator, one multiplier": Cell.circuit(
            widths["accumulator"], design(ONE).accumulator_bits,
            f"2 w + 1 + log2 s are enough; {ahead} with products of the next column",
        ),
        "bits of the sum of two products": Cell.arithmetic(
            widths["double_path_sum"], 2 * WORD + 2, "a doubled one, and a plain one"
        ),
    }  # fmt: skip


def _times(figures: Figures, measured: Measured) -> dict[str, Cell]:
    drawn = measured.ecp5.get("one, as drawn")
    path = f"; measured on ecp5: {drawn.period:.1f} ns, {drawn.path}" if drawn else ""
    square = modes(WORDS, "prime")[1]
    return {
        "clock, MHz": Cell.ours(
            rounded(drawn and drawn.usable, 4),
            "assumed, not synthesised, and not believable: 2 ns for a 32 x 32 product from lookup "
            f"tables, or for 96-bit sum, product and quotient in one{path}",
            published=figures["meta"]["clock_mhz"],
        ),
        "place by A T^2 in Table 2": Cell.arithmetic(
            None, place(figures, corrected=True),
            f"by the printed column {place(figures, corrected=False)}; computed: with the latency "
            "of a product, which the others give",
        ),
        "controller with two multipliers: 1024-bit square, clocks": Cell.circuit(
            None, clocks(design(DRAWN), square),
            f"printed: {figures['clocks_1024']['proposed_square_double']}, in table Clocks; not "
            "with the drawn data path, but with look-ahead",
            measured=counted(measured, DRAWN, square),
        ),
    }  # fmt: skip
