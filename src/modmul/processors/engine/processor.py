"""What processors share that are an engine with programs in its ROM."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import gmpy2

from modmul.arithmetic import curves
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import to_words
from modmul.design import Beat, Beats, Cycles, Job, Mode, Stream
from modmul.errors import SpecError
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.setting import Setting
from modmul.parameters import parameter
from modmul.processors.contract import Load, Processor, signature
from modmul.processors.engine import forecast, operation, transport
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.cycles import QUIET, TERMS, terms
from modmul.processors.engine.hardware.streams import streams
from modmul.processors.engine.machine import Engine, check
from modmul.processors.engine.operation import Result
from modmul.processors.engine.program_set import ProgramSet

if TYPE_CHECKING:
    from amaranth.lib import wiring

INVERT = "invert"  # of a number modulo the prime; without a curve, too
_SMALLEST = 5  # prime


@dataclass(frozen=True, kw_only=True)
class EngineProcessor(Processor):
    """An engine with its programs; moduli are primes, and curves are loaded at run time."""

    terms: ClassVar[Mapping[str, str]] = TERMS
    takes_curves: ClassVar[bool] = True
    randomise: bool = parameter(
        True, "multiply coordinates of secret points by a number from the stream random"
    )
    register_file: str = parameter(
        "block", "what registers are kept in: block RAM or distributed",
        choices=("block", "distributed"),
    )  # fmt: skip
    units: int = parameter(1, "how many multipliers", choices=(1, 2))
    ports: int = parameter(
        1, "read ports of the registers, each with an adder: no more than multipliers",
        choices=(1, 2),
    )  # fmt: skip

    def check(self) -> None:
        """SpecError for a multiplier that the engine cannot have, and for a port without one."""
        if self.ports > self.units:
            raise refusal("ports", self.ports, f"at most {self.units}, as units is")
        engine = self.engine  # refuses the multiplier
        assert engine.wide

    @classmethod
    def takes(cls, architecture: type[Multiplier]) -> bool:
        try:
            check(architecture())
        except SpecError:
            return False
        return True

    # ---- what each has of its own -------------------------------------------------------------

    @property
    @abc.abstractmethod
    def programs(self) -> ProgramSet:
        """The programs, assembled when they are first asked for."""

    @property
    @abc.abstractmethod
    def forms_taken(self) -> tuple[curves.Form, ...]:
        """The forms of curves that can be loaded."""

    @abc.abstractmethod
    def program_of(self, operation: str, curve: Curve | None) -> str:
        """The name of the program that does an operation."""

    @abc.abstractmethod
    def steps(self, operation: str, curve: Curve | None) -> int:
        """How often loops are done that have a counter."""

    @abc.abstractmethod
    def facts(self, curve: Curve | None) -> dict[str, int]:
        """What programs call the numbers of a curve."""

    @abc.abstractmethod
    def values(self, job: Job) -> dict[str, int]:
        """All numbers that a program takes for an operation, as it calls them."""

    @abc.abstractmethod
    def lengths(self, job: Job) -> dict[str, int]:
        """Bits of scalars, as the program calls them."""

    @abc.abstractmethod
    def said(self, mode: Mode, found: Sequence[int], status: int) -> dict[str, int]:
        """Results by name."""

    @abc.abstractmethod
    def check_curve(self, curve: Curve) -> None:
        """SpecError for a curve that it does not take."""

    # ---- facts --------------------------------------------------------------------------------

    @cached_property
    def engine(self) -> Engine:
        """Multipliers and what is around them."""
        return Engine(self.multiplier, multipliers=self.units, ports=self.ports)

    @property
    def fields_built(self) -> tuple[Field, ...]:
        return ("prime",)

    @property
    def streams(self) -> tuple[Stream, ...]:
        return streams(self.programs.build)

    def check_modulus(
        self, modulus: int, field: Field | None = None, curve: Curve | None = None
    ) -> None:
        if field == "binary":
            raise refusal("modulus", hex(modulus), "a number: curves are over GF(p) here")
        if curve is not None and curve.prime != modulus:
            raise refusal("modulus", hex(modulus), f"the prime of {curve.name}")
        if modulus.bit_length() > self.width:
            raise refusal(
                "modulus" if curve is None else "curve", hex(modulus) if curve is None else curve,
                f"of at most {self.width} bits, and has {modulus.bit_length()}",
            )  # fmt: skip
        if curve is not None:
            self.check_curve(curve)
        if modulus < _SMALLEST or not gmpy2.is_prime(modulus):
            raise refusal("modulus", hex(modulus), f"a prime from {_SMALLEST}")
        self.over(modulus)

    def over(self, modulus: int, field: Field = "prime") -> Setting:
        return self.engine.over(modulus)

    # ---- operations ---------------------------------------------------------------------------

    def operations_on(self, load: Load) -> tuple[str, ...]:
        return self.programs.operations(None if load.curve is None else load.curve.form)

    def mode_for(
        self,
        operation: str,
        modulus: int,
        field: Field = "prime",
        length: int | None = None,
        curve: Curve | None = None,
    ) -> Mode:
        """length: of the scalar; the curve decides it."""
        known = self.operations_on(Load(modulus, field, curve))
        if operation not in known:
            over = "a modulus without a curve" if curve is None else f"{curve}, {curve.form}"
            raise refusal("operation", operation, f"one of {', '.join(known)} with {over}")
        scalar = curve.scalar_bits if curve and "scalar" in self.operands[operation] else None
        if length not in (None, scalar):
            raise refusal("bits", length, f"{scalar}: the curve decides it")
        return Mode(operation, length=scalar, curve=None if operation == INVERT else curve)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """On the longest curves of all forms."""
        longest = {one.form: one for one in reversed(curves.within(self.width))}
        loads = [Load.of(longest[form]) for form in self.forms_taken if form in longest]
        found = [self.mode_for(operation, one.modulus, curve=one.curve)
                 for one in loads for operation in self.operations_on(one)]  # fmt: skip
        return tuple(dict.fromkeys(found))

    # ---- beats and golden model ---------------------------------------------------------------

    def constants(
        self, modulus: int, field: Field = "prime", curve: Curve | None = None
    ) -> list[Constant]:
        self.check_modulus(modulus, field, curve)
        known = self.operations_on(Load(modulus, "prime", curve))
        names = [self.program_of(one, curve) for one in known]
        return transport.constants(self.programs, modulus, self.facts(curve), names)

    def request(self, job: Job) -> Beats:
        self._check(job)
        mode = job.mode
        name, steps = self.program_of(mode.operation, mode.curve), self.steps(*_asked(mode))
        return transport.request(self.programs, name, job.modulus, self.values(job),
                                 self.lengths(job), steps)  # fmt: skip

    def run(self, job: Job) -> Result:
        """The golden machine's run of an operation."""
        return operation.run(self.image(job.mode), job.modulus, self.values(job), self.lengths(job))

    def reply_beats(self, mode: Mode, modulus: int) -> int:
        return len(self.image(mode).program.outputs) * self.engine.machine.beats + 1

    def reply(self, mode: Mode, beats: Sequence[Beat]) -> dict[str, int]:
        words = [beat["data"] for beat in beats]
        return self.said(mode, transport.numbers(self.programs, words[:-1]), words[-1])

    def compute(self, job: Job) -> dict[str, int]:
        """By the golden machine of the engine, word by word."""
        self._check(job)
        found = self.run(job)
        return self.said(job.mode, found.results, found.status)

    def answer(self, job: Job) -> list[Beat]:
        found, engine = self.run(job), self.engine
        words = [word for number in found.results
                 for word in to_words(number, engine.word, engine.machine.beats)]  # fmt: skip
        return [{"data": word} for word in (*words, found.status)]

    def image(self, mode: Mode) -> Image:
        """The program that does an operation, in words."""
        return self.programs.image(self.program_of(*_asked(mode)))

    def _check(self, job: Job) -> None:
        """SpecError for an operand beyond its rule."""
        for rule in self.operand_rules(job.mode, job.modulus):
            value = job.operands[rule.name]
            if rule.below is not None and not rule.least <= value < rule.below:
                least = f"from {rule.least} and " if rule.least else ""
                raise refusal(rule.name, hex(value), f"a number {least}below {rule.below:#x}")

    # ---- cycles -------------------------------------------------------------------------------

    def cycles(self, mode: Mode) -> dict[str, Cycles]:
        return terms(self.image(mode), self.steps(*_asked(mode)))

    def interval(self, mode: Mode) -> Cycles:
        """Operations begin where the slots of the multiplier are at their beginning, once nothing
        is at work any more."""
        turn, least = self.engine.machine.turn, self.latency(mode).maximum + QUIET
        return Cycles.constant(-(-least // turn) * turn)

    # ---- hardware -----------------------------------------------------------------------------

    def forecast(self) -> Forecast:
        return forecast.of(self.programs.build)

    def create(self) -> wiring.Component:
        from modmul.processors.engine.hardware.core import Core

        return Core(self.programs.build, signature(self))


def _asked(mode: Mode) -> tuple[str, Curve | None]:
    return mode.operation, mode.curve


def refusal(key: str, value: object, allowed: str) -> SpecError:
    """`key = value: must be ...`."""
    return SpecError(key, value, allowed, f"{key} = {value}: must be {allowed}")
