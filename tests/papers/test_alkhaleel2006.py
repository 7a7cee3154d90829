"""alkhaleel2006: printed formulas and lists, what follows from printed figures, counted cells,
words made from figures, and what is measured."""

import dataclasses
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from changed_figures import check_ours_do_not_follow_print
from example_records import counted, routed_core
from modmul.blocks.arrays.unit_cells import FULL_ADDER, MUX4
from modmul.cli import main
from modmul.errors import SpecError
from modmul.implementation.result import ImplementResult
from modmul.implementation.unit_cells import PartCount, UnitCells, count, size
from modmul.papers import alkhaleel2006, papers
from modmul.papers.agreement import of_paper
from modmul.papers.alkhaleel2006 import arrays, designs, modular, sizes
from modmul.papers.alkhaleel2006.designs import (
    BOOTH,
    DADDA,
    HARD,
    INFERRED,
    ITERATIVE,
    PRODUCTS,
    RIPPLE,
    SCHEMES,
    Circuit,
    Fitted,
    Measured,
)
from modmul.papers.implemented import clock
from modmul.papers.needs import Measuring
from modmul.papers.records import Paper
from modmul.papers.text import render
from modmul.toolchain.cache import Cache

PRINTED = alkhaleel2006.PAPER.figures()
TABLE2 = sizes.rows_of(PRINTED)
PARTITIONS = modular.partitions(PRINTED)
LUTS = dict(zip(PRODUCTS, (20, 10, 21, 19, 22, 18, 26, 25, 1), strict=True))  # for each k^2 / 16
DELAYS = dict(zip(PRODUCTS, (5, 9, 8, 6, 7, 3, 1, 2, 0.5), strict=True))  # ns for each bit


def netlist(design: Circuit, width: int, target: str) -> ImplementResult:
    """LUTs and delays by the tables above; the modular multiplier as its array."""
    like = design if design in LUTS else designs.MUX4
    lut = LUTS[like] * width * width // 16 + (8 * width if "three-pass" in design.label else 0)
    estimate = None if target in ("ecp5", "xc2vp") else float(DELAYS[like] * width)
    dsp = int(design == HARD)
    return counted(lut, 4 * width, dsp, levels=width, estimate_ns=estimate)


def routed(mhz: float, usable: float = 1e6) -> ImplementResult:
    limit = "MULT18X18D: 10 MHz (a sheet; unverified)"
    return routed_core(1, 1, mhz, min(mhz, usable), seeds=2, limited_by=limit)


def cells(design: Circuit, width: int) -> UnitCells:
    """A row of multiplexers and full adders."""
    inside = {MUX4: 2 * modular.cells_1(width, 1), FULL_ADDER: width}
    if dict(design.options).get("partitions"):
        inside[MUX4] = 2 * modular.cells_1(width, dict(design.options)["partitions"])
    parts = PartCount("digit_diagonal", "", 1, {MUX4: 5}), PartCount("mux_row", "", 1, inside)
    inside = {**inside, MUX4: inside[MUX4] + 5}
    return UnitCells(parts, inside, *size(inside))


def made_up(widest: int = 512) -> Measured:
    places = [*designs.products(), *designs.on_chip(PARTITIONS)]
    placed = [place for place in dict.fromkeys(places) if place[1] <= widest]
    return Measured(
        cells={circuit: cells(*circuit) for circuit in designs.with_unit_cells()},
        mapped={place: netlist(*place) for place in placed},
        routed={
            (design, width): routed(1000 / (DELAYS[design] * width))
            for design, width, target in placed
            if target == "ecp5" and width <= 64
        },
        fitted={
            (128, "LFE5U-25F"): Fitted(4, 15000, 0.62, "P = 3: 81.0 %"),
            (512, "LFE5U-25F"): Fitted(None, 0, 0.0, "too small"),
        },
    )


@pytest.fixture(scope="module")
def paper() -> Paper:
    return alkhaleel2006.PAPER.assemble(PRINTED, made_up())


def rows(paper: Paper, id: str) -> Iterator[dict[str, Any]]:
    (table,) = [table for table in paper.tables if table.id == id]
    for row in table.rows:
        yield dict(zip(table.columns, row, strict=True))


