"""The numbers that the programs of a processor for Kummer surfaces take, by the names that they
have there."""

from __future__ import annotations

import random

from modmul.arithmetic.curves import Curve
from modmul.design import Job
from modmul.processors.engine.batches import batch


def half(surface: Curve) -> int:
    """Bits of a scalar that each of the two loops takes."""
    return -(-surface.scalar_bits // 2)


def facts(surface: Curve) -> dict[str, int]:
    """Those of a surface: m1 to m4, its neutral element; i2 to i4, that inverted, so scaled that
    the first is 1; h2 to h4, the same of its sums and differences."""
    found = {f"m{place}": one for place, one in enumerate(surface.thetas, 1)}
    for name, several in (("i", surface.thetas), ("h", dual(surface))):
        first, *others = several
        found |= {f"{name}{place}": first * pow(one, -1, surface.prime) % surface.prime
                  for place, one in enumerate(others, 2)}  # fmt: skip
    return found


def dual(surface: Curve) -> tuple[int, int, int, int]:
    """The sums and differences of the squared theta constants."""
    a, b, c, d = surface.thetas
    return a + b + c + d, a + b - c - d, a - b + c - d, a - b - c + d


def values(job: Job) -> dict[str, int]:
    """All.  The random numbers follow from the operands: they are for simulations, and no result
    depends on them."""
    of, surface = job.operands, job.mode.curve
    if "value" in of:
        return {"x": of["value"]}
    assert surface is not None
    chance, bits = random.Random(repr(sorted(of.items()))), half(surface)
    found = {"bits": bits} | facts(surface)
    asked = batch(job.mode.operation)
    for place, suffix in zip(asked.places, asked.operands, strict=True):
        scalar = of[f"scalar{suffix}"]
        found |= {f"{name.removesuffix('2')}{place}": value for name, value in of.items()
                  if name.endswith("2") == bool(suffix)}  # fmt: skip
        found |= {f"{name}{place}": chance.randrange(1, job.modulus) for name in ("lam", "mu")}
        found |= {f"k1{place}": scalar >> bits, f"k0{place}": scalar & (2 << bits) - 1}
    return found


def lengths(surface: Curve) -> dict[str, int]:
    """Bits of scalars: k0 has the last bit of k1, too."""
    bits = half(surface)
    return {f"{name}{place}": bits + (name == "k0")
            for name in ("k1", "k0") for place in ("", "_1", "_2")}  # fmt: skip
