"""The programs of a processor for RSA."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.processors.engine.program import Program
from modmul.processors.engine.program_set import ProgramSet
from modmul.processors.engine.text import parse
from modmul.processors.rsa import texts
from modmul.processors.rsa.numbers import in_words
from modmul.processors.rsa.texts import Texts

PLAIN, PUBLIC = "rsa-private", "rsa-public"
FIRST, SECOND = "rsa-first-half", "rsa-second-half"  # the programs of two engines


@dataclass(frozen=True, kw_only=True)
class RsaPrograms(ProgramSet):
    """The programs of one processor.  Its fields are parameters of the processor."""

    method: str
    base_blinding: bool
    exponent_blinding: int
    modulus_blinding: int
    primes: int
    engines: int

    @property
    def by_primes(self) -> str:
        """The program of private operations by primes, on one engine or on the first of two."""
        if self.engines > 1:
            return FIRST
        return "rsa-by-halves" if self.primes == 2 else f"rsa-by-{self.primes}-primes"

    @property
    def names(self) -> tuple[str, ...]:
        return self.by_primes, PLAIN, PUBLIC

    @property
    def _montgomery(self) -> bool:
        return self.engine.over(self.engine.largest).montgomery_factor != 1

    def written(self, name: str) -> Program:
        room = self.engine.multiplier.width - self.modulus_blinding
        chosen = Texts(
            method=self.method,
            bits=room,
            base=self.base_blinding,
            exponent=self.exponent_blinding,
            modulus=bool(self.modulus_blinding),
            primes=self.primes,
            montgomery=self._montgomery,
            in_words=in_words(self.engine),
        )
        if name == PUBLIC:
            return parse(name, texts.PUBLIC)
        if name == PLAIN:
            return parse(name, chosen.plain)
        every = {FIRST: chosen.first, SECOND: chosen.second}
        return parse(name, every.get(name, chosen.crt))


@dataclass(frozen=True, kw_only=True)
class SecondPrograms(RsaPrograms):
    """The program of the second of two engines."""

    @property
    def names(self) -> tuple[str, ...]:
        return (SECOND,)
