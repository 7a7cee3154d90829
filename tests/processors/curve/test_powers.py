"""Powers modulo any odd number on a processor for curves: RSA and signatures on one core."""

from __future__ import annotations

import gmpy2
import pytest
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256

from curve_jobs import job
from modmul import multipliers
from modmul.arithmetic import curves, signatures
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.errors import SpecError
from modmul.export import points
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.curve.operations import EXPONENTIATE
from modmul.spec import Spec
from modmul.verification.simulation import simulate
from modmul.verification.timing import prove_timing


def processor(width: int) -> PrimeCurve:
    """Without what it has beside SM2."""
    return PrimeCurve(
        multiplier=multipliers.find("fips")(width=width),
        powers=True,
        schemes="sm2",
        forms="weierstrass",
        verification=False,
    )


def power(
    design: PrimeCurve, modulus: int, base: int, exponent: int, bits: int | None = None
) -> int:
    mode = design.mode(EXPONENTIATE, Load(modulus), length=bits)
    return design.compute(Job(mode, modulus, {"base": base, "exponent": exponent}))["power"]


def test_one_core_does_rsa_and_sm2() -> None:
    """A signature by PKCS #1 of a random key, which OpenSSL verifies, and one of SM2."""
    design, key = processor(1024), rsa.generate_private_key(65537, 1024)
    n, d = key.public_key().public_numbers().n, key.private_numbers().d
    signed = key.sign(b"one core", padding.PKCS1v15(), SHA256())
    encoded = pow(int.from_bytes(signed, "big"), 65537, n)
    signature = power(design, n, encoded, d).to_bytes(128, "big")
    key.public_key().verify(signature, b"one core", padding.PKCS1v15(), SHA256())
    assert power(design, n, int.from_bytes(signature, "big"), 65537, 17) == encoded
    assert "sm2-sign" in design.operations_on(Load.of(curves.find("sm2")))
    toy = {"digest": 7, "private": 11, "nonce": 13}
    asked = job("sm2-sign", "toy8", design, **toy)
    question = OracleQuery("sm2-sign", toy, asked.modulus, curve=asked.mode.curve)
    assert design.compute(asked) == right(question)


@pytest.mark.parametrize("width", [127, 128])
def test_moduli_at_the_edges_are_primes_and_others(width: int) -> None:
    """2^127 - 1 is a prime, 2^128 - 1 is none."""
    loads = points.edge_loads(processor(width))
    moduli = [place.modulus for place in loads if place.curve is None]
    assert [gmpy2.is_prime(modulus) for modulus in moduli] == [True, True, False, False]
    assert [modulus.bit_length() for modulus in moduli] == [width, 3, width, 4]


# One design: what a key of RSA and a curve are loaded into.
ONE = {
    "architecture": "curve",
    "multiplier": "fips",
    "width": 32,
    "word": 8,
    "powers": True,
    "forms": "weierstrass",
    "schemes": "sm2",
    "verification": False,
}


@pytest.mark.long  # by default the golden machine does both, and engines run a power in Verilog
@pytest.mark.timeout(1800)  # compiles, on a machine that may be busy
def test_one_emitted_text_does_both() -> None:
    """The same Verilog, simulated: a power modulo a product of two primes, and a signature."""
    spec, p, q, e = Spec.from_options(ONE), 65521, 65519, 65537
    n = p * q
    d = pow(e, -1, (p - 1) * (q - 1))
    lines = [{"modulus": n, "base": 0x1234567, "exponent": exponent} for exponent in (d, e)]
    simulated = simulate(spec, lines, operation=EXPONENTIATE)
    assert [line.faults for line in simulated] == [[], []]
    assert [line.result for line in simulated] == [
        {"power": pow(0x1234567, exponent, n)} for exponent in (d, e)
    ]
    toy = {"digest": 7, "private": 11, "nonce": 13}
    (signed,) = simulate(spec, [{"curve": "toy32", **toy}], operation="sm2-sign")
    r, s = signatures.sm2(curves.find("toy32"), 7, 11, 13) or (0, 0)
    assert not signed.faults and signed.result == {"r": r, "s": s}


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_time_of_the_one_is_proved() -> None:
    assert prove_timing(Spec.from_options(ONE)).passed


@pytest.mark.parametrize("exponent", [0, 1, 2, 5, 255])
@pytest.mark.parametrize("base", [0, 1, 2, 220])
def test_small_powers(base: int, exponent: int) -> None:
    """Of a modulus that is no prime; the number of bits is public, the exponent takes no part."""
    design = processor(32)
    assert power(design, 221, base, exponent, 8) == pow(base, exponent, 221)
    modes = {design.mode(EXPONENTIATE, Load(modulus), length=8) for modulus in (221, 0xFFFFFFFF)}
    assert len(modes) == 1


def test_what_goes_without_a_curve() -> None:
    """An inverse is a power that only primes have; an even modulus is refused."""
    design = processor(32)
    assert design.operations_on(Load(221)) == (EXPONENTIATE,)
    assert design.operations_on(Load(223)) == ("invert", EXPONENTIATE)
    with pytest.raises(SpecError, match="odd"):
        design.check_modulus(222)
    with pytest.raises(SpecError, match="bits"):
        design.mode(EXPONENTIATE, Load(221), length=10**6)
    with pytest.raises(SpecError, match="a prime"):
        PrimeCurve(multiplier=multipliers.find("fips")(width=32)).check_modulus(221)
