"""The beats on the streams of an exponentiation, and numbers made into beats and back."""

from __future__ import annotations

from modmul.arithmetic.words import ceil_div, to_words
from modmul.design import Beat, Beats, Stream
from modmul.multipliers.contract import Constant
from modmul.multipliers.setting import Setting
from modmul.processors.engine.instructions import FLAGS
from modmul.processors.exponentiation.facts import ExponentiationFacts
from modmul.processors.exponentiation.golden import domain
from modmul.processors.packets import ENDS, OperandBits, PacketNumber, Packets, Piece


def streams(
    facts: ExponentiationFacts, *, secret_base: bool, secret_exponent: bool
) -> tuple[Stream, ...]:
    word = facts.word
    choice = "field and words in use, " if facts.multiplier.mode_header_beats else ""
    low_first = ", least significant word first"
    high_first = "exponent, most significant word first, the first one with zeros above its bits"
    status = ", then 0, or 1 if there is a fault" if facts.checked else ""
    return (
        Stream(
            "modulus",
            "input",
            "what is loaded for a modulus",
            {
                "data": (
                    word,
                    f"{choice}constants of the multiplier, then R mod N, R^2 mod N and "
                    "N, those that the design needs",
                )
            },
            secret=not choice,  # the public choice of words comes on the same stream
            ends=ENDS,
        ),
        Stream(
            "command",
            "input",
            "begins an exponentiation",
            {
                "bits": (
                    facts.longest_exponent.bit_length(),
                    "length of the exponent; leading zeros count",
                )
            },
        ),
        Stream(
            "operand",
            "input",
            "the base",
            {"data": (word, f"base{low_first}")},
            secret_base,
            ends=ENDS,
        ),
        Stream(
            "exponent",
            "input",
            "the exponent",
            {"data": (facts.exponent_word, high_first)},
            secret_exponent,
            ends=ENDS,
        ),
        Stream(
            "result",
            "output",
            "the power",
            {"data": (word, f"base^exponent mod N{low_first}{status}")},
            ends=ENDS,
        ),
    )


def constants(facts: ExponentiationFacts, setting: Setting) -> list[Constant]:
    """The beats that load a modulus: those of the multiplier, then R mod N, R^2 mod N and N
    as far as they are needed."""
    word, words = facts.word, facts.words_in(setting.mode)

    def in_words(name: str, value: int) -> list[Constant]:
        parts = to_words(value, word, words)
        if words == 1:
            return [Constant(name, value)]
        return [Constant(f"{name}[{place}]", part) for place, part in enumerate(parts)]

    loaded: list[Constant] = []
    for constant in setting.constants:
        loaded += [constant] if facts.in_words else in_words(constant.name, constant.value)
    if facts.enters_domain:
        of_field = domain(setting)
        loaded += in_words("R mod N", of_field.one) + in_words("R^2 mod N", of_field.square)
    if facts.subtractions:
        loaded += in_words("N", setting.modulus)
    return loaded


def request(
    facts: ExponentiationFacts, setting: Setting, base: int, exponent: int, bits: int
) -> Beats:
    size = facts.exponent_word
    return {
        "command": [{"bits": bits}],
        "operand": _packet(to_words(base, facts.word, facts.words_in(setting.mode))),
        "exponent": _packet(to_words(exponent, size, ceil_div(bits, size))[::-1]),
    }


def packets(facts: ExponentiationFacts, setting: Setting) -> Packets:
    words, size = facts.words_in(setting.mode), facts.exponent_word
    bits = facts.word * words
    sized = PacketNumber("exponent", OperandBits("exponent"), 0, sized=True, highest=size)
    outcomes = ("", *["fault"] * ((1 << FLAGS) - 1)) if facts.checked else ()
    return Packets(
        {"bits": 0},
        "bits",
        (PacketNumber("operand", OperandBits("base"), bits), sized),
        (Piece("power", 0, bits, 0),),
        words + facts.checked,
        outcomes,
    )


def _packet(values: list[int]) -> list[Beat]:
    return [{"data": value} for value in values]
