"""The streams of an engine."""

from __future__ import annotations

from modmul.blocks.memory import bits_of
from modmul.design import Stream
from modmul.processors.engine.hardware.build import EngineBuild
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.hardware.sequencer import COUNT_BITS
from modmul.processors.packets import ENDS

_MEANINGS = {
    "operand": (
        "numbers that a program asks for",
        "number after number, least significant beat first",
    ),
    "scalar": (
        "scalars",
        "scalar after scalar, least significant beat first, shifted up so that the first bit that "
        "is taken is the highest of a number",
    ),
    "random": ("random numbers", "number after number, not 0, least significant beat first"),
}


def sources(build: EngineBuild) -> list[str]:
    """The names of the streams from which programs take numbers."""
    taken = {word.aux for image in build.images for word in image.words if word.op == "IN"}
    return [name for place, name in enumerate(SOURCES) if place in taken]


def streams(build: EngineBuild, secret: tuple[str, ...] = SOURCES) -> tuple[Stream, ...]:
    """The streams that programs use, in order.  secret: names of the streams whose payload
    must not influence the time."""
    word = build.word
    wiping = f"its number; {len(build.images)}: only overwrites what programs use"
    inputs = [
        Stream(
            "modulus",
            "input",
            "what is loaded for a modulus",
            {"data": (word, f"{build.store_beats} beats of the constant store")},
            "modulus" in secret,
            beats=build.store_beats,
        ),
        Stream(
            "command",
            "input",
            "begins a program",
            {
                "program": (bits_of(len(build.entries)), wiping),
                "count": (COUNT_BITS, "passes of its loops, where it does not say how many"),
            },
        ),
    ]
    for name in sources(build):
        meaning, order = _MEANINGS[name]
        members = {"data": (word, order)}
        inputs.append(Stream(name, "input", meaning, members, name in secret, ends=ENDS))
    result = Stream(
        "result",
        "output",
        "the numbers that a program gives, and its status",
        {
            "data": (
                word,
                "number after number, least significant beat first; the last beat is the status",
            )
        },
        True,
        ends=ENDS,
    )
    return (*inputs, result)
