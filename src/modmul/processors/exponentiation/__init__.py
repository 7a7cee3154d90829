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
from random import Random
from typing import ClassVar

from amaranth.lib import wiring

from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import from_words, to_words
from modmul.design import Beat, Beats, Stream
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Constant
from modmul.multipliers.setting import Setting
from modmul.operation import Cycles, Job, Mode, OperandRule
from modmul.processors.contract import Example, Load, refusal, signature
from modmul.processors.exponentiation import golden, transport
from modmul.processors.exponentiation.core import Core
from modmul.processors.exponentiation.facts import halvings
from modmul.processors.exponentiation.parameters import (
    EXPONENTIATE,
    SECRET,
    ExponentiationParameters,
)
from modmul.processors.exponentiation.schedule import TERMS, schedule
from modmul.processors.packets import Packets

_EXAMPLES: Sequence[Example] = (
    # two products in flight, in turn
    ("fpmm", {"width": 512, "slots": 2}, {}),
    # words, results up to 4N
    (
        "montgomery-lookahead",
        {"width": 96},
        {"method": "left-to-right", "exponent_secrecy": "public", "exponent_word": 8},
    ),
    # whole numbers, outside any domain
    ("interleaved", {"width": 64}, {"units": 2, "beat": 64}),
    # carry-save pairs
    ("fcs-mm-1", {"width": 64}, {"beat": 16}),
    # checked before it leaves
    ("cios", {"width": 32, "protection": "full"}, {}),
    # both fields, any length, cheaper squares
    ("fips", {"width": 64, "word": 8}, {}),
    # alkhaleel2006, Algorithm 1: squares and products on one folded array
    (
        "three-pass",
        {"width": 64, "partitions": 4},
        {"method": "left-to-right", "exponent_secrecy": "public"},
    ),
)


