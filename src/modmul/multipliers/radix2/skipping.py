"""What the radix-2 multipliers have in common that leave out iterations: R, and the widths and
bounds of their two numbers of iterations, the paper's k + 5 ("published") and k + 7 ("chained").

Source: kuang2016, sections III and IV.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import ClassVar

from modmul.multipliers.contract import Constant
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import Timed
from modmul.multipliers.ranges import Bound, OperandRange, largest_product


@dataclass(frozen=True, kw_only=True)
class Skipping(Timed):
    """Base class.  An architecture has a parameter `iterations`, which `published` interprets.

    leaving, beyond: notes on a product with 1, and on results that cannot be operands."""

    leaving: ClassVar[str]
    beyond: ClassVar[str]

    @property
    @abc.abstractmethod
    def published(self) -> bool:
        """Whether there are k + 5 iterations."""

    @property
    def loop_iterations(self) -> int:
        """m, the number of iterations, including skipped ones."""
        return self.width + (5 if self.published else 7)

    @property
    def montgomery_factor(self) -> int:
        return 1 << (self.loop_iterations - 3)

    @property
    def beat(self) -> int:
        return self.width + (1 if self.published else 2)

    @property
    def result_beat(self) -> int:
        return self.width + 2

    @property
    def modulus_beat(self) -> int:
        return self.width + 2

    @property
    def operand_limit(self) -> Bound:
        return Bound(2 if self.published else 4)

    @property
    def result_limit(self) -> Bound:
        return Bound(2, if_one=4)

    @property
    def notes(self) -> tuple[str, ...]:
        loaded = "Loaded as modulus: N^ = N' + 1, where N' is N or 3N, whichever is 3 modulo 4."
        return (loaded, self.leaving, *((self.beyond,) if self.published else ()))

    def operand_range(self, modulus: int) -> OperandRange:
        """Any operands of p bits: D^ < 2^(p+4), and a*b/R + N' fits the result."""
        top, tripled = 1 << self.beat, 1 if modulus & 3 == 3 else 3
        most = largest_product(
            self.montgomery_factor, modulus, below=tripled + 1, added=tripled, scale=8
        )
        return OperandRange(top, top, most)

    def constants(self, modulus: int) -> list[Constant]:
        return [Constant("modulus_hat", words.modulus_hat(modulus))]
