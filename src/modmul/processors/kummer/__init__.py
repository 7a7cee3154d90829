"""Multiplication of points of Kummer surfaces of curves of genus 2, for Diffie-Hellman on them.

The engine (docs/engine.md) has its programs in its ROM; a surface is data that is loaded.  A point
and its negative are one point (x : y : z : t) of the surface, in squared theta coordinates (P.
Gaudry, Fast genus 2 arithmetic based on theta functions, 2007).  It is given up to a common factor,
with no coordinate 0; k*P is told with x = 1, or, where its x is 0, as exceptional.  With `wrapped`
points come and go as papers have them, (x/y, x/z, x/t), which saves an inversion.

Two multipliers (`units`) may share one read port or have two (`ports`), each with an adder.  What
goes between registers and units in a cycle (`interconnect`) is a word of the multiplier, or a whole
operand, with converters of beats at the units.  So there are the three processors of gallin2019,
Table V.  A2: one multiplier, words.  A3: two with a port each, whole operands, one memory.  A4: two
with a port each, words.  How the clusters of A4 exchange results that paper does not say; derived
here: a cluster is a multiplier, an adder and a memory of its own, which it alone reads, and every
result is written into the memories of both.

A ladder doubles and adds in every step: 28 products, as one constant of each set and one
coordinate of the wrapped difference are 1.  It is right for every scalar, and has as many steps as
the surface says.  The scalar, the coordinates and the random numbers are secret: time, addresses
and handshakes do not depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import ClassVar, get_args

from modmul.arithmetic import curves
from modmul.arithmetic.curves import Curve
from modmul.operation import Job, Mode, OperandRule
from modmul.parameters import parameter
from modmul.processors.contract import Example, refusal
from modmul.processors.engine.batches import batch
from modmul.processors.engine.curve_processor import INVERT, CurveProcessor
from modmul.processors.engine.engine import WRITERS, Engine, Interconnect
from modmul.processors.kummer import operations
from modmul.processors.kummer.operations import (
    OPERANDS,
    POINT_MULTIPLY,
    RESULTS,
    WRAPPED,
)
from modmul.processors.kummer.programs import PROGRAMS, KummerPrograms
from modmul.processors.packets import OperandBits

_EXAMPLES: Sequence[Example] = (
    # two products in flight
    ("fpmm", {"width": 64}, {}),
    # two multiplications at once, coordinates as they are
    ("fpmm", {"width": 64}, {"batch": 2, "randomise": False}),
    # two multipliers, each with a port and an adder
    ("fpmm", {"width": 64}, {"units": 2, "ports": 2, "wrapped": True}),
    # whole operands between registers and units
    ("fpmm", {"width": 64, "word": 17}, {"units": 2, "ports": 2, "interconnect": "operand"}),
    # all products in one bank and all sums in another; all registers in one
    ("fpmm", {"width": 64}, {"units": 2, "ports": 2, "register_file": "two-banks"}),
    ("fpmm", {"width": 64}, {"units": 2, "ports": 2, "register_file": "one-bank", "wrapped": True}),
    # words, one product at a time, registers in LUTs; two copies
    (
        "fips",
        {"width": 16, "word": 8, "protection": "full"},
        {"register_file": "distributed", "wrapped": True},
    ),
)


@dataclass(frozen=True, kw_only=True)
class Kummer(CurveProcessor):
    """The parameters of a processor for Kummer surfaces."""

    name = "kummer"
    summary = "points of Kummer surfaces (genus 2) over GF(p): any surface of its width"
    sources = ("gallin2019",)
    compared: ClassVar[Mapping[str, str | None]] = {
        POINT_MULTIPLY: "hecc-engine",
        WRAPPED: "hecc-engine",
    }
    usual_width: ClassVar[int | None] = 127
    operands: ClassVar[Mapping[str, tuple[str, ...]]] = OPERANDS
    results: ClassVar[Mapping[str, tuple[str, ...]]] = RESULTS
    small = _EXAMPLES
    wrapped: bool = parameter(
        False,
        "take and give points in the wrapped form (x/y, x/z, x/t): the operation is "
        "wrapped-multiply instead of point-multiply",
    )
    interconnect: Interconnect = parameter(
        "word",
        "what moves between the registers and a multiplier or adder in a cycle: word: a word of "
        "the multiplier; operand: a whole operand",
        choices=get_args(Interconnect),
    )
    batch: int = parameter(
        1, "how many multiplications can be done at the same time", choices=(1, 2)
    )

    @cached_property
    def engine(self) -> Engine:
        return Engine(
            self.plain_multiplier,
            multipliers=self.units,
            ports=self.ports,
            interconnect=self.interconnect,
            writers=WRITERS[self.register_file],
            in_blocks=self.register_file != "distributed",
        )

    @cached_property
    def programs(self) -> KummerPrograms:
        return KummerPrograms(
            engine=self.engine,
            storage=self.register_file,
            batch=self.batch,
            randomise=self.randomise,
            wrapped=self.wrapped,
        )

    @property
    def title(self) -> str:
        told = {
            "wrapped": self.wrapped,
            "plain": not self.randomise,
            "pair": self.batch > 1,
            "two": self.units > 1,
            "2-ports": self.ports > 1,
            "operands": self.interconnect == "operand",
            self.register_file: self.register_file != "block",
        }
        parts = ["kummer", *(name for name, holds in told.items() if holds), self.multiplier.title]
        return "-".join(parts)

    @property
    def forms_taken(self) -> tuple[curves.Form, ...]:
        return ("kummer",)

    def check_curve(self, curve: Curve) -> None:
        """Raise SpecError for an elliptic curve, and for a scalar longer than two registers."""
        if curve.form not in self.forms_taken:
            raise refusal("curve", curve, "a Kummer surface, such as gaudry-schost")
        if _half(curve) >= self.engine.wide:
            bits = 2 * self.engine.wide - 2
            raise refusal("curve", curve, f"one whose scalars have at most {bits} bits")

    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        return tuple(operations.rules(mode, modulus))

    def check_operands(self, job: Job) -> None:
        operations.check(job)

    # ---- what its programs take and give -------------------------------------------------------

    def program_of(self, operation: str, curve: Curve | None) -> str:
        return PROGRAMS[operation]

    def steps(self, operation: str, curve: Curve | None) -> int:
        """The passes of each of the two loops: half of the bits of a scalar."""
        return 0 if curve is None else _half(curve)

    def facts(self, curve: Curve | None) -> dict[str, int]:
        """The constants of a surface: m1 to m4, its neutral element; i2 to i4, the inverses of
        these, scaled so that the first is 1; h2 to h4, the same of their sums and differences."""
        if curve is None:
            return {}
        a, b, c, d = curve.thetas
        dual = a + b + c + d, a + b - c - d, a - b + c - d, a - b - c + d
        constants = {f"m{place}": theta for place, theta in enumerate(curve.thetas, 1)}
        for name, several in (("i", curve.thetas), ("h", dual)):
            first, *others = several
            constants |= {
                f"{name}{place}": first * pow(theta, -1, curve.prime) % curve.prime
                for place, theta in enumerate(others, 2)
            }
        return constants

    def values(self, job: Job, chance: Random | None = None) -> dict[str, int]:
        of, curve = job.operands, job.mode.curve
        own = {name: part.of(of, job.modulus) for name, part in self.parts(job.mode).items()}
        if curve is None:
            return own
        chance = chance or Random(repr(sorted(of.items())))
        numbers = {"bits": _half(curve)} | self.facts(curve)
        for place in batch(job.mode.operation).places:
            numbers |= {
                f"{name}{place}": chance.randrange(1, job.modulus) for name in ("lam", "mu")
            }
        return numbers | own

    def parts(self, mode: Mode) -> dict[str, OperandBits]:
        """A scalar is divided into the bits of each loop."""
        surface, asked = mode.curve, batch(mode.operation)
        if surface is None:
            return {"x": OperandBits("value")}
        bits, named = _half(surface), dict[str, OperandBits]()
        for place, suffix in zip(asked.places, asked.operands, strict=True):
            scalar = f"scalar{suffix}"
            named |= {
                f"{name.removesuffix('2')}{place}": OperandBits(name)
                for name in OPERANDS[mode.operation]
                if name.endswith("2") == bool(suffix) and name != scalar
            }
            named |= {
                f"k1{place}": OperandBits(scalar, bits),
                f"k0{place}": OperandBits(scalar, 0, bits + 1),
            }
        return named

    def lengths(self, job: Job) -> dict[str, int]:
        """k0 also contains the last bit of k1."""
        if job.mode.curve is None:
            return {}
        bits = _half(job.mode.curve)
        return {
            f"{name}{place}": bits + (name == "k0")
            for name in ("k1", "k0")
            for place in ("", "_1", "_2")
        }

    def said(self, mode: Mode, coordinates: Sequence[int], status: int) -> dict[str, int]:
        """The results by name.  status: 1 if no number that is divided by is 0."""
        if status == 0 and mode.operation != INVERT:
            return {"exceptional": True}
        return dict(zip(self.results[mode.operation], coordinates, strict=False))


def _half(surface: Curve) -> int:
    """How many bits of a scalar each of the two loops reads."""
    return -(-surface.scalar_bits // 2)
