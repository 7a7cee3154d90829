"""amanor2005: what follows from printed figures, the misprints, and RSA from our clocks."""

import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

import example_records
from changed_figures import check_ours_do_not_follow_print
from modmul.implementation.figures import full_slices
from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.papers import Table, amanor2005, implemented, simulated
from modmul.papers.agreement import of_paper
from modmul.papers.amanor2005 import engines, rsa, tables
from modmul.papers.amanor2005.designs import (
    LABELS,
    NAMES,
    WIDTHS,
    Measured,
    counted_cycles,
    design,
)
from modmul.papers.implemented import clock
from modmul.papers.needs import Measuring, Needs
from modmul.papers.records import Paper
from modmul.papers.simulated import schedules
from modmul.papers.text import render
from modmul.processors.rsa import Rsa
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.observed import ProductSchedule

PRINTED = amanor2005.PAPER.figures()
# slices % * us with n + 3 cycles, from Tables 1 and 2, to three digits
PRODUCTS = {
    "montgomery_two_csa": (0.74, 3.26, 11.51, 51.9, 203, 1100),
    "montgomery_one_csa": (0.40, 1.50, 6.90, 30.5, 95.2, 440),
    "redundant_interleaved": (0.35, 1.62, 7.32, 29.9, 63.5, 355),
}


ROUTED_MHZ = 400.0  # of all, above every usable clock


def schedule(multiplier: Multiplier) -> ProductSchedule:
    end = multiplier.latency().maximum
    return ProductSchedule(multiplier.title, 1, [(1, 1)], [(end, end)])


@pytest.fixture(scope="module")
def made_up() -> Measured:
    """Two CSAs are best at all widths, by the usable clocks: other than in print.  By the routed
    ones, which are equal, all would be."""
    mhz = dict(zip(NAMES, (300.0, 250.0, 200.0), strict=True))
    keys = [(name, width) for width in WIDTHS for name in NAMES]
    return Measured(
        ecp5={
            (name, width): example_records.routed_core(
                4 * width,
                5 * width,
                ROUTED_MHZ,
                mhz[name],
                seeds=8 if width <= 256 else 3,
                cycles=design(name, width).cycles_per_product(),
                limited_by="MULT18X18D: 250 MHz (a sheet; unverified)",
            )
            for name, width in keys
        },
        xc7={key: example_records.counted(3 * key[1], 5 * key[1]) for key in keys},
        cycles={key: schedule(design(*key)) for key in keys},
        xcve={key: example_records.counted(6 * key[1], 5 * key[1], levels=3) for key in keys},
        engines={
            (name, variant): 3_000_000 // (place + 1)
            for name in NAMES
            for place, variant in enumerate(engines.WAYS)
        },
    )


@pytest.fixture(scope="module")
def paper(made_up: Measured) -> Paper:
    return amanor2005.PAPER.assemble(PRINTED, made_up)


def table(paper: Paper, id: str) -> Table:
    (match,) = [table for table in paper.tables if table.id == id]
    return match


def rows(paper: Paper, id: str) -> Iterator[dict[str, Any]]:
    selected = table(paper, id)
    for row in selected.rows:
        yield dict(zip(selected.columns, row, strict=True))


def test_periods_and_frequencies_are_reciprocal(paper: Paper) -> None:
    table_2 = list(rows(paper, "2"))
    assert len(table_2) == 18
    for row in table_2:
        for column in ("period_ns", "frequency_MHz"):
            assert row[column].computed == pytest.approx(row[column].published, rel=0.005)
            assert row[column].measured is None  # another family's has columns of its own
        assert row["ecp5_routed_MHz"].measured == ROUTED_MHZ
        assert "Virtex-E" in row["ecp5_routed_MHz"].remark
        usable = row["ecp5_usable_MHz"]
        assert usable.measured <= 300 and "unverified" in usable.remark
        assert row["ecp5_period_ns"].measured == pytest.approx(1000 / usable.measured, rel=2e-3)


def test_area_on_the_printed_chip_is_compared(paper: Paper) -> None:
    """6 LUTs a bit, two in each of 19200 slices: a bound from below, which the remark says."""
    table_1 = list(rows(paper, "1"))
    assert len(table_1) == 18
    for row in table_1:
        cell = row["slices_%"]
        assert cell.measured == pytest.approx(100 * 3 * row["bits"] / 19200, rel=0.01)
        assert cell.published is not None and "at least" in cell.remark
        assert row["xcve_slices"].measured == 3 * row["bits"]
        assert row["slices_from_percent"].computed == pytest.approx(cell.published * 192, rel=1e-3)
        assert (row["xcve_luts"].measured, row["xcve_ffs"].measured) == (
            6 * row["bits"],
            5 * row["bits"],
        )
    assert all(row["xcve_LUT_levels"].measured == 3 for row in rows(paper, "2"))


