"""Table 1, Figure 10, and the clocks and operations behind them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from modmul.arithmetic.words import ceil_div
from modmul.multipliers.contract import Mode
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
    WORD,
    WORD_SIZES,
    WORDS,
    clocks,
    design,
    modes,
    of_word,
    with_squares,
    words_of,
)
from modmul.papers.dualfips.measured import Measured
from modmul.papers.records import Cell, Figure, Measurable, Table

Figures = Mapping[str, Any]  # of figures/dualfips.toml
_NS = 1000


def saved(product: int, square: int) -> float:
    """Percent of the clocks of a product that a square does not take."""
    return round(100 * (1 - square / product), 2)


def counted(measured: Measured, name: str, mode: Mode) -> int | None:
    """Simulated clocks, as the paper counts them."""
    found = measured.clocks.get((name, mode))
    return found.clocks if found else None


def table1(figures: Figures, measured: Measured) -> Table:
    """Times of a product and of a square at the paper's clock, without the clocks at the ends."""
    rows: list[tuple[Figure | Cell, ...]] = []
    ns = _NS // figures["meta"]["clock_mhz"]
    multiplier = design(ONE, max(row["words"] for row in figures["table1"]) * WORD)
    for row in figures["table1"]:
        words = row["words"]
        both = modes(words, "prime")
        computed = [clocks(multiplier, mode) - OVERHEAD for mode in both]
        found = [counted(measured, ONE, mode) for mode in both]
        times = [None if one is None else ns * (one - OVERHEAD) for one in found]
        less = [None if one is None else one - OVERHEAD for one in found]
        printed = row.get("words_printed", words)
        rows.append(
            (
                words,
                Cell(printed, words, None, _MISPRINT if printed != words else None),
                Measurable(row["traditional_ns"], ns * computed[0], times[0], _TIME),
                Measurable(row["proposed_ns"], ns * computed[1], times[1], _TIME),
                Measurable(row["improvement_pct"], saved(*computed), _saved(*less)),
            )
        )
    columns = ("s", "word_width", "traditional_ns", "proposed_ns", "improvement_%")
    return Table("1", "Modular square in GF(p); s: words of 32 bits", columns, tuple(rows))


def clocks_1024(figures: Figures, measured: Measured) -> Table:
    """Section 5.3: all ways to issue the word products."""
    rows: list[tuple[Figure | Cell, ...]] = []
    printed = figures["clocks_1024"]
    for name, controller in CONTROLLERS.items():
        multiplier, single = design(name), controller.multipliers == 1
        ends = ("traditional", "proposed_square")
        published = [printed[f"{end}_{'single' if single else 'double'}"] for end in ends]
        both = modes(WORDS, "prime")
        computed = [clocks(multiplier, mode) for mode in both]
        found = [counted(measured, name, mode) for mode in both]
        intervals = [measured.clocks.get((name, mode)) for mode in both]
        rows.append(
            (
                controller.label,
                Measurable(published[0], computed[0], found[0], _remark(name, 0)),
                Measurable(published[1], computed[1], found[1], _remark(name, 1)),
                Measurable(saved(*published), saved(*computed), _saved(*found), _SAVED_OF),
                *(
                    Measurable(
                        None,
                        multiplier.interval(mode).maximum,
                        one.interval if one else None,
                        _INTERVAL,
                    )
                    for mode, one in zip(both, intervals, strict=True)
                ),
            )
        )
    columns = (
        *("multipliers", "product", "square", "saved_%"),
        *("product_to_product", "square_to_square"),
    )
    title = "Clocks at 1024 bits in GF(p), section 5.3"
    return Table("Clocks", title, columns, tuple(rows))


def _remark(name: str, square: int) -> str | None:
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
    printed = figures["clocks_1024"]
    kinds = {ONE: "single", TWO: "double"}
    longest = max(row["words"] for row in figures["table1"]) * WORD
    for row in figures["table1"]:
        words, cells = row["words"], []
        for name, kind in kinds.items():
            multiplier = design(name, longest)
            published = None, None
            if words == WORDS:
                published = printed[f"traditional_{kind}"], printed[f"proposed_square_{kind}"]
            prime, binary = modes(words, "prime"), modes(words, "binary")
            for mode, figure in zip((*prime, binary[1]), (*published, None), strict=True):
                found = counted(measured, name, mode)
                cells.append(Measurable(figure, clocks(multiplier, mode), found))
            three = [cell.measured for cell in cells[-3:]]
            computed = [clocks(multiplier, mode) for mode in prime]
            found_saved = saved(int(three[0] or 0), int(three[1] or 0)) if all(three) else None
            cells.insert(-1, Measurable(None, saved(*computed), found_saved))
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
    return Table("Figure 10", title, ("s", *columns), tuple(rows))