# ---- print --------------------------------------------------------------------------------------


def test_blocks_are_counted_with_as_printed(paper: Paper) -> None:
    for row in rows(paper, "I"):
        for unit in sizes.UNITS:
            if row["circuit"] == "2-bit CLA":
                assert row[unit].computed is None
            elif row["circuit"] == "any other gate":
                assert row[unit].published is None and row[unit].computed in (1, 4)
            else:
                assert row[unit].published == row[unit].computed


GATES: dict[str, Callable[[int], float]] = {
    "iterative": lambda k: 13 * k * k,
    "five_counter": lambda k: 13 * (k * k + 3 * k - 2),
    "booth": lambda k: 10 * k * k + 23 * k + 13,
    "mux": lambda k: 8.5 * k * k + 40.5 * k - 34,
    "mux4": lambda k: 8.5 * k * k + 219 * k,
}
# (gates, transistors) of the printed list less those of the formula
LESS: dict[str, Callable[[int], tuple[float, float]]] = {
    "iterative": lambda k: (0, 0),
    "five_counter": lambda k: (-13 * 2 * (k - 1), -30 * 2 * (k - 1)),
    "booth": lambda k: (12 * (k + 1), float("nan")),  # see below
    "mux": lambda k: (34, 73),
    "mux4": lambda k: (-2 * k * 46, -2 * k * 100),
}


@pytest.mark.parametrize("scheme", GATES)
def test_formulas_and_lists_of_table_2(scheme: str) -> None:
    row = TABLE2[scheme]
    for k in (15, 16, 64, 127, 128):
        printed = [sizes.polynomial(row[unit], k) for unit in sizes.UNITS]
        assert printed[0] == GATES[scheme](k)
        listed = [
            sizes.polynomial(sizes.formula_of_list(PRINTED, row, unit), k) for unit in sizes.UNITS
        ]
        less = LESS[scheme](k)
        assert listed[0] - printed[0] == pytest.approx(less[0])
        if scheme != "booth":
            assert listed[1] - printed[1] == pytest.approx(less[1])
            assert row["check"] != "exact" or less == (0, 0)


def test_no_gate_makes_the_transistors_of_the_booth_array() -> None:
    """It would have another size at each width, with the full adders of cell B and without."""
    row = TABLE2["booth"]
    for less in (0, 1):
        needed = set()
        for k in (15, 63, 127):
            inside = sizes.listed(row, k)
            known = 26 * (inside["full_adder"] - less * (k + 1)) + 6 * inside["mux_2_to_1"]
            rest = sizes.polynomial(row["transistors"], k) - known
            needed.add(round(rest / inside["gate"], 3))
        assert len(needed) == 3


def test_where_the_array_is_smaller(paper: Paper) -> None:
    wanted = {
        "array-iterative": ("from 50 bits", "from 56 bits"),
        "array-5counter": ("from 42 bits", "from 46 bits"),
        "array-booth": ("from 132 bits", "never"),
    }
    claims = {
        row["claim"].removeprefix("smaller than "): (row["gates"], row["transistors"])
        for row in rows(paper, "II, claims")
    }
    similar = claims.pop("similar to array-mux")
    assert {name: (a.computed, b.computed) for name, (a, b) in claims.items()} == wanted
    assert {a.published for a, _ in claims.values()} == {"always"}
    # all schemes are the same size in the figures that are made up
    assert {a.measured for a, _ in claims.values()} == {"nowhere"}
    assert [(cell.said, cell.computed, cell.measured) for cell in similar] == [
        ("similar", 1.16, 1.0),
        ("similar", 1.14, 1.0),
    ]


def test_what_fits_on_one_chip(paper: Paper) -> None:
    """By print 31489 and 139611 LUTs; the largest Virtex-4 has 178176."""
    fits = {row["claim"]: row["figure"] for row in rows(paper, "III, claims")}
    assert {name: cell.computed for name, cell in fits.items()} == {
        "128 bits fit on one chip": "without partitions",
        "512 bits fit on one chip": "in partitions",
    }
    assert all(cell.computed == cell.published for cell in fits.values())
    assert "78.4 % of the 178176" in (fits["512 bits fit on one chip"].remark or "")


