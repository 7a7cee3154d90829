"""The operations of a processor for binary curves: their operands, and which of these are
refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from modmul.arithmetic import points
from modmul.arithmetic.points import Affine
from modmul.operation import Job, Mode, OperandRule
from modmul.processors.binary_curve.schemes import TASKS
from modmul.processors.contract import refusal
from modmul.processors.engine.curve_processor import INVERT

POINT_MULTIPLY, POINT_CHECK = "point-multiply", "point-check"
OPERANDS: Mapping[str, tuple[str, ...]] = {
    POINT_MULTIPLY: ("scalar", "x", "y"),
    POINT_CHECK: ("x", "y"),
    INVERT: ("value",),
    **{name: task.operands for name, task in TASKS.items()},
}
RESULTS: Mapping[str, tuple[str, ...]] = {
    POINT_MULTIPLY: ("x", "y", "infinity"),
    POINT_CHECK: ("valid",),
    INVERT: ("inverse",),
    **{name: task.results for name, task in TASKS.items()},
}


def rules(mode: Mode, modulus: int) -> Iterator[OperandRule]:
    curve, elements = mode.curve, 1 << modulus.bit_length() - 1
    if mode.operation == INVERT or curve is None:
        yield OperandRule("value", "what is inverted; 0 gives 0", elements)
        return
    if mode.operation in TASKS:
        yield from TASKS[mode.operation].rules(curve)
        return
    if mode.operation == POINT_MULTIPLY:
        yield OperandRule("scalar", "how often the point is added up", curve.order)
    for name in ("x", "y"):
        yield OperandRule(name, "of the point", elements)


def check(job: Job) -> None:
    """Raise SpecError for a point that is no multiple of the base point, or is not on the curve,
    unless the operation itself tells that."""
    curve, of = job.mode.curve, job.operands
    if curve is None or "x" not in of or job.mode.operation == POINT_CHECK:
        return
    point = Affine(of["x"], of["y"])
    if not points.is_on(curve, *point):
        if job.mode.operation in TASKS:  # which report it as a result
            return
        shown = f"({point.x:#x}, {point.y:#x})"
        raise refusal("x", hex(point.x), f"with y that of a point: {shown} is not on {curve}")
    if not points.in_group(curve, point):
        why = f"of a point of the group of prime order; that is not all of {curve}"
        raise refusal("x", hex(point.x), why)


def declined(job: Job) -> dict[str, int] | None:
    """What the processor answers instead of a result, or None if it gives the result."""
    curve, operation = job.mode.curve, job.mode.operation
    if curve is None or operation not in TASKS:
        return None
    return TASKS[operation].declined(curve, job.operands)
