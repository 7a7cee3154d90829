"""The Montgomery domain: a is represented by a*R mod P, with R = 2^(word*words).

Source: P. L. Montgomery, Modular multiplication without trial division, 1985; the words of the
operand scanning form (CIOS): Koc, Acar, Kaliski, 1996.
"""

from __future__ import annotations

from dataclasses import dataclass

import gmpy2


def negative_inverse(modulus: int, word: int) -> int:
    """P' = -P^-1 mod 2^word, 0 <= P' < 2^word.  Raises ValueError if P is even."""
    if modulus % 2 == 0:
        raise ValueError(f"modulus {modulus:#x} is even: it has no inverse mod 2^{word}")
    base = 1 << word
    return -int(gmpy2.invert(modulus, base)) % base


@dataclass(frozen=True)
class Montgomery:
    """The Montgomery domain of an odd number P, `modulus`, and R = `factor`, a power of two."""

    modulus: int
    factor: int

    def __post_init__(self) -> None:
        if self.modulus < 3 or self.modulus % 2 == 0:
            raise ValueError(f"modulus {self.modulus:#x}: must be an odd number from 3")
        if self.factor & (self.factor - 1) or self.factor < 2:
            raise ValueError(f"Montgomery factor {self.factor:#x}: must be a power of two")

    @property
    def one(self) -> int:
        """R mod P, which represents 1 in the domain."""
        return self.factor % self.modulus

    @property
    def square(self) -> int:
        """R^2 mod P; the Montgomery product of a with it represents a in the domain."""
        return self.factor * self.factor % self.modulus

    def negative_inverse(self, word: int) -> int:
        """P' = -P^-1 mod 2^word."""
        return negative_inverse(self.modulus, word)

    def product(self, a: int, b: int) -> int:
        """a*b/R mod P, below P, for any integers a and b."""
        inverse = gmpy2.invert(self.factor, self.modulus)
        return int(gmpy2.mpz(a) * b * inverse % self.modulus)
