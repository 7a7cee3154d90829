"""Programs for any curve of an engine, on the golden machine; scalars from registers; the store."""

from __future__ import annotations

import pytest

import engine_reference
from known_answers import AffineCurve, curve, image, multiplied, seeded, x_tests
from modmul import multipliers
from modmul.errors import SpecError
from modmul.processors.engine import library, operation, stored
from modmul.processors.engine.assembler import assemble
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.operation import run
from modmul.processors.engine.text import parse

COMPLETE = {
    "P-256": "complete-3",
    "P-192": "complete-3",
    "secp256k1": "complete0",
    "brainpoolP256r1": "complete",
    "SM2": "complete",
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if name in ("P-256", "SM2") else ())
        for name in COMPLETE
    ],
)
@pytest.mark.short("P-192", "brainpoolP256r1")
def test_any_curve_by_one_program(name: str) -> None:
    """Also with a prime shorter than the engine, and scalars that are not below the order."""
    c, rng = curve(name), seeded(name)
    base, bits = (c.gx, c.gy), c.n.bit_length()
    for program, scalars in (
        ("ladder", (rng.randrange(2, c.n - 2), 2, c.n - 3, (1 << bits) - 1)),
        ("ladder-x", (rng.randrange(1, c.n - 1), c.n - 2)),
        (COMPLETE[name], (rng.randrange(c.n), 1, c.n - 1)),
    ):
        assembled = image(program)
        for k in scalars:
            result = multiplied(assembled, c, k, base, rng.randrange(1, c.p))
            assert (result.results, result.status) == (c.times(k % c.n, base), 1)
            assert result.outcome.cycles == assembled.cycles([bits])


def test_x25519_by_the_program_for_any_curve() -> None:
    for values, answer in x_tests("X25519"):
        result = run(image("x"), 2**255 - 19, {**values, "bits": 255})
        assert result.results == (answer,)


@pytest.mark.parametrize("architecture", ["fpmm", "fips", "montgomery-lookahead"])
def test_inversion_without_a_prime(architecture: str) -> None:
    assembled = image("inverse", architecture, 64)
    for p in (2**64 - 59, 2**61 - 1, 65537, 3):
        for x in (1, 2, p - 1, (0xBEEF << 40) % p or 1):
            assert run(assembled, p, {"x": x}).results == (pow(x, -1, p),)
        assert run(assembled, p, {"x": 0}).results == (0,)


@pytest.mark.parametrize("program", ["ladder", "ladder-x", "complete0", "x", "inverse", "x-twice"])
def test_the_words_say_what_the_text_says(program: str) -> None:
    assembled = image(program)
    for count in (1, 3):
        engine_reference.compare(assembled, [count] * len(assembled.program.of("counter")))


# ---- where the ladder is right ----------------------------------------------------------------


def small(p: int) -> list[tuple[AffineCurve, list[tuple[int, int]]]]:
    """Every curve over GF(p) of prime order above 3, with its points."""
    every = []
    for a in range(p):
        for b in range(p):
            points = [
                (x, y) for x in range(p) for y in range(p) if (y * y - x**3 - a * x - b) % p == 0
            ]
            n = len(points) + 1
            prime = n > 3 and all(n % divisor for divisor in range(2, n))
            if prime and (4 * a**3 + 27 * b * b) % p:
                every.append((AffineCurve(p, a, b, *points[0], n), points))
    return every


@pytest.mark.parametrize(
    ("p", "program"),
    [
        (5, "ladder"),
        (7, "ladder"),
        (5, "ladder-x"),
        *(
            pytest.param(p, program, marks=pytest.mark.long)
            for p, program in (
                (11, "ladder"),
                (13, "ladder"),
                (7, "ladder-x"),
                (11, "ladder-x"),
                (13, "ladder-x"),
            )
        ),
    ],
)
@pytest.mark.short("5-ladder", "5-ladder-x")
def test_the_status_says_where_the_ladder_is_right(p: int, program: str) -> None:
    """Every point of every curve, every scalar as long as the order; that on x-coordinates alone
    is right for k = 1 and n - 2, too."""
    assembled, rng = image(program, width=8), seeded("lam")
    wrong = 0
    for c, points in small(p):
        for point in points:
            for k in range(1 << c.n.bit_length()):
                result = multiplied(assembled, c, k, point, rng.randrange(1, p))
                right = result.results == (c.times(k % c.n, point) if k % c.n else None)
                assert result.status == right
                wrong += not right
                ends = (0, 1, c.n - 2, c.n - 1) if program == "ladder" else (0, c.n - 1)
                assert right or k % c.n in ends
    assert wrong > 50


