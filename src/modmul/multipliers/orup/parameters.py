"""The parameters of `orup`, and what follows from them: words, registers, iterations."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import titled
from modmul.parameters import parameter

SETTLE = 3  # the published interval is three cycles longer than the iterations


@dataclass(frozen=True, kw_only=True)
class OrupParameters(Multiplier):
    """The parameters, and the words and cycles that follow from them."""

    width: int = parameter(128, "bits of the modulus", minimum=2, maximum=4096)
    word: int = parameter(16, "bits of a word, k", minimum=4, maximum=18)
    delay: int = parameter(
        3,
        "how many iterations after its computation a quotient digit is used, d",
        minimum=2,
        maximum=8,
    )
    settle: int | None = parameter(
        None,
        "iterations after the last one, in which only carries move; with 0, products follow each "
        "other most quickly (default: 3, as published, or fewer if the operand has few words)",
        minimum=0,
        maximum=8,
    )
    operand_registers: int = parameter(
        2,
        "register stages in the DSP blocks that compute b_i*A; 3: for a faster clock, with results "
        "a cycle later",
        choices=(2, 3),
    )
    adder_words: int = parameter(
        3, "how many words of the result get their carries added in a cycle", minimum=1, maximum=64
    )

    beats = 1

    def check(self) -> None:
        block = self.chip.hard_multiplier
        if block is not None and self.word > block.narrow:
            message = f"word = {self.word}: the multipliers of {self.target} take {block.narrow}"
            raise SpecError("word", self.word, f"at most {block.narrow}", message)
        if self.delay < self._least_delay:
            allowed = f"at least {self._least_delay}"
            message = f"delay = {self.delay}: must be {allowed} on {self.target}, for its registers"
            raise SpecError("delay", self.delay, allowed, message)
        most = self.digits - self.delay - 1
        if self.settle is not None and self.settle > most:
            message = f"settle = {self.settle}: the result has {self.digits} words, {most} settle"
            raise SpecError("settle", self.settle, f"at most {most}", message)

    # ---- figures ------------------------------------------------------------------------------

    @property
    def cascaded(self) -> bool:
        """Whether q*M^ + b*A is added in DSP blocks (if not, in fabric)."""
        block = self.chip.dsp
        return block is None or block.accumulator is not None

    @property
    def _least_delay(self) -> int:
        return 2 if self.cascaded else 3

    @property
    def quotient_registers(self) -> int:
        """Registers in the DSP blocks of q*M^; other registers of `delay` are in front of them."""
        return min(3, self.delay - (not self.cascaded))

    @property
    def quotient_stages(self) -> int:
        """Registers of the quotient digit in front of the DSP blocks."""
        return self.delay - self.quotient_registers - (not self.cascaded)

    @property
    def fill(self) -> int:
        """Cycles from the operands to the first iteration."""
        return self.operand_registers + 1

    @property
    def exponent(self) -> int:
        """k(d+1), the most bits of m'."""
        return self.word * (self.delay + 1)

    @property
    def digits(self) -> int:
        """n, so many digits that F is at most R/2."""
        return ceil_div(self.width + self.exponent + 2, self.word)

    @property
    def modulus_words(self) -> int:
        return ceil_div(self.width, self.word)

    @property
    def operand_words(self) -> int:
        """The number of words of A; word n - 1 may have none of its bits."""
        return ceil_div(self.beat, self.word)

    @property
    def dsps(self) -> int:
        """The number of DSP blocks, if a product of words takes one."""
        return self.modulus_words + self.operand_words

    @property
    def settled(self) -> int:
        return min(SETTLE, self.digits - self.delay - 1) if self.settle is None else self.settle

    @property
    def iterations(self) -> int:
        """Iterations of the loop, without those in which only carries settle."""
        return self.digits + self.delay + 1

    @property
    def upper_words(self) -> int:
        """The words of the result that are in the array when the carries have settled."""
        return self.digits - self.delay - self.settled

    @property
    def additions(self) -> int:
        """The cycles of the adder."""
        return ceil_div(self.upper_words, self.adder_words)

    @property
    def core_title(self) -> str:
        return titled(
            super().core_title,
            (self.word != 16, f"w{self.word}"),
            (self.delay != 3, f"d{self.delay}"),
            (self.settle is not None, f"s{self.settle}"),
            (self.operand_registers != 2, f"r{self.operand_registers}"),
            (self.adder_words != 3, f"a{self.adder_words}"),
            target=self.target,
        )
