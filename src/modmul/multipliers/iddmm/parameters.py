"""The parameters of `iddmm`, and what follows from them: digits, cycles of an iteration, blocks."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError
from modmul.multipliers.facts import titled
from modmul.multipliers.operand_scanning import WordByWord
from modmul.parameters import parameter


@dataclass(frozen=True, kw_only=True)
class IddmmParameters(WordByWord):
    """The parameters, and the digits and cycles that follow from them."""

    word: int = parameter(32, "bits of a digit, w", minimum=4, maximum=128)
    stages: int = parameter(
        3,
        "register stages in a product of two words, D: up to 3 in the DSP blocks, the others "
        "behind them",
        minimum=1,
        maximum=8,
    )
    u_register: bool = parameter(
        False, "have a register between U and the multiplier that computes q"
    )
    iteration: int | None = parameter(
        None,
        "cycles of an outer iteration, P (default: the fewest possible)",
        minimum=2,
        maximum=1024,
    )

    def check(self) -> None:
        if self.iteration is not None and self.iteration < self.least_turn:
            message = f"iteration = {self.iteration}: the pipeline needs {self.least_turn} cycles"
            raise SpecError("iteration", self.iteration, f"at least {self.least_turn}", message)

    # ---- figures ------------------------------------------------------------------------------

    @property
    def beats(self) -> int:
        """s, the number of digits."""
        return ceil_div(self.width, self.word)

    @property
    def least_turn(self) -> int:
        """The fewest cycles of an outer iteration."""
        return max(self.beats + self.stages, 2 * self.stages + 1 + self.u_register)

    @property
    def turn(self) -> int:
        """P, the cycles of an outer iteration."""
        return self.iteration or self.least_turn

    @property
    def tiles(self) -> int:
        """The number of DSP blocks along a side of a product of words."""
        return ceil_div(self.word, min(self.chip.tile))

    @property
    def dsps(self) -> int:
        return 2 * self.tiles**2

    @property
    def added(self) -> int:
        """The cycle in which q*n_0 of the first iteration is added."""
        return 3 * self.stages + self.u_register

    @property
    def core_title(self) -> str:
        return titled(
            f"{super().core_title}-w{self.word}",
            (self.stages != 3, f"d{self.stages}"),
            (self.u_register, "u"),
            (self.iteration is not None, f"p{self.iteration}"),
            target=self.target,
        )
