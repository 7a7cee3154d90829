"""Multiplication of points of elliptic curves over GF(p), on any curve whose prime fits.

The engine (docs/engine.md) has programs in its ROM; a curve is data that is loaded.  In
Weierstrass' form k*P is computed by a ladder (Hamburg, IACR ePrint 2020/437: 11 products a bit), by
one on x-coordinates alone (Brier, Joye, PKC 2002: 19 a bit, in a shorter chain of dependences), or
by complete formulas (Renes, Costello, Batina, IACR ePrint 2015/1060: 27 a bit for a = -3, 23 for
a = 0, else 33), which have no exceptions; k*P + l*Q and P + Q always by these.  In Montgomery's
form the x-coordinate of k*P is computed (RFC 7748: 10 a bit).  On Edwards curves with a = -1 and
a = 1 the formulas of RFC 8032 are complete.  Inverses are powers p - 2.

With `powers` there is the Montgomery ladder modulo any odd number, too, so that one core does RSA
and signatures on curves, which dualfips claims of its own.

The ladder is not defined for k = 0, 1, n - 2, n - 1 modulo the order n: a flag tells where its
result is not right.  It adds n or 2n to the scalar, so that the number of steps is that of bits of
n; a blinded scalar has a random multiple of n added.  The scalar, the coordinates and the random
numbers are secret: time, addresses and handshakes do not depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any, ClassVar

import gmpy2

from modmul.arithmetic import curves
from modmul.arithmetic.curves import Curve
from modmul.operation import Job, Mode, OperandRule
from modmul.parameters import parameter
from modmul.processors.contract import Example, Load, refusal
from modmul.processors.curve import edwards, operations, schemes
from modmul.processors.curve.checks import FAULTS, TWICE
from modmul.processors.curve.operations import (
    EXPONENTIATE,
    OPERANDS,
    POINT_CHECK,
    POINT_MULTIPLY,
    RESULTS,
    X_MULTIPLY,
)
from modmul.processors.curve.programs import (
    ALL,
    COFACTOR,
    COMPLETE,
    LADDER,
    NONE,
    X_ONLY,
    PrimeCurvePrograms,
    annihilator,
)
from modmul.processors.curve.schemes import SCHEMES, TASKS
from modmul.processors.engine import blinding
from modmul.processors.engine.batches import SUFFIXES, batch
from modmul.processors.engine.curve_processor import (
    INVERT,
    SMALLEST,
    CurveProcessor,
    blinding_bits,
    check_blinding,
)
from modmul.processors.engine.hardware.sequencer import COUNT_BITS
from modmul.processors.packets import OperandBits

_EXAMPLES: Sequence[Example] = (
    # two products in flight
    ("fpmm", {"width": 64}, {}),
    # complete formulas, coordinates as they are; signatures without their verification
    (
        "fpmm",
        {"width": 64},
        {
            "formulas": "complete",
            "randomise": False,
            "forms": "weierstrass",
            "verification": False,
            "schemes": "ecdsa",
        },
    ),
    # blinded scalars, a ladder on x alone, two multiplications at once
    (
        "fpmm",
        {"width": 32},
        {
            "formulas": "x-only",
            "blinding": 40,
            "batch": 2,
            "forms": "weierstrass",
            "verification": False,
            "schemes": "ecdsa",
        },
    ),
    # words, one product at a time, registers in LUTs, four multiplications at once, powers as well
    (
        "fips",
        {"width": 32, "word": 8},
        {
            "register_file": "distributed",
            "verification": False,
            "forms": "weierstrass",
            "batch": 4,
            "schemes": "none",
            "powers": True,
        },
    ),
    # whole numbers, behind a converter
    (
        "montgomery-lookahead",
        {"width": 32},
        {"forms": "edwards", "verification": False, "schemes": "eddsa"},
    ),
)


@dataclass(frozen=True, kw_only=True)
class PrimeCurve(CurveProcessor):
    """The parameters of a processor for curves over GF(p)."""

    name = "curve"
    summary = "points of elliptic curves over GF(p): any curve of its width, loaded at run time"
    sources = ()
    operands: ClassVar[Mapping[str, tuple[str, ...]]] = OPERANDS
    results: ClassVar[Mapping[str, tuple[str, ...]]] = RESULTS
    small = _EXAMPLES
    compared: ClassVar[Mapping[str, str | None]] = {
        POINT_MULTIPLY: "p256-engine",
        X_MULTIPLY: "x25519-engine",
        **{
            name: "p256-engine" if task.form == "weierstrass" else "x25519-engine"
            for name, task in TASKS.items()
        },
    }
    formulas: str = parameter(
        LADDER,
        "how points are multiplied: ladder: a ladder with exceptions, which it reports; x-only: a "
        "ladder on x-coordinates alone, of more products, which wait less for each other; "
        "complete: formulas without exceptions, in about twice the time",
        choices=(LADDER, X_ONLY, COMPLETE),
    )
    blinding: int = blinding_bits()
    forms: str = parameter(
        ALL,
        "forms of the curves that can be loaded; programs are built only for these",
        choices=(ALL, *curves.ELLIPTIC),
    )
    verification: bool = parameter(
        True,
        "have the operations on public numbers alone: double-multiply, point-add, and the "
        "verification of signatures",
    )
    schemes: str = parameter(
        ALL,
        "which signatures and key agreement there are: ecdsa: ECDSA and ECDH; sm2 (both on curves "
        "in Weierstrass' form); eddsa (on Edwards curves); ecdsa-cofactor: as ecdsa, also on "
        "curves whose cofactor is not 1",
        choices=(ALL, NONE, *SCHEMES, COFACTOR),
    )
    batch: int = parameter(
        1,
        "how many multiplications of points can be done at the same time, with one inversion for "
        "all; limited by the registers: at most 2 on Edwards curves and with blinding, 1 by "
        "complete formulas in Weierstrass' form",
        choices=(1, *SUFFIXES),
    )
    powers: bool = parameter(
        False,
        "also have the operation exponentiate: powers with a secret exponent modulo any odd "
        "number, as RSA needs them",
    )

    def check(self) -> None:
        """Raise SpecError for a multiplier that an engine, or this engine, cannot use, and for
        options about operations that no curve of these forms has."""
        super().check()
        check_blinding(self.blinding, self.engine.wide)
        if self.blinding and self.forms == "montgomery":
            raise refusal(
                "blinding", self.blinding, "0 with forms = montgomery: x-multiply is not blinded"
            )
        form = next((task.form for task in TASKS.values() if task.scheme == self._scheme), None)
        if form is not None and form not in self.forms_taken:
            raise refusal(
                "schemes",
                self.schemes,
                f"{ALL} or {NONE} with forms = {self.forms}: "
                f"{self.schemes} needs curves of the form {form}",
            )

    def check_suited(self, curve: Curve) -> None:
        tasks = [name for name, task in TASKS.items() if task.scheme == self._scheme]
        if tasks and not {*tasks} & {*self.operations_on(Load.of(curve))}:
            why = self.why_not(tasks[0], curve) or f"; {curve}, {curve.form}, has no {self._scheme}"
            raise refusal("schemes", self.schemes, f"{ALL} or {NONE} with curve = {curve}{why}")

    @classmethod
    def suited(cls, curve: Curve, operation: str | None) -> Mapping[str, Any]:
        options = {"forms": curve.form} if curve.form in curves.ELLIPTIC else {}
        if operation is None:
            return options
        scheme = TASKS[operation].scheme if operation in TASKS else NONE
        if scheme == "ecdsa" and curve.cofactor > 1:
            scheme = COFACTOR
        public = operation in TASKS and TASKS[operation].public
        return options | {"schemes": scheme} | ({"verification": True} if public else {})

    # ---- facts --------------------------------------------------------------------------------

    @property
    def copies(self) -> int:
        """See `Processor`: programs in batches, blinded ones and powers have no check."""
        return super().copies if self.batch > 1 or self.blinding or self.powers else 1

    @property
    def _scheme(self) -> str:
        """The only scheme that is built, without the variant; or ALL or NONE."""
        return self.schemes.removesuffix("-cofactor")

    @cached_property
    def programs(self) -> PrimeCurvePrograms:
        return PrimeCurvePrograms(
            engine=self.engine,
            storage=self.register_file,
            formulas=self.formulas,
            randomise=self.randomise,
            forms=self.forms,
            batch=self.batch,
            verification=self.verification,
            schemes=self.schemes,
            blinding=self.blinding,
            powers=self.powers,
        )

    @property
    def title(self) -> str:
        plain = "" if self.randomise else "-plain"
        memory = "" if self.register_file == "block" else f"-{self.register_file}"
        blind = f"-blinded-{self.blinding}" if self.blinding else ""
        forms = "" if self.forms == ALL else f"-{self.forms}"
        more = "" if self.verification else "-secrets"
        schemes = {ALL: "", NONE: "-points"}.get(self.schemes, f"-{self.schemes}")
        batch = SUFFIXES.get(self.batch, "")
        powers = "-powers" if self.powers else ""
        units = "" if self.units == 1 else f"-two{'-2-ports' * (self.ports > 1)}"
        own = f"{self.formulas}{plain}{blind}{forms}{more}{schemes}{batch}{powers}{units}{memory}"
        return f"curve-{own}-{self.multiplier.title}"

    @property
    def _longest(self) -> int:
        """The most bits of an exponent, which a register holds and a loop counter counts."""
        return min(self.engine.wide, (1 << COUNT_BITS) - 1)

    def check_field(self, modulus: int) -> None:
        if not self.powers:
            super().check_field(modulus)
        elif modulus < SMALLEST or not modulus & 1:
            raise refusal("modulus", hex(modulus), f"odd, from {SMALLEST}")

    def check_curve(self, curve: Curve) -> None:
        """Raise SpecError for a form that is not built, for an order longer than a register, and
        for the order 3, in which a ladder is defined for no scalar."""
        if curve.form not in self.forms_taken:
            why = ", as `forms` says" if self.forms != ALL else ""
            raise refusal("curve", curve, f"of the form {' or '.join(self.forms_taken)}{why}")
        bits = max(curve.scalar_bits, self.programs.steps(POINT_MULTIPLY, curve))
        if bits > self.engine.wide:
            raise refusal("curve", curve, f"of an order of at most {self.engine.wide} bits")
        if curve.form == "weierstrass" and self.formulas != COMPLETE and curve.order == 3:
            raise refusal("curve", curve, f"of an order above 3, or formulas = {COMPLETE}")

    @property
    def forms_taken(self) -> tuple[curves.Form, ...]:
        return tuple(form for form in curves.ELLIPTIC if self.forms in (ALL, form))

    # ---- operands -----------------------------------------------------------------------------

    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        return tuple(operations.rules(mode, modulus, self._longest))

    def check_operands(self, job: Job) -> None:
        operations.check(job)

    def declined(self, job: Job) -> dict[str, int] | None:
        return operations.declined(job, self.programs.lost(job.mode.operation), self.blinding)

    def moduli(self, modulus: int, curve: Curve | None = None) -> tuple[int, ...]:
        """The prime, and, if the curve has signatures, the order."""
        return (modulus, curve.order) if curve and self.signs_on(curve) else (modulus,)

    def signs_on(self, curve: Curve) -> bool:
        """Whether there are schemes on a curve.  Its order must be a prime that the multiplier
        takes, and, in Weierstrass' form, the order of all points, unless `schemes` says
        otherwise."""
        if curve.form not in ("weierstrass", "edwards") or self.schemes == NONE:
            return False
        whole = curve.form == "edwards" or curve.cofactor == 1 or self.schemes == COFACTOR
        return whole and self.multiplier.taken.holds(curve.order) and gmpy2.is_prime(curve.order)

    def why_not(self, operation: str, curve: Curve) -> str:
        if operation not in TASKS or curve.form != TASKS[operation].form:
            return ""
        if curve.order.bit_length() > self.width:
            return f"; the order has {curve.order.bit_length()} bits: take that as the width"
        if not (taken := self.multiplier.taken).holds(curve.order):
            bits = curve.order.bit_length()
            return f"; the order, of {bits} bits, must be {taken.kind} for {self.multiplier.name}"
        if curve.cofactor > 1 and curve.form == "weierstrass":
            return (
                "; the order is not that of all points: for ecdsa-sign, -verify and ecdh take "
                f"schemes = {COFACTOR}"
            )
        return ""

    def operations_on(self, load: Load) -> tuple[str, ...]:
        curve = load.curve
        every = super().operations_on(load)
        if curve is None:
            prime = gmpy2.is_prime(load.modulus)
            return tuple(name for name in every if prime or name != INVERT)
        return tuple(
            name
            for name in every
            if name not in TASKS
            or (
                self.signs_on(curve) and (TASKS[name].scheme != "sm2" or curve.a == curve.prime - 3)
            )
        )

    def mode(self, operation: str, load: Load, length: int | None = None) -> Mode:
        """length: bits of an exponent, by default those of the modulus; a curve decides a
        scalar's."""
        if operation != EXPONENTIATE:
            return super().mode(operation, load, length)
        bits = load.modulus.bit_length() if length is None else length
        if not 0 <= bits <= self._longest:
            raise refusal("bits", bits, f"from 0 to {self._longest}")
        return replace(super().mode(operation, load), length=bits)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """Every operation on the longest curve of each form, and a power by a full-width
        exponent."""
        power = Mode(EXPONENTIATE, length=min(self.width, self._longest))
        return (*super().modes, *([power] if self.powers else []))

    def passes(self, mode: Mode) -> int:
        if mode.operation == EXPONENTIATE:
            return max(1, mode.length or 0)
        return super().passes(mode)

    # ---- what its programs take and give -------------------------------------------------------

    def program_of(self, operation: str, curve: Curve | None) -> str:
        return self.programs.name(operation, curve)

    def steps(self, operation: str, curve: Curve | None) -> int:
        return self.programs.steps(operation, curve)

    def facts(self, curve: Curve | None) -> dict[str, int]:
        if curve is None:
            return {}
        p, a = curve.prime, curve.a
        if curve.form == "montgomery":
            return {"a": a, "a24": (a - 2) * pow(4, -1, p) % p}
        constants = {"a": a, "b": curve.b, "b3": 3 * curve.b % p}
        constants["ba"] = 4 * curve.b * pow(a, -1, p) % p if a else 0
        if curve.form == "edwards":
            factor = self.engine.over(p).montgomery_factor or 1
            curve, constants = edwards.scaled(curve, factor)
        order, wide = annihilator(curve), self.engine.wide
        blind = blinding.constants(order, self.blinding, wide) if self.blinding else {"n": order}
        if self.schemes != NONE:
            constants |= schemes.facts(curve, wide)
        return constants | blind

    def values(self, job: Job, chance: Random | None = None) -> dict[str, int]:
        of, curve, operation = job.operands, job.mode.curve, job.mode.operation
        own = {name: part.of(of, job.modulus) for name, part in self.parts(job.mode).items()}
        if operation == EXPONENTIATE:
            return {"n": self.passes(job.mode)} | own
        chance = chance or Random(repr(sorted(of.items())))
        numbers = {"bits": self.steps(operation, curve), "k": 0, "l": 0} | self.facts(curve)
        if curve is not None and operation in TASKS:
            numbers["mask"] = chance.randrange(1, curve.order)
        for copy in batch(operation).places:
            numbers[f"lam{copy}"] = chance.randrange(1, job.modulus)
            numbers[f"blind{copy}"] = chance.getrandbits(self.engine.wide)
        return numbers | own

    def parts(self, mode: Mode) -> dict[str, OperandBits]:
        operation = mode.operation
        if operation == EXPONENTIATE:
            return {"x": OperandBits("base"), "e": OperandBits("exponent")}
        if operation == INVERT:
            return {"x": OperandBits("value")}
        if operation in TASKS:
            return TASKS[operation].parts
        return dict(_named(operation, name) for name in OPERANDS[operation])

    def lengths(self, job: Job) -> dict[str, int]:
        if job.mode.operation == EXPONENTIATE:
            return {"e": self.passes(job.mode)}
        steps = self.steps(job.mode.operation, job.mode.curve)
        places = batch(job.mode.operation).places
        return dict.fromkeys(("l", *(f"k{place}" for place in places)), steps)

    def said(self, mode: Mode, words: Sequence[int], status: int) -> dict[str, int]:
        """The results by name.  status: for point-check 0 if the point is on the curve, for
        other operations on points 1 if all results are points that the formulas can give."""
        operation, curve = mode.operation, mode.curve
        if operation == POINT_CHECK and self.engine.protected and status not in (0, TWICE):
            return {"fault": True}
        if operation == POINT_CHECK:
            return {"valid": status == 0}
        if operation in TASKS:
            return TASKS[operation].said(words, status)
        if status & FAULTS:
            return {"fault": True}
        several = batch(operation).times > 1
        told = curve is not None and curve.form == "weierstrass" and operation != INVERT
        if status == 0 and (told or several):
            ladder = self.formulas != COMPLETE and operation == POINT_MULTIPLY
            return {"exceptional" if ladder or several else "infinity": True}
        return dict(zip(self.results[operation], words, strict=False))


def _named(operation: str, name: str) -> tuple[str, OperandBits]:
    """The name of an operand in its program, and the part: `k` and `l` for scalars, or
    `k_1`, `k_2` and so on in a batch.  u is reduced modulo the prime."""
    base, number = name.rstrip("234"), name[-1] if name[-1] in "234" else "1"
    part = OperandBits(name, reduced=base == "u")
    if batch(operation).times > 1:
        return f"{'k' if base == 'scalar' else base}_{number}", part
    if base == "scalar":
        return "l" if number == "2" else "k", part
    return name, part
