"""Designs that the papers printed: each read once, with the target of its chip's family."""

from collections import Counter

import pytest

from modmul import multipliers, targets
from modmul.papers.printed import TARGETS, PrintedDesign, literature, printed_designs
from modmul.papers.transcribed import transcribed

GALLIN2019 = transcribed("gallin2019")


def test_every_row_of_the_transcribed_tables_is_read() -> None:
    assert Counter(design.source for design in printed_designs()) == {
        "gallin2019, Table II": len(GALLIN2019["fpmm"]["rows"]),
        "gallin2019, Table III": sum(len(o.get("rows", [()])) for o in GALLIN2019["literature"]),
        "kuang2016, Table III": len(transcribed("kuang2016")["table_3"]),
        "alkhaleel2006, Table IV": 2 * len(transcribed("alkhaleel2006")["table_4"]),
        "dualfips, Table 2": len(transcribed("dualfips")["table2"]) - 1,
        "dualfips, Table 2 (corrected)": 1,
        "gallin2019, Table V": len(GALLIN2019["hecc"]["rows"]),
        "benchmark of processors": 4,
    }


def test_targets_and_architectures_are_those_of_this_tool() -> None:
    assert set(TARGETS.values()) <= set(targets.NAMES)
    assert set(TARGETS) == {design.chip for design in printed_designs() if design.target}
    for name, chip in GALLIN2019["chips"].items():
        known = [row for row in GALLIN2019["dsp_slices"] if row["fpga"] == name]
        assert all(row["device"] == chip for row in known)
    built = {design.architecture for design in printed_designs()} - {""}
    assert {"fpmm", "fips"} < built <= set(multipliers.REGISTRY)


def test_of_a_chip_named_exactly_the_target_has_devices() -> None:
    exact = {chip: target for chip, target in TARGETS.items() if chip.startswith("XC")}
    for chip, target in exact.items():
        devices = targets.find(target).devices
        assert any(device.name.startswith(f"{chip}-") for device in devices), chip


@pytest.mark.parametrize("row", literature(GALLIN2019), ids=lambda r: f"{r.design}-{r.fpga}")
def test_the_time_for_eight_follows_from_cycles_and_clock(row: PrintedDesign) -> None:
    assert row.ns_of(row.cycles_for(8)) == pytest.approx(row.eight_ns, rel=0.0035)
    assert row.ns_of(row.cycles_for(1)) == pytest.approx(row.ns)
    if row.estimated:
        assert row.cycles_for(8) == 8 * row.latency


def test_times_of_the_other_papers_are_in_nanoseconds() -> None:
    printed = {
        (row["key_size"], row["multiplier"]): row["time"]
        for row in transcribed("kuang2016")["table_3"]
    }
    for design in printed_designs():
        if design.source.startswith("kuang2016"):
            assert design.ns / 1000 == pytest.approx(
                printed[design.width, design.design], rel=0.003
            )
    (own,) = [design for design in printed_designs() if design.source.endswith("(corrected)")]
    assert own.ns == 4168