def test_products_from_tables_1_and_2(paper: Paper) -> None:
    names = {label: name for name, label in LABELS.items()}
    for row in rows(paper, "Figure 3"):
        wanted = PRODUCTS[names[row["architecture"]]][WIDTHS.index(row["bits"])]
        assert row["percent_us"].computed == pytest.approx(wanted, rel=0.008)


def test_table_3_is_reproduced_except_for_its_misprints(paper: Paper) -> None:
    corrected = {row["architecture"]: row for row in PRINTED["table_3_corrected"]}
    for row, name in zip(
        rows(paper, "3"), [r["architecture"] for r in PRINTED["table_3"]], strict=True
    ):
        right = corrected[name]
        assert row["frequency_MHz"].computed == right["frequency"]
        assert row["T_ms"].computed == pytest.approx(right["t_res"], rel=0.003)
        assert row["T_CRT_ms"].computed == pytest.approx(
            right["t_res_crt_two_multipliers"], rel=0.005
        )
        assert row["T_CRT_one_multiplier_ms"].computed == pytest.approx(
            right["t_res_crt_one_multiplier"], rel=0.005
        )
        for column in ("frequency_MHz", "T_ms"):
            wrong = abs(row[column].computed / row[column].published - 1) > 0.01
            assert wrong == name.startswith("montgomery")
            assert wrong == bool(row[column].remark and "misprint" in row[column].remark)


def test_only_n_and_three_cycles_give_all_times() -> None:
    clocks = PRINTED["table_2"]["frequency"]
    fits = set(range(8))
    for row in PRINTED["table_3_corrected"]:
        full, half = (clocks[row["architecture"]][WIDTHS.index(width)] for width in (1024, 512))
        printed = (row["t_res"], row["t_res_crt_two_multipliers"])
        for extra in list(fits):
            times = rsa.times((1024 + extra) / full, (512 + extra) / half)
            if any(abs(a - b) > 0.05 for a, b in zip(times[:2], printed, strict=True)):
                fits.discard(extra)
    assert fits == {3} and counted_cycles(1024) == 1027


def test_rsa_from_our_clocks(paper: Paper, made_up: Measured) -> None:
    for row, name in zip(
        rows(paper, "3"), [r["architecture"] for r in PRINTED["table_3"]], strict=True
    ):
        core = made_up.ecp5[name, 1024]
        assert row["ecp5_T_ms"].measured == pytest.approx(
            1.5 * 1024 * 1027 / clock(core).usable / 1e3, rel=1e-3
        )
        more = 2 if name.startswith("montgomery") else 0
        milliseconds = (1.5 * 1024 + more) * core.cycles.per_product / clock(core).usable / 1e3
        assert row["ecp5_all_T_ms"].measured == pytest.approx(milliseconds, rel=1e-3)
        one_multiplier = row["ecp5_all_T_CRT_one_ms"].measured
        assert one_multiplier == pytest.approx(2 * row["ecp5_all_T_CRT_ms"].measured, rel=1e-3)


def test_rsa_on_an_engine(paper: Paper, made_up: Measured) -> None:
    """Cycles as they were simulated, ms by the clock of the multiplier of that width."""
    for row, name in zip(
        rows(paper, "3"), [r["architecture"] for r in PRINTED["table_3"]], strict=True
    ):
        for variant, (width, _) in engines.WAYS.items():
            cycles = row[f"engine_{variant}_cycles"].measured
            assert cycles == made_up.engines[name, variant]
            ms = cycles / clock(made_up.ecp5[name, width]).usable / 1e3
            assert row[f"engine_{variant}_ms"].measured == pytest.approx(ms, rel=1e-3)


