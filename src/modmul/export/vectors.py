"""What the emitted testbench does: moduli, products with results, and when each is offered.

Where field, length or operation can be chosen at run time, every field at the longest length, the
shortest and one between, with squares and multiplications mixed; each modulus brings its choice."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass
from typing import Any

from modmul.errors import CheckFailed
from modmul.export.operands import edge_values, runs_of_bits, split
from modmul.export.turns import SHOWN, Turn, turns
from modmul.multipliers.contract import Mode, Multiplier
from modmul.multipliers.oracle import contradicted
from modmul.multipliers.streamed import traffic
from modmul.spec import Spec

_PACKETS = 2  # products that wait in the adapter for room for their results
_LOADED = 4  # moduli that are offered meanwhile, at most


@dataclass(frozen=True)
class Product:
    """Operands and result as they travel: one number for each data field of a beat's layout; the
    field `square` is the same in all beats.  mode: how it is computed."""

    a: int
    b: int
    operand: dict[str, int]
    result: dict[str, int]
    mode: Mode = Mode()


@dataclass(frozen=True)
class Item:
    """One thing to offer.  load: a modulus, else the next product.

    drain: only when all results so far are out.  gap: idle cycles before it.
    pauses: at random, in all streams.  alone: nothing else is under way: the latency shows.
    dense: `slots` products before it went in as fast as could be: the interval shows.
    hold: from now on no result is taken until the adapter must be full."""

    load: bool = False
    drain: bool = False
    gap: int = 0
    pauses: bool = False
    alone: bool = False
    dense: bool = False
    hold: bool = False

    @property
    def code(self) -> int:
        flags = (self.load, self.drain, self.pauses, self.alone, self.dense, self.hold)
        return sum(flag << i for i, flag in enumerate(flags)) | self.gap << 8


@dataclass(frozen=True)
class Plan:
    """moduli: in the order they are loaded, loads: their beats.  products: in order.
    items: both, interleaved.  hold: cycles of an item's hold."""

    moduli: list[int]
    loads: list[list[int]]
    products: list[Product]
    items: list[Item]
    hold: int = 0


def plan(spec: Spec) -> Plan:
    """Edges and random products of every turn; the same for the same spec.

    A modulus named in the spec is loaded at the beginning and at the end, others between; where
    there is none, or a choice of field and length, the largest and the smallest of a length and
    random ones."""
    multiplier = spec.multiplier
    canonical = json.dumps(spec.options(), sort_keys=True)
    chance = random.Random(hashlib.sha256(canonical.encode()).digest())
    planned = turns(spec, chance)
    at_run_time = multiplier.modulus_at == "run time"
    products: list[Product] = []
    items: list[Item] = []
    hold, before = 0, 1
    for number, turn in enumerate(planned):
        chosen, more = multiplier.at(turn.mode), 0
        if turn.hold:
            more, hold = _hold(multiplier, turn)
        pairs = _pairs(chosen, turn.modulus, turn.products + more, chance, number)
        products += [product_of(chosen, turn, a, b, chance) for a, b in pairs]
        if at_run_time:
            items.append(_loading(spec, number, in_a_row=0 in (turn.products, before)))
        shown = SHOWN if number == 0 else 0
        items += [Item()] * shown
        items += _timing(multiplier, max(0, turn.products - shown), chance, drain=number == 0)
        items += [Item(drain=i == 0, hold=i == 0) for i in range(more)]
        before = turn.products
    moduli = [turn.modulus for turn in planned]
    loads = [load_beats(multiplier, turn) for turn in planned] if at_run_time else []
    return Plan(moduli, loads, products, items, hold)


def _loading(spec: Spec, number: int, in_a_row: bool) -> Item:
    """Every other modulus comes on the heels of the products before, where none is lost, and those
    `in_a_row`; every third one in pieces, where a stream may pause."""
    if in_a_row:
        return Item(load=True)
    waits = spec.interface == "core" and spec.multiplier.reload == "drops"
    return Item(load=True, drain=waits or number % 2 == 0, pauses=number % 3 == 1)


