"""X25519 and X448 (RFC 7748): the processor multiplies, the host clamps and encodes.  Keys are
octets."""

from __future__ import annotations

import secrets

from modmul.arithmetic.curves import Curve
from modmul.host.encodings import octets, refuse
from modmul.host.transport import Transport, answer


def generate(core: Transport, curve: Curve) -> tuple[bytes, bytes]:
    """A private key and its public key, on the curve that is loaded."""
    private = secrets.token_bytes(octets(curve.bits))
    return private, public_key(core, curve, private)


def public_key(core: Transport, curve: Curve, private: bytes) -> bytes:
    return _multiplied(core, curve, private, curve.x)


def shared(core: Transport, curve: Curve, private: bytes, public: bytes) -> bytes:
    """The secret shared with the owner of `public`, for a key derivation.  Raises SpecError
    for a public key of small order, with which every private key gives the same secret."""
    size = octets(curve.bits)
    if len(public) != size:
        refuse("public", public.hex(), f"of {size} octets")
    u = int.from_bytes(public, "little") & (1 << curve.bits) - 1
    secret = _multiplied(core, curve, private, u)
    if not any(secret):
        refuse("public", public.hex(), "that of a point of large order")
    return secret


def _multiplied(core: Transport, curve: Curve, private: bytes, u: int) -> bytes:
    answers = answer(core, curve, "x-multiply", scalar=_clamped(curve, private), u=u)
    return answers["u"].to_bytes(octets(curve.bits), "little")


def _clamped(curve: Curve, private: bytes) -> int:
    """The scalar of a private key (RFC 7748, 5): a multiple of the cofactor, top bit set."""
    size = octets(curve.bits)
    if len(private) != size:
        refuse("private", "...", f"of {size} octets, and has {len(private)}")
    top = 1 << curve.bits - 1
    return int.from_bytes(private, "little") & top - curve.cofactor | top
