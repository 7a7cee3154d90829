"""Recommendations: from records and from estimates, within limits, with reasons."""

import json
import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from example_records import record
from modmul import Spec
from modmul.cli import main
from modmul.errors import SpecError
from modmul.exploration import estimates
from modmul.exploration.grid import grid
from modmul.exploration.names import figure
from modmul.exploration.recommend import GOALS, Recommendation
from modmul.exploration.recommend import recommend as recommend_and_map
from modmul.exploration.space import read_space
from modmul.exploration.store import RunSummary, Store
from modmul.implementation.error_bands import NETLIST
from modmul.implementation.implement import implement_chip

MODULUS = "0xfb"  # 8 bits
RECOMMEND = ["recommend", "--finalists", "0"]


def recommend(*given: Any, **more: Any) -> Recommendation:
    """By estimates, unless something was measured: nothing is synthesised here."""
    return recommend_and_map(*given, **({"finalists": 0} | more))


def timed(area: float, latency: float, per_product: float) -> dict[str, Any]:
    return {
        "lut": int(area),
        "area": {"value": area, "unit": "LUT equivalents"},
        "time": {
            "kind": "usable",
            "unit": "ns",
            "period": 4.0,
            "latency": latency,
            "per_product": per_product,
            "eight": 8 * per_product,
        },
        "fmax_mhz": {
            "median": 260.0,
            "best": 270.0,
            "usable": 250.0,
            "limited_by": "the clock net",
            "seeds": [],
            "verified": True,
        },
    }


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("results")
    store, base = Store(directory), {"width": 8, "target": "ecp5", "interface": "core"}
    records = [
        record(base | {"architecture": "interleaved"}, **timed(100, 90, 90)),
        record(base | {"architecture": "montgomery-radix2"}, **timed(120, 50, 80)),
        record(base | {"architecture": "fpmm", "word": 5}, **timed(400, 70, 20)),
        record(base | {"architecture": "scs-mm-2"}, **timed(50, 10, 10)),  # data-dependent
        record(base | {"architecture": "interleaved", "width": 9}, **timed(10, 1, 1)),
        record(base | {"architecture": "interleaved", "target": "xc7"}, **timed(10, 1, 1)),
        record(base | {"architecture": "montgomery-2csa"}, status="failed", reason="x"),
    ]
    with store.writing(""):
        for point in records:
            store.put(point)
    return directory


@pytest.fixture
def ask(results: Path) -> Callable[..., Recommendation]:
    def ask(**more: Any) -> Recommendation:
        return recommend(MODULUS, "ecp5", **({"results": results} | more))

    return ask


@pytest.mark.parametrize(
    ("goal", "best"),
    [
        ("area", "interleaved"),
        ("latency", "montgomery-radix2"),
        ("throughput", "fpmm"),
        ("balanced", "fpmm"),
    ],
)
def test_the_best_measured_for_each_goal(
    ask: Callable[..., Recommendation], goal: str, best: str
) -> None:
    answer = ask(goal=goal)
    assert (answer.basis, answer.best.architecture) == ("measured", best)
    assert answer.best.score == 1.0 and answer.best.clock_mhz == 250.0
    assert answer.left_out == {"time depends on the operands": 1}
    assert answer.designs == 4
    assert {candidate.architecture for candidate in answer.runners_up} == {
        "interleaved",
        "montgomery-radix2",
        "fpmm",
    } - {best}
    assert all(candidate.score >= 1 for candidate in answer.runners_up)
    assert any("the clock net" in reason for reason in answer.reasons)


def test_limits_and_secrets(ask: Callable[..., Recommendation]) -> None:
    answer = ask(goal="throughput", where=["lut < 200", "time.latency <= 85"])
    assert answer.best.architecture == "montgomery-radix2"
    assert answer.left_out["not lut < 200"] == 1
    allowed = ask(goal="area", data_dependent=True)
    assert allowed.best.architecture == "scs-mm-2"
    assert any("not for secrets" in reason for reason in allowed.reasons)


@pytest.mark.parametrize(
    ("proved", "words"),
    [(True, "which is proved"), (None, "`modmul build` proves it"), (False, "that is not proved")],
)
def test_what_is_said_of_constant_time(tmp_path: Path, proved: bool | None, words: str) -> None:
    options = {"architecture": "interleaved", "modulus": MODULUS, "target": "ecp5"}
    store = Store(tmp_path)
    with store.writing(""):
        store.put(record(options, **timed(100, 90, 90), timing_proved=proved))
    answer = recommend(MODULUS, "ecp5", "area", results=tmp_path, data_dependent=proved is False)
    assert answer.basis == "measured"
    assert any(words in reason for reason in answer.reasons)
    if proved is False:
        with pytest.raises(SpecError, match="constant time is declared, but not proved"):
            recommend(MODULUS, "ecp5", "area", results=tmp_path)


