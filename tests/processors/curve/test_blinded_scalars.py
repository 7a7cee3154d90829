"""Blinded scalars of signatures and key agreement, on curves over both kinds of fields: a random
multiple of the order is added to nonces and private keys before bits are taken of them, and no
result depends on it."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import pytest

from faulty_engine import Faulty
from known_signatures import known
from modmul import multipliers
from modmul.arithmetic import curves, points, signatures
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.errors import SpecError
from modmul.export.signatures import drawn
from modmul.operation import Job
from modmul.processors.binary_curve import BinaryCurve
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.engine.blinding import high_bits, is_certain, longest
from modmul.processors.engine.curve_processor import CurveProcessor
from modmul.processors.engine.golden import EngineOutcome, Golden
from modmul.processors.engine.hardware.build import ENTRY
from modmul.processors.engine.operation import streams
from modmul.processors.engine.values import Numbers
from modmul.spec import Spec
from modmul.verification.simulation import simulate

BITS = 20
EXCEPTIONAL = {"exceptional": True}
BINARY = ("point-multiply", "ecdsa-sign", "ecdh")
# Operations and a curve on which no beginning of a scalar is one for which there is no ladder.
ASKED = [
    *(
        (scheme, "toy64")
        for scheme in ("ecdsa-sign", "sm2-sign", "sm2-exchange", "ecdh", "sm2-decrypt")
    ),
    *((operation, "toy17-binary") for operation in BINARY),
]


@cache
def processor(name: str, bits: int = BITS, **options: Any) -> CurveProcessor:
    curve = curves.find(name)
    if curve.form == "binary":
        multiplier = multipliers.find("fips")(width=curve.bits, word=8 if curve.bits > 8 else 4)
        return BinaryCurve(multiplier=multiplier, blinding=bits, **options)
    return PrimeCurve(
        multiplier=multipliers.find("fpmm")(width=max(9, curve.bits)),
        blinding=bits,
        forms="weierstrass",
        **options,
    )


def job(operation: str, name: str, **given: int) -> Job:
    """given: some of the operands; the others are drawn."""
    curve, design = curves.find(name), processor(name, 3)
    mode = design.mode(operation, Load.of(curve))
    rules = {rule.name: rule for rule in design.operand_rules(mode, curve.prime)}
    if operation == "point-multiply":
        return Job(mode, curve.prime, {"scalar": 12345, "x": curve.x, "y": curve.y} | given)
    rng = random.Random(operation)
    while True:
        asked = Job(mode, curve.prime, drawn(operation, curve, rules, rng))
        if wanted(asked).keys() & {"x", "s"}:
            return Job(mode, curve.prime, asked.operands | given)


def wanted(asked: Job) -> dict[str, int]:
    return dict(
        right(
            OracleQuery(asked.mode.operation, asked.operands, asked.modulus, curve=asked.mode.curve)
        )
    )


def by(asked: Job, design: CurveProcessor, blind: int) -> EngineOutcome:
    """With that random number."""
    image = design.image(asked.mode)
    settings = design.programs.settings(
        design.moduli(asked.modulus, asked.mode.curve), [image.program.name]
    )
    values = design.values(asked) | {"blind": blind}
    given = streams(image, settings, values, design.lengths(asked))
    numbers = Numbers(image.machine, settings, design.engine.limits.register)
    counters = [values[counter] for counter in image.program.of("counter")]
    return Golden(image.machine, numbers).run(image.words, given, counters)


class Taken(NamedTuple):
    """What the two loops over bits of the scalar read."""

    high: int
    low: int


def taken(outcome: EngineOutcome) -> Taken:
    """From the words that load the first scalar: two before the loops; the last one wipes it."""
    values, loaded = dict[int, int](), list[int]()
    for _, word, value in outcome.done:
        if word.op == "SCALAR" and word.aux == 0:
            loaded.append(values[word.a])
        if word.writes:
            values[word.dst] = value
    return Taken(*loaded[-3:-1])


def multiplier_of(asked: Job) -> int:
    """How often the point is added up, modulo the order."""
    of, curve = asked.operands, asked.mode.curve
    assert curve is not None
    if asked.mode.operation == "sm2-exchange":
        return (of["private"] + of["factor"] * of["ephemeral"]) % curve.order
    return next(of[name] for name in ("scalar", "nonce", "private") if name in of)


@pytest.mark.parametrize(("operation", "name"), ASKED)
def test_what_a_blinded_scalar_is(operation: str, name: str) -> None:
    """The bits that are taken are those of k + r*n and a constant multiple of n: as many for all r,
    others for each r.  Results, words and cycles are the same, and the cycles those declared."""
    curve, design, asked = curves.find(name), processor(name), job(operation, name)
    wide, seen, said, traces = design.engine.wide, set(), [], set()
    length = wide if operation == "sm2-exchange" else curve.order.bit_length()
    binary = curve.form == "binary"
    highest = high_bits("ladder-binary" if binary else "ladder", BITS)
    for r in (0, 1, 0x5A5A5, (1 << BITS) - 1):
        outcome = by(asked, design, r << wide - BITS)
        high, low = taken(outcome)
        assert high % (1 << wide - highest) == low % (1 << wide - length) == 0
        number = 1 << highest + length
        number |= high >> wide - highest << length | low >> wide - length
        assert number % curve.order == multiplier_of(asked)
        drawn_as = r ^ r >> 1  # each bit is exclusive-ored with the one before
        seen.add(number // curve.order - (drawn_as if binary else 4 * drawn_as))
        assert binary or number // curve.order % 4 == 1
        said.append(design.said(asked.mode, outcome.results, int(outcome.status)))
        traces.add((tuple(outcome.trace()), outcome.cycles))
        assert {outcome.memory[place] for place in design.image(asked.mode).used} == {0}  # wiped
    assert len(seen) == 1  # r times the order, and what does not depend on r
    assert said == [wanted(asked)] * len(said) and "exceptional" not in said[0]
    ((_, cycles),) = traces
    assert cycles + ENTRY + 1 == sum(part.maximum for part in design.cycles(asked.mode).values())


@pytest.mark.parametrize(("operation", "name"), ASKED)
def test_where_the_scalar_itself_is_read(operation: str, name: str) -> None:
    """In sums alone: the random multiple is added to it, or it is compared with the ends."""
    image = processor(name).image(job(operation, name).mode)
    every = list(image.program.operations())
    assert image.program.source("blind").kind == "random"
    assert image.flow.timing == "constant" and not image.flow.leaks
    for scalar in ("k", "number"):
        if scalar in {source.name for source in image.program.sources}:
            readers = {operation.op for operation in every if scalar in operation.reads}
            assert readers <= {"WRAP", "SCALAR"} and (scalar == "k" or "SCALAR" not in readers)


@pytest.mark.parametrize(
    ("operation", "name"), [case for case in ASKED if case[0] != "sm2-decrypt"]
)
@pytest.mark.short("sm2-sign-toy64", "ecdsa-sign-toy17-binary")
def test_keys_and_nonces_at_their_ends(operation: str, name: str) -> None:
    """And near them, with as few bits of the random number as there can be, and as many."""
    curve = curves.find(name)
    last = 1 if operation == "point-multiply" else 0  # which has no y for n - 1
    ends = [*range(1, 5), *range(curve.order - 5, curve.order - last)]
    for bits in (1, longest(processor(name).engine.wide)):
        for end in ends:
            asked = job(operation, name, **secret(operation, name, end))
            assert processor(name, bits).compute(asked) == wanted(asked)


def secret(operation: str, name: str, k: int) -> dict[str, int]:
    """Operands with which the point is multiplied by k."""
    of, n = job(operation, name).operands, curves.find(name).order
    if operation == "sm2-exchange":
        return {"private": (k - of["factor"] * of["ephemeral"]) % n or n}
    return {next(key for key in ("scalar", "nonce", "private") if key in of): k}


@pytest.mark.parametrize(
    ("name", "every"),
    [
        ("toy8", 32),
        ("toy8-long", 64),
        ("toy7-binary", 16),
        *(
            pytest.param(name, 1, marks=pytest.mark.long)
            for name in ("toy8", "toy8-long", "toy7-binary")
        ),
    ],
)
def test_every_scalar_of_small_curves_with_every_random_number(name: str, every: int) -> None:
    """All are right: the order has bits enough that nothing is left to chance."""
    curve, design, bits = curves.find(name), processor(name, 3), 3
    assert is_certain(curve.order, bits) or curve.form == "binary"
    asked = job("ecdh", name, x=curve.x, y=curve.y)
    ends = {1, 2, 3, curve.order - 3, curve.order - 2, curve.order - 1}
    for k in sorted({*range(1, curve.order, every), *ends}):
        given = Job(asked.mode, asked.modulus, {**asked.operands, "private": k})
        for r in range(1 << bits):
            outcome = by(given, design, r << design.engine.wide - bits)
            said = design.said(given.mode, outcome.results, int(outcome.status))
            assert said == wanted(given), (k, r)


def test_more_bits_than_the_order_has() -> None:
    """Then a beginning of the scalar may be 0 modulo n: nothing wrong leaves."""
    counts = Counter[str]()
    for operation in ("ecdsa-sign", "ecdh", "point-multiply"):
        for k in range(2, 30):
            asked = job(operation, "toy8", **secret(operation, "toy8", k))
            said = processor("toy8", 16).compute(asked)
            assert said in (wanted(asked), EXCEPTIONAL)
            counts["right" if "exceptional" not in said else "exceptional"] += 1
    assert counts["right"] > 0.7 * counts.total() and counts["exceptional"]


@pytest.mark.parametrize(("operation", "name"), [("ecdsa-sign", "toy64"), ("ecdh", "toy17-binary")])
@pytest.mark.short("ecdh-toy17-binary")
def test_faults_while_a_blinded_point_is_multiplied(operation: str, name: str) -> None:
    """Nothing wrong leaves."""
    design, asked, rng = processor(name), job(operation, name), random.Random(name)
    done = [each.word for each in design.run(asked).outcome.done]
    steps = [at for at, word in enumerate(done) if (word.op, word.aux, word.a) == ("BIT", 0, 0)]
    seen = Counter[str]()
    for place in design.image(asked.mode).used:
        after = rng.randrange(steps[BITS + 1], steps[-1])
        outcome = Faulty(design, asked, after, place, rng.randrange(16)).outcome_of()
        if outcome is None:
            continue  # a number that the machine refuses
        said = design.said(asked.mode, outcome.results, int(outcome.status))
        seen["no effect" if said == wanted(asked) else "found"] += 1
        assert said == wanted(asked) or (
            said.keys() <= {"fault", "exceptional"} and set(outcome.results) == {0}
        )
    assert seen["found"] > 3


@pytest.mark.parametrize("name", ["toy16", "toy17-binary"])
def test_random_numbers_beyond_a_register_are_refused(name: str) -> None:
    wide = processor(name).engine.wide
    with pytest.raises(SpecError, match=f"blinding = {wide}: must be at most {wide - 3}: a regi"):
        processor(name, wide)


# ---- on the Verilog -----------------------------------------------------------------------------


def answered(curve: Curve, operation: str, lines: list[dict[str, int]], **options: Any) -> None:
    spec = Spec.from_options(
        {"curve": curve.name, "blinding": 64, "verification": False, **options}
    )
    simulated = simulate(spec, lines, operation=operation)
    assert [line.faults for line in simulated] == [[]] * len(lines)
    for line, simulated_line in zip(lines, simulated, strict=True):
        assert simulated_line.result == right(
            OracleQuery(operation, line, curve.prime, curve=curve)
        )


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["p256", "sm2", "p521"])
def test_known_answers(name: str) -> None:
    """All vectors in which there is a secret, and keys and nonces at their ends."""
    curve = curves.find(name)
    options = {"architecture": "curve", "multiplier": "fpmm", "forms": "weierstrass"}
    told = [case for case in known(curve) if not case.operation.endswith("verify")]
    assert told
    for operation in dict.fromkeys(case.operation for case in told):
        lines = [dict(case.operands) for case in told if case.operation == operation]
        key = "nonce" if "nonce" in lines[0] else "private"
        ends = () if operation == "sm2-exchange" else (1, curve.order - 2, curve.order - 1)
        lines += [{**lines[0], key: end} for end in ends]
        answered(curve, operation, lines, **options)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["k163", "b283"])
def test_on_binary_curves(name: str) -> None:
    curve = curves.find(name)
    options = {"architecture": "binary-curve", "multiplier": "fips", "word": 64}
    other = points.multiply(curve, 77, signatures.base(curve))
    assert other is not None
    ends = (1, 12345, curve.order - 2, curve.order - 1)
    answered(curve, "ecdh", [{"private": end, **other._asdict()} for end in ends], **options)
    answered(
        curve, "ecdsa-sign", [{"digest": 99, "private": 7, "nonce": end} for end in ends], **options
    )
    answered(
        curve,
        "point-multiply",
        [{"scalar": end, "x": curve.x, "y": curve.y} for end in ends[:3]],
        **options,
    )
