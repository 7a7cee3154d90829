"""gallin2019: every printed figure that follows from cycles comes out, declared and simulated."""

import io
import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from rich.console import Console

import example_records
from changed_figures import check_ours_do_not_follow_print
from modmul.errors import SpecError
from modmul.implementation.figures import cycle_counts
from modmul.implementation.result import ImplementResult
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.iddmm import Iddmm
from modmul.papers import Table, TableCell, agreement, gallin2019, implemented, papers
from modmul.papers.columns import remarks_of
from modmul.papers.gallin2019 import claims, drawings, implementations, processors
from modmul.papers.gallin2019.designs import (
    BUILT,
    FIGURE1,
    FIGURE4,
    FIGURE6,
    ON_ECP5,
    WORD,
    Measured,
    Name,
    compared,
    design,
    figure1_design,
    on_chips,
    on_one_chip,
)
from modmul.papers.needs import Measuring, Needs
from modmul.papers.printed import PrintedDesign, fastest, find, fpmm_rows
from modmul.papers.records import Origin, Paper, rounded
from modmul.papers.simulated import schedules
from modmul.papers.text import render
from modmul.processors.kummer import Kummer
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.observed import ProductSchedule

PRINTED = gallin2019.PAPER.figures()
ROWS = fpmm_rows(PRINTED)
CHIPS = {row.fpga: row.target for row in ROWS}
NAMES: list[Name] = list(dict.fromkeys((row.width, row.design) for row in ROWS))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


def declared(name: Name) -> ProductSchedule:
    """As its design declares it."""
    multiplier = design(*name)
    ends = [multiplier.cycles_for(count) for count in range(1, 65)]
    begins = [end - multiplier.latency().maximum + 1 for end in ends]
    length = multiplier.beats - 1
    taken = [(begin, begin + length) for begin in begins]
    given = [(end - length, end) for end in ends]
    return ProductSchedule(multiplier.title, multiplier.slots, taken, given)


@pytest.fixture(scope="module")
def simulated(cache: Cache) -> dict[Name, ProductSchedule]:
    """The ten designs of Table II, that of Figure 4 and that of Figure 1: one compile.  By default
    those of 256 bits, which take longest, are as they are declared."""
    names = [name for name in NAMES if os.environ.get("CONFORMANCE") or name[0] == 128]
    designs = {name: design(*name) for name in [*names, FIGURE4["without"]]}
    needs = schedules({**designs, FIGURE1: figure1_design()})
    runs = Measuring(cache=cache).fill(Needs("simulate", needs))
    return {name: declared(name) for name in NAMES} | runs


@pytest.fixture(scope="module")
def measured(simulated: dict[Name, ProductSchedule]) -> Measured:
    """Real simulations and made-up implementations."""
    cells = {
        ((row.width, row.design), row.target): example_records.counted(
            lut=250, ff=500, dsp=9, ram_blocks=2 * row.design.endswith("B")
        )
        for row in ROWS
    }
    ecp5 = {
        name: example_records.routed_core(
            250,
            500,
            300.0,
            225.0,
            dsp=9,
            limited_by="MULT18X18D, unverified",
            cycles=cycle_counts(Spec(design(*name, "ecp5"))),
        )
        for name in ON_ECP5
    }
    return Measured(simulated, cells, ecp5)


@pytest.fixture(scope="module")
def paper(measured: Measured) -> Paper:
    return gallin2019.PAPER.assemble(PRINTED, measured)


def table(paper: Paper, id: str) -> Table:
    (match,) = [table for table in paper.tables if table.id == id]
    return match


def rows(paper: Paper, id: str) -> Iterator[dict[str, Any]]:
    selected = table(paper, id)
    for row in selected.rows:
        yield dict(zip(selected.columns, row, strict=True))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r.width}-{r.design}-{r.fpga}")
def test_declared_latency_and_time_for_eight(row: PrintedDesign) -> None:
    multiplier = design(row.width, row.design)
    assert multiplier.latency().minimum == multiplier.latency().maximum == row.latency
    time8 = row.ns_of(multiplier.cycles_for(8))
    assert time8 == pytest.approx(row.eight_ns, rel=0.0025)
    alpha = multiplier.slots * multiplier.theta
    assert multiplier.interval().mean == alpha * multiplier.words  # tau, section 3
    assert multiplier.dsps == row.dsp == 9


