"""Programs on the golden machine: known answers, bits exact and cycles exact."""

from __future__ import annotations

import pytest

from known_answers import (
    CURVES,
    curve,
    edwards,
    image,
    kummer_tests,
    kummer_values,
    load,
    multiply,
    seeded,
    x_tests,
)
from modmul.errors import SpecError
from modmul.processors.engine.operation import Result, run

QUICK = ("P-256", "secp256k1", "brainpoolP256r1")
NAMES = [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in CURVES]


def exact(result: Result, program: str, *counters: int) -> tuple[int, ...]:
    """The results, if time and registers at the end are as declared."""
    assembled = image(program)
    assert result.outcome.cycles == assembled.cycles(counters)
    assert {result.outcome.memory[number] for number in assembled.used} == {0}
    return result.results


@pytest.mark.parametrize("function", ["X25519", pytest.param("X448", marks=pytest.mark.long)])
def test_rfc_7748(function: str) -> None:
    traces, p = set(), image(function.lower()).program.prime
    assert p is not None
    for values, answer in x_tests(function):
        result = run(image(function.lower()), p, values)
        assert exact(result, function.lower()) == (answer,)
        traces.add(tuple(result.outcome.trace()))
    assert len(traces) == 1  # the same words at the same times, whatever the numbers are


def test_two_at_once() -> None:
    (some, answer), (other, another), *_ = x_tests("X25519")
    both = {"a24": some["a24"]} | {f"{name}.1": some[name] for name in "uk"}
    both |= {f"{name}.2": other[name] for name in "uk"} | {"lam.1": 3, "lam.2": 5}
    result = run(image("x25519-twice"), 2**255 - 19, both)
    assert exact(result, "x25519-twice") == (answer, another)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.short("brainpoolP256r1")
def test_every_curve_by_complete_formulas(name: str) -> None:
    c, rng = curve(name), seeded(name)
    base = (c.gx, c.gy)
    program = f"{CURVES[name]}-complete"
    for k in (rng.randrange(2, c.n), 1):
        product = multiply(name, "complete", k, base, rng.randrange(1, c.p))
        assert exact(product, program) == c.times(k, base)
        assert product.status == 1
    neutral = multiply(name, "complete", c.n, base)
    assert (neutral.results, neutral.status) == ((0, 0), 0)


@pytest.mark.parametrize("name", [name for name in NAMES if name.values[0] != "BLS12-381-G1"])
@pytest.mark.short("secp256k1")
def test_every_curve_by_the_ladder(name: str) -> None:
    c, rng = curve(name), seeded(name)
    base = (c.gx, c.gy)
    for k in (rng.randrange(2, c.n - 2), 2, c.n - 3):
        product = multiply(name, "ladder", k, base, rng.randrange(1, c.p))
        assert exact(product, f"{CURVES[name]}-ladder") == c.times(k, base)
        assert product.status == 1
    for k in (0, 1, c.n - 2, c.n - 1, c.n, c.n + 1):
        assert multiply(name, "ladder", k, base).status == 0


@pytest.mark.parametrize(
    "test",
    [
        case
        if case["curve"] in ("P-256", "brainpoolP256r1")
        else pytest.param(case, marks=pytest.mark.long)
        for case in load("ecdh")["tests"]
    ],
)
def test_ecdh(test: dict[str, str]) -> None:
    c = curve(test["curve"])
    x, y, k = (int(test[key], 16) for key in ("qx", "qy", "d"))
    width = c.p.bit_length()
    inside = x < c.p and y < c.p
    if inside:
        checked = run(image("on-curve", width=width), c.p, {"a": c.a, "b": c.b, "x": x, "y": y})
        inside = checked.status == 0
    assert inside == c.on(x, y)
    if not inside:
        assert test["result"].startswith("F")
        return
    if k >> c.n.bit_length():  # a key that was made longer than any key of the curve is
        with pytest.raises(SpecError, match="k = 0x"):
            multiply(test["curve"], "ladder", k, (x, y))
        assert test["result"].startswith("F")
        return
    shared = multiply(test["curve"], "ladder", k, (x, y)).results[0]
    if not test["result"].startswith("F (7"):  # where the other side's key was changed
        assert (shared == int(test["z"], 16)) == test["result"].startswith("P")


@pytest.mark.parametrize("program", ["kummer", pytest.param("kummer31", marks=pytest.mark.long)])
def test_kummer(program: str) -> None:
    full = program == "kummer31"
    for values, answer in kummer_tests(full):
        result = run(image(program), 2**127 - 1, kummer_values(full) | values)
        assert exact(result, program) == answer


@pytest.mark.parametrize("name", ["Ed25519", pytest.param("Ed448", marks=pytest.mark.long)])
def test_edwards(name: str) -> None:
    c, rng = edwards(name), seeded(name)
    base = (c.gx, c.gy)
    for k in (rng.randrange(c.n), 0, 1, c.n):
        values = {"d": c.d, "d2": 2 * c.d % c.p, "x": c.gx, "y": c.gy, "k": k, "lam": k + 1}
        result = run(image(name.lower()), c.p, values)
        assert exact(result, name.lower()) == c.times(k, base)


@pytest.mark.parametrize("architecture", ["fips", "montgomery-lookahead", "interleaved"])
def test_other_multipliers(architecture: str) -> None:
    c = curve("P-192")
    base = (c.gx, c.gy)
    product = multiply("P-192", "ladder", 0xD1CE << 150, base, architecture=architecture)
    assert product.results == c.times(0xD1CE << 150, base)


@pytest.mark.parametrize("name", ["p256", "curve25519", "bn254-scalar"])
def test_inversion(name: str) -> None:
    assembled, p = image(f"inverse-{name}"), image(f"inverse-{name}").program.prime
    assert p is not None
    for x in (1, 2, p - 1, 0xBEEF << 100):
        assert run(assembled, p, {"x": x}).results == (pow(x, -1, p),)
    assert run(assembled, p, {"x": 0}).results == (0,)
