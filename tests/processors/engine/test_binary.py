"""Programs modulo a polynomial on the golden machine: what is computed, proved and refused."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

import engine_reference
from modmul import multipliers
from modmul.arithmetic import binary, binary_points, curves
from modmul.errors import SpecError
from modmul.processors.engine import bounds, library, moves, stored
from modmul.processors.engine.assembler import Image, assemble
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.golden import Golden
from modmul.processors.engine.instructions import Word
from modmul.processors.engine.machine import machines
from modmul.processors.engine.operation import run, settings_of
from modmul.processors.engine.text import parse
from modmul.processors.engine.values import Hazard, Numbers

SMALL = curves.find("toy7-binary")
BOTH = """modulus 0 binary
constant r2, unit
input x
X = x * r2
y = (X ** 2 + X) * unit
modulus 1
constant r2, unit
z = (y * r2 - (y * r2) ** 2) * unit % N
output z
modulus 0 binary
constant r2, unit
Z = z * r2
output (Z - Z ** 2) * unit % N
"""


@cache
def engine(width: int = 8, word: int = 4, reducing: bool | None = None, **options: Any) -> Engine:
    multiplier = multipliers.find("fips")(width=width, word=word, **options)
    return Engine(multiplier, reducing=reducing)


def assembled(text: str, on: Engine) -> Image:
    return assemble(parse("mine", text), on, stored.schedule)


@pytest.mark.parametrize("degree", [None, 7])
def test_every_inverse_of_a_small_field(degree: int | None) -> None:
    """Along a chain, and by the bits of 2^m - 2."""
    text = library.find("inverse-binary").text
    image = assembled(text if degree is None else library.of_degree(text, degree), engine())
    for x in range(SMALL.elements):
        wanted = binary_points.invert(x, SMALL.prime)
        assert run(image, SMALL.prime, {"x": x}).results == (wanted,)


@pytest.mark.parametrize("degree", [*range(2, 24), 163, 233, 283, 409, 571])
def test_chains(degree: int) -> None:
    """m - 1 squares, and products as the bits of m - 1 say."""
    text = library.of_degree(library.find("inverse-binary").text, degree)
    program, power = parse("mine", text), {"X": 1}
    counts = {"MUL": -2, "SQR": 0}  # into the multiplier's domain and back
    for section in program.sections:
        times = getattr(section, "count", 1)
        for operation in section.ops:
            counts[operation.op] = counts.get(operation.op, 0) + times
        for square in getattr(section, "carried", ()):
            power[square.end] = power[square.before] << times
        for operation in section.ops:
            if (
                operation.dst
                and operation.dst not in power
                and set(operation.reads) <= power.keys()
            ):
                factors = [power[name] for name in operation.reads]
                power[operation.dst] = 2 * factors[0] if operation.op == "SQR" else sum(factors)
    assert (1 << degree) - 2 in power.values()
    assert counts["SQR"] == degree - 1
    rest = degree - 1
    assert counts["MUL"] == rest.bit_length() - 1 + rest.bit_count() - 1


@pytest.mark.parametrize("reducing", [False, True])
def test_two_fields_in_one_program(reducing: bool) -> None:
    on = engine(17, 8, reducing)
    image = assembled(BOTH, on)
    polynomial, prime = curves.find("toy17-binary").prime >> 1 | 1, 65519
    assert binary.degree(polynomial) == 16
    assert image.program.fields == {0: "binary", 1: "prime"}
    rng = random.Random(3)
    for _ in range(20):
        x = rng.getrandbits(16)
        y = binary.product(x, x, polynomial) ^ x
        z = (y - y * y) % prime
        result = run(image, (polynomial, prime), {"x": x})
        assert result.results == (z, z ^ binary.product(z, z, polynomial))
    engine_reference.compare(image)


@pytest.mark.parametrize("name", ["ladder-binary", "on-binary", "inverse-binary", "b163-ladder"])
@pytest.mark.parametrize("options", [{}, {"binary_square": "spread"}, {"multipliers": 2}], ids=str)
def test_the_words_say_what_the_text_says(name: str, options: dict[str, Any]) -> None:
    on = engine(library.entry(name).width, 32, **options)
    image = assemble(library.find(name), on, stored.schedule)
    engine_reference.compare(image, [3] * len(image.program.of("counter")))


def test_squares_take_the_time_of_their_field() -> None:
    on = engine(164, 32)
    numbers, polynomials = on.machine, on.machine.under("binary")
    assert numbers.square_interval == on.over(on.largest).interval("square").maximum
    assert polynomials.square_interval == on.over(on.largest, "binary").interval("square").maximum
    assert polynomials.square_interval < numbers.square_interval
    sections = parse("mine", BOTH).sections
    latencies = [machine.square_latency for machine in machines(sections, on.machine)]
    times = {"prime": numbers.square_latency, "binary": polynomials.square_latency}
    field, wanted = "prime", []
    for section in sections:
        wanted.append(times[field])
        for operation in section.ops:
            field = operation.field if operation.op == "MODULUS" else field
    assert latencies == [*wanted, times["binary"]] and set(latencies) == {*times.values()}
    assert Engine(multipliers.find("fpmm")(width=64)).machine.binary is None


def test_a_difference_is_a_sum() -> None:
    program = moves.settled(parse("mine", BOTH))
    on = engine(17, 8)
    proved = bounds.prove(program, on.limits, on.binary_limits).program
    field, seen = "prime", set()
    for operation in proved.operations():
        field = operation.field if operation.op == "MODULUS" else field
        seen.add((field, operation.op))
    assert ("binary", "SUB") not in seen and {("prime", "SUB"), ("binary", "ADD")} <= seen


def test_a_difference_of_numbers_is_refused_modulo_a_polynomial() -> None:
    on = engine(17, 8)
    settings = settings_of(on, [0x1100B], {0: "binary"})
    machine = Golden(on.machine, Numbers(on.machine, settings, on.limits.register))
    words = [
        Word("MODULUS", aux=1, wait=on.machine.loading),
        Word("WIPE", dst=32, wait=60),
        Word("SUB", dst=33, a=32, b=32),
    ]
    with pytest.raises(Hazard, match="SUB while the modulus is a polynomial"):
        machine.run([*words, Word("HALT")])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("modulus 1 near binary\ninput x\noutput x", "without `near`"),
        (
            "modulus 0 binary\ninput x below R\noutput x % N",
            "its degree may be that of the modulus",
        ),
        ("modulus 0 binary\ninput x\noutput 1 / x", "after a line `degree NUMBER`"),
        ("modulus 0 odd\ninput x\noutput x", "modulus NUMBER \\[near\\] \\[binary\\]"),
        ("modulus\ninput x\noutput x", "modulus NUMBER"),
        ("degree 1\ninput x\noutput x", "a declaration, a statement"),
    ],
)
def test_texts_that_are_refused(text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        assembled(text, engine())


def test_a_multiplier_of_polynomials_alone() -> None:
    on = engine(field="binary")
    assert (on.field, on.reducing, on.machine.binary) == ("binary", False, None)
    image = assembled(library.find("inverse-binary").text, on)
    assert run(image, SMALL.prime, {"x": 2}).results == (binary.inverse(2, SMALL.prime),)
    with pytest.raises(SpecError, match="on a multiplier that computes modulo numbers, too"):
        assembled("input x\noutput x", on)


def test_a_multiplier_of_numbers_alone() -> None:
    for on in (Engine(multipliers.find("fpmm")(width=64)), engine(18, 8, field="prime")):
        with pytest.raises(SpecError, match="line 5.*on a multiplier that computes in GF"):
            assemble(parse("mine", "\n\n\n\nmodulus 0 binary\ninput x\noutput x"), on)
