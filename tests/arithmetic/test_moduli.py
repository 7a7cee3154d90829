"""Named moduli against independent definitions: reduced forms, curve polynomials, digits of pi;
notations."""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import gmpy2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modmul.arithmetic import binary, moduli, notation
from modmul.errors import SpecError

# as printed in the standards, digit by digit (moduli.py has them as sums of powers of two)
PRINTED = {
    "p192": "FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFE FFFFFFFF FFFFFFFF",
    "p224": "FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF 00000000 00000000 00000001",
    "p256": "FFFFFFFF 00000001 00000000 00000000 00000000 FFFFFFFF FFFFFFFF FFFFFFFF",
    "p384": "FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFE"
    "FFFFFFFF 00000000 00000000 FFFFFFFF",
    "p521": "01FF" + "FFFFFFFF" * 16,
    "secp256k1": "FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFE FFFFFC2F",
    "sm2": "FFFFFFFE FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF 00000000 FFFFFFFF FFFFFFFF",
    "curve25519": "7fffffffffffffffffffffffffffffff ffffffffffffffffffffffffffffffed",
    "curve448": "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff fffffffe"
    "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff",
    "m127": "7fffffff ffffffff ffffffff ffffffff",
}
BITS = {
    "p192": 192,
    "p224": 224,
    "p256": 256,
    "p384": 384,
    "p521": 521,
    "secp256k1": 256,
    "sm2": 256,
    "curve25519": 255,
    "curve448": 448,
    "bn254": 254,
    "bn254-scalar": 254,
    "bls12-377": 377,
    "bls12-377-scalar": 253,
    "bls12-381": 381,
    "bls12-381-scalar": 255,
    "m127": 127,
} | {f"brainpoolp{n}r1": n for n in (160, 192, 224, 256, 320, 384, 512)}
BITS |= {f"b{m}": m + 1 for m in (163, 233, 283, 409, 571)} | {"ghash": 129}


@pytest.mark.parametrize("modulus", moduli.MODULI, ids=moduli.NAMES)
def test_every_modulus_is_prime_of_its_length_with_a_source(modulus: moduli.Modulus) -> None:
    if modulus.field == "prime":
        assert gmpy2.is_prime(modulus.value, 40)
    else:
        assert binary.is_irreducible(modulus.value)
    assert modulus.bits == BITS[str(modulus.name)]
    assert modulus.source
    assert modulus.summary
    assert moduli.of(modulus.value, modulus.field) is modulus
    assert moduli.parse(modulus.notation) is modulus
    assert {moduli.parse(name) for name in (str(modulus), *modulus.aliases)} == {modulus}


def test_no_modulus_is_missing() -> None:
    assert set(moduli.NAMES) == set(BITS)


@pytest.mark.parametrize("name", PRINTED)
def test_digits_printed_in_the_standard(name: str) -> None:
    assert moduli.find(name).value == int(PRINTED[name].replace(" ", ""), 16)


def test_bn254_follows_from_its_x() -> None:
    x = 4965661367192848881
    assert moduli.find("bn254").value == 36 * x**4 + 36 * x**3 + 24 * x**2 + 6 * x + 1
    assert moduli.find("bn254-scalar").value == 36 * x**4 + 36 * x**3 + 18 * x**2 + 6 * x + 1


@pytest.mark.parametrize(
    ("name", "x"), [("bls12-377", 0x8508C00000000001), ("bls12-381", -0xD201000000010000)]
)
def test_bls12_follows_from_its_x(name: str, x: int) -> None:
    r = x**4 - x**2 + 1
    assert moduli.find(f"{name}-scalar").value == r
    assert 3 * (moduli.find(name).value - x) == (x - 1) ** 2 * r


