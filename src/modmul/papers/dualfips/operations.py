"""Word products, additions and reads of operands: printed formulas, ours, and simulated clocks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec import UNSET

from modmul.papers.columns import Row, tabulate
from modmul.papers.dualfips.designs import ONE, OVERHEAD, WORDS, modes
from modmul.papers.dualfips.measured import Measured
from modmul.papers.dualfips.tables import counted
from modmul.papers.records import Cell, Derived, Figures, Table


class _Count(NamedTuple):
    """How many of something are in a product, in a square in GF(p), and in one in GF(2^m)."""

    product: int
    square: int
    short: int


def table(figures: Figures, measured: Measured) -> Table:
    """All of them at 1024 bits, for a product and for a square."""
    s, formulas = WORDS, figures["formulas"]
    reads, products = (formulas[f"saved_{one}_square_gfp"] for one in ("reads", "products"))
    parts = _Count(s**2, s * (s + 1) // 2, s), _Count(s**2, s**2, s**2), _Count(s, s, s)
    total = _Count(*map(sum, zip(*parts, strict=True)))
    prime, binary = modes(s, "prime"), modes(s, "binary")
    found = [counted(measured, ONE, mode) for mode in (*prime, binary[1])]
    simulated = [count and count - OVERHEAD for count in found]
    rows = (
        _row("a b products", parts[0], square="(s^2 + s)/2"),
        _row("m n products", parts[1]),
        _row("quotient words", parts[2]),
        _row("all products", total, formulas["products_multiply"], saved=products, ours=simulated),
        _row("additions", _Count(*(one - s for one in total)), saved=products),
        _row("reads of a and b", _Count(2 * s**2, s * (s + 1), 2 * s), saved=reads),
    )
    title = f"Operations at s = {WORDS}, section 4.2; published: values of printed formulas"
    return tabulate("Operations", title, rows, kind=Derived)


def _row(
    name: str, count: _Count, product: str | None = None, square: str | None = None,
    saved: str | None = None, ours: Sequence[int | None] | None = None,
) -> Row:  # fmt: skip
    """product, square, saved: printed formulas.  ours: simulated, where that can be."""

    def cell(computed: int, simulated: int | None, formula: str | None, remark: str | None) -> Cell:
        value = None if formula is None else _valued(formula)
        if formula is not None:
            remark = "; ".join(filter(None, (f"printed: {formula}", remark)))
        return Cell.arithmetic(
            value, computed, remark, measured=UNSET if ours is None else simulated
        )

    def less(simulated: int | None) -> int | None:
        return first - simulated if first and simulated else None

    first, second, third = ours or (None,) * 3
    remark = None if ours is None else _COUNTED
    return {
        "count": name,
        "product": cell(count.product, first, product, remark),
        "square": cell(
            count.square, second, square, _NEEDED if square else _COUNTED if second else None
        ),
        "saved": cell(count.product - count.square, less(second), saved, _SAVED if saved else None),
        "GF(2^m)_square": cell(count.short, third, None, remark),
        "GF(2^m)_saved": cell(count.product - count.short, less(third), None, None),
    }


def _valued(formula: str) -> int:
    """The value of a printed formula."""
    text = formula.replace("^", "**")
    return int(Fraction(eval(text, {"__builtins__": {}}, {"s": Fraction(WORDS)})))


_COUNTED = "measured: simulated clocks without the 4 at the ends"
_NEEDED = "needed, as printed; but section 3.2 says that as many are saved, too"
_SAVED = (
    "abstract and section 6; section 4.2 has one and the same (3s^2 - s)/2 for products needed, "
    "products saved and additions saved"
)