def test_smaller_from_a_width_on() -> None:
    assert sizes.smaller_from([1, 0], [10]) is None  # smaller only at first
    assert sizes.smaller_from([10], [1, 0]) == 12
    assert sizes.smaller_from([0], [1]) == 4


def test_shares_and_speed_ups_follow_from_printed_figures(paper: Paper) -> None:
    for row in rows(paper, "III"):
        for what in ("slices", "LUTs"):
            share = row[f"multiplier_{what}_%"]
            assert share.computed == pytest.approx(share.published, abs=0.06)
    for row in (*rows(paper, "IV, speed-up"), *rows(paper, "V")):
        speed = row.get("speed_%") or row["speed_up_%"]
        assert speed.computed == pytest.approx(speed.published, abs=0.051)
    last = PRINTED["table_4"][-1]["mux4"]
    modular_product = PRINTED["table_3"][0]
    assert (last["slices"], last["luts"]) == (
        modular_product["slices"] - 512,
        modular_product["luts"] - 512,
    )


def test_penalty_that_is_called_minor(paper: Paper) -> None:
    penalties = [(row["slices_%"], row["LUTs_%"]) for row in rows(paper, "IV, speed-up")]
    assert [round(slices.computed) for slices, _ in penalties] == [117, 68, 27, 7]
    assert [round(luts.computed) for _, luts in penalties] == [157, 38, 12, -6]
    for _, luts in penalties:
        assert luts.measured == pytest.approx(100 * (18 / 22 - 1), rel=1e-3)


# ---- what is built ------------------------------------------------------------------------------


def test_partitions_of_the_example(paper: Paper) -> None:
    """108 of 240 cells 1, by formula and in the netlist."""
    assert (modular.cells_1(32, 4), modular.cells_1(32, 1)) == (108, 240)
    for partitions, wanted in ((4, 108), (1, 240)):
        counted = count(designs.folded(partitions).multiplier(32))
        assert counted.cells[MUX4] - counted.of(modular.DIAGONAL)[MUX4] == 2 * wanted
    (row,) = [r for r in rows(paper, "Partitions") if (r["bits"], r["partitions"]) == (32, 4)]
    assert (row["cells_1"].computed, row["cells_1"].measured) == (108, 108)
    assert (row["rows_of_a_band"].computed, row["cells_1_%"].computed) == (4, 45)
    with pytest.raises(ValueError):
        modular.cells_1(32, 3)


def test_printed_sizes_fit_four_and_eight_partitions() -> None:
    """The guess: main partitions of these shares, with the same LUTs a cell as at 128 bits."""
    luts_per_cell = PRINTED["table_4"][-1]["mux4"]["luts"] / 128**2
    for row in PRINTED["table_3"][1:]:
        k = row["k"]
        share = modular.cells_1(k, PARTITIONS[k]) / modular.cells_1(k, 1)
        used = (row["luts"] - 4 * k) / (luts_per_cell * k * k)
        assert used / share == pytest.approx(1.18, abs=0.01)


def test_clocks_of_a_modular_product(paper: Paper) -> None:
    by_bits = {row["bits"]: row for row in rows(paper, "III")}
    assert {k: row["clocks"].computed for k, row in by_bits.items()} == {128: 6, 256: 21, 512: 33}
    assert [row["partitions"].published for row in by_bits.values()] == [1, None, None]
    assert "guess" in by_bits[256]["partitions"].remark and not by_bits[128]["partitions"].remark
    row = by_bits[256]
    wanted = row["clocks"].computed * row["estimated_clock_ns"].measured
    assert row["estimated_product_ns"].measured == pytest.approx(wanted, rel=1e-3)
    assert "not routed" in row["estimated_product_ns"].remark
    (v,) = [r for r in rows(paper, "V") if r["bits"] == 256]
    assert v["estimated_xc4v_ns"].measured == row["estimated_product_ns"].measured