def brainpool_primes(seed: int, bits: int) -> Iterator[int]:
    """RFC 5639, 2.1: smallest primes 3 mod 4 from SHA-1 of a seed, of its successors, and so on."""
    count, rest = divmod(bits - 1, 160)
    while True:
        words = [(seed + i) % 2**160 for i in range(count + 1)]
        hashes = [hashlib.sha1(word.to_bytes(20, "big")).digest() for word in words]
        first = int.from_bytes(hashes[0], "big") % 2**rest | 1 << rest
        p = first << 160 * count | int.from_bytes(b"".join(hashes[1:]), "big")
        while p % 4 != 3 or not gmpy2.is_prime(p):
            p += 1
        yield p
        seed += 1


def test_brainpool_primes_follow_from_the_digits_of_pi() -> None:
    with gmpy2.context(precision=1400):
        pi = int(gmpy2.floor(gmpy2.const_pi() * gmpy2.exp2(7 * 160 - 4)))  # 280 hexadecimal digits
    seeds = [pi >> 160 * (6 - i) & (2**160 - 1) for i in range(7)]
    assert f"{seeds[0]:x}"[:10] == "3243f6a888"
    for bits, seed in zip((160, 192, 224, 256, 320, 384, 512), seeds, strict=True):
        primes = brainpool_primes(seed, bits)
        tried = [next(primes)] + ([next(primes)] if bits == 384 else [])  # 384: its second seed
        assert tried[-1] == moduli.find(f"brainpoolp{bits}r1").value


def test_names_and_aliases_are_unique_and_case_does_not_matter() -> None:
    names = [n for m in moduli.MODULI for n in (str(m.name), *m.aliases)]
    assert len(names) == len(set(names))
    assert all(name == name.lower() for name in names)
    assert moduli.parse("P-256") is moduli.parse("secp256r1") is moduli.find("p256")
    assert moduli.parse("brainpoolP256r1").bits == 256
    assert moduli.parse("2^255-19").name == "curve25519"