def test_the_spec_builds_the_design_again(ask: Callable[..., Recommendation]) -> None:
    answer = ask(goal="throughput")
    spec = Spec.from_options(tomllib.loads(answer.toml))
    assert spec.multiplier.title == answer.best.title
    assert str(spec.modulus) == MODULUS


def test_reasons_for_a_processor_are_about_operations_and_no_adapter(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [*RECOMMEND, "--modulus", "65521", "--target", "ecp5", "--operation", "exponentiate"]
    assert main(words) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert " an operation, latency " in text and "area x time per operation" in text
    assert "product" not in text and "adapter" not in text and "-0 %" not in text


def test_forecasts_where_nothing_was_measured(results: Path) -> None:
    answer = recommend("p256", "xc7", "throughput", results=results, where=["dsp <= 12"])
    assert answer.basis == "estimated"
    assert answer.best.dsp is not None and answer.best.dsp <= 12
    assert "estimated by formula" in answer.reasons[1]
    assert answer.left_out["not dsp <= 12"] > 0
    binary = recommend("b163", "ecp5", "area")
    assert binary.best.architecture == "fips"


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.short("throughput")
def test_forecasts_of_every_goal_are_best(goal: str) -> None:
    answer = recommend("secp256k1", "ecp5", goal)
    assert all(candidate.score >= 1 for candidate in answer.runners_up)
    assert answer.best.timing == "constant"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("p256", "ecp5", "beauty"), "goal = 'beauty': must be one of throughput, latency"),
        (("p257", "ecp5", "area"), "p257"),
        (("p256", "ecp6", "area"), "target = 'ecp6'"),
        (("p256", "cells", "latency"), "left out: no clock is known on this target"),
        (("2", "ecp5", "area"), "no design is possible"),
    ],
)
def test_refused(arguments: tuple[str, str, str], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        recommend(*arguments)


def test_limits_that_nothing_meets(ask: Callable[..., Recommendation]) -> None:
    with pytest.raises(SpecError, match="no design for 0xfb on ecp5 .*3 left out: not lut < 3"):
        ask(goal="area", where=["lut < 3"])


def test_area_where_no_clock_is_known() -> None:
    answer = recommend("p256", "xcup", "area")
    assert answer.best.latency is None and answer.best.clock_mhz is None
    assert answer.best.area > 0


def test_a_device_that_is_too_small_for_some() -> None:
    answer = recommend("p384", "ecp5", "throughput", device="LFE5U-12F")
    assert answer.best.dsp is not None and answer.best.dsp <= 28
    assert any(reason.startswith("too large for LFE5U-12F") for reason in answer.left_out)


@pytest.mark.parametrize("modulus", ["p521", hex((1 << 1023) + 1), hex((1 << 2199) + 1)])
@pytest.mark.short("p521")
def test_wide_moduli(modulus: str) -> None:
    """Wider than an array multiplier is without partitions."""
    answer = recommend(modulus, "ecp5", "balanced")
    assert Spec.from_options(tomllib.loads(answer.toml)).multiplier.title == answer.best.title


def test_results_that_do_not_match_are_told(results: Path) -> None:
    answer = recommend("p256", "ecp5", "area", results=results)
    assert answer.basis == "estimated"
    assert "has no design for this modulus" in answer.reasons[0]


@pytest.mark.parametrize("target", ["generic", "cells"])
@pytest.mark.short("cells")
def test_what_counts_nothing_is_not_the_smallest(target: str) -> None:
    """A hard multiplier has no area in LUTs where the target has no such block."""
    answer = recommend("p256", target, "area")
    assert not any(candidate.dsp for candidate in [answer.best, *answer.runners_up])
    assert any("area of its multipliers" in reason for reason in answer.left_out)


def test_clock_and_area_say_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    """Of forecasts at the limit of a hard block that nobody read in its source."""
    narrow = ["architecture = 'fpmm'", "word = 17"]
    words = [*RECOMMEND, "--modulus", "p256", "--target", "ecp5", "--goal", "throughput"]
    assert main([*words, "--where", narrow[0], "--where", narrow[1]]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "225 (unverified)" in text and "225 MHz (unverified), estimated" in text
    assert "quoted from memory: grade 8, 18x18, all registers; unverified" in text
    assert "1 DSP = 536.2 LUT" in text and "1 block RAM = 402.1 LUT" in text
    assert "usable" not in text and "Figures (measured)" not in text
    assert "areas and times are of the core alone" in text
    best = recommend("p256", "ecp5", "throughput", where=narrow).best
    assert best.clock_unverified and best.luts_per_dsp == pytest.approx(83640 / 156, rel=1e-4)


def test_finalists_are_ranked_by_what_synthesis_counts() -> None:
    """On a family that cannot be routed: LUTs as `implement` counts them, a clock that says that it
    is an estimate, within its band and below the limits of the chip."""
    where = ["architecture in ('interleaved', 'montgomery-radix2')"]
    answer = recommend(None, "xc7", width=16, where=where, finalists=2)
    by_formula = recommend(None, "xc7", width=16, where=where)
    assert (answer.basis, by_formula.basis) == ("mapped", "estimated")
    scores = []
    for candidate in (answer.best, *answer.runners_up):
        result = implement_chip(Spec.from_options(candidate.spec | {"interface": "core"}))
        estimate, (low, high) = result.estimate, candidate.clock_band or (0.0, 0.0)
        assert candidate.basis == "mapped" and candidate.lut_band is None
        assert (candidate.lut, candidate.ff, candidate.ram_blocks) == (
            result.lut,
            result.ff,
            result.ram_blocks,
        )
        assert estimate is not None and result.fmax_mhz is None and result.estimated_mhz is not None
        most = min([limit.mhz for limit in result.limits] or [1e9])
        assert candidate.clock_mhz == pytest.approx(min(1000 / estimate.delay_ns, most), rel=1e-3)
        assert low < candidate.clock_mhz < high <= most
        scores.append(result.cycles.per_product / candidate.clock_mhz * candidate.area)
    assert scores == sorted(scores)
    for candidate in (by_formula.best, *by_formula.runners_up):
        low, high = candidate.lut_band or (0, 0)
        assert candidate.lut is not None and low < candidate.lut < high


@pytest.mark.long
def test_a_condition_holds_for_what_was_counted_too() -> None:
    """The formula promises fewer LUTs than synthesis leaves: such a design is left out."""
    where = ["word = 51", "slots = 3", "pipeline = 'lean'", "storage = 'distributed'"]
    said = recommend("p256", "xc7", where=where).best.lut
    assert said is not None
    between = f"lut < {said + 10}"
    assert recommend("p256", "xc7", where=[*where, between]).best.lut == said
    with pytest.raises(SpecError, match=f"not {between}"):
        recommend("p256", "xc7", where=[*where, between], finalists=1)


@pytest.mark.long
def test_a_wide_word_is_recommended_within_its_bands() -> None:
    """230 MHz and 663 LUTs by formula, 200 and 848 mapped."""
    where, band = ["word = 51", "slots = 3"], NETLIST
    said = recommend("p256", "xc7", where=where)
    counted = recommend("p256", "xc7", where=where, finalists=1)
    assert said.best.lut_band is not None and counted.best.lut is not None
    assert said.best.lut_band[0] <= counted.best.lut <= said.best.lut_band[1]
    assert counted.best.clock_mhz is not None and counted.best.clock_band is not None
    assert counted.best.clock_band[0] == pytest.approx(band.low * counted.best.clock_mhz, rel=1e-2)


def test_records_that_were_not_routed_are_no_measurements(tmp_path: Path) -> None:
    """An exploration on an Artix-7 counts areas and estimates clocks."""
    clock = {
        "mhz": 200.0,
        "low": 90.0,
        "high": 290.0,
        "limited_by": "the estimated path",
        "verified": True,
        "source": "estimated from the netlist",
    }
    figures = timed(100, 90, 90) | {"fmax_mhz": None, "estimated_mhz": clock}
    figures["time"]["kind"] = "estimated"
    store = Store(tmp_path)
    options = {"architecture": "interleaved", "width": 8, "target": "xc7", "interface": "core"}
    with store.writing(""):
        store.put(record(options, **figures, cells={"LUT6": 1}))
    answer = recommend(MODULUS, "xc7", "area", results=tmp_path)
    assert (answer.basis, answer.best.clock_band) == ("mapped", (90.0, 290.0))
    said = " ".join(answer.reasons)
    assert "1 designs synthesised, with estimated clocks," in said and "200 MHz, estimated" in said


def test_block_ram_is_counted_and_has_a_price() -> None:
    """As many LUTs as the chip has for each block, like a DSP block."""
    best = recommend("p256", "xc7", where=["storage = 'block'"]).best
    assert best.ram_blocks == 2 and best.lut is not None and best.dsp == 9
    price = best.lut + 9 * 63400 / 240 + 2 * 63400 / 270
    assert best.area == pytest.approx(price, rel=1e-3)
    assert best.clock_mhz is not None and best.clock_mhz <= 388.2


def test_conditions_over_what_cannot_be_estimated_are_refused() -> None:
    with pytest.raises(SpecError, match=r"fmax_mhz is known of measured designs only"):
        recommend("p256", "xc7", where=["fmax_mhz.usable >= 100"])
    answer = recommend("p256", "xc7", where=["estimated_mhz.mhz >= 300"])
    assert answer.best.clock_mhz is not None and answer.best.clock_mhz >= 300


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--modulus", "p256", "--target", "ecp5"], marks=pytest.mark.long),
        pytest.param(
            ["--modulus", "2^127-1", "--target", "artix7", "--goal", "throughput"],
            marks=pytest.mark.long,
        ),
        ["--modulus", "x^163+x^7+x^6+x^3+1", "--target", "ecp5", "--goal", "area"],
        ["--width", "64", "--target", "cells", "--library", "normalised", "--goal", "area"],
        pytest.param(
            [*"--modulus p256 --target ecp5 --device LFE5U-25F --where".split(), "dsp = 0"],
            marks=pytest.mark.long,
        ),
        ["--width", "48", "--target", "ecp5", "--where", "architecture = 'fips'"],
    ],
)
@pytest.mark.short("words3")
def test_the_command_that_is_printed_builds_what_was_recommended(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
) -> None:
    """Word by word as a shell takes it, never broken into lines; its files describe that design."""
    monkeypatch.chdir(tmp_path)
    assert main([*RECOMMEND, *words]) == 0
    (line,) = re.findall(r"^\$ modmul (build .*)$", capsys.readouterr().out, re.MULTILINE)
    assert main([*RECOMMEND, *words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    options, command = data["best"]["spec"], shlex.split(line)
    assert main([*command, "-o", "here", "--no-check"]) == 0
    assert "top module" in capsys.readouterr().out
    (path,) = Path("here").glob("*.json")
    spec = Spec.from_options(options)
    assert json.loads(path.read_text())["spec"] == spec.options()
    assert Spec.from_options(tomllib.loads(data["toml"])) == spec


def test_what_was_not_tried_is_a_reason(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.writing(""):
        store.put(
            record(
                {"width": 8, "target": "ecp5", "architecture": "interleaved", "interface": "core"},
                **timed(100, 90, 90),
            )
        )
        answer = recommend(MODULUS, "ecp5", results=tmp_path)
        assert any("unknown whether complete" in reason for reason in answer.reasons)
        store.summarise(
            RunSummary(
                space="s",
                searched=False,
                points=9,
                done=1,
                outside=0,
                failed=0,
                not_started=8,
                impossible=[],
                equal=0,
                ended="budget",
                reason="budget of 1 points used up",
                began="",
                written="",
            )
        )
    answer = recommend(MODULUS, "ecp5", results=tmp_path)
    assert answer.coverage is not None and answer.coverage.run is not None
    assert any("8 of the space s were not tried" in reason for reason in answer.reasons)
    assert any("front of the 1 points measured so far" in reason for reason in answer.reasons)


def test_for_any_modulus_of_a_width(results: Path) -> None:
    """Measured designs of that width alone; each takes every odd number of the width."""
    answer = recommend(None, "ecp5", "throughput", width=8, results=results)
    assert (answer.basis, answer.best.architecture, answer.designs) == ("measured", "fpmm", 4)
    assert "modulus" not in tomllib.loads(answer.toml) and tomllib.loads(answer.toml)["width"] == 8
    assert recommend(None, "ecp5", width=9, results=results).designs == 1


def test_for_a_width_by_forecasts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RECOMMEND, "--width", "2048", "--target", "artix7", "--goal", "throughput"]) == 0
    text = capsys.readouterr().out
    assert "width = 2048" in text and 'target = "xc7"' in text and "modulus =" not in text
    answer = recommend(None, "xc7", width=2048)
    spec = Spec.from_options(answer.best.spec).multiplier
    for modulus in (1 << 2047 | 1, (1 << 2048) - 1):
        spec.check_modulus(modulus)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "none given"),
        (["--width", "1"], "no design is possible"),
        (["--width", "wide"], "wide"),
        (["--width", "5000"], "no design is possible: width = 5000: must be a whole number from 2"),
    ],
)
def test_neither_a_modulus_nor_a_width(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main([*RECOMMEND, "--target", "ecp5", *words]) == 2
    assert said in capsys.readouterr().err


def test_no_such_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RECOMMEND, "--width", "64", "--target", "nope"]) == 2
    assert capsys.readouterr().err.startswith("modmul: target = 'nope': must be one of generic")


