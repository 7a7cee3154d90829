"""Table 1, Figure 10, and the clocks behind them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

from modmul.arithmetic.words import ceil_div
from modmul.papers.columns import Row, tabulate
from modmul.papers.dualfips import designs, exponentiation
from modmul.papers.dualfips.counts import (
    ClockCounts,
    DeclaredAndSimulated,
    of_both,
    percent_saved,
    saved,
)
from modmul.papers.dualfips.designs import ONE, ONE_DEFAULT, TWO, TWO_DEFAULT, WORDS, modes
from modmul.papers.dualfips.measured import Measured
from modmul.papers.records import Figures, Table, TableCell, rounded


def table1(figures: Figures, measured: Measured) -> Table:
    """Times of a product and of a square at the paper's clock, without the clocks at the ends.
    Of the words, what is printed is compared with what follows from the time of a product."""
    ns, counts = 1000 // figures["meta"]["clock_mhz"], ClockCounts(figures, measured)

    def time(printed: int, count: DeclaredAndSimulated) -> TableCell:
        declared, simulated = of_both(lambda clocks: ns * clocks, count)
        return TableCell.mixed(printed, declared, measured=simulated)

    def row(entry: Mapping[str, Any]) -> Row:
        words = entry["words"]
        product, square = (counts.of(ONE, m, designs.OVERHEAD) for m in modes(words, "prime"))
        right, note = words_within(entry["traditional_ns"] / ns), entry.get("words_note")
        return {
            "s": words,
            "word_width": TableCell.arithmetic(entry.get("words_printed", words), right, note),
            "traditional_ns": time(entry["traditional_ns"], product),
            "proposed_ns": time(entry["proposed_ns"], square),
            "improvement_%": saved(product, square).cell(entry["improvement_pct"]),
        }

    return tabulate(figures, "1", map(row, figures["table1"]))


def words_within(products: float) -> float | None:
    """s, where a product takes 2 s^2 + s word products."""
    return rounded((math.sqrt(8 * products + 1) - 1) / 4)


def clocks_1024(figures: Figures, measured: Measured) -> Table:
    """Section 5.3: all ways to issue the word products.  The paper's are those as drawn; what is
    printed of them stands once, there."""
    printed, notes = figures["clocks_1024"], figures["clocks_1024_notes"]
    counts = ClockCounts(figures, measured)

    def cell(name: str, what: str, count: DeclaredAndSimulated, said: int) -> TableCell:
        note = notes.get(f"{name}_{what}", notes.get(name))
        if name in (ONE, designs.DRAWN):
            return count.cell(said, note)
        elsewhere = f"printed: {said}, see the row as drawn"
        return count.cell(remark="; ".join(filter(None, (elsewhere, note))))

    def row(name: str, controller: designs.ControllerKind) -> Row:
        kind = "single" if controller.multipliers == 1 else "double"
        said = [printed[f"{end}_{kind}"] for end in ("traditional", "proposed_square")]
        both = modes(WORDS, "prime")
        product, square = (counts.of(name, mode) for mode in both)
        less = saved(product, square).cell(remark=f"printed clocks: {percent_saved(*said)}")
        return {
            "multipliers": controller.label,
            "product": cell(name, "product", product, said[0]),
            "square": cell(name, "square", square, said[1]),
            "saved_%": less,
            "product_to_product": counts.interval(name, both[0]).cell(),
            "square_to_square": counts.interval(name, both[1]).cell(),
        }

    return tabulate(figures, "Clocks", (row(*pair) for pair in designs.CONTROLLERS.items()))


def figure10(figures: Figures, measured: Measured) -> Table:
    """Clocks over words, one and two multipliers, and what a square saves."""
    counts, text = ClockCounts(figures, measured), figures["clocks_1024"]

    def cells(name: str, kind: str, words: int) -> dict[str, TableCell]:
        """The cells of circuits with one or two multipliers."""
        short = "one" if kind == "single" else "two"
        of_modes = modes(words, "prime", "binary")
        product, square, _, binary = (counts.of(name, mode) for mode in of_modes)
        said = (text[f"traditional_{kind}"], text[f"proposed_square_{kind}"])
        printed = said if words == WORDS else (None, None)
        return {
            f"product_{short}": product.cell(printed[0]),
            f"square_{short}": square.cell(printed[1]),
            f"saved_%_{short}": saved(product, square).cell(),
            f"GF(2^m)_square_{short}": binary.cell(),
        }

    rows: list[Row] = [
        {"s": n, **cells(ONE, "single", n), **cells(TWO, "double", n)}
        for n in (row["words"] for row in figures["table1"])
    ]
    return tabulate(figures, "Figure 10", rows)


def figure11(figures: Figures, measured: Measured) -> Table:
    """Clocks of exponentiations, and their ratio to those of the ladder on two multipliers."""

    def row(bits: int, method: str) -> Row:
        loop, base = (measured.loops.get((key, bits)) for key in (method, exponentiation.ML_TWO))
        computed = exponentiation.formula(method, bits)
        ratio = rounded(computed / exponentiation.formula(exponentiation.ML_TWO, bits), 4)
        ours = rounded(loop.clocks / base.clocks, 4) if loop and base else None
        more = loop and (loop.clocks - computed) / exponentiation.products(method, bits)
        said = figures["claims"] if method == exponentiation.L_R else {}
        return {
            "bits": bits,
            "method": method,
            "loop_clocks": TableCell.circuit(None, computed, measured=loop and loop.clocks),
            "to_ML_on_two": TableCell.circuit(
                said.get("lr_over_ml"), ratio, said.get("lr_over_ml_note"), measured=ours
            ),
            "more_a_product": TableCell.ours(rounded(more, 3)),
            "all_clocks": TableCell.ours(loop and loop.total),
        }

    sizes = itertools.product(exponentiation.BITS, exponentiation.METHODS)
    return tabulate(figures, "Figure 11", (row(*size) for size in sizes))


def binary_fields(figures: Figures, measured: Measured) -> Table:
    """Products and squares in GF(2^m), of which the paper gives no clocks."""
    counts = ClockCounts(figures, measured)

    def row(degree: int) -> Row:
        words = designs.words_of(degree)
        product, square = modes(words, "binary")
        cells = {}
        for name, short in ((ONE, "one"), (TWO, "two")):
            cells[f"{short}_product"] = counts.of(name, product).cell()
            for rule in designs.SQUARES:
                circuit = designs.with_squares(name, rule)
                cells[f"{short}_{rule}"] = counts.of(circuit, square).cell()
        for name, short in ((ONE_DEFAULT, "one"), (TWO_DEFAULT, "two")):
            cells[f"{short}_default_skip"] = counts.of(name, square).cell()
        return {"m": degree, "s": words, **cells}

    return tabulate(figures, "GF(2^m)", map(row, designs.DEGREES))


def widths(figures: Figures, measured: Measured) -> Table:
    """Clocks over the width, for each width of a word."""
    counts = ClockCounts(figures, measured)

    def row(bits: int, square: bool) -> Row:
        cells = {}
        for word in designs.WORD_SIZES:
            mode = modes(ceil_div(bits, word), "prime")[square]
            cells[f"w_=_{word}"] = counts.of(designs.of_word(word), mode).cell()
        return {"bits": bits, "operation": "square" if square else "product", **cells}

    rows = (row(bits, square) for bits in designs.WIDTHS for square in (False, True))
    return tabulate(figures, "Widths", rows)
