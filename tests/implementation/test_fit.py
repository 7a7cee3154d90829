"""fit: the fewest partitions that fit a chip, with few syntheses; what is refused."""

import dataclasses
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from amaranth.hdl import Fragment
from rich.console import Console

from modmul.blocks.arrays.rows import MuxRow
from modmul.blocks.part import instances
from modmul.cli import main
from modmul.cli.implement_text import text as text_of
from modmul.errors import SpecError
from modmul.implementation import fit
from modmul.implementation.implement import implement_chip
from modmul.multipliers.products.array_mux4 import ArrayMux4
from modmul.multipliers.three_pass import ThreePass
from modmul.spec import Spec
from modmul.targets import CellArea
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work

Luts = Callable[[ThreePass], float]


def spec(**options: Any) -> Spec:
    given = {"architecture": "three-pass", "target": "ecp5", "interface": "core", **options}
    return Spec.from_options(given)


def as_estimated(design: ThreePass) -> float:
    return fit.LUTS_OF_PAIR * design.pairs + fit.LUTS_OF_BIT * design.width


CURVES: dict[str, Luts] = {
    "as estimated": as_estimated,
    "a third": lambda design: as_estimated(design) / 3,  # wider LUTs, say
    "twice": lambda design: 2 * as_estimated(design),
    "flatter": lambda design: 2.5 * design.pairs + 60 * design.width,
    "uneven": lambda design: as_estimated(design) * (1.07 if design.partitions % 2 else 0.96),
}


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """Replace synthesis by a formula; gives the numbers of partitions that were asked for."""

    def install(luts: Luts, **others: int) -> list[int]:
        asked: list[int] = []

        def measure(wanted: Spec, cache: Cache) -> CellArea:
            assert isinstance(wanted.multiplier, ThreePass)
            asked.append(wanted.multiplier.partitions)
            return CellArea(lut=round(luts(wanted.multiplier)), **others)

        monkeypatch.setattr(fit, "_measure", measure)
        return asked

    return install


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("device", ["LFE5U-25F", "LFE5U-45F", "LFE5U-85F"])
@pytest.mark.parametrize("width", [33, 128, 256, 512, 1024])
def test_one_that_fits_while_the_next_smaller_does_not(
    measured: Callable[..., list[int]], width: int, device: str, curve: str
) -> None:
    asked = measured(CURVES[curve])
    wanted = spec(width=width, partitions=2, device=device)
    assert isinstance(wanted.multiplier, ThreePass)
    most = max(wanted.multiplier.possible_partitions)
    limit = 0.8 * fit._device(wanted).luts
    if CURVES[curve](dataclasses.replace(wanted.multiplier, partitions=most)) > limit:
        with pytest.raises(SpecError, match=f"too small for any .*: {most} take .* than 80%"):
            fit.smallest_partitions(wanted)
        return
    fitting = fit.smallest_partitions(wanted)
    assert isinstance(fitting.spec.multiplier, ThreePass)
    answer, possible = (
        fitting.spec.multiplier.partitions,
        fitting.spec.multiplier.possible_partitions,
    )
    fits = {attempt.partitions: attempt.fits for attempt in fitting.tried}
    assert list(fits) == asked and len(asked) <= (2 if curve == "as estimated" else 6)
    assert fits[answer] and answer == min(count for count in fits if fits[count])
    place = possible.index(answer)
    assert place == 0 or fits[possible[place - 1]] is False
    assert round(CURVES[curve](fitting.spec.multiplier)) <= limit
    assert dataclasses.replace(fitting.spec, design=wanted.multiplier) == wanted


def test_a_good_estimate_needs_two(measured: Callable[..., list[int]]) -> None:
    asked = measured(as_estimated)
    fit.smallest_partitions(spec(width=256, device="LFE5U-45F"))
    assert asked == [10, 9]
    asked = measured(as_estimated)
    assert len(fit.smallest_partitions(spec(width=64, device="LFE5U-45F")).tried) == 1
    assert asked == [1]


def test_the_share_is_what_may_be_used(measured: Callable[..., list[int]]) -> None:
    measured(lambda design: 9716)  # 40.004 % of an LFE5U-25F
    with pytest.raises(SpecError, match="9716 LUTs of 24288, more than 40%") as caught:
        fit.smallest_partitions(spec(width=16, device="LFE5U-25F"), share=0.4)
    assert caught.value.key == "device"
    measured(lambda design: 9715)
    (tried,) = fit.smallest_partitions(spec(width=16, device="LFE5U-25F"), share=0.4).tried
    assert (tried.partitions, tried.lut, tried.share, tried.fits) == (1, 9715, 0.4, True)
    for share in (0, 1.01, -1):
        with pytest.raises(SpecError) as caught:
            fit.smallest_partitions(spec(width=16), share=share)
        assert caught.value.key == "share"


@pytest.mark.parametrize("kind", ["dsp", "ram_blocks"])
def test_hard_blocks_must_fit_too(measured: Callable[..., list[int]], kind: str) -> None:
    measured(as_estimated, **{kind: 57})
    with pytest.raises(SpecError, match="57 (DSP|RAM) blocks of") as caught:
        fit.smallest_partitions(spec(width=16, device="LFE5U-25F"))
    assert "LFE5U-45F" in str(caught.value.allowed)


