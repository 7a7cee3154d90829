"""ECDSA and ECDH by the golden model and by a simulated core: signatures verify under OpenSSL, and
the other way round; nonces are those of RFC 6979."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from hosted_cores import FaultyTransport, modelled, simulated
from known_answers import CURVES, load
from modmul.arithmetic import curves, points, signatures
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError
from modmul.host import Fault, Transport, ecdsa, sm2
from modmul.host.encodings import point_from_octets, point_to_octets

pytestmark = pytest.mark.timeout(3600)  # compiles, on a machine that may be busy
OPENSSL: dict[str, Any] = {
    "p192": ec.SECP192R1,
    "p224": ec.SECP224R1,
    "p256": ec.SECP256R1,
    "p384": ec.SECP384R1,
    "p521": ec.SECP521R1,
    "secp256k1": ec.SECP256K1,
    "brainpoolp256r1": ec.BrainpoolP256R1,
    "brainpoolp384r1": ec.BrainpoolP384R1,
    "brainpoolp512r1": ec.BrainpoolP512R1,
}
HASHES: dict[str, Any] = {
    "sha224": hashes.SHA224(),
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
    "sha3_256": hashes.SHA3_256(),
}
QUICK = "p256"
EVERY = [pytest.param(name, marks=() if name == QUICK else pytest.mark.long) for name in OPENSSL]


def both_ways(core: Transport, name: str, digest: str = "sha256") -> None:
    """One signature each, and what is shared."""
    curve, message = curves.find(name), f"{name} {digest}".encode()
    private, public = ecdsa.generate(core, curve)
    theirs = ec.derive_private_key(private, OPENSSL[name]())
    numbers = theirs.public_key().public_numbers()
    assert public == (numbers.x, numbers.y)
    chosen = ec.ECDSA(HASHES[digest])
    signature = ecdsa.sign(core, curve, private, message, digest)
    theirs.public_key().verify(signature, message, chosen)
    other = theirs.sign(message, chosen)
    assert ecdsa.verifies(core, curve, public, message, other, digest)
    assert not ecdsa.verifies(core, curve, public, b"else", other, digest)
    peer = ec.generate_private_key(OPENSSL[name]())
    given = peer.public_key().public_numbers()
    shared = ecdsa.shared(core, curve, private, Affine(given.x, given.y))
    assert shared == theirs.exchange(ec.ECDH(), peer.public_key())


@pytest.mark.parametrize("name", EVERY)
def test_openssl(name: str) -> None:
    both_ways(modelled(name), name)


@pytest.mark.parametrize("digest", HASHES)
@pytest.mark.short("sha224", "sha512")
def test_hashes_longer_and_shorter_than_the_order(digest: str) -> None:
    name = "toy64"
    curve, core = curves.find(name), modelled(name)
    private, public = ecdsa.generate(core, curve)
    for encoding in (ecdsa.RAW, ecdsa.DER):
        signature = ecdsa.sign(core, curve, private, b"text", digest, encoding, public)
        assert ecdsa.verifies(core, curve, public, b"text", signature, digest, encoding)
        assert not ecdsa.verifies(core, curve, public, b"else", signature, digest, encoding)


@pytest.mark.long  # by default on small numbers: test_transport.py
@pytest.mark.parametrize("name", OPENSSL)
def test_a_simulated_core(name: str) -> None:
    """OpenSSL's key and signature; ours by RTL."""
    core, curve, message = simulated(name, schemes="ecdsa"), curves.find(name), b"from the core"
    theirs = ec.generate_private_key(OPENSSL[name]())
    private, numbers = theirs.private_numbers().private_value, theirs.public_key().public_numbers()
    signature = ecdsa.sign(core, curve, private, message)
    theirs.public_key().verify(signature, message, ec.ECDSA(hashes.SHA256()))
    other = theirs.sign(message, ec.ECDSA(hashes.SHA256()))
    assert ecdsa.verifies(core, curve, Affine(numbers.x, numbers.y), message, other)


