"""The parameters of `systolic-cios`, and what follows from them: words, cells, blocks."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError
from modmul.multipliers.facts import titled
from modmul.multipliers.operand_scanning import WordByWord
from modmul.parameters import parameter

LEAST_WORD = 3  # bits
USUAL_WORD = 17  # bits that a DSP block takes


@dataclass(frozen=True, kw_only=True)
class SystolicCiosParameters(WordByWord):
    """The parameters, and the words, cells and cycles that follow from them."""

    width: int = parameter(128, "bits of the modulus", minimum=4, maximum=4096)
    words: int | None = parameter(
        None,
        "words of an operand, s (default: the fewest of at most 17 bits, and at least 2)",
        minimum=2,
        maximum=256,
    )
    stages: int = parameter(
        1, "clock cycles that a product of two words takes, D", minimum=1, maximum=8
    )
    output_register: bool = parameter(False, "have a register behind the result")

    def check(self) -> None:
        most = (self.width + 2) // LEAST_WORD
        if self.words is not None and self.words > most:
            message = f"words = {self.words}: words of {self.width} bits have {LEAST_WORD} or more"
            raise SpecError("words", self.words, f"at most {most}", message)

    # ---- figures ------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """s, the number of words."""
        return self.words or max(2, ceil_div(self.width + 2, USUAL_WORD))

    @property
    def word(self) -> int:
        """w, the bits of a word."""
        return ceil_div(self.width + 2, self.count)

    @property
    def turn(self) -> int:
        """P, the cycles of an iteration."""
        return 2 * self.stages + 1

    @property
    def cells(self) -> tuple[int, int]:
        return ceil_div(self.count, self.turn), ceil_div(self.count - 1, self.turn)

    @property
    def dsps(self) -> int:
        return (sum(self.cells) + 1) * ceil_div(self.word, min(self.chip.tile)) ** 2

    @property
    def core_title(self) -> str:
        return titled(
            f"{super().core_title}-s{self.count}",
            (self.stages != 1, f"d{self.stages}"),
            (self.output_register, "registered"),
            target=self.target,
        )