# as printed in FIPS 186-4, D.1.3, and (with the powers rising) in SP 800-38D
POLYNOMIALS = {
    "b163": "x^163 + x^7 + x^6 + x^3 + 1",
    "b233": "x^233 + x^74 + 1",
    "b283": "x^283 + x^12 + x^7 + x^5 + 1",
    "b409": "x^409 + x^87 + 1",
    "b571": "x^571 + x^10 + x^5 + x^2 + 1",
    "ghash": "1 + x + x^2 + x^7 + x^128",
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_of_the_standards(name: str) -> None:
    parsed = moduli.parse(POLYNOMIALS[name])
    assert parsed is moduli.find(name)
    assert parsed.field == "binary"
    assert set(parsed.notation.split("+")) == set(POLYNOMIALS[name].split(" + "))


def test_a_number_is_no_polynomial_even_if_the_bits_are_the_same() -> None:
    polynomial = moduli.find("b163")
    number = moduli.parse(hex(polynomial.value))
    assert (number.field, number.name) == ("prime", None)
    assert number != polynomial
    assert moduli.of(moduli.find("p192").value, "binary").name is None


@given(st.integers(2, 2**900).map(lambda k: 2 * k + 1), st.randoms(use_true_random=False))
def test_polynomials_are_read_as_they_are_written(value: int, rng: random.Random) -> None:
    modulus = moduli.of(value, "binary")
    assert moduli.parse(str(modulus)) == modulus
    terms = [f"x^{i}" for i in range(2, value.bit_length()) if value >> i & 1]
    terms += [rng.choice(["x", "x^1"])] * (value >> 1 & 1) + ["1"]
    rng.shuffle(terms)
    text = rng.choice(["+", " + ", "+ "]).join(terms)
    assert moduli.parse(rng.choice([text, text.upper()])) == modulus


def test_powers_0_and_1_have_names_of_their_own() -> None:
    small = [notation.write_polynomial(value) for value in range(8)]
    assert small == ["0", "1", "x", "x+1", "x^2", "x^2+1", "x^2+x", "x^2+x+1"]


def test_a_file_holds_a_polynomial_over_several_lines(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("x^163\n + x^7 + x^6\n + x^3 + 1\n")
    assert moduli.parse("@n", tmp_path).name == "b163"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x^163+x^7+x^7+1", "x^7 stands there twice"),
        ("x^5+x+x^1+1", "x^1 stands there twice"),
        ("x^163+x^7+x^6+x^3", "add +1"),
        ("x^163", "add +1"),
        ("x^0", "the degree must be from 1"),
        ("x^4096+x+1", "the degree must be at most 4095"),
        ("x^1000000000000+x+1", "'x^1000000000000' is no term"),
        ("x^163+x^7-1", "'x^7-1' is no term: terms are x^i, x and 1, joined by +"),
        ("x^163++1", "a term is missing"),
        ("x^163+x^7+", "a term is missing"),
        ("x^2+2*x+1", "'2*x' is no term"),
        ("x**2+x+1", "'x**2' is no term"),
        ("0x61+x", "'0x61' is no term"),
        ("x^-3+1", "'x^-3' is no term"),
        ("+".join(f"x^{i}" for i in range(4095, 0, -1)), "x^4095+x^4094+x^4093"),
    ],
)
def test_what_is_no_polynomial_is_refused_with_a_remedy(text: str, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        moduli.parse(text)
    assert says in caught.value.message
    assert len(caught.value.message) < 200
    assert caught.value.key == "modulus"
    assert "x^163+x^7+x^6+x^3+1" in str(caught.value.allowed)


@given(st.integers(min_value=0, max_value=2**4096 - 1))
def test_digits_mean_the_same_in_every_notation(value: int) -> None:
    if str(value) not in ("25519", "448"):
        assert moduli.parse(str(value)).value == value
    assert moduli.parse(hex(value)).value == value
    assert moduli.parse(hex(value).upper().replace("X", "x")).value == value
    assert moduli.parse(f" {value:_} " if value > 10**5 else f"{value:#x}").value == value


def test_a_number_that_has_a_name_gets_it() -> None:
    assert moduli.parse(hex(2**255 - 19)).name == "curve25519"
    assert str(moduli.parse("0x61")) == "0x61"
    assert moduli.parse("0x63af").value == 25519


def test_a_file_holds_a_name_or_a_number_over_several_lines(tmp_path: Path) -> None:
    (tmp_path / "p").write_text(f"{hex(2**521 - 1)[:60]}\n  {hex(2**521 - 1)[60:]}\n")
    assert moduli.parse("@p", tmp_path).name == "p521"
    assert moduli.parse(f"@{tmp_path}/p").name == "p521"
    (tmp_path / "name").write_text("sm2\n")
    assert moduli.parse("@name", tmp_path).name == "sm2"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("p265", "p256"),
        ("secp256", "secp256k1"),
        ("brainpool256r1", "brainpoolp256r1"),
        ("nothing like it", "modmul list"),
        ("", "modmul list"),
        ("-7", "0x..., a decimal"),
        ("0x", "0x..., a decimal"),
        ("1e9", "0x..., a decimal"),
        ("12 34", "0x..., a decimal"),
        ("25519", "curve25519"),
        ("448", "curve448"),
        ("9" * 5000, "4096 bits"),
        ("@nowhere", "nowhere: No such file"),
    ],
)
def test_what_is_no_modulus_is_refused_with_a_remedy(text: str, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        moduli.parse(text)
    assert says in caught.value.message
    assert caught.value.key == "modulus"
    assert caught.value.allowed


@pytest.mark.parametrize("content", [b"", b"@p", b"\xff\xfe", b"p265"])
def test_a_file_without_a_modulus_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p").write_bytes(content)
    with pytest.raises(SpecError, match="modulus"):
        moduli.parse("@p", tmp_path)


def test_a_file_without_an_end_is_not_read_for_ever() -> None:
    with pytest.raises(SpecError, match="longer than"):
        moduli.parse("@/dev/zero")
