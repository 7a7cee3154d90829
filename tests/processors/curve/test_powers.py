"""Powers modulo any odd number on a processor for curves: RSA and signatures on one core."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256

from curve_jobs import job
from modmul import multipliers
from modmul.arithmetic import curves
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.design import Job
from modmul.errors import SpecError
from modmul.processors.contract import Load
from modmul.processors.curve import Curve
from modmul.processors.curve.operations import EXPONENTIATE


def processor(width: int) -> Curve:
    """Without what it has beside SM2."""
    return Curve(multiplier=multipliers.find("fips")(width=width), powers=True, schemes="sm2",
                 forms="weierstrass", verification=False)  # fmt: skip


def power(one: Curve, modulus: int, base: int, exponent: int, bits: int | None = None) -> int:
    mode = one.mode_for(EXPONENTIATE, modulus, length=bits)
    return one.compute(Job(mode, modulus, {"base": base, "exponent": exponent}))["power"]


def test_one_core_does_rsa_and_sm2() -> None:
    """A signature by PKCS #1 of a random key, which OpenSSL verifies, and one of SM2."""
    one, key = processor(1024), rsa.generate_private_key(65537, 1024)
    n, d = key.public_key().public_numbers().n, key.private_numbers().d
    signed = key.sign(b"one core", padding.PKCS1v15(), SHA256())
    encoded = pow(int.from_bytes(signed, "big"), 65537, n)
    found = power(one, n, encoded, d).to_bytes(128, "big")
    key.public_key().verify(found, b"one core", padding.PKCS1v15(), SHA256())
    assert power(one, n, int.from_bytes(found, "big"), 65537, 17) == encoded
    assert "sm2-sign" in one.operations_on(Load.of(curves.find("sm2")))
    toy = {"digest": 7, "private": 11, "nonce": 13}
    asked = job("sm2-sign", "toy8", one, **toy)
    question = OracleQuery("sm2-sign", toy, asked.modulus, curve=asked.mode.curve)
    assert one.compute(asked) == right(question)


@pytest.mark.parametrize("exponent", [0, 1, 2, 5, 255])
@pytest.mark.parametrize("base", [0, 1, 2, 220])
def test_small_powers(base: int, exponent: int) -> None:
    """Of a modulus that is no prime; the number of bits is public, the exponent takes no part."""
    one = processor(32)
    assert power(one, 221, base, exponent, 8) == pow(base, exponent, 221)
    modes = {one.mode_for(EXPONENTIATE, modulus, length=8) for modulus in (221, 0xFFFFFFFF)}
    assert len(modes) == 1


def test_what_goes_without_a_curve() -> None:
    """An inverse is a power that only primes have; an even modulus is refused."""
    one = processor(32)
    assert one.operations_on(Load(221)) == (EXPONENTIATE,)
    assert one.operations_on(Load(223)) == ("invert", EXPONENTIATE)
    with pytest.raises(SpecError, match="odd"):
        one.check_modulus(222)
    with pytest.raises(SpecError, match="bits"):
        one.mode_for(EXPONENTIATE, 221, length=10**6)
    with pytest.raises(SpecError, match="a prime"):
        Curve(multiplier=multipliers.find("fips")(width=32)).check_modulus(221)