@pytest.mark.long  # forecasts of a hundred processors; of multipliers, the best by default
def test_a_processor_for_a_curve() -> None:
    """The least time of all designs of the space, with the programs of the curve's form alone."""
    where = ["dsp = 9", "spec.formulas = 'ladder'"]
    answer = recommend(
        None, "ecp5", "latency", operation="point-multiply", curve="p256", where=where
    )
    design = Spec.from_options(answer.best.spec).design
    points = grid(read_space("p256-engine")).points
    alike = [
        point.spec
        for point in points
        if point.options.get("word") == 34 and point.options["formulas"] == "ladder"
    ]
    least = min(figure(estimates.estimate(spec), "time.latency") or 0.0 for spec in alike)
    assert answer.best.latency == pytest.approx(least)
    assert design.options["forms"] == "weierstrass" and "modulus" not in answer.best.spec
    assert tomllib.loads(answer.toml)["curve"] == "p256"
    assert answer.best.architecture == "curve" and answer.basis == "estimated"


@pytest.mark.parametrize(
    ("asked", "curve", "operation", "options"),
    [
        ("x25519", None, "x-multiply", {"forms": "montgomery", "schemes": "none"}),
        pytest.param(
            "ed25519",
            None,
            "point-multiply",
            {"forms": "edwards", "schemes": "eddsa"},
            marks=pytest.mark.long,
        ),
        pytest.param(
            "ecdsa-sign",
            "p256",
            "ecdsa-sign",
            {"forms": "weierstrass", "schemes": "ecdsa", "verification": False},
            marks=pytest.mark.long,
        ),
        pytest.param(
            "ecdsa-verify", "p256", "ecdsa-verify", {"verification": True}, marks=pytest.mark.long
        ),
    ],
)
def test_a_processor_for_an_operation(
    asked: str, curve: str | None, operation: str, options: dict[str, Any]
) -> None:
    """Its specification is whole, and its time is that of the operation."""
    answer = recommend(
        None,
        "ecp5",
        "latency",
        operation=asked,
        curve=curve,
        finalists=0,
        where=["spec.multiplier = 'fpmm'", "dsp < 12"],
    )
    spec = Spec.from_options(answer.best.spec)
    assert spec.load is not None and spec.processor.can_load(spec.load)
    assert options.items() <= spec.design.options.items()
    cycles = spec.design.latency(spec.processor.mode(operation, spec.load)).mean
    assert answer.best.clock_mhz is not None
    assert answer.best.latency == pytest.approx(1000 * cycles / answer.best.clock_mhz, rel=1e-3)


