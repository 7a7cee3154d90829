"""Ed25519, Ed448, X25519 and X448 by the golden model and by simulated cores: the same keys and
signatures as OpenSSL's, and the vectors of their standards."""

from __future__ import annotations

from hashlib import sha512, shake_256
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ed448, ed25519, x448
from cryptography.hazmat.primitives.asymmetric import x25519 as theirs_25519

from hosted_cores import FaultyTransport, modelled, simulated
from known_answers import load
from modmul.arithmetic import curves, points
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError
from modmul.host import Fault, Transport, eddsa, x25519

pytestmark = pytest.mark.timeout(3600)  # compiles, on a machine that may be busy
PRIVATE: dict[str, Any] = {
    "ed25519": ed25519.Ed25519PrivateKey,
    "ed448": ed448.Ed448PrivateKey,
    "x25519": theirs_25519.X25519PrivateKey,
    "x448": x448.X448PrivateKey,
}
LONG = pytest.mark.long


# ---- signatures ---------------------------------------------------------------------------------


def same_as_openssl(core: Transport, name: str) -> None:
    """Signatures are deterministic: both make the same."""
    curve, message = curves.find(name), name.encode()
    theirs = PRIVATE[name].generate()
    private, public = theirs.private_bytes_raw(), theirs.public_key().public_bytes_raw()
    assert eddsa.public_key(core, curve, private) == public
    signature = eddsa.sign(core, curve, private, message, noise=b"")
    assert signature == theirs.sign(message)
    assert eddsa.verifies(core, curve, public, message, signature)
    assert not eddsa.verifies(core, curve, public, b"else", signature)


@pytest.mark.parametrize("name", ["ed25519", pytest.param("ed448", marks=LONG)])
def test_openssl(name: str) -> None:
    same_as_openssl(modelled(name), name)


@LONG
@pytest.mark.parametrize("name", ["ed25519", "ed448"])
def test_simulated_cores_sign(name: str) -> None:
    same_as_openssl(simulated(name), name)


VECTORS = load("eddsa")["tests"]


@pytest.mark.parametrize(
    "place",
    [pytest.param(place, marks=() if place == 2 else LONG) for place in range(len(VECTORS))],
)
def test_vectors(place: int) -> None:
    vector = VECTORS[place]
    private, public, message, signature, context = (
        bytes.fromhex(vector.get(key, "")) for key in ("sk", "pk", "msg", "sig", "context")
    )
    name = vector["algorithm"].lower()
    curve, core = curves.find(name), modelled(name)
    assert eddsa.public_key(core, curve, private[: len(public)]) == public
    ours = eddsa.sign(core, curve, private[: len(public)], message, context, noise=b"")
    assert ours == signature[: len(ours)]
    assert eddsa.verifies(core, curve, public, message, ours, context)


class Nothing:
    """A transport that is not to be asked."""

    def ask(self, *_: object) -> Any:
        raise AssertionError


def test_what_is_no_signature() -> None:
    """Encodings that are not the shortest, points that are none, an s with too many bits: without
    asking the processor; s of n and more by it."""
    curve, core = curves.find("ed25519"), modelled("ed25519")
    p, message = curve.prime, b"text"
    private, public = eddsa.generate(core, curve)
    good = eddsa.sign(core, curve, private, message)
    s = int.from_bytes(good[32:], "little")
    beyond = (s + curve.order).to_bytes(32, "little")
    assert not eddsa.verifies(core, curve, public, message, good[:32] + beyond)
    for bad in (
        b"",
        good[:-1],
        good + b"\0",
        good[:32] + b"\xff" * 32,
        (p + 1).to_bytes(32, "little") + good[32:],  # y = 1
        (1 | 1 << 255).to_bytes(32, "little") + good[32:],  # x = 0, said to be odd
        (2).to_bytes(32, "little") + good[32:],
    ):
        assert not eddsa.verifies(Nothing(), curve, public, message, bad)
    for bad in (public[:-1], (2).to_bytes(32, "little")):
        assert not eddsa.verifies(Nothing(), curve, bad, message, good)


@pytest.mark.parametrize("name", ["ed25519", "ed448"])
def test_encodings_of_points(name: str) -> None:
    """Half of all numbers are the y of a point; each has two."""
    curve, count = curves.find(name), 0
    for y in range(60):
        both = [eddsa.decode(curve, eddsa.encode(curve, Affine(odd, y))) for odd in (0, 1)]
        for odd, point in enumerate(both):
            if point is not None:
                assert (point.y, point.x % 2) == (y, odd)
                x, d = point.x, curve.d
                assert (curve.a * x * x + y * y - 1 - d * x * x * y * y) % curve.prime == 0
                count += 1
    assert 40 < count < 80


