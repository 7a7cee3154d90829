"""`protection = full` of exponentiation: what is checked, and faults that are seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from modmul import multipliers
from modmul.errors import SpecError
from modmul.export import hdl
from modmul.processors.contract import Load
from modmul.processors.exponentiation import EXPONENTIATE, Exponentiation
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work
from modmul.verification import faults
from modmul.verification.faults import Fault
from modmul.verification.faults.pair import Pair
from modmul.verification.faults.sites import Sites, struck
from modmul.verification.simulation.subjects import subject
from modmul.verification.streams import StreamDesign, StreamSession, compile_streams

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


LOOKAHEAD = SMALL | {"multiplier": "montgomery-lookahead", "modulus": "0xa8501e2d"}


@pytest.fixture(scope="module")
def lookahead() -> Iterator[tuple[Sites, StreamSession]]:
    """Results below 4N; operand a is used up to bit 37, operand b up to bit 33."""
    design = Spec.from_options(LOOKAHEAD).design
    text, sites = struck(StreamDesign.of(design, "stream", hdl.emit(design)))
    with compile_streams([text], Cache()).start() as session:
        yield sites, session


def _pair(session: StreamSession, base: int, exponent: int, *second: int) -> Pair:
    """second: base and exponent of the second power, by default those of the first one."""
    operation = subject(Spec.from_options(LOOKAHEAD), EXPONENTIATE)
    first, other = (
        operation.read(dict(zip(("base", "exponent"), operands, strict=True)))
        for operands in ((base, exponent), second or (base, exponent))
    )
    return Pair.of(operation, (first, other)).with_results(session)


def _effects(
    lookahead: tuple[Sites, StreamSession], pair: Pair, bits: Iterable[str], cycles: Iterable[int]
) -> Counter[str]:
    sites, session = lookahead
    found: Counter[str] = Counter()
    for site in map(sites.site, bits):
        for cycle in cycles:
            fault = Fault("flip", 0, site, 1, cycle, 1)
            found[pair.effect(fault.strike(session, pair))[0]] += 1
    return found


@pytest.mark.parametrize(
    ("bit", "base", "exponent", "cycle"),
    [
        ("x0_memory.ram[1][3]", 0x252A3020E, 0x8EE3E9AD, 1682),
        ("x0_memory.ram[1][4]", 0x1B4B19A2F, 0xFF22A27B, 1338),
        # while words of a result leave
        ("multiplier_0.addend_reg[33]", 0x31A6F3BE, 0x381FFF80, 2462),
    ],
)
def test_bits_above_operands_do_not_count(
    lookahead: tuple[Sites, StreamSession], bit: str, base: int, exponent: int, cycle: int
) -> None:
    """Both products of a bit have the factor X0 in common, one as a, one as b too: if a bit counts
    in one place only, X1 stays X0 times x."""
    pair = _pair(lookahead[1], base, exponent)
    assert _effects(lookahead, pair, [bit], [cycle]) == {"harmless": 1}


def test_bits_above_a_power_do_not_leave(lookahead: tuple[Sites, StreamSession]) -> None:
    """The multiplier uses none of them, so that no product shows them."""
    pair = _pair(lookahead[1], 0x15E9F974B, 0x35D30D74)
    bits = [f"x{number}_memory.ram[1][{bit}]" for number in range(2) for bit in (7, 30)]
    found = _effects(lookahead, pair, bits, range(pair.ends - 240, pair.ends - 220))
    assert found["harmless"] > 70 and not found["silent"] and not found["released"], found


@pytest.mark.parametrize(
    ("bits", "cycles"),
    [
        (["passes_done[1]"], [1594]),
        # while the power leaves the domain and is reduced
        ([f"control_state[{bit}]" for bit in range(4)], range(-255, -225)),
        (["passes_done[0]", "passes_done[1]", "below_modulus[0]"], range(-255, -225)),
    ],
)
def test_a_power_is_below_the_modulus(
    lookahead: tuple[Sites, StreamSession], bits: list[str], cycles: Iterable[int]
) -> None:
    """Here it is not before the subtractions."""
    pair = _pair(lookahead[1], 0x15E9F974B, 0x35D30D74)
    found = _effects(lookahead, pair, bits, [cycle % pair.ends for cycle in cycles])
    assert found["refused"] and not found["silent"] and not found["released"], found


def test_nothing_of_a_refused_operation_is_left(lookahead: tuple[Sites, StreamSession]) -> None:
    """A base or an exponent that is not taken would be that of the next operation."""
    pair = _pair(lookahead[1], 0x31A6F3BE, 0x381FFF80, 0x15E9F974, 0x35D30D74)
    gates = [
        f"{name}_gate.{flag}[0]"
        for name in ("operand", "exponent")
        for flag in ("begun", "filling")
    ]
    bits = [f"control_state[{bit}]" for bit in range(4)]
    found = _effects(lookahead, pair, [*bits, *gates], range(100))
    assert found["refused"] and not found["silent"] and not found["released"], found


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
