"""RSA: private operations with a key that is loaded at run time, and public ones.

The engine (docs/engine.md) has its programs in its ROM.  A key whose modulus n = p*q has at most as
many bits as the multiplier is used as it is, x^d mod n; a longer one, of primes that fit, by the
Chinese remainder theorem: x is reduced modulo p and q, x^dp mod p and x^dq mod q are computed one
after the other, or on two multipliers (`units`) side by side, and joined on the chip.  Exponents
are taken in windows of five bits, the whole table read for each (`window`), or bit by bit
(`ladder`).

Before a beat of the result leaves, its e-th power is compared with x: modulo n, or modulo p and
modulo q.  If it is not x, zeros come in its place and the status tells a fault; a result that is
right modulo one prime and wrong modulo the other would give the factors away.

A key may have up to four primes.  x may be blinded by r^e and 1/r, and exponents by random
multiples of p - 1 and q - 1, both from the stream random; moduli by a random factor when the key is
loaded, for which the multiplier has to be wider.  The key and x are secret: time, addresses and
handshakes do not depend on them, but on the multiplier's width, on whether n fits it, and on the
length of e.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from modmul.arithmetic.curves import Curve
from modmul.arithmetic.keys import Key
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import from_words
from modmul.design import Beats, Stream
from modmul.errors import SpecError
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.setting import Setting
from modmul.operation import Cycles, Job, Mode, OperandRule
from modmul.processors.contract import Example, Load, refusal, signature
from modmul.processors.engine import forecast, operation, transport
from modmul.processors.engine.engine import WRITERS, Engine
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.hardware.sequencer import COUNT_BITS
from modmul.processors.packets import OperandBits, Packets
from modmul.processors.rsa import numbers, operations, programs
from modmul.processors.rsa.joining import PRIMES
from modmul.processors.rsa.numbers import KeyNumbers
from modmul.processors.rsa.operations import PRIVATE, PUBLIC, USUAL, Room
from modmul.processors.rsa.parameters import Parameters
from modmul.processors.rsa.programs import SECOND, RsaPrograms, SecondPrograms
from modmul.processors.rsa.second import Second

if TYPE_CHECKING:
    from amaranth.lib import wiring

_EXAMPLES: Sequence[Example] = (
    # two products in flight
    ("fpmm", {"width": 64}, {}),
    # two multipliers
    ("fpmm", {"width": 64}, {"units": 2}),
    # everything blinded
    ("fpmm", {"width": 32}, {"base_blinding": True, "exponent_blinding": 20, "units": 2}),
    ("fpmm", {"width": 32}, {"method": "ladder", "exponent_blinding": 7}),
    # and moduli, too
    (
        "fpmm",
        {"width": 48},
        {"base_blinding": True, "exponent_blinding": 9, "modulus_blinding": 12},
    ),
    # more primes, on one multiplier and on two
    ("fpmm", {"width": 32}, {"method": "ladder", "primes": 3}),
    ("fpmm", {"width": 32}, {"method": "ladder", "primes": 4, "units": 2, "modulus_blinding": 8}),
    # whole numbers, several for a modulus
    ("montgomery-1csa", {"width": 64}, {"method": "ladder"}),
    # operands shorter than registers
    ("montgomery-lookahead", {"width": 16, "stream_word": 8}, {"method": "ladder"}),
    # no Montgomery domain
    ("interleaved-redundant", {"width": 64}, {"method": "ladder"}),
    # words, one product at a time, registers in LUTs
    ("fips", {"width": 16, "word": 8}, {"method": "ladder", "register_file": "distributed"}),
)


@dataclass(frozen=True, kw_only=True)
class Rsa(Parameters):
    """An RSA processor: its operations, the numbers of its programs, and its cycles."""

    name = "rsa"
    summary = "RSA: private operations, by the primes or without, and public ones; keys are loaded"
    sources = ("amanor2005",)
    takes_keys: ClassVar[bool] = True
    compared: ClassVar[Mapping[str, str | None]] = {PRIVATE: "rsa-engine"}
    operands: ClassVar[Mapping[str, tuple[str, ...]]] = operations.OPERANDS
    results: ClassVar[Mapping[str, tuple[str, ...]]] = operations.RESULTS
    small = _EXAMPLES
    secret_streams: ClassVar[tuple[str, ...]] = ("modulus", *SOURCES)

    @classmethod
    def takes(cls, architecture: type[Multiplier]) -> bool:
        try:
            return super().takes(architecture) and cls(multiplier=architecture()) is not None
        except SpecError:
            return False

    # ---- facts --------------------------------------------------------------------------------

    @property
    def copies(self) -> int:
        return 1

    @cached_property
    def engine(self) -> Engine:
        """The engine that has all programs.  With a second multiplier there is another engine."""
        return Engine(
            self.plain_multiplier, writers=WRITERS[self.register_file], protected=self.protected
        )

    @cached_property
    def programs(self) -> RsaPrograms:
        return RsaPrograms(**self._chosen)

    @cached_property
    def second(self) -> Second | None:
        if self.units == 1:
            return None
        return Second(SecondPrograms(**self._chosen), self.secret_streams)

    @property
    def _chosen(self) -> dict[str, Any]:
        """The parameters on which programs depend."""
        return {
            "engine": self.engine,
            "storage": self.register_file,
            "method": self.method,
            "base_blinding": self.base_blinding,
            "exponent_blinding": self.exponent_blinding,
            "modulus_blinding": self.modulus_blinding,
            "primes": self.primes,
            "engines": self.units,
        }

    @property
    def streams(self) -> tuple[Stream, ...]:
        own = super().streams
        return own if self.second is None else self.second.streams(own)

    def check_modulus(
        self, modulus: int, field: Field | None = None, curve: Curve | None = None
    ) -> None:
        if field == "binary":
            raise refusal("modulus", hex(modulus), "a number: RSA is modulo numbers")
        self._room.check(modulus)

    def over(self, modulus: int, field: Field = "prime") -> Setting:
        return self.engine.over(self.moduli(modulus)[0])

    @property
    def key_primes(self) -> tuple[int, int]:
        return self.primes, self._room.bits

    @property
    def key_text(self) -> str:
        primes, bits = self.key_primes
        extent = "with primes of exactly" if self._exact else "up to"
        by_primes = bits if self._exact else primes * bits
        several = f" ({primes} primes)" if primes > 2 else ""
        return f"RSA keys {extent} {by_primes} bits by CRT{several}, {bits} without"

    @property
    def _room(self) -> Room:
        return Room(self.width, self.modulus_blinding, self.primes, self._longest, self._exact)

    @property
    def _numbers(self) -> KeyNumbers:
        return KeyNumbers(self.engine, self.exponent_blinding, self.modulus_blinding)

    @property
    def _longest(self) -> int:
        """The most bits of a public exponent."""
        return min(self.engine.wide, (1 << COUNT_BITS) - 1)

    def _by_primes(self, modulus: int) -> bool:
        """Whether a private operation is computed modulo the primes, because n does not fit."""
        return isinstance(modulus, Key) and modulus.bit_length() > self._room.bits

    # ---- operations ---------------------------------------------------------------------------

    def operations_on(self, load: Load) -> tuple[str, ...]:
        if not isinstance(load.modulus, Key):
            return (PUBLIC,)
        if self._by_primes(load.modulus) or self.modulus_blinding:
            return (PRIVATE,)
        return PRIVATE, PUBLIC

    def mode(self, operation: str, load: Load, length: int | None = None) -> Mode:
        """length: bits of the public exponent.  For a private operation the key decides it."""
        known, modulus = self.operations_on(load), load.modulus
        if operation not in known:
            with_what = "with a key" if isinstance(modulus, Key) else "without a key"
            allowed = f"one of {', '.join(known)} {with_what}"
            raise refusal("operation", operation, allowed + self._why_not(operation, modulus))
        bits = operations.length(operation, modulus, length, self._longest)
        return self._mode(operation, bits, self._by_primes(modulus))

    def _why_not(self, operation: str, modulus: int) -> str:
        """What a message adds about an operation that is missing for this modulus, or ""."""
        if operation != PUBLIC or not isinstance(modulus, Key):
            return ""
        if self._by_primes(modulus):
            bits = modulus.bit_length()
            return f": its modulus has {bits} bits, which takes a width of {bits}"
        return ": what is loaded of a key is blinded; load its modulus alone"

    def _mode(self, operation: str, length: int, by_primes: bool = False) -> Mode:
        """A mode whose `words` are those of the modulus n."""
        words = self.engine.machine.beats * (self.primes if by_primes else 1)
        return Mode(operation, words=words, length=length)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """A private operation by primes, one modulo n, and a public one, with the usual
        exponent."""
        usual = min(USUAL, self._longest, self._room.bits)
        return (
            self._mode(PRIVATE, usual, True),
            self._mode(PRIVATE, usual),
            self._mode(PUBLIC, usual),
        )

    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        return operations.rules(mode.operation, modulus, self._longest)

    # ---- what its programs take and give -------------------------------------------------------

    def program_in(self, mode: Mode) -> str:
        if mode.operation == PUBLIC:
            return programs.PUBLIC
        return programs.PLAIN if mode.words == self.engine.machine.beats else self.programs.names[0]

    def passes(self, mode: Mode) -> int:
        return max(1, mode.length or 0)

    def moduli(self, modulus: int, curve: Curve | None = None) -> tuple[int, ...]:
        return self._numbers.moduli(modulus, self._by_primes(modulus))

    def _of_second(self, modulus: int) -> tuple[int, ...]:
        """The moduli of the second engine; none if it has no part in the operation."""
        if not isinstance(modulus, Key) or not self._by_primes(modulus):
            return ()
        return tuple(self._numbers.blinded(modulus).values())[1::2]

    def constants(
        self, modulus: int, field: Field = "prime", curve: Curve | None = None
    ) -> list[Constant]:
        self.check_modulus(modulus, field, curve)
        load = Load(modulus)
        names = [self.program_in(self.mode(name, load)) for name in self.operations_on(load)]
        facts = self._numbers.facts(modulus, self._by_primes(modulus))
        constants = transport.constants(self.programs, self.moduli(modulus), facts, names)
        if self.second is not None:
            constants += self.second.constants(self._of_second(modulus), facts)
        return constants

    def packets(self, mode: Mode, load: Load) -> Packets:
        first = super().packets(mode, load)
        if self.second is None or not self._beside(mode):
            return first
        job = Job(mode, load.modulus, {"x": 0})
        more = self.second.numbers(
            self._of_second(load.modulus), self.parts(mode), self.values(job), self.lengths(job)
        )
        return self.second.with_numbers(first, more)

    def request(self, job: Job, chance: Random | None = None) -> Beats:
        first = super().request(job, chance)
        if self.second is None or not self._beside(job.mode):
            return first
        moduli, values = self._of_second(job.modulus), self.values(job, chance)
        return self.second.request(first, moduli, values, self.lengths(job))

    def run(self, job: Job) -> operation.Result:
        if self.second is None or not self._beside(job.mode):
            return super().run(job)
        image, values = self.image(job.mode), self.values(job)
        return operation.run(
            image, self.moduli(job.modulus), values, self.lengths(job), self.second.turns(image)
        )

    def cycles(self, mode: Mode) -> dict[str, Cycles]:
        terms = super().cycles(mode)
        if self.second is not None and self._beside(mode):
            image = self.image(mode)
            waited = sum(self.second.turns(image)) * image.machine.turn
            terms["rest"] = Cycles.constant(terms["rest"].maximum + waited)
        return terms

    def _beside(self, mode: Mode) -> bool:
        """Whether both engines have a part in an operation."""
        return self.second is not None and self.program_in(mode) == self.programs.names[0]

    def forecast(self) -> Forecast:
        own = super().forecast()
        if self.second is None:
            return own
        other = forecast.of(self.second.programs.build)
        return Forecast(
            own.lut + other.lut,
            own.ff + other.ff,
            own.dsp + other.dsp,
            own.ram_bits + other.ram_bits,
            own.mhz,
        )

    def create(self) -> wiring.Component:
        if self.second is None:
            return super().create()
        from modmul.processors.rsa.hardware import SideBySide

        second = self.second.programs
        supplied = len(second.image(SECOND).program.outputs)
        return SideBySide(self.programs.build, second.build, self.primes, supplied, signature(self))

    extra: ClassVar[Mapping[str, str]] = {
        "re": "r^e modulo that prime, for a random r that is new each time; where the key is not "
        "used by its primes, n stands in the place of the first",
        "ri": "1/r modulo the same",
    }

    def parts(self, mode: Mode) -> dict[str, OperandBits]:
        if mode.operation == PUBLIC:
            return {"x": OperandBits("x"), "e": OperandBits("e")}
        return self._numbers.parts((mode.words or 0) // self.engine.machine.beats)

    def values(self, job: Job, chance: Random | None = None) -> dict[str, int]:
        x = job.operands["x"]
        if job.mode.operation == PUBLIC:
            return numbers.public(x, job.operands["e"], self.passes(job.mode))
        values = self._numbers.private(job.modulus, x, self._by_primes(job.modulus), chance)
        if self.second is not None and self._beside(job.mode):
            moduli = self._of_second(job.modulus)
            values |= self.second.residues(moduli, values, self.lengths(job))
        return values

    def lengths(self, job: Job) -> dict[str, int]:
        secret = dict.fromkeys(("d", *(f"d{name}" for name in PRIMES)), self._room.bits)
        return secret | {"e": self.passes(job.mode)}

    def said(self, mode: Mode, words: Sequence[int], status: int) -> dict[str, int]:
        """The results by name.  status: 0 if the result is right."""
        if status:
            return {"fault": True}
        return {"y": from_words(list(reversed(words)), self.width)}