@pytest.mark.long
def test_simulated_latency_interval_and_time_for_eight(
    simulated: dict[Name, ProductSchedule],
) -> None:
    for row in ROWS:
        name = (row.width, row.design)
        run, multiplier = simulated[name], design(*name)
        assert run.latency == row.latency
        assert run.interval == multiplier.interval().mean
        time8 = row.ns_of(run.cycles_for(8))
        assert time8 == pytest.approx(row.eight_ns, rel=0.0025)
        for count in range(1, 33):
            assert run.cycles_for(count) == multiplier.cycles_for(count)


def test_dsp_occupancy_is_printed(paper: Paper) -> None:
    for row in rows(paper, "II"):
        s = {128: 4, 256: 8}[row["n_bits"]]
        assert row["generic_dsp_occupancy_percent"].computed == rounded(100 * (8 * s + 3) / (9 * s))


def test_table_2_counts_each_row_on_its_own_family(paper: Paper) -> None:
    assert len(table(paper, "II").rows) == 24
    for row in rows(paper, "II"):
        target = CHIPS[row["fpga"]]
        assert row["chip_luts"].measured == 250 and target in row["chip_luts"].remark
        assert row["chip_brams"].measured == row["chip_brams"].published
        kbit = row["chip_bram_kbit"]  # S6 has blocks of 9 kbit
        assert (kbit.computed or 0) == kbit.published and kbit.origin == Origin.ARITHMETIC
        assert row["freq_mhz"].measured is None  # another family's has columns of its own
        cell = row["generic_latency_cc"]
        assert cell.published == cell.computed == cell.measured
    v7 = [row for row in rows(paper, "II") if row["fpga"] == "V7"]
    assert len(v7) == 7
    routed = [row for row in rows(paper, "II") if row["ecp5_routed_mhz"].measured]
    assert {(row["n_bits"], row["spec"]) for row in routed} == set(ON_ECP5)
    assert all("another family" in row["ecp5_routed_mhz"].remark for row in routed)
    for row in routed:  # the clock of times of ours, and that nobody read its limit in the source
        assert row["ecp5_usable_mhz"].measured == 225.0 < row["ecp5_routed_mhz"].measured
        assert "usable clock, 225 MHz (unverified)" in row["ecp5_time8_ns"].remark


def test_columns_of_table_2_are_of_one_design_each(paper: Paper) -> None:
    """Whose name stands in the first of them; only that for `generic` has the printed cycles."""
    for row in rows(paper, "II"):
        chip = CHIPS[row["fpga"]]
        for group, target in (("generic", "generic"), ("chip", chip), ("ecp5", "ecp5")):
            named = row[f"{group}_design"].computed
            if group == "ecp5" and named is None:
                continue
            multiplier = design(row["n_bits"], row["spec"], target)
            assert named == f"{multiplier.title}, target {target}"
            for column, figure in {
                "latency_cc": multiplier.latency().mean,
                "interval_cc": multiplier.interval().mean,
                "cycles_per_product": multiplier.cycles_per_product(),
                "time8_cc": multiplier.cycles_for(8),
                "dsps": multiplier.dsps,
            }.items():
                cell = row.get(f"{group}_{column}")
                assert cell is None or cell.computed in (figure, None)
        assert row["generic_latency_cc"].computed > row["chip_latency_cc"].computed
        assert row["chip_latency_cc"].published is None
    columns = table(paper, "II").columns
    alone = {name for name in columns if not name.startswith(("generic_", "chip_", "ecp5_"))}
    assert alone == {"n_bits", "spec", "fpga", "slices", "freq_mhz"}  # labels, and only printed


def test_cycles_for_eight_are_compared_where_they_are_printed(paper: Paper) -> None:
    said = [row for row in rows(paper, "II") if row["generic_time8_cc"].published]
    assert [(row["n_bits"], row["spec"], row["fpga"]) for row in said] == [(128, "F44D", "V7")]
    cell = said[0]["generic_time8_cc"]
    assert cell.published == cell.computed == cell.measured == 151


