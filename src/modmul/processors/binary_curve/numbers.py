"""The numbers that the programs of a processor for binary curves take, by the names that they have
there."""

from __future__ import annotations

import random

from modmul.arithmetic import binary
from modmul.arithmetic.curves import Curve
from modmul.design import Job
from modmul.processors.binary_curve.schemes import TASKS


def facts(curve: Curve | None, wide: int) -> dict[str, int]:
    """Those of a curve; registers have `wide` bits."""
    if curve is None:
        return {}
    size, root = 1 << wide, curve.b
    for _ in range(curve.bits - 2):  # squared m - 1 times it is the square root
        root = binary.product(root, root, curve.prime)
    return {
        "a": curve.a, "b": curve.b, "c": root, "n": curve.order, "bx": curve.x, "by": curve.y,
        "zero": 0, "over": size - curve.order, "last": size - curve.order + 1, "most": size - 1,
    }  # fmt: skip


def values(job: Job, wide: int) -> dict[str, int]:
    """All.  The random number follows from the operands: it is for simulations, and no result
    depends on it."""
    of, curve, operation = job.operands, job.mode.curve, job.mode.operation
    if curve is None:
        return {"x": of["value"]}
    chance = random.Random(repr(sorted(of.items())))
    found = {"bits": curve.scalar_bits, "lam": chance.randrange(1, curve.elements),
             "mask": chance.randrange(1, curve.order)}
    found |= facts(curve, wide)
    if operation in TASKS:
        return found | TASKS[operation].values(of)
    return found | {"k" if name == "scalar" else name: value for name, value in of.items()}
