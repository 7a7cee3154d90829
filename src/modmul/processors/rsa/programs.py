"""The programs of a processor for RSA."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.processors.engine.program import Program
from modmul.processors.engine.program_set import ProgramSet
from modmul.processors.engine.text import parse
from modmul.processors.rsa import texts
from modmul.processors.rsa.texts import Texts

CRT, PLAIN, PUBLIC = "rsa-by-halves", "rsa-private", "rsa-public"
FIRST, SECOND = "rsa-first-half", "rsa-second-half"  # of two engines


@dataclass(frozen=True, kw_only=True)
class Programs(ProgramSet):
    """All are parameters of the processor."""

    method: str
    base_blinding: bool
    exponent_blinding: int
    engines: int

    @property
    def names(self) -> tuple[str, ...]:
        return CRT if self.engines == 1 else FIRST, PLAIN, PUBLIC

    def written(self, name: str) -> Program:
        made = Texts(method=self.method, bits=self.engine.multiplier.width,
                     base=self.base_blinding, exponent=self.exponent_blinding)  # fmt: skip
        every = {CRT: made.crt, PLAIN: made.plain, PUBLIC: texts.PUBLIC,
                 FIRST: made.first, SECOND: made.second}  # fmt: skip
        return parse(name, every[name])


@dataclass(frozen=True, kw_only=True)
class SecondPrograms(Programs):
    """Those of the second of two engines."""

    @property
    def names(self) -> tuple[str, ...]:
        return (SECOND,)
