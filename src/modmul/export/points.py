"""Chooses operands of operations on curves that reveal errors: scalars at both ends, points of
every kind.

Operands on Kummer surfaces are in `surfaces`, those of schemes in `signatures`."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence

import gmpy2

from modmul.arithmetic import binary, curves, points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.export import signatures, surfaces
from modmul.export.operands import drawn_below, runs_of_bits
from modmul.operation import OperandRule
from modmul.processors import Load, Processor
from modmul.processors.engine.batches import batch

Rules = Mapping[str, OperandRule]
Operands = dict[str, int]
_EACH_FORM = 3  # the longest curves of each form are among the edges
_SMALLEST = 5  # the smallest prime among the edges


# ---- the loads -----------------------------------------------------------------------------------


def edge_loads(processor: Processor) -> list[Load]:
    """The longest curves of all forms that the processor takes, the toy curves, and moduli
    without a curve: primes, and, if the processor takes them, odd numbers that are none."""
    fitting = curves.within(processor.width)
    chosen = [
        curve
        for form in curves.EQUATIONS
        for curve in [each for each in fitting if each.form == form and each.source][:_EACH_FORM]
    ]
    chosen += [curve for curve in fitting if not curve.source]
    every = (*map(Load.of, chosen), *_without_a_curve(processor))
    return [load for load in every if processor.can_load(load)]


def _without_a_curve(processor: Processor) -> list[Load]:
    """The longest and a short prime, and the longest and a short odd number that is no prime
    (for powers; other operations do not take them); or the longest irreducible polynomial."""
    only = processor.multiplier.fixed_modulus
    if only is not None:
        return [Load(only, processor.fields_built[0])]
    if processor.fields_built == ("prime",):
        top = 1 << processor.width
        moduli = (_prime_below(top), _SMALLEST, _composite_below(top), _SMALLEST * 3)
        return [Load(modulus) for modulus in moduli]
    top = (1 << processor.width) - 1
    longest = (polynomial for polynomial in range(top, 1, -2) if binary.is_irreducible(polynomial))
    return [Load(next(longest), "binary")]


def random_load(processor: Processor, rng: random.Random) -> Load:
    """Draw any curve that the processor takes, one of the longest half of the time; now and then a
    prime of its width without a curve."""
    if rng.random() < 0.1:
        plain = _drawn_field(processor, rng)
        if processor.can_load(plain):
            return plain
    known = curves.within(processor.width)
    fitting = [curve for curve in known if processor.can_load(Load.of(curve))]
    longest = [curve for curve in fitting if curve.bits == fitting[0].bits]
    chosen = longest if rng.random() < 0.5 else fitting
    return Load.of(rng.choice(chosen)) if chosen else _drawn_field(processor, rng)


def _drawn_field(processor: Processor, rng: random.Random) -> Load:
    """Draw a prime or an irreducible polynomial of full length, or return the fixed modulus."""
    only = processor.multiplier.fixed_modulus
    if only is not None:
        return Load(only, processor.fields_built[0])
    if processor.fields_built == ("binary",):
        return Load(binary.random_irreducible(processor.width - 1, rng), "binary")
    start = rng.getrandbits(processor.width) | 3 << processor.width - 2  # the prime is as long
    return Load(_prime_below(start))


def smaller(load: Load) -> list[Load]:
    """Loads with shorter curves of the same form, the shortest first."""
    curve = load.curve
    assert curve is not None
    fitting = (other for other in curves.within(curve.bits - 1) if other.form == curve.form)
    return [Load.of(curve) for curve in fitting][::-1]


def _prime_below(bound: int) -> int:
    """bound: above 3."""
    return next(odd for odd in _odd_below(bound) if gmpy2.is_prime(odd))


def _composite_below(bound: int) -> int:
    """bound: above 9."""
    return next(odd for odd in _odd_below(bound) if not gmpy2.is_prime(odd))


def _odd_below(bound: int) -> range:
    return range((bound - 2) | 1, 2, -2)


# ---- operands ------------------------------------------------------------------------------------


def known(operation: str) -> bool:
    """Whether this module draws the operands of that operation."""
    alone = batch(operation).name
    return alone in (*_EDGES, "wrapped-multiply") or signatures.known(alone)


def edges(operation: str, load: Load, rules: Rules, rng: random.Random) -> list[Operands]:
    """Operands of an operation, from the smallest to the largest, with some between."""
    if load.curve is not None and load.curve.form == "kummer" and "scalar" in rules:
        return surfaces.edges(operation, load.curve, rules["scalar"], rng)
    if signatures.known(operation):
        return signatures.edges(operation, _curve(load), rules, rng)
    shape = batch(operation)
    return shape.turned(_EDGES[shape.name](load, rules, rng))


def drawn(operation: str, load: Load, rules: Rules, rng: random.Random) -> Operands:
    """Draw random operands; every fourth number has long runs of equal bits, and every fourth pair
    of coordinates to check is no point."""
    if load.curve is not None and load.curve.form == "kummer" and "scalar" in rules:
        return surfaces.drawn(operation, load.curve, rules["scalar"], rng)
    if signatures.known(operation):
        return signatures.drawn(operation, _curve(load), rules, rng)
    if "x" in rules and operation != "point-check":
        return _drawn(load, rules, rng)
    if operation == "point-check" and rng.random() < 0.75:
        return _random_point(load, rng)
    return {name: drawn_below(rule, rng) for name, rule in rules.items()}


def _drawn(load: Load, rules: Rules, rng: random.Random) -> Operands:
    """Draw points, with scalars if the operation has them; every fourth further point equals the
    first one, or its negative."""
    operands = {name: drawn_below(rules[name], rng) for name in rules if name.startswith("scalar")}
    first = _random_point(load, rng)
    for suffix in (name.removeprefix("x") for name in rules if name.startswith("x")):
        other = _random_point(load, rng) if suffix else first
        if suffix and rng.random() < 0.25:
            other = rng.choice([first, _opposite(load, first)])
        operands |= {f"{name}{suffix}": value for name, value in other.items()}
    return operands


def _double_multiply(load: Load, rules: Rules, rng: random.Random) -> Sequence[Operands]:
    """Double products with both scalars at their edges and equal, opposite or any points."""
    curve = _curve(load)
    scalars = _scalars(load, rules["scalar"], rng)
    others = [*scalars[1:], scalars[0]]
    base = {"x": curve.x, "y": curve.y}
    turn = itertools.cycle([_random_point(load, rng), base, _opposite(load, base)])
    rows = []
    for scalar, other in zip(scalars, others, strict=True):
        second = next(turn)
        rows.append({"scalar": scalar, **base, "scalar2": other, **_second(second)})
    zero = {"scalar": 0, **base, "scalar2": 0, **_second(base)}
    cancel = {"scalar": 5, **base, "scalar2": 5, **_second(_opposite(load, base))}
    return [zero, cancel, *rows]


def _point_add(load: Load, _: Rules, rng: random.Random) -> Sequence[Operands]:
    curve = _curve(load)
    base, other = {"x": curve.x, "y": curve.y}, _random_point(load, rng)
    seconds = [base, _opposite(load, base), other, *_special(curve)]
    return [{**first, **_second(two)} for two in seconds for first in (base, other)]


def _point_multiply(load: Load, rules: Rules, rng: random.Random) -> Sequence[Operands]:
    """Each edge scalar with a point, and each special point with a random scalar; the base
    point comes first."""
    curve, scalars = _curve(load), _scalars(load, rules["scalar"], rng)
    base = {"x": curve.x, "y": curve.y}
    special = [base, _opposite(load, base), *_special(curve)]
    turn = itertools.cycle([base, _random_point(load, rng)])
    return [
        *({"scalar": k, **next(turn)} for k in scalars),
        *({"scalar": drawn_below(rules["scalar"], rng), **point} for point in special),
    ]


def _x_multiply(load: Load, rules: Rules, rng: random.Random) -> Sequence[Operands]:
    curve, rule = _curve(load), rules["u"]
    every = (0, 1, curve.x, curve.prime - 1, curve.prime, rule.below, drawn_below(rule, rng))
    values = [value for value in every if value is not None and value < (rule.below or 0)]
    turn = itertools.cycle([curve.x, drawn_below(rule, rng)])
    return [
        *({"scalar": k, "u": next(turn)} for k in _scalars(load, rules["scalar"], rng)),
        *({"scalar": drawn_below(rules["scalar"], rng), "u": u} for u in values),
    ]


def _point_check(load: Load, rules: Rules, rng: random.Random) -> Sequence[Operands]:
    """Points, and pairs that are no points, by one bit or at random."""
    curve, point = _curve(load), _random_point(load, rng)
    base, top = {"x": curve.x, "y": curve.y}, curve.elements - 1
    off = [{"x": curve.x, "y": curve.y ^ 1}, {name: drawn_below(rules[name], rng) for name in "xy"}]
    ends = [{"x": x, "y": y} for x in (0, top) for y in (0, top)]
    return [ends[0], ends[3], base, point, *_special(curve), *off, ends[1], ends[2]]


def _invert(load: Load, rules: Rules, rng: random.Random) -> Sequence[Operands]:
    top = (rules["value"].below or load.modulus) - 1
    every = dict.fromkeys((0, top, 1, 2, top // 2, drawn_below(rules["value"], rng)))
    return [{"value": value} for value in every if value <= top]


_EDGES: Mapping[str, Callable[[Load, Rules, random.Random], Sequence[Operands]]] = {
    "point-multiply": _point_multiply,
    "x-multiply": _x_multiply,
    "double-multiply": _double_multiply,
    "point-add": _point_add,
    "point-check": _point_check,
    "invert": _invert,
}


def _curve(load: Load) -> Curve:
    assert load.curve is not None
    return load.curve


def _scalars(load: Load, rule: OperandRule, rng: random.Random) -> list[int]:
    """Scalars near 0, near the order and the largest, with one bit, and with long runs of
    bits."""
    order, below = _curve(load).order, rule.below or 0
    bits = below.bit_length()
    every = [0, below - 1, 1, 2, 3, order - 1, order - 2, order - 3, order, order + 1, order // 2]
    every += [1 << bits - 1, (1 << bits - 1) - 1, runs_of_bits(bits, rng), drawn_below(rule, rng)]
    return [scalar for scalar in dict.fromkeys(every) if rule.least <= scalar < below]


def _random_point(load: Load, rng: random.Random) -> Operands:
    """Draw a multiple of the base point that is not infinity."""
    curve = _curve(load)
    point = points.multiply(curve, rng.randrange(1, curve.order), Affine(curve.x, curve.y))
    assert point is not None
    return point._asdict()


def _opposite(load: Load, point: Operands) -> Operands:
    negative = points.negative(_curve(load), Affine(point["x"], point["y"]))
    assert negative is not None
    return negative._asdict()


def _second(point: Operands) -> Operands:
    """The coordinates under the names of an operation's second point."""
    return {"x2": point["x"], "y2": point["y"]}


def _special(curve: Curve) -> list[Operands]:
    """The points with x = 0, 1 and 2, as far as they exist; on an Edwards curve x = 0 is of
    small order.  Empty if a point has to be a multiple of the base point and not all points are."""
    if curve.form != "edwards" and curve.cofactor > 1:
        return []
    affine = list(filter(None, (points.with_x(curve, x) for x in range(3))))
    return [point._asdict() for point in affine]
