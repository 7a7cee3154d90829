"""Word products, additions and reads of operands: printed formulas, ours, and simulated clocks."""

from __future__ import annotations

from fractions import Fraction

from modmul.papers.dualfips.designs import ONE, OVERHEAD, WORDS, modes
from modmul.papers.dualfips.measured import Measured
from modmul.papers.dualfips.tables import counted
from modmul.papers.records import Cell, Derived, Figure, Figures, MeasuredCell, Origin, Table


def table(figures: Figures, measured: Measured) -> Table:
    """All of them at 1024 bits, for a product and for a square."""
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
        kind = MeasuredCell if whole else Cell
        sides = zip(published, computed, mine, remarks, strict=True)
        cells = [_by_formula(kind, *side) for side in sides]
        last = ours[0] - ours[2] if ours[0] and ours[2] else None
        binary_ones = ((short, ours[2], _COUNTED if whole else None), (product - short, last, None))
        cells += [kind(None, *one, origin=Origin.ARITHMETIC) for one in binary_ones]
        rows.append((name, *cells))
    columns = ("count", "product", "square", "saved", "GF(2^m)_square", "GF(2^m)_saved")
    title = f"Operations at s = {WORDS}, section 4.2; published: values of printed formulas"
    return Derived("Operations", title, columns, tuple(rows))


def _by_formula(
    kind: type[Cell], formula: str | None, computed: int, found: int | None, remark: str | None
) -> Cell:
    """The value of a printed formula, as it stands in print in the remark."""
    if formula is None:
        return kind(None, computed, found, _COUNTED if found else None, origin=Origin.ARITHMETIC)
    value = Fraction(eval(formula.replace("^", "**"), {"__builtins__": {}}, {"s": Fraction(WORDS)}))
    said = f"printed: {formula}"
    whole = f"{said}; {remark}" if remark else said
    return kind(int(value), computed, found, whole, origin=Origin.ARITHMETIC)


_COUNTED = "measured: simulated clocks without the 4 at the ends"
_NEEDED = "needed, as printed; but section 3.2 says that as many are saved, too"
_SAVED = (
    "abstract and section 6; section 4.2 has one and the same (3s^2 - s)/2 for products needed, "
    "products saved and additions saved"
)
