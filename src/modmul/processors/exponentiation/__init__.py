"""Modular exponentiation x^e mod N on any multiplier of the registry, GF(2^m) included.

Montgomery ladder, from X0 = 1 and X1 = x, for all bits b of the exponent, highest first:

    X[1-b] <- X0*X1,  X[b] <- X[b]^2

so always one product and one square a bit, whatever the bit; left-to-right:

    X0 <- X0^2,  and if b = 1:  X0 <- X0*X1

On a Montgomery multiplier X1 = x*R (a product with R^2) and X0 = R to begin with, and at the end X0
is multiplied by 1.  All powers are below the bound of the multiplier's operands; the last one, v <
c*N, becomes the residue by ceil(log2 c) subtractions of 2^j*N, always made and then kept or not; in
GF(2^m) none is kept.  Carry-save pairs are added before that.

With u ones among e bits, products of T_m and squares of T_q cycles the loop takes e*T_q + u*T_m
from left to right, e*(T_m + T_q) in the ladder on one multiplier, e*max(T_m, T_q) on two; less
where a multiplier has several products in flight.
Source: dualfips, section 6; P. L. Montgomery, Speeding the Pollard and elliptic curve methods of
factorization, 1987 (the ladder); constant time and registers are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import ClassVar, Literal

from amaranth.lib import wiring

from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import from_words, to_words
from modmul.design import Beat, Beats, Cycles, Job, Mode, OperandRule, Stream
from modmul.errors import SpecError
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.setting import Setting
from modmul.parameters import parameter
from modmul.processors.contract import Load, Processor, signature
from modmul.processors.exponentiation import forecast, golden, transport
from modmul.processors.exponentiation.core import Core
from modmul.processors.exponentiation.examples import EXAMPLES
from modmul.processors.exponentiation.facts import ExponentiationFacts, halvings, in_words
from modmul.processors.exponentiation.schedule import TERMS, schedule
from modmul.processors.packets import Packets

EXPONENTIATE = "exponentiate"
LADDER, LEFT_TO_RIGHT = "ladder", "left-to-right"
SECRET, PUBLIC = "secret", "public"
_OR_ALLOW = ", or allow-leaks = true"


@dataclass(frozen=True, kw_only=True)
class Exponentiation(Processor):
    """Parameters of one exponentiation processor."""

    name = "exponentiation"
    summary = "modular exponentiation: Montgomery ladder or left to right"
    sources = ("dualfips",)
    operands: ClassVar[Mapping[str, tuple[str, ...]]] = {EXPONENTIATE: ("base", "exponent")}
    results: ClassVar[Mapping[str, tuple[str, ...]]] = {EXPONENTIATE: ("power",)}
    small = EXAMPLES
    terms: ClassVar[Mapping[str, str]] = TERMS
    compared: ClassVar[Mapping[str, str | None]] = {EXPONENTIATE: None}
    method: str = parameter(LADDER, "order of the products", choices=(LADDER, LEFT_TO_RIGHT))
    units: int = parameter(1, "multipliers; 2: product and square side by side", choices=(1, 2))
    exponent_secrecy: str = parameter(
        SECRET, "whether the exponent is secret, or the time may tell it", choices=(SECRET, PUBLIC)
    )
    base_secrecy: str = parameter(
        SECRET, "whether the base is secret, or the time may tell it", choices=(SECRET, PUBLIC)
    )
    allow_leaks: bool = parameter(False, "build it although its time tells secrets")
    beat: int | None = parameter(
        None,
        "bits of a beat of modulus, operand and result (default: the multiplier's word where it "
        "takes words, else 32)",
        minimum=2,
        maximum=4097,
    )
    exponent_word: int = parameter(32, "bits of a beat of the exponent", choices=(8, 16, 32, 64))
    longest_exponent: int = parameter(
        65535, "bits of the longest exponent", minimum=1, maximum=(1 << 32) - 1
    )

    def check(self) -> None:
        self._check_multiplier()
        self._check_secrets()
        if self.beat is None:
            narrow = min(32, self.multiplier.beat)
            object.__setattr__(self, "beat", self._only_word or narrow)
        elif self._only_word and self.beat != self._only_word:
            raise refusal("beat", self.beat, str(self._only_word), "of this multiplier's words")
        if self.units == 2 and self.method != LADDER:
            raise refusal("units", self.units, "1", "left to right has one product at a time")

    def _check_multiplier(self) -> None:
        multiplier = self.multiplier
        if multiplier.montgomery_factor is None or multiplier.modulus_at != "run time":
            allowed = "a modular multiplier whose modulus is loaded at run time"
            raise refusal("multiplier", multiplier.title, allowed)
        if multiplier.operand_form != multiplier.result_form:
            raise refusal("multiplier", multiplier.title, "results in the form of operands")
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
    def _only_word(self) -> int | None:
        """The word, where the multiplier takes several to an operand."""
        return self.multiplier.beat if in_words(self.multiplier) else None

    @property
    def word(self) -> int:
        """`beat`, as a number to type checkers too."""
        assert self.beat is not None
        return self.beat

    @cached_property
    def facts(self) -> ExponentiationFacts:
        """What it is made of, and the figures that follow."""
        return ExponentiationFacts(
            multiplier=self.multiplier, word=self.word, is_ladder=self.method == LADDER,
            units=self.units, exponent_word=self.exponent_word,
            longest_exponent=self.longest_exponent,
        )  # fmt: skip

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
            (self.word != (self._only_word or min(32, self.multiplier.beat)), f"w{self.beat}"),
            (self.exponent_word != 32, f"e{self.exponent_word}"),
            (self.longest_exponent != 65535, f"to{self.longest_exponent}"),
        ]
        parts = [f"exponentiation-{kind}{self.units}-{self.multiplier.title}"]
        return "-".join(parts + [text for differs, text in more if differs])

    # ---- streams and golden model -------------------------------------------------------------

    @property
    def streams(self) -> tuple[Stream, ...]:
        return transport.streams(
            self.facts,
            secret_base=self.base_secrecy == SECRET,
            secret_exponent=self.exponent_secrecy == SECRET,
        )

    def check_modulus(
        self, modulus: int, field: Field | None = None, curve: Curve | None = None
    ) -> None:
        self.over(modulus, field or self.fields_built[0])

    def over(self, modulus: int, field: Field = "prime") -> Setting:
        """The multiplier under that modulus.  SpecError for one that is not taken."""
        setting = self.multiplier.over(modulus, field)
        if setting.result_bound > setting.operand_bound:
            allowed = "one for which results can be operands"
            raise refusal("modulus", hex(modulus), allowed, *setting.chosen.notes)
        if field == "prime" and halvings(setting.multiplier, modulus) > self.facts.subtractions:
            title = self.multiplier.title
            raise AssertionError(f"{title}: bound of results above the one foreseen")
        return setting

    def mode_for(
        self,
        operation: str,
        modulus: int,
        field: Field = "prime",
        length: int | None = None,
        curve: Curve | None = None,
    ) -> Mode:
        """length: default: that of the modulus, or the longest exponent, if that is shorter."""
        usual = min(modulus.bit_length(), self.longest_exponent)
        length = usual if length is None else length
        self._check_length(length)
        mode = self.multiplier.over(modulus, field).mode
        return replace(mode, operation=operation, length=length)

    def _check_length(self, length: int | None) -> None:
        if length is None or not 0 <= length <= self.longest_exponent:
            raise refusal("bits", length, f"a whole number from 0 to {self.longest_exponent}")

    def job(
        self,
        base: int,
        exponent: int,
        modulus: int,
        *,
        bits: int | None = None,
        field: Field = "prime",
    ) -> Job:
        """One exponentiation.  bits: length of the exponent (default: its own)."""
        length = exponent.bit_length() if bits is None else bits
        mode = self.mode_for(EXPONENTIATE, modulus, field, length)
        return Job(mode, modulus, {"base": base, "exponent": exponent})

    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        bound = self.over(modulus, mode.field).operand_bound
        return (
            OperandRule("base", "what is raised", bound),
            OperandRule(
                "exponent", "the power that it is raised to", None, sized=True,
                longest=self.longest_exponent,
            ),
        )  # fmt: skip

    def constants(
        self, modulus: int, field: Field = "prime", curve: Curve | None = None
    ) -> list[Constant]:
        return transport.constants(self.facts, self.over(modulus, field))

    def packets(self, mode: Mode, load: Load) -> Packets:
        return transport.packets(self.facts, self.over(load.modulus, mode.field))

    def request(self, job: Job, chance: Random | None = None) -> Beats:
        """base: below the bound of the multiplier's operands, N at least."""
        setting, base, exponent, bits = self._checked(job)
        return transport.request(self.facts, setting, base, exponent, bits)

    def reply_beats(self, mode: Mode, modulus: int) -> int:
        return self.facts.words_in(self.over(modulus, mode.field).mode)

    def reply(self, mode: Mode, beats: Sequence[Beat]) -> dict[str, int]:
        return {"power": from_words([beat["data"] for beat in beats], self.word)}

    def compute(self, job: Job) -> dict[str, int]:
        """base^exponent mod N, by the products that the hardware makes, bit for bit; 1 for
        exponents of no bits.  Operands as in `request`."""
        return {"power": golden.compute(self.facts, *self._checked(job))}

    def answer(self, job: Job) -> list[Beat]:
        words = self.reply_beats(job.mode, job.modulus)
        return [{"data": word} for word in to_words(self.compute(job)["power"], self.word, words)]

    def _checked(self, job: Job) -> tuple[Setting, int, int, int]:
        """The multiplier under the modulus, base, exponent, and the exponent's length."""
        setting = self.over(job.modulus, job.mode.field)
        base, exponent = job.operands["base"], job.operands["exponent"]
        bound, length = setting.operand_bound, job.mode.length
        assert length is not None
        if not 0 <= base < bound:
            raise refusal("base", hex(base), f"a number below {bound:#x}")
        if exponent < 0 or not exponent.bit_length() <= length <= self.longest_exponent:
            allowed = f"a number of at most {min(length, self.longest_exponent)} bits"
            raise refusal("exponent", hex(exponent), allowed)
        return setting, base, exponent, length

    # ---- cycles -------------------------------------------------------------------------------

    @property
    def modes(self) -> tuple[Mode, ...]:
        """Exponents as long as the modulus, or the longest there are, if those are shorter."""
        length = min(self.multiplier.modulus_bits, self.longest_exponent)
        own = (mode for mode in self.multiplier.modes if mode.operation == "multiply")
        return tuple(replace(mode, operation=EXPONENTIATE, length=length) for mode in own)

    def cycles(self, mode: Mode, *, ones: int | None = None) -> dict[str, Cycles]:
        """ones: how many bits of the exponent are 1 (matters from left to right only; default: any
        number, half of them in the mean).

        They are sums of `terms`.  SpecError for a length that it does not take."""
        self._check_length(mode.length)
        assert mode.length is not None
        multiply = replace(mode, operation="multiply", length=None)
        return schedule(self.facts, mode.length, ones, multiply)

    def interval(self, mode: Mode) -> Cycles:
        """The next command is taken in the cycle after the last beat of a power."""
        return self.latency(mode)

    def declared(self, job: Job) -> Cycles:
        terms = self.cycles(job.mode, ones=job.operands["exponent"].bit_count()).values()
        return Cycles(
            sum(t.minimum for t in terms), sum(t.mean for t in terms), sum(t.maximum for t in terms)
        )

    def declared_interval(self, job: Job) -> Cycles:
        return self.declared(job)

    # ---- hardware -----------------------------------------------------------------------------

    def forecast(self) -> Forecast:
        return forecast.of(self.facts)

    def create(self) -> wiring.Component:
        return Core(self.facts, signature(self))


def refusal(key: str, value: object, allowed: str, *why: str) -> SpecError:
    reason = "".join(f": {text}" for text in why)
    return SpecError(key, value, allowed, f"{key} = {value}: must be {allowed}{reason}")
