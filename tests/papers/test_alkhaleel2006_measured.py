"""alkhaleel2006: what is mapped, routed and fitted, and what comes from the cache."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import example_records
from modmul.errors import SpecError
from modmul.implementation.result import Attempt, ImplementResult
from modmul.implementation.unit_cells import UnitCells
from modmul.papers import alkhaleel2006, implemented
from modmul.papers.alkhaleel2006 import designs
from modmul.papers.alkhaleel2006.designs import MUX, Fitted, Measured
from modmul.papers.implemented import clock, estimate_ns, lut_levels
from modmul.papers.needs import Measuring, Needs
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work


class Asked(list[Any]):
    """What a run has made."""

    def of(self, what: str) -> set[Any]:
        return {call[1:] for call in self if call[0] == what}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    calls = Asked()

    def implement(spec: Spec, *, seeds: int = 0, route: bool = True, **_: Any) -> ImplementResult:
        design = spec.multiplier
        what = ("route", seeds) if route else ("map",)
        calls.append((what[0], design.title, design.width, design.target, *what[1:]))
        return example_records.implemented(spec, seeds if route else 0, mhz=80.0)

    def searched(width: int, chip: str, cache: Cache) -> Fitted:
        calls.append(("fit", width, chip))
        return Fitted(2, 10, 0.5, "")

    monkeypatch.setattr(implemented, "implement_chip", implement)
    monkeypatch.setattr(designs, "_search", searched)
    monkeypatch.setattr(designs.unit_cells, "count", lambda multiplier: UnitCells((), {}, 0, 0))
    return calls


def run(tmp_path: Path, **options: Any) -> Measured:
    work = Measuring(**{"jobs": 1, "cache": Cache(tmp_path), **options})
    return alkhaleel2006.PAPER.measured(work)


def test_what_is_measured(tmp_path: Path, asked: Asked) -> None:
    """By default, then with wider ones; what has been made is not made again, and shown from then
    on."""
    result = run(tmp_path)
    assert {width for _, width, *_ in asked.of("route")} == {16, 32}
    assert {seeds for *_, seeds in asked.of("route")} == {2}
    assert {width for width, _ in asked.of("fit")} == {128}
    assert (MUX, 128, "xc4v") in result.mapped and (MUX, 128, "ecp5") not in result.mapped
    assert (designs.modular(8), 512, "xc4v") in result.mapped
    on_xc2vp = {place[:2] for place in result.mapped if place[2] == "xc2vp"}
    assert on_xc2vp == {(designs.modular(1), 128), (designs.modular(4), 256)}
    assert all(designs.is_there(design, target) for design, _, target in result.mapped)
    asked.clear()
    run(tmp_path)
    assert not asked
    narrow = run(tmp_path, widest=16)
    assert narrow.mapped == result.mapped and not asked
    wide = run(tmp_path, widest=128, seeds=0)
    assert not wide.routed and len(asked.of("map")) + len(result.mapped) == len(wide.mapped)
    asked.clear()
    again = run(tmp_path)
    assert again.mapped == wide.mapped and not asked


def test_narrow_ones_alone(tmp_path: Path, asked: Asked) -> None:
    result = run(tmp_path, widest=32)
    assert {width for _, width, _ in result.mapped} == {16, 32} and not result.fitted
    assert (designs.folded(4), 32, "xc4v") in result.mapped
    assert {width for _, width, *_ in asked.of("route")} == {16, 32}
    assert len(asked.of("route")) == len(result.routed)


def test_wide_routes_come_from_the_cache(tmp_path: Path, asked: Asked) -> None:
    """Once they were asked for they are shown, with the same seeds alone."""
    assert (MUX, 64) not in run(tmp_path).routed
    wide = run(tmp_path, widest=64)
    result = run(tmp_path)
    assert result.routed == wide.routed and result.delay(MUX, 64, "ecp5") == 12.5
    assert len(clock(result.routed[MUX, 64]).seeds) == 2 and (MUX, 128) not in result.routed
    assert (MUX, 64) not in run(tmp_path, seeds=4).routed


def test_a_chip_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def search(spec: Spec, *, work: Work) -> Any:
        asked.append((spec.multiplier.name, spec.multiplier.width, spec.device))
        tried = (Attempt(1, 30000, 1.25, False), Attempt(2, 18000, 0.75, True))
        assert spec.device is not None
        if spec.device.startswith("LFE5U-85F"):
            raise SpecError("device", spec.device, "a larger chip", "too small")
        return dataclasses.make_dataclass("Found", ["tried"])(tried)

    monkeypatch.setattr(designs.fit, "smallest_partitions", search)
    chips = {chip: designs.fitted(128, chip) for chip in designs.FITTED}
    fitted = Measuring(jobs=1, cache=Cache(tmp_path)).fill(Needs("fill", chips))
    assert fitted["LFE5U-25F"] == Fitted(2, 18000, 0.75, "P = 1: 125.0 %")
    assert fitted["LFE5U-85F"].partitions is None and len(asked) == 3


@pytest.mark.long  # mapped on ecp5 by default: tests/implementation/test_exact_area.py
def test_a_small_one_is_mapped(tmp_path: Path) -> None:
    """Levels on ecp5, where there is no estimate, as it is routed."""
    need = implemented.cells(designs.MUX4.spec(6, "ecp5"))
    (counted,) = Measuring(cache=Cache(tmp_path)).fill(Needs("map", {6: need})).values()
    assert counted.lut > 20 and counted.ff == 4 * 6 + 3
    assert (lut_levels(counted) or 0) > 2 and estimate_ns(counted) is None
