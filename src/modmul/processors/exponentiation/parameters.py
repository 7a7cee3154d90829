"""The parameters of an exponentiation processor, what is refused, and what its time tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from modmul.multipliers.contract import Multiplier
from modmul.multipliers.operations import ADD
from modmul.parameters import parameter
from modmul.processors.contract import Processor, refusal
from modmul.processors.exponentiation.facts import ExponentiationFacts, in_words

EXPONENTIATE = "exponentiate"
LADDER, LEFT_TO_RIGHT = "ladder", "left-to-right"
SECRET, PUBLIC = "secret", "public"
_OR_ALLOW = ", or allow-leaks = true"


@dataclass(frozen=True, kw_only=True)
class ExponentiationParameters(Processor):
    """The parameters besides the multiplier, and figures that follow from them."""

    method: str = parameter(
        LADDER,
        "how powers are computed: ladder: two products for each bit of the exponent; "
        "left-to-right: a square for each bit, and a product for each bit that is 1",
        choices=(LADDER, LEFT_TO_RIGHT),
    )
    units: int = parameter(
        1,
        "how many multipliers the processor has; 2: the product and the square of a bit are "
        "computed at the same time",
        choices=(1, 2),
    )
    exponent_secrecy: str = parameter(
        SECRET,
        "secret: the time must not depend on the exponent; public: it may",
        choices=(SECRET, PUBLIC),
    )
    base_secrecy: str = parameter(
        SECRET,
        "secret: the time must not depend on the base; public: it may",
        choices=(SECRET, PUBLIC),
    )
    allow_leaks: bool = parameter(
        False, "build the processor although its time reveals a secret exponent or base"
    )
    beat: int | None = parameter(
        None,
        "bits of a beat of the streams modulus, operand and result (default: the multiplier's word "
        "if it takes numbers in words, else 32)",
        minimum=2,
        maximum=4097,
    )
    exponent_word: int = parameter(
        32, "bits of a beat of the stream exponent", choices=(8, 16, 32, 64)
    )
    longest_exponent: int = parameter(
        65535, "the most bits that an exponent can have", minimum=1, maximum=(1 << 32) - 1
    )

    def check(self) -> None:
        self._check_multiplier()
        self._check_secrets()
        if self.beat is None:
            narrow = min(32, self.multiplier.beat)
            object.__setattr__(self, "beat", self.only_word or narrow)
        elif self.only_word and self.beat != self.only_word:
            raise refusal("beat", self.beat, str(self.only_word), "of this multiplier's words")
        if self.units == 2 and self.method != LADDER:
            raise refusal("units", self.units, "1", "left to right has one product at a time")

        if self.protection != "none":
            self._check_protected()

    def _check_protected(self) -> None:
        """Raise SpecError where a power cannot be checked."""
        if self.method != LADDER:
            raise refusal("method", self.method, LADDER, f"protection = {self.protection}")
        multiplier = self.multiplier
        if multiplier.result_form != "binary" or multiplier.montgomery_factor == 1:
            allowed = "one in a Montgomery domain whose results are single numbers"
            why = f"protection = {self.protection}"
            raise refusal("multiplier", multiplier.title, allowed, why)
        object.__setattr__(self, "results", {EXPONENTIATE: ("power", "fault")})

    def _check_multiplier(self) -> None:
        multiplier = self.multiplier
        if multiplier.montgomery_factor is None or multiplier.modulus_at != "run time":
            allowed = "a modular multiplier whose modulus is loaded at run time"
            raise refusal("multiplier", multiplier.title, allowed)
        if multiplier.operand_form != multiplier.result_form:
            raise refusal("multiplier", multiplier.title, "results in the form of operands")
        if ADD in multiplier.operations:
            raise refusal("multiplier", multiplier.title, "one with adder = false", "adds nothing")
        beats = {multiplier.beat, multiplier.result_beat, multiplier.modulus_beat}
        if in_words(self.multiplier) and len(beats) > 1:
            raise refusal("multiplier", multiplier.title, "words of one width in all streams")

    def _check_secrets(self) -> None:
        if self.allow_leaks:
            return
        if self.method == LEFT_TO_RIGHT and self.exponent_secrecy == SECRET:
            why = (
                "its time tells the ones of a secret exponent; or exponent-secrecy = "
                f"{PUBLIC}{_OR_ALLOW}"
            )
            raise refusal("method", self.method, LADDER, why)
        told = (self.exponent_secrecy, self.base_secrecy)
        if self.multiplier.timing != "constant" and SECRET in told:
            why = (
                f"{' '.join(self.multiplier.leaks)} Or base-secrecy = exponent-secrecy = "
                f"{PUBLIC}{_OR_ALLOW}"
            )
            raise refusal("multiplier", self.multiplier.title, "of constant time", why)

    @classmethod
    def takes(cls, architecture: type[Multiplier]) -> bool:
        usual = architecture()
        return usual.montgomery_factor is not None and usual.modulus_at == "run time"

    # ---- facts --------------------------------------------------------------------------------

    @property
    def only_word(self) -> int | None:
        """The only possible `beat`, if numbers go to the multiplier in words: its word."""
        return self.multiplier.beat if in_words(self.multiplier) else None

    @property
    def word(self) -> int:
        """The value of `beat`, which is never None after construction."""
        assert self.beat is not None
        return self.beat

    @cached_property
    def facts(self) -> ExponentiationFacts:
        """The parts of the processor, and figures that follow from them."""
        return ExponentiationFacts(
            multiplier=replace(self.multiplier, protection="none"),
            word=self.word,
            is_ladder=self.method == LADDER,
            units=self.units,
            exponent_word=self.exponent_word,
            longest_exponent=self.longest_exponent,
            checked=self.protection != "none",
        )

    @property
    def timing(self) -> Literal["constant", "data-dependent"]:  # type: ignore[override]
        return "data-dependent" if self.leaks else "constant"

    @property
    def leaks(self) -> tuple[str, ...]:
        told = [f"Of each product: {leak}" for leak in self.multiplier.leaks]
        if self.method == LEFT_TO_RIGHT:
            told += ["The time tells the number of ones of the exponent; watched, every bit of it."]
        return tuple(told)

    @property
    def title(self) -> str:
        kind = {LADDER: "ladder", LEFT_TO_RIGHT: "l2r"}[self.method]
        more = [
            (self.word != (self.only_word or min(32, self.multiplier.beat)), f"w{self.beat}"),
            (self.exponent_word != 32, f"e{self.exponent_word}"),
            (self.longest_exponent != 65535, f"to{self.longest_exponent}"),
        ]
        own = [f"exponentiation-{kind}{self.units}", *(text for differs, text in more if differs)]
        return "-".join([*own, self.multiplier.title])
