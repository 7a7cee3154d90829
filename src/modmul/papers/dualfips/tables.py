"""Table 1, Figure 10, and the clocks and operations behind them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from modmul.arithmetic.words import ceil_div
from modmul.design import Mode
from modmul.multipliers.fips import Fips
from modmul.papers.columns import Row, tabulate
from modmul.papers.dualfips.designs import (
    BITS,
    CONTROLLERS,
    DEGREES,
    DRAWN,
    ONE,
    ONE_DEFAULT,
    OVERHEAD,
    TWO,
    TWO_DEFAULT,
    WIDTHS,
    WORD_SIZES,
    WORDS,
    ControllerKind,
    clocks,
    modes,
    of_word,
    subjects,
    with_squares,
    words_of,
)
from modmul.papers.dualfips.measured import Measured
from modmul.papers.records import Cell, Derived, Figures, Table, rounded


def saved(product: int, square: int) -> float:
    """Percent of the clocks of a product that a square does not take."""
    return round(100 * (1 - square / product), 2)


def circuits(figures: Figures) -> dict[str, Fips]:
    """Those that are simulated, by name: what is computed of one is of the same circuit."""
    simulated = subjects([row["words"] for row in figures["table1"]])
    return {name: subject.multiplier for name, subject in simulated.items()}


def counted(measured: Measured, name: str, mode: Mode) -> int | None:
    """Simulated clocks, as the paper counts them."""
    run = measured.clocks.get((name, mode))
    return run.clocks if run else None


def table1(figures: Figures, measured: Measured) -> Table:
    """Times of a product and of a square at the paper's clock, without the clocks at the ends.
    Of the words, what is printed is compared with what follows from the time of a product."""
    ns = 1000 // figures["meta"]["clock_mhz"]
    multiplier = circuits(figures)[ONE]

    def row(one: Mapping[str, Any]) -> Row:
        words = one["words"]
        both = modes(words, "prime")
        computed = [clocks(multiplier, mode) - OVERHEAD for mode in both]
        simulated = [counted(measured, ONE, mode) for mode in both]
        less = [count and count - OVERHEAD for count in simulated]

        def time(printed: int, place: int) -> Cell:
            count = less[place]
            return Cell.mixed(
                printed, ns * computed[place], _TIME,
                measured=None if count is None else ns * count,
            )  # fmt: skip

        right = words_within(one["traditional_ns"] / ns)
        return {
            "s": words,
            "word_width": Cell.arithmetic(
                one.get("words_printed", words), right, one.get("words_note")
            ),
            "traditional_ns": time(one["traditional_ns"], 0),
            "proposed_ns": time(one["proposed_ns"], 1),
            "improvement_%": Cell.circuit(
                one["improvement_pct"], saved(*computed), measured=_saved(*less)
            ),
        }

    title = "Modular square in GF(p); s: words of 32 bits"
    return tabulate("1", title, map(row, figures["table1"]))


def words_within(products: float) -> float | None:
    """s, where a product takes 2 s^2 + s word products."""
    return rounded((math.sqrt(8 * products + 1) - 1) / 4)


def clocks_1024(figures: Figures, measured: Measured) -> Table:
    """Section 5.3: all ways to issue the word products.  The paper's are those as drawn; what is
    printed of them stands once, there."""
    printed, built, both = figures["clocks_1024"], circuits(figures), modes(WORDS, "prime")

    def row(name: str, controller: ControllerKind) -> Row:
        multiplier, kind = built[name], "single" if controller.multipliers == 1 else "double"
        said = [printed[f"{end}_{kind}"] for end in ("traditional", "proposed_square")]
        published = said if name in (ONE, DRAWN) else (None, None)
        computed = [clocks(multiplier, mode) for mode in both]
        simulated = [counted(measured, name, mode) for mode in both]

        def cell(place: int) -> Cell:
            remark = _remark(name, place, said)
            return Cell.circuit(
                published[place], computed[place], remark, measured=simulated[place]
            )

        def interval(mode: Mode) -> Cell:
            run = measured.clocks.get((name, mode))
            declared = multiplier.interval(mode).maximum
            return Cell.circuit(None, declared, _INTERVAL, measured=run and run.interval)

        return {
            "multipliers": controller.label,
            "product": cell(0),
            "square": cell(1),
            "saved_%": Cell.circuit(
                None, saved(*computed), f"printed clocks: {saved(*said)}",
                measured=_saved(*simulated),
            ),
            "product_to_product": interval(both[0]),
            "square_to_square": interval(both[1]),
        }  # fmt: skip

    rows = (row(*one) for one in CONTROLLERS.items())
    return tabulate("Clocks", "Clocks at 1024 bits in GF(p), section 5.3", rows)


def _remark(name: str, square: int, said: Sequence[int]) -> str | None:
    """said: what is printed for as many multipliers."""
    why = _why(name, square)
    if name in (ONE, DRAWN):
        return why
    return "; ".join(filter(None, (f"printed: {said[square]}, see the row as drawn", why)))


def _why(name: str, square: int) -> str | None:
    if name == DRAWN:
        return _DRAWN
    if name == ONE and not square:
        return _PAIRS
    if name == "single_no_bypass":
        return "bypass: the quotient takes the sum from the adder; without, one clock a word more"
    if name == "stages3":
        return "look-ahead fills most clocks in which a quotient word is awaited"
    if square and name in (TWO_DEFAULT, "balanced_bypass_look1"):
        return "1584 products and a clock in which a multiplier has nothing to do"
    return None


def _saved(product: int | None, square: int | None) -> float | None:
    return None if product is None or square is None else saved(product, square)


def figure10(figures: Figures, measured: Measured) -> Table:
    """Clocks over words, one and two multipliers, and what a square saves."""
    built, text = circuits(figures), figures["clocks_1024"]

    def cells(name: str, kind: str, words: int) -> dict[str, Cell]:
        """Of the circuits with one or two multipliers."""
        multiplier, short = built[name], "one" if kind == "single" else "two"
        clocks_of_modes: list[Cell] = []
        (product, square), (_, binary) = modes(words, "prime"), modes(words, "binary")
        ends = {product: "traditional", square: "proposed_square"}
        for mode in (product, square, binary):
            printed = text[f"{ends[mode]}_{kind}"] if words == WORDS and mode in ends else None
            count = counted(measured, name, mode)
            clocks_of_modes.append(Cell.circuit(printed, clocks(multiplier, mode), measured=count))
        simulated = [counted(measured, name, mode) for mode in (product, square, binary)]
        less = saved(clocks(multiplier, product), clocks(multiplier, square))
        gained = _saved(*simulated[:2]) if all(simulated) else None
        return {
            f"product_{short}": clocks_of_modes[0],
            f"square_{short}": clocks_of_modes[1],
            f"saved_%_{short}": Cell.circuit(None, less, measured=gained),
            f"GF(2^m)_square_{short}": clocks_of_modes[2],
        }

    title = (
        "Clocks over words; one: as drawn, two: looks 2 columns ahead.  The drawing has no numbers "
        "but those of the text; a product takes as long in GF(2^m)"
    )
    rows: list[Row] = [
        {"s": n, **cells(ONE, "single", n), **cells(TWO, "double", n)}
        for n in (row["words"] for row in figures["table1"])
    ]
    return tabulate("Figure 10", title, rows, kind=Derived)


def binary_fields(figures: Figures, measured: Measured) -> Table:
    """Products and squares in GF(2^m), of which the paper gives no clocks."""
    built = circuits(figures)

    def cell(name: str, mode: Mode, why: str | None = None) -> Cell:
        count = counted(measured, name, mode)
        return Cell.circuit(None, clocks(built[name], mode), why, measured=count)

    rows: list[Row] = []
    for degree in DEGREES:
        words = words_of(degree)
        product, square = modes(words, "binary")
        cells = {}
        for name, short in ((ONE, "one"), (TWO, "two")):
            cells[f"{short}_product"] = cell(name, product)
            for rule, why in _RULES.items():
                cells[f"{short}_{rule}"] = cell(with_squares(name, rule), square, why)
        for name, short in ((ONE_DEFAULT, "one"), (TWO_DEFAULT, "two")):
            cells[f"{short}_default_skip"] = cell(name, square, "no bypass")
        rows.append({"m": degree, "s": words, **cells})
    title = "Clocks in GF(2^m), NIST polynomials, w = 32; the paper gives none"
    return tabulate("GF(2^m)", title, rows)


def widths(measured: Measured) -> Table:
    """Clocks over the width, for each width of a word."""

    def cell(word: int, bits: int, square: bool) -> Cell:
        mode = modes(ceil_div(bits, word), "prime")[square]
        computed = clocks(Fips(width=max(WIDTHS), word=word), mode)
        return Cell.circuit(None, computed, measured=counted(measured, of_word(word), mode))

    rows: list[Row] = [
        {
            "bits": bits,
            "operation": "square" if square else "product",
            **{f"w_=_{word}": cell(word, bits, square) for word in WORD_SIZES},
        }
        for bits in WIDTHS
        for square in (False, True)
    ]
    title = "Clocks in GF(p) on one multiplier, no bypass, one circuit for all lengths"
    return tabulate("Widths", title, rows)


_TIME = "2 ns a clock, without the 4 at the ends, on one multiplier"
_PAIRS = (
    f"{BITS} bits: 2084 and 1044 are printed as those of a product and a square; they are those of "
    "a product on one and on two multipliers, 1588 and 796 those of a square"
)
_DRAWN = (
    "the printed clocks are half of the word products, and 4.  With one multiplier for a b and one "
    "for m n, as drawn, columns of a square have too few a b, and quotients are made alone"
)
_INTERVAL = "the next product begins while the last words of this one are added"
_RULES = {
    "zero": "doubled products are made, and made zero: the schedule of GF(p)",
    "skip": "doubled products are left out: s^2 + 2 s",
    "spread": "a[j]^2 comes from wires beside another product: s^2 + s",
}
