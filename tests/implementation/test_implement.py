"""implement: the names that scripts rely on, null where nothing was routed, errors."""

import dataclasses
import io
from typing import Any

import msgspec
import pytest
from rich.console import Console

from modmul import targets
from modmul.cli.implement_text import _clock, _cycles, _speed
from modmul.cli.implement_text import text as text_of
from modmul.errors import SpecError
from modmul.implementation import implement as module
from modmul.implementation.figures import by_mode, cycle_counts, performance
from modmul.implementation.implement import implement
from modmul.implementation.result import (
    Clock,
    CycleCounts,
    Figure,
    SeedClock,
)
from modmul.spec import Spec
from modmul.targets import CellArea, Limit
from modmul.toolchain.cache import Cache


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


def spec(**options: Any) -> Spec:
    return Spec.from_options({"architecture": "interleaved", "width": 4, **options})


def test_ecp5_is_routed_and_found_again(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = spec(target="ecp5", device="LFE5U-12F", interface="core")
    first = implement(wanted, seeds=2, cache=cache)
    record = msgspec.to_builtins(first)
    adapter = implement(spec(target="ecp5", device="LFE5U-12F"), seeds=1, cache=cache).adapter
    assert {"lut", "ff", "dsp", "ram_bits", "fmax_mhz", "cycles", "tools"} <= set(record)
    clock = record["fmax_mhz"]
    assert [seed["seed"] for seed in clock["seeds"]] == [1, 2]
    mhz = [seed["mhz"] for seed in clock["seeds"]]
    assert clock["best"] == max(mhz) and min(mhz) <= clock["median"] <= max(mhz)
    assert clock["usable"] <= clock["median"] and clock["limited_by"]
    assert set(record["cycles"]) == {"latency", "interval", "per_product", "eight"}
    assert record["lut"] > 0 and record["ff"] > 0 and record["dsp"] == 0
    assert record["adapter"] is None
    assert adapter is not None and adapter.ff > 0 and (adapter.mhz_with_core or 0) > 0
    assert record["levels"]["lut_levels"] > 0 and record["estimate"] is None
    path = record["critical_path"]
    assert path["from"] and path["to"] and not path["from"].startswith("$")
    assert 1000 / path["ns"] == pytest.approx(mhz[path["seed"] - 1], rel=0.002)
    monkeypatch.setattr(module.place_and_route, "_route", lambda *_: pytest.fail("routed again"))
    monkeypatch.setattr(module.synthesis, "synthesise", lambda *_: pytest.fail("mapped again"))
    assert implement(wanted, seeds=2, cache=cache) == first


@pytest.mark.parametrize(
    "target",
    ["generic", *(pytest.param(target, marks=pytest.mark.long) for target in ("xc7", "xc4v"))],
)
def test_nothing_routed_no_clock_claimed(cache: Cache, target: str) -> None:
    wanted = spec(target=target, interface="core")
    result = implement(wanted, cache=cache)
    shown = printed(wanted, result)
    assert "nothing routed" in shown and "usable" not in shown
    assert result.fmax_mhz is None and result.routed is None and result.usable is None
    assert result.critical_path is None and result.adapter is None
    assert result.lut > 0 and result.ff > 0
    assert (result.device is None) == (target == "generic")
    assert "nextpnr-ecp5" not in result.tools
    if target == "generic":
        assert result.levels is None and result.estimate is None and "estimate" not in shown
    else:
        assert result.levels is not None and result.estimate is not None
        assert result.levels.lut_levels >= result.estimate.path.lut_levels > 0
        assert result.estimate.delay_ns > result.estimate.nets * result.estimate.net_delay_ns > 0
        record = msgspec.to_builtins(result)
        assert record["estimate"]["label"] == "estimate, not routed"
        assert {"from", "to"} < set(record["levels"])
        assert f"delay (estimate, not routed)  {result.estimate.delay_ns} ns" in shown
        assert f"{result.estimate.net_delay_ns} ns each (assumed)" in shown
        clock = result.estimated_mhz
        assert clock is not None and clock.low < clock.mhz < clock.high
        assert f"{clock.mhz:.6g} MHz, estimated ({clock.low:g} to {clock.high:g})" in shown
        assert "13 published clocks on Virtex-4" in clock.source


@pytest.mark.parametrize("target", ["xcve", "xc2vp"])
@pytest.mark.long
def test_chips_of_old_papers_have_areas_and_levels_alone(cache: Cache, target: str) -> None:
    wanted = spec(target=target, interface="core")
    result = implement(wanted, cache=cache)
    shown = printed(wanted, result)
    assert "nothing routed" in shown and "MHz" not in shown and " ns" not in shown
    assert result.levels is not None and result.levels.lut_levels > 0
    assert result.estimate is None and not result.limits and result.fmax_mhz is None
    least = result.slices
    device = targets.find_device(targets.find(target))
    assert least is not None and device is not None and least.of == device.slices
    assert least.at_least == (max(result.lut, result.ff) + 1) // 2
    assert least.percent == round(100 * least.at_least / least.of, 2)
    assert f"at least {least.at_least} of {least.of} ({least.percent} %)" in shown


def printed(wanted: Spec, result: Any) -> str:
    """What the command line shows of it."""
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(text_of(wanted, result))
    return console.export_text()


def test_usable_clock_is_capped_by_the_slowest_block() -> None:
    routed = [
        module.RoutedSeed(seed, mhz, _path(seed))
        for seed, mhz in ((1, 300.0), (2, 340.0), (3, 330.0))
    ]
    ram = Limit("DP16KD", 271.4, "a table", True)
    dsp = Limit("MULT18X18D", 225.0, "a sheet", False)
    clock = module._clock(routed, (dsp, ram))
    assert (clock.median, clock.best, clock.usable) == (330.0, 340.0, 225.0)
    assert "MULT18X18D" in clock.limited_by and "unverified" in clock.limited_by
    assert clock.verified is False and clock.words == "225 MHz (unverified)"
    clock = module._clock(routed, (ram,))
    assert clock.usable == 271.4 and "unverified" not in clock.limited_by
    assert clock.verified is True and clock.words == "271.4 MHz"
    clock = module._clock(routed, ())
    assert clock.usable == 330.0 and "a[3] -> b[3]" in clock.limited_by
    assert "no limit of this chip is known, so usable is routed" in clock.limited_by
    assert clock.verified is True


def _path(seed: int) -> Any:
    return module.place_and_route.CriticalPath(f"a[{seed}]", f"b[{seed}]", seed, 3.0, 1.0, ())


def test_performance_is_per_unit_of_area() -> None:
    cycles = CycleCounts(latency=75, interval=64, per_product=16.0, eight=151)
    times = performance(200.0, cycles, CellArea(lut=500, ff=1000, dsp=9))
    assert (times.latency_ns, times.per_product_ns, times.eight_ns) == (375.0, 80.0, 755.0)
    assert times.products_per_second == 12.5e6
    assert times.per_dsp == 12.5e6 / 9 and times.per_lut == 25e3 and times.per_ff == 12.5e3
    assert times.per_ram_bit is None


def test_every_mode_has_its_cycles_and_times() -> None:
    """Those of the modulus first; the cycles of the record are those of its multiplication."""
    wanted = Spec.from_options(
        {"architecture": "fips", "width": 64, "word": 16, "modulus": "x^33+x^13+1"}
    )
    times = by_mode(wanted, Figure(2.5, "ns"))
    assert [row.mode for row in times[:2]] == ["multiply-binary-3", "square-binary-3"]
    assert len(times) == 2 + len(wanted.multiplier.modes) == len({row.mode for row in times})
    for row, mode in zip(times, wanted.modes, strict=True):
        latency, interval = wanted.multiplier.latency(mode), wanted.multiplier.interval(mode)
        assert (row.latency, row.interval) == (latency.mean, interval.mean)
        assert row.latency_time == Figure(2.5 * latency.mean, "ns")
        assert row.per_product_time == Figure(2.5 * row.per_product, "ns")
    counts = cycle_counts(wanted)
    assert (counts.latency, counts.per_product) == (times[0].latency, times[0].per_product)
    assert counts.latency < cycle_counts(Spec(wanted.design)).latency
    assert all(row.latency_time is None for row in by_mode(wanted, None))
    assert by_mode(spec(), Figure(2.5, "ns")) == ()


@pytest.mark.parametrize("key", ["seeds", "jobs"])
def test_counts_below_one_are_refused(key: str, cache: Cache) -> None:
    with pytest.raises(SpecError) as caught:
        implement(spec(), cache=cache, **{key: 0})
    assert caught.value.key == key and caught.value.value == 0


def test_too_large_for_the_chip(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.area, "measure", lambda *_: CellArea(dsp=29))
    with pytest.raises(SpecError, match="29 DSP blocks of 28") as caught:
        implement(spec(target="ecp5", device="LFE5U-25F", interface="core"), cache=cache)
    assert caught.value.key == "device"


def test_no_synthesis_for_a_target() -> None:
    without = dataclasses.replace(targets.find("ecp5"), name="osu018", synthesis=None)
    with pytest.raises(SpecError, match="'osu018': has no synthesis.* generic, ecp5, xc7"):
        module.synthesis.script(without, "top")


def test_eight_products_where_several_are_under_way() -> None:
    """Elsewhere they take eight times as long as one, and a processor has operations."""
    shown = {}
    for options in (
        {"architecture": "fpmm", "width": 256},
        {"architecture": "interleaved", "width": 16},
        {"architecture": "exponentiation", "width": 16},
    ):
        one = Spec.from_options(options)
        counts = cycle_counts(one)
        speed = performance(210, counts, CellArea(lut=3, ff=2))
        shown[one.design.name] = f"{_cycles(one, counts)} {len(_speed(one, speed))}"
    assert " per product, " in shown["fpmm"] and shown["fpmm"].endswith(" for eight 7")
    assert shown["interleaved"].endswith(" per product 6")
    assert shown["exponentiation"].endswith(" per operation 6")


def test_clocks_are_rounded_alike() -> None:
    """No best clock is below a median, which is rounded up."""
    seeds = (SeedClock(1, 209.505), SeedClock(2, 209.51))
    (_, routed), _ = _clock(Clock(209.505, 209.51, 209.505, "a path", seeds, True))
    assert routed == "median 209.505 MHz, best 209.51 (209.505, 209.51)"