@dataclass(frozen=True, kw_only=True)
class Exponentiation(ExponentiationParameters):
    """An exponentiation processor: the beats of its streams, and its cycles."""

    name = "exponentiation"
    summary = "modular exponentiation, by the Montgomery ladder or from left to right"
    sources = ("dualfips",)
    operands: ClassVar[Mapping[str, tuple[str, ...]]] = {EXPONENTIATE: ("base", "exponent")}
    results: ClassVar[Mapping[str, tuple[str, ...]]] = {EXPONENTIATE: ("power",)}
    protections: ClassVar[tuple[str, ...]] = ("none", "full")
    small = _EXAMPLES
    terms: ClassVar[Mapping[str, str]] = TERMS
    compared: ClassVar[Mapping[str, str | None]] = {EXPONENTIATE: None}

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
        """Raises SpecError for a modulus not taken."""
        setting = self.facts.multiplier.over(modulus, field)
        if setting.result_bound > setting.operand_bound:
            allowed = "one for which results can be operands"
            raise refusal("modulus", hex(modulus), allowed, *setting.chosen.notes)
        if field == "prime" and halvings(setting.multiplier, modulus) > self.facts.halvings:
            title = self.multiplier.title
            raise AssertionError(f"{title}: bound of results above the one foreseen")
        return setting

    def mode(self, operation: str, load: Load, length: int | None = None) -> Mode:
        """length: by default that of the modulus, but at most that of the longest exponent."""
        usual = min(load.modulus.bit_length(), self.longest_exponent)
        length = usual if length is None else length
        self._check_length(length)
        mode = self.facts.multiplier.over(load.modulus, load.field).mode
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
        """One exponentiation.  bits: length of the exponent, by default its own."""
        length = exponent.bit_length() if bits is None else bits
        mode = self.mode(EXPONENTIATE, Load(modulus, field), length)
        return Job(mode, modulus, {"base": base, "exponent": exponent})

    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        bound = self.over(modulus, mode.field).operand_bound
        return (
            OperandRule("base", "what is raised", bound),
            OperandRule(
                "exponent",
                "the power that it is raised to",
                None,
                sized=True,
                longest=self.longest_exponent,
            ),
        )

    def constants(
        self, modulus: int, field: Field = "prime", curve: Curve | None = None
    ) -> list[Constant]:
        return transport.constants(self.facts, self.over(modulus, field))

    def packets(self, mode: Mode, load: Load) -> Packets:
        return transport.packets(self.facts, self.over(load.modulus, mode.field))

    def request(self, job: Job, chance: Random | None = None) -> Beats:
        """The base must be below the bound of the multiplier's operands, which is N or more."""
        setting, base, exponent, bits = self._checked(job)
        return transport.request(self.facts, setting, base, exponent, bits)

    def reply_beats(self, mode: Mode, modulus: int) -> int:
        return self.facts.words_in(self.over(modulus, mode.field).mode) + self.facts.checked

    def reply(self, mode: Mode, beats: Sequence[Beat]) -> dict[str, int]:
        if self.facts.checked:
            *beats, status = beats
            if status["data"]:
                return {"fault": True}
        return {"power": from_words([beat["data"] for beat in beats], self.word)}

    def compute(self, job: Job) -> dict[str, int]:
        """Base^exponent mod N, by the products that the hardware computes, bit for bit; 1
        for an exponent without bits.  With a check a power of 0 counts as a fault unless the base
        is 0.  Operands are as in `request`."""
        power = golden.compute(self.facts, *self._checked(job))
        if self.facts.checked and job.operands["base"] and not power:
            return {"fault": True}
        return {"power": power}

    def declined(self, job: Job) -> dict[str, int] | None:
        result = self.compute(job)
        return result if "fault" in result else None

    def answer(self, job: Job) -> list[Beat]:
        words, result = self.reply_beats(job.mode, job.modulus), self.compute(job)
        if self.facts.checked:
            status = "fault" in result
            power = to_words(result.get("power", 0), self.word, words - 1)
            return [{"data": word} for word in (*power, int(status))]
        return [{"data": word} for word in to_words(result["power"], self.word, words)]

    def _checked(self, job: Job) -> tuple[Setting, int, int, int]:
        """The multiplier with the modulus, base, exponent, and the exponent's length."""
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
        """Exponents as long as the modulus, but at most as long as the longest exponent."""
        length = min(self.multiplier.modulus_bits, self.longest_exponent)
        own = (mode for mode in self.facts.multiplier.modes if mode.operation == "multiply")
        return tuple(replace(mode, operation=EXPONENTIATE, length=length) for mode in own)

    def cycles(self, mode: Mode, *, ones: int | None = None) -> dict[str, Cycles]:
        """The cycles, by `terms`.  ones: number of ones in the exponent, which matters only
        from left to right; by default any number, half of the bits in the mean.  Raises SpecError
        for a length that is not taken."""
        self._check_length(mode.length)
        assert mode.length is not None
        multiply = replace(mode, operation="multiply", length=None)
        return schedule(self.facts, mode.length, ones, multiply)

    def interval(self, mode: Mode) -> Cycles:
        """The latency: the next command is taken in the cycle after a power's last beat."""
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
        """The forecast: that of the multipliers, two numbers, constants, exponent, reduction and
        control.  The clock is that of the multiplier: the control has less to do in a cycle."""
        facts, multiplier = self.facts, self.facts.multiplier
        chip = fabric(multiplier.chip)
        core, word = multiplier.forecast(), facts.word
        vectors = 2 if multiplier.operand_form == "carry-save" else 1
        sections = 2 * facts.enters_domain + bool(facts.subtractions) + 3 * facts.checked
        if facts.in_words:
            number, bits = chip.memory(facts.words, word)
            stored = facts.core_constants + sections * facts.words
            constants, more = chip.memory(max(2, stored), word)
            lut = 2 * vectors * (number + 1.5 * word) + constants
            ff, ram = 0.0, 2 * vectors * bits + more
        else:
            whole = word * facts.words
            constants, more = chip.memory(max(2, sections * facts.words), word)
            own, wide = (
                chip.memory(facts.core_constants, multiplier.modulus_beat)
                if facts.core_constants > 1
                else (0.0, 0)
            )
            lut = vectors * whole * (2 * 1.1 + 0.9 * facts.units) + constants + own
            ff, ram = 2.0 * vectors * whole, more + wide
        if facts.passes:
            lut, ff = lut + 3.0 * word, ff + 2.0 * word
        kept = max(0, facts.halvings - 1)  # bits of N, for its multiples, which are shifted
        lut, ff = lut + (word + kept / 2) * kept.bit_length(), ff + kept
        lut += 0.6 * facts.exponent_word + 110
        ff += facts.exponent_word + 2 * facts.longest_exponent.bit_length() + 40
        if facts.checked:  # the choice of words, comparison and parity; counters and flags
            lut, ff = lut + 6.0 * word + 170, ff + 20
        units = facts.units
        return Forecast(
            lut=round(units * core.lut + lut),
            ff=round(units * core.ff + ff),
            dsp=units * core.dsp,
            ram_bits=units * core.ram_bits + ram,
            mhz=core.mhz,
        )

    def create(self) -> wiring.Component:
        return Core(self.facts, signature(self))
