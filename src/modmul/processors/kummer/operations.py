"""The operations of a processor for Kummer surfaces: their operands, and which of these are
refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from modmul.arithmetic import surfaces
from modmul.arithmetic.surfaces import Theta
from modmul.operation import Job, Mode, OperandRule
from modmul.processors.contract import refusal
from modmul.processors.engine.batches import SUFFIXES, ProgramBatch, batch
from modmul.processors.engine.curve_processor import INVERT

POINT_MULTIPLY, WRAPPED = "point-multiply", "wrapped-multiply"
PAIR = ProgramBatch("", 2)
POINT_PAIR, WRAPPED_PAIR = (name + SUFFIXES[2] for name in (POINT_MULTIPLY, WRAPPED))
_POINT, _WRAPPED = ("x", "y", "z", "t"), ("xy", "xz", "xt")

OPERANDS: Mapping[str, tuple[str, ...]] = {
    POINT_MULTIPLY: ("scalar", *_POINT),
    INVERT: ("value",),
    POINT_PAIR: PAIR.names("scalar", *_POINT),
    WRAPPED: ("scalar", *_WRAPPED),
    WRAPPED_PAIR: PAIR.names("scalar", *_WRAPPED),
}
RESULTS: Mapping[str, tuple[str, ...]] = {
    POINT_MULTIPLY: (*_POINT, "exceptional"),
    INVERT: ("inverse",),
    POINT_PAIR: (*PAIR.names(*_POINT), "exceptional"),
    WRAPPED: (*_WRAPPED, "exceptional"),
    WRAPPED_PAIR: (*PAIR.names(*_WRAPPED), "exceptional"),
}


def operand_point(job: Job, suffix: str) -> Theta:
    of = job.operands
    if job.mode.operation in (WRAPPED, WRAPPED_PAIR):
        return surfaces.unwrapped(job.modulus, *(of[f"{name}{suffix}"] for name in _WRAPPED))
    return Theta(*(of[f"{name}{suffix}"] for name in _POINT))


def rules(mode: Mode, modulus: int) -> Iterator[OperandRule]:
    if mode.operation == INVERT:
        yield OperandRule("value", "what is inverted; 0 gives 0", modulus)
        return
    full = 1 << (mode.length or 0)
    for name in OPERANDS[mode.operation]:
        which = "second " if name.endswith("2") else ""
        if name.startswith("scalar"):
            yield OperandRule(name, f"how often the {which}point is added up", full)
        elif len(name.removesuffix("2")) > 1:
            told = f"{name[0]}/{name[1]} of the {which}point"
            yield OperandRule(name, told, modulus, 1)
        else:
            yield OperandRule(name, f"of the {which}point, up to a common factor", modulus, 1)


def check(job: Job) -> None:
    """Raise SpecError for a point that is not on the surface."""
    surface = job.mode.curve
    for suffix in batch(job.mode.operation).operands if surface is not None else ():
        point = operand_point(job, suffix)
        if surface is not None and not surfaces.is_on(surface, point):
            shown = " : ".join(map(hex, point))
            allowed = f"of a point: ({shown}) is not on {surface}"
            key = OPERANDS[job.mode.operation][1] + suffix
            raise refusal(key, hex(job.operands[key]), allowed)
