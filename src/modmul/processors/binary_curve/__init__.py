"""Multiplication of points of elliptic curves over GF(2^m), and ECDSA on them.

The engine (docs/engine.md) has its programs in its ROM; a curve, y^2 + x*y = x^3 + a*x^2 + b, is
data that is loaded.  k*P is computed by a ladder of x-coordinates (J. Lopez, R. Dahab, Fast
multiplication on elliptic curves over GF(2^m) without precomputation, 1999: 6 products and 4
squares a bit), y is recovered at its end.  Inverses are powers 2^m - 2 (T. Itoh, S. Tsujii, 1988:
m - 1 squares and few products); the chain is for one m, `degrees` says whether curves over fields
of other m are taken, too.  Signatures need both fields: the multiplier has to compute modulo the
order n as well.  For points alone (`schemes = false`) GF(2^m) will do, and so will one field: on
`gf2m-serial`, whose squares take a clock, everything is much faster.

The ladder is right for every scalar and every point of the group of the base point, one with x = 0
included.  It adds n or 2n to the scalar, so that the number of steps is that of bits of n.  The
scalar, the coordinates and the random number are secret: time, addresses and handshakes do not
depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, ClassVar

import gmpy2

from modmul.arithmetic import binary, curves
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field
from modmul.operation import Job, Mode, OperandRule
from modmul.parameters import parameter
from modmul.processors.binary_curve import operations
from modmul.processors.binary_curve.operations import (
    OPERANDS,
    POINT_CHECK,
    POINT_MULTIPLY,
    RESULTS,
)
from modmul.processors.binary_curve.programs import BinaryCurvePrograms
from modmul.processors.binary_curve.schemes import ECDH, TASKS
from modmul.processors.contract import Example, Load, refusal
from modmul.processors.engine import blinding
from modmul.processors.engine.curve_processor import (
    INVERT,
    CurveProcessor,
    blinding_bits,
    check_blinding,
)
from modmul.processors.packets import OperandBits

_EXAMPLES: Sequence[Example] = (
    # one degree, several words
    ("fips", {"width": 18, "word": 8}, {}),
    # every degree up to 17, sums that are reduced, points alone, coordinates as they are
    (
        "fips",
        {"width": 18, "word": 4, "binary_square": "spread"},
        {"degrees": "any", "schemes": False, "randomise": False, "register_file": "distributed"},
    ),
    # no integer products
    ("fips", {"width": 18, "word": 8, "field": "binary"}, {"schemes": False}),
    # very short, blinded scalars
    ("fips", {"width": 8, "word": 4, "multipliers": 2}, {"verification": False, "blinding": 5}),
    # one field, in which nothing is loaded
    ("gf2m-serial", {"width": 18, "modulus": 0x20009, "digit": 4}, {"schemes": False}),
)


@dataclass(frozen=True, kw_only=True)
class BinaryCurve(CurveProcessor):
    """The parameters of a processor for binary curves."""

    name = "binary-curve"
    summary = "points of elliptic curves over GF(2^m): any curve of its width, loaded at run time"
    sources = ()
    field: ClassVar[Field] = "binary"
    usual_width: ClassVar[int | None] = 164
    operands: ClassVar[Mapping[str, tuple[str, ...]]] = OPERANDS
    results: ClassVar[Mapping[str, tuple[str, ...]]] = RESULTS
    small = _EXAMPLES
    compared: ClassVar[Mapping[str, str | None]] = dict.fromkeys(
        (POINT_MULTIPLY, "ecdsa-sign", "ecdsa-verify", "ecdh")
    )
    degrees: str = parameter(
        "one",
        "degrees m of the fields GF(2^m) that can be loaded: one: the width less 1; any: all that "
        "are below the width, where an inversion also takes a product for each bit",
        choices=("one", "any"),
    )
    schemes: bool = parameter(
        True, "have signatures and key agreement: the operations ecdsa-sign, ecdsa-verify and ecdh"
    )
    verification: bool = parameter(True, "have the operation on public numbers alone: ecdsa-verify")
    blinding: int = blinding_bits()

    def check(self) -> None:
        """Raise SpecError for a multiplier that cannot compute in a field that is needed."""
        super().check()
        check_blinding(self.blinding, self.engine.wide)
        if self.schemes and not self.engine.has("prime"):
            raise refusal(
                "schemes",
                True,
                "false: signatures need arithmetic modulo numbers, and "
                f"{self.multiplier.title} computes in GF(2^m) alone",
            )

    @classmethod
    def suited(cls, curve: Curve, operation: str | None) -> Mapping[str, Any]:  # noqa: ARG003
        """Options that keep it small: only signatures need arithmetic modulo integers."""
        signs = operation is None or operation in TASKS
        return {"field": "both" if signs else "binary", "schemes": signs}

    @cached_property
    def programs(self) -> BinaryCurvePrograms:
        degree = self.width - 1 if self.degrees == "one" else None
        return BinaryCurvePrograms(
            engine=self.engine,
            storage=self.register_file,
            randomise=self.randomise,
            verification=self.verification,
            schemes=self.schemes,
            blinding=self.blinding,
            degree=degree,
        )

    @property
    def title(self) -> str:
        told = {
            "any-degree": self.degrees == "any",
            "plain": not self.randomise,
            f"blinded-{self.blinding}": self.blinding > 0,
            "points": not self.schemes,
            "secrets": not self.verification,
            "two": self.units > 1,
            "2-ports": self.ports > 1,
            self.register_file: self.register_file != "block",
        }
        parts = [self.name, *(name for name, holds in told.items() if holds), self.multiplier.title]
        return "-".join(parts)

    @property
    def forms_taken(self) -> tuple[curves.Form, ...]:
        return ("binary",)

    def check_curve(self, curve: Curve) -> None:
        """Raise SpecError for a curve over GF(p), and for an order longer than a register."""
        if curve.form not in self.forms_taken:
            raise refusal("curve", curve, "one over GF(2^m), such as b163")
        if curve.scalar_bits > self.engine.wide:
            raise refusal("curve", curve, f"of an order of at most {self.engine.wide} bits")

    def check_field(self, modulus: int) -> None:
        degree = modulus.bit_length() - 1
        if self.degrees == "one" and degree != self.width - 1:
            raise refusal(
                "modulus",
                hex(modulus),
                f"of degree {self.width - 1}, and is of degree "
                f"{degree}: take width = {degree + 1}, or degrees = any",
            )
        if degree < 2 or not binary.is_irreducible(modulus):
            raise refusal("modulus", hex(modulus), "an irreducible polynomial of degree 2 or more")

    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        return tuple(operations.rules(mode, modulus))

    def check_operands(self, job: Job) -> None:
        operations.check(job)

    def declined(self, job: Job) -> dict[str, int] | None:
        return operations.declined(job)

    def moduli(self, modulus: int, curve: Curve | None = None) -> tuple[int, ...]:
        """The polynomial, and, if the curve has signatures, the order."""
        return (modulus, curve.order) if curve and self.signs_on(curve) else (modulus,)

    def signs_on(self, curve: Curve) -> bool:
        """Whether there are signatures on a curve: its order must be a prime that fits.  Key
        agreement works with any order, because it needs no inverse modulo the order."""
        fits = curve.order.bit_length() <= self.width
        return self.schemes and fits and gmpy2.is_prime(curve.order)

    def why_not(self, operation: str, curve: Curve) -> str:
        if operation in TASKS and self.schemes and not gmpy2.is_prime(curve.order):
            return (
                "; the order is no prime, and a number that has a factor of it has no inverse "
                "modulo the order, which every nonce needs"
            )
        return ""

    def operations_on(self, load: Load) -> tuple[str, ...]:
        every = super().operations_on(load)
        if load.curve is None or self.signs_on(load.curve):
            return every
        return tuple(name for name in every if name not in TASKS or name == ECDH.name)

    # ---- what its programs take and give -------------------------------------------------------

    def program_of(self, operation: str, curve: Curve | None) -> str:
        return self.programs.name(operation)

    def steps(self, operation: str, curve: Curve | None) -> int:
        program = self.programs.parsed[self.programs.name(operation)]
        return curve.scalar_bits if curve and program.of("counter") else 0

    def facts(self, curve: Curve | None) -> dict[str, int]:
        if curve is None:
            return {}
        wide = self.engine.wide
        root = curve.b
        for _ in range(curve.bits - 2):  # b squared m - 1 times is the square root of b
            root = binary.product(root, root, curve.prime)
        blind = dict[str, int]()
        if self.blinding:
            blind = blinding.constants(curve.order, self.blinding, wide, "ladder-binary")
        return blind | {
            "a": curve.a,
            "b": curve.b,
            "c": root,
            "n": curve.order,
            "bx": curve.x,
            "by": curve.y,
            "zero": 0,
            "over": (1 << wide) - curve.order,
        }

    def values(self, job: Job, chance: Random | None = None) -> dict[str, int]:
        of, curve = job.operands, job.mode.curve
        own = {name: part.of(of, job.modulus) for name, part in self.parts(job.mode).items()}
        if curve is None:
            return own
        chance = chance or Random(repr(sorted(of.items())))
        drawn = {
            "bits": curve.scalar_bits,
            "k": 0,
            "lam": chance.randrange(1, curve.elements),
            "mask": chance.randrange(1, curve.order),
            "blind": chance.getrandbits(self.engine.wide),
        }
        return drawn | self.facts(curve) | own

    def parts(self, mode: Mode) -> dict[str, OperandBits]:
        operation = mode.operation
        if operation == INVERT:
            return {"x": OperandBits("value")}
        if operation in TASKS:
            return TASKS[operation].parts
        return {
            "k" if name == "scalar" else name: OperandBits(name) for name in OPERANDS[operation]
        }

    def lengths(self, job: Job) -> dict[str, int]:
        return {"k": job.mode.curve.scalar_bits} if job.mode.curve else {}

    def said(self, mode: Mode, numbers: Sequence[int], status: int) -> dict[str, int]:
        """The results by name.  status: for point-multiply, 0 if the result is infinity."""
        operation = mode.operation
        if operation == POINT_CHECK:
            return {"valid": status == 0}
        if operation in TASKS:
            return TASKS[operation].said(numbers, status)
        if operation == POINT_MULTIPLY and status == 0:
            return {"infinity": True}
        return dict(zip(self.results[operation], numbers, strict=False))