def vectors(name: str) -> list[dict[str, str]]:
    every = load("ecdsa_rfc6979")["tests"]
    return [case for case in every if CURVES.get(case["curve"]) == name]


@pytest.mark.parametrize("name", ["p192", "p224", "p256", "p384", "p521"])
def test_rfc_6979(name: str) -> None:
    """The nonce gives r; s follows, and is tested with the processor's other answers."""
    curve = curves.find(name)
    for vector in vectors(name):
        digest = vector["hash"].replace("-", "").lower()
        hashed = hashlib.new(digest, vector["msg"].encode()).digest()
        nonce = next(ecdsa.nonces(curve, int(vector["x"], 16), hashed, digest, b""))
        product = points.multiply(curve, nonce, Affine(curve.x, curve.y))
        assert product is not None and product.x % curve.order == int(vector["r"], 16)
    assert len(vectors(name)) == 4


@pytest.mark.parametrize(("name", "digest"), [("p256", "sha256"), ("p521", "sha3_256")])
def test_hedged_nonces(name: str, digest: str) -> None:
    """Steps d and f of draft-irtf-cfrg-det-sigs-with-noise, written out."""
    curve, private, hashed = curves.find(name), 5, hashlib.new(digest, b"text").digest()
    size, block = -(-curve.bits // 8), hashlib.new(digest).block_size
    noise, length = bytes(range(size)), hashlib.new(digest).digest_size
    key, value = bytes(length), b"\1" * length
    for octet in (b"\0", b"\1"):
        text = value + octet + noise
        text += bytes(next(count for count in range(block) if (len(text) + count) % block == 0))
        text += private.to_bytes(size, "big")
        text += bytes(next(count for count in range(block) if (len(text) + count) % block == 0))
        text += hashed.rjust(size, b"\0")  # bits2octets: below the order here
        key = hmac.digest(key, text, digest)
        value = hmac.digest(key, value, digest)
    value = hmac.digest(key, value, digest)
    drawn = value
    while len(drawn) < size:
        value = hmac.digest(key, value, digest)
        drawn += value
    right = int.from_bytes(drawn[:size], "big") >> 8 * size - curve.order.bit_length()
    assert 0 < right < curve.order
    assert next(ecdsa.nonces(curve, private, hashed, digest, noise)) == right


def test_two_signatures_of_a_message_differ() -> None:
    curve, core = curves.find("toy64"), modelled("toy64")
    first, second = (ecdsa.sign(core, curve, 5, b"text", encoding=ecdsa.RAW) for _ in range(2))
    assert first[:8] != second[:8]
    first, second = (ecdsa.sign(core, curve, 5, b"text", noise=b"") for _ in range(2))
    assert first == second


def test_nonces_that_do_not_serve_are_passed_over() -> None:
    """On a small curve s is 0 for some messages, and the next nonce is taken."""
    curve, passed = curves.find("toy8"), 0
    for number in range(1000):
        hashed = hashlib.sha256(bytes([number & 0xFF, number >> 8])).digest()
        drawn = ecdsa.nonces(curve, 5, hashed, "sha256", b"")
        first, second = (signatures.ecdsa(curve, hashed[0], 5, next(drawn)) for _ in range(2))
        if not all(first) and all(second):
            passed += 1
            message = bytes([number & 0xFF, number >> 8])
            core = modelled("toy8")
            signature = ecdsa.sign(core, curve, 5, message, encoding=ecdsa.RAW, noise=b"")
            assert signature == bytes(second)
    assert passed > 1


def test_what_is_no_signature() -> None:
    name = "toy64"
    curve, core = curves.find(name), modelled(name)
    private, public = ecdsa.generate(core, curve)
    good = ecdsa.sign(core, curve, private, b"text")
    r, s = decode_dss_signature(good)
    long = 1 << 70
    for bad in (
        b"",
        good[:-1],
        good + b"\0",
        good[:1] + b"\x81" + good[1:],
        b"\x30\0",
        b"\x31" + good[1:],
        encode_dss_signature(r, s + long),
        encode_dss_signature(0, s),
        b"\x30\x06\x02\x01\x81\x02\x01\x01",
        b"\x30\x84\xff\xff\xff\xff",
    ):
        assert not ecdsa.verifies(core, curve, public, b"text", bad), bad.hex()
    assert ecdsa.verifies(core, curve, public, b"text", good)
    assert not ecdsa.verifies(core, curve, public, b"text", good, encoding=ecdsa.RAW)
    for x, y in ((public.x, public.y ^ 1), (0, 0)):
        assert not ecdsa.verifies(core, curve, Affine(x, y), b"text", good)


def test_what_is_refused() -> None:
    name = "toy64"
    curve, core = curves.find(name), modelled(name)
    with pytest.raises(SpecError, match="digest = 'md5': must be one of sha224"):
        ecdsa.sign(core, curve, 5, b"text", "md5")
    with pytest.raises(SpecError, match="encoding = 'pem': must be raw or der"):
        ecdsa.sign(core, curve, 5, b"text", encoding="pem")
    with pytest.raises(SpecError, match=r"^private = \.\.\.: must be"):
        ecdsa.public_key(core, curve, 0)
    with pytest.raises(SpecError, match="public = .*must be a point of toy64"):
        ecdsa.shared(core, curve, 5, Affine(1, 2))
    with pytest.raises(SpecError, match="noise = of 1 octets: must be of 8 octets, or empty"):
        ecdsa.sign(core, curve, 5, b"text", noise=b"1")
    with pytest.raises(Fault, match="ecdsa-sign: the processor found a fault"):
        ecdsa.sign(FaultyTransport(core), curve, 5, b"text", public=Affine(1, 2))


def test_a_wrong_signature_is_not_given_out() -> None:
    """Though the processor finds it valid."""
    curve, core = curves.find("toy64"), modelled("toy64")
    public = ecdsa.public_key(core, curve, 5)
    for of in (None, public):
        with pytest.raises(Fault, match="the signature is wrong, and is not given out"):
            ecdsa.sign(FaultyTransport(core, s=77, valid=1), curve, 5, b"text", public=of)


def test_a_processor_that_refuses_every_nonce_is_not_asked_for_ever() -> None:
    class Refusing(FaultyTransport):
        def ask(self, operation: str, operands: Any) -> Any:
            return {"exceptional": True}

    curve, core = curves.find("toy64"), Refusing(modelled("toy64"))
    with pytest.raises(Fault, match="ecdsa-sign: the processor refuses 100 nonces"):
        ecdsa.sign(core, curve, 5, b"text", public=Affine(1, 2))
    with pytest.raises(Fault, match="sm2-sign: the processor refuses 100 nonces"):
        sm2.sign(core, curve, 5, Affine(1, 2), b"text")


def test_points_as_octets() -> None:
    curve = curves.find("p224")  # the prime is 1 modulo 4
    theirs = ec.generate_private_key(ec.SECP224R1()).public_key()
    numbers = theirs.public_numbers()
    point = Affine(numbers.x, numbers.y)
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    full, short = (
        theirs.public_bytes(Encoding.X962, form)
        for form in (PublicFormat.UncompressedPoint, PublicFormat.CompressedPoint)
    )
    assert point_to_octets(curve, point) == full
    assert point_from_octets(curve, full) == point_from_octets(curve, short) == point
    for bad in (
        b"",
        b"\0",
        full[:-1],
        full[:-1] + bytes([full[-1] ^ 1]),
        b"\4" + short[1:],
        short[:1] + b"\xff" * 28,
        b"\5" + full[1:],
    ):
        with pytest.raises(SpecError, match="^point = .*: must be the octets of a point of p224"):
            point_from_octets(curve, bad)
