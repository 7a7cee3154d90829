"""ECDSA (FIPS 186-5) and the secret that two parties share (ECDH, SP 800-56A): the processor does
every computation with keys and nonces, the host hashes and encodes. Private keys are numbers,
public keys points; curves are those of `curve` and, over GF(2^m), of `binary-curve`.

Where a curve has a cofactor, as all over GF(2^m) have, the host also tells, in software, whether a
public key is in the group of the base point: the processors do not.

Every signature is verified before it is returned, in software: the processor might accept a wrong
signature because of the fault that made it, such as one in its stored constants.  Only public
values get there, since Python's integers are not of constant time.

Nonces are those of RFC 6979 with random octets (hedged), so that two signatures of one message have
different nonces: a wrong and a right signature with one nonce would together tell the private
key."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator
from typing import NoReturn

from modmul.arithmetic import points, signatures
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.host.encodings import (
    DER,
    RAW,
    octets,
    pair_from_octets,
    pair_to_octets,
    refuse,
    refuse_secret,
    size_of,
)
from modmul.host.transport import Fault, Transport, answer, ask_signature

__all__ = [
    "DER",
    "RAW",
    "generate",
    "in_group",
    "nonces",
    "public_key",
    "shared",
    "sign",
    "verifies",
]
_DIGESTS = ("sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_384", "sha3_512")


# ---- keys ---------------------------------------------------------------------------------------


def generate(core: Transport, curve: Curve) -> tuple[int, Affine]:
    """A private key and its public key, on the curve that is loaded."""
    private = 1 + secrets.randbelow(curve.order - 1)
    return private, public_key(core, curve, private)


def public_key(core: Transport, curve: Curve, private: int) -> Affine:
    answers = answer(core, curve, "ecdh", private=private, x=curve.x, y=curve.y)
    return Affine(answers["x"], answers["y"])


def shared(core: Transport, curve: Curve, private: int, public: Affine) -> bytes:
    """The secret shared with the owner of `public` (ECDH): the x coordinate as octets, for a
    key derivation.  Raises SpecError for a point that is not on the curve or not in the group of
    the base point."""
    if not in_group(curve, public):
        _refuse_point(curve, public)
    answers = answer(core, curve, "ecdh", private=private, x=public.x, y=public.y)
    if "x" not in answers:
        _refuse_point(curve, public)
    return answers["x"].to_bytes(size_of(curve), "big")


def in_group(curve: Curve, public: Affine) -> bool:
    """Whether a point is a multiple of the base point; always so where the cofactor is 1.  Also
    True for a pair that is not on the curve: the processor finds this itself."""
    return not points.is_on(curve, *public) or points.in_group(curve, public)


def _refuse_point(curve: Curve, public: Affine) -> NoReturn:
    group = "" if curve.cofactor == 1 else " in the group of the base point"
    shown = f"({public.x:#x}, {public.y:#x})"
    refuse("public", shown, f"a point of {curve}{group}")


# ---- signatures ---------------------------------------------------------------------------------


def sign(
    core: Transport,
    curve: Curve,
    private: int,
    message: bytes,
    digest: str = "sha256",
    encoding: str = DER,
    public: Affine | None = None,
    noise: bytes | None = None,
) -> bytes:
    """Sign a message, on the curve that is loaded.

    digest: a name from hashlib.  encoding: DER, or RAW (r, then s).  public: the public key;
    without it the processor computes it in each call.  noise: see `nonces`; None for new random
    octets.  Raises Fault if the signature is wrong."""
    hashed = hashlib.new(_known(digest), message).digest()
    number = _number(curve, hashed)
    if public is None:
        public = public_key(core, curve, private)
    drawn = nonces(curve, private, hashed, digest, noise)
    r, s = ask_signature(core, curve, "ecdsa-sign", drawn, digest=number, private=private)
    if not signatures.is_ecdsa(curve, number, r, s, public):
        raise Fault("ecdsa-sign: the signature is wrong, and is not given out")
    return pair_to_octets((r, s), curve.order.bit_length(), encoding)


def verifies(
    core: Transport,
    curve: Curve,
    public: Affine,
    message: bytes,
    signature: bytes,
    digest: str = "sha256",
    encoding: str = DER,
) -> bool:
    number = _number(curve, hashlib.new(_known(digest), message).digest())
    bits = curve.order.bit_length()
    pair = pair_from_octets(signature, bits, encoding)
    if pair is None or max(pair).bit_length() > bits or not in_group(curve, public):
        return False
    r, s = pair
    answers = answer(core, curve, "ecdsa-verify", digest=number, r=r, s=s, x=public.x, y=public.y)
    return bool(answers["valid"])


def _known(digest: str) -> str:
    if digest not in _DIGESTS:
        refuse("digest", repr(digest), f"one of {', '.join(_DIGESTS)}")
    return digest


def _number(curve: Curve, hashed: bytes) -> int:
    """The highest bits of a hash, as many as the order of the base point has."""
    return int.from_bytes(hashed, "big") >> max(0, 8 * len(hashed) - curve.order.bit_length())


# ---- nonces -------------------------------------------------------------------------------------


def nonces(
    curve: Curve, private: int, hashed: bytes, digest: str, noise: bytes | None = None
) -> Iterator[int]:
    """The nonces for a hashed message; take the first that gives a signature.

    noise: the random data Z of hedged ECDSA (draft-irtf-cfrg-det-sigs-with-noise), as long as the
    order; None: new ones.  Empty: the deterministic nonces of RFC 6979, 3.2, for test vectors."""
    n, size = curve.order, octets(curve.order.bit_length())
    if not 0 < private < n:
        refuse_secret("private", f"from 1 to below {n:#x}")
    if noise is None:
        noise = secrets.token_bytes(size)
    if len(noise) not in (0, size):
        refuse("noise", f"of {len(noise)} octets", f"of {size} octets, or empty")
    hash_ = hashlib.new(_known(digest))
    key, value = bytes(hash_.digest_size), b"\1" * hash_.digest_size
    encoded = private.to_bytes(size, "big")
    if noise:  # the key begins and ends a block of its own
        noise += bytes(-(len(value) + 1 + size) % hash_.block_size)
        encoded += bytes(-size % hash_.block_size)
    seed = noise + encoded + (_number(curve, hashed) % n).to_bytes(size, "big")
    for separator in (b"\0", b"\1"):
        key = hmac.digest(key, value + separator + seed, digest)
        value = hmac.digest(key, value, digest)
    while True:
        drawn = b""
        while len(drawn) < size:
            value = hmac.digest(key, value, digest)
            drawn += value
        candidate = _number(curve, drawn[:size])
        if 0 < candidate < n:
            yield candidate
        key = hmac.digest(key, value + b"\0", digest)
        value = hmac.digest(key, value, digest)
