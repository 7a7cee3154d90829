"""Numbers, points and signatures as octets: SEC 1, and the parts of DER (X.690) that signatures
and ciphertexts use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from modmul.arithmetic import binary, points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError, refusal

RAW, DER = "raw", "der"
_INTEGER, _OCTETS, _SEQUENCE = 0x02, 0x04, 0x30
_EVEN, _ODD, _WHOLE = 2, 3, 4  # first octet of a point: compressed by parity of y, uncompressed


def refuse(key: str, value: object, allowed: str) -> NoReturn:
    """Raise SpecError with the message `key = value: must be ...`."""
    raise refusal(key, value, allowed, shown=value)


def refuse_secret(key: str, allowed: str) -> NoReturn:
    """Raise SpecError with a message that does not show the value."""
    raise SpecError(key, None, allowed, f"{key} = ...: must be {allowed}")


def octets(bits: int) -> int:
    """How many octets hold a number of `bits` bits."""
    return -(-bits // 8)


# ---- points (SEC 1, 2.3) ------------------------------------------------------------------------


def size_of(curve: Curve) -> int:
    """How many octets a coordinate of a point has."""
    return octets((curve.elements - 1).bit_length())


def point_to_octets(curve: Curve, point: Affine) -> bytes:
    """The uncompressed encoding of a point: 04, x and y, highest octet first."""
    size = size_of(curve)
    return bytes([_WHOLE]) + point.x.to_bytes(size, "big") + point.y.to_bytes(size, "big")


def point_from_octets(curve: Curve, data: bytes) -> Affine:
    """Decode a point, uncompressed (04) or compressed (02 or 03 and x).  Raises SpecError for
    octets that are no point of the curve."""
    size, kind = size_of(curve), data[0] if data else 0
    x = int.from_bytes(data[1 : 1 + size], "big")
    if kind == _WHOLE and len(data) == 1 + 2 * size:
        point = Affine(x, int.from_bytes(data[1 + size :], "big"))
        if max(point) < curve.elements and points.is_on(curve, *point):
            return point
    if kind in (_EVEN, _ODD) and len(data) == 1 + size and x < curve.elements:
        root = points.with_x(curve, x)
        other = points.negative(curve, root)
        if root is not None and other is not None:
            return root if _is_odd(curve, root) == kind % 2 else other
    refuse("point", data.hex(), f"the octets of a point of {curve}, as SEC 1 has them")


def _is_odd(curve: Curve, point: Affine) -> int:
    """The bit that tells a point from its negative: the lowest of y, or, over GF(2^m), of y
    / x."""
    if curve.form != "binary" or point.x == 0:
        return point.y & (curve.form != "binary")
    ratio = binary.product(point.y, binary.inverse(point.x, curve.prime), curve.prime)
    return ratio & 1


# ---- signatures of two numbers ------------------------------------------------------------------


def pair_to_octets(pair: tuple[int, int], bits: int, encoding: str) -> bytes:
    """Encode two numbers.  RAW: one after the other, `bits` bits each.  DER: a sequence of both."""
    if known(encoding) == RAW:
        return b"".join(number.to_bytes(octets(bits), "big") for number in pair)
    return to_der(pair)


def pair_from_octets(data: bytes, bits: int, encoding: str) -> tuple[int, int] | None:
    """The two numbers that octets encode, or None if they encode no pair."""
    size = octets(bits)
    if known(encoding) == RAW:
        first, second = data[:size], data[size:]
        whole = len(data) == 2 * size
        return (int.from_bytes(first, "big"), int.from_bytes(second, "big")) if whole else None
    match from_der(data):
        case [int(r), int(s)]:
            return r, s
    return None


def known(encoding: str) -> str:
    """The encoding.  Raises SpecError unless it is RAW or DER."""
    if encoding not in (RAW, DER):
        refuse("encoding", repr(encoding), f"{RAW} or {DER}")
    return encoding


# ---- DER ----------------------------------------------------------------------------------------


def to_der(members: Sequence[int | bytes]) -> bytes:
    """Encode a sequence of integers (not negative) and octet strings."""
    contents = b""
    for member in members:
        if isinstance(member, int):
            contents += _told(_INTEGER, member.to_bytes(member.bit_length() // 8 + 1, "big"))
        else:
            contents += _told(_OCTETS, member)
    return _told(_SEQUENCE, contents)


def _told(tag: int, value: bytes) -> bytes:
    """One DER element: tag, length, value."""
    size = len(value)
    if size < 1 << 7:
        return bytes([tag, size]) + value
    length = size.to_bytes(octets(size.bit_length()), "big")
    return bytes([tag, 1 << 7 | len(length)]) + length + value


def from_der(data: bytes) -> list[int | bytes] | None:
    """Decode a sequence as `to_der` encodes it.  None for anything else, also for an encoding that
    is not the shortest: only octets that `to_der` would give again are accepted."""
    members: list[int | bytes] = []
    whole = _value(data, _SEQUENCE)
    if whole is None:
        return None
    inside, behind = whole
    while inside and not behind:
        tag = inside[0]
        value = _value(inside, tag) if tag in (_INTEGER, _OCTETS) else None
        if value is None:
            return None
        members.append(int.from_bytes(value[0], "big") if tag == _INTEGER else value[0])
        inside = value[1]
    return members if to_der(members) == data else None


def _value(data: bytes, tag: int) -> tuple[bytes, bytes] | None:
    """The value of the first element, and the octets behind the element.  None if it does
    not have this tag, or is cut off."""
    if len(data) < 2 or data[0] != tag:
        return None
    size, begin = data[1], 2
    if size >> 7:
        begin += size & 0x7F
        size = int.from_bytes(data[2:begin], "big")
    if len(data) < begin + size:
        return None
    return data[begin : begin + size], data[begin + size :]
