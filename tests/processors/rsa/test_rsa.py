"""The processor for RSA without hardware: golden model, what is refused, faults, traces."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import random
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import pytest

import engine_reference
from faulty_engine import MODULUS, SCALAR, Faulty
from known_answers import load
from modmul import multipliers
from modmul.arithmetic.keys import Key
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.arithmetic.words import from_words
from modmul.errors import SpecError
from modmul.export import keys
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.engine import operation
from modmul.processors.engine.instructions import instruction_set
from modmul.processors.rsa import Rsa, numbers
from modmul.processors.rsa.operations import PRIVATE, PUBLIC
from modmul.processors.rsa.powers import LADDER, WINDOW
from modmul.processors.rsa.programs import SECOND

_DIGEST_INFO = bytes.fromhex("3031300d060960864801650304020105000420")  # of SHA-256


# Their operands are shorter than registers.
SHORT = ("montgomery-lookahead", "scs-mm-1")
LOOKAHEAD = {"architecture": SHORT[0], "method": LADDER}


@cache
def processor(width: int, architecture: str = "fpmm", **options: Any) -> Rsa:
    return Rsa(multiplier=multipliers.find(architecture)(width=width), **options)


def private(design: Rsa, key: Key, x: int) -> Job:
    return Job(design.mode(PRIVATE, Load(key)), key, {"x": int(x)})


def public(design: Rsa, modulus: int, x: int, e: int) -> Job:
    mode = design.mode(PUBLIC, Load(modulus), length=e.bit_length())
    return Job(mode, modulus, {"x": x, "e": e})


def oracle(job: Job) -> dict[str, int]:
    return right(OracleQuery(job.mode.operation, job.operands, job.modulus))


@pytest.mark.parametrize("design", Rsa.examples(), ids=lambda design: design.title)
@pytest.mark.short(
    "rsa-ladder-4-primes-two-modulus-8-fpmm_32_F8x2D_w33",
    "rsa-ladder-montgomery-lookahead-16-w8",
    "rsa-ladder-distributed-fips-16-w8-m1-l1",
    "rsa-window-fpmm_64_F8x2D",
)
def test_edges_of_every_key(design: Rsa) -> None:
    """p above q, below it, of unequal lengths, e of 2 bits and of more than usual; n that fits."""
    rng, seen = random.Random(1), set()
    for place in keys.edge_loads(design):
        n = int(place.modulus)
        for operation_ in design.operations_on(place):
            for x in (0, 1, n - 1, (1 << design.width) % n, rng.randrange(n)):
                if operation_ == PUBLIC:
                    job = public(design, place.modulus, x, rng.randrange(1, 1 << 9))
                else:
                    assert isinstance(place.modulus, Key)
                    job = private(design, place.modulus, x)
                answer = design.answer(job)
                assert design.compute(job) == oracle(job) == design.reply(job.mode, answer), job
                assert len(answer) == design.reply_beats(job.mode, job.modulus)
            seen.add(design.program_in(job.mode))
    assert seen == set(design.programs.names)


@pytest.mark.long
@pytest.mark.parametrize(
    "multiplier",
    [
        {"architecture": "montgomery-lookahead", "width": 32},
        {"architecture": "montgomery-lookahead", "width": 29},
        {"architecture": "montgomery-lookahead", "width": 30, "stream_word": 8, "lookahead": 2},
        {"architecture": "scs-mm-1", "width": 32},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"units": 2},
        {"primes": 3, "method": LADDER},
        {"primes": 4, "units": 2, "modulus_blinding": 8, "method": LADDER},
        {"base_blinding": True, "exponent_blinding": 9, "modulus_blinding": 12},
    ],
    ids=str,
)
def test_short_operands(multiplier: dict[str, Any], options: dict[str, Any]) -> None:
    architecture = multipliers.find(multiplier["architecture"])
    chosen = {name: value for name, value in multiplier.items() if name != "architecture"}
    test_edges_of_every_key(Rsa(multiplier=architecture(**chosen), **options))


@pytest.mark.parametrize("architecture", ["fpmm", "montgomery-lookahead"])
def test_results_at_the_borders_of_the_words(architecture: str) -> None:
    """y whose high or low number is 0, all ones, or one more: where they are made of t and a."""
    design, tried = processor(16, architecture, method="ladder"), set()
    key = Key(65521, 65519, 11)
    for high in (0, 1, 2, (int(key) >> 16) - 1, int(key) >> 16):
        for low in (0, 1, 2, 65533, 65534, 65535):
            y = high << 16 | low
            if y < key:
                x = pow(y, key.e, int(key))
                assert design.compute(private(design, key, x)) == {"y": y}
                tried.add(y)
    assert len(tried) > 25


def vector(bits: int) -> Key:
    given = next(key for key in load("rsa")["keys"] if key["bits"] == bits)
    return Key(*(int(given[name], 16) for name in "pqe"))


@pytest.mark.parametrize(
    "bits, width",
    [
        (1024, 512),
        (1024, 1024),
        *(pytest.param(bits, bits // 2, marks=pytest.mark.long) for bits in (2048, 3072, 4096)),
    ],
)
@pytest.mark.parametrize("method", ["window", pytest.param("ladder", marks=pytest.mark.long)])
def test_keys_of_cavp(bits: int, width: int, method: str) -> None:
    design, key = processor(width, method=method), vector(bits)
    given = next(key for key in load("rsa")["keys"] if key["bits"] == bits)
    x = random.Random(bits).randrange(key)
    assert design.compute(private(design, key, x)) == {"y": pow(x, int(given["d"], 16), int(key))}


@pytest.mark.parametrize(
    "test",
    [
        known if known["bits"] == 1024 else pytest.param(known, marks=pytest.mark.long)
        for known in load("rsa")["signatures"]
    ],
    ids=lambda known: str(known["bits"]),
)
def test_signatures_of_cavp(test: dict[str, str]) -> None:
    """By the public operation."""
    n, e, length = int(test["n"], 16), int(test["e"], 16), len(test["n"]) // 2
    hashed = _DIGEST_INFO + hashlib.sha256(bytes.fromhex(test["msg"])).digest()
    padded = b"\0\1" + b"\xff" * (length - len(hashed) - 3) + b"\0" + hashed
    design = processor(8 * length)
    computed = design.compute(public(design, n, int(test["s"], 16), e))
    assert computed == {"y": int.from_bytes(padded, "big")}


@pytest.mark.parametrize("e", [3, 17, 65537, 2**64 + 13])
def test_public_exponents(e: int) -> None:
    """Of 2 to 65 bits, the shorter prime being p, then q."""
    design, p, q = processor(64), 2**64 - 59, 2**41 - 21
    if math.gcd(e, (p - 1) * (q - 1)) > 1:
        q = 2**41 - 31
    for key in (Key(p, q, e), Key(q, p, e)):
        job = private(design, key, random.Random(e).randrange(int(key)))
        assert design.compute(job) == oracle(job)


@pytest.mark.parametrize("architecture", ["fpmm", "fips"])
def test_the_words_say_what_the_texts_say(architecture: str) -> None:
    design = processor(64, architecture, method="ladder")
    for image in design.programs.images.values():
        engine_reference.compare(image, [3])


def test_goals() -> None:
    """Cycles of keys by halves, with e = 65537, that were asked for."""
    for bits, units, most in ((2048, 1, 2_600_000), (2048, 2, 1_350_000), (4096, 1, 19_000_000)):
        design = processor(bits // 2, units=units)
        assert design.latency(design.modes[0]).maximum <= most


# ---- what is refused --------------------------------------------------------------------------


def test_what_does_not_fit_is_refused() -> None:
    design = processor(64)
    for wrong, why in ((2**64 + 13, "without its factors"), (2**63, "odd"), (1, "odd")):
        with pytest.raises(SpecError, match=why):
            design.check_modulus(wrong)
    with pytest.raises(SpecError, match="primes has 65 bits: must be at most 64"):
        design.check_modulus(Key(2**64 + 13, 2**61 - 1))
    with pytest.raises(SpecError, match="its e has 69 bits"):
        design.check_modulus(Key(2**64 - 59, 2**61 - 1, 2**68 + 1))
    with pytest.raises(SpecError, match="a number: RSA"):
        design.check_modulus(283, "binary")
    key = Key(2**64 - 59, 2**61 - 1)
    for x in (int(key), int(key) + 1, -1):
        with pytest.raises(SpecError, match="^x = .*below"):
            design.compute(private(design, key, x))


def test_primes_that_are_refused() -> None:
    """Too long for a blinded modulus, too many, too few, and too near to 2^width."""
    for options, key, why in (
        (
            {"modulus_blinding": 16},
            Key(2**64 - 59, 2**61 - 1),
            "64 bits: must be at most 48, .* less the bits .*: a width of 80 takes it",
        ),
        ({}, Key.of_bits(64, 5, count=3), "3 primes: must be 2: .*primes = 3 takes it"),
        ({"primes": 3}, Key.of_bits(64, 5), "2 primes: must be 3: .*primes = 2"),
    ):
        with pytest.raises(SpecError, match=why):
            processor(64, **options).check_modulus(key)
    key = Key(2**29 - 3, 2**29 - 43, 5, 2**29 - 33)
    with pytest.raises(SpecError, match=r"too large: must be at most 2\^29 - 5"):
        processor(29, primes=3, method="ladder").check_modulus(key)
    for bits in (1, 7, 61):
        with pytest.raises(SpecError, match="modulus-blinding = .*: must be 0, or from 8 to 60"):
            processor(64, modulus_blinding=bits)


def test_a_key_that_fits_may_have_any_number_of_primes() -> None:
    design, key = processor(64), Key.of_bits(16, 5, count=3)
    assert design.compute(job := private(design, key, 1 << 40 | 5)) == oracle(job)
    blinded = processor(64, modulus_blinding=12)
    assert blinded.operations_on(Load(key)) == (PRIVATE,)
    assert blinded.compute(job := private(blinded, key, 1 << 40 | 5)) == oracle(job)
    assert blinded.compute(job := public(blinded, int(key), 77, 5)) == oracle(job)


def test_a_seed_decides_the_factors_of_moduli_and_nothing_else() -> None:
    long, short = Key.of_bits(40, 5), Key.of_bits(20, 5)
    one, two = (processor(64, modulus_blinding=12, units=units) for units in (1, 2))
    for blinded, key in ((one, long), (two, long), (one, short)):
        seeded = [key, key.seeded(1), key.seeded(2)]
        results = [blinded.compute(private(blinded, each, 1 << 30 | 5)) for each in seeded]
        assert results == [oracle(private(blinded, key, 1 << 30 | 5))] * 3
        assert len({blinded.moduli(each)[0] for each in seeded}) == 3
        assert len({tuple(blinded.constants(each)) for each in seeded}) == 3
        assert blinded.constants(seeded[1]) == blinded.constants(key.seeded(1))
    assert processor(64).constants(long.seeded(1)) == processor(64).constants(long)


def test_multipliers_that_are_refused() -> None:
    with pytest.raises(SpecError, match=r"^multiplier = .*: must be one that .* 2\^65 N"):
        processor(64, "orup")
    for name in ("three-pass", "montgomery-1csa", "interleaved"):
        with pytest.raises(SpecError, match="^multiplier = .* of 60 bits, or .* a width of 64$"):
            processor(60, name)
    taken = {name for name in multipliers.NAMES if Rsa.takes(multipliers.find(name))}
    assert {"fpmm", "fips", "three-pass", *SHORT} <= taken and "orup" not in taken
    for name in sorted(taken):
        design = processor(64, name, method="ladder")
        assert design.latency(design.modes[0]).maximum > 0


def test_what_verify_draws_is_taken() -> None:
    """`interleaved-redundant` takes no modulus shorter than its width."""
    for name in (name for name in multipliers.NAMES if Rsa.takes(multipliers.find(name))):
        design, rng = processor(64, name, method="ladder"), random.Random(1)
        loads = [keys.random_load(design, rng) for _ in range(20)]
        bare = next(load for load in loads if design.operations_on(load) == (PUBLIC,))
        loads += keys.alike(design, bare, 8, rng)
        assert all(map(design.can_load, loads)), name
        assert len({type(load.modulus) for load in loads}) == 2
    for options in ({"width": 4}, {"width": 8}, {"width": 12, "modulus_blinding": 8}):
        design = processor(**options)  # 65537 is above some of its moduli, or above all
        loads = [*keys.edge_loads(design), *(keys.random_load(design, rng) for _ in range(20))]
        assert all(map(design.can_load, loads)) and any(
            isinstance(load.modulus, Key) for load in loads
        )


def test_operations_depend_on_the_key() -> None:
    design, long, short = processor(64), Key(2**64 - 59, 2**61 - 1), Key(2**31 - 1, 2**19 - 1)
    assert design.operations_on(Load(long)) == (PRIVATE,)
    assert design.operations_on(Load(short)) == (PRIVATE, PUBLIC)
    assert design.operations_on(Load(int(short))) == (PUBLIC,)
    with pytest.raises(SpecError, match="one of public without a key"):
        design.mode(PRIVATE, Load(int(short)))
    with pytest.raises(SpecError, match="private with a key: its modulus has 125 bits, which ta"):
        design.mode(PUBLIC, Load(long))
    with pytest.raises(SpecError, match="bits = 5: must be 17: the key decides it"):
        design.mode(PRIVATE, Load(long), length=5)


# ---- secrets ----------------------------------------------------------------------------------


def test_what_can_be_seen_does_not_depend_on_the_key() -> None:
    """The same words at the same times for keys whose primes are of any lengths; all is wiped."""
    design, rng = processor(32), random.Random(3)
    traces, results = set(), set()
    for p, q in ((4294967291, 4294967279), (65537, 4294967279), (4294967231, 131071)):
        key = Key(p, q, 11)
        for x in (0, 1, rng.randrange(int(key)), rng.randrange(int(key))):
            result = design.run(private(design, key, x))
            traces.add(tuple(result.outcome.trace()))
            results.add(result.results)
            assert {
                result.outcome.memory[number] for number in design.image(design.modes[0]).used
            } == {0}
    assert len(traces) == 1 and len(results) > 7


def test_the_second_engine_tells_nothing_and_keeps_nothing() -> None:
    """The same words at the same times for every q, x and exponent; all is wiped."""
    design, rng = processor(32, units=2), random.Random(5)
    assert design.second is not None
    image = design.second.programs.image(SECOND)
    traces, results = set(), set()
    for p, q in ((4294967291, 4294967279), (4294967279, 65537), (131071, 4294967231)):
        job = private(design, key := Key(p, q, 11), rng.randrange(p * q))
        values, lengths = design.values(job), design.lengths(job)
        result = operation.run(image, q, values, lengths)
        assert result.results == (pow(job.operands["x"], key.d, q),) == (values["yq"],)
        traces.add(tuple(result.outcome.trace()))
        results.add(result.results)
        assert {result.outcome.memory[number] for number in image.used} == {0}
    assert len(traces) == 1 and len(results) == 3


def test_units_and_ports() -> None:
    """A second multiplier has an engine of its own, and so there is one port."""
    with pytest.raises(SpecError, match="ports = 2: must be 1"):
        processor(64, units=2, ports=2)
    design, two = processor(64), processor(64, units=2)
    assert two.forecast().dsp == 2 * design.forecast().dsp
    assert two.latency(two.modes[0]).maximum < 0.7 * design.latency(design.modes[0]).maximum
    assert [each.name for each in two.streams] == [
        "modulus",
        "command",
        "operand",
        "scalar",
        "scalar_q",
        "result",
    ]


@pytest.mark.parametrize("method", ["window", "ladder"])
def test_random_numbers_change_everything_but_results(method: str, monkeypatch: Any) -> None:
    """No product of a power is that of another time, but 1 times 1, up to the last, which takes 1/r
    away; without random numbers there is no stream for them."""
    plain = processor(32, method=method)
    design = processor(32, method=method, base_blinding=True, exponent_blinding=11)
    key, drawn = Key(4294967291, 4294967279, 11), random.Random
    job = private(design, key, 0x123456789ABCDEF)
    products, results = [], set()
    for salt in (1, 2, 3):
        monkeypatch.setattr(numbers.random, "Random", partial(_salted, drawn, salt))
        result = design.run(job)
        results.add(result.results)
        done = result.outcome.done
        begin = next(at for at, each in enumerate(done) if each.word.op == "WRAP")
        end = next(at for at, each in enumerate(done) if each.word.op == "RED")
        products.append(
            {each.value % key.p for each in done[begin : end - 1] if each.word.op in ("MUL", "SQR")}
        )
    assert len(results) == 1
    assert design.said(job.mode, [*results.pop()], 0) == oracle(job)
    trivial = {pow(2, design.engine.wide, key.p)}
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert products[a] & products[b] <= trivial
    assert len(design.request(job)["random"]) == (2 + 4) * design.engine.machine.beats
    assert "random" not in plain.request(job)


@pytest.mark.parametrize("halves", [True, False])
def test_blinded_moduli_change_all_that_is_computed(halves: bool, monkeypatch: Any) -> None:
    """With other random numbers no word of a power is what it was, but those of 0, and p and q are
    nowhere among the moduli."""
    design = processor(64, modulus_blinding=24, method="ladder")
    bits, drawn = 40 if halves else 20, random.Random
    key, seen, results = Key.of_bits(bits, 77), [], set()
    for salt in (1, 2):
        monkeypatch.setattr(numbers.random, "Random", partial(_salted, drawn, salt))
        job = private(design, key, 0x12345678 % int(key))
        done = design.run(job).outcome.done
        results.add(tuple(design.run(job).results))
        seen.append({each.value for each in done if each.word.op in ("MUL", "SQR", "RED")})
        moduli = design.moduli(key)
        assert not {*key.primes, int(key)} & {*moduli}
        assert all(
            modulus % prime == 0
            for modulus, prime in zip(moduli, key.primes if halves else [int(key)], strict=False)
        )
    assert len(results) == 1 and len(seen[0]) > 80
    assert len(seen[0] & seen[1]) <= 8  # 0, and the result in its words


def _salted(drawn: type[random.Random], salt: int, seed: object) -> random.Random:
    return drawn(f"{seed} {salt}")


def left(
    design: Rsa, job: Job, faults: Sequence[tuple[int, int, int]]
) -> tuple[int, int, list[int]]:
    """Faults that hit, those that were found, and the wrong results that left all the same.  What
    leaves under a fault is 0, or has the bit in which it was hit after the last test but one."""
    hits = detected = 0
    wrong, right_one = [], oracle(job)["y"]
    for after, place, bit in faults:
        machine = Faulty(design, job, after, place, bit)
        outcome = machine.outcome_of()
        if outcome is None:
            continue
        hits += machine.hit
        detected += bool(outcome.status)
        y = from_words(list(reversed(outcome.results)), design.width)
        if outcome.status:
            assert not any(outcome.results) or (y ^ right_one).bit_count() <= 1
        elif y != right_one:
            wrong.append(y)
    return hits, detected, wrong


def places(design: Rsa, job: Job) -> list[int]:
    """Registers, constants, moduli and scalars of the program, as places of faults."""
    image, build = design.image(job.mode), design.programs.build
    constants = [-1 - row for row in sorted(set(image.rows.values()))]
    moduli = [MODULUS + place for place in range(build.sets)]
    return [*image.used, *constants, *moduli, *(SCALAR + each for each in image.scalars)]


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    "width, options, faults",
    [
        (32, {}, 200),
        (32, {"method": LADDER, "primes": 3}, 200),
        (48, {"method": LADDER, "modulus_blinding": 16}, 200),
        (16, LOOKAHEAD, 150),
        pytest.param(32, LOOKAHEAD, 2_000, marks=pytest.mark.long),
        pytest.param(64, {}, 10_000, marks=pytest.mark.long),
    ],
)
@pytest.mark.short("16-options3-150")
def test_random_faults(width: int, options: dict[str, Any], faults: int) -> None:
    """Anywhere at any time: nothing wrong leaves.  x comes twice, so that a bit of it that changes
    before x is read for the first time is seen, too."""
    design, rng = processor(width, **options), random.Random(faults)
    key = keys.edge_loads(design)[0].modulus
    assert isinstance(key, Key)
    job = private(design, key, rng.randrange(int(key)))
    every, words = places(design, job), len(design.run(job).outcome.done)
    bits = design.engine.wide if "architecture" in options else width
    drawn = []
    for _ in range(faults):
        after, place = rng.randrange(words), rng.choice(every)
        drawn.append((after, place, rng.randrange(width if place >= MODULUS else bits)))
    hits, detected, wrong = left(design, job, drawn)
    print(f"{faults} faults: {hits} hit, {detected} were found")
    assert hits > faults // 2 and detected > faults // 8
    assert wrong == []


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "width, architecture",
    [
        (32, "fpmm"),
        *(pytest.param(width, "fpmm", marks=pytest.mark.long) for width in (16, 64, 128)),
        pytest.param(32, SHORT[0], marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.short("1-32-fpmm")
def test_every_register_constant_and_modulus_during_both_exponentiations(
    width: int, architecture: str, half: int
) -> None:
    """At three bit positions, in the middle of each loop: nothing wrong leaves."""
    design, rng = processor(width, architecture), random.Random(width)
    modulus = keys.edge_loads(design)[0].modulus
    assert isinstance(modulus, Key)
    job = private(design, modulus, rng.randrange(int(modulus)))
    digits = [at for at, each in enumerate(design.run(job).outcome.done) if each.word.op == "DIGIT"]
    turns = -(-width // 5)
    begin = digits[turns // 2 + half * turns]
    drawn = [
        (begin + rng.randrange(10), place, bit)
        for place in places(design, job)
        for bit in (0, width // 2, width - 1)
    ]
    hits, told, wrong = left(design, job, drawn)
    assert hits > len(drawn) // 2 and told > len(drawn) // 4
    assert wrong == []


@pytest.mark.parametrize(
    "width, options, second, seldom",
    [
        (64, {"method": WINDOW}, {"r3", "r3 of N_1"}, {"ones", "top", "most"}),
        (64, {"method": LADDER}, {"r3", "r3 of N_1"}, {"ones", "top", "most"}),
        (
            24,
            LOOKAHEAD,
            {"shiftp", "shiftq of N_1"},
            {"last", "rest", "next", "unit", "gap", "most"},
        ),
    ],
)
@pytest.mark.short("24-options2-second2-seldom2")
def test_no_constant_that_was_stored_wrongly_makes_a_wrong_result(
    width: int, options: dict[str, Any], second: set[str], seldom: set[str]
) -> None:
    """A bit of a constant or modulus is another one from the beginning: among them are those by
    which x is reduced, `r2` and `r3`, whose fault makes another x modulo one prime alone.
    second: the constants of the second number of x.  seldom: those that not every y needs, or not
    every bit of them."""
    design, rng = processor(width, **options), random.Random(64)
    modulus = keys.edge_loads(design)[0].modulus
    assert isinstance(modulus, Key)
    job = private(design, modulus, rng.randrange(int(modulus)))
    assert job.operands["x"] >> design.engine.wide  # so that they are used
    stored = [place for place in places(design, job) if place < 0 or MODULUS <= place < SCALAR]
    names = {name.partition(".")[0] for name in design.programs.constants}
    assert {"r2", "r2 of N_1", *second} <= names
    rows = design.image(job.mode).rows
    by_case = {-1 - row for name, row in rows.items() if name.partition(".")[0] in seldom}
    for place in stored:
        drawn = [(1, place, bit) for bit in range(1, width, 9)]
        hits, told, wrong = left(design, job, drawn)
        assert wrong == [] and hits == len(drawn)
        assert told == hits or place in by_case


def test_what_is_secret_shares_no_block_with_programs() -> None:
    """On a chip where both would fit one: the proof of constant time does not look at addresses."""
    example = next(example for example in Rsa.examples() if example.multiplier.name == "fips")
    multiplier = dataclasses.replace(example.multiplier, target="xc4v")
    build = dataclasses.replace(example, multiplier=multiplier).programs.build
    assert multiplier.chip.pairs(instruction_set().word, build.shared_depths) and not build.paired
