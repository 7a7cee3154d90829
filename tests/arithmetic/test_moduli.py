"""Named moduli against independent definitions: reduced forms, curve polynomials, digits of pi."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import gmpy2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modmul.arithmetic import moduli
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
    "p192": 192, "p224": 224, "p256": 256, "p384": 384, "p521": 521, "secp256k1": 256,
    "sm2": 256, "curve25519": 255, "curve448": 448, "bn254": 254, "bn254-scalar": 254,
    "bls12-377": 377, "bls12-377-scalar": 253, "bls12-381": 381, "bls12-381-scalar": 255,
    "m127": 127,
} | {f"brainpoolp{n}r1": n for n in (160, 192, 224, 256, 320, 384, 512)}  # fmt: skip


@pytest.mark.parametrize("modulus", moduli.MODULI, ids=moduli.NAMES)
def test_every_modulus_is_a_prime_of_its_length_with_a_source(modulus: moduli.Modulus) -> None:
    assert gmpy2.is_prime(modulus.value, 40)
    assert modulus.bits == BITS[str(modulus.name)]
    assert modulus.source
    assert modulus.summary
    assert moduli.of(modulus.value) is modulus


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
