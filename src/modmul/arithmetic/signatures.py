"""Signatures and key agreement on elliptic curves, at the level of numbers and points, as their
standards write them: ECDSA (FIPS 186-5), SM2 (GM/T 0003), EdDSA (RFC 8032).

For the oracle: nothing is shared with the programs of processors."""

from __future__ import annotations

from collections.abc import Mapping

import gmpy2

from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine, Point, add, is_on, multiply, negative


def base(curve: Curve) -> Affine:
    return Affine(curve.x, curve.y)


# ---- ECDSA --------------------------------------------------------------------------------------


def ecdsa(curve: Curve, digest: int, private: int, nonce: int) -> tuple[int, int]:
    """r and s of an ECDSA signature as computed; either may be 0, which is no signature."""
    n, point = curve.order, multiply(curve, nonce, base(curve))
    r = point.x % n if point else 0
    return r, int((digest + r * private) * gmpy2.invert(nonce, n) % n)


def is_ecdsa(curve: Curve, digest: int, r: int, s: int, public: Affine) -> bool:
    """Whether (r, s) is an ECDSA signature of the digest under this public key."""
    n = curve.order
    if not (0 < r < n and 0 < s < n and is_on(curve, *public)):
        return False
    inverse = int(gmpy2.invert(s, n))
    point = add(
        curve,
        multiply(curve, digest * inverse % n, base(curve)),
        multiply(curve, r * inverse % n, public),
    )
    return point is not None and point.x % n == r


# ---- SM2 ----------------------------------------------------------------------------------------


def sm2(curve: Curve, digest: int, private: int, nonce: int) -> tuple[int, int] | None:
    """r and s of an SM2 signature; None if another nonce has to be drawn."""
    n, point = curve.order, multiply(curve, nonce, base(curve))
    r = (digest + point.x) % n if point else 0
    if r == 0 or (r + nonce) % n == 0:
        return None
    s = int(gmpy2.invert(1 + private, n) * (nonce - r * private) % n)
    return (r, s) if s else None


def is_sm2(curve: Curve, digest: int, r: int, s: int, public: Affine) -> bool:
    """Whether (r, s) is an SM2 signature of the digest under this public key."""
    n = curve.order
    if not (0 < r < n and 0 < s < n and is_on(curve, *public)) or (r + s) % n == 0:
        return False
    point = add(curve, multiply(curve, s, base(curve)), multiply(curve, (r + s) % n, public))
    return point is not None and (digest + point.x) % n == r


def half_bits(curve: Curve) -> int:
    """The bits of the factor by which SM2 weighs a point: half as many as the order has."""
    return -(-(curve.order - 1).bit_length() // 2)


def factor(curve: Curve, x: int) -> int:
    """The factor by which SM2 weighs a point: the lower half of its x, its top bit set."""
    top = 1 << half_bits(curve) - 1
    return top + (x & top - 1)


def sm2_sum(curve: Curve, of: Mapping[str, int]) -> Point:
    """Q' + f'*R', the point that is multiplied to agree; operands as of sm2-exchange."""
    return add(
        curve, Affine(of["x"], of["y"]), multiply(curve, of["factor2"], Affine(of["x2"], of["y2"]))
    )


def sm2_agreed(curve: Curve, of: Mapping[str, int]) -> Point:
    """The point on which both parties agree."""
    t = (of["private"] + of["factor"] * of["ephemeral"]) % curve.order
    return multiply(curve, t, sm2_sum(curve, of))


# ---- EdDSA --------------------------------------------------------------------------------------


def eddsa(curve: Curve, nonce: int, challenge: int, private: int) -> int:
    """The number s of a signature whose point is nonce*B."""
    return (nonce + challenge * private) % curve.order


def is_eddsa(curve: Curve, s: int, challenge: int, public: Affine, point: Affine) -> bool:
    """Whether (point, s) is an EdDSA signature under this public key, without the cofactor."""
    if s >= curve.order or not (is_on(curve, *public) and is_on(curve, *point)):
        return False
    commitment = add(
        curve, multiply(curve, s, base(curve)), negative(curve, multiply(curve, challenge, public))
    )
    return (commitment or Affine(0, 1)) == point
