"""Table 3, and what the text says: RSA from the clocks of the multipliers, and simulated on a
processor."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from modmul.papers.amanor2005.designs import LABELS, NAMES, WIDTHS, Measured, is_montgomery
from modmul.papers.amanor2005.engines import WAYS
from modmul.papers.amanor2005.tables import Side, entries, in_print, ours, printed
from modmul.papers.columns import Claims, Rows, claims, table
from modmul.papers.implemented import clock, slices
from modmul.papers.records import Figures, TableCell, rounded

BITS = 1024


class RsaTimes(NamedTuple):
    """Times of an exponentiation in ms: without CRT; with CRT, two multipliers of half the width;
    with CRT, one of them."""

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


def times_of(side: Side, name: str, *, more: int = 0) -> RsaTimes | None:
    """The times at the cycles and clocks of a side; None if a width is missing."""
    full, half = (side.get((name, width)) for width in (BITS, BITS // 2))
    if full is None or half is None:
        return None
    return times(full.delay * full.cycles, half.delay * half.cycles, more=more)


def from_print(figures: Figures, name: str) -> RsaTimes:
    """n + 3 cycles at the frequencies of Table 2."""
    own_times = times_of(in_print(figures), name)
    assert own_times is not None
    return own_times


def measured_times(measured: Measured, name: str, *, everything: bool) -> RsaTimes | None:
    """The times at our usable clocks: with the paper's cycles, or all that are needed, for
    Montgomery with two multiplications to enter and leave the domain."""
    more = 2 if everything and is_montgomery(name) else 0
    return times_of(ours(measured, everything=everything), name, more=more)


@table("3")
def table3(figures: Figures, measured: Measured) -> Rows:
    """Table 3 as printed, with one misprint, and with what is left out."""
    corrected = {row["architecture"]: row for row in figures["table_3_corrected"]}
    for entry in figures["table_3"]:
        name = entry["architecture"]
        mhz = printed(figures, "table_2", name, BITS, "frequency")
        plain, crt, crt_one = from_print(figures, name)
        clock = result = None
        if entry["frequency"] != corrected[name]["frequency"]:
            clock = f"{figures['table_3_notes']['swapped']}; Table 2 has {mhz} MHz"
            result = f"{clock}, so {plain:.1f} ms"
        yield {
            "architecture": LABELS[name],
            "frequency_MHz": TableCell.arithmetic(entry["frequency"], mhz, clock),
            "T_ms": TableCell.arithmetic(entry["t_res"], rounded(plain, 3), result),
            "T_CRT_ms": TableCell.arithmetic(entry["t_res_crt"], rounded(crt, 3)),
            "T_CRT_one_multiplier_ms": TableCell.arithmetic(None, rounded(crt_one, 3)),
            **_ours(measured, name, "ecp5"),
            **_ours(measured, name, "ecp5_all"),
            **_engines(measured, name),
        }


def _ours(measured: Measured, name: str, what: str) -> dict[str, TableCell]:
    own_times = measured_times(measured, name, everything=what == "ecp5_all")
    headings = (f"{what}_{time}_ms" for time in ("T", "T_CRT", "T_CRT_one"))
    ms = (rounded(time, 4) for time in own_times or (None,) * 3)
    return {heading: TableCell.ours(time) for heading, time in zip(headings, ms, strict=True)}


def _engines(measured: Measured, name: str) -> dict[str, TableCell]:
    """Cycles of the processor `rsa`, and ms at the usable clock of its multiplier."""
    cells: dict[str, TableCell] = {}
    for method in WAYS:
        cells[f"engine_{method}_cycles"] = TableCell.ours(measured.engines.get((name, method)))
    for method, (width, _) in WAYS.items():
        cycles, core = measured.engines.get((name, method)), measured.ecp5.get((name, width))
        ms = cycles / clock(core).usable / 1000 if cycles and core else None
        cells[f"engine_{method}_ms"] = TableCell.ours(rounded(ms, 4))
    return cells


@claims()
def statements(figures: Figures, measured: Measured) -> Claims:
    """Statements of abstract and conclusion."""
    interleaved = "redundant_interleaved"
    fast = from_print(figures, interleaved).plain
    clocks = [printed(figures, "table_2", interleaved, w, "frequency") for w in (BITS, BITS // 2)]
    measured_ms = measured_times(measured, interleaved, everything=True)
    cells = {
        "1024-bit RSA at 69 MHz, ms": TableCell.arithmetic(
            figures["text"]["rsa_ms"],
            rounded(fast, 3),
            f"6.1 ms is the time with CRT and two multipliers of 512 bits, at {clocks[1]} MHz; "
            f"at {clocks[0]} MHz one of 1024 bits takes {fast:.1f} ms without CRT",
            measured=rounded(measured_ms and measured_ms.plain, 4),
        ).as_said("below"),
        **_areas(figures, measured),
        **{
            f"time of a product, {LABELS[name]}, delays of a full adder": TableCell.printed(delays)
            for name, delays in figures["text"]["full_adder_delays"].items()
        },
    }
    for what, unit in (("delay", "shortest period"), ("product", "least area-time product")):
        first = {w: best(in_print(figures), w, what) for w in figures["table_2"]["bits"]}
        wrong = {w: LABELS[name] for w, name in first.items() if name and name != interleaved}
        leading = {w: best(ours(measured, everything=True), w, what) for w in WIDTHS}
        cells[f"redundant interleaved has the {unit}"] = TableCell.arithmetic(
            "at all widths",
            _holds(wrong),
            f"printed figures say {', '.join(f'{w} bits: {name}' for w, name in wrong.items())}",
            measured=None
            if None in leading.values()
            else _holds([w for w, name in leading.items() if name != interleaved]),
        )
    return cells


def _areas(figures: Figures, measured: Measured) -> Claims:
    """Which of Table 1 is the largest, and how alike the other two are; ours on the same chip."""
    (two, one, interleaved), said = NAMES, figures["text"]
    largest, ours_largest, ratios, ours_ratios = [], [], [], []
    for width in WIDTHS:
        percents = {name: printed(figures, "table_1", name, width) for name in NAMES}
        own = {name: slices(measured.xcve.get((name, width))) for name in NAMES}
        largest += [width] if max(NAMES, key=percents.__getitem__) != two else []
        ratios.append(percents[one] / percents[interleaved])
        if None not in own.values():
            counts = {name: count or 0 for name, count in own.items()}
            ours_largest += [width] if max(NAMES, key=counts.__getitem__) != two else []
            ours_ratios.append(counts[one] / counts[interleaved])
    whole = len(ours_ratios) == len(WIDTHS)
    apart = [min(each, key=lambda ratio: -abs(ratio - 1)) for each in (ratios, ours_ratios) if each]
    return {
        f"{LABELS[two]} takes the most slices": TableCell.arithmetic(
            said["two_csa_has_most_slices"],
            _holds(largest),
            measured=_holds(ours_largest) if whole else None,
        ),
        f"slices of {LABELS[one]} over {LABELS[interleaved]}, furthest from 1": (
            TableCell.arithmetic(
                said["slices_one_csa_over_interleaved"],
                rounded(apart[0], 3),
                measured=rounded(apart[-1], 3) if whole else None,
            ).as_said("about")
        ),
    }


def _holds(wrong: Collection[int]) -> str:
    """Says at which widths something does not hold."""
    return f"not at {', '.join(map(str, wrong))} bits" if wrong else "at all widths"


def best(side: Side, width: int, what: str) -> str | None:
    """The design with the least "delay" or "product" of a width; None if one of them is missing."""
    if not entries(side, width):
        return None
    return min(NAMES, key=lambda name: float(getattr(side[name, width], what)))