def test_what_is_ours_does_not_follow_print(measured: Measured) -> None:
    check_ours_do_not_follow_print(gallin2019.PAPER.assemble, PRINTED, measured)


def test_table_3_follows_from_its_own_cycles(paper: Paper) -> None:
    cells = [row["time8_ns"] for row in rows(paper, "III")]
    assert len(cells) == 16
    for cell in cells:
        assert cell.computed == pytest.approx(cell.published, rel=0.0035) and cell.measured is None


def table_3(measured: Measured) -> list[dict[str, Any]]:
    """The rows that are built here."""
    assembled = gallin2019.PAPER.assemble(PRINTED, measured)
    return [row for row in rows(assembled, "III") if row["design"].computed]


def test_table_3_has_the_printed_cycles_of_ours() -> None:
    """Of quotient pipelining all of them; of the others where print and ours count the same."""
    built = table_3(Measured({}, {}, {}))
    assert {(row["n_bits"], row["ref"]) for row in built} == set(BUILT)
    for row in built:
        exact = row["ref"] == "MA16"
        declared = compared((row["n_bits"], row["ref"]), "xc7").multiplier.forecast().dsp
        for cell, ours in (
            (row["latency_cc"], row["latency_cc"].computed),
            (row["interval_cc"], row["interval_cc"].computed),
            (row["dsps"], declared),
        ):
            same = cell.published in (None, ours)
            assert same or (not exact and cell.remark)
        assert not exact or row["time8_cc"].computed == {128: 167, 256: 233}[row["n_bits"]]
        assert row["luts"].published and row["luts"].measured is None
    digits = [row for row in built if row["ref"] in ("MO64", "AM32", "AM64")]
    for row in digits:
        multiplier = compared((row["n_bits"], row["ref"]), "xc7").multiplier
        assert isinstance(multiplier, Iddmm) and multiplier.in_memory == row["latency_cc"].published


def test_table_3_counts_each_row_on_its_own_family() -> None:
    counted = {on_chip: example_records.counted(100, 200, 3) for on_chip in on_chips(PRINTED)}
    taken, given = ([(first + 30 * k,) * 2 for k in range(8)] for first in (1, 40))
    runs = dict.fromkeys(BUILT, ProductSchedule("made up", 1, taken, given))
    built = table_3(Measured(runs, counted, {}))
    assert len(built) == 16
    for row in built:
        assert [row[key].measured for key in ("luts", "ffs", "dsps")] == [100, 200, 3]
        target = {**CHIPS, "I2": "ecp5"}.get(row["fpga"], "xc7")
        both = "multiplying alone 100 LUTs, 200 flip-flops" in row["luts"].remark
        assert both == row["ref"].startswith("MAS")
        assert target in row["luts"].remark and row["design"].computed.endswith(target)
        cycles = [row[key].measured for key in ("latency_cc", "interval_cc", "time8_cc")]
        assert cycles == [40, 30, 250]


def test_a_name_is_that_of_one_design() -> None:
    """Table III, Table IV and the one chip call a design the same only if it is the same."""
    for name, spec in on_one_chip().items():
        assert name not in BUILT or compared(name, "ecp5") == spec
        assert not getattr(spec.multiplier, "adder", False), name
    assert {(256, "MAS1 without adder"), (256, "MAS2 without adder")} <= on_one_chip().keys()


def test_table_4_is_reproduced_except_for_its_misprints(paper: Paper) -> None:
    wrong = []
    for row in rows(paper, "IV"):
        for column, cell in row.items():
            if isinstance(cell, TableCell) and cell.published is not None and row["fpga"] != "ECP5":
                last_place = 0.01 if column == "mean_m" else 0.1  # some are cut, not rounded
                if abs(cell.published - cell.computed) > last_place:
                    wrong.append((row["n_bits"], row["fpga"], row["unit"], column, cell.computed))
                    assert cell.remark and "misprint" in cell.remark
    misprints = [tuple(misprint.values()) for misprint in PRINTED["tpar"]["misprints"]]
    assert [w[:4] for w in wrong] == [m[:4] for m in misprints]
    assert [w[4] for w in wrong] == pytest.approx([m[5] for m in misprints], rel=0.01)