def test_what_is_refused() -> None:
    curve, core = curves.find("ed25519"), modelled("ed25519")
    with pytest.raises(SpecError, match="^private = ...: must be of 32 octets, and has 31"):
        eddsa.public_key(core, curve, bytes(31))
    with pytest.raises(SpecError, match="^context = 61: must be empty for Ed25519"):
        eddsa.sign(core, curve, bytes(32), b"text", b"a")
    with pytest.raises(SpecError, match="^context = .*: must be of at most 255 octets"):
        eddsa.verifies(Nothing(), curves.find("ed448"), PUBLIC_448, b"", PUBLIC_448 * 2, bytes(256))
    with pytest.raises(SpecError, match="^curve = p256: must be ed25519 or ed448"):
        eddsa.public_key(core, curves.find("p256"), bytes(32))
    with pytest.raises(Fault, match="point-multiply: the processor found a fault"):
        eddsa.sign(FaultyTransport(core), curve, bytes(32), b"text")


PUBLIC_448 = (1).to_bytes(57, "little")  # the neutral element


def test_a_wrong_signature_is_not_given_out() -> None:
    """Though the processor finds it valid."""
    curve, core = curves.find("ed25519"), modelled("ed25519")
    public = eddsa.public_key(core, curve, bytes(32))
    for of in (None, public):
        with pytest.raises(Fault, match="the signature is wrong, and is not given out"):
            wrong = FaultyTransport(core, s=5, valid=1)
            eddsa.sign(wrong, curve, bytes(32), b"text", public=of)


@pytest.mark.parametrize("name", ["ed25519", "ed448"])
def test_hedged_nonces(name: str) -> None:
    """Step 2 of draft-irtf-cfrg-det-sigs-with-noise, written out: R of a signature is of this
    nonce."""
    curve, message = curves.find(name), b"text"
    size = 32 if name == "ed25519" else 57
    private, noise = bytes(size), bytes(range(size))

    def digest(text: bytes) -> bytes:
        return sha512(text).digest() if name == "ed25519" else shake_256(text).digest(114)

    prefix = digest(digest(private)[size:] + noise)[:size]
    head = b"" if name == "ed25519" else b"SigEd448\0\0"
    nonce = int.from_bytes(digest(head + prefix + message), "little") % curve.order
    point = points.multiply(curve, nonce, Affine(curve.x, curve.y))
    assert point is not None
    signature = eddsa.sign(modelled(name), curve, private, message, noise=noise)
    assert signature[:size] == eddsa.encode(curve, point)
    PRIVATE[name].from_private_bytes(private).public_key().verify(signature, message)
    with pytest.raises(SpecError, match=f"noise = of 1 octets: must be of {size} octets, or empty"):
        eddsa.sign(modelled(name), curve, private, message, noise=b"1")


# ---- what is shared -----------------------------------------------------------------------------


def shares_with_openssl(core: Transport, name: str) -> None:
    curve = curves.find(name)
    private, public = x25519.generate(core, curve)
    mine, peer = PRIVATE[name].from_private_bytes(private), PRIVATE[name].generate()
    assert public == mine.public_key().public_bytes_raw()
    shared = x25519.shared(core, curve, private, peer.public_key().public_bytes_raw())
    assert shared == mine.exchange(peer.public_key())


@pytest.mark.parametrize("name", ["x25519", pytest.param("x448", marks=LONG)])
def test_x25519_and_x448(name: str) -> None:
    shares_with_openssl(modelled(name), name)


@LONG
@pytest.mark.parametrize("name", ["x25519", "x448"])
def test_simulated_cores_share(name: str) -> None:
    shares_with_openssl(simulated(name), name)


@pytest.mark.parametrize("place", range(2))
def test_vectors_of_rfc_7748(place: int) -> None:
    """Of which the second has a u with a bit beyond the prime's."""
    vector = [each for each in load("x_rfc7748")["tests"] if each["function"] == "X25519"][place]
    k, u, out = (bytes.fromhex(vector[key]) for key in ("k", "u", "out"))
    assert x25519.shared(modelled("x25519"), curves.find("x25519"), k, u) == out


def test_what_is_not_shared() -> None:
    curve, core = curves.find("x25519"), modelled("x25519")
    with pytest.raises(SpecError, match="that of a point of large order"):
        x25519.shared(core, curve, bytes(range(32)), bytes(32))
    with pytest.raises(SpecError, match="^public = 00: must be of 32 octets"):
        x25519.shared(core, curve, bytes(32), bytes(1))
    with pytest.raises(SpecError, match="^private = ...: must be of 32 octets, and has 1"):
        x25519.public_key(core, curve, bytes(1))
