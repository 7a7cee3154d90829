"""Checks the question that `recommend` answers, and lists the designs that can answer it if nothing
was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from modmul import multipliers, processors, targets
from modmul.arithmetic import moduli, own_curves
from modmul.design import Design
from modmul.errors import SpecError, refusal
from modmul.exploration import grid, space
from modmul.exploration.record import MULTIPLY
from modmul.exploration.space import Axis, SpaceBlock
from modmul.operation import Mode
from modmul.parameters import check_number
from modmul.spec import Spec
from modmul.spec.keys import CURVE, KEY_BITS
from modmul.spec.values import MOST_KEY_BITS

EVERYTHING = "p256-ecp5"  # the space whose designs are compared, for any modulus and target
AS_ANOTHER = {"fpmm-fixed"}  # a variant of `fpmm` for one modulus: not a choice beside it
_PROCESSORS = tuple(processors.REGISTRY.values())
CURVE_OPERATIONS = tuple(
    dict.fromkeys(name for each in _PROCESSORS if each.takes_curves for name in each.compared)
)
OPERATIONS = tuple(
    dict.fromkeys([MULTIPLY, *(name for each in _PROCESSORS for name in each.compared)])
)


class UserOperation(NamedTuple):
    """What users call an operation: that of a processor, the curve where one is meant, and
    parameters of the processor."""

    operation: str
    curve: str | None = None
    parameters: Mapping[str, Any] = {}


ALIASES: Mapping[str, UserOperation] = {
    "rsa-private": UserOperation("private"),
    "x25519": UserOperation("x-multiply", "x25519"),
    "x448": UserOperation("x-multiply", "x448"),
    "ed25519": UserOperation("point-multiply", "ed25519", {"schemes": "eddsa"}),
}
NAMES = (*OPERATIONS, *ALIASES)
# For each goal, the figures whose product is to be as small as possible.
GOALS: dict[str, tuple[str, ...]] = {
    "throughput": ("time.per_product",),
    "latency": ("time.latency",),
    "area": ("area.value",),
    "balanced": ("area.value", "time.per_product"),
}
# Keys that the question decides, not the design.
_DEPENDS = ("modulus", CURVE, "width", "target", "device", "library")


class Question(NamedTuple):
    """A question to `recommend`: the modulus or curve, the chip, and the operation."""

    modulus: str | None
    curve: str | None
    width: int | None
    target: str
    device: str | None
    library: str | None
    operation: str
    parameters: Mapping[str, Any]


def checked_question(
    modulus: str | None,
    target: str,
    *,
    width: int | None,
    device: str | None,
    library: str | None,
    operation: str,
    curve: str | None,
    key_bits: int | None = None,
) -> Question:
    """Raises SpecError if the arguments contradict each other."""
    if operation not in NAMES:
        raise refusal("operation", operation, f"one of {', '.join(NAMES)}", names=NAMES)
    meant = ALIASES.get(operation, UserOperation(operation))
    if meant.curve is not None and curve not in (None, meant.curve):
        raise refusal("curve", curve, f"absent with operation = {operation}")
    operation, curve = meant.operation, meant.curve or curve
    if key_bits is not None:
        width = _width_of_keys(key_bits, operation, width)
    if operation in CURVE_OPERATIONS and curve is None:
        allowed = f"the name of one, as {operation} is done on a curve"
        raise SpecError("curve", None, allowed, f"curve: none given; must be {allowed}")
    if curve is not None and operation not in CURVE_OPERATIONS:
        allowed = f"absent, or with one of the operations {', '.join(CURVE_OPERATIONS)}"
        raise refusal("curve", curve, allowed)
    if curve is None and modulus is None and width is None:
        allowed = "a modulus, or the width of any"
        raise SpecError("modulus", None, allowed, f"modulus: none given; must be {allowed}")
    known = targets.canonical(target)
    if known not in targets.NAMES:
        allowed = f"one of {', '.join(targets.NAMES)}"
        raise refusal("target", target, allowed)
    return Question(modulus, curve, width, known, device, library, operation, meant.parameters)


def _width_of_keys(bits: int, operation: str, width: int | None) -> int:
    takers = [each for each in _PROCESSORS if each.takes_keys and operation in each.compared]
    if not takers:
        raise refusal(KEY_BITS, bits, "absent, or with the operation rsa-private")
    if width is not None:
        raise refusal("width", width, f"absent with {KEY_BITS}, which decides it")
    check_number(KEY_BITS, bits, 1, MOST_KEY_BITS)
    return takers[0].width_for_keys(bits, {})


def specs(question: Question, chip: str | None) -> list[Spec]:
    """Return all designs that can answer the question.  chip: the device to take if the question
    names none.  Raises SpecError if there is no design."""
    filled = question._replace(device=question.device or chip)._asdict()
    fixed = {key: (filled[key],) for key in _DEPENDS if filled[key] is not None}
    modulus, operation = question.modulus, question.operation
    blocks = tuple(
        SpaceBlock(architecture, _suited(axes, architecture, question) | fixed)
        for architecture, axes in _blocks(operation)
    )
    choices = grid.grid(space.read_space(EVERYTHING)._replace(blocks=blocks, where=()))
    able = [point.spec for point in choices.points]
    if modulus is None and question.curve is None:
        able = [spec for spec in able if takes_every(spec.design)]
    doing = [spec for spec in able if mode_of(spec, operation) is not None]
    if doing:
        return doing
    often = Counter[str]()
    for impossible in choices.dropped:
        often[impossible.reason] += impossible.count
    reasons = "; ".join(reason for reason, _ in often.most_common(3))
    if able or not reasons:
        reasons = f"none has the operation {operation} on it"
    key = "curve" if question.curve else "width" if modulus is None else "modulus"
    raise SpecError(key, filled[key], None, f"no design is possible: {reasons}")


def mode_of(spec: Spec, operation: str) -> Mode | None:
    """Return the mode of an operation with what the spec names; None if it is not possible."""
    if operation == MULTIPLY:
        return spec.headline
    modes = spec.operation_modes or spec.design.modes
    return next((mode for mode in modes if mode.operation == operation), None)


def takes_every(design: Design) -> bool:
    """Whether a design takes all odd numbers of its width as moduli: the least and the greatest are
    tried."""
    if "prime" not in design.fields_built or design.modulus_at != "run time":
        return False
    least = (1 << design.width - 1) | 1
    try:
        for modulus in (least, (1 << design.width) - 1):
            design.check_modulus(modulus, "prime")
    except SpecError:
        return False
    return True


def _blocks(operation: str) -> Iterator[SpaceBlock]:
    """Yield the blocks of multipliers, or of the processors that have this operation: from the
    processor's own space or, if it has none, on each multiplier."""
    everything = [
        block
        for block in space.read_space(EVERYTHING).blocks
        if block.architecture not in AS_ANOTHER
    ]
    if operation == MULTIPLY:
        yield from everything
    for processor in _PROCESSORS:
        if operation not in processor.compared:
            continue
        own = processor.compared[operation]
        if own is not None:
            blocks = space.read_space(own).blocks
            yield from (block for block in blocks if block.architecture == processor.name)
            continue
        for block in everything:
            below = multipliers.find(block.architecture)
            if processor.takes(below):
                axes = {key: axis for key, axis in block.axes.items() if key != "interface"}
                yield SpaceBlock(processor.name, {"multiplier": (below.name,)} | axes)


def _suited(axes: dict[str, Axis], architecture: str, question: Question) -> dict[str, Axis]:
    """Return the axes that the question leaves, with the field of the modulus, and the parameters
    that the curve decides."""
    modulus, curve = question.modulus, question.curve
    axes = {key: axis for key, axis in axes.items() if key not in _DEPENDS}
    if "field" in axes:
        field = "prime" if modulus is None else moduli.parse(modulus, None).field
        axes = axes | {"field": (field,)}
    processor = processors.REGISTRY.get(architecture)
    if curve is not None and processor is not None:
        suited = processor.suited(own_curves.parse(curve), question.operation)
        suited = {**suited, **question.parameters}
        axes = axes | {key: (value,) for key, value in suited.items()}
    return axes
