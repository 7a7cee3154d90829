"""What is shown beside an implementation: the printed rows of the same width, unchanged, and ours
at the clock and with the area that a user gets."""

import io

import pytest
from rich.console import Console

from modmul.cli.implement_text import text as text_of
from modmul.implementation.figures import cycle_counts, performance
from modmul.implementation.result import (
    Adapter,
    Clock,
    ImplementResult,
    SeedClock,
)
from modmul.papers import gallin2019
from modmul.papers.beside import ours, published_designs
from modmul.spec import Spec
from modmul.targets import CellArea, Limit


def test_every_row_of_table_two_stands_beside_a_multiplier_of_its_width() -> None:
    printed = gallin2019.PAPER.figures()["fpmm"]["rows"]
    for width in (128, 256):
        rows = published_designs(Spec.from_options({"width": width}).multiplier)
        assert [
            (row.design, row.lut, row.ff, row.mhz, row.latency, row.eight_ns) for row in rows
        ] == [
            (row[1], row[4], row[5], row[9], row[10], row[11]) for row in printed if row[0] == width
        ]
    assert rows[-1].chip == "XC7VX690T"
    assert {row.dsp for row in rows} == {9}


def test_nothing_is_shown_where_nothing_was_printed() -> None:
    assert published_designs(Spec.from_options({"width": 100}).multiplier) == []
    plain = {"architecture": "interleaved", "width": 128}
    assert published_designs(Spec.from_options(plain).multiplier) == []


def implemented(adapter: Adapter | None) -> tuple[Spec, ImplementResult]:
    """A design whose routed clock is above what a limit allows that nobody read in its source."""
    interface = "core" if adapter is None else "stream"
    options = {"width": 128, "slots": 4, "target": "ecp5", "interface": interface}
    spec = Spec.from_options(options)
    counts, area = cycle_counts(spec), CellArea(lut=250, ff=500, dsp=9)
    limit = Limit("MULT18X18D", 225.0, "a sheet", verified=False)
    clock = Clock(330.0, 340.0, 225.0, limit.words, (SeedClock(1, 330.0),), verified=False)
    return spec, ImplementResult(
        spec=spec.options(),
        target="ecp5",
        device="LFE5U-85F-8BG756",
        lut=250,
        ff=500,
        dsp=9,
        ram_bits=0,
        ram_blocks=0,
        cells={},
        cycles=counts,
        by_mode=(),
        fmax_mhz=clock,
        routed=performance(330.0, counts, area),
        usable=performance(225.0, counts, area),
        limits=(limit,),
        critical_path=None,
        adapter=adapter,
        tools={},
    )


def test_ours_has_the_adapter_and_the_usable_clock() -> None:
    spec, result = implemented(Adapter(lut=90, ff=30, ram_bits=0, mhz_with_core=300.0))
    both, core = ours(spec, result).values()
    assert list(ours(spec, result)) == ["core + adapter", "core alone"] and core == result
    assert (both.lut, both.ff, both.dsp) == (340, 530, 9)
    assert both.fmax_mhz and both.usable
    assert (both.fmax_mhz.usable, both.fmax_mhz.median) == (225.0, 300.0)
    assert not both.fmax_mhz.verified
    added = both.cycles.latency - core.cycles.latency
    eight = 1000 * (result.cycles.eight + added) / 225
    assert added > 0 and both.usable.eight_ns == pytest.approx(eight)


def test_the_adapter_can_be_what_limits_the_clock() -> None:
    spec, result = implemented(Adapter(lut=90, ff=30, ram_bits=0, mhz_with_core=200.0))
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(text_of(spec, result))
    assert "usable clock, the core's limited by" in console.export_text()
    both, core = (own.fmax_mhz for own in ours(spec, result).values())
    assert both and core and both.usable == 200.0 < core.usable
    assert both.verified and not core.verified


def test_only_the_core_where_that_is_what_was_asked_for() -> None:
    assert list(ours(*implemented(None))) == ["core alone"]


def test_the_table_compares_at_the_usable_clock_and_marks_it() -> None:
    spec, result = implemented(Adapter(lut=90, ff=30, ram_bits=0, mhz_with_core=300.0))
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(text_of(spec, result))
    head, both, core, *rest = (
        console.export_text().partition("Beside the published")[2].split("\n")[1:]
    )
    assert "f_max MHz" in head and "routed MHz" in head
    assert "core + adapter" in both and " 340 " in both and "225 (unverified)" in both
    assert "core alone" in core and " 250 " in core and f"{result.usable.eight_ns:.1f} ns" in core  # type: ignore[union-attr]
    assert f"{result.routed.eight_ns:.1f} ns" not in both + core  # type: ignore[union-attr]
    notes = " ".join(rest)
    assert "nobody pauses" in notes and "a sheet; unverified" in notes
    printed = next(line for line in rest if "F44D" in line and "XC7VX690T" in line)
    assert printed.split()[-5:] == ["-", "633", "75", "239", "ns"]
