"""Ed25519 and Ed448 (RFC 8032): the processor computes signatures except for the hashes, which,
like the encodings, are computed by the host. Keys are octets.

Signatures are verified in software, and nonces have random octets, for the reasons that `ecdsa`
gives."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import NamedTuple

from modmul.arithmetic import signatures
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.host.encodings import refuse
from modmul.host.transport import Fault, Transport, answer


class _Scheme(NamedTuple):
    """The constants of RFC 8032 for one curve.  digest: the hash, twice as long as a key.  prefix:
    octets that are hashed before the context, which has at most `longest` octets; if empty, no
    context is hashed."""

    title: str
    digest: Callable[[bytes], bytes]
    prefix: bytes
    longest: int


_SCHEMES = {
    "ed25519": _Scheme("Ed25519", lambda text: hashlib.sha512(text).digest(), b"", 0),
    "ed448": _Scheme("Ed448", lambda text: hashlib.shake_256(text).digest(114), b"SigEd448\0", 255),
}


def generate(core: Transport, curve: Curve) -> tuple[bytes, bytes]:
    """A private key and its public key, on the curve that is loaded."""
    private = secrets.token_bytes(_size(curve))
    return private, public_key(core, curve, private)


def public_key(core: Transport, curve: Curve, private: bytes) -> bytes:
    return encode(curve, _multiple(core, curve, _expanded(curve, private).scalar))


def sign(
    core: Transport,
    curve: Curve,
    private: bytes,
    message: bytes,
    context: bytes = b"",
    public: bytes | None = None,
    noise: bytes | None = None,
) -> bytes:
    """Sign a message, on the curve that is loaded.

    context: for Ed448 only.  public: the public key; without it the processor computes it in each
    call.  noise: the random data Z of hedged EdDSA (draft-irtf-cfrg-det-sigs-with-noise), as long
    as a key; None: new ones.  Empty: the deterministic nonce of RFC 8032, for test vectors.  Raises
    Fault if the signature is wrong."""
    key, n, size = _expanded(curve, private), curve.order, _size(curve)
    if noise is None:
        noise = secrets.token_bytes(size)
    if len(noise) not in (0, size):
        refuse("noise", f"of {len(noise)} octets", f"of {size} octets, or empty")
    prefix = _scheme(curve).digest(key.prefix + noise)[:size] if noise else key.prefix
    owner = _multiple(core, curve, key.scalar) if public is None else decode(curve, public)
    if owner is None:
        refuse("public", public and public.hex(), "a public key")
    nonce = _hashed(curve, context, prefix, message) % n
    point = _multiple(core, curve, nonce)
    encoded = encode(curve, point)
    challenge = _hashed(curve, context, encoded, encode(curve, owner), message) % n
    answers = answer(
        core, curve, "eddsa-sign", nonce=nonce, challenge=challenge, private=key.scalar % n
    )
    if not signatures.is_eddsa(curve, answers["s"], challenge, owner, point):
        raise Fault("eddsa-sign: the signature is wrong, and is not given out")
    return encoded + answers["s"].to_bytes(size, "little")


def verifies(
    core: Transport,
    curve: Curve,
    public: bytes,
    message: bytes,
    signature: bytes,
    context: bytes = b"",
) -> bool:
    """Whether a signature is valid for a message and a public key: S*B = R + h*A, without the
    cofactor.  Encodings that are not the shortest are invalid."""
    size = _size(curve)
    if len(signature) != 2 * size or len(public) != size:
        return False
    key, other = decode(curve, public), decode(curve, signature[:size])
    s = int.from_bytes(signature[size:], "little")
    if key is None or other is None or s.bit_length() > curve.scalar_bits:
        return False
    challenge = _hashed(curve, context, signature[:size], public, message) % curve.order
    answers = answer(
        core,
        curve,
        "eddsa-verify",
        s=s,
        challenge=challenge,
        x=key.x,
        y=key.y,
        x2=other.x,
        y2=other.y,
    )
    return bool(answers["valid"])


# ---- points -------------------------------------------------------------------------------------


def encode(curve: Curve, point: Affine) -> bytes:
    """y, lowest octet first, with the parity of x in the highest bit."""
    size = _size(curve)
    return (point.y | point.x % 2 << 8 * size - 1).to_bytes(size, "little")


def decode(curve: Curve, octets: bytes) -> Affine | None:
    """The point that octets encode, or None if they encode none."""
    p, number = curve.prime, int.from_bytes(octets, "little")
    top = 8 * len(octets) - 1
    odd, y = number >> top, number & (1 << top) - 1
    if y >= p:
        return None
    square = (1 - y * y) * pow(curve.a - curve.d * y * y, -1, p) % p  # never 1 / 0
    x = _root(square, p)
    if x is None or (x == 0 and odd):
        return None
    return Affine(x if x % 2 == odd else p - x, y)


def _root(square: int, p: int) -> int | None:
    """A square root modulo p, which is 3 modulo 4 or 5 modulo 8; None if there is none."""
    if p % 4 == 3:
        root = pow(square, (p + 1) // 4, p)
    else:
        root = pow(square, (p + 3) // 8, p)
        if root * root % p != square:
            root = root * pow(2, (p - 1) // 4, p) % p
    return root if root * root % p == square else None


def _multiple(core: Transport, curve: Curve, scalar: int) -> Affine:
    """Scalar * B, B being the base point."""
    answers = answer(core, curve, "point-multiply", scalar=scalar, x=curve.x, y=curve.y)
    return Affine(answers["x"], answers["y"])


# ---- hashes -------------------------------------------------------------------------------------


class _Key(NamedTuple):
    """The scalar that a private key expands to, and the prefix that is hashed for a nonce."""

    scalar: int
    prefix: bytes


def _expanded(curve: Curve, private: bytes) -> _Key:
    size = _size(curve)
    if len(private) != size:
        refuse("private", "...", f"of {size} octets, and has {len(private)}")
    digest = _scheme(curve).digest(private)
    top = 1 << curve.bits - 1
    scalar = int.from_bytes(digest[:size], "little") & top - curve.cofactor | top
    return _Key(scalar, digest[size:])


def _hashed(curve: Curve, context: bytes, *parts: bytes) -> int:
    """The hash of all parts; if the scheme has a context, that is hashed before them."""
    scheme = _scheme(curve)
    if len(context) > scheme.longest:
        most = f"of at most {scheme.longest} octets"
        refuse("context", context.hex(), most if scheme.longest else f"empty for {scheme.title}")
    head = scheme.prefix + bytes([len(context)]) + context if scheme.prefix else b""
    return int.from_bytes(scheme.digest(head + b"".join(parts)), "little")


def _scheme(curve: Curve) -> _Scheme:
    """The constants of a curve.  Raises SpecError for a curve that is not in RFC 8032."""
    if curve.name not in _SCHEMES:
        refuse("curve", curve, " or ".join(_SCHEMES))
    return _SCHEMES[curve.name]


def _size(curve: Curve) -> int:
    """The octets of a key and of a point.  Raises SpecError as `_scheme` does."""
    _scheme(curve)
    return curve.bits // 8 + 1
