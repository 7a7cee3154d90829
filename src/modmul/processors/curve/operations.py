"""The operations of a processor for curves: their operands, and which of these are refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from modmul.arithmetic import points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.design import Job, Mode, OperandRule
from modmul.processors.engine.processor import INVERT, refusal

POINT_MULTIPLY, X_MULTIPLY = "point-multiply", "x-multiply"
DOUBLE_MULTIPLY, POINT_ADD = "double-multiply", "point-add"
POINT_CHECK = "point-check"
POINT_PAIR, X_PAIR = "point-multiply-pair", "x-multiply-pair"
PAIRS: Mapping[str, str] = {POINT_PAIR: POINT_MULTIPLY, X_PAIR: X_MULTIPLY}  # two of these at once

_MULTIPLIED, _POINT = ("scalar", "x", "y"), ("x", "y")
OPERANDS: Mapping[str, tuple[str, ...]] = {
    POINT_MULTIPLY: _MULTIPLIED, X_MULTIPLY: ("scalar", "u"),
    DOUBLE_MULTIPLY: (*_MULTIPLIED, "scalar2", "x2", "y2"), POINT_ADD: (*_POINT, "x2", "y2"),
    POINT_CHECK: _POINT, INVERT: ("value",),
    POINT_PAIR: (*_MULTIPLIED, "scalar2", "x2", "y2"), X_PAIR: ("scalar", "u", "scalar2", "u2"),
}  # fmt: skip
RESULTS: Mapping[str, tuple[str, ...]] = {
    POINT_MULTIPLY: ("x", "y", "infinity", "exceptional"), X_MULTIPLY: ("u",),
    DOUBLE_MULTIPLY: ("x", "y", "infinity"), POINT_ADD: ("x", "y", "infinity"),
    POINT_CHECK: ("valid",), INVERT: ("inverse",),
    POINT_PAIR: ("x", "y", "x2", "y2", "exceptional"), X_PAIR: ("u", "u2", "exceptional"),
}  # fmt: skip
LARGE = 1 << 64  # order of a curve that is no toy


def scalars(operation: str) -> int:
    """How many scalars an operation has."""
    return sum(name.startswith("scalar") for name in OPERANDS[operation])


def rules(mode: Mode, modulus: int) -> Iterator[OperandRule]:
    """What the operands of an operation may be."""
    curve = mode.curve
    if mode.operation == INVERT or curve is None:
        yield OperandRule("value", "what is inverted; 0 gives 0", modulus)
        return
    weierstrass, full = curve.form == "weierstrass", 1 << curve.scalar_bits
    clamped = "" if weierstrass else ", clamped by the caller"
    for name in OPERANDS[mode.operation]:
        which = "second " if name.endswith("2") else ""
        if name.startswith("scalar"):
            below = curve.order if weierstrass else full
            yield OperandRule(name, f"how often the {which}point is added up{clamped}", below)
        elif name.startswith("u"):
            yield OperandRule(name, f"of the {which}point; taken modulo the prime", full)
        else:
            yield OperandRule(name, f"of the {which}point", modulus)


def check(job: Job) -> None:
    """SpecError for operands that do not go together: points are on the curve, and, in Weierstrass'
    form, those that are multiplied in the group of the base point."""
    curve, of = job.mode.curve, job.operands
    if job.mode.operation == POINT_CHECK or curve is None or "x" not in of:
        return
    for suffix in ("", "2") if "x2" in of else ("",):
        point = Affine(of[f"x{suffix}"], of[f"y{suffix}"])
        if not points.is_on(curve, *point):
            shown = f"({point.x:#x}, {point.y:#x})"
            allowed = f"with y{suffix} that of a point: {shown} is not on {curve}"
            raise refusal(f"x{suffix}", hex(point.x), allowed)
        if job.mode.operation in (POINT_MULTIPLY, POINT_PAIR):
            _in_group(curve, point, f"x{suffix}")


def _in_group(curve: Curve, point: Affine, key: str) -> None:
    if curve.form != "weierstrass" or curve.cofactor == 1:
        return
    if points.multiply(curve, curve.order, point) is not None:
        why = f"of a point of the group of prime order; that is not all of {curve}"
        raise refusal(key, hex(point.x), why)


def declined(job: Job, ladder: bool, blinding: int) -> dict[str, int] | None:
    """What may be answered instead of the result.  With blinding a beginning of the scalar can be
    one for which the ladder is not defined: by chance, so never on a curve that is no toy."""
    curve, of, operation = job.mode.curve, job.operands, job.mode.operation
    suffixes = ("", "2") if operation in PAIRS else ("",)
    if curve is not None and operation == X_PAIR:
        both = (points.multiply_x(curve, of[f"scalar{two}"], of[f"u{two}"]) for two in suffixes)
        return None if all(both) else {"exceptional": True}
    if curve is None or operation not in (POINT_MULTIPLY, POINT_PAIR):
        return None
    if not ladder or curve.form != "weierstrass":
        return None
    exceptional = any(
        of[f"scalar{two}"] % curve.order in (0, 1, curve.order - 2, curve.order - 1)
        or not (of[f"x{two}"] and of[f"y{two}"])
        for two in suffixes
    )
    if exceptional or (blinding and curve.order < LARGE):
        return {"exceptional": True}
    return None
