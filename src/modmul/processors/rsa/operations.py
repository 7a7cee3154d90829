"""The operations of a processor for RSA: their operands, and the moduli, keys and lengths that are
refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from modmul.arithmetic.keys import Key
from modmul.errors import SpecError
from modmul.operation import OperandRule
from modmul.processors.contract import refusal
from modmul.processors.engine.engine import Engine
from modmul.processors.rsa.numbers import in_words

PRIVATE, PUBLIC = "private", "public"
OPERANDS: Mapping[str, tuple[str, ...]] = {PRIVATE: ("x",), PUBLIC: ("x", "e")}
RESULTS: Mapping[str, tuple[str, ...]] = {PRIVATE: ("y", "fault"), PUBLIC: ("y", "fault")}
USUAL = (65537).bit_length()  # bits of a public exponent
_SMALLEST = 3  # the smallest modulus
_ABOVE = 5  # a prime of three or more is at most 2^w - 5, so that p*a + b < (2^w - 1)(2^w - 3)


def rules(operation: str, modulus: int, longest: int) -> tuple[OperandRule, ...]:
    """The range of each operand of an operation.  longest: bits of a public exponent."""
    base = OperandRule("x", "what is raised to the power", int(modulus))
    if operation == PRIVATE:
        return (base,)
    return base, OperandRule("e", "the public exponent", None, sized=True, longest=longest)


class Room(NamedTuple):
    """The limits of moduli and keys.

    width: of the multiplier.  blinding: bits by which blinded moduli are longer.  primes: how many
    a key has that is used by its primes.  longest: the most bits of a public exponent.  exact:
    whether the multiplier takes only moduli of its full width."""

    width: int
    blinding: int
    primes: int
    longest: int
    exact: bool = False

    @property
    def bits(self) -> int:
        """The most bits of a prime, or of a modulus that is used as it is."""
        return self.width - self.blinding

    def check(self, modulus: int) -> None:
        """Raise SpecError for a modulus that is even, too small, or too long without its factors,
        and for a key whose primes are too long, too many or too few, or whose public exponent is
        too long."""
        if modulus < _SMALLEST or not modulus & 1:
            raise refusal("modulus", hex(modulus), f"odd, from {_SMALLEST}")
        if not isinstance(modulus, Key):
            bits = modulus.bit_length()
            if bits > self.width:
                why = f"of at most {self.width} bits without its factors, and has {bits}"
                raise refusal("modulus", hex(modulus), why)
            if self.exact and bits < self.width:
                raise refusal("modulus", hex(modulus), f"a number of exactly {self.width} bits")
            return
        if modulus.bit_length() > self.bits:
            self._check_primes(modulus)
        elif self.exact and modulus.bit_length() < self.bits:
            raise _wrong(
                modulus.bit_length(),
                f"it has {modulus.bit_length()} bits",
                f"exactly {self.bits}, as this multiplier takes no others",
            )
        own = modulus.e.bit_length()
        if own > self.longest:
            raise _wrong(own, f"its e has {own} bits", f"at most {self.longest}")

    def _check_primes(self, key: Key) -> None:
        count, bits = len(key.primes), key.longest
        if bits > self.bits:
            allowed = f"at most {self.bits}, the multiplier's width"
            if self.blinding:
                allowed += " less the bits of modulus-blinding"
            allowed += f": a width of {bits + self.blinding} takes it"
            raise _wrong(bits, f"one of its primes has {bits} bits", allowed)
        if count != self.primes:
            allowed = f"{self.primes}: a processor with primes = {count} takes it"
            raise _wrong(count, f"it has {count} primes", allowed)
        least = min(prime.bit_length() for prime in key.primes)
        if self.exact and least < self.bits:
            raise _wrong(
                least,
                f"one of its primes has {least} bits",
                f"exactly {self.bits}, as this multiplier takes no others",
            )
        most = (1 << self.width) - _ABOVE
        if count > 2 and not self.blinding and max(key.primes) > most:
            raise _wrong(bits, "one of its primes is too large", f"at most 2^{bits} - {_ABOVE}")


def _wrong(value: int, what: str, allowed: str) -> SpecError:
    return SpecError("key", value, allowed, f"key: {what}: must be {allowed}")


def check_engine(engine: Engine) -> None:
    """Raise SpecError for a multiplier whose operands are shorter than registers and must be
    residues, as the numbers of y need not be residues of 2^w - 1."""
    limits, width = engine.limits, engine.multiplier.width
    if in_words(engine) and limits.operand_below < limits.plain:
        raise refusal(
            "multiplier",
            engine.multiplier.title,
            "one that takes all numbers of "
            f"{width} bits, or whose operands are as long as registers: a width of "
            f"{engine.wide}",
        )


def length(operation: str, modulus: int, asked: int | None, longest: int) -> int:
    """The bits of the public exponent: those asked for, the key's, or the usual ones.
    Raises SpecError if they are not the key's in a private operation, or too many."""
    own = modulus.e.bit_length() if isinstance(modulus, Key) else USUAL
    if asked is None:
        return min(own, longest)
    if operation == PRIVATE and asked != own:
        raise refusal("bits", asked, f"{own}: the key decides it")
    if not 0 <= asked <= longest:
        raise refusal("bits", asked, f"from 0 to {longest}")
    return asked