def test_what_cannot_be_folded_or_has_no_chips() -> None:
    for options in ({"architecture": "interleaved"}, {"product": "array-booth"}):
        with pytest.raises(SpecError, match="has no partitions.* three-pass, array-mux4") as caught:
            fit.smallest_partitions(spec(width=8, **options))
        assert caught.value.key == "fit"
    for target in ("generic", "cells"):
        with pytest.raises(SpecError, match="names no chips.* ecp5, xc7") as caught:
            fit.smallest_partitions(spec(width=8, target=target))
        assert caught.value.key == "target"


@pytest.mark.parametrize("width", [10, 12, 34])
def test_multipliers_say_what_is_possible_and_what_is_built(width: int) -> None:
    unfolded = ArrayMux4(width=width)
    assert unfolded.pairs == width * (width - 2) // 2
    possible = []
    for count in range(1, width + 1):
        try:
            folded = dataclasses.replace(unfolded, partitions=count)
        except SpecError:
            continue
        possible.append(count)
        rows = [part for _, part in instances(Fragment.get(folded.create(), None))]
        assert folded.pairs == sum(row.width for row in rows if isinstance(row, MuxRow))
        assert ThreePass(width=width - 1, partitions=count).pairs == folded.pairs
    assert unfolded.possible_partitions == possible == ThreePass(width=width).possible_partitions
    assert dataclasses.replace(unfolded, registers=False).possible_partitions == [1]
    assert ThreePass(width=width, product="tree-dadda").possible_partitions == []


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


WORDS = (
    "implement --architecture three-pass --width 12 --target ecp5 --device LFE5U-25F"
    " --interface core --fit"
).split()


def test_what_is_synthesised_is_what_is_implemented(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the command line."""
    monkeypatch.setenv("MODMUL_CACHE", str(cache.root))
    assert main([*WORDS, "--no-route", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["spec"]["partitions"] == 1 and shown["fmax_mhz"] is None
    (tried,) = shown["tried"]
    assert tried == {"partitions": 1, "lut": shown["lut"], "share": tried["share"], "fits": True}
    assert main([*WORDS, "--partitions", "2", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["key"] == "partitions"


@pytest.mark.long
def test_what_is_synthesised_folded_is_what_is_implemented(cache: Cache) -> None:
    """With a share that makes the chip small."""
    small, work = spec(width=12, device="LFE5U-25F"), Work(cache=cache)
    fitting = fit.smallest_partitions(small, share=0.0148, work=work)
    least, *others = sorted(fitting.tried, key=lambda attempt: attempt.lut)
    assert least.fits and others and not any(other.fits for other in others)
    assert least.partitions == getattr(fitting.spec.multiplier, "partitions", 0) > 1
    record = implement_chip(fitting.spec, route=False, work=work)
    assert (record.lut, record.fmax_mhz, record.tried) == (least.lut, None, ())
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(text_of(fitting.spec, msgspec.structs.replace(record, tried=fitting.tried)))
    text = console.export_text()
    assert "Partitions tried on LFE5U-25F" in text and "nothing routed: not asked for" in text
    assert f"{least.lut}  {least.share:.1%}" in text and "too large" in text and "fits" in text


def test_partitions_of_a_file_do_not_matter(
    tmp_path: Path, measured: Callable[..., list[int]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Even where the width asked for cannot have them; and too wide to be whole."""
    asked = measured(lambda design: 1e6)
    file = tmp_path / "spec.toml"
    file.write_text('architecture = "three-pass"\nwidth = 22\npartitions = 11\ntarget = "ecp5"\n')
    for words, most in (([], 11), (["--width", "16"], 8), (["--width", "1000"], 500)):
        assert main(["implement", str(file), *words, "--fit", "--json"]) == 2
        assert json.loads(capsys.readouterr().out)["error"]["key"] == "device"
        assert asked[-1] == most
    assert main(["implement", str(file), "--width", "16", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["key"] == "partitions"


def test_a_processor_on_a_folded_multiplier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its multiplier is folded; everything else of it stays."""

    def measured(wanted: Spec, cache: Cache) -> CellArea:
        return CellArea(lut=100_000 // wanted.options()["partitions"])

    monkeypatch.setattr(fit, "_measure", measured)
    options = {"architecture": "exponentiation", "multiplier": "three-pass", "width": 64}
    asked = Spec.from_options({**options, "target": "ecp5", "device": "LFE5U-25F", "units": 2})
    fitting = fit.smallest_partitions(asked)
    assert fitting.spec.options() == asked.options() | {"partitions": 6}
    assert [attempt.fits for attempt in fitting.tried if attempt.partitions == 6] == [True]
    assert not any(attempt.fits for attempt in fitting.tried if attempt.partitions < 6)
    with pytest.raises(SpecError, match="has no partitions"):
        fips = {"multiplier": "fips", "target": "ecp5"}
        fit.smallest_partitions(Spec.from_options(options | fips))
