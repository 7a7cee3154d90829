"""SM2 (GM/T 0003, GB/T 32918): signatures, key exchange and encryption. The processor does every
computation with keys and nonces; the host does hashes (SM3), key derivation and encodings.
Private keys are numbers, public keys points."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from cryptography.hazmat.primitives import hashes

from modmul.arithmetic import signatures
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.host.encodings import (
    DER,
    RAW,
    from_der,
    known,
    octets,
    pair_from_octets,
    pair_to_octets,
    point_from_octets,
    point_to_octets,
    refuse,
    to_der,
)
from modmul.host.transport import Fault, Transport, answer, ask_signature

ID = b"1234567812345678"  # the default identity of GM/T 0009
_HASH = 32  # octets of SM3


class Party(NamedTuple):
    """The public data of one side of a key exchange.  public: its public key.  ephemeral: its point
    for this exchange.  name: its identity."""

    public: Affine
    ephemeral: Affine
    name: bytes = ID


class Agreed(NamedTuple):
    """The result of a key exchange, the same for both sides.  responder, initiator: hashes that
    these send to each other to confirm that they have the key."""

    key: bytes
    responder: bytes
    initiator: bytes


# ---- keys ---------------------------------------------------------------------------------------


def generate(core: Transport, curve: Curve) -> tuple[int, Affine]:
    """A private key and its public key, on the curve that is loaded; also an ephemeral pair."""
    private = 1 + secrets.randbelow(curve.order - 2)
    return private, public_key(core, curve, private)


def public_key(core: Transport, curve: Curve, private: int) -> Affine:
    answers = answer(core, curve, "sm2-decrypt", private=private, x=curve.x, y=curve.y)
    return Affine(answers["x"], answers["y"])


# ---- signatures ---------------------------------------------------------------------------------


def sign(
    core: Transport,
    curve: Curve,
    private: int,
    public: Affine,
    message: bytes,
    name: bytes = ID,
    encoding: str = DER,
) -> bytes:
    """Sign a message, on the curve that is loaded.  name: identity of the signer.  encoding: DER,
    or RAW (r, then s).  Raises Fault if the signature is wrong, which is found in software: see
    `ecdsa`."""
    number = digest(curve, public, message, name) % curve.order
    drawn = _drawn(curve)
    r, s = ask_signature(core, curve, "sm2-sign", drawn, digest=number, private=private)
    if not signatures.is_sm2(curve, number, r, s, public):
        raise Fault("sm2-sign: the signature is wrong, and is not given out")
    return pair_to_octets((r, s), curve.order.bit_length(), encoding)


def verifies(
    core: Transport,
    curve: Curve,
    public: Affine,
    message: bytes,
    signature: bytes,
    name: bytes = ID,
    encoding: str = DER,
) -> bool:
    bits = curve.order.bit_length()
    pair = pair_from_octets(signature, bits, encoding)
    if pair is None or max(pair).bit_length() > bits:
        return False
    r, s = pair
    number = digest(curve, public, message, name) % curve.order
    answers = answer(core, curve, "sm2-verify", digest=number, r=r, s=s, x=public.x, y=public.y)
    return bool(answers["valid"])


def digest(curve: Curve, public: Affine, message: bytes, name: bytes = ID) -> int:
    """The number that is signed: the hash of the signer's Z and the message."""
    return int.from_bytes(sm3(whose(curve, public, name) + message), "big")


def whose(curve: Curve, public: Affine, name: bytes = ID) -> bytes:
    """Z, the hash of an identity, the curve and a public key."""
    bits = 8 * len(name)
    if bits >> 16:
        refuse("name", f"of {len(name)} octets", "of at most 8191 octets")
    numbers = curve.a, curve.b, curve.x, curve.y, *public
    octets = b"".join(_octets(curve, number) for number in numbers)
    return sm3(bits.to_bytes(2, "big") + name + octets)


# ---- key exchange -------------------------------------------------------------------------------


