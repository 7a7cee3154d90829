"""DER: its elements and integers, and RSA private keys of three and four primes, in PEM or DER,
PKCS #1 or #8 (RFC 8017).

The package `cryptography` refuses such keys.  Only these are read here, all others by that package
(docs/decisions/0032-keys-of-several-primes.md)."""

from __future__ import annotations

import base64
import math
import re
from typing import NamedTuple

_PEM = re.compile(rb"-----BEGIN (?:RSA )?PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END ")
_INTEGER, _OCTETS = 0x02, 0x04
_RSA = bytes.fromhex("06092a864886f70d010101")  # the identifier rsaEncryption
_SEVERAL = 1  # the version of a key with more than two primes
_NUMBERS = 9  # of a key of two: version, n, e, d, p, q, dp, dq, 1/q mod p


class Element(NamedTuple):
    tag: int
    content: bytes


def several_primes(content: bytes) -> tuple[int, ...]:
    """p, q, e and the other primes of a key that has more than two; () for anything else."""
    match = _PEM.search(content)
    try:
        return _numbers(base64.b64decode(match[1]) if match else content)
    except (ValueError, IndexError):  # cut off, or something else
        return ()


def _numbers(encoded: bytes) -> tuple[int, ...]:
    parts = elements(elements(encoded)[0].content)
    if parts[1].content.startswith(_RSA) and parts[2].tag == _OCTETS:  # PKCS #8
        parts = elements(elements(parts[2].content)[0].content)
    if len(parts) != _NUMBERS + 1 or integer(parts[0]) != _SEVERAL:
        return ()
    others = [integer(elements(prime.content)[0]) for prime in elements(parts[_NUMBERS].content)]
    _, n, e, _, p, q = map(integer, parts[:6])
    return (p, q, e, *others) if n == math.prod((p, q, *others)) else ()


def elements(encoded: bytes) -> list[Element]:
    """The elements of an encoding, one after the other."""
    elements, rest = list[Element](), encoded
    while rest:
        tag, length, start = rest[0], rest[1], 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(rest[2:start])
        if start + length > len(rest):
            raise ValueError("it is cut off")
        elements.append(Element(tag, rest[start : start + length]))
        rest = rest[start + length :]
    return elements


def integer(element: Element) -> int:
    if element.tag != _INTEGER:
        raise ValueError("no integer")
    return int.from_bytes(element.content, signed=True)
