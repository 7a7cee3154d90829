"""Chooses keys and moduli that reveal errors in a processor for RSA."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import cache

import gmpy2

from modmul.arithmetic.keys import Key
from modmul.processors import Load, Processor

_SHORT = 10  # the bit that is added to the usual public exponent


def edge_loads(processor: Processor) -> list[Load]:
    """Edge keys: with primes as long as can be, the larger one first and last; of unequal
    lengths; with a modulus that just fits, and a small one.  Then come bare moduli, for public
    operations."""
    (count, room), usual = processor.key_primes, usual_exponent(processor)
    full = (room,) * count
    lengths = [
        (room, *(room // 2,) * (count - 1)),
        (room, *range(3, 2 + count)),
        (room - room // 2, room // 2),
        (3, room // 3),
    ]
    moduli: list[int] = [*_longest(full, usual)]
    moduli += [_of(length, usual) for length in lengths if sum(length) > usual.bit_length() + 2]
    moduli += [_of((bits,) * count, 3) for bits in (room // 2, room)]
    if count * (room - 1) > _SHORT:  # e is below n
        moduli += [_of(full, usual | 1 << _SHORT)]
    width = processor.width
    moduli += [(1 << width) - 1, (1 << width - 1) + 1, 3]
    return [Load(modulus) for modulus in dict.fromkeys(moduli) if processor.can_load(Load(modulus))]


def random_load(processor: Processor, rng: random.Random) -> Load:
    """Draw a key with long primes half of the time, else a smaller one or a bare modulus."""
    return _taken(processor, lambda: _any_load(processor, rng))


def _taken(processor: Processor, draw: Callable[[], Load]) -> Load:
    """Draw until the processor takes it: some multipliers take no short modulus."""
    return next(load for load in iter(draw, None) if processor.can_load(load))


def _any_load(processor: Processor, rng: random.Random) -> Load:
    (count, room), usual = processor.key_primes, usual_exponent(processor)
    kind = rng.randrange(4)
    if kind == 3:
        return _bare(processor, rng)
    least = (usual.bit_length() + 4) // 2
    if kind == 2:
        return Load(_random(rng.randrange(least, max(least, room // 2) + 1), 2, usual, rng))
    return Load(_random(room, count, usual, rng))


def alike(processor: Processor, first: Load, count: int, rng: random.Random) -> list[Load]:
    """Loads such that any operation may meet any of them: bare moduli, or one key
    repeatedly, as a part of the key comes with each operation."""
    if isinstance(first.modulus, Key):
        return [first] * count
    others = (_taken(processor, lambda: _bare(processor, rng)) for _ in range(count - 1))
    return [first, *others]


def _bare(processor: Processor, rng: random.Random) -> Load:
    return Load(rng.getrandbits(processor.width) | 3)


def usual_exponent(processor: Processor) -> int:
    """65537, or a shorter exponent if the processor, or its shortest keys, take none as
    long."""
    return 1 << (processor.modes[0].length or 2) - 1 | 1


@cache
def _longest(lengths: tuple[int, ...], e: int) -> tuple[Key, Key]:
    """The key with the largest primes that fit, and the same with its primes in reverse
    order."""
    key = _of(lengths, e)
    first, second, *others = reversed(key.primes)
    return key, Key(first, second, e, *others)


@cache
def _of(lengths: tuple[int, ...], e: int) -> Key:
    return _below([1 << bits for bits in lengths], e)


def _random(bits: int, count: int, e: int, rng: random.Random) -> Key:
    return _below([rng.getrandbits(bits) | 1 << bits - 1 | 7 for _ in range(count)], e)


def _below(bounds: Iterable[int], e: int) -> Key:
    """A key with the largest primes below these bounds, all different.  If there are too few
    such primes for this e, some are longer."""
    primes = list[int]()
    for bound in bounds:
        while (prime := _prime_below(bound, e)) in primes:
            bound = prime if prime < bound else prime + (prime << 2)
        primes.append(prime)
    return Key(primes[0], primes[1], e, *primes[2:])


def _prime_below(bound: int, e: int) -> int:
    """The largest prime below `bound` for which e can be a public exponent; if there is
    none, the smallest one above."""
    down, up = range(bound - 1 - bound % 2, 2, -2), range(bound | 1, bound * bound + 100, 2)
    return next(
        candidate
        for direction in (down, up)
        for candidate in direction
        if gmpy2.gcd(candidate - 1, e) == 1 and gmpy2.is_prime(candidate)
    )
