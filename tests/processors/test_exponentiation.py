"""Exponentiation without hardware: parameters, golden model, cycles, streams."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modmul import multipliers, processors
from modmul.arithmetic import binary
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.errors import SpecError
from modmul.multipliers import Multiplier
from modmul.multipliers.cios import Cios
from modmul.operation import Mode
from modmul.processors.engine.engine import Engine
from modmul.processors.exponentiation import Exponentiation

LEFT_TO_RIGHT = {"method": "left-to-right", "exponent_secrecy": "public"}
KINDS = ({}, {"units": 2}, LEFT_TO_RIGHT)


def processor(name: str, width: int, **options: object) -> Exponentiation:
    multiplier = multipliers.find(name)(width=width)
    return Exponentiation(multiplier=multiplier, **options)  # type: ignore[arg-type]


def of(length: int) -> Mode:
    """Exponents of that many bits."""
    return Mode("exponentiate", length=length)


def power_of(design: Exponentiation, base: int, exponent: int, modulus: int, **options: Any) -> int:
    """By the golden model."""
    return design.compute(design.job(base, exponent, modulus, **options))["power"]


def clocks(design: Exponentiation, ones: int) -> float:
    """All of them, with so many ones among 100 bits."""
    return sum(term.mean for term in design.cycles(of(100), ones=ones).values())


def modular() -> list[str]:
    """Names of the multipliers that it can be built on."""
    smallest = {name: entry() for name, entry in multipliers.REGISTRY.items()}
    return [
        name
        for name, multiplier in smallest.items()
        if multiplier.montgomery_factor is not None and multiplier.modulus_at == "run time"
    ]


def test_is_in_the_registry() -> None:
    assert processors.find("exponentiation") is Exponentiation
    with pytest.raises(SpecError, match="must be one of exponentiation") as caught:
        processors.find("division")
    assert caught.value.value == "division"


def test_examples_cover_all_forms_and_methods() -> None:
    examples = Exponentiation.examples()
    assert {example.method for example in examples} == {"ladder", "left-to-right"}  # type: ignore[attr-defined]
    assert {example.units for example in examples} == {1, 2}  # type: ignore[attr-defined]
    assert {example.multiplier.operand_form for example in examples} == {"binary", "carry-save"}
    assert any(example.multiplier.montgomery_factor == 1 for example in examples)
    assert any("binary" in example.multiplier.fields for example in examples)


# ---- what is refused ----------------------------------------------------------------------------


def test_left_to_right_is_refused_for_a_secret_exponent() -> None:
    with pytest.raises(SpecError, match="ones of a secret exponent") as caught:
        processor("interleaved", 16, method="left-to-right")
    assert (caught.value.key, caught.value.allowed) == ("method", "ladder")
    assert processor("interleaved", 16, **LEFT_TO_RIGHT).timing == "data-dependent"
    allowed = processor("interleaved", 16, method="left-to-right", allow_leaks=True)
    assert "ones of the exponent" in allowed.leaks[0]


def test_a_multiplier_of_data_dependent_time_is_refused_for_secrets() -> None:
    for public in ({}, {"exponent_secrecy": "public"}, {"base_secrecy": "public"}):
        with pytest.raises(SpecError, match="must be of constant time") as caught:
            processor("scs-mm-new", 16, **public)
        assert caught.value.key == "multiplier"
    public = processor("scs-mm-new", 16, exponent_secrecy="public", base_secrecy="public")
    allowed = processor("scs-mm-new", 16, allow_leaks=True)
    for design in (public, allowed):
        assert design.timing == "data-dependent"
        assert design.leaks == tuple(f"Of each product: {leak}" for leak in design.multiplier.leaks)
    assert processor("scs-mm-1", 16).timing == "constant"
    assert processor("scs-mm-1", 16).leaks == ()


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"method": "sideways"}, "method"),
        ({"units": 3}, "units"),
        ({"units": True}, "units"),
        ({"exponent_word": 24}, "exponent-word"),
        ({"longest_exponent": 0}, "longest-exponent"),
        ({"beat": 1}, "beat"),
        ({"allow_leaks": 1}, "allow-leaks"),
        ({"units": 2, **LEFT_TO_RIGHT}, "units"),
    ],
)
def test_parameters_that_cannot_be(options: dict[str, object], key: str) -> None:
    with pytest.raises(SpecError) as caught:
        processor("interleaved", 16, **options)
    assert caught.value.key == key


def test_a_multiplier_that_adds_is_refused() -> None:
    """Nothing would ask it for sums; engines have an adder of their own."""
    adds = Cios(width=64, adder=True)
    for build in (lambda: Exponentiation(multiplier=adds), lambda: Engine(adds)):
        with pytest.raises(SpecError, match="must be one with adder = false") as caught:
            build()
        assert caught.value.key == "multiplier"


def test_beats_are_the_words_of_a_multiplier_that_takes_words() -> None:
    assert processor("fpmm", 128).word == 34
    assert processor("interleaved", 128).word == 32
    assert processor("interleaved", 128, beat=7).facts.words == 19
    with pytest.raises(SpecError, match="must be 34") as caught:
        processor("fpmm", 128, beat=32)
    assert caught.value.key == "beat"


def test_moduli_and_operands_that_cannot_be() -> None:
    design = processor("interleaved", 16, longest_exponent=20)
    with pytest.raises(SpecError, match="takes at most 16"):
        design.load(1 << 16)
    with pytest.raises(SpecError, match="below 0xffef"):
        design.request(design.job(0xFFEF, 1, 0xFFEF))
    with pytest.raises(SpecError, match="from 0 to 20"):
        design.request(design.job(1, 1 << 20, 0xFFEF))
    with pytest.raises(SpecError, match="at most 3 bits"):
        design.request(design.job(1, 8, 0xFFEF, bits=3))
    with pytest.raises(SpecError, match="field"):
        design.load(0b1011, "binary")
    published = Exponentiation(
        multiplier=multipliers.find("fcs-mmm42")(width=16, iterations="published"), allow_leaks=True
    )
    published.load(0xFFEF)  # 3 mod 4
    with pytest.raises(SpecError, match="results can be operands"):
        published.load(0xFFF1)


def test_public_inputs_are_not_secret() -> None:
    assert processor("interleaved", 16).secrets == ("modulus", "operand", "exponent")
    exponent = processor("interleaved", 16, exponent_secrecy="public")
    assert exponent.secrets == ("modulus", "operand")
    both = processor("interleaved", 16, exponent_secrecy="public", base_secrecy="public")
    assert both.secrets == ("modulus",)
    assert processor("fips", 16).secrets == ("operand", "exponent")


# ---- golden model -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=("ladder", "two units", "left to right"))
@pytest.mark.parametrize("name", modular())
def test_golden_model_equals_pow(name: str, kind: dict[str, object]) -> None:
    width = 17
    design = processor(name, width, allow_leaks=True, **kind)
    rng = random.Random(name)
    for low in (1, 3, 5, 7):  # bounds may depend on N mod 4
        modulus = rng.getrandbits(width) >> 3 << 3 | 1 << width - 1 | low
        for base in (0, 1, modulus - 1, rng.randrange(modulus)):
            exponent = rng.getrandbits(9)
            power = power_of(design, base, exponent, modulus, bits=11)
            assert power == pow(base, exponent, modulus)
        assert power_of(design, base, 0, modulus) == 1


@settings(max_examples=60)
@given(data=st.data())
def test_golden_model_in_both_fields(data: st.DataObject) -> None:
    design = processor("fips", 40, **data.draw(st.sampled_from(KINDS)))
    field = data.draw(st.sampled_from(["prime", "binary"]))
    modulus = data.draw(st.integers(1, (1 << 39) - 1)) << 1 | 1
    modulus = max(modulus, 3)
    bound = design.over(modulus, field).operand_bound  # type: ignore[arg-type]
    base, exponent = data.draw(st.integers(0, bound - 1)), data.draw(st.integers(0, 1 << 20))
    power = power_of(design, base, exponent, modulus, field=field)
    wanted = 1
    for bit in f"{exponent:b}":
        square = binary.product(wanted, wanted, modulus) if field == "binary" else wanted**2
        times = base if bit == "1" else 1
        product = binary.product(square, times, modulus) if field == "binary" else square * times
        wanted = product if field == "binary" else product % modulus
    asked = OracleQuery("exponentiate", {"base": base, "exponent": exponent}, modulus, field)  # type: ignore[arg-type]
    assert power == wanted == right(asked)["power"]


# ---- cycles -------------------------------------------------------------------------------------


def loop_clocks(
    method: str, units: int, length: int, ones: int, multiply: float, square: float
) -> float:
    """e*T_q + u*T_m, e*(T_m + T_q), e*max(T_m, T_q) (dualfips, section 6)."""
    if method == "left-to-right":
        return length * square + ones * multiply
    return length * (max(multiply, square) if units == 2 else multiply + square)


def test_formulas_of_the_source() -> None:
    """dualfips, section 6: 1024 bits, s = 32, half of the bits ones."""
    times = (2084, 1588)
    assert loop_clocks("left-to-right", 1, 1024, 512, *times) == 2693120
    assert loop_clocks("ladder", 1, 1024, 512, *times) == 1024 * (2084 + 1588)
    assert loop_clocks("ladder", 2, 1024, 512, *times) == 2134016


@pytest.mark.parametrize("name", ["interleaved", "montgomery-radix2", "fips", "fcs-mm-1"])
def test_loop_is_that_of_the_formulas_and_the_wait_for_results(name: str) -> None:
    """On one slot; a product that waits for a result begins in the cycle after its first beat."""
    for kind in KINDS:
        design = processor(name, 128, **kind)
        multiplier = design.multiplier
        mode = Mode()
        square = mode.square() if multiplier.squares else mode
        beats = multiplier.beats
        chained = [
            max(multiplier.latency(m).maximum - beats + 1, multiplier.interval(m).maximum)
            for m in (mode, square)
        ]
        if design.facts.is_ladder and design.units == 1:  # the square does not wait
            chained[0] = multiplier.interval(mode).maximum
        for ones in (0, 20, 40):
            maximum = design.cycles(of(40), ones=ones)["loop"].maximum
            formula = loop_clocks(design.method, design.units, 40, ones, *chained)
            assert maximum == formula + beats - 1  # the last beat of the last result


def test_cycles_without_a_number_of_ones_are_a_range() -> None:
    design = processor("interleaved", 64, **LEFT_TO_RIGHT)
    cycles = design.latency(of(100))
    assert cycles.minimum == clocks(design, 0)
    assert cycles.maximum == clocks(design, 100)
    assert cycles.mean == clocks(design, 50)
    constant = processor("interleaved", 64).latency(of(100))
    assert constant.minimum == constant.maximum


def test_slots_make_the_ladder_cheaper_than_its_products() -> None:
    """fpmm makes the square beside the product."""
    design = processor("fpmm", 128)
    multiplier = design.multiplier
    assert multiplier.slots > 1
    latency = multiplier.latency().maximum
    loop = design.cycles(of(1000))["loop"].maximum
    assert 1000 * latency < loop < 1000 * 1.2 * latency


# ---- streams ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", modular())
def test_beats_fit_their_streams(name: str) -> None:
    design = processor(name, 33, allow_leaks=True, beat=None if one_word(name) else 8)
    modulus = (1 << 33) - 9
    beats = design.load(modulus) | design.request(
        design.job(modulus - 1, (1 << 70) - 1, modulus, bits=77)
    )
    members = {stream.name: stream.members for stream in design.streams}
    for stream, packet in beats.items():
        for beat in packet:
            assert set(beat) == set(members[stream])
            assert all(value < 1 << members[stream][field][0] for field, value in beat.items())
    assert [beat["data"] for beat in beats["exponent"]] == [0x3F, (1 << 32) - 1, (1 << 32) - 1]
    assert design.reply(of(77), beats["operand"]) == {"power": modulus - 1}


def one_word(name: str) -> bool:
    multiplier: Multiplier = multipliers.find(name)(width=33)
    return multiplier.beats > 1