def test_table_5_has_our_processors_beside_the_printed_ones(paper: Paper) -> None:
    """Fewer cycles in a step than print implies for a bit, on as many DSP blocks; of A3 more in
    all, with inversions and what comes before and after the loop."""
    table_5 = list(rows(paper, "V"))
    assert len(table_5) == 12
    bits = {(row["architecture"], row["fpga"]): row["cycles_per_bit"].computed for row in table_5}
    assert bits == {
        (name, fpga): cycles
        for name, each in (
            ("A2", (540,) * 4),
            ("A3", (380, 372, 380, 372)),
            ("A4", (392, 364, 368, 364)),
        )
        for fpga, cycles in zip(("V4", "V5", "S6", "Z7"), each, strict=True)
    }
    for row in table_5:
        told = row["cycles_per_bit"].remark or ""
        other = {"A2": "512 with a bank", "A4": "364 with a bank"}.get(row["architecture"])
        assert (other is None or other in told) and ("with a bank" in told) == (other is not None)
        implied = PRINTED["hecc"]["implied_cycles_per_bit"][row["architecture"]]
        assert row["cycles_per_bit"].computed < implied[0]
        longer = row["time_ms"].computed > row["time_ms"].published
        assert longer == (row["architecture"] == "A3")
        assert row["dsps"].computed == row["dsps"].published
        assert row["luts"].measured is None and row["slices"].origin == Origin.PRINT


def test_cells_of_processors_stand_in_table_5(measured: Measured) -> None:
    counted = {("A2", "xc5v"): example_records.counted(lut=900, ff=1900, dsp=9, ram_blocks=8)}
    table5 = processors.table5(PRINTED, measured._replace(processors=counted))
    by_column = [dict(zip(table5.columns, row, strict=True)) for row in table5.rows]
    (counted_row,) = [row for row in by_column if row["luts"].measured is not None]  # type: ignore[union-attr]
    assert (counted_row["fpga"], counted_row["architecture"]) == ("V5", "A2")
    cells = [counted_row[key].measured for key in ("luts", "ffs", "brams", "dsps")]  # type: ignore[union-attr]
    assert cells == [900, 1900, 8, 9]


def test_all_on_one_chip(measured: Measured) -> None:
    """The FPMM of a width first, itself over itself; print beside others where it has a pair."""
    cores = {
        name: example_records.routed_core(500, 900, 200.0, 180.0, dsp=18, cycles=cycle_counts(spec))
        for name, spec in on_one_chip().items()
    }
    routed = measured._replace(ecp5={**measured.ecp5, **cores})
    chip_table = implementations.one_chip(PRINTED, routed)
    each = [dict(zip(chip_table.columns, row, strict=True)) for row in chip_table.rows]
    assert len(each) == 2 + len(cores) and each[0]["ref"] == "F44D"
    fpmm = cycle_counts(Spec(design(256, "F28D", "ecp5")))
    for row in each:
        name: Any = (row["n_bits"], row["ref"])
        ratio: Any = row["time8_over_fpmm"]
        if row["ref"] in ("F44D", "F28D"):
            assert (ratio.computed, ratio.measured) == (None, 1)
        elif row["n_bits"] == 256:
            expected = cores[name].cycles.eight / 180 / (fpmm.eight / 225)
            assert ratio.measured == pytest.approx(expected, rel=0.005)
    assert len(implementations.one_chip(PRINTED, measured).rows) == len(chip_table.rows)


def test_figure_1_and_4_in_simulation(paper: Paper) -> None:
    for id in ("Figure 1", "Figure 4"):
        for row in table(paper, id).rows:
            for cell in row[1:]:
                assert isinstance(cell, TableCell) and cell.computed == cell.measured
    start, *loads = [row["cycle"] for row in rows(paper, "Figure 1")][:6:2]
    assert (start.published, start.origin) == (1, Origin.PRINT)
    assert [cell.published for cell in loads] == [cell.measured for cell in loads] == [3, 5]
    assert not any(cell.published for row in table(paper, "Figure 4").rows for cell in row[1:])
    bubbles = [
        row["cycle"]
        for row in rows(paper, "Figure 4")
        if row["without_latency_reduction"].measured == "bubble"
    ]
    assert bubbles == [5]
    assert all(r["with_latency_reduction"].measured != "bubble" for r in rows(paper, "Figure 4"))


