"""Chooses moduli and operands: first the edges, then random ones.

An operand is a number or, for carry-save, a pair of vectors whose sum is the number."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Iterator

from modmul.errors import SpecError
from modmul.export.operands import edge_values, runs_of_bits, split
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import MultiplierFacts
from modmul.multipliers.operations import MULTIPLY
from modmul.multipliers.ranges import Moduli
from modmul.multipliers.setting import Setting
from modmul.operation import Mode
from modmul.verification.protocol import Product

_TRIES = 1000


def edge_modes(multiplier: Multiplier) -> list[Mode]:
    """The modes to try: each field at the shortest lengths, the longest ones and one
    between."""
    fields = multiplier.fields_built
    if multiplier.lengths is None:
        return [Mode(field=field) for field in fields]
    low, high = multiplier.lengths
    lengths = sorted({low, min(low + 1, high), (low + high) // 2, max(low, high - 1), high})
    return [Mode(field=field, words=words) for words in lengths for field in fields]


def random_mode(multiplier: Multiplier, rng: random.Random) -> Mode:
    """Draw a mode of any field and length; half of the time it has the longest length."""
    field = rng.choice(multiplier.fields_built)
    if multiplier.lengths is None:
        return Mode(field=field)
    low, high = multiplier.lengths
    return Mode(field=field, words=high if rng.random() < 0.5 else rng.randint(low, high))


def edge_settings(multiplier: Multiplier, own: Setting | None) -> list[Setting]:
    """The spec's own modulus and the edges of every mode of `edge_modes`.  If the number of
    words can be chosen, the own modulus also comes with one word more than it needs, and with all
    words."""
    settings = [] if own is None else [own]
    if own is not None and own.mode.words is not None and multiplier.lengths is not None:
        most = multiplier.lengths[1]
        longer = dict.fromkeys((min(own.mode.words + 1, most), most))
        settings += [multiplier.over(own.modulus, own.field, words) for words in longer]
    for mode in edge_modes(multiplier):
        moduli = edge_moduli(multiplier, mode, own)
        settings += [Setting(multiplier, modulus, mode) for modulus in moduli]
    return list(dict.fromkeys(settings))


def edge_moduli(multiplier: Multiplier, mode: Mode, own: Setting | None = None) -> list[int]:
    """The edge moduli that are allowed in this mode; [0] for kind plain.

    These are the spec's own modulus if it has this mode, the largest and the smallest of this
    length, the smallest of all, the largest that needs one word less, and some with long runs of
    ones and zeros."""
    if multiplier.modulus_at == "none":
        return [0]
    if multiplier.fixed_modulus is not None:
        return [multiplier.fixed_modulus]
    taken = multiplier.taken_in(mode)
    n = taken.bits
    half, top = 1 << (n - 1), 1 << n
    edges = [own.modulus] if own is not None and own.mode == mode else []
    for candidates in (range(top - 1, half, -1), range(half, top), range(3, top)):
        edges += _first(taken, candidates)
    if multiplier.lengths and mode.words and mode.words > multiplier.lengths[0]:
        shorter = multiplier.taken_in(dataclasses.replace(mode, words=mode.words - 1))
        edges += _first(shorter, range((1 << shorter.bits) - 1, 0, -1))
    ones = (1 << n // 2) - 1
    patterns = (top - 1 - (ones << n // 4), half | ones, top - 1 - (1 << n // 2), half + 1 | 2)
    edges += [modulus for modulus in patterns if taken.holds(modulus)]
    return list(dict.fromkeys(edges))


def random_setting(multiplier: Multiplier, mode: Mode, rng: random.Random) -> Setting:
    """Draw a modulus, usually of full length; one in eight is shorter, one in eight has long runs
    of equal bits."""
    return Setting(multiplier, _random_modulus(multiplier, mode, rng), mode)


def _random_modulus(multiplier: Multiplier, mode: Mode, rng: random.Random) -> int:
    if multiplier.modulus_at == "none":
        return 0
    if multiplier.fixed_modulus is not None:
        return multiplier.fixed_modulus
    taken = multiplier.taken_in(mode)
    for _ in range(_TRIES):
        kind, n = rng.randrange(8), taken.bits
        modulus = runs_of_bits(n, rng) if kind == 0 else rng.getrandbits(n)
        if kind == 1:
            modulus >>= rng.randrange(n - 1)
        else:
            modulus |= 1 << (n - 1)
        for candidate in (modulus, modulus | 1):  # even ones if they are allowed
            if taken.holds(candidate):
                return candidate
    raise SpecError(
        "architecture", multiplier.title, None, f"{multiplier.title}: no random modulus is taken"
    )


def edge_products(setting: Setting, rng: random.Random) -> list[Product]:
    """All pairs of edge values, each value with a random partner, and pairs whose product is
    a multiple of the modulus, if that has a small factor."""
    modulus, bound = setting.modulus, setting.operand_bound
    values = edge_values(setting)
    pairs = [(a, b) for a in values for b in values]
    pairs += [(value, rng.randrange(bound)) for value in values]
    pairs += [(rng.randrange(bound), value) for value in values]
    for factor in (3, 5, 7, 11, 13, 17, 19) if bound >= modulus else ():
        if modulus and modulus % factor == 0 and modulus > factor:
            other = modulus // factor
            pairs += [(factor, other), (other, factor), (modulus - factor, modulus - other)]
    return in_form(setting.multiplier, pairs, rng)


def lengthened(setting: Setting, rng: random.Random) -> Setting:
    """The setting with a random number of words in use that is enough for its modulus."""
    lengths, words = setting.multiplier.lengths, setting.mode.words
    if words is None or lengths is None:
        return setting
    more = dataclasses.replace(setting.mode, words=rng.randint(words, lengths[1]))
    return dataclasses.replace(setting, mode=more)


def corners(setting: Setting, rng: random.Random) -> list[Product]:
    """The largest operands of the operand range: each with the largest partner for which the
    result is within its bound, and both together.  Empty if the range ends at the operand bound."""
    a, b, bound = setting.a_below - 1, setting.b_below - 1, setting.operand_bound
    if max(a, b) < bound:
        return []
    pairs = [(a, _partner(setting, a, b)), (_partner(setting, b, a), b), (a, b)]
    return in_form(setting.multiplier, dict.fromkeys(pairs), rng)


def wide_products(setting: Setting, rng: random.Random) -> list[Product]:
    """Products with operands of the operand range that are not below the operand bound.

    These are the ends of the range, the bound, words of ones and a random value; with each other,
    with small partners, and with the largest partner for which the result is within its bound and
    the next larger one."""
    bound, modulus = setting.operand_bound, setting.modulus
    a_top, b_top = setting.a_below - 1, setting.b_below - 1
    if max(a_top, b_top) < bound:
        return []

    def values(top: int) -> list[int]:
        ones = (1 << top.bit_length() - 1) - 1
        edges = [top, top - 1, bound, top - modulus, ones, rng.randrange(top + 1)]
        return [value for value in dict.fromkeys(edges) if 0 <= value <= top]

    pairs = [(a, b) for a in values(a_top) for b in values(b_top)]
    for a in values(a_top):
        most = _partner(setting, a, b_top)
        pairs += [(a, 0), (a, 1), (a, most), (a, min(most + 1, b_top))]
    for b in values(b_top):
        most = _partner(setting, b, a_top)
        pairs += [(0, b), (1, b), (most, b), (min(most + 1, a_top), b)]
    wide = [(a, b) for a, b in dict.fromkeys(pairs) if max(a, b) >= bound]
    return in_form(setting.multiplier, wide, rng)


def widened(setting: Setting, products: list[Product], rng: random.Random) -> list[Product]:
    """Replace every 32nd product by one from the whole operand range; half of its operands are from
    the end of the range."""
    a_below, b_below, near = setting.a_below, setting.b_below, max(2, setting.modulus)
    if max(a_below, b_below) <= setting.operand_bound:
        return products

    def drawn(below: int) -> int:
        return rng.randrange(below - near if rng.random() < 0.5 and below > near else 0, below)

    places = range(rng.randrange(32), len(products), 32)
    pairs = [(drawn(a_below), drawn(b_below)) for _ in places]
    for place, product in zip(places, in_form(setting.multiplier, pairs, rng), strict=True):
        products[place] = product
    return products


def _partner(setting: Setting, value: int, top: int) -> int:
    """The largest partner up to `top` for which the result is within its bound."""
    most = setting.product_at_most
    if most is None or value == 0:
        return top
    if setting.field == "binary":  # the degrees add up
        return min(top, (1 << max(0, most.bit_length() - value.bit_length() + 1)) - 1)
    return min(top, most // value)


def declared(setting: Setting, products: list[Product], rng: random.Random) -> list[str] | None:
    """Choose as which operation each product is declared: about half of them as an operation other
    than a product, if its operands allow that.  None if there is no other operation."""
    others = setting.multiplier.operations[1:]
    if not others:
        return None
    value_of = setting.multiplier.value_of
    chosen = [rng.choice(others) if rng.random() < 0.5 else MULTIPLY for _ in products]
    return [
        operation if setting.takes(value_of(a), value_of(b), operation) else MULTIPLY
        for operation, (a, b) in zip(chosen, products, strict=True)
    ]


def random_products(setting: Setting, count: int, rng: random.Random) -> list[Product]:
    """Draw operands uniformly below the bound; in every 16th product one operand has long runs of
    equal bits."""
    bound = setting.operand_bound
    bits, draw = bound.bit_length() + 8, rng.getrandbits
    values = [draw(bits) % bound for _ in range(2 * count)]
    for index in range(0, len(values), 32):
        values[index + (index >> 5 & 1)] = runs_of_bits(bound.bit_length(), rng) % bound
    return in_form(setting.multiplier, zip(values[::2], values[1::2], strict=True), rng)


def in_form(
    multiplier: MultiplierFacts, pairs: Iterable[tuple[int, int]], rng: random.Random
) -> list[Product]:
    """Pairs of numbers in the form of the operands."""
    if multiplier.operand_form == "binary":
        return list(pairs)
    return [(split(a, rng), split(b, rng)) for a, b in pairs]


def _first(taken: Moduli, candidates: Iterable[int]) -> Iterator[int]:
    """The first candidate that is allowed, unless it comes after `_TRIES` others."""
    for tries, candidate in enumerate(candidates):
        if taken.holds(candidate):
            yield candidate
            return
        if tries == _TRIES:
            return
