"""What the emitted testbench does: moduli, products with results, and when each is offered.

Where field, length or operation can be chosen at run time, every field at the longest length, the
shortest and one between, with squares and multiplications mixed; each modulus brings its choice."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass
from typing import Any, NamedTuple

from modmul.errors import CheckFailed, SpecError
from modmul.multipliers.contract import Mode, Multiplier
from modmul.multipliers.oracle import contradicted
from modmul.spec import Spec

_CYCLES = 100_000  # of simulation, about: a second in a compiled simulator, a minute in others
_MOST, _LEAST = 256, 12  # products
_DIGITS = 400_000  # bits of operands in the text of the testbench
SHOWN = 3  # products at the start of the plan, for the timing diagram
_MODULI = 4  # random ones, where the spec names none and there are products enough
_FEW, _ENOUGH = 6, 12  # products of each modulus where there are several modes; if slow, half _FEW
_TRACED = 50_000  # cycles of the first products, which are printed one by one


class Turn(NamedTuple):
    """A modulus, what is chosen with it, and how many products it is for."""

    modulus: int
    mode: Mode
    products: int


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
    """moduli: in the order they are loaded, loads: their beats.  products: in order.
    items: both, interleaved."""

    moduli: list[int]
    loads: list[list[int]]
    products: list[Product]
    items: list[Item]


def plan(spec: Spec) -> Plan:
    """Edges first, then random products; the same for the same spec.

    A modulus named in the spec is loaded twice, at the beginning and at the end; where there is
    none, or a choice of field and length, the largest and the smallest of a length and random
    ones."""
    multiplier = spec.multiplier
    canonical = json.dumps(spec.options(), sort_keys=True)
    chance = random.Random(hashlib.sha256(canonical.encode()).digest())
    turns = _turns(spec, chance)
    at_run_time = multiplier.modulus_at == "run time"
    products: list[Product] = []
    items: list[Item] = []
    for number, turn in enumerate(turns):
        chosen = multiplier.at(turn.mode)
        pairs = _pairs(chosen, turn.modulus, turn.products, chance, number)
        products += [product_of(chosen, turn, a, b, chance) for a, b in pairs]
        if at_run_time:
            # Behind the adapter every other modulus comes on the heels of the products before.
            items.append(Item(load=True, drain=spec.interface == "core" or number % 2 == 0))
        shown = SHOWN if number == 0 else 0
        items += [Item()] * shown
        items += _timing(multiplier, len(pairs) - shown, chance, drain=number == 0)
    moduli = [turn.modulus for turn in turns]
    loads = [load_beats(multiplier, turn) for turn in turns] if at_run_time else []
    return Plan(moduli, loads, products, items)


def load_beats(multiplier: Multiplier, turn: Turn) -> list[int]:
    return [beat.value for beat in multiplier.at(turn.mode).constants(turn.modulus)]


def _turns(spec: Spec, chance: random.Random) -> list[Turn]:
    """The moduli, each with its mode and its share of the products."""
    multiplier = spec.multiplier
    if len(multiplier.modes) > 1:
        return _turns_of_modes(spec, chance)
    count = min(_CYCLES // multiplier.worst("latency"), _DIGITS // multiplier.width, _MOST)
    moduli = _moduli(spec, chance, count)
    each = max(count, _LEAST) // len(moduli)
    return [Turn(modulus, multiplier.modes[0], each) for modulus in moduli]


def _turns_of_modes(spec: Spec, chance: random.Random) -> list[Turn]:
    """As `_turns`, for every field and some lengths.  Of a long length come few products, and not
    first: those that come first are printed cycle by cycle."""
    multiplier = spec.multiplier
    found = [(n, mode) for mode in _modes(multiplier) for n in _of_mode(spec, mode, chance)]
    if spec.modulus is not None:
        own = spec.modulus.value, multiplier.mode_for(spec.modulus.value, spec.modulus.field)
        found = [own, *found, own]
    turns = []
    for modulus, mode in found:
        affordable = _CYCLES // len(found) // multiplier.latency(mode).maximum
        least = _FEW // 2 if _slow(multiplier, mode) else _FEW
        turns.append(Turn(modulus, mode, max(least, min(_ENOUGH, affordable))))
    return sorted(turns, key=lambda one: SHOWN * multiplier.latency(one.mode).maximum > _TRACED)


def _modes(multiplier: Multiplier) -> list[Mode]:
    """Every field at the longest length, the shortest and one between, without the operation."""
    lengths: list[int | None] = [None]
    if multiplier.lengths is not None:
        low, high = multiplier.lengths
        lengths = [high, (low + high) // 2, low]
    fields = multiplier.fields_built
    return [Mode(field=field, words=words) for words in dict.fromkeys(lengths) for field in fields]


def _slow(multiplier: Multiplier, mode: Mode) -> bool:
    return multiplier.latency(mode).maximum > _CYCLES


def _of_mode(spec: Spec, mode: Mode, chance: random.Random) -> list[int]:
    """The largest modulus of a length and, unless products are slow, a random one."""
    multiplier = spec.multiplier.at(mode)
    if multiplier.modulus_at != "run time":
        return _moduli(spec, chance, 0)[:1]
    if multiplier.modulus_bits < 2:
        return []
    top = 1 << multiplier.modulus_bits
    found = [top - 1, chance.randrange(top >> 1, top) | 1][: 1 if _slow(multiplier, mode) else 2]
    return [modulus for modulus in dict.fromkeys(found) if _takes(multiplier, modulus)]


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
        # The number is the sum of its two vectors: the even bits in one, the odd ones in the other.
        stripes = sum(1 << i for i in range(0, bits, 2))
        operand = {"a": a & stripes, "b": b & stripes, "a_carry": a & ~stripes}
        operand["b_carry"] = b & ~stripes
        factors = tuple((operand[x], operand[f"{x}_carry"]) for x in "ab")
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