def agree(
    core: Transport,
    curve: Curve,
    private: int,
    ephemeral: int,
    own: Party,
    other: Party,
    initiator: bool,
    size: int,
) -> Agreed:
    """A key of `size` octets, which the other side computes, too.  private, ephemeral: the
    private keys of own.public and own.ephemeral.  initiator: whether this side began; the other did
    not.  Raises SpecError for points that are not on the curve."""
    answers = answer(
        core,
        curve,
        "sm2-exchange",
        private=private,
        ephemeral=ephemeral,
        factor=signatures.factor(curve, own.ephemeral.x),
        x=other.public.x,
        y=other.public.y,
        factor2=signatures.factor(curve, other.ephemeral.x),
        x2=other.ephemeral.x,
        y2=other.ephemeral.y,
    )
    if "x" not in answers:
        refuse("other", other.name, "one whose points are on the curve and give a point together")
    first, second = (own, other) if initiator else (other, own)
    x, y = (_octets(curve, answers[name]) for name in "xy")
    names = b"".join(whose(curve, side.public, side.name) for side in (first, second))
    points = b"".join(_octets(curve, point) for point in (*first.ephemeral, *second.ephemeral))
    inner = sm3(x + names + points)
    return Agreed(derived(x + y + names, size), sm3(b"\2" + y + inner), sm3(b"\3" + y + inner))


# ---- encryption ---------------------------------------------------------------------------------


def encrypt(
    core: Transport, curve: Curve, public: Affine, message: bytes, encoding: str = RAW
) -> bytes:
    """Encrypt a message for the owner of a public key.  encoding: RAW (point, hash, text), or DER.
    Raises SpecError for a key that is no point, and for an empty message."""
    if not message:
        refuse("message", "''", "of at least one octet")
    for nonce in _drawn(curve):
        mine = answer(core, curve, "sm2-encrypt", nonce=nonce, x=curve.x, y=curve.y)
        both = answer(core, curve, "sm2-encrypt", nonce=nonce, x=public.x, y=public.y)
        if "x" not in both:
            refuse("public", f"({public.x:#x}, {public.y:#x})", f"a point of {curve}")
        x, y = (_octets(curve, both[name]) for name in "xy")
        mask = derived(x + y, len(message))
        if any(mask):
            break
    point, text, hashed = Affine(mine["x"], mine["y"]), _masked(message, mask), sm3(x + message + y)
    if known(encoding) == RAW:
        return point_to_octets(curve, point) + hashed + text
    return to_der([*point, hashed, text])


def decrypt(
    core: Transport, curve: Curve, private: int, ciphertext: bytes, encoding: str = RAW
) -> bytes:
    """Decrypt a message.  Raises SpecError for octets that are no ciphertext for this key."""
    point, hashed, text = _parts(curve, ciphertext, encoding)
    answers = answer(core, curve, "sm2-decrypt", private=private, x=point.x, y=point.y)
    if "x" in answers:
        x, y = (_octets(curve, answers[name]) for name in "xy")
        message = _masked(text, derived(x + y, len(text)))
        if hmac.compare_digest(sm3(x + message + y), hashed):
            return message
    _no_ciphertext(ciphertext)


def _parts(curve: Curve, ciphertext: bytes, encoding: str) -> tuple[Affine, bytes, bytes]:
    """Split a ciphertext into point, hash and text."""
    size = 1 + 2 * octets(curve.bits)
    if known(encoding) == RAW:
        if len(ciphertext) <= size + _HASH:
            _no_ciphertext(ciphertext)
        point = point_from_octets(curve, ciphertext[:size])
        return point, ciphertext[size : size + _HASH], ciphertext[size + _HASH :]
    match from_der(ciphertext):
        case [int(x), int(y), bytes(hashed), bytes(text)] if text and max(x, y) < curve.prime:
            return Affine(x, y), hashed, text
    _no_ciphertext(ciphertext)


def _no_ciphertext(ciphertext: bytes) -> NoReturn:
    refuse("ciphertext", f"{ciphertext[:8].hex()}...", "one that was made for this key, unchanged")


# ---- hashes and octets --------------------------------------------------------------------------


def sm3(text: bytes) -> bytes:
    """The SM3 hash of a text, 32 octets (GM/T 0004)."""
    hashed = hashes.Hash(hashes.SM3())
    hashed.update(text)
    return hashed.finalize()


def derived(secret: bytes, size: int) -> bytes:
    """Derive a key of `size` octets from a shared secret."""
    count = -(-size // _HASH)
    parts = (sm3(secret + place.to_bytes(4, "big")) for place in range(1, 1 + count))
    return b"".join(parts)[:size]


def _masked(text: bytes, mask: bytes) -> bytes:
    return bytes(octet ^ other for octet, other in zip(text, mask, strict=True))


def _octets(curve: Curve, value: int) -> bytes:
    return value.to_bytes(octets(curve.bits), "big")


def _drawn(curve: Curve) -> Iterator[int]:
    while True:
        yield 1 + secrets.randbelow(curve.order - 1)