def test_a_processor_for_rsa_keys() -> None:
    answer = recommend(
        None,
        "ecp5",
        operation="rsa-private",
        key_bits=64,
        finalists=0,
        where=["spec.multiplier = 'fips'"],
    )
    assert answer.best.spec["width"] == 32 and answer.best.architecture == "rsa"


@pytest.mark.long
def test_a_processor_for_a_surface() -> None:
    answer = recommend(None, "ecp5", "latency", operation="wrapped-multiply", curve="gaudry-schost")
    assert answer.best.architecture == "kummer" and answer.best.spec["units"] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--operation", "x-multiply", "--curve", "gaudry-schost"], "no design is possible"),
        (["--operation", "point-multiply"], "curve: none given"),
        (["--operation", "point-multiply", "--curve", "p255"], "curve = 'p255'"),
        (["--curve", "p256"], "absent, or with one of the operations point-multiply"),
        (["--operation", "x-multiply", "--curve", "p256"], "none has the operation x-multiply"),
        (["--operation", "sign"], "did you mean sm2-sign or ecdsa-sign or eddsa-sign?"),
        (["--operation", "x25519", "--curve", "p256"], "absent with operation = x25519"),
        (["--key-bits", "64"], "absent, or with the operation rsa-private"),
        (["--operation", "rsa-private", "--key-bits", "64", "--width", "32"], "absent with key-bi"),
        (["--operation", "point-add", "--curve", "p256"], "must be one of multiply, exponentiate"),
        (["--operation", "point-multiply", "--curve", "p256", "--modulus", "0x11"], "absent"),
    ],
)
def test_curves_that_do_not_go_with_it(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main([*RECOMMEND, "--target", "ecp5", *words]) == 2
    assert said in capsys.readouterr().err
