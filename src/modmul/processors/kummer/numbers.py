"""The numbers that the programs of a processor for Kummer surfaces take, by the names that they
have there."""

from __future__ import annotations

import random

from modmul.arithmetic.curves import Curve
from modmul.operation import Job, Mode
from modmul.processors.engine.batches import batch
from modmul.processors.kummer.operations import OPERANDS
from modmul.processors.packets import OperandBits


def half(surface: Curve) -> int:
    """How many bits of a scalar each of the two loops reads."""
    return -(-surface.scalar_bits // 2)


def facts(surface: Curve) -> dict[str, int]:
    """The constants of a surface: m1 to m4, its neutral element; i2 to i4, the inverses of
    these, scaled so that the first is 1; h2 to h4, the same of their sums and differences."""
    constants = {f"m{place}": theta for place, theta in enumerate(surface.thetas, 1)}
    for name, several in (("i", surface.thetas), ("h", dual(surface))):
        first, *others = several
        constants |= {
            f"{name}{place}": first * pow(theta, -1, surface.prime) % surface.prime
            for place, theta in enumerate(others, 2)
        }
    return constants


def dual(surface: Curve) -> tuple[int, int, int, int]:
    """The sums and differences of the squared theta constants."""
    a, b, c, d = surface.thetas
    return a + b + c + d, a + b - c - d, a - b + c - d, a - b - c + d


def values(job: Job, chance: random.Random | None = None) -> dict[str, int]:
    """All numbers that a job's program takes.  chance: see `EngineProcessor.values`."""
    of, surface = job.operands, job.mode.curve
    own = {name: part.of(of, job.modulus) for name, part in parts(job.mode).items()}
    if surface is None:
        return own
    chance = chance or random.Random(repr(sorted(of.items())))
    numbers = {"bits": half(surface)} | facts(surface)
    for place in batch(job.mode.operation).places:
        numbers |= {f"{name}{place}": chance.randrange(1, job.modulus) for name in ("lam", "mu")}
    return numbers | own


def parts(mode: Mode) -> dict[str, OperandBits]:
    """Which part of an operand each number of a program is, by its name there; a scalar is
    divided into the bits of each loop."""
    surface, asked = mode.curve, batch(mode.operation)
    if surface is None:
        return {"x": OperandBits("value")}
    bits, named = half(surface), dict[str, OperandBits]()
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


def lengths(surface: Curve) -> dict[str, int]:
    """The bits of the scalars in programs: k0 also contains the last bit of k1."""
    bits = half(surface)
    return {
        f"{name}{place}": bits + (name == "k0")
        for name in ("k1", "k0")
        for place in ("", "_1", "_2")
    }
