"""Keys and moduli that find faults in a processor for RSA."""

from __future__ import annotations

import random
from functools import cache

import gmpy2

from modmul.arithmetic.keys import Key
from modmul.errors import SpecError
from modmul.processors import Load, Processor

_SHORT = 10  # bits of a public exponent that may be longer than the usual one


def edge_loads(processor: Processor) -> list[Load]:
    """Keys whose primes are as long as can be, the larger one first and last; of unequal lengths;
    with a modulus that just fits, and a small one; then bare moduli, for public operations."""
    width, usual = processor.width, usual_exponent(processor)
    lengths = [(width, width // 2), (width, 3), (width - width // 2, width // 2), (3, width // 3)]
    found: list[int] = [*_longest(width, usual)]
    found += [_of(*both, usual) for both in lengths if sum(both) > usual.bit_length() + 2]
    found += [_of(bits, bits, 3) for bits in (width // 2, width)]
    found += [_of(width, width, usual | 1 << _SHORT)]
    found += [(1 << width) - 1, (1 << width - 1) + 1, 3]
    return [Load(one) for one in dict.fromkeys(found) if takes(processor, Load(one))]


def random_load(processor: Processor, rng: random.Random) -> Load:
    """A key with long primes half of the time, one that fits, or a bare modulus."""
    width, usual = processor.width, usual_exponent(processor)
    kind = rng.randrange(4)
    if kind == 3:
        return Load(rng.getrandbits(width) | 3)
    least = (usual.bit_length() + 4) // 2
    bits = [width, width, rng.randrange(least, max(least, width // 2) + 1)][kind]
    return Load(_random(bits, usual, rng))


def alike(processor: Processor, first: Load, count: int, rng: random.Random) -> list[Load]:
    """Such that any operation may meet any of them: bare moduli, or a key again and again, as a
    part of it comes with each operation."""
    if isinstance(first.modulus, Key):
        return [first] * count
    return [first, *(Load(rng.getrandbits(processor.width) | 3) for _ in range(count - 1))]


def takes(processor: Processor, load: Load) -> bool:
    """Whether the processor takes that."""
    try:
        processor.check_modulus(*load)
    except SpecError:
        return False
    return True


def usual_exponent(processor: Processor) -> int:
    """65537, or a shorter one where the processor takes none as long."""
    return 1 << (processor.modes[0].length or 2) - 1 | 1


@cache
def _longest(width: int, e: int) -> tuple[Key, Key]:
    """The two largest primes that fit, in both orders."""
    p = _prime_below(1 << width, e)
    q = _prime_below(p, e)
    return Key(p, q, e), Key(q, p, e)


@cache
def _of(p_bits: int, q_bits: int, e: int) -> Key:
    """The largest primes of these lengths; at least as long as there are two for such an e."""
    p = _prime_below(1 << p_bits, e)
    q = _prime_below(1 << q_bits, e)
    return Key(p, q if q != p else _prime_below(p, e), e)


def _prime_below(bound: int, e: int) -> int:
    """The largest prime below it for which e can be a public exponent; where there is none, the
    smallest one above."""
    down, up = range(bound - 1 - bound % 2, 2, -2), range(bound | 1, bound * bound + 100, 2)
    return next(one for way in (down, up) for one in way
                if gmpy2.gcd(one - 1, e) == 1 and gmpy2.is_prime(one))  # fmt: skip


def _random(bits: int, e: int, rng: random.Random) -> Key:
    """One of two primes of that length."""
    found: list[int] = []
    while len(found) < 2:
        one = _prime_below(rng.getrandbits(bits) | 1 << bits - 1 | 7, e)
        if one not in found:
            found.append(one)
    return Key(found[0], found[1], e)
