"""Private keys of RSA: moduli whose two prime factors are known."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import gmpy2

from modmul import inputs
from modmul.errors import SpecError, quoted

KEY = "key"
FILE = "a file with an RSA private key, PEM or DER, not encrypted"


class Key(int):
    """The modulus p*q, as a number, with its factors and its public exponent.

    It is equal to keys of the same numbers in the same order, and not to the bare modulus: who has
    one of these cannot do with it what can be done with the other.  SpecError for numbers that are
    no key."""

    p: int
    q: int
    e: int

    def __new__(cls, p: int, q: int, e: int = 65537) -> Key:
        key = int.__new__(cls, p * q)
        key.p, key.q, key.e = int(p), int(q), int(e)
        key._check()
        return key

    def _check(self) -> None:
        for name, prime in (("p", self.p), ("q", self.q)):
            if prime < 3 or not gmpy2.is_prime(prime):
                raise _refused(name, "an odd prime")
        if self.p == self.q:
            raise _refused("q", "another prime than p")
        if not 1 < self.e < self:
            raise _refused("e", "above 1 and below the modulus")
        if math.gcd(self.e, (self.p - 1) * (self.q - 1)) > 1:
            raise _refused("e", "a number without a common factor with p - 1 and q - 1")

    @property
    def d(self) -> int:
        """The private exponent, the smallest that there is."""
        return pow(self.e, -1, math.lcm(self.p - 1, self.q - 1))

    @property
    def longest(self) -> int:
        """Bits of the longer prime."""
        return max(self.p.bit_length(), self.q.bit_length())

    @classmethod
    def of_bits(cls, bits: int, start: int, e: int = 65537) -> Key:
        """A key for tests, whose primes have so many bits and begin as those of `start` do."""
        primes: list[int] = []
        one = (start | 1 << bits - 1) & (1 << bits) - 1
        while len(primes) < 2:
            one = int(gmpy2.next_prime(one))
            if one >> bits:
                one = int(gmpy2.next_prime(1 << bits - 1))
            if math.gcd(e, one - 1) == 1 and one not in primes:
                primes.append(one)
                one ^= start >> 3 & (1 << bits // 2) - 1
        return cls(primes[0], primes[1], e)

    @classmethod
    def from_file(cls, path: Path) -> Key:
        """That of a file: PEM or DER, PKCS #1 or #8.  SpecError for what is none."""
        try:
            content = inputs.read_bytes(path)
        except ValueError as error:
            raise _refused(KEY, FILE, f"cannot read {path}: {error}", path) from None
        numbers = _read(content, path)
        return cls(numbers.p, numbers.q, numbers.public_numbers.e)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self._numbers == other._numbers

    def __ne__(self, other: object) -> bool:  # that of int would compare the moduli alone
        return not self == other

    def __hash__(self) -> int:
        return hash(self._numbers)

    def __repr__(self) -> str:  # which may get into a message or a log
        return f"Key({self.bit_length()} bits, e = {self.e})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Key, self._numbers

    @property
    def _numbers(self) -> tuple[int, int, int]:
        return self.p, self.q, self.e


def _read(content: bytes, path: Path) -> Any:
    """Its numbers, as the package `cryptography` has them."""
    from cryptography.exceptions import UnsupportedAlgorithm  # where it is used: it takes its time
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import (
        load_der_private_key,
        load_pem_private_key,
    )

    reader = load_pem_private_key if content.lstrip().startswith(b"-----") else load_der_private_key
    try:
        found = reader(content, None)
    except TypeError:
        raise _refused(KEY, FILE, f"{path} is encrypted", path) from None
    except (ValueError, UnsupportedAlgorithm):
        raise _refused(KEY, FILE, f"{path} holds no private key", path) from None
    if not isinstance(found, RSAPrivateKey):
        raise _refused(KEY, FILE, f"{path} holds a key of another kind", path)
    return found.private_numbers()


def _refused(name: str, allowed: str, why: str = "", value: object = None) -> SpecError:
    """Values of a key are not repeated: they are secret."""
    if value is None:
        return SpecError(name, None, allowed, f"key: its {name} must be {allowed}")
    shown = quoted(str(value))
    return SpecError(name, str(value), allowed, f"{name} = {shown}: must be {allowed}: {why}")