@pytest.mark.long  # what is simulated of RSA by default: tests/processors/rsa
@pytest.mark.parametrize("variant", engines.WAYS)
def test_a_simulated_private_operation(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a short key, in the cycles that are declared."""
    width, options = engines.WAYS[variant]
    monkeypatch.setattr(engines, "BITS", 64)
    monkeypatch.setitem(engines.WAYS, variant, (width // 16, options))
    need = engines.private_operation(partial(design, "montgomery_two_csa"), variant)
    processor = Rsa(multiplier=design("montgomery_two_csa", width // 16), **options)
    (cycles,) = Measuring().fill(Needs("simulate", {variant: need})).values()
    assert cycles == processor.latency(processor.modes[variant == "T"]).maximum


def test_claims_that_do_not_hold(paper: Paper) -> None:
    claims = {row["claim"]: row["figure"] for row in rows(paper, "Claims")}
    time, *others, period, product = claims.values()
    assert [cell.computed for cell in others] == ["at all widths", 0.875, None, None, None]
    assert [cell.published for cell in others[2:]] == ["2n", "n", "n"]
    assert (others[1].said, others[1].published) == ("about", 1)
    assert time.computed == pytest.approx(22.7, rel=0.005)
    assert period.computed == "not at 64, 128, 256 bits"
    assert product.computed == "not at 64, 128 bits"
    assert product.measured == "not at 32, 64, 128, 256, 512, 1024 bits"


def test_orders_and_swaps(paper: Paper) -> None:
    first = {row["where"]: row["multiplier"] for row in rows(paper, "Order") if row["place"] == 1}
    assert set(first) >= {"64 bits", "64 bits, table and conversion, too"}
    assert first["64 bits"].published == "Montgomery, 1 CSA"
    assert first["64 bits"].measured == "Montgomery, 2 CSA"
    assert first["1024 bits"].published == "redundant interleaved"
    swapped = [row for row in rows(paper, "Swaps") if row["where"] == "64 bits"]
    assert {row["ahead_here_/_ahead_in_print"] for row in swapped} == {
        "Montgomery, 2 CSA / Montgomery, 1 CSA",
        "Montgomery, 2 CSA / redundant interleaved",
    }
    assert all("LUT" in row["product"].remark for row in swapped)


def test_without_both_widths_of_rsa_there_is_none(made_up: Measured) -> None:
    cells = {key: core for key, core in made_up.ecp5.items() if key[1] == 32}
    assembled = amanor2005.PAPER.assemble(PRINTED, made_up._replace(ecp5=cells))
    for row in rows(assembled, "3"):
        assert row["ecp5_T_ms"].measured is None and row["T_ms"].computed
    luts = [row["ecp5_luts"].measured for row in rows(assembled, "1")]
    assert luts == [128] * 3 + [None] * 15


def test_as_json_and_as_text(paper: Paper) -> None:
    record = msgspec.json.decode(msgspec.json.encode(paper))
    assert [t["id"] for t in record["tables"]] == [
        "1",
        "2",
        "3",
        "Figure 3",
        "Cycles",
        "Claims",
        "Order",
        "Swaps",
    ]
    for table in record["tables"]:
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
    console = Console(width=300, file=io.StringIO())
    console.print(render(paper))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "42.1 | 49.0" in text and "misprint" in text


@pytest.mark.long
def test_simulated_latency_is_the_declared_one() -> None:
    designs = {name: design(name, 32) for name in NAMES}
    observed = Measuring().fill(Needs("simulate", schedules(designs)))
    assert list(observed) == list(NAMES)
    for name, multiplier in designs.items():
        assert observed[name].latency == multiplier.latency().maximum
        terms = multiplier.cycles()
        counted = sum(terms[key].maximum for key in ("load", "loop", "unload"))
        counted += terms["start"].maximum if "start" in terms else 0
        # the paper's n + 3, or one less where there is nothing to start
        assert counted_cycles(32) - counted in (0, 1)


def test_everything_is_measured_with_the_seeds_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def fake(spec: Spec, *, seeds: int = 0, **_: Any) -> ImplementResult:
        assert spec.interface == "core"
        asked.append((spec.multiplier.target, spec.multiplier.width, seeds))
        return example_records.implemented(spec, seeds)

    monkeypatch.setattr(implemented, "implement_chip", fake)
    monkeypatch.setattr(
        simulated,
        "simulate_all",
        lambda designs, *_: [schedule(design) for design in designs],
    )
    monkeypatch.setattr(engines, "_simulate", lambda *_: 1_000_000)
    assembled = amanor2005.PAPER.paper(Measuring(seeds=8, jobs=1, cache=Cache(tmp_path)))
    wanted = [(width, 8 if width <= 256 else 3) for width in WIDTHS for _ in NAMES]
    assert [(w, s) for target, w, s in asked if target == "ecp5"] == wanted
    assert sum(target == "xc7" for target, *_ in asked) == 18
    assert sum(target == "xcve" for target, *_ in asked) == 18
    (row,) = [
        r for r in rows(assembled, "2") if (r["bits"], r["architecture"]) == (512, LABELS[NAMES[0]])
    ]
    assert row["ecp5_period_ns"].remark == "a[0] -> b[0] through LUT4 LUT4, 40 % of it wires"
    asked.clear()
    unrouted = amanor2005.PAPER.paper(Measuring(seeds=0, jobs=1, cache=Cache(tmp_path)))
    assert not asked and {row["ecp5_usable_MHz"].measured for row in rows(unrouted, "2")} == {None}


def test_slices_are_the_more_of_both() -> None:
    assert full_slices(example_records.counted(10, 30)) == 15
    assert full_slices(example_records.counted(41, 30)) == 20.5
    assert len(tables.entries(tables.in_print(PRINTED), 32)) == 3


def test_every_difference_has_a_reason(paper: Paper) -> None:
    agreement = of_paper(paper, "")
    assert not agreement.counts.measured.not_measured
    assert not [difference for difference in agreement.differences if not difference.reason]


def test_what_is_ours_does_not_follow_print(made_up: Measured) -> None:
    check_ours_do_not_follow_print(amanor2005.PAPER.assemble, PRINTED, made_up)
