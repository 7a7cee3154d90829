"""Table 3: 1024-bit RSA, with and without CRT, from the clocks of the multipliers."""

from __future__ import annotations

from typing import NamedTuple

from modmul.papers.amanor2005.designs import LABELS, NAMES, counted_cycles, is_montgomery
from modmul.papers.amanor2005.measured import Measured
from modmul.papers.amanor2005.tables import OTHER_FAMILY, printed
from modmul.papers.records import Cell, Figure, Figures, MeasuredCell, Origin, Table, rounded

BITS = 1024
SWAPPED = "misprint: frequency and T_res of the two Montgomery rows are exchanged; Table 2 has {}"
PARALLEL = "two exponentiations of half the size at the same time: two multipliers, twice the area"
ALL = (
    "with table and conversion in every multiplication, and for Montgomery two more to enter and "
    f"leave the domain; {OTHER_FAMILY}"
)


class Times(NamedTuple):
    """Of an exponentiation, in ms: without CRT; with CRT, two multipliers of half the width; with
    CRT, one of them."""

    plain: float
    crt_two: float
    crt_one: float


def times(full: float, half: float, *, more: int = 0) -> Times:
    """full, half: us of a multiplication of 1024 and of 512 bits.  more: multiplications besides
    those of square and multiply, 1.5 for each bit of the exponent."""

    def exponentiation(bits: int, us: float) -> float:
        return (1.5 * bits + more) * us / 1000

    return Times(
        exponentiation(BITS, full),
        exponentiation(BITS // 2, half),
        2 * exponentiation(BITS // 2, half),
    )


def from_print(figures: Figures, name: str) -> Times:
    """n + 3 cycles at the frequencies of Table 2."""
    full, half = (
        counted_cycles(width) / printed(figures, "table_2", name, width, "frequency")
        for width in (BITS, BITS // 2)
    )
    return times(full, half)


def measured_times(measured: Measured, name: str, *, everything: bool) -> Times | None:
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
    rows: list[tuple[Figure | Cell, ...]] = []
    corrected = {row["architecture"]: row for row in figures["table_3_corrected"]}
    for row in figures["table_3"]:
        name = row["architecture"]
        mhz = printed(figures, "table_2", name, BITS, "frequency")
        computed = from_print(figures, name)
        wrong = row["frequency"] != corrected[name]["frequency"]
        clock = SWAPPED.format(f"{mhz} MHz") if wrong else None
        result = SWAPPED.format(f"{mhz} MHz, so {computed.plain:.1f} ms") if wrong else None
        cells = (
            (row["frequency"], mhz, None, clock),
            (row["t_res"], rounded(computed.plain, 3), None, result),
            (row["t_res_crt"], rounded(computed.crt_two, 3), None, PARALLEL),
            (None, rounded(computed.crt_one, 3), None, "not printed; computed"),
        )
        rows.append(
            (
                LABELS[name],
                *(Cell(*one, origin=Origin.ARITHMETIC) for one in cells),
                *_ours(measured, name),
            )
        )
    columns = (
        *("architecture", "frequency_MHz", "T_ms", "T_CRT_ms", "T_CRT_one_multiplier_ms"),
        *("ecp5_T_ms", "ecp5_T_CRT_ms", "ecp5_T_CRT_one_ms"),
        *("ecp5_all_T_ms", "ecp5_all_T_CRT_ms", "ecp5_all_T_CRT_one_ms"),
    )
    return Table("3", f"{BITS}-bit RSA", columns, tuple(rows))


def _ours(measured: Measured, name: str) -> list[Cell]:
    cells: list[Cell] = []
    for everything, remark in (
        (False, f"n + 3 cycles, as in the paper; {OTHER_FAMILY}"),
        (True, ALL),
    ):
        found = measured_times(measured, name, everything=everything)
        cells += [
            MeasuredCell(None, None, rounded(one, 4), remark, origin=Origin.MEASURED)
            for one in found or (None,) * 3
        ]
    return cells


def claims(figures: Figures, measured: Measured) -> Table:
    """Statements of abstract and conclusion."""
    interleaved = "redundant_interleaved"
    fast = from_print(figures, interleaved)
    clocks = [printed(figures, "table_2", interleaved, w, "frequency") for w in (BITS, BITS // 2)]
    ours = measured_times(measured, interleaved, everything=True)
    rows: list[tuple[Figure | Cell, ...]] = [
        (
            "1024-bit RSA at 69 MHz, ms",
            MeasuredCell(
                "below 6.1",
                rounded(fast.plain, 3),
                rounded(ours.plain, 4) if ours else None,
                f"6.1 ms is the time with CRT and two multipliers of 512 bits, at {clocks[1]} MHz; "
                f"at {clocks[0]} MHz one of 1024 bits takes {fast.plain:.1f} ms without CRT",
                origin=Origin.ARITHMETIC,
            ),
        )
    ]
    for what, unit in (("period", "shortest period"), ("product", "least area-time product")):
        wrong = [w for w in figures["table_2"]["bits"] if best(figures, w, what) != interleaved]
        others = ", ".join(f"{w} bits: {LABELS[best(figures, w, what)]}" for w in wrong)
        first = [best_here(measured, width, what) for width in measured.widths]
        here = [w for w, name in zip(measured.widths, first, strict=True) if name != interleaved]
        verdict = f"not at {', '.join(map(str, here))} bits" if here else "at all widths"
        rows.append(
            (
                f"redundant interleaved has the {unit}",
                MeasuredCell(
                    "at all widths", f"not at {', '.join(map(str, wrong))} bits",
                    verdict if all(first) else None,
                    f"printed figures say {others}", origin=Origin.ARITHMETIC,
                ),
            )
        )  # fmt: skip
    return Table("Claims", "Abstract and conclusion", ("claim", "figure"), tuple(rows))


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
