"""Multiplication of points of elliptic curves over GF(p), on any curve whose prime fits.

The engine (docs/engine.md) has programs in its ROM; a curve is data that is loaded.  In
Weierstrass' form k*P is computed by a ladder (Hamburg, IACR ePrint 2020/437: 11 products a bit), or
by complete formulas (Renes, Costello, Batina, IACR ePrint 2015/1060: 27 a bit for a = -3, 23 for
a = 0, else 33), which have no exceptions.  In Montgomery's form the x-coordinate of k*P is computed
(RFC 7748: 10 a bit).  Inverses are powers p - 2.

The ladder is not defined for k = 0, 1, n - 2, n - 1 modulo the order n, and for points with x = 0
or y = 0: a flag tells where its result is not right.  It adds n or 2n to the scalar, so that the
number of steps is that of bits of n.  The scalar, the coordinates and the random number are secret:
time, addresses and handshakes do not depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import gmpy2

from modmul import multipliers
from modmul.arithmetic import curves, points
from modmul.arithmetic.curves import Curve as OneCurve
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.points import Affine
from modmul.arithmetic.words import to_words
from modmul.design import Beat, Beats, Cycles, Job, Mode, OperandRule, Stream
from modmul.errors import SpecError
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.setting import Setting
from modmul.parameters import parameter
from modmul.processors.contract import Load, Processor, signature
from modmul.processors.curve import forecast, transport
from modmul.processors.curve.cycles import TERMS, terms
from modmul.processors.curve.examples import EXAMPLES
from modmul.processors.curve.programs import COMPLETE, LADDER, Programs
from modmul.processors.engine.hardware.streams import streams
from modmul.processors.engine.machine import Engine, check

if TYPE_CHECKING:
    from amaranth.lib import wiring

POINT_MULTIPLY, X_MULTIPLY = "point-multiply", "x-multiply"
POINT_CHECK, INVERT = "point-check", "invert"
_ON = {
    "weierstrass": (POINT_MULTIPLY, POINT_CHECK, INVERT),
    "montgomery": (X_MULTIPLY, INVERT),
}
_SMALLEST = 5  # prime


@dataclass(frozen=True, kw_only=True)
class Curve(Processor):
    """Parameters of one processor for curves."""

    name = "curve"
    summary = "points of elliptic curves over GF(p), any curve of the width loaded at run time"
    sources = ()
    operands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        POINT_MULTIPLY: ("scalar", "x", "y"), X_MULTIPLY: ("scalar", "u"),
        POINT_CHECK: ("x", "y"), INVERT: ("value",),
    }  # fmt: skip
    results: ClassVar[Mapping[str, tuple[str, ...]]] = {
        POINT_MULTIPLY: ("x", "y", "infinity", "exceptional"), X_MULTIPLY: ("u",),
        POINT_CHECK: ("valid",), INVERT: ("inverse",),
    }  # fmt: skip
    terms: ClassVar[Mapping[str, str]] = TERMS
    takes_curves: ClassVar[bool] = True
    recommended: ClassVar[bool] = False  # its cycles are known when its programs are scheduled
    formulas: str = parameter(
        LADDER, "how points are added: a ladder, with exceptions, or complete formulas",
        choices=(LADDER, COMPLETE),
    )  # fmt: skip
    randomise: bool = parameter(
        True, "multiply coordinates of points by a number from the stream random"
    )
    register_file: str = parameter(
        "block", "what registers are kept in: block RAM or distributed",
        choices=("block", "distributed"),
    )  # fmt: skip

    def check(self) -> None:
        """SpecError for a multiplier that no engine can have."""
        check(self.multiplier)

    @classmethod
    def takes(cls, architecture: type[Multiplier]) -> bool:
        try:
            check(architecture())
        except SpecError:
            return False
        return True

    # ---- facts --------------------------------------------------------------------------------

    @cached_property
    def engine(self) -> Engine:
        """Multiplier and what is around it."""
        return Engine(self.multiplier)

    @cached_property
    def programs(self) -> Programs:
        """The programs, assembled when they are first asked for."""
        return Programs(self.engine, self.formulas, self.randomise, self.register_file)

    @property
    def title(self) -> str:
        plain = "" if self.randomise else "-plain"
        memory = "" if self.register_file == "block" else "-distributed"
        return f"curve-{self.formulas}{plain}{memory}-{self.multiplier.title}"

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
            raise _refusal("modulus", hex(modulus), "a number: curves are over GF(p) here")
        if curve is not None and curve.prime != modulus:
            raise _refusal("modulus", hex(modulus), f"the prime of {curve.name}")
        if modulus.bit_length() > self.width:
            raise _refusal(
                "modulus" if curve is None else "curve", hex(modulus) if curve is None else curve,
                f"of at most {self.width} bits, and has {modulus.bit_length()}",
            )  # fmt: skip
        if curve is not None and curve.scalar_bits > self.engine.wide:
            raise _refusal("curve", curve, f"of an order of at most {self.engine.wide} bits")
        if modulus < _SMALLEST or not gmpy2.is_prime(modulus):
            raise _refusal("modulus", hex(modulus), f"a prime from {_SMALLEST}")
        self.over(modulus)

    def over(self, modulus: int, field: Field = "prime") -> Setting:
        return self.engine.over(modulus)

    def operations_on(self, load: Load) -> tuple[str, ...]:
        return (INVERT,) if load.curve is None else _ON[load.curve.form]

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
            raise _refusal("operation", operation, f"one of {', '.join(known)} with {over}")
        scalar = curve.scalar_bits if curve and "scalar" in self.operands[operation] else None
        if length not in (None, scalar):
            raise _refusal("bits", length, f"{scalar}: the curve decides it")
        return Mode(operation, length=scalar, curve=None if operation == INVERT else curve)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """On the longest curves of both forms."""
        fitting = curves.within(self.width)
        chosen = [next((one for one in fitting if one.form == form), None) for form in _ON]
        loads = [Load.of(one) for one in chosen if one is not None]
        found = [self.mode_for(operation, one.modulus, curve=one.curve)
                 for one in loads for operation in self.operations_on(one)]  # fmt: skip
        return tuple(dict.fromkeys(found))

    # ---- operands -----------------------------------------------------------------------------

    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        curve = mode.curve
        if mode.operation == INVERT or curve is None:
            return (OperandRule("value", "what is inverted; 0 gives 0", modulus),)
        coordinates = (
            OperandRule("x", "of the point", modulus), OperandRule("y", "of the point", modulus),
        )  # fmt: skip
        if mode.operation == POINT_CHECK:
            return coordinates
        if mode.operation == POINT_MULTIPLY:
            scalar = OperandRule("scalar", "how often the point is added up", curve.order)
            return (scalar, *coordinates)
        below = 1 << curve.scalar_bits
        return (
            OperandRule("scalar", "how often the point is added up, clamped by the caller", below),
            OperandRule("u", "of the point; taken modulo the prime", below),
        )

    def check_operands(self, job: Job) -> None:
        """A point that is multiplied is on the curve, and in the group of the base point."""
        curve = job.mode.curve
        if job.mode.operation != POINT_MULTIPLY or curve is None:
            return
        point = Affine(job.operands["x"], job.operands["y"])
        if not points.is_on(curve, *point):
            shown = f"({point.x:#x}, {point.y:#x})"
            raise _refusal("x", hex(point.x), f"with y that of a point: {shown} is not on {curve}")
        if curve.cofactor > 1 and points.multiply(curve, curve.order, point) is not None:
            why = f"of a point of the group of prime order; that is not all of {curve}"
            raise _refusal("x", hex(point.x), why)

    def declined(self, job: Job) -> dict[str, int] | None:
        curve, of = job.mode.curve, job.operands
        if job.mode.operation != POINT_MULTIPLY or self.formulas != LADDER or curve is None:
            return None
        scalar = of["scalar"] % curve.order
        if scalar not in (0, 1, curve.order - 2, curve.order - 1) and of["x"] and of["y"]:
            return None
        return {"exceptional": True}

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
        """Results by name.  status: 1 where the result of a multiplication is one; 0 where a point
        is on the curve."""
        if mode.operation == POINT_CHECK:
            return {"valid": status == 0}
        if mode.operation == POINT_MULTIPLY and status == 0:
            return {"exceptional" if self.formulas == LADDER else "infinity": True}
        return dict(zip(self.results[mode.operation], numbers, strict=False))

    def _image(self, mode: Mode) -> transport.Image:
        return self.programs.image(self.programs.name(mode.operation, mode.curve))

    def _check(self, job: Job) -> None:
        """SpecError for an operand beyond its rule."""
        for rule in self.operand_rules(job.mode, job.modulus):
            value = job.operands[rule.name]
            if rule.below is not None and not 0 <= value < rule.below:
                raise _refusal(rule.name, hex(value), f"a number below {rule.below:#x}")

    # ---- cycles -------------------------------------------------------------------------------

    def cycles(self, mode: Mode) -> dict[str, Cycles]:
        return terms(self._image(mode), mode.length)

    def interval(self, mode: Mode) -> Cycles:
        """Operations begin where the slots of the multiplier are at their beginning."""
        turn = self.engine.machine.turn
        return Cycles.constant(-(-self.latency(mode).maximum // turn) * turn)

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


def _refusal(key: str, value: object, allowed: str) -> SpecError:
    return SpecError(key, value, allowed, f"{key} = {value}: must be {allowed}")