# ---- scalars, streams, store ------------------------------------------------------------------


def test_what_a_recoded_scalar_reaches() -> None:
    told = image("ladder").flow
    assert told.timing == "constant" and "k" in told.secret and "n" not in told.secret
    assert len(told.released) == 3  # the test and both coordinates


def test_a_scalar_without_a_secret_is_none() -> None:
    text = library.find("ladder").text.replace("scalar k secret", "scalar k")
    text = text.replace("random lam", "input lam")
    paper = assemble(parse("public", text), image("ladder").engine, stored.schedule)
    assert not paper.flow.secret and not paper.flow.released


def test_beats_of_the_streams() -> None:
    """Every number begins with its lowest beat, every scalar at the highest bit."""
    text = (
        "constant n aligned\ninput x\nscalar e\nscalar k by n\nrandom r\n"
        "loop 3:\nbit e\nx = r if e else x\nend\noutput x % N"
    )
    paper = assemble(parse("streams", text), Engine(multipliers.find("fpmm")(width=64)))
    values = {"n": 11, "x": 5 << 34 | 6, "e": 5, "k": 9, "r": 7}
    given = operation.streams(paper, [paper.engine.over(2**64 - 59)], values)
    assert given.scalar == [5 << 65, 9 << 64] and given.constants == [11 << 64]
    assert operation.beats(paper, given) == ([6, 5], [0, 5 << 31, 0, 9 << 30], [7, 0])
    assert run(paper, 2**64 - 59, values).results == (7,)


def test_one_store_serves_two_programs() -> None:
    names = ("n", "b", "a", "r2", "one", "unit", "fermat", "ba", "most")
    rows = {name: place for place, name in enumerate(names)}
    engine, c = image("ladder").engine, curve("P-256")
    values = {
        "n": c.n,
        "a": c.a,
        "b": c.b,
        "ba": c.ba,
        "x": c.gx,
        "y": c.gy,
        "k": 5,
        "lam": 3,
        "bits": 256,
    }
    stores = []
    for program in ("ladder", "on-curve"):
        paper = assemble(library.find(program), engine, stored.schedule, rows)
        assert run(paper, c.p, values).status == (program == "ladder")
        stores.append(operation.store(paper, [engine.over(c.p)], values))
    assert all(number == other for number, other in zip(*stores, strict=False) if number and other)
    with pytest.raises(SpecError, match="constant b has no number in the store"):
        assemble(library.find("on-curve"), engine, rows={"r2": 0, "a": 1})


def test_bits_of_the_status() -> None:
    text = "input x, y\ntest x\ntest 2: y\ntest 3: x"
    paper = assemble(parse("flags", text), Engine(multipliers.find("fpmm")(width=64)))
    for x, y in ((0, 0), (1, 0), (0, 5), (3, 4)):
        assert run(paper, 101, {"x": x, "y": y}).status == 9 * bool(x) + 4 * bool(y)
    both = assemble(library.find("on-curve-twice"), image("on-curve").engine, stored.schedule)
    c = curve("P-256")
    values = {"a": c.a, "b": c.b, "x.1": c.gx, "y.1": c.gy, "x.2": c.gx, "y.2": c.gx}
    assert run(both, c.p, values).status == 2


def test_a_scalar_longer_than_a_register_is_refused() -> None:
    text = "input x\nscalar e\nloop 69:\nbit e\nx = x if e else x\nend\noutput x % N"
    paper = assemble(parse("long", text), Engine(multipliers.find("fpmm")(width=64)))
    with pytest.raises(SpecError, match="69 bits: must be 68 at most"):
        run(paper, 101, {"x": 1, "e": 1})
