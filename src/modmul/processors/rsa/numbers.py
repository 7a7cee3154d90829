"""The numbers that the programs of a processor for RSA take, by the names that they have there."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from modmul.arithmetic.keys import Key
from modmul.processors.engine.engine import Engine
from modmul.processors.packets import OperandBits
from modmul.processors.rsa.joining import PRIMES, RADIX

PAIR = "re", "ri"  # the names of r^e and 1/r in programs
COPIES = "x", "c"  # the names of x in programs: as it is used, and as y^e is compared with it


def words(width: int) -> tuple[int, int]:
    """The two moduli by whose residues numbers are joined in words."""
    return (1 << width) - 1, (1 << width) - 3


def in_words(engine: Engine) -> bool:
    """Whether x comes in numbers as wide as the multiplier, and not as wide as a register.  That is
    so if R is not 2^bits of a register, or if operands are shorter than registers."""
    factor, limits = engine.over(engine.largest).montgomery_factor, engine.limits
    return factor not in (1, limits.register) or limits.a_below < limits.register


@dataclass(frozen=True)
class KeyNumbers:
    """The numbers that one engine takes.

    exponent, modulus: bits of the random numbers that blind exponents and moduli; 0: none.

    Unless a source of chance is given, random numbers follow from key and operands, for
    simulations; no result depends on them.  The factors of moduli follow from the key and its
    seed."""

    engine: Engine
    exponent: int = 0
    modulus: int = 0

    @property
    def width(self) -> int:
        return self.engine.multiplier.width

    @property
    def room(self) -> int:
        """The most bits of a modulus before it is blinded."""
        return self.width - self.modulus

    def moduli(self, key: int, by_primes: bool) -> tuple[int, ...]:
        """The moduli that the program chooses from, as `texts` describes."""
        if not isinstance(key, Key):
            return (int(key),)
        if not by_primes:
            own = int(key) * self.factor(key, "")
            return (own, own, *words(self.width)) if self.modulus else (own,)
        p, q, *others = self.blinded(key).values()
        return p, q, *words(self.width), *others

    def blinded(self, key: Key) -> dict[str, int]:
        """The primes by their names, each multiplied by its random factor."""
        named = zip(PRIMES, key.primes, strict=False)
        return {name: prime * self.factor(key, name) for name, prime in named}

    def factor(self, key: Key, prime: str) -> int:
        """The random factor of a prime, or of n ("").  It is odd, as long as possible, and
        coprime to the other moduli; 1 without blinding."""
        if not self.modulus:
            return 1
        seed = f" {key.seed}" if key.seed else ""
        chance = random.Random(f"{prime} {key.primes} {key.e}{seed}")
        top, others = 1 << self.modulus - 1, math.prod((*key.primes, *words(self.width)))
        while True:
            factor = chance.getrandbits(self.modulus) | top | 1
            if math.gcd(factor, others) == 1:
                return factor

    def facts(self, key: int, by_primes: bool) -> dict[str, int]:
        """The constants that follow from a key, besides those of every modulus."""
        if not isinstance(key, Key):
            return {}
        facts = {
            "zero": 0,
            "carry": 1 << self.engine.wide - self.exponent if self.exponent else 0,
            "gap": (1 << self.engine.wide) - (1 << self.width),
        }
        shift = self.engine.wide - self.room  # so that a register begins with the first bit
        if not by_primes:
            factor = self.factor(key, "")
            freed = pow(factor, -1, words(self.width)[0])
            return facts | {"order": key.order << shift, "k": factor, "free": freed}
        orders = zip(PRIMES, key.primes, strict=False)
        facts |= {f"order{name}": prime - 1 << shift for name, prime in orders}
        return facts | dict(self._joining(key)) | self._words()

    def _joining(self, key: Key) -> Iterator[tuple[str, int]]:
        """The constants by which residues become one number."""
        primes = dict(zip(PRIMES, key.primes, strict=False))
        factors = {name: self.factor(key, name) for name in primes}
        order, third = RADIX[: len(primes)], words(self.width)[1]
        above = (self.engine.over(third).montgomery_factor or 1) << self.width
        for place, name in enumerate(order):
            prime, before = primes[name], math.prod(primes[other] for other in order[:place])
            yield f"c{name}", pow(before, -1, prime)
            for other_place, other in enumerate(order[:place]):
                weight = math.prod(primes[lower] for lower in order[:other_place])
                freed = weight * pow(factors[other], -1, prime) % prime
                yield f"{name}{other}", factors[name] * freed
            yield f"k{name}", factors[name]
            yield f"above{name}", 1 << self.engine.wide
            yield f"shift{name}", above % (prime * factors[name])
        for place, name in enumerate(order[:-1]):
            innermost = order[-1] if place == len(order) - 2 else ""
            for number, modulus in zip((1, 3), words(self.width), strict=True):
                freed = pow(factors[innermost], -1, modulus) if innermost else 1
                yield f"{name}{number}", primes[name] * freed % modulus
                yield f"free{name}{number}", pow(factors[name], -1, modulus)

    def _words(self) -> dict[str, int]:
        third, size = words(self.width)[1], 1 << self.engine.wide
        factor = self.engine.over(third).montgomery_factor or 1
        return {
            "half": pow(2, -1, third),
            "last": -pow(factor, -1, third),
            "rest": size - third,
            "next": 1,
            "ones": size - 1,
            "top": (1 << self.width) % size,
        }

    def private(
        self, key: int, x: int, by_primes: bool, chance: random.Random | None = None
    ) -> dict[str, int]:
        """The numbers that a private operation takes, by their names in the program."""
        assert isinstance(key, Key)
        chance = chance or random.Random(f"{key.p} {key.q} {x}")
        primes = dict(zip(PRIMES, key.primes, strict=False))
        values = self.facts(key, by_primes) | {"e": key.e, "m": key.e.bit_length()}
        values |= {f"kd{name}": chance.getrandbits(self.engine.wide) for name in ("", *primes)}
        for name, modulus in {"": int(key), **primes}.items():
            both = pair(modulus, key.e, chance)
            values |= dict(zip((f"re{name}", f"ri{name}"), both, strict=True))
        if not by_primes:
            values["d"] = key.d
        else:
            values |= {f"d{name}": key.d % (prime - 1) for name, prime in primes.items()}
        own = self.parts(len(primes) if by_primes else 1).items()
        return values | {name: part.of({"x": x}, key) for name, part in own if part.operand == "x"}

    def parts(self, count: int) -> dict[str, OperandBits]:
        """The parts of operands that a private operation takes, by their names in its
        program.  count: how many primes it uses; 1: it is computed modulo n.  The pairs that blind
        are operands here, as a driver must be given them."""
        size = self.width if in_words(self.engine) else self.engine.wide
        names = PRIMES[:count] if count > 1 else ("",)
        parts = {
            f"{copy}{place}": OperandBits("x", size * place, size)
            for copy in COPIES
            for place in range(count)
        }
        pairs = {
            f"{kind}{name}": OperandBits(f"{kind}_{name or PRIMES[0]}")
            for name in names
            for kind in PAIR
        }
        return (parts if count > 1 else dict.fromkeys(COPIES, OperandBits("x"))) | pairs


def pair(modulus: int, e: int, chance: random.Random) -> tuple[int, int]:
    """r^e and 1/r for a random r."""
    while True:
        r = chance.randrange(1, modulus)
        if math.gcd(r, modulus) == 1:
            return pow(r, e, modulus), pow(r, -1, modulus)


def public(x: int, e: int, bits: int) -> dict[str, int]:
    """The numbers that a public operation takes.  bits: of e."""
    return {"x": x, "e": e, "m": max(1, bits)}
