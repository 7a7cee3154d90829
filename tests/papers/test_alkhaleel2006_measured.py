"""alkhaleel2006: what is mapped, routed and fitted, and what comes from the cache."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from modmul.errors import SpecError
from modmul.implementation.critical_path import CriticalPath, Stage
from modmul.implementation.place_and_route import RoutedSeed as Seed
from modmul.implementation.result import Tried
from modmul.implementation.unit_cells import UnitCells
from modmul.papers import alkhaleel2006
from modmul.papers.alkhaleel2006 import designs, fitted, measured
from modmul.papers.alkhaleel2006.designs import MUX, Circuit
from modmul.papers.alkhaleel2006.fitted import Fitted
from modmul.papers.alkhaleel2006.measured import MappedCore, Measured, RoutedClock
from modmul.papers.needs import Measuring
from modmul.spec import Spec
from modmul.toolchain.cache import Cache

PRINTED = alkhaleel2006.PAPER.figures()


class Asked(list[Any]):
    """What a run of `measure` has made."""

    def of(self, what: str) -> set[Any]:
        return {one[1:] for one in self if one[0] == what}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked()

    def mapped(one: tuple[Circuit, int, str], cache: Cache) -> MappedCore:
        made.append(("map", *one))
        return MappedCore(one[1], 1, 0, 2, 3.0, "a -> b", one[0].label)

    def routed(one: tuple[Circuit, int], seeds: int, cache: Cache) -> RoutedClock:
        made.append(("route", *one, seeds))
        return RoutedClock(100.0, seeds, "path")

    def searched(width: int, chip: str, cache: Cache) -> Fitted:
        made.append(("fit", width, chip))
        return Fitted(2, 10, 0.5, "")

    monkeypatch.setattr(measured, "_map", mapped)
    monkeypatch.setattr(measured, "_route", routed)
    monkeypatch.setattr(fitted, "_search", searched)
    monkeypatch.setattr(measured.unit_cells, "count", lambda multiplier: UnitCells((), {}, 0, 0))
    return made


def run(tmp_path: Path, **options: Any) -> Measured:
    return measured.measure(PRINTED, Measuring(**{"jobs": 1, "cache": Cache(tmp_path), **options}))


def test_what_is_measured(tmp_path: Path, asked: Asked) -> None:
    """By default, then with wider ones; what has been made is not made again, and shown from then
    on."""
    found = run(tmp_path)
    assert {width for design, width, _ in asked.of("route")} == {16, 32}
    assert {seeds for *_, seeds in asked.of("route")} == {measured.seeds_of(8)}
    assert {width for width, _ in asked.of("fit")} == {128}
    assert (MUX, 128, "xc4v") in found.mapped and (MUX, 128, "ecp5") not in found.mapped
    assert (designs.modular(8), 512, "xc4v") in found.mapped
    there = {one[:2] for one in found.mapped if one[2] == "xc2vp"}
    assert there == {(designs.modular(1), 128), (designs.modular(4), 256)}
    assert all(designs.is_there(design, target) for design, _, target in found.mapped)
    first = len(asked.of("map"))
    asked.clear()
    run(tmp_path)
    assert not asked.of("map") and not asked.of("fit")
    narrow = run(tmp_path, widest=16)
    assert narrow.mapped == found.mapped and not asked.of("map")
    whole = run(tmp_path, widest=128, seeds=0)
    assert not whole.routed and len(asked.of("map")) + first == len(whole.mapped)
    asked.clear()
    again = run(tmp_path)
    assert again.mapped == whole.mapped and not asked.of("map")


def test_narrow_ones_alone(tmp_path: Path, asked: Asked) -> None:
    found = run(tmp_path, widest=32)
    assert {width for _, width, _ in found.mapped} == {16, 32} and not found.fitted
    assert (designs.folded(4), 32, "xc4v") in found.mapped
    assert {one[:2] for one in asked.of("route")} == set(found.routed)


def test_wide_routes_come_from_the_cache(
    tmp_path: Path, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two seeds are asked for: one that is there is shown where nothing is routed, and does not do
    where it is."""
    stage = Stage("LUT4", "a", 1.0, 1.5)
    path = CriticalPath("a[0]", "b[0]", 1, 5.0, 2.0, (stage, stage))

    def finished(content: str, router: str, chip: Any, seeds: range, cache: Cache) -> list[Seed]:
        there = content == MUX.label and router == "nextpnr-ecp5" and "--85k" in chip
        return [Seed(1, 80.0, path)] if there and 1 in seeds else []

    monkeypatch.setattr(measured.place_and_route, "finished", finished)
    found = run(tmp_path)
    assert found.routed[MUX, 64] == RoutedClock(80.0, 1, path.in_words())
    assert found.delay(MUX, 64, "ecp5") == 12.5
    assert found.routed[MUX, 32].seeds == 2 and (designs.MUX4, 64) not in found.routed


def test_a_chip_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def search(spec: Spec, *, cache: Cache) -> Any:
        asked.append((spec.multiplier.name, spec.multiplier.width, spec.device))
        tried = (Tried(1, 30000, 1.25, False), Tried(2, 18000, 0.75, True))
        assert spec.device is not None
        if spec.device.startswith("LFE5U-85F"):
            raise SpecError("device", spec.device, "a larger chip", "too small")
        return dataclasses.make_dataclass("Found", ["tried"])(tried)

    monkeypatch.setattr(fitted.fit, "smallest_partitions", search)
    chips = {chip: fitted.fitted(128, chip) for chip in designs.FITTED}
    found = Measuring(jobs=1, cache=Cache(tmp_path)).fill("fill", chips)
    assert found["LFE5U-25F"] == Fitted(2, 18000, 0.75, "P = 1: 125.0 %")
    assert found["LFE5U-85F"].partitions is None and len(asked) == 3


def test_a_small_one_is_mapped(tmp_path: Path) -> None:
    """Levels on ecp5, where there is no estimate; the key leads to the netlist's routes."""
    one = Measuring(cache=Cache(tmp_path)).one("map", measured.netlist(designs.MUX4, 6, "ecp5"))
    assert one is not None
    assert one.lut > 20 and one.ff == 4 * 6 + 3 and one.levels > 2 and one.estimate_ns is None
    assert MappedCore(10, 31, 0, 1, None, "", None).slices == 16
    assert "LUTs in series" in one.path and one.routable is not None
