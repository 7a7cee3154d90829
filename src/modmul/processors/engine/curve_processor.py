"""The common part of processors for curves: an engine with programs in its ROM, for which a
curve is data that is loaded."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar

import gmpy2

from modmul.arithmetic import curves
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field
from modmul.multipliers.contract import Constant
from modmul.operation import Mode
from modmul.parameters import parameter
from modmul.processors.contract import Load, refusal
from modmul.processors.engine import blinding as scalars
from modmul.processors.engine import transport
from modmul.processors.engine.processor import EngineProcessor
from modmul.processors.engine.program_set import CurveProgramSet

INVERT = "invert"  # inverts a number modulo the prime, also without a curve
SMALLEST = 5  # the smallest modulus


@dataclass(frozen=True, kw_only=True)
class CurveProcessor(EngineProcessor):
    """An engine with its programs.  Its moduli are primes or irreducible polynomials, and curves
    are loaded at run time."""

    takes_curves: ClassVar[bool] = True
    randomise: bool = parameter(
        True,
        "multiply the coordinates of points by a random number before a secret scalar multiplies "
        "them, and mask private keys by another one; both come from the stream random",
    )

    # ---- what each has of its own -------------------------------------------------------------

    @property
    @abc.abstractmethod
    def programs(self) -> CurveProgramSet: ...

    @property
    @abc.abstractmethod
    def forms_taken(self) -> tuple[curves.Form, ...]:
        """The forms of curves that can be loaded."""

    @abc.abstractmethod
    def program_of(self, operation: str, curve: Curve | None) -> str:
        """The name of the program for an operation."""

    @abc.abstractmethod
    def steps(self, operation: str, curve: Curve | None) -> int:
        """The number of passes of loops that have a counter."""

    @abc.abstractmethod
    def facts(self, curve: Curve | None) -> dict[str, int]:
        """The constants of a curve, by their names in the programs."""

    @abc.abstractmethod
    def check_curve(self, curve: Curve) -> None:
        """Raise SpecError for a curve that the processor does not take."""

    def program_in(self, mode: Mode) -> str:
        return self.program_of(mode.operation, mode.curve)

    def passes(self, mode: Mode) -> int:
        return self.steps(mode.operation, mode.curve)

    # ---- curves -------------------------------------------------------------------------------

    def check_modulus(
        self, modulus: int, field: Field | None = None, curve: Curve | None = None
    ) -> None:
        if field not in (None, self.field) and curve is not None:
            allowed = {
                "prime": "a curve over GF(p); binary-curve takes those over GF(2^m)",
                "binary": "a curve over GF(2^m); curve takes those over GF(p)",
            }[self.field]
            raise refusal("curve", curve, allowed)
        if field not in (None, self.field):
            allowed = {
                "prime": "a number: curves are over GF(p) here",
                "binary": "a polynomial: curves are over GF(2^m) here",
            }[self.field]
            raise refusal("modulus", hex(modulus), allowed)
        if curve is not None and curve.prime != modulus:
            kind = {"prime": "prime", "binary": "polynomial"}[self.field]
            raise refusal("modulus", hex(modulus), f"the {kind} of {curve.name}")
        if modulus.bit_length() > self.width:
            raise refusal(
                "modulus" if curve is None else "curve",
                hex(modulus) if curve is None else curve,
                f"of at most {self.width} bits, and has {self._length(modulus)}",
            )
        if curve is not None:
            self.check_curve(curve)
        self.check_field(modulus)
        self.over(modulus)

    def _length(self, modulus: int) -> str:
        """The bits of a modulus that is too long, for a message.  The width of a polynomial
        is often mistaken for its degree."""
        bits = modulus.bit_length()
        if self.field == "prime":
            return str(bits)
        return f"{bits}, as its degree is {bits - 1}: take width = {bits}"

    def check_field(self, modulus: int) -> None:
        """Raise SpecError for a modulus that gives no field."""
        if modulus < SMALLEST or not gmpy2.is_prime(modulus):
            raise refusal("modulus", hex(modulus), f"a prime from {SMALLEST}")

    # ---- operations ---------------------------------------------------------------------------

    @property
    def offered(self) -> tuple[str, ...]:
        forms = (*self.forms_taken, None)
        possible = {name for form in forms for name in self.programs.operations(form)}
        return tuple(name for name in self.operands if name in possible)

    def operations_on(self, load: Load) -> tuple[str, ...]:
        return self.programs.operations(None if load.curve is None else load.curve.form)

    def why_not(self, operation: str, curve: Curve) -> str:
        """What a message adds about an operation that is missing on a curve, or ""."""
        return ""

    def mode(self, operation: str, load: Load, length: int | None = None) -> Mode:
        """length: bits of the scalar, which the curve decides; any other length is refused."""
        known, curve = self.operations_on(load), load.curve
        if operation not in known:
            over = "a modulus without a curve" if curve is None else f"{curve}, {curve.form}"
            why = "" if curve is None else self.why_not(operation, curve)
            raise refusal("operation", operation, f"one of {', '.join(known)} with {over}{why}")
        scalar = curve.scalar_bits if curve and "scalar" in self.operands[operation] else None
        if length not in (None, scalar):
            raise refusal("bits", length, f"{scalar}: the curve decides it")
        return Mode(
            operation, field=self.field, length=scalar, curve=None if operation == INVERT else curve
        )

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The operations on the longest named curve of each form, or the inverse if none fits."""
        only = self.multiplier.fixed_modulus
        fitting = [curve for curve in curves.within(self.width) if only in (None, curve.prime)]
        longest = {curve.form: curve for curve in reversed(fitting)}
        loads = [Load.of(longest[form]) for form in self.forms_taken if form in longest]
        modes = [
            self.mode(operation, load) for load in loads for operation in self.operations_on(load)
        ]
        return tuple(dict.fromkeys(modes)) or (Mode(INVERT, field=self.field),)

    def constants(
        self, modulus: int, field: Field = "prime", curve: Curve | None = None
    ) -> list[Constant]:
        self.check_modulus(modulus, field, curve)
        known = self.operations_on(Load(modulus, self.field, curve))
        names = [self.program_of(operation, curve) for operation in known]
        return transport.constants(
            self.programs, self.moduli(modulus, curve), self.facts(curve), names
        )


# ---- blinded scalars, where points have an order that is known -----------------------------------


def blinding_bits() -> Any:
    """The parameter `blinding` of a processor."""
    return parameter(
        0,
        "bits of a random number r: r times the order is added to each secret scalar that a point "
        "is multiplied by; r comes from the stream random; 0: no blinding",
        minimum=0,
        maximum=1024,
    )


def check_blinding(bits: int, wide: int) -> None:
    """Raise SpecError for a random number that is too long.  wide: bits of a register."""
    if bits > (most := scalars.longest(wide)):
        raise refusal("blinding", bits, f"at most {most}: a register has {wide} bits")
