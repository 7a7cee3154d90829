"""Exponentiation and RSA on the golden machine, against keys and signatures of NIST's CAVP."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from known_answers import image, load, seeded
from modmul import multipliers
from modmul.errors import SpecError
from modmul.processors.engine import operation, reference
from modmul.processors.engine.assembler import Image, assemble
from modmul.processors.engine.golden import Golden
from modmul.processors.engine.instructions import Word
from modmul.processors.engine.machine import Engine, Machine
from modmul.processors.engine.operation import run
from modmul.processors.engine.text import parse
from modmul.processors.engine.values import Hazard, Numbers

_DIGEST_INFO = bytes.fromhex("3031300d060960864801650304020105000420")  # of SHA-256


def fives(made: Image, bits: int) -> int:
    """Digits of 5 bits after the first, which has what is left of a register's bits."""
    return -(-(bits - (made.engine.wide % 5 or 5)) // 5)


@pytest.mark.parametrize("architecture", ["fpmm", "fips"])
@pytest.mark.parametrize("program", ["power-ladder", "power-window"])
def test_powers(program: str, architecture: str) -> None:
    made, rng = image(program, architecture, 128), seeded(program)
    for modulus in (rng.getrandbits(128) | 1, (1 << 128) - 1, 3):
        some = rng.randrange(modulus), rng.getrandbits(125)
        for base, exponent in (some, (0, 5), (modulus - 1, 1)):
            rounds = 125 if program == "power-ladder" else fives(made, 125)
            found = run(made, modulus, {"x": base, "e": exponent, "n": rounds})
            assert found.results == (pow(base, exponent, modulus),)
            assert found.outcome.cycles == made.cycles([rounds])


@pytest.mark.parametrize(
    "test", [one if one["bits"] == 1024 else pytest.param(one, marks=pytest.mark.long)
             for one in load("rsa")["signatures"]], ids=lambda one: str(one["bits"]),
)  # fmt: skip
def test_signatures(test: dict[str, str]) -> None:
    n, length = int(test["n"], 16), len(test["n"]) // 2
    e = int(test["e"], 16)
    assert e.bit_count() == 2 and e & 1
    hashed = _DIGEST_INFO + hashlib.sha256(bytes.fromhex(test["msg"])).digest()
    padded = b"\0\1" + b"\xff" * (length - len(hashed) - 3) + b"\0" + hashed
    values = {"x": int(test["s"], 16), "n": e.bit_length() - 2}
    found = run(image("rsa-public", width=8 * length), n, values)
    assert found.results == (int.from_bytes(padded, "big"),)


class Key(NamedTuple):
    """A private key of the vectors, with its own e and d."""

    n: int
    e: int
    d: int
    p: int
    q: int


def key(bits: int) -> Key:
    given = next(one for one in load("rsa")["keys"] if one["bits"] == bits)
    return Key(*(int(given[name], 16) for name in Key._fields))


@pytest.mark.parametrize("bits", [1024, pytest.param(2048, marks=pytest.mark.long)])
@pytest.mark.parametrize("swapped", [False, True])
def test_private_key_by_halves(bits: int, swapped: bool) -> None:
    """x^d from x^(d mod p-1) mod p and x^(d mod q-1) mod q, for p above and below q; a fault in a
    half is found."""
    n, e, d, p, q = key(bits)
    p, q = (q, p) if swapped else (p, q)
    x = seeded(f"{n:x}").randrange(n)
    half = image("rsa-half", width=bits // 2)
    size = half.engine.limits.register.bit_length() - 1
    digits = fives(half, bits // 2)
    parts = []
    for prime in (p, q):
        values = {"x0": x & (1 << size) - 1, "x1": x >> size, "e": d % (prime - 1), "n": digits}
        found = run(half, prime, values)
        assert found.outcome.cycles == half.cycles([digits])
        assert found.results == (pow(x, d, prime),)
        parts += found.results
    values = {"c": pow(q, -1, p), "yp": parts[0], "yq": parts[1]}
    (h,) = run(image("rsa-garner", width=bits // 2), p, values).results
    joined = {"h": h, "q": q, "yq": parts[1], "x": x, "e": e, "n": e.bit_length()}
    whole = run(image("rsa-join", width=bits), n, joined)
    assert (whole.results, whole.status) == ((pow(x, d, n),), 0)
    faulty = run(image("rsa-join", width=bits), n, joined | {"h": h ^ 4})
    assert faulty.status == 1


# ---- both halves in one run -------------------------------------------------------------------


def crt(made: Image, used: Key, x: int) -> tuple[Mapping[str, int], list[int]]:
    """Values and counters of `rsa-crt`, on an engine of any width."""
    _, e, d, p, q = used
    size = made.engine.limits.register.bit_length() - 1
    values = {
        "x0": x & (1 << size) - 1, "x1": x >> size, "dp": d % (p - 1), "dq": d % (q - 1),
        "ep": e, "eq": e, "c": pow(q, -1, p), "q": q, "m": e.bit_length(),
        "n": fives(made, made.engine.largest.bit_length()),
    }  # fmt: skip
    return values, [values["n"], values["m"]]


def private(made: Image, used: Key, x: int) -> None:
    values, counters = crt(made, used, x)
    found = run(made, (used.p, used.q), values)
    h, yq = found.results
    assert (h * used.q + yq, found.status) == (pow(x, used.d, used.n), 0)
    assert found.outcome.cycles == made.cycles(counters)


@pytest.mark.parametrize(
    ("bits", "architecture"),
    [(1024, "fpmm"), (1024, "fips"),
     *(pytest.param(bits, "fpmm", marks=pytest.mark.long) for bits in (2048, 3072, 4096))],
)  # fmt: skip
def test_private_key_in_one_run(bits: int, architecture: str) -> None:
    """By the keys' own e and d; the primes of 2048 bits have p below q, the others p above q."""
    used, made = key(bits), image("rsa-crt", architecture, bits // 2)
    for x in (seeded(architecture).randrange(used.n), used.n - 1, used.p, 0):
        private(made, used, x)


def small(p: int, q: int, e: int = 65537) -> Key:
    return Key(p * q, e, pow(e, -1, (p - 1) * (q - 1)), p, q)


@pytest.mark.parametrize("e", [3, 17, 65537, 2**64 + 13])
def test_primes_of_unequal_lengths(e: int) -> None:
    """The shorter one is p, then q; e has from 2 to 65 bits."""
    made = image("rsa-crt", width=64)
    p, q = 2**64 - 59, 2**41 - 21
    if math.gcd(e, (p - 1) * (q - 1)) > 1:
        q = 2**41 - 31
    for used in (small(p, q, e), small(q, p, e)):
        private(made, used, seeded("unequal").randrange(used.n))


def test_the_words_of_both_moduli_say_what_the_text_says() -> None:
    for architecture in ("fpmm", "fips"):
        reference.compare(image("rsa-crt", architecture, 512), [2, 3])


class Faulty(Golden):
    """After so many words one bit of a register is another one."""

    def __init__(self, machine: Machine, numbers: Numbers, after: int, register: int, bit: int):
        super().__init__(machine, numbers)
        self.after, self.register, self.mask = after, register, 1 << bit
        self.hit = False

    def issue(self, word: Word, cycle: int) -> None:
        super().issue(word, cycle)
        versions = self.versions[self.register]
        if len(self.done) == self.after and versions:
            time, number, value = versions[-1]
            versions[-1] = time, number, value ^ self.mask
            self.hit = True


@pytest.mark.parametrize("faults", [120, pytest.param(400, marks=pytest.mark.long)])
def test_no_fault_in_a_register_tells_a_factor(faults: int) -> None:
    """One bit of one register changed at any time: what the host takes is x^d, or of another x
    altogether, or a number that shares no factor with what it should be."""
    made, used = image("rsa-crt", width=64), small(2**64 - 59, 2**61 - 1)
    rng = seeded("faults")
    x = rng.randrange(used.n)
    values, counters = crt(made, used, x)
    settings = [made.engine.over(one) for one in (used.p, used.q)]
    streams = operation.streams(made, settings, values)
    long = len(run(made, (used.p, used.q), values).outcome.done)
    hits = found = 0
    for _ in range(faults):
        numbers = Numbers(made.machine, settings, made.engine.limits.register)
        machine = Faulty(made.machine, numbers, rng.randrange(long), rng.choice(made.used),
                         rng.randrange(64))  # fmt: skip
        try:
            outcome = machine.run(made.words, streams, counters)
        except Hazard:  # a number too large for its unit
            continue
        hits += machine.hit
        found += outcome.status
        h, yq = outcome.results
        wrong = (pow(h * used.q + yq, used.e, used.n) - x) % used.n
        assert outcome.status or math.gcd(wrong, used.n) in (1, used.n)
    assert hits > faults * 3 // 4 and found > faults // 8


def test_what_another_modulus_left_is_not_taken_for_a_residue() -> None:
    text = "constant r2, unit\ninput x\nX = x * r2\nmodulus 1\noutput (X - x) % N"
    for reducing, says in ((True, "bound of operands"), (False, "registers are")):
        engine = Engine(multipliers.find("fpmm")(width=64), reducing=reducing)
        with pytest.raises(SpecError, match=f"line 5: .*{says}"):
            assemble(parse("mixed", text), engine)


def test_a_copy_is_made_with_the_one_of_its_modulus() -> None:
    """S is a sum and has to be moved into the bank of products before the loop."""
    text = ("constant one\ninput x\nmodulus 1\nconstant {}r2, unit\nX = x * r2\nS = X + X\n"
            "loop 2:\nS = S ** 2\nend\noutput S * unit % N")  # fmt: skip
    engine = Engine(multipliers.find("fpmm")(width=64))
    with pytest.raises(SpecError, match="declare `constant one`"):
        assemble(parse("no one", text.format("")), engine)
    made = assemble(parse("two moduli", text.format("one, ")), engine)
    assert run(made, (2**64 - 59, 101), {"x": 7}).results == (14**4 % 101,)