def test_figure_7_has_the_published_points_and_its_erratum(paper: Paper) -> None:
    by_products = {row["products"]: row for row in rows(paper, "Figure 7")}
    for column in ("MA16_ns", "MR8_ns", "S44B_ns", "F44B_ns", "F44D_ns"):
        eight = by_products[8][column]
        assert eight.computed == pytest.approx(eight.published, rel=0.0035)
    assert by_products[1]["F44D_ns"].computed > by_products[1]["MA16_ns"].computed
    assert by_products[2]["F44D_ns"].computed < by_products[2]["MA16_ns"].computed
    assert by_products[2]["F44D_ns"].remark.startswith("faster")


def test_claims_follow_from_the_tables(paper: Paper) -> None:
    """All but five, each with its reason; nothing is a copy."""
    by_claim = {row["claim"]: row["figure"] for row in rows(paper, "Claims")}
    compared = {name: cell for name, cell in by_claim.items() if cell.computed is not None}
    assert len(by_claim) - len(compared) == 7
    assert by_claim["256 bits, sigma = 1: cycles of bubbles, %"].computed == 40
    judged = {cell.row: cell for cell in agreement.judged(table(paper, "Claims"))}
    differ = {name for name, cell in judged.items() if "differ" in cell.verdicts.values()}
    assert differ == {
        "MA16 as first published, 256 bits, latency",
        "MA16 as first published, 256 bits, interval",
        "MA16 as first published, 256 bits, V5, MHz",
        "128 bits: times fewer LUTs than MA16",
        "S44B, F44B on V7: LUTs apart from F44D, %",
    }
    assert all(by_claim[name].remark for name in differ)
    rings = agreement.judged(table(paper, "Figure 9"))
    assert all(ring.verdicts == {"mixed": "rounded"} for ring in rings)


@pytest.mark.parametrize(("ns", "verdict"), [(3.0, "yes"), (3.5, "no")])
def test_a_front_has_what_none_beats_in_area_and_time(ns: float, verdict: str) -> None:
    """F44D takes a cycle less than F44B, and more LUTs: a slower clock takes it off the front."""
    cells = {
        key: example_records.counted(300 if key[0][1].endswith("D") else 200, 1, 9, estimate_ns=3.0)
        for key in FIGURE6
    }
    claim = "F44D is on the front of V4"
    cells[(128, "F44D"), "xc4v"] = example_records.counted(300, 1, 9, estimate_ns=ns)
    # not those without the P register, which are faster by a cycle
    for key in [*cells]:
        if key[0][1].startswith("S"):
            cells[key] = example_records.counted(400, 1, 9, estimate_ns=9.0)
    measured = Measured(cycles={}, cells=cells, ecp5={})
    (cell,) = [row[1] for row in claims.statements(PRINTED, measured).rows if row[0] == claim]
    assert isinstance(cell, TableCell) and (cell.published, cell.measured) == ("no", verdict)


def test_ratios_in_remarks_follow_from_the_tables() -> None:
    """Those of MA16 to the fastest FPMM of each chip, which the transcription has as words."""
    figures = gallin2019.PAPER.figures()
    said = remarks_of(figures, "Claims")
    found = 0
    for claim, key in _RATIOS.items():
        width = int(claim.split()[0])
        for fpga, ratio, name in re.findall(r"(\w\d) ([\d.]+) \((\w+)\)", said[claim]):
            row = find(figures, width, "MA16", fpga)
            best = fastest(figures, row)
            assert best is not None and best.design == name
            other = getattr(row, key) / getattr(best, key)
            assert float(ratio) == rounded(1 / other if "is faster" in claim else other, 3)
            found += 1
    assert found == 4 * len(_RATIOS)


_RATIOS = {
    "128 bits: times faster than MA16": "eight_ns",
    "128 bits: times fewer LUTs than MA16": "lut",
    "128 bits: times fewer DSP blocks than MA16": "dsp",
    "256 bits: times that MA16 is faster": "eight_ns",
    "256 bits: times more DSP blocks of MA16": "dsp",
    "256 bits: times more LUTs of MA16": "lut",
}


