"""Multiplication of points of elliptic curves over GF(p), on any curve whose prime fits.

The engine (docs/engine.md) has programs in its ROM; a curve is data that is loaded.  In
Weierstrass' form k*P is computed by a ladder (Hamburg, IACR ePrint 2020/437: 11 products a bit), or
by complete formulas (Renes, Costello, Batina, IACR ePrint 2015/1060: 27 a bit for a = -3, 23 for
a = 0, else 33), which have no exceptions; k*P + l*Q and P + Q always by these.  In Montgomery's
form the x-coordinate of k*P is computed (RFC 7748: 10 a bit).  On Edwards curves with a = -1 and
a = 1 the formulas of RFC 8032 are complete.  Inverses are powers p - 2.

The ladder is not defined for k = 0, 1, n - 2, n - 1 modulo the order n, and for points with x = 0
or y = 0: a flag tells where its result is not right.  It adds n or 2n to the scalar, so that the
number of steps is that of bits of n; a blinded scalar has a random multiple of n added.  The
scalar, the coordinates and the random numbers are secret: time, addresses and handshakes do not
depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import gmpy2

from modmul import multipliers
from modmul.arithmetic import curves
from modmul.arithmetic.curves import Curve as OneCurve
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import to_words
from modmul.design import Beat, Beats, Cycles, Job, Mode, OperandRule, Stream
from modmul.errors import SpecError
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.setting import Setting
from modmul.parameters import parameter
from modmul.processors.contract import Load, Processor, signature
from modmul.processors.curve import forecast, operations, transport
from modmul.processors.curve.cycles import QUIET, TERMS, terms
from modmul.processors.curve.examples import EXAMPLES
from modmul.processors.curve.operations import (
    INVERT,
    OPERANDS,
    PAIRS,
    POINT_CHECK,
    POINT_MULTIPLY,
    RESULTS,
    X_MULTIPLY,
    refusal,
)
from modmul.processors.curve.programs import ALL, COMPLETE, LADDER, Programs
from modmul.processors.engine.hardware.streams import streams
from modmul.processors.engine.machine import Engine, check

if TYPE_CHECKING:
    from amaranth.lib import wiring

_SMALLEST = 5  # prime


@dataclass(frozen=True, kw_only=True)
class Curve(Processor):
    """Parameters of one processor for curves."""

    name = "curve"
    summary = "points of elliptic curves over GF(p), any curve of the width loaded at run time"
    sources = ()
    operands: ClassVar[Mapping[str, tuple[str, ...]]] = OPERANDS
    results: ClassVar[Mapping[str, tuple[str, ...]]] = RESULTS
    terms: ClassVar[Mapping[str, str]] = TERMS
    takes_curves: ClassVar[bool] = True
    compared: ClassVar[Mapping[str, str | None]] = {
        POINT_MULTIPLY: "p256-engine", X_MULTIPLY: "x25519-engine",
    }  # fmt: skip
    formulas: str = parameter(
        LADDER, "how points are added: a ladder, with exceptions, or complete formulas",
        choices=(LADDER, COMPLETE),
    )  # fmt: skip
    randomise: bool = parameter(
        True, "multiply coordinates of secret points by a number from the stream random"
    )
    blinding: int = parameter(
        0, "bits of a number from the stream random, of which that multiple of the order is added "
        "to the scalar of point-multiply; 0: none", minimum=0, maximum=1024,
    )  # fmt: skip
    forms: str = parameter(
        ALL, "the curves for which there are programs", choices=(ALL, *curves.EQUATIONS)
    )
    verification: bool = parameter(True, "have double-multiply and point-add")
    batch: int = parameter(
        1, "2: two multiplications can be done at once, by the ladder or of x-coordinates",
        choices=(1, 2),
    )  # fmt: skip
    register_file: str = parameter(
        "block", "what registers are kept in: block RAM or distributed",
        choices=("block", "distributed"),
    )  # fmt: skip

    def check(self) -> None:
        """SpecError for a multiplier that no engine can have."""
        check(self.multiplier)
        if self.blinding > self.engine.wide:
            raise refusal("blinding", self.blinding, f"at most {self.engine.wide}, the bits of a "
                          "register")  # fmt: skip

    @classmethod
    def takes(cls, architecture: type[Multiplier]) -> bool:
        try:
            check(architecture())
        except SpecError:
            return False
        return True

    @classmethod
    def suited(cls, curve: OneCurve) -> Mapping[str, Any]:
        return {"forms": curve.form}

    # ---- facts --------------------------------------------------------------------------------

    @cached_property
    def engine(self) -> Engine:
        """Multiplier and what is around it."""
        return Engine(self.multiplier)

    @cached_property
    def programs(self) -> Programs:
        """The programs, assembled when they are first asked for."""
        return Programs(self.engine, self.formulas, self.randomise, self.register_file, self.forms,
                        self.verification, self.blinding, self.batch)

    @property
    def title(self) -> str:
        plain = "" if self.randomise else "-plain"
        memory = "" if self.register_file == "block" else "-distributed"
        blind = f"-blinded-{self.blinding}" if self.blinding else ""
        forms = "" if self.forms == ALL else f"-{self.forms}"
        more = "" if self.verification else "-secrets"
        two = "" if self.batch == 1 else "-pair"
        own = f"{self.formulas}{plain}{blind}{forms}{more}{two}{memory}"
        return f"curve-{own}-{self.multiplier.title}"

    @property
    def fields_built(self) -> tuple[Field, ...]:
        return ("prime",)

    @property
    def streams(self) -> tuple[Stream, ...]:
        return streams(self.programs.build)

    def check_modulus(
        self, modulus: int, field: Field | None = None, curve: OneCurve | None = None
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
            self._check_curve(curve)
        if modulus < _SMALLEST or not gmpy2.is_prime(modulus):
            raise refusal("modulus", hex(modulus), f"a prime from {_SMALLEST}")
        self.over(modulus)

    def _check_curve(self, curve: OneCurve) -> None:
        """SpecError for a form that is not built, and an order beyond what registers hold."""
        if self.forms not in (ALL, curve.form):
            raise refusal("curve", curve, f"of the form {self.forms}, as `forms` says")
        bits = max(curve.scalar_bits, self.programs.steps(POINT_MULTIPLY, curve))
        if bits > self.engine.wide:
            raise refusal("curve", curve, f"of an order of at most {self.engine.wide} bits")

    def over(self, modulus: int, field: Field = "prime") -> Setting:
        return self.engine.over(modulus)

    def operations_on(self, load: Load) -> tuple[str, ...]:
        return self.programs.operations(None if load.curve is None else load.curve.form)

    def mode_for(
        self,
        operation: str,
        modulus: int,
        field: Field = "prime",
        length: int | None = None,
        curve: OneCurve | None = None,
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
        fitting = [one for one in curves.within(self.width) if self.forms in (ALL, one.form)]
        longest = {one.form: one for one in reversed(fitting)}
        loads = [Load.of(longest[form]) for form in curves.EQUATIONS if form in longest]
        found = [self.mode_for(operation, one.modulus, curve=one.curve)
                 for one in loads for operation in self.operations_on(one)]  # fmt: skip
        return tuple(dict.fromkeys(found))

    # ---- operands -----------------------------------------------------------------------------

    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        return tuple(operations.rules(mode, modulus))

    def check_operands(self, job: Job) -> None:
        operations.check(job)

    def declined(self, job: Job) -> dict[str, int] | None:
        return operations.declined(job, self.formulas == LADDER, self.blinding)

    # ---- beats and golden model ---------------------------------------------------------------

    def constants(
        self, modulus: int, field: Field = "prime", curve: OneCurve | None = None
    ) -> list[Constant]:
        self.check_modulus(modulus, field, curve)
        load = Load(modulus, "prime", curve)
        names = [self.programs.name(one, curve) for one in self.operations_on(load)]
        return transport.constants(self.programs, load, names)

    def request(self, job: Job) -> Beats:
        self._check(job)
        return transport.request(self.programs, job)

    def reply_beats(self, mode: Mode, modulus: int) -> int:
        return len(self._image(mode).program.outputs) * self.engine.machine.beats + 1

    def reply(self, mode: Mode, beats: Sequence[Beat]) -> dict[str, int]:
        words = [beat["data"] for beat in beats]
        return self._said(mode, transport.numbers(self.programs, words[:-1]), words[-1])

    def compute(self, job: Job) -> dict[str, int]:
        """By the golden machine of the engine, word by word."""
        self._check(job)
        found = transport.run(self.programs, job)
        return self._said(job.mode, found.results, found.status)

    def answer(self, job: Job) -> list[Beat]:
        found, engine = transport.run(self.programs, job), self.engine
        words = [word for number in found.results
                 for word in to_words(number, engine.word, engine.machine.beats)]  # fmt: skip
        return [{"data": word} for word in (*words, found.status)]

    def _said(self, mode: Mode, numbers: Sequence[int], status: int) -> dict[str, int]:
        """Results by name.  status: 1 where all results are points that the formulas can give; 0
        where a point is on the curve."""
        operation, curve = mode.operation, mode.curve
        if operation == POINT_CHECK:
            return {"valid": status == 0}
        pair = operation in PAIRS
        told = curve is not None and curve.form == "weierstrass" and operation != INVERT
        if status == 0 and (told or pair):
            ladder = pair or (self.formulas == LADDER and operation == POINT_MULTIPLY)
            return {"exceptional" if ladder else "infinity": True}
        return dict(zip(self.results[operation], numbers, strict=False))

    def _image(self, mode: Mode) -> transport.Image:
        return self.programs.image(self.programs.name(mode.operation, mode.curve))

    def _check(self, job: Job) -> None:
        """SpecError for an operand beyond its rule."""
        for rule in self.operand_rules(job.mode, job.modulus):
            value = job.operands[rule.name]
            if rule.below is not None and not 0 <= value < rule.below:
                raise refusal(rule.name, hex(value), f"a number below {rule.below:#x}")

    # ---- cycles -------------------------------------------------------------------------------

    def cycles(self, mode: Mode) -> dict[str, Cycles]:
        return terms(self._image(mode), self.programs.steps(mode.operation, mode.curve))

    def interval(self, mode: Mode) -> Cycles:
        """Operations begin where the slots of the multiplier are at their beginning, once nothing
        is at work any more."""
        turn, least = self.engine.machine.turn, self.latency(mode).maximum + QUIET
        return Cycles.constant(-(-least // turn) * turn)

    # ---- hardware -----------------------------------------------------------------------------

    @classmethod
    def examples(cls) -> list[Curve]:
        return [
            cls(multiplier=multipliers.find(name)(**of_multiplier), **own)
            for name, of_multiplier, own in EXAMPLES
        ]

    def forecast(self) -> Forecast:
        return forecast.of(self.programs.build)

    def create(self) -> wiring.Component:
        from modmul.processors.engine.hardware.core import Core

        return Core(self.programs.build, signature(self))

