"""Plans the emitted testbench: moduli, products with their results, and when each is offered.

If field, length or operation can be chosen at run time, every field comes at the longest length,
the shortest and one between, with all operations mixed; each modulus brings its choice."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from modmul.export.operands import edge_values, runs_of_bits, split
from modmul.export.turns import SHOWN, Turn, slow, turns
from modmul.multipliers.operations import MULTIPLY, SQUARE
from modmul.multipliers.oracle import checked_result
from modmul.multipliers.setting import Setting
from modmul.multipliers.streamed import core_timing
from modmul.operation import Mode
from modmul.spec import Spec

_PACKETS = 2  # products that wait in the adapter for room for their results
_LOADED = 4  # the most moduli that are offered meanwhile
_DRAINED = 16  # after so many products with pauses all results come out
_TOGETHER = 4  # the most products that are offered together with a modulus


@dataclass(frozen=True)
class Product:
    """Operands and result as they travel: one number for each data field of a beat; a field that
    declares an operation is the same in all beats.  mode: of the product.

    earlier: its result if it is accepted before the modulus that it is offered together with."""

    a: int
    b: int
    operand: dict[str, int]
    result: dict[str, int]
    mode: Mode = Mode()
    earlier: dict[str, int] | None = None


@dataclass(frozen=True)
class VectorStep:
    """One modulus or product to offer.  load: a modulus, else the next product.  idle: cycles in
    which it could be offered and is not.  The other fields: see `steps.HOW`."""

    load: bool = False
    idle: int = 0
    after_all: bool = False
    pauses: bool = False
    alone: bool = False
    full_speed: bool = False
    hold: bool = False
    with_modulus: bool = False


@dataclass(frozen=True)
class VectorPlan:
    """The plan of a testbench.  settings: the moduli in loading order.  loads: their beats.
    products: in order.  steps: both, interleaved.  hold: the cycles of a step with `hold`."""

    settings: list[Setting]
    loads: list[list[int]]
    products: list[Product]
    steps: list[VectorStep]
    hold: int = 0


def plan(spec: Spec) -> VectorPlan:
    """Edges and random products of every turn; the same for the same spec.

    A modulus named in the spec is loaded at the beginning and at the end, others between.  If there
    is none, or a choice of field and length, the moduli are the largest and the smallest of a
    length and random ones."""
    multiplier = spec.multiplier
    canonical = json.dumps(spec.options(), sort_keys=True)
    chance = random.Random(hashlib.sha256(canonical.encode()).digest())
    planned = turns(spec, chance)
    at_run_time = multiplier.modulus_at == "run time"
    products: list[Product] = []
    steps: list[VectorStep] = []
    hold = paired = 0
    for number, turn in enumerate(planned):
        before = planned[number - 1] if number else None
        more, together = 0, _together(spec, before, turn)
        if turn.hold:
            more, hold = _hold(turn.setting)
        if at_run_time:
            steps += _loading(spec, number, before, turn, together, chance)
        if before:
            products += _of_either(before.setting, turn.setting, together, chance)
        count = turn.products - together
        pairs = _pairs(turn.setting, count + more, chance, paired)
        paired += bool(pairs)
        shown = SHOWN if number == 0 else 0
        new = [product_of(turn.setting, a, b, chance) for a, b in pairs]
        timed = [VectorStep()] * shown
        timed += _timing(spec, max(0, count - shown), chance, after_all=number == 0)
        timed += [VectorStep(after_all=i == 0, hold=i == 0) for i in range(more)]
        for operation in _never_alone(turn, products + new, steps + timed):
            a, b = pairs[-1]
            new.insert(shown, product_of(turn.setting, a, b, chance, operation=operation))
            timed.insert(shown, VectorStep(after_all=True, alone=True))
        products += new
        steps += timed
    settings = [turn.setting for turn in planned]
    loads = [setting.loads for setting in settings] if at_run_time else []
    return VectorPlan(settings, loads, products, _apart(steps), hold)


def _apart(steps: list[VectorStep]) -> list[VectorStep]:
    """Make a step after a product that is alone wait for its result; likewise a step with pauses
    after one at full speed, whose result would be late with the pauses."""
    return [
        replace(step, after_all=True)
        if before.alone or (before.full_speed and step.pauses)
        else step
        for before, step in zip([VectorStep(), *steps], steps, strict=False)
    ]


def _never_alone(turn: Turn, products: list[Product], steps: list[VectorStep]) -> list[str]:
    """The operations of a turn's mode that have not come alone yet, so that each kind comes
    alone once, unless it is too slow."""
    setting = turn.setting
    if turn.products == 0 or slow(setting.multiplier, setting.mode):
        return []
    offered = [step for step in steps if not step.load]
    done = {product.mode for product, step in zip(products, offered, strict=True) if step.alone}
    every = setting.multiplier.operations
    return [operation for operation in every if setting.of(operation) not in done]


def _together(spec: Spec, before: Turn | None, turn: Turn) -> int:
    """How many products are offered together with the modulus of a turn.  They may meet the
    modulus `before` it, which has the same mode; at the bare core the user has to wait."""
    if before is None or before.setting.mode != turn.setting.mode or spec.interface == "core":
        return 0
    return min(_TOGETHER, turn.products) if spec.multiplier.modulus_at == "run time" else 0


def _loading(
    spec: Spec, number: int, before: Turn | None, turn: Turn, together: int, chance: random.Random
) -> list[VectorStep]:
    """A modulus and the products offered together with it, some of which may go first.

    Every other modulus, and each without products of its own, follows the products before at once,
    if none is lost.  Every third one comes with pauses, if streams may pause."""
    if turn.products == 0 or (before and before.products == 0):
        load = VectorStep(load=True)
    else:
        core = spec.interface == "core"
        waits = core and spec.multiplier.reload == "flushes"
        pauses = not core and number % 3 == 1
        load = VectorStep(load=True, after_all=waits or number % 2 == 0, pauses=pauses)
    if together:
        idle = chance.choice((0, 0, chance.randrange(2 * spec.multiplier.worst("interval"))))
        load = replace(load, idle=idle)
    return [load, *[VectorStep(with_modulus=True, pauses=load.pauses)] * together]


def _hold(setting: Setting) -> tuple[int, int]:
    """The number of products that fill the adapter while no result is accepted but one, and
    the cycles for that."""
    around = core_timing(setting.multiplier)
    each = setting.interval().maximum + setting.beats
    rounds = around.most_owed // setting.multiplier.slots + _PACKETS
    loading = around.modulus_beats * _LOADED
    cycles = rounds * each + setting.latency().maximum + loading
    return around.most_owed + _PACKETS + 1, cycles


def _timing(spec: Spec, count: int, chance: random.Random, after_all: bool) -> list[VectorStep]:
    """A third of the steps at full speed, a third alone, the others with idle cycles and, if
    streams may pause, with pauses.  Now and then all results come out before the next of these: a
    count that is wrong for a while shows when its queue becomes empty.

    after_all: the first step waits for all earlier results."""
    multiplier, pauses = spec.multiplier, spec.interface == "stream"
    interval = multiplier.worst("interval")
    fast = max(count // 3, min(count, 3 * multiplier.slots + 2))
    alone = (count - fast) // 2
    warm = 2 * multiplier.slots
    steps = [VectorStep(after_all=after_all and i == 0, full_speed=i >= warm) for i in range(fast)]
    steps += [
        VectorStep(after_all=True, alone=True, idle=chance.randrange(interval))
        for _ in range(alone)
    ]
    for i in range(count - fast - alone):
        idle = chance.choice((0, 0, chance.randrange(interval)))
        steps.append(VectorStep(after_all=i % _DRAINED == 0, pauses=pauses, idle=idle))
    return steps


def _pairs(
    setting: Setting, count: int, chance: random.Random, place: int
) -> list[tuple[int, int]]:
    """Draw pairs of operands: up to half of them edges (others at each `place`), shuffled; of the
    others, every fourth with long runs of equal bits in one operand."""
    modulus, bound = setting.modulus, setting.operand_bound
    bits = bound.bit_length()
    stripes = sum(1 << i for i in range(0, bits - 1, 2))
    edges = [bound - 1, 0, 1, modulus - 1, modulus, (1 << max(1, bits - 1)) - 1, stripes]
    edges += edge_values(setting)
    edges = [value for value in dict.fromkeys(edges) if 0 <= value < bound]
    crossed = [(a, b) for a in edges for b in edges]
    crossed.sort(key=lambda pair: edges.index(pair[0]) + edges.index(pair[1]))
    half = count // 2
    pairs = crossed[place * half : (place + 1) * half]
    for number in range(count - len(pairs)):
        a, b = chance.randrange(bound), chance.randrange(bound)
        if number % 4 == 0:
            a = runs_of_bits(bits, chance) % bound
        pairs.append((b, a) if number % 8 == 0 else (a, b))
    chance.shuffle(pairs)
    return pairs


def _of_either(
    before: Setting, setting: Setting, count: int, chance: random.Random
) -> Iterator[Product]:
    """Products for whichever of two moduli they meet; both have the same mode."""
    bound = min(load.operand_bound for load in (before, setting))
    for _ in range(count):
        a, b = chance.randrange(bound), chance.randrange(bound)
        yield product_of(setting, a, b, chance, before)


def product_of(
    setting: Setting,
    a: int,
    b: int,
    chance: random.Random,
    before: Setting | None = None,
    operation: str | None = None,
) -> Product:
    """A product; about every other one is declared another operation, if there are some and
    `operation` does not name one.  The operand b of a square is then arbitrary.

    before: the modulus that it may meet instead, of the same mode.  Raises CheckFailed if the
    golden model, which computes the expected result, is wrong."""
    multiplier = setting.multiplier
    bits = multiplier.beat * setting.beats
    factors: Any = (a, b)
    operand = {"a": a, "b": b}
    if multiplier.operand_form == "carry-save":
        (a_sum, a_carry), (b_sum, b_carry) = factors = split(a, chance), split(b, chance)
        operand = {"a": a_sum, "b": b_sum, "a_carry": a_carry, "b_carry": b_carry}
    others = multiplier.operations[1:]
    if operation is None:
        operation = _drawn(others, chance) if others and chance.getrandbits(1) else MULTIPLY
    operand |= {other: int(other == operation) for other in others}
    if operation == SQUARE:
        operand |= {key: chance.getrandbits(bits) for key in operand if key[0] == "b"}
    result = fields(checked_result(setting, operation, *factors))
    earlier = fields(checked_result(before, operation, *factors)) if before else None
    return Product(a, b, operand, result, setting.of(operation), earlier)


def _drawn(operations: Sequence[str], chance: random.Random) -> str:
    """Draw an operation; if there is only one, no random number is used."""
    return operations[0] if len(operations) == 1 else chance.choice(operations)


def fields(result: Any) -> dict[str, int]:
    """A result by the fields of a beat that it travels in."""
    return {"data": result} if isinstance(result, int) else {"data": result[0], "carry": result[1]}