def test_implied_cycles_are_those_transcribed(paper: Paper) -> None:
    for row in rows(paper, "V, cycles"):
        ends = [cell for key, cell in row.items() if key.startswith("time_")]
        assert len(ends) == 4 and all(cell.published == cell.computed for cell in ends)
        narrow, wide = [cell.computed for cell in ends[:2]], [cell.computed for cell in ends[2:]]
        assert wide[0] < narrow[0] < narrow[1] < wide[1]
        assert (row["cycles_of_ours"].computed < narrow[0]) == (row["architecture"] != "A3")


def test_algorithm_3_is_the_papers_where_it_published(paper: Paper) -> None:
    for row in rows(paper, "Algorithm 3"):
        both = [
            cell
            for cell in row.values()
            if isinstance(cell, TableCell) and cell.published is not None
        ]
        same = all(cell.published == cell.computed for cell in both)
        assert len(both) == 4 and same == (row["word"] == WORD)


def test_spread_of_areas_needs_all_of_them(measured: Measured) -> None:
    def spread(cells: dict[Any, ImplementResult]) -> list[Any]:
        figure = drawings.figure6(PRINTED, measured._replace(cells=cells))
        return [row[1].measured for row in figure.rows[-2:]]  # type: ignore[union-attr]

    every = {key: example_records.counted(200 + k, 1, 9) for k, key in enumerate(FIGURE6)}
    assert spread(every) == [pytest.approx(100 * 11 / 200), pytest.approx(100 * 11 / 212, rel=0.01)]
    every.pop(FIGURE6[0])
    assert spread(every)[0] is None


def test_as_json_and_as_text(paper: Paper) -> None:
    record = msgspec.json.decode(msgspec.json.encode(paper))
    assert record["key"] == "gallin2019"
    assert [t["id"] for t in record["tables"]] == [
        "I",
        "II",
        "III",
        "IV",
        "V",
        "V, cycles",
        "Algorithm 3",
        "Figure 1",
        "Figure 4",
        "Figure 6",
        "Figure 7",
        "Figure 8",
        "Figure 9",
        "Claims",
        "One chip",
    ]
    for table in record["tables"]:
        assert set(table) == {"id", "title", "columns", "rows"}
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
    console = Console(width=300, file=io.StringIO())
    console.print(render(paper))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "75 | 75 | 75" in text and "97.222" in text and "another family" in text


@pytest.mark.long
def test_everything_is_measured_with_the_seeds_asked_for(
    paper: Paper, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, built = [], set()
    kinds = {type(spec.multiplier) for spec in on_one_chip().values()}

    def fake(spec: Spec, *, seeds: int = 0, **_: Any) -> ImplementResult:
        if isinstance(spec.design, Kummer):
            built.add((spec.design.target, spec.design.units))
            return example_records.implemented(spec, 0)
        multiplier = spec.multiplier
        assert spec.interface == "core" and isinstance(multiplier, (Fpmm, *kinds))
        asked.append((multiplier.target, seeds))
        return example_records.implemented(spec, seeds)

    monkeypatch.setattr(implemented, "implement_chip", fake)
    routed = papers("gallin2019", seeds=3, cache=cache)
    counted_on = Counter(target for target, seeds in asked if not seeds)
    assert counted_on == {"xc4v": 17, "xc5v": 9, "xc6s": 8, "xc7": 23, "ecp5": 4}
    assert [call for call in asked if call[1]] == [("ecp5", 3)] * (2 + len(on_one_chip()))
    assert built == {(target, units) for target in CHIPS.values() for units in (1, 2)}
    assert all(row["luts"].measured == 250 for row in rows(routed, "V"))
    assert [table.id for table in routed.tables] == [table.id for table in paper.tables]
    asked.clear()
    unrouted = papers("gallin2019", seeds=0, cache=cache)
    waiting = [row["ecp5_routed_mhz"] for row in rows(unrouted, "II") if row["fpga"] == "V7"]
    assert not asked and {cell.measured for cell in waiting} == {None}


def test_unknown_paper_is_refused() -> None:
    with pytest.raises(SpecError) as caught:
        papers("nobody1999")
    assert caught.value.allowed == "gallin2019, kuang2016, amanor2005, dualfips, alkhaleel2006"