def _hold(multiplier: Multiplier, turn: Turn) -> tuple[int, int]:
    """Products that fill the adapter while no result is taken, and cycles in which they do."""
    around, chosen = traffic(multiplier), multiplier.at(turn.mode)
    each = multiplier.interval(turn.mode).maximum + chosen.beats
    rounds = around.most_owed // multiplier.slots + _PACKETS
    loading = around.modulus_beats * _LOADED
    cycles = rounds * each + multiplier.latency(turn.mode).maximum + loading
    return around.most_owed + _PACKETS, cycles


def load_beats(multiplier: Multiplier, turn: Turn) -> list[int]:
    return [beat.value for beat in multiplier.at(turn.mode).constants(turn.modulus)]


def _timing(multiplier: Multiplier, count: int, chance: random.Random, drain: bool) -> list[Item]:
    """A third of the products as fast as can be, a third alone, the others with pauses.

    drain: the first waits for what came before."""
    interval = multiplier.worst("interval")
    dense = max(count // 3, min(count, 3 * multiplier.slots + 2))
    alone = (count - dense) // 2
    items = [Item(drain=drain and i == 0, dense=i >= 2 * multiplier.slots) for i in range(dense)]
    items += [Item(drain=True, alone=True, gap=chance.randrange(interval)) for _ in range(alone)]
    for i in range(count - dense - alone):
        gap = chance.choice((0, 0, chance.randrange(interval)))
        items.append(Item(drain=i == 0, pauses=True, gap=gap))
    return items


def _pairs(
    multiplier: Multiplier, modulus: int, count: int, chance: random.Random, turn: int
) -> list[tuple[int, int]]:
    """Up to half of them edges (others at every turn), shuffled; of the others, every fourth with
    long runs of equal bits in one operand."""
    bound = multiplier.operand_bound(modulus)
    bits = bound.bit_length()
    stripes = sum(1 << i for i in range(0, bits - 1, 2))
    edges = [bound - 1, 0, 1, modulus - 1, modulus, (1 << max(1, bits - 1)) - 1, stripes]
    edges += edge_values(multiplier, modulus)
    edges = [value for value in dict.fromkeys(edges) if 0 <= value < bound]
    crossed = [(a, b) for a in edges for b in edges]
    crossed.sort(key=lambda pair: edges.index(pair[0]) + edges.index(pair[1]))
    half = count // 2
    pairs = crossed[turn * half : (turn + 1) * half]
    for number in range(count - len(pairs)):
        a, b = chance.randrange(bound), chance.randrange(bound)
        if number % 4 == 0:
            a = runs_of_bits(bits, chance) % bound
        pairs.append((b, a) if number % 8 == 0 else (a, b))
    chance.shuffle(pairs)
    return pairs


def product_of(
    multiplier: Multiplier, turn: Turn, a: int, b: int, chance: random.Random
) -> Product:
    """Every other product is declared a square, about, if it can be; b is then anything.

    CheckFailed if the golden model, which says what is expected, is wrong."""
    compute: Any = multiplier.compute  # pairs for carry-save
    bits, mode = multiplier.beat * multiplier.beats, turn.mode
    factors: Any = (a, b)
    operand = {"a": a, "b": b}
    if multiplier.operand_form == "carry-save":
        (a_sum, a_carry), (b_sum, b_carry) = factors = split(a, chance), split(b, chance)
        operand = {"a": a_sum, "b": b_sum, "a_carry": a_carry, "b_carry": b_carry}
    if multiplier.squares:
        operand["square"] = chance.getrandbits(1)
        if operand["square"]:
            mode, factors = mode.square(), (factors[0], factors[0])
            operand |= {key: chance.getrandbits(bits) for key in operand if key[0] == "b"}
    found: Any = compute(*factors, turn.modulus)
    if contradicted(multiplier, turn.modulus, [factors], [found]):
        raise CheckFailed(f"{multiplier.title}: the golden model is wrong: {a:#x} * {b:#x}")
    pair = multiplier.result_form == "carry-save"
    result = {"data": found[0], "carry": found[1]} if pair else {"data": found}
    return Product(a, b, operand, result, mode)
