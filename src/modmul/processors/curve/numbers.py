"""The numbers that the programs of a processor for curves take, by the names that they have
there."""

from __future__ import annotations

import random

from modmul.arithmetic.curves import Curve
from modmul.operation import Job
from modmul.processors.curve import edwards, schemes
from modmul.processors.curve.operations import EXPONENTIATE, OPERANDS
from modmul.processors.curve.programs import NONE, PrimeCurvePrograms, annihilator
from modmul.processors.engine import blinding
from modmul.processors.engine.batches import batch
from modmul.processors.engine.curve_processor import INVERT
from modmul.processors.packets import OperandBits


def facts(programs: PrimeCurvePrograms, curve: Curve | None) -> dict[str, int]:
    """The constants of a curve, by their names in the programs."""
    if curve is None:
        return {}
    p, a = curve.prime, curve.a
    if curve.form == "montgomery":
        return {"a": a, "a24": (a - 2) * pow(4, -1, p) % p}
    constants = {"a": a, "b": curve.b, "b3": 3 * curve.b % p}
    constants["ba"] = 4 * curve.b * pow(a, -1, p) % p if a else 0
    if curve.form == "edwards":
        factor = programs.engine.over(p).montgomery_factor or 1
        curve, constants = edwards.scaled(curve, factor)
    order = annihilator(curve)
    blind = {"n": order}
    if programs.blinding:
        blind = blinding.constants(order, programs.blinding, programs.engine.wide)
    if programs.schemes != NONE:
        constants |= schemes.facts(curve, programs.engine.wide)
    return constants | blind


def values(
    programs: PrimeCurvePrograms, job: Job, chance: random.Random | None = None
) -> dict[str, int]:
    """All numbers that a job's program takes.  chance: see `EngineProcessor.values`."""
    of, curve, operation = job.operands, job.mode.curve, job.mode.operation
    chance = chance or random.Random(repr(sorted(of.items())))
    steps = programs.steps(operation, curve)
    numbers = {"bits": steps, "k": 0, "l": 0} | facts(programs, curve)
    if curve is not None and operation in schemes.TASKS:
        numbers["mask"] = chance.randrange(1, curve.order)
    for copy in batch(operation).places:
        numbers[f"lam{copy}"] = chance.randrange(1, job.modulus)
        numbers[f"blind{copy}"] = chance.getrandbits(programs.engine.wide)
    return numbers | {name: part.of(of, job.modulus) for name, part in parts(operation).items()}


def of_power(job: Job, bits: int) -> dict[str, int]:
    """The numbers for a power by an exponent of this many bits."""
    own = parts(EXPONENTIATE).items()
    return {"n": bits} | {name: part.of(job.operands, job.modulus) for name, part in own}


def parts(operation: str) -> dict[str, OperandBits]:
    """Which part of an operand each number of a program is, by its name there."""
    if operation == EXPONENTIATE:
        return {"x": OperandBits("base"), "e": OperandBits("exponent")}
    if operation == INVERT:
        return {"x": OperandBits("value")}
    if operation in schemes.TASKS:
        return schemes.TASKS[operation].parts
    return dict(_named(operation, name) for name in OPERANDS[operation])


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


def lengths(programs: PrimeCurvePrograms, job: Job) -> dict[str, int]:
    steps = programs.steps(job.mode.operation, job.mode.curve)
    return dict.fromkeys(("l", *(f"k{place}" for place in batch(job.mode.operation).places)), steps)
