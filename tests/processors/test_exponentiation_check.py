"""`protection = full` of exponentiation: what is checked, and faults that are seen."""

from __future__ import annotations

from typing import Any

import pytest

from modmul import multipliers
from modmul.errors import SpecError
from modmul.processors.contract import Load
from modmul.processors.exponentiation import EXPONENTIATE, Exponentiation
from modmul.spec import Spec
from modmul.toolchain.work import Work
from modmul.verification import faults

SMALL: dict[str, Any] = {"architecture": "exponentiation", "width": 32, "protection": "full"}
LEFT_TO_RIGHT = {"method": "left-to-right", "exponent_secrecy": "public"}


def processor(name: str, width: int, protection: str = "full", **options: Any) -> Exponentiation:
    multiplier = multipliers.find(name)(width=width, protection=protection)
    return Exponentiation(multiplier=multiplier, **options)


@pytest.mark.parametrize(
    ("name", "options", "key"),
    [
        ("cios", LEFT_TO_RIGHT, "method"),  # no relation between two numbers
        ("interleaved", {}, "multiplier"),  # a wrong modulus would be used throughout
        ("fcs-mm-1", {}, "multiplier"),  # numbers are pairs
    ],
)
def test_what_cannot_be_checked_is_refused(name: str, options: dict[str, Any], key: str) -> None:
    with pytest.raises(SpecError, match=f"{key} = .*protection = full") as caught:
        processor(name, 32, **options)
    assert caught.value.key == key


@pytest.mark.parametrize("name", ["cios", "fpmm", "montgomery-radix2", "montgomery-lookahead"])
def test_a_check_takes_few_cycles(name: str) -> None:
    without, checked = processor(name, 256, "none"), processor(name, 256)
    cycles = [each.latency(each.modes[0]).maximum for each in (without, checked)]
    assert cycles[0] < cycles[1] < 1.025 * cycles[0]
    assert "check" in checked.cycles(checked.modes[0])
    assert "check" not in without.cycles(without.modes[0])


def test_the_last_beat_is_a_status() -> None:
    design, modulus = processor("cios", 32), 0xFFFFFFEF
    mode = design.mode(EXPONENTIATE, Load(modulus))
    power = design.job(5, 77, modulus)
    beats = design.answer(power)
    assert len(beats) == design.reply_beats(mode, modulus) == 3
    assert design.reply(mode, beats) == {"power": pow(5, 77, modulus)}
    assert design.reply(mode, [*beats[:-1], {"data": 1}]) == {"fault": True}
    table = design.packets(mode, Load(modulus))
    assert (table.beats, table.outcomes[0], set(table.outcomes[1:])) == (3, "", {"fault"})


def test_a_power_of_0_counts_as_a_fault() -> None:
    """A single fault can make 0 of a number, and 0 fulfils every relation."""
    design = processor("montgomery-radix2", 16)
    nilpotent = design.job(3, 5, 243)  # 3^5 mod 3^5
    assert design.compute(nilpotent) == design.declined(nilpotent) == {"fault": True}
    assert design.reply(nilpotent.mode, design.answer(nilpotent)) == {"fault": True}
    for base, exponent in ((0, 5), (3, 4)):
        job = design.job(base, exponent, 243)
        assert design.compute(job) == {"power": pow(base, exponent, 243)}
        assert design.declined(job) is None


def _silent(options: dict[str, Any], count: int, seed: int) -> tuple[int, int]:
    """Return how many faults were refused, and how many gave a wrong result or released one."""
    result = faults.inject(Spec.from_options(options), count, ("flip",), seed, Work())
    counts = [row.counts for row in result.effects]
    wrong = sum(each["silent"] + each["released"] for each in counts)
    return sum(each["refused"] for each in counts), wrong


def test_no_fault_is_silent() -> None:
    """On a multiplier whose products can be above N when they leave the domain."""
    refused, wrong = _silent(SMALL | {"multiplier": "montgomery-lookahead"}, 160, 31)
    assert refused > 40 and wrong == 0


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    "options",
    [
        {"multiplier": "cios"},
        {"multiplier": "cios", "units": 2},
        {"multiplier": "fpmm"},
        {"multiplier": "fips", "word": 8},
        {"multiplier": "montgomery-radix2"},
        {"multiplier": "montgomery-lookahead"},
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)
def test_no_fault_is_silent_in_many(options: dict[str, Any]) -> None:
    refused, wrong = _silent(SMALL | options, 10_000, 12)
    assert refused > 1000 and wrong == 0
