"""Table 3: 1024-bit RSA, with and without CRT, from the clocks of the multipliers."""

from __future__ import annotations

from typing import NamedTuple

from modmul.papers.amanor2005.designs import LABELS, NAMES, Measured, counted_cycles, is_montgomery
from modmul.papers.amanor2005.tables import OTHER_FAMILY, printed
from modmul.papers.columns import Row, claims, tabulate
from modmul.papers.records import Cell, Figures, Table, rounded

BITS = 1024
SWAPPED = "misprint: frequency and T_res of the two Montgomery rows are exchanged; Table 2 has {}"
PARALLEL = "two exponentiations of half the size at the same time: two multipliers, twice the area"
ALL = (
    "with table and conversion in every multiplication, and for Montgomery two more to enter and "
    f"leave the domain; {OTHER_FAMILY}"
)


class RsaTimes(NamedTuple):
    """Of an exponentiation, in ms: without CRT; with CRT, two multipliers of half the width; with
    CRT, one of them."""

    plain: float
    crt_two: float
    crt_one: float


def times(full: float, half: float, *, more: int = 0) -> RsaTimes:
    """full, half: us of a multiplication of 1024 and of 512 bits.  more: multiplications besides
    those of square and multiply, 1.5 for each bit of the exponent."""

    def exponentiation(bits: int, us: float) -> float:
        return (1.5 * bits + more) * us / 1000

    return RsaTimes(
        exponentiation(BITS, full),
        exponentiation(BITS // 2, half),
        2 * exponentiation(BITS // 2, half),
    )


def from_print(figures: Figures, name: str) -> RsaTimes:
    """n + 3 cycles at the frequencies of Table 2."""
    full, half = (
        counted_cycles(width) / printed(figures, "table_2", name, width, "frequency")
        for width in (BITS, BITS // 2)
    )
    return times(full, half)


def measured_times(measured: Measured, name: str, *, everything: bool) -> RsaTimes | None:
    """At our usable clocks: the paper's cycles, or all that are needed.

    None if a width is missing."""
    both = [measured.ecp5.get((name, width)) for width in (BITS, BITS // 2)]
    if both[0] is None or both[1] is None:
        return None
    cycles = [counted_cycles(BITS), counted_cycles(BITS // 2)]
    full, half = (
        (one.cycles if everything else count) / one.usable
        for one, count in zip((both[0], both[1]), cycles, strict=True)
    )
    return times(full, half, more=2 if everything and is_montgomery(name) else 0)


def table3(figures: Figures, measured: Measured) -> Table:
    """As printed, with one misprint, and with what is left out."""
    corrected = {row["architecture"]: row for row in figures["table_3_corrected"]}
    rows: list[Row] = []
    for one in figures["table_3"]:
        name = one["architecture"]
        mhz = printed(figures, "table_2", name, BITS, "frequency")
        plain, crt, crt_one = from_print(figures, name)
        right = one["frequency"] == corrected[name]["frequency"]
        clock = None if right else SWAPPED.format(f"{mhz} MHz")
        result = None if right else SWAPPED.format(f"{mhz} MHz, so {plain:.1f} ms")
        row: Row = {
            "architecture": LABELS[name],
            "frequency_MHz": Cell.arithmetic(one["frequency"], mhz, clock),
            "T_ms": Cell.arithmetic(one["t_res"], rounded(plain, 3), result),
            "T_CRT_ms": Cell.arithmetic(one["t_res_crt"], rounded(crt, 3), PARALLEL),
            "T_CRT_one_multiplier_ms": Cell.arithmetic(
                None, rounded(crt_one, 3), "not printed; computed"
            ),
            **_ours(measured, name, "ecp5", f"n + 3 cycles, as in the paper; {OTHER_FAMILY}"),
            **_ours(measured, name, "ecp5_all", ALL),
        }
        rows.append(row)
    return tabulate("3", f"{BITS}-bit RSA", rows)


def _ours(measured: Measured, name: str, what: str, remark: str) -> dict[str, Cell]:
    ours = measured_times(measured, name, everything=what == "ecp5_all")
    headings = (f"{what}_{time}_ms" for time in ("T", "T_CRT", "T_CRT_one"))
    ms = (rounded(one, 4) for one in ours or (None,) * 3)
    return {heading: Cell.ours(one, remark) for heading, one in zip(headings, ms, strict=True)}


def statements(figures: Figures, measured: Measured) -> Table:
    """Statements of abstract and conclusion."""
    interleaved = "redundant_interleaved"
    fast = from_print(figures, interleaved).plain
    clocks = [printed(figures, "table_2", interleaved, w, "frequency") for w in (BITS, BITS // 2)]
    ours = measured_times(measured, interleaved, everything=True)
    cells = {
        "1024-bit RSA at 69 MHz, ms": Cell.arithmetic(
            "below 6.1", rounded(fast, 3),
            f"6.1 ms is the time with CRT and two multipliers of 512 bits, at {clocks[1]} MHz; "
            f"at {clocks[0]} MHz one of 1024 bits takes {fast:.1f} ms without CRT",
            measured=rounded(ours and ours.plain, 4),
        )
    }  # fmt: skip
    for what, unit in (("period", "shortest period"), ("product", "least area-time product")):
        wrong = [w for w in figures["table_2"]["bits"] if best(figures, w, what) != interleaved]
        others = ", ".join(f"{w} bits: {LABELS[best(figures, w, what)]}" for w in wrong)
        first = [best_here(measured, width, what) for width in measured.widths]
        here = [w for w, name in zip(measured.widths, first, strict=True) if name != interleaved]
        verdict = f"not at {', '.join(map(str, here))} bits" if here else "at all widths"
        cells[f"redundant interleaved has the {unit}"] = Cell.arithmetic(
            "at all widths", f"not at {', '.join(map(str, wrong))} bits",
            f"printed figures say {others}", measured=verdict if all(first) else None,
        )  # fmt: skip
    return claims("Abstract and conclusion", cells)


def best(figures: Figures, width: int, what: str) -> str:
    """Of the printed designs of a width, by period or by area times period."""

    def rate(name: str) -> float:
        period = printed(figures, "table_2", name, width, "period")
        return period if what == "period" else period * printed(figures, "table_1", name, width)

    return min(NAMES, key=rate)


def best_here(measured: Measured, width: int, what: str) -> str | None:
    """The same of ours, at the cycles that they take.  None if one of them is missing."""
    if any((name, width) not in measured.ecp5 for name in NAMES):
        return None

    def rate(name: str) -> float:
        one = measured.ecp5[name, width]
        return one.period if what == "period" else one.period * one.cycles * one.slices

    return min(NAMES, key=rate)
