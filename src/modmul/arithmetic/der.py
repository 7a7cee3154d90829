"""Reads DER: its elements and integers, and RSA private keys of three and four primes, in PEM or
DER, PKCS #1 or #8 (RFC 8017).

The package `cryptography` refuses such keys.  Only these are read here, all others by that package
(docs/decisions/0032-keys-of-several-primes.md).  It also refuses keys whose numbers contradict each
other; which ones do is found here, for a message."""

from __future__ import annotations

import base64
import math
import re
from typing import NamedTuple

_PEM = re.compile(rb"-----BEGIN (?:RSA )?PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END ")
_INTEGER, _OCTETS = 0x02, 0x04
_RSA = bytes.fromhex("06092a864886f70d010101")  # the identifier rsaEncryption
_NUMBERS = 9  # of a key of two: version, n, e, d, p, q, dp, dq, 1/q mod p


class DerElement(NamedTuple):
    tag: int
    content: bytes


class _Key(NamedTuple):
    """version: 0; 1 with more than two primes.  powers: d modulo each prime less 1.  inverses: that
    of q modulo p, then for each further prime that of the product of the primes before it."""

    version: int
    n: int
    e: int
    d: int
    primes: tuple[int, ...]
    powers: tuple[int, ...]
    inverses: tuple[int, ...]


def numbers(content: bytes) -> tuple[int, ...]:
    """p, q, e and the other primes of a key; () for anything else, such as a key whose
    numbers contradict each other."""
    key = _key(content)
    return () if key is None or _flaw(key) else (*key.primes[:2], key.e, *key.primes[2:])


def several_primes(content: bytes) -> tuple[int, ...]:
    """The same of a key with more than two primes; () for anything else."""
    found = numbers(content)
    return found if len(found) > 3 else ()


def flaw(content: bytes) -> str:
    """Which number of an RSA private key contradicts the others; "" if none does or if the
    content is no such key.  The text contains no number of the key."""
    key = _key(content)
    return "" if key is None else _flaw(key)


def _flaw(key: _Key) -> str:
    """What is wrong with the first number that is wrong, "" if none is."""
    if key.version != int(len(key.primes) > 2):
        return f"its version is not that of a key of {len(key.primes)} primes"
    if min(key.primes) < 2 or key.n != math.prod(key.primes):
        return "its modulus is not the product of its primes"
    if any(key.e * key.d % (prime - 1) != 1 for prime in key.primes if prime > 2):
        return "its d is not the inverse of its e"
    if any(
        power != key.d % (prime - 1) for prime, power in zip(key.primes, key.powers, strict=True)
    ):
        return "one of its exponents dp, dq, ... is not d modulo its prime less 1"
    p, q, *others = key.primes
    before = [q, *(math.prod(key.primes[:place]) for place in range(2, len(key.primes)))]
    for prime, product, inverse in zip([p, *others], before, key.inverses, strict=True):
        if product * inverse % prime != 1:
            return "one of its inverses 1/q mod p, ... is wrong"
    return ""


def _key(content: bytes) -> _Key | None:
    """The numbers of a key file; None if they are missing or not as many as expected."""
    match = _PEM.search(content)
    try:
        return _numbers(base64.b64decode(match[1]) if match else content)
    except (ValueError, IndexError):  # cut off, or something else
        return None


def _numbers(encoded: bytes) -> _Key | None:
    parts = elements(elements(encoded)[0].content)
    if parts[1].content.startswith(_RSA) and parts[2].tag == _OCTETS:  # PKCS #8
        parts = elements(elements(parts[2].content)[0].content)
    if not _NUMBERS <= len(parts) <= _NUMBERS + 1:
        return None
    version, n, e, d, p, q, dp, dq, inverse = map(integer, parts[:_NUMBERS])
    sequences = elements(parts[_NUMBERS].content) if len(parts) > _NUMBERS else []
    others = [tuple(map(integer, elements(sequence.content))) for sequence in sequences]
    if any(len(numbers) != 3 for numbers in others):
        return None
    primes, powers, inverses = zip(*others, strict=True) if others else ((), (), ())
    return _Key(version, n, e, d, (p, q, *primes), (dp, dq, *powers), (inverse, *inverses))


def elements(encoded: bytes) -> list[DerElement]:
    """The elements of an encoding, in order.  Raises ValueError or IndexError if cut off."""
    elements, rest = list[DerElement](), encoded
    while rest:
        tag, length, start = rest[0], rest[1], 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(rest[2:start])
        if start + length > len(rest):
            raise ValueError("it is cut off")
        elements.append(DerElement(tag, rest[start : start + length]))
        rest = rest[start + length :]
    return elements


def integer(element: DerElement) -> int:
    if element.tag != _INTEGER:
        raise ValueError("no integer")
    return int.from_bytes(element.content, signed=True)