def test_table_5_has_the_area_on_the_printed_chip(paper: Paper) -> None:
    narrow, wide = rows(paper, "V")
    luts = LUTS[designs.MUX4] * 128 * 128 // 16 + 8 * 128
    assert narrow["xc2vp_LUTs"].measured == luts
    assert narrow["xc2vp_slices"].measured == luts // 2
    assert narrow["xc2vp_slices_%"].measured == pytest.approx(100 * luts / 2 / 23616, rel=1e-3)
    assert "XC2VP50-7FF1517" in narrow["xc2vp_slices_%"].remark
    assert "XC2VP100-6FF1704" in wide["xc2vp_slices_%"].remark
    assert narrow["xc2vp_LUT_levels"].measured == 128  # as made up
    assert not {name for name in wide if name.startswith("xc2vp") and "ns" in name}


def test_final_adders_as_published_exist_for_two_schemes() -> None:
    forms = {name: designs.select(design) for name, design in SCHEMES.items()}
    assert {name for name, form in forms.items() if form} == {"mux", "mux4"}
    for form in filter(None, forms.values()):
        assert form.multiplier(8) != SCHEMES[form.label.split("-")[1][:4].rstrip(",")].multiplier(8)


# ---- figures into words -------------------------------------------------------------------------


def test_order_and_words_follow_from_the_figures(paper: Paper) -> None:
    today = {(r["target"], r["by"]): r["array-mux4_is"] for r in rows(paper, "Today")}
    assert today["xc4v", "LUTs"].measured == (
        "2 of 8; 1.80 times the LUTs of array-iterative, ripple; 0.82 times that of array-mux"
    )
    assert today["xc7", "delay"].measured.startswith(
        "4 of 9; 6.00 times the delay of inferred, DSP"
    )
    assert "LUT ns" in today["xc7", "LUTs x delay"].remark
    assert {r["bits"] for r in rows(paper, "Today") if r["target"] == "xc7"} == {128}
    wide = {r["by"]: r["bits"] for r in rows(paper, "Today") if r["target"] == "ecp5"}
    assert wide == {"LUTs": 128, "delay": 64, "LUTs x delay": 64}  # what was routed


def test_words_where_the_array_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LUTS, designs.MUX4, 4)
    table = arrays.today(PRINTED, made_up())
    first = dict(zip(table.columns, table.rows[0], strict=True))["array-mux4_is"].measured
    assert first == (
        "1 of 8; array-iterative, ripple is next, with 2.50 times its LUTs; "
        "0.18 times that of array-mux"
    )


def test_claims_of_speed(paper: Paper) -> None:
    faster, older, five, every = rows(paper, "IV, claims")
    assert faster["xc4v_at_bits"].measured == "16, 32, 64, 128 of 16, 32, 64, 128"
    assert faster["ecp5_at_bits"].measured == "16, 32, 64 of 16, 32, 64"
    assert older["xc7_at_bits"].measured.startswith("none of")
    assert five["xc7_at_bits"].measured == "16, 32, 64, 128 of 16, 32, 64, 128"
    assert every["xc4v_at_bits"].measured.startswith("none of") and every["said"].published is None


def test_designs_with_dsp_blocks_are_not_compared_by_luts() -> None:
    some = made_up()
    for by, compared in ((arrays.LUTS, False), (arrays.PRODUCT, False), (arrays.DELAY, True)):
        names = arrays.ranked(some, 32, "xc7", by)
        assert (HARD in names) == compared and {RIPPLE, BOOTH, DADDA, INFERRED} <= names.keys()
    best = {row[2]: row for row in arrays.relative(PRINTED, some).rows if row[:2] == ("xc4v", 16)}
    assert best["LUTs"][3 + PRODUCTS.index(RIPPLE)].measured == 1  # type: ignore[union-attr]
    assert best["delay"][3 + PRODUCTS.index(ITERATIVE)].measured == 10  # type: ignore[union-attr]


