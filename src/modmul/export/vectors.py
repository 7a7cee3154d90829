"""What the emitted testbench does: moduli, products with results, and when each is offered."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass
from typing import Any

from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier
from modmul.spec import Spec

_CYCLES = 100_000  # of simulation, about: a second in a compiled simulator, a minute in others
_MOST, _LEAST = 256, 12  # products
_DIGITS = 400_000  # bits of operands in the text of the testbench
SHOWN = 3  # products at the start of the plan, for the timing diagram
_MODULI = 4  # random ones, where the spec names none and there are products enough


@dataclass(frozen=True)
class Product:
    """Operands and result as they travel: one number for each data field of a beat's layout."""

    a: int
    b: int
    operand: dict[str, int]
    result: dict[str, int]


@dataclass(frozen=True)
class Item:
    """One thing to offer.  load: a modulus, else the next product.

    drain: only when all results so far are out.  gap: idle cycles before it.
    pauses: at random, in all streams.  alone: nothing else is under way: the latency shows.
    dense: `slots` products before it went in as fast as could be: the interval shows."""

    load: bool = False
    drain: bool = False
    gap: int = 0
    pauses: bool = False
    alone: bool = False
    dense: bool = False

    @property
    def code(self) -> int:
        flags = (self.load, self.drain, self.pauses, self.alone, self.dense)
        return sum(flag << i for i, flag in enumerate(flags)) | self.gap << 8


@dataclass(frozen=True)
class Plan:
    """moduli: in the order they are loaded.  products: in order.  items: both, interleaved."""

    moduli: list[int]
    loads: list[list[int]]
    products: list[Product]
    items: list[Item]


def plan(spec: Spec) -> Plan:
    """Edges first, then random products; the same for the same spec.

    For a modulus named in the spec, it is loaded twice; else the largest and the smallest modulus
    of the width and some random ones."""
    multiplier = spec.multiplier
    canonical = json.dumps(spec.options(), sort_keys=True)
    chance = random.Random(hashlib.sha256(canonical.encode()).digest())
    latency = max(multiplier.latency(mode).maximum for mode in multiplier.modes)
    count = min(_CYCLES // latency, _DIGITS // multiplier.width, _MOST)
    moduli = _moduli(spec, chance, count)
    each = max(count, _LEAST) // len(moduli)
    products: list[Product] = []
    items: list[Item] = []
    for turn, modulus in enumerate(moduli):
        pairs = _pairs(multiplier, modulus, each, chance, turn)
        products += [_product(multiplier, modulus, a, b) for a, b in pairs]
        if multiplier.modulus_at == "run time":
            # Behind the adapter every other modulus comes on the heels of the products before.
            items.append(Item(load=True, drain=spec.interface == "core" or turn % 2 == 0))
        shown = SHOWN if turn == 0 else 0
        items += [Item()] * shown
        items += _timing(multiplier, len(pairs) - shown, chance, drain=turn == 0)
    at_run_time = multiplier.modulus_at == "run time"
    loads = [[c.value for c in multiplier.constants(n)] for n in moduli] if at_run_time else []
    return Plan(moduli, loads, products, items)


def _timing(multiplier: Multiplier, count: int, chance: random.Random, drain: bool) -> list[Item]:
    """A third of the products as fast as can be, a third alone, the others with pauses.

    drain: the first waits for what came before."""
    interval = max(multiplier.interval(mode).maximum for mode in multiplier.modes)
    dense = max(count // 3, min(count, 3 * multiplier.slots + 2))
    alone = (count - dense) // 2
    items = [Item(drain=drain and i == 0, dense=i >= 2 * multiplier.slots) for i in range(dense)]
    items += [Item(drain=True, alone=True, gap=chance.randrange(interval)) for _ in range(alone)]
    for i in range(count - dense - alone):
        gap = chance.choice((0, 0, chance.randrange(interval)))
        items.append(Item(drain=i == 0, pauses=True, gap=gap))
    return items


def _moduli(spec: Spec, chance: random.Random, products: int) -> list[int]:
    multiplier = spec.multiplier
    if spec.modulus is not None:
        return [spec.modulus.value] * (2 if multiplier.modulus_at == "run time" else 1)
    if multiplier.modulus_at == "none":
        return [0]
    if multiplier.modulus_at == "fixed":
        message = "modulus: this architecture is made for one, name it"
        raise SpecError("modulus", None, "a modulus", message)
    top = 1 << multiplier.width
    found = [top - 1, (top >> 1) + 1]
    while len(found) < 2 + _MODULI and products > 8 * len(found):
        found.append(chance.randrange(top >> 1, top) | 1)
    taken = [modulus for modulus in found if _takes(multiplier, modulus)]
    return taken


def _takes(multiplier: Multiplier, modulus: int) -> bool:
    try:
        multiplier.check_modulus(modulus)
    except SpecError:
        return False
    return True


def _pairs(
    multiplier: Multiplier, modulus: int, count: int, chance: random.Random, turn: int
) -> list[tuple[int, int]]:
    """Up to half of them edges (others at every turn), shuffled."""
    bound = multiplier.operand_bound(modulus)
    ones = (1 << max(1, bound.bit_length() - 1)) - 1
    low = (1 << min(multiplier.beat, bound.bit_length() - 1)) - 1
    stripes = sum(1 << i for i in range(0, bound.bit_length() - 1, 2))
    edges = [bound - 1, 0, 1, modulus - 1, modulus, ones, low, stripes, bound - 2]
    edges = [value for value in dict.fromkeys(edges) if 0 <= value < bound]
    crossed = [(a, b) for a in edges for b in edges]
    crossed.sort(key=lambda pair: edges.index(pair[0]) + edges.index(pair[1]))
    half = count // 2
    pairs = crossed[turn * half : (turn + 1) * half]
    pairs += [(chance.randrange(bound), chance.randrange(bound)) for _ in range(count - len(pairs))]
    chance.shuffle(pairs)
    return pairs


def _product(multiplier: Multiplier, modulus: int, a: int, b: int) -> Product:
    compute: Any = multiplier.compute  # pairs for carry-save
    given: Any = (a, b)
    operand = {"a": a, "b": b}
    if multiplier.operand_form == "carry-save":
        # The number is the sum of its two vectors: the even bits in one, the odd ones in the other.
        stripes = sum(1 << i for i in range(0, multiplier.beat * multiplier.beats, 2))
        operand = {"a": a & stripes, "b": b & stripes, "a_carry": a & ~stripes}
        operand["b_carry"] = b & ~stripes
        given = tuple((operand[x], operand[f"{x}_carry"]) for x in "ab")
    found: Any = compute(*given, modulus)
    pair = multiplier.result_form == "carry-save"
    result = {"data": found[0], "carry": found[1]} if pair else {"data": found}
    return Product(a, b, operand, result)