def binary_fields(measured: Measured) -> Table:
    """Products and squares in GF(2^m), of which the paper gives no clocks."""
    rows: list[tuple[Figure | Cell, ...]] = []
    for degree in DEGREES:
        words = words_of(degree)
        product, square = modes(words, "binary")
        cells = []
        for name in (ONE, TWO):
            computed = clocks(design(name), product)
            cells.append(Measurable(None, computed, counted(measured, name, product)))
            for rule in SQUARES:
                own = with_squares(name, rule)
                computed = clocks(design(name, binary_square=rule), square)
                found = counted(measured, own, square)
                cells.append(Measurable(None, computed, found, _RULES[rule]))
        for name in (ONE_DEFAULT, TWO_DEFAULT):
            found = counted(measured, name, square)
            cells.append(Measurable(None, clocks(design(name), square), found, "no bypass"))
        rows.append((degree, words, *cells))
    columns = [f"{count}_{what}" for count in ("one", "two") for what in ("product", *SQUARES)]
    columns += ["one_default_skip", "two_default_skip"]
    title = "Clocks in GF(2^m), NIST polynomials, w = 32; the paper gives none"
    return Table("GF(2^m)", title, ("m", "s", *columns), tuple(rows))


def operations(figures: Figures, measured: Measured) -> Table:
    """Word products, additions and reads of operands at 1024 bits."""
    counts = {
        "a b products": (WORDS**2, WORDS * (WORDS + 1) // 2, WORDS),
        "m n products": (WORDS**2,) * 3,
        "quotient words": (WORDS,) * 3,
    }
    total = [sum(column) for column in zip(*counts.values(), strict=True)]
    counts["all products"] = (total[0], total[1], total[2])
    sums = [one - WORDS for one in total]
    counts["additions"] = (sums[0], sums[1], sums[2])
    counts["reads of a and b"] = (2 * WORDS**2, WORDS * (WORDS + 1), 2 * WORDS)
    prime, binary = modes(WORDS, "prime"), modes(WORDS, "binary")
    found = [counted(measured, ONE, mode) for mode in (*prime, binary[1])]
    formulas = figures["formulas"]
    reads, products = (formulas[f"saved_{one}_square_gfp"] for one in ("reads", "products"))
    saves = {"all products": products, "additions": products, "reads of a and b": reads}
    rows: list[tuple[Figure | Cell, ...]] = []
    for name, (product, square, short) in counts.items():
        whole = name == "all products"
        ours = [one - OVERHEAD if one and whole else None for one in found]
        gain = ours[0] - ours[1] if ours[0] and ours[1] else None
        published = (
            formulas["products_multiply"] if whole else None,
            "(s^2 + s)/2" if name == "a b products" else None,
            saves.get(name),
        )
        remarks = (_COUNTED if whole else None, _NEEDED, _SAVED)
        computed, mine = (product, square, product - square), (*ours[:2], gain)
        kind = Measurable if whole else Cell
        cells = [
            _by_formula(kind, *side)
            for side in zip(published, computed, mine, remarks, strict=True)
        ]
        last = ours[0] - ours[2] if ours[0] and ours[2] else None
        cells += [kind(None, short, ours[2], _COUNTED if whole else None)]
        cells += [kind(None, product - short, last)]
        rows.append((name, *cells))
    columns = ("count", "product", "square", "saved", "GF(2^m)_square", "GF(2^m)_saved")
    return Table("Operations", f"Operations at s = {WORDS}, section 4.2", columns, tuple(rows))


def _by_formula(
    kind: type[Cell], formula: str | None, computed: int, found: int | None, remark: str | None
) -> Cell:
    """The value of a printed formula, as it stands in print in the remark."""
    if formula is None:
        return kind(None, computed, found, _COUNTED if found else None)
    value = Fraction(eval(formula.replace("^", "**"), {"__builtins__": {}}, {"s": Fraction(WORDS)}))
    said = f"printed: {formula}"
    return kind(int(value), computed, found, f"{said}; {remark}" if remark else said)


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
                cells.append(Measurable(None, clocks(multiplier, mode), found))
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
_COUNTED = "measured: simulated clocks without the 4 at the ends"
_NEEDED = "needed, as printed; but section 3.2 says that as many are saved, too"
_SAVED_OF = "follows from the clocks of the row; the remarks on them say why it differs"
_SAVED = (
    "abstract and section 6; section 4.2 has one and the same (3s^2 - s)/2 for products needed, "
    "products saved and additions saved"
)