def test_what_is_missing_is_left_out() -> None:
    narrow = made_up(16)._replace(routed={}, fitted={})
    assembled = alkhaleel2006.PAPER.assemble(PRINTED, narrow)
    assert {row["bits"] for row in rows(assembled, "Today")} == {16}
    assert all(row["LUTs"].measured is None for row in rows(assembled, "III"))
    assert not list(rows(assembled, "Fits"))
    assert [picture.id for picture in assembled.pictures] == [
        "luts_xc4v",
        "delay_xc4v",
        "delay_xc7",
    ]


def test_fits(paper: Paper) -> None:
    fitting, none = rows(paper, "Fits")
    assert (fitting["partitions"].measured, fitting["LUTs_%"].measured) == (4, 62)
    assert fitting["clocks"].computed == 21 and fitting["partitions"].remark == "P = 3: 81.0 %"
    assert none["partitions"].measured == "none fits" and none["clocks"].computed is None


def test_pictures(paper: Paper) -> None:
    luts, *delays = paper.pictures
    printed = [series for series in luts.series if series.style == "marker"]
    assert [[p.y for p in series.points] for series in printed] == [
        [row[scheme]["luts"] for row in PRINTED["table_4"]] for scheme in ("mux", "mux4")
    ]
    assert [delay.id for delay in delays] == ["delay_xc4v", "delay_xc7", "delay_ecp5"]
    assert len(delays[1].series) == len(PRODUCTS) and "not routed" in delays[1].title


def test_as_json_and_as_text(paper: Paper) -> None:
    record = msgspec.json.decode(msgspec.json.encode(paper))
    for table in record["tables"]:
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
    console = Console(width=300, file=io.StringIO())
    console.print(render(paper))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "167296 | 155520" in text and "153.74 | 153.7" in text and "misprint" in text


def test_only_this_paper_has_a_widest(
    tmp_path: Path, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SpecError, match="kuang2016 is always measured whole"):
        papers("kuang2016", widest=64, cache=Cache(tmp_path))
    asked: list[Measuring] = []

    def fake(printed: Any, run: Measuring) -> tuple[()]:
        asked.append(run)
        return ()

    changed = dataclasses.replace(
        alkhaleel2006.PAPER, needs=fake, tables=(), pictures=lambda *_: ()
    )
    monkeypatch.setattr("modmul.papers.PAPERS", {changed.key: changed})
    command = ["papers", "alkhaleel2006", "--json", "--jobs", "1", "--seeds", "4"]
    assert main([*command, "--widest", "32"]) == main(command) == 0
    assert [(run.widest, run.seeds) for run in asked] == [(32, 4), (None, 4)]


def test_every_difference_has_a_reason(paper: Paper) -> None:
    agreement = of_paper(paper, "")
    assert not agreement.counts.measured.not_measured
    assert not [difference for difference in agreement.differences if not difference.reason]


def test_what_is_ours_does_not_follow_print() -> None:
    check_ours_do_not_follow_print(alkhaleel2006.PAPER.assemble, PRINTED, made_up())


def test_delays_of_routed_designs_are_at_the_usable_clock() -> None:
    """A limit of a hard block goes into delays and orders; the routed clock has a column."""
    narrow = made_up(16)
    usual = narrow.delay(designs.MUX4, 16, "ecp5")
    bound = routed(clock(narrow.routed[designs.MUX4, 16]).usable, usable=10.0)
    limited = narrow._replace(routed={**narrow.routed, (designs.MUX4, 16): bound})
    assert limited.delay(designs.MUX4, 16, "ecp5") == 100.0
    assert usual is not None and usual < 100
    (row,) = [
        row
        for row in rows(alkhaleel2006.PAPER.assemble(PRINTED, limited), "All")
        if (row["bits"], row["design"]) == (16, designs.MUX4.label)
    ]
    assert row["ecp5_usable_ns"].measured == 100.0
    assert "unverified" in row["ecp5_usable_ns"].remark
    assert row["ecp5_routed_ns"].measured == pytest.approx(DELAYS[designs.MUX4] * 16, rel=1e-3)
    places = [
        list(arrays.ranked(figures, 16, "ecp5", arrays.DELAY)).index(designs.MUX4)
        for figures in (narrow, limited)
    ]
    assert places[0] < places[1]
