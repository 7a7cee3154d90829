"""Private keys of RSA: moduli whose prime factors are known, two to four."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from modmul import inputs
from modmul.arithmetic import der
from modmul.errors import SpecError, quoted

KEY = "key"
FILE = "a file with an RSA private key, PEM or DER, not encrypted"
# Headings of PEM files that are something else.
_LABELS = {
    b"PUBLIC KEY-----": "holds a public key",
    b"BEGIN CERTIFICATE": "holds a certificate",
    b"BEGIN OPENSSH": "is in OpenSSH's own format; ssh-keygen -p -m PEM changes that",
}


class Key(int):
    """The modulus of an RSA key as an integer, with its prime factors and its public exponent.

    It is equal to keys with the same numbers in the same order, but not to the bare modulus, which
    cannot do what a key can do.  Raises SpecError for numbers that are no key.

    seed: decides, together with the numbers, the random factors of blinded moduli."""

    primes: tuple[int, ...]
    e: int
    seed: int = 0

    def __new__(cls, p: int, q: int, e: int = 65537, *others: int) -> Key:
        primes = tuple(map(int, (p, q, *others)))
        key = int.__new__(cls, math.prod(primes))
        key.primes, key.e = primes, int(e)
        key._check()
        return key

    def _check(self) -> None:
        import gmpy2  # here, since every design imports this module

        names = ("p", "q", "third prime", "fourth prime")
        if len(self.primes) > len(names):
            raise SpecError(
                KEY,
                None,
                f"of at most {len(names)} primes",
                f"key: it has {len(self.primes)} primes: must have at most {len(names)}",
            )
        for place, (name, prime) in enumerate(zip(names, self.primes, strict=False)):
            if prime < 3 or not gmpy2.is_prime(prime):
                raise _refused(name, "an odd prime")
            if prime in self.primes[:place]:
                raise _refused(name, "another prime than p" if place == 1 else "a prime of its own")
        if not 1 < self.e < self:
            raise _refused("e", "above 1 and below the modulus")
        if math.gcd(self.e, math.prod(prime - 1 for prime in self.primes)) > 1:
            raise _refused("e", "a number without a common factor with p - 1 and q - 1")

    @property
    def p(self) -> int:
        return self.primes[0]

    @property
    def q(self) -> int:
        return self.primes[1]

    @property
    def d(self) -> int:
        """The smallest private exponent."""
        return pow(self.e, -1, self.order)

    @property
    def order(self) -> int:
        """lcm(p - 1, q - 1, ...): multiples of it can be added to d without changing any power."""
        return math.lcm(*(prime - 1 for prime in self.primes))

    @property
    def longest(self) -> int:
        """Length of the longest prime in bits."""
        return max(prime.bit_length() for prime in self.primes)

    def seeded(self, seed: int) -> Key:
        key = Key(self.p, self.q, self.e, *self.primes[2:])
        key.seed = seed
        return key

    @classmethod
    def of_bits(cls, bits: int, start: int, e: int = 65537, count: int = 2) -> Key:
        """A key for tests with `count` primes of `bits` bits each; the search for the first
        of them starts at the low bits of `start`."""
        import gmpy2

        primes: list[int] = []
        prime = (start | 1 << bits - 1) & (1 << bits) - 1
        while len(primes) < count:
            prime = int(gmpy2.next_prime(prime))
            if prime >> bits:
                prime = int(gmpy2.next_prime(1 << bits - 1))
            if math.gcd(e, prime - 1) == 1 and prime not in primes:
                primes.append(prime)
                prime ^= start >> 3 & (1 << bits // 2) - 1
        return cls(primes[0], primes[1], e, *primes[2:])

    @classmethod
    def from_file(cls, path: Path) -> Key:
        """The key in a file: PEM or DER, PKCS #1 or #8.  Raises SpecError if it has none."""
        try:
            content = inputs.read_bytes(path)
        except ValueError as error:
            raise _refused(KEY, FILE, f"cannot read {path}: {error}", path) from None
        numbers = der.several_primes(content)  # `cryptography` refuses keys of several primes
        return cls(*(numbers or _read(content, path)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and (self._numbers, self.seed) == (other._numbers, other.seed)

    def __ne__(self, other: object) -> bool:  # that of int would compare the moduli alone
        return not self == other

    def __hash__(self) -> int:
        return hash((self._numbers, self.seed))

    def __repr__(self) -> str:  # which may get into a message or a log
        return f"Key({self.bit_length()} bits, e = {self.e})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Key, self._numbers, {"seed": self.seed}

    @property
    def _numbers(self) -> tuple[int, ...]:
        return self.p, self.q, self.e, *self.primes[2:]


def _read(content: bytes, path: Path) -> tuple[int, ...]:
    """p, q and e, read by the package `cryptography`.  Raises SpecError."""
    from cryptography.exceptions import UnsupportedAlgorithm  # where it is used: it takes its time
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import (
        load_der_private_key,
        load_pem_private_key,
    )

    reader = load_pem_private_key if content.lstrip().startswith(b"-----") else load_der_private_key
    try:
        private = reader(content, None)
    except TypeError:
        why = f"{path} is encrypted; openssl pkey -in {path} writes it without"
        raise _refused(KEY, FILE, why, path) from None
    except (ValueError, UnsupportedAlgorithm):
        if numbers := der.numbers(content):
            return numbers  # which `Key` refuses in words of its own
        raise _refused(KEY, FILE, f"{path} {_fault(content)}", path) from None
    if not isinstance(private, RSAPrivateKey):
        raise _refused(KEY, FILE, f"{path} holds a key of another kind", path)
    found = private.private_numbers()
    return found.p, found.q, found.public_numbers.e


def _fault(content: bytes) -> str:
    """Why a file is not accepted."""
    if flaw := der.flaw(content):
        return f"holds a damaged key: {flaw}"
    for label, what in _LABELS.items():
        if label in content:
            return what
    return "holds no private key"


def _refused(name: str, allowed: str, why: str = "", value: object = None) -> SpecError:
    """The error for a value; values of a key are not repeated in it, as they are secret."""
    if value is None:
        return SpecError(name, None, allowed, f"key: its {name} must be {allowed}")
    shown = quoted(str(value))
    return SpecError(name, str(value), allowed, f"{name} = {shown}: must be {allowed}: {why}")
