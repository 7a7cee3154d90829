"""Table 1, Figure 10, and the clocks and operations behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from modmul.arithmetic.words import ceil_div
from modmul.design import Mode
from modmul.multipliers.fips import Fips
from modmul.papers.dualfips.designs import (
    BITS,
    CONTROLLERS,
    DEGREES,
    DRAWN,
    ONE,
    ONE_DEFAULT,
    OVERHEAD,
    SQUARES,
    TWO,
    TWO_DEFAULT,
    WIDTHS,
    WORD_SIZES,
    WORDS,
    clocks,
    modes,
    of_word,
    subjects,
    with_squares,
    words_of,
)
from modmul.papers.dualfips.measured import Measured
from modmul.papers.records import (
    Cell,
    Derived,
    Figure,
    Figures,
    MeasuredCell,
    Origin,
    Table,
    rounded,
)

_NS = 1000


def saved(product: int, square: int) -> float:
    """Percent of the clocks of a product that a square does not take."""
    return round(100 * (1 - square / product), 2)


def circuits(figures: Figures) -> dict[str, Fips]:
    """Those that are simulated, by name: what is computed of one is of the same circuit."""
    found = subjects([row["words"] for row in figures["table1"]])
    return {name: subject.multiplier for name, subject in found.items()}


def counted(measured: Measured, name: str, mode: Mode) -> int | None:
    """Simulated clocks, as the paper counts them."""
    found = measured.clocks.get((name, mode))
    return found.clocks if found else None


def table1(figures: Figures, measured: Measured) -> Table:
    """Times of a product and of a square at the paper's clock, without the clocks at the ends.
    Of the words, what is printed is compared with what follows from the time of a product."""
    rows: list[tuple[Figure | Cell, ...]] = []
    ns = _NS // figures["meta"]["clock_mhz"]
    multiplier = circuits(figures)[ONE]
    for row in figures["table1"]:
        words = row["words"]
        both = modes(words, "prime")
        computed = [clocks(multiplier, mode) - OVERHEAD for mode in both]
        found = [counted(measured, ONE, mode) for mode in both]
        times = [None if one is None else ns * (one - OVERHEAD) for one in found]
        less = [None if one is None else one - OVERHEAD for one in found]
        printed, right = row.get("words_printed", words), words_within(row["traditional_ns"] / ns)
        cells = (
            (row["traditional_ns"], ns * computed[0], times[0]),
            (row["proposed_ns"], ns * computed[1], times[1]),
        )
        rows.append(
            (
                words,
                Cell(
                    printed,
                    right,
                    None,
                    _MISPRINT if printed != words else None,
                    origin=Origin.ARITHMETIC,
                ),
                *(MeasuredCell(*cell, _TIME, origin=Origin.MIXED) for cell in cells),
                MeasuredCell(
                    row["improvement_pct"], saved(*computed), _saved(*less), origin=Origin.CIRCUIT
                ),
            )
        )
    columns = ("s", "word_width", "traditional_ns", "proposed_ns", "improvement_%")
    return Table("1", "Modular square in GF(p); s: words of 32 bits", columns, tuple(rows))


def words_within(products: float) -> float | None:
    """s, where a product takes 2 s^2 + s word products."""
    return rounded((math.sqrt(8 * products + 1) - 1) / 4)


def clocks_1024(figures: Figures, measured: Measured) -> Table:
    """Section 5.3: all ways to issue the word products.  The paper's are those as drawn; what is
    printed of them stands once, there."""
    rows: list[tuple[Figure | Cell, ...]] = []
    printed, built = figures["clocks_1024"], circuits(figures)
    for name, controller in CONTROLLERS.items():
        multiplier, kind = built[name], "single" if controller.multipliers == 1 else "double"
        said = [printed[f"{end}_{kind}"] for end in ("traditional", "proposed_square")]
        published = said if name in (ONE, DRAWN) else (None, None)
        both = modes(WORDS, "prime")
        computed = [clocks(multiplier, mode) for mode in both]
        found = [counted(measured, name, mode) for mode in both]
        runs = (measured.clocks.get((name, mode)) for mode in both)
        intervals = (
            (multiplier.interval(mode).maximum, run.interval if run else None)
            for mode, run in zip(both, runs, strict=True)
        )
        rows.append(
            (
                controller.label,
                *(
                    MeasuredCell(*three, _remark(name, place, said), origin=Origin.CIRCUIT)
                    for place, three in enumerate(zip(published, computed, found, strict=True))
                ),
                MeasuredCell(
                    None,
                    saved(*computed),
                    _saved(*found),
                    f"printed clocks: {saved(*said)}",
                    origin=Origin.CIRCUIT,
                ),
                *(MeasuredCell(None, *two, _INTERVAL, origin=Origin.CIRCUIT) for two in intervals),
            )
        )
    columns = (
        *("multipliers", "product", "square", "saved_%"),
        *("product_to_product", "square_to_square"),
    )
    title = "Clocks at 1024 bits in GF(p), section 5.3"
    return Table("Clocks", title, columns, tuple(rows))


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
    rows: list[tuple[Figure | Cell, ...]] = []
    printed, built = figures["clocks_1024"], circuits(figures)
    kinds = {ONE: "single", TWO: "double"}
    for row in figures["table1"]:
        words, cells = row["words"], []
        for name, kind in kinds.items():
            multiplier = built[name]
            published = None, None
            if words == WORDS:
                published = printed[f"traditional_{kind}"], printed[f"proposed_square_{kind}"]
            prime, binary = modes(words, "prime"), modes(words, "binary")
            for mode, figure in zip((*prime, binary[1]), (*published, None), strict=True):
                computed, found = clocks(multiplier, mode), counted(measured, name, mode)
                cells.append(MeasuredCell(figure, computed, found, origin=Origin.CIRCUIT))
            three = [cell.measured for cell in cells[-3:]]
            less = saved(*(clocks(multiplier, mode) for mode in prime))
            found_saved = saved(int(three[0] or 0), int(three[1] or 0)) if all(three) else None
            cells.insert(-1, MeasuredCell(None, less, found_saved, origin=Origin.CIRCUIT))
        rows.append((words, *cells))
    columns = [
        f"{name}_{kind}"
        for kind in ("one", "two")
        for name in ("product", "square", "saved_%", "GF(2^m)_square")
    ]
    title = (
        "Clocks over words; one: as drawn, two: looks 2 columns ahead.  The drawing has no numbers "
        "but those of the text; a product takes as long in GF(2^m)"
    )
    return Derived("Figure 10", title, ("s", *columns), tuple(rows))


def binary_fields(figures: Figures, measured: Measured) -> Table:
    """Products and squares in GF(2^m), of which the paper gives no clocks."""
    built = circuits(figures)
    rows: list[tuple[Figure | Cell, ...]] = []
    for degree in DEGREES:
        words = words_of(degree)
        product, square = modes(words, "binary")
        cells: list[tuple[int, int | None, str | None]] = []
        for name in (ONE, TWO):
            compared: list[tuple[str, Mode, str | None]] = [(name, product, None)]
            compared += [(with_squares(name, rule), square, _RULES[rule]) for rule in SQUARES]
            cells += [(clocks(built[n], m), counted(measured, n, m), why) for n, m, why in compared]
        for name in (ONE_DEFAULT, TWO_DEFAULT):
            found = counted(measured, name, square)
            cells.append((clocks(built[name], square), found, "no bypass"))
        made = (MeasuredCell(None, *cell, origin=Origin.CIRCUIT) for cell in cells)
        rows.append((degree, words, *made))
    columns = [f"{count}_{what}" for count in ("one", "two") for what in ("product", *SQUARES)]
    columns += ["one_default_skip", "two_default_skip"]
    title = "Clocks in GF(2^m), NIST polynomials, w = 32; the paper gives none"
    return Table("GF(2^m)", title, ("m", "s", *columns), tuple(rows))


def widths(measured: Measured) -> Table:
    """Clocks over the width, for each width of a word."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for bits in WIDTHS:
        for square in (False, True):
            cells = []
            for word in WORD_SIZES:
                mode = modes(ceil_div(bits, word), "prime")[square]
                multiplier = Fips(width=max(WIDTHS), word=word)
                found = counted(measured, of_word(word), mode)
                computed = clocks(multiplier, mode)
                cells.append(MeasuredCell(None, computed, found, origin=Origin.CIRCUIT))
            rows.append((bits, "square" if square else "product", *cells))
    columns = ("bits", "operation", *(f"w_=_{word}" for word in WORD_SIZES))
    title = "Clocks in GF(p) on one multiplier, no bypass, one circuit for all lengths"
    return Table("Widths", title, columns, tuple(rows))


_TIME = "2 ns a clock, without the 4 at the ends, on one multiplier"
_MISPRINT = "misprint: the figures of this row are those of s = 48; with 46: 8556 and 6486 ns"
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
