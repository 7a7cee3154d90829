"""The numbers that the programs of a processor for binary curves take, by the names that they have
there."""

from __future__ import annotations

import random

from modmul.arithmetic import binary
from modmul.arithmetic.curves import Curve
from modmul.operation import Job
from modmul.processors.binary_curve.operations import OPERANDS
from modmul.processors.binary_curve.programs import BinaryCurvePrograms
from modmul.processors.binary_curve.schemes import TASKS
from modmul.processors.engine import blinding
from modmul.processors.engine.curve_processor import INVERT
from modmul.processors.packets import OperandBits


def facts(programs: BinaryCurvePrograms, curve: Curve | None) -> dict[str, int]:
    """The constants of a curve, by their names in the programs."""
    if curve is None:
        return {}
    wide = programs.engine.wide
    size, root = 1 << wide, curve.b
    for _ in range(curve.bits - 2):  # b squared m - 1 times is the square root of b
        root = binary.product(root, root, curve.prime)
    blind = dict[str, int]()
    if programs.blinding:
        blind = blinding.constants(curve.order, programs.blinding, wide, "ladder-binary")
    return blind | {
        "a": curve.a,
        "b": curve.b,
        "c": root,
        "n": curve.order,
        "bx": curve.x,
        "by": curve.y,
        "zero": 0,
        "over": size - curve.order,
    }


def values(
    programs: BinaryCurvePrograms, job: Job, chance: random.Random | None = None
) -> dict[str, int]:
    """All numbers that a job's program takes.  chance: see `EngineProcessor.values`."""
    of, curve, operation = job.operands, job.mode.curve, job.mode.operation
    own = {name: part.of(of, job.modulus) for name, part in parts(operation).items()}
    if curve is None:
        return own
    chance = chance or random.Random(repr(sorted(of.items())))
    drawn = {
        "bits": curve.scalar_bits,
        "k": 0,
        "lam": chance.randrange(1, curve.elements),
        "mask": chance.randrange(1, curve.order),
        "blind": chance.getrandbits(programs.engine.wide),
    }
    return drawn | facts(programs, curve) | own


def parts(operation: str) -> dict[str, OperandBits]:
    """Which part of an operand each number of a program is, by its name there."""
    if operation == INVERT:
        return {"x": OperandBits("value")}
    if operation in TASKS:
        return TASKS[operation].parts
    return {"k" if name == "scalar" else name: OperandBits(name) for name in OPERANDS[operation]}
