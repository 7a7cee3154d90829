"""The processor for binary curves without hardware: golden model, streams, what is refused."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from faulty_engine import newest
from modmul import multipliers
from modmul.arithmetic import curves, own_curves, points, signatures
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError
from modmul.export import points as drawing
from modmul.operation import Job
from modmul.processors.binary_curve import BinaryCurve
from modmul.processors.contract import Load
from modmul.processors.engine.golden import Golden
from modmul.processors.engine.machine import Machine
from modmul.processors.engine.operation import streams
from modmul.processors.engine.timetable import ExecutedWord
from modmul.processors.engine.values import Hazard, Numbers

VECTORS = json.loads((Path(__file__).parent / "vectors" / "ecdsa.json").read_text())["tests"]
TOY, LONGER = curves.find("toy7-binary"), curves.find("toy17-binary")
STANDARD = [curve for curve in curves.every() if curve.form == "binary" and curve.source]


@cache
def processor(width: int = 8, word: int = 4, **options: Any) -> BinaryCurve:
    own = {
        name: options.pop(name)
        for name in ("degrees", "schemes", "units", "ports", "blinding")
        if name in options
    }
    multiplier = multipliers.find("fips")(width=width, word=word, **options)
    return BinaryCurve(multiplier=multiplier, **own)


def job(design: BinaryCurve, operation: str, curve: Curve, **operands: int) -> Job:
    mode = design.mode(operation, Load.of(curve))
    asked = Job(mode, curve.prime, operands)
    design.check_operands(asked)
    return asked


def oracle(asked: Job) -> dict[str, int]:
    mode = asked.mode
    return right(
        OracleQuery(mode.operation, asked.operands, asked.modulus, mode.field, curve=mode.curve)
    )


def base(curve: Curve) -> dict[str, int]:
    return {"x": curve.x, "y": curve.y}


def times(curve: Curve, k: int) -> dict[str, int]:
    product = points.multiply(curve, k, Affine(curve.x, curve.y))
    assert product is not None
    return product._asdict()


@pytest.mark.parametrize("design", BinaryCurve.examples(), ids=lambda design: design.title)
def test_edges_of_every_operation_on_every_curve(design: BinaryCurve) -> None:
    """By the golden machine; the beats of its answer say the same."""
    rng, seen = random.Random(design.title), set()
    for place in drawing.edge_loads(design):
        for operation in design.operations_on(place):
            mode = design.mode(operation, place)
            rules = {rule.name: rule for rule in design.operand_rules(mode, place.modulus)}
            edges = drawing.edges(operation, place, rules, rng)
            for operands in [*edges, drawing.drawn(operation, place, rules, rng)]:
                asked = Job(mode, place.modulus, operands)
                design.check_operands(asked)
                computed = design.compute(asked)
                assert computed == (design.declined(asked) or oracle(asked)), (place, asked)
            answer = design.answer(asked)
            assert design.reply(mode, answer) == computed
            assert len(answer) == design.reply_beats(mode, place.modulus)
            seen.add(operation)
    assert seen == set(design.programs.operations("binary"))


@pytest.mark.parametrize("stride", [30, pytest.param(9, marks=pytest.mark.long)])
def test_every_scalar_and_point_of_a_small_curve(stride: int) -> None:
    """0 gives infinity."""
    design = processor()
    for place in range(1, TOY.order, stride):
        for k in range(TOY.order):
            asked = job(design, "point-multiply", TOY, scalar=k, **times(TOY, place))
            assert design.declined(asked) is None
            assert design.compute(asked) == oracle(asked)


@pytest.mark.parametrize(
    ("p", "a", "b"),
    [
        (0b1011, 0, 3),
        (0b1011, 1, 1),
        *(pytest.param(0b1011, 1, b, marks=pytest.mark.long) for b in range(2, 8)),
        *(
            pytest.param(0b100101, a, b, marks=pytest.mark.long)
            for a, b in ((0, 1), (0, 3), (0, 9), (1, 1), (1, 2), (1, 9))
        ),
    ],
)
def test_every_point_and_scalar(p: int, a: int, b: int) -> None:
    """On curves over 8 and 32 elements, with a base point of the largest order: a small multiple of
    an odd prime."""
    below = 1 << p.bit_length() - 1
    shape = Curve("", "binary", p, a, b, 0, 0, 0)
    every = [Affine(x, y) for x in range(below) for y in range(below) if points.is_on(shape, x, y)]
    orders = {
        point: next(k for k in range(1, 64) if points.multiply(shape, k, point) is None)
        for point in every
    }
    base = max(every, key=lambda point: orders[point])
    n, h = orders[base], (len(every) + 1) // orders[base]
    curve = own_curves.parse(f"binary {p=} {a=} {b=} x={base.x} y={base.y} {n=} {h=}")
    design = processor(p.bit_length(), 2)
    group = [points.multiply(curve, k, base) for k in range(1, curve.order)]
    assert points.with_x(curve, 0) in group
    for point, k in itertools.product(filter(None, group), range(curve.order)):
        for operation, name in (("point-multiply", "scalar"), ("ecdh", "private")):
            if k or operation == "point-multiply":
                asked = job(design, operation, curve, **{name: k}, **point._asdict())
                assert design.compute(asked) == oracle(asked), asked


def composite() -> Curve:
    """The small curve with a base point of order 142, twice a prime, in writing."""
    for x in range(1, TOY.elements):
        point = points.with_x(TOY, x)
        if point and None not in (points.multiply(TOY, k, point) for k in (2, TOY.order)):
            return own_curves.parse(
                f"binary p={TOY.prime:#x} a={TOY.a} b={TOY.b} x={x} y={point.y} n={2 * TOY.order}"
            )
    raise AssertionError


@pytest.mark.parametrize("blinding", [0, 3])
@pytest.mark.short("3")
def test_an_order_that_is_no_prime(blinding: int) -> None:
    """Right for every scalar, with points of all orders, that with x = 0 and infinity among them.
    There are no signatures."""
    curve, design = composite(), processor(blinding=blinding)
    assert curve.cofactor == 1
    known = design.operations_on(Load.of(curve))
    assert known == ("point-multiply", "point-check", "ecdh", "invert")
    tried = [times(curve, k) for k in (1, 3, 2, 71)]
    assert tried[-1]["x"] == 0
    for point in tried:
        for k in sorted({*range(1, curve.order, 12), 70, 71, 72, 140, 141}):
            for operation, name in (("point-multiply", "scalar"), ("ecdh", "private")):
                asked = job(design, operation, curve, **{name: k}, **point)
                design.check_operands(asked)
                assert design.declined(asked) is None
                assert design.compute(asked) == oracle(asked), asked
    infinity = job(design, "ecdh", curve, private=71, **tried[2])
    assert design.compute(infinity) == {"infinity": True}


@pytest.mark.parametrize("all_pairs", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.timeout(7200)
def test_every_nonce_and_key_of_a_small_curve(all_pairs: bool) -> None:
    """Each key with each nonce, and with each point; by default each once."""
    design, rng = processor(), random.Random(5)
    for k in range(1, TOY.order):
        others = range(1, TOY.order) if all_pairs else [rng.randrange(1, TOY.order)]
        for other in others:
            for nonce, private in ((k, other), (other, k)):
                asked = job(
                    design,
                    "ecdsa-sign",
                    TOY,
                    digest=rng.randrange(128),
                    private=private,
                    nonce=nonce,
                )
                assert design.compute(asked) == oracle(asked)
            shared = job(design, "ecdh", TOY, private=k, **times(TOY, other))
            assert design.compute(shared) == oracle(shared)


@pytest.mark.parametrize("count", [150, pytest.param(1500, marks=pytest.mark.long)])
def test_verification_of_any_numbers(count: int) -> None:
    """So that multiples of points are equal, opposite, and infinity by themselves."""
    design, rng, valid, special = processor(), random.Random(count), 0, set()
    for _ in range(count):
        public = rng.randrange(1, TOY.order)
        nonce, digest = rng.randrange(1, TOY.order), rng.randrange(128)
        r, s = signatures.ecdsa(TOY, digest, public, nonce)
        if rng.random() < 0.5:
            r, s = rng.randrange(1, 80), rng.randrange(1, 80)
        asked = job(design, "ecdsa-verify", TOY, digest=digest, r=r, s=s, **times(TOY, public))
        assert design.compute(asked) == oracle(asked), asked
        valid += oracle(asked)["valid"]
        if 0 < s < TOY.order:
            w = pow(s, -1, TOY.order)
            first, second = digest * w % TOY.order, r * w * public % TOY.order
            special |= {("first", first)} | {("sum", (first + second) % TOY.order)}
            special |= {"equal"} if first == second else set()
    assert valid > count // 4
    assert special >= {("first", 0), ("first", TOY.order - 1), ("sum", 0), "equal"}


def signed(curve: Curve, test: dict[str, str]) -> tuple[int, int, int]:
    """Digest, key and nonce of a vector."""
    digest = hashlib.new(test["hash"].replace("-", ""), bytes.fromhex(test["msg"])).digest()
    surplus = max(0, 8 * len(digest) - curve.order.bit_length())
    number = int.from_bytes(digest, "big") >> surplus
    return number, int(test["d"], 16), int(test["k"], 16)


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(
            vector,
            marks=() if vector["curve"] == "B-163" and not place % 3 else pytest.mark.long,
            id=f"{vector['curve']}-{place}",
        )
        for place, vector in enumerate(VECTORS)
    ],
)
@pytest.mark.short("B-163-42")
def test_vectors(test: dict[str, str]) -> None:
    curve = curves.find(test["curve"])
    design = processor(curve.bits, 32)
    digest, private, nonce = signed(curve, test)
    asked = job(design, "ecdsa-sign", curve, digest=digest, private=private, nonce=nonce)
    computed = design.compute(asked)
    assert computed == {"r": int(test["r"], 16), "s": int(test["s"], 16)}
    public = design.compute(job(design, "point-multiply", curve, scalar=private, **base(curve)))
    assert public == times(curve, private)
    if "qx" in test:
        assert public == {"x": int(test["qx"], 16), "y": int(test["qy"], 16)}
    for r, valid in ((computed["r"], True), (computed["r"] ^ 1, False)):
        asked = job(design, "ecdsa-verify", curve, digest=digest, r=r, s=computed["s"], **public)
        assert design.compute(asked) == {"valid": valid}


@pytest.mark.long  # by default a vector of b163, and the ends on small curves
@pytest.mark.parametrize("curve", STANDARD, ids=lambda curve: curve.name)
def test_curves_of_standards(curve: Curve) -> None:
    """Scalars at their ends, of the base point and of another one; squares of both kinds."""
    rng, n = random.Random(curve.name), curve.order
    for design in (
        processor(curve.bits, 32),
        processor(curve.bits, 32, binary_square="spread", degrees="any"),
    ):
        for point in (base(curve), times(curve, rng.randrange(2, n))):
            for k in (1, 2, n - 2, n - 3, rng.randrange(n)):
                asked = job(design, "point-multiply", curve, scalar=k, **point)
                assert design.compute(asked) == oracle(asked)
            assert design.compute(job(design, "point-check", curve, **point)) == {"valid": True}
    inverted = job(design, "invert", curve, value=curve.y)
    assert design.compute(inverted) == oracle(inverted)


def test_random_numbers_change_beats_and_no_results() -> None:
    design = processor(18, 8)
    asked = job(design, "point-multiply", LONGER, scalar=12345, **base(LONGER))
    numbers, results, written = design.values(asked), set(), set()
    image = design.image(asked.mode)
    settings = design.programs.settings(design.moduli(LONGER.prime, LONGER), [image.program.name])
    for lam in (1, 2, 0x1F00F):
        given = streams(image, settings, numbers | {"lam": lam}, design.lengths(asked))
        numbers_of = Numbers(image.machine, settings, design.engine.limits.register)
        result = Golden(image.machine, numbers_of).run(image.words, given, [LONGER.scalar_bits])
        results.add(tuple(result.results))
        written.add(tuple(done.value for done in result.done))
    assert len(results) == 1 and len(written) == 3


def test_traces_do_not_depend_on_numbers() -> None:
    design, rng = processor(18, 8), random.Random(4)
    for operation, names in (
        ("point-multiply", ("scalar",)),
        ("ecdh", ("private",)),
        ("ecdsa-sign", ("digest", "private", "nonce")),
    ):
        traces, results = set(), set()
        for place in range(12):
            ends = (1, LONGER.order - 1)
            number = ends[place] if place < 2 else rng.randrange(1, LONGER.order)
            point = {} if operation == "ecdsa-sign" else times(LONGER, rng.randrange(1, 1000))
            result = design.run(
                job(design, operation, LONGER, **dict.fromkeys(names, number), **point)
            )
            traces.add(tuple(result.outcome.trace()))
            results.add((result.results, result.status))
        assert len(traces) == 1 and len(results) > 8


# ---- faults -----------------------------------------------------------------------------------


class FaultyRegister(Golden):
    """After so many words one bit of a register is another one."""

    def __init__(self, machine: Machine, numbers: Numbers, after: int, register: int, bit: int):
        super().__init__(machine, numbers)
        self.after, self.register, self.mask, self.hit = after, register, 1 << bit, False

    def issue(self, step: ExecutedWord) -> None:
        super().issue(step)
        if len(self.done) == self.after and (wrote := newest(self, self.register)) is not None:
            self.values[wrote] ^= self.mask
            self.hit = True


@pytest.mark.parametrize("operation", ["ecdsa-sign", "ecdh"])
@pytest.mark.short("ecdsa-sign")
def test_a_fault_of_the_ladder_does_not_leave(operation: str) -> None:
    """One bit of one register changed while the ladder is done: what leaves is right, or nothing
    does."""
    design, rng = processor(18, 8), random.Random(operation)
    own = {"ecdsa-sign": {"digest": 77, "nonce": 54321}, "ecdh": times(LONGER, 9)}[operation]
    asked = job(design, operation, LONGER, private=12345, **own)
    image, mode = design.image(asked.mode), asked.mode
    settings = design.programs.settings(design.moduli(LONGER.prime, LONGER), [image.program.name])
    given = streams(image, settings, design.values(asked), design.lengths(asked))
    passes, right_one = [design.passes(mode)], design.compute(asked)
    steps = [
        place for place, done in enumerate(design.run(asked).outcome.done) if done.word.op == "BIT"
    ][: passes[0]]
    said = []
    for _ in range(150):
        numbers = Numbers(image.machine, settings, design.engine.limits.register)
        machine = FaultyRegister(
            image.machine,
            numbers,
            rng.randrange(steps[0], steps[-1]),
            rng.choice(image.used),
            rng.randrange(LONGER.bits - 1),
        )
        try:
            outcome = machine.run(image.words, given, passes)
        except Hazard:
            continue
        if machine.hit:
            said.append(design.said(mode, outcome.results, int(outcome.status)))
            assert said[-1] in (right_one, {"fault": True}) or set(outcome.results) == {0}
    assert len(said) > 60 and said.count({"fault": True}) > 20


# ---- what is refused ----------------------------------------------------------------------------


def test_operations() -> None:
    load = Load.of(TOY)
    every = ("point-multiply", "point-check", "ecdsa-sign", "ecdsa-verify", "ecdh", "invert")
    assert processor().operations_on(load) == every
    assert processor().operations_on(Load(0x83, "binary")) == ("invert",)
    assert processor(schemes=False).operations_on(load) == (*every[:2], "invert")
    assert BinaryCurve.takes(multipliers.REGISTRY["fips"])
    assert not BinaryCurve.takes(multipliers.REGISTRY["fpmm"])


@pytest.mark.parametrize(
    ("modulus", "curve", "says"),
    [
        (0x85, None, "an irreducible polynomial"),
        (0x83, "p256", "the polynomial of p256"),
        (0x83, "toy17-binary", "the polynomial of toy17-binary"),
        (curves.find("b163").prime, "b163", "its degree is 163: take width = 164"),
        (0b1011, None, "degree 7, and is of degree 3: take width = 4, or degrees = any"),
    ],
)
def test_moduli_and_curves_that_do_not_fit(modulus: int, curve: str | None, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        processor().check_modulus(modulus, "binary", None if curve is None else curves.find(curve))


def test_a_number_is_no_polynomial() -> None:
    with pytest.raises(SpecError, match="a polynomial: curves are over GF"):
        processor().check_modulus(0x83, "prime")
    with pytest.raises(SpecError, match="computes in GF\\(2\\^m\\), too"):
        processor(field="prime")
    with pytest.raises(SpecError, match="schemes = True: must be false: signatures need"):
        processor(field="binary")
    with pytest.raises(SpecError, match="a number: curves are over GF\\(p\\)"):
        from modmul.processors.curve import PrimeCurve

        PrimeCurve(multiplier=multipliers.find("fips")(width=64)).check_modulus(0x83, "binary")
    with pytest.raises(SpecError, match="computes modulo numbers: its field is binary"):
        PrimeCurve(multiplier=multipliers.find("fips")(width=64, field="binary"))


def test_points_that_are_none_or_of_other_groups() -> None:
    design = processor()
    with pytest.raises(SpecError, match="is not on toy7-binary"):
        job(design, "point-multiply", TOY, scalar=5, x=TOY.x, y=TOY.y ^ 1)
    for operation, more in (("point-multiply", {"scalar": 5}), ("ecdh", {"private": 5})):
        with pytest.raises(SpecError, match="group of prime order"):
            job(design, operation, TOY, x=0, y=1, **more)
    asked = job(design, "ecdh", TOY, private=5, x=TOY.x, y=TOY.y ^ 1)
    assert design.compute(asked) == {"invalid": True}
    with pytest.raises(SpecError, match="scalar = 0x47: must be a number below 0x47"):
        design.compute(job(design, "point-multiply", TOY, scalar=71, **base(TOY)))


@pytest.mark.parametrize(
    ("name", "thousand"),
    [
        ("b163", 125),
        pytest.param("b283", 445, marks=pytest.mark.long),
        pytest.param("b571", 3400, marks=pytest.mark.long),
    ],
)
def test_cycles_that_were_required(name: str, thousand: int) -> None:
    curve = curves.find(name)
    design = processor(curve.bits, 32, binary_square="spread")
    mode = design.mode("point-multiply", Load.of(curve))
    asked = job(design, "point-multiply", curve, scalar=3, **base(curve))
    assert design.latency(mode).maximum <= 1000 * thousand
    assert design.run(asked).outcome.cycles + 7 == design.latency(mode).maximum
