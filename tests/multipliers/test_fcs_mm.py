"""FCS-MM-1, FCS-MM-2 and FCS-MMM42: golden models of result and time, without hardware."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from statistics import fmean, stdev

import pytest

from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier, Operand
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.fcs import Fcs
from modmul.multipliers.radix2.fcs_mm_1 import FcsMm1
from modmul.multipliers.radix2.fcs_mm_2 import FcsMm2
from modmul.multipliers.radix2.fcs_mmm42 import FcsMmm42
from modmul.verification.stimuli import in_form

VARIANTS: list[tuple[type[Fcs], dict[str, str]]] = [
    (FcsMm1, {}),
    (FcsMm2, {}),
    (FcsMmm42, {}),
    (FcsMmm42, {"iterations": "published"}),
]
every_variant = pytest.mark.parametrize(
    ("architecture", "options"), VARIANTS, ids=lambda parameter: getattr(parameter, "name", None)
)
both_forms = pytest.mark.parametrize("form", ["carry-save", "binary"])


def built(architecture: type[Fcs], options: dict[str, str], width: int, form: str) -> Fcs:
    return architecture(width=width, form=form, **options)  # type: ignore[arg-type]


def number(value: Operand) -> int:
    return value if isinstance(value, int) else sum(value)


def pair(value: int, design: Multiplier, rng: random.Random) -> Operand:
    """An operand of that value, split at random where the form is carry-save."""
    ((operand, _),) = in_form(design, [(value, 0)], rng)
    return operand


def checked(design: Fcs, a: Operand, b: Operand, modulus: int) -> Operand:
    """The result, after every property that is promised of it."""
    result, phases = design.run(a, b, modulus)
    value = number(result)
    assert (value * design.montgomery_factor - number(a) * number(b)) % modulus == 0
    assert value < design.result_bound(modulus)
    assert value < 1 << design.result_beat
    declared = design.cycles()
    assert list(phases) == list(declared)
    for name, count in phases.items():
        assert declared[name].minimum <= count <= declared[name].maximum, name
    assert design.latency_of(a, b, modulus) == sum(phases.values())
    return result


def moduli(width: int) -> Iterator[int]:
    """All of exactly that many bits, and shorter ones."""
    yield from range(3, 1 << width, 2)


@every_variant
@both_forms
@pytest.mark.parametrize("width", [3, 4])
def test_all_operands_of_all_moduli(
    architecture: type[Fcs], options: dict[str, str], form: str, width: int
) -> None:
    design = built(architecture, options, width, form)
    rng = random.Random(width)
    for modulus in moduli(width):
        values = range(design.operand_bound(modulus))
        pairs = [(a, b) for a in values for b in values]
        for a, b in in_form(design, pairs, rng):
            checked(design, a, b, modulus)


@every_variant
@both_forms
@pytest.mark.parametrize(
    "width", [8, 33, *(pytest.param(width, marks=pytest.mark.long) for width in (9, 160, 521))]
)
def test_random_products(
    architecture: type[Fcs], options: dict[str, str], form: str, width: int
) -> None:
    design = built(architecture, options, width, form)
    rng = random.Random(f"{design.title}")
    for _ in range(8000 // width):
        modulus = rng.getrandbits(width) | 1 | 1 << width - 1
        bound = design.operand_bound(modulus)
        a, b = (rng.choice((rng.randrange(bound), bound - 1, 1)) for _ in range(2))
        checked(design, pair(a, design, rng), pair(b, design, rng), modulus)


@pytest.mark.parametrize("modulus", [(1 << 64) - 59, (1 << 64) - 1, (1 << 63) + 1])
@pytest.mark.parametrize("architecture", [FcsMm1, FcsMm2, FcsMmm42])
def test_results_are_operands(architecture: type[Fcs], modulus: int) -> None:
    """x^e mod N by chained products; the words of a result go back as they come out."""
    design = architecture(width=64)
    rng = random.Random(modulus)
    factor, exponent, x = design.montgomery_factor, rng.getrandbits(40), rng.randrange(modulus)
    into = pair(factor * factor % modulus, design, rng)
    base = checked(design, pair(x, design, rng), into, modulus)
    power = checked(design, pair(1, design, rng), into, modulus)
    for bit in f"{exponent:b}":
        power = checked(design, power, power, modulus)
        if bit == "1":
            power = checked(design, power, base, modulus)
        assert isinstance(power, tuple) and max(power) < 1 << design.beat
    result = number(checked(design, power, pair(1, design, rng), modulus))
    assert result % modulus == pow(x, exponent, modulus)


def test_published_iterations_are_not_closed() -> None:
    """Results above the bound of operands occur if N mod 4 = 1, as `notes` says, and never if 3."""
    design, rng = FcsMmm42(width=16, iterations="published", form="binary"), random.Random(3)
    for low, occurs in ((1, True), (3, False)):
        modulus = 0xFFF0 + low
        bound = design.operand_bound(modulus)
        results = [
            design.compute(rng.randrange(bound), rng.randrange(bound), modulus) for _ in range(400)
        ]
        assert any(value >= bound for value in results) == occurs
    assert any("4N" in note for note in design.notes)


def test_top_bit_of_the_accumulator_is_used() -> None:
    """The carry word of FCS-MM-1 has bit k + 1 with these operands of 9 bits, in the loop."""
    design, modulus, b = FcsMm1(width=9), 505, (497, 512)
    checked(design, (1002, 0), b, modulus)
    ss = sc = largest = 0
    for bit in words.bits(1002, 11):
        for addend in (b[0] * bit, b[1] * bit):
            ss, sc = words.carry_save_add(ss, sc, addend)
        ss, sc = words.carry_save_add(ss, sc, modulus * (ss & 1))
        ss, sc = ss >> 1, sc >> 1
        largest = max(largest, ss, sc)
    assert largest.bit_length() == 9 + 2
    assert design.compute((1002, 0), b, modulus) == (ss, sc)


@pytest.mark.parametrize("width", [3, 16, 128])
def test_constant_time(width: int) -> None:
    """kuang2016, Table III counts k + 5 with the handshake."""
    for design, published in ((FcsMm1(width=width), width + 3), (FcsMm2(width=width), width + 4)):
        assert design.timing == "constant" and not design.leaks
        assert design.interval().minimum == design.interval().maximum == published
        assert design.latency().maximum == published + 1


@pytest.mark.parametrize("iterations", ["chained", "published"])
@pytest.mark.parametrize("width", [3, 4])
def test_bounds_of_the_loop_are_reached(width: int, iterations: str) -> None:
    design = FcsMmm42(width=width, iterations=iterations, form="binary")
    cycles = {
        design.run(a, b, modulus).phases["loop"]
        for modulus in moduli(width)
        for a, b in itertools.product(range(design.operand_bound(modulus)), repeat=2)
    }
    loop = design.cycles()["loop"]
    assert (min(cycles), max(cycles)) == (loop.minimum, loop.maximum)


@pytest.mark.parametrize("iterations", ["chained", "published"])
@pytest.mark.parametrize(
    ("width", "count", "tolerance"),
    [
        (3, 4000, 0.03),
        (5, 4000, 0.03),
        (8, 4000, 0.005),
        (16, 3000, 0.005),
        (32, 3000, 0.005),
        (64, 2000, 0.005),
        (256, 1000, 0.005),
        (1024, 300, 0.005),
    ],
)
def test_mean_of_the_loop(width: int, count: int, tolerance: float, iterations: str) -> None:
    """A fresh sample: within 4 standard errors, and what the formula itself is off."""
    design, rng = FcsMmm42(width=width, iterations=iterations), random.Random(width)
    cycles = []
    for _ in range(count):
        modulus = rng.getrandbits(width) | 1 | 1 << width - 1
        bound = design.operand_bound(modulus)
        cycles.append(design.loop_cycles(rng.randrange(bound), rng.randrange(bound), modulus))
    declared = design.cycles()["loop"]
    allowed = 4 * stdev(cycles) / math.sqrt(count) + tolerance * declared.mean
    assert abs(fmean(cycles) - declared.mean) < allowed
    assert declared.minimum <= declared.mean <= declared.maximum


def test_time_tells_the_weight_of_a() -> None:
    """What `leaks` says: the more ones in A, the longer; how A is split does not matter."""
    design, modulus, rng = FcsMmm42(width=256), (1 << 256) - 189, random.Random(5)
    assert design.timing == "data-dependent" and "Hamming weight of A" in design.leaks[0]
    b = rng.randrange(modulus)
    times: list[int] = []
    for weight in (0, 64, 128, 192, 250):
        a = sum(1 << place for place in rng.sample(range(255), weight))
        split = {design.latency_of(pair(a, design, rng), (b, 0), modulus) for _ in range(4)}
        assert len(split) == 1
        times += split
    assert times == sorted(set(times))


@pytest.mark.parametrize("modulus", [3, 5, 0xFFF1, 0xFFFF])
def test_what_is_loaded(modulus: int) -> None:
    [(name, value, _)] = FcsMmm42(width=16).constants(modulus)
    assert name == "modulus_hat"
    assert value % 4 == 0 and value - 1 in (modulus, 3 * modulus)
    assert value < 1 << FcsMmm42(width=16).modulus_beat


@every_variant
def test_forms(architecture: type[Fcs], options: dict[str, str]) -> None:
    pairs, binary = (built(architecture, options, 20, form) for form in ("carry-save", "binary"))
    assert (pairs.operand_form, pairs.result_form) == ("carry-save", "carry-save")
    assert (binary.operand_form, binary.result_form) == ("binary", "binary")
    assert set(binary.cycles()) - set(pairs.cycles()) == {"convert"}
    assert pairs.title != binary.title


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"width": 2}, "width"),
        ({"width": 16, "form": "redundant"}, "form"),
        ({"width": 16, "adder_word": 16}, "adder-word"),
        ({"width": 16, "form": "binary", "adder_word": 0}, "adder-word"),
        ({"width": 16, "iterations": "k + 6"}, "iterations"),
    ],
)
def test_refusals(options: dict[str, object], key: str) -> None:
    with pytest.raises(SpecError) as caught:
        FcsMmm42(**options)  # type: ignore[arg-type]
    assert caught.value.key == key
    assert str(caught.value.value) in caught.value.message
