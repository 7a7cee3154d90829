"""The operations of a processor for curves: their operands, and which of these are refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from modmul.arithmetic import points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.operation import Job, Mode, OperandRule
from modmul.processors.contract import refusal
from modmul.processors.curve.schemes import TASKS
from modmul.processors.curve.schemes.task import LARGE
from modmul.processors.engine.batches import SUFFIXES, ProgramBatch, batch
from modmul.processors.engine.blinding import is_certain
from modmul.processors.engine.curve_processor import INVERT

POINT_MULTIPLY, X_MULTIPLY = "point-multiply", "x-multiply"
DOUBLE_MULTIPLY, POINT_ADD = "double-multiply", "point-add"
POINT_CHECK = "point-check"
EXPONENTIATE = "exponentiate"  # needs no curve
BATCHES: Mapping[str, ProgramBatch] = {
    name + suffix: ProgramBatch(name, count)
    for count, suffix in SUFFIXES.items()
    for name in (POINT_MULTIPLY, X_MULTIPLY)
}

_MULTIPLIED, _MULTIPLIED_X, _POINT = ("scalar", "x", "y"), ("scalar", "u"), ("x", "y")
OPERANDS: Mapping[str, tuple[str, ...]] = {
    POINT_MULTIPLY: _MULTIPLIED,
    X_MULTIPLY: _MULTIPLIED_X,
    DOUBLE_MULTIPLY: (*_MULTIPLIED, "scalar2", "x2", "y2"),
    POINT_ADD: (*_POINT, "x2", "y2"),
    POINT_CHECK: _POINT,
    INVERT: ("value",),
    EXPONENTIATE: ("base", "exponent"),
    **{name: task.operands for name, task in TASKS.items()},
    **{
        name: many.names(*(_MULTIPLIED if many.name == POINT_MULTIPLY else _MULTIPLIED_X))
        for name, many in BATCHES.items()
    },
}
RESULTS: Mapping[str, tuple[str, ...]] = {
    POINT_MULTIPLY: ("x", "y", "infinity", "exceptional", "fault"),
    X_MULTIPLY: ("u", "fault"),
    DOUBLE_MULTIPLY: ("x", "y", "infinity", "fault"),
    POINT_ADD: ("x", "y", "infinity", "fault"),
    POINT_CHECK: ("valid", "fault"),
    INVERT: ("inverse", "fault"),
    EXPONENTIATE: ("power", "fault"),
    **{name: task.results for name, task in TASKS.items()},
    **{
        name: (
            *many.names(*(_POINT if many.name == POINT_MULTIPLY else ("u",))),
            "exceptional",
            "fault",
        )
        for name, many in BATCHES.items()
    },
}
_WHICH = {"2": "second ", "3": "third ", "4": "fourth "}


def scalars(operation: str) -> int:
    return sum(name.startswith("scalar") for name in OPERANDS[operation])


def rules(mode: Mode, modulus: int, longest: int) -> Iterator[OperandRule]:
    """The range of each operand of an operation.  longest: the most bits of an exponent."""
    curve = mode.curve
    if mode.operation == EXPONENTIATE:
        yield OperandRule("base", "what is raised to the power", modulus)
        yield OperandRule("exponent", "of the power", None, sized=True, longest=longest)
        return
    if mode.operation == INVERT or curve is None:
        yield OperandRule("value", "what is inverted; 0 gives 0", modulus)
        return
    if mode.operation in TASKS:
        yield from TASKS[mode.operation].rules(curve)
        return
    weierstrass, full = curve.form == "weierstrass", 1 << curve.scalar_bits
    clamped = "" if weierstrass else ", clamped by the caller"
    for name in OPERANDS[mode.operation]:
        which = _WHICH.get(name[-1], "")
        if name.startswith("scalar"):
            below = curve.order if weierstrass else full
            yield OperandRule(name, f"how often the {which}point is added up{clamped}", below)
        elif name.startswith("u"):
            yield OperandRule(name, f"of the {which}point; taken modulo the prime", full)
        else:
            yield OperandRule(name, f"of the {which}point", modulus)


def check(job: Job) -> None:
    """Raise SpecError for points that are not on the curve, and, in Weierstrass' form, for points
    that are not in the group of the base point if a ladder multiplies them, or if the cofactor is
    even, where sums have exceptions."""
    curve, of = job.mode.curve, job.operands
    if curve is None or "x" not in of or job.mode.operation == POINT_CHECK:
        return
    if job.mode.operation in TASKS:  # which report a point that is not on the curve
        if points.is_on(curve, of["x"], of["y"]):
            _in_group(curve, Affine(of["x"], of["y"]), "x")
        return
    asked = batch(job.mode.operation)
    for suffix in ("", "2") if asked.times == 1 and "x2" in of else asked.operands:
        point = Affine(of[f"x{suffix}"], of[f"y{suffix}"])
        if not points.is_on(curve, *point):
            shown = f"({point.x:#x}, {point.y:#x})"
            allowed = f"with y{suffix} that of a point: {shown} is not on {curve}"
            raise refusal(f"x{suffix}", hex(point.x), allowed)
        if asked.name == POINT_MULTIPLY or curve.cofactor % 2 == 0:
            _in_group(curve, point, f"x{suffix}")


def _in_group(curve: Curve, point: Affine, key: str) -> None:
    if curve.form != "weierstrass" or curve.cofactor == 1:
        return
    if points.multiply(curve, curve.order, point) is not None:
        why = f"of a point of the group of prime order; that is not all of {curve}"
        raise refusal(key, hex(point.x), why)


class Lost(NamedTuple):
    """The scalars for which a ladder gives no result.  scalars: modulo the order.  beginnings:
    whether it also fails where the leading bits of the scalar are 0 or -1 modulo the order."""

    scalars: tuple[int, ...] = ()
    beginnings: bool = False


def declined(job: Job, lost: Lost, blinding: int) -> dict[str, int] | None:
    """What the processor may answer instead of the result, or None.  lost: what the ladder
    is not defined for; without scalars if there is no ladder.  With long blinding the leading bits
    of a scalar may by chance be an exception, which happens only on toy curves."""
    curve, of, operation = job.mode.curve, job.operands, batch(job.mode.operation)
    chance = blinding and curve and curve.order < LARGE and not is_certain(curve.order, blinding)
    if curve is not None and operation.name == X_MULTIPLY and operation.times > 1:
        every = (
            points.multiply_x(curve, of[f"scalar{suffix}"], of[f"u{suffix}"])
            for suffix in operation.operands
        )
        return None if all(every) else {"exceptional": True}
    if curve is not None and operation.name in TASKS:
        task = TASKS[operation.name]
        by_chance = chance and not task.public and task.form == "weierstrass"
        return {"exceptional": True} if by_chance else task.declined(curve, of)
    if curve is None or operation.name != POINT_MULTIPLY:
        return None
    if not lost.scalars or curve.form != "weierstrass":
        return None
    exceptional = any(
        of[f"scalar{suffix}"] % curve.order in {scalar % curve.order for scalar in lost.scalars}
        for suffix in operation.operands
    )
    if exceptional or (chance and lost.beginnings):
        return {"exceptional": True}
    return None
