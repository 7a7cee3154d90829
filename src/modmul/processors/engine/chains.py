"""Addition chains for powers with a public exponent, such as x^(p-2) = 1/x mod p.

A chain starts from x, and each step makes x^(start*2^squares + times).  Two families are searched,
and the shorter one taken:

- windows: x, x^2, then odd powers as far as the windows of the exponent need them;
- runs: powers x^(2^r - 1), by doubling and joining runs of ones along an addition chain for the
  longest one, with the other runs of the exponent (or their pieces) taken from that chain; and
  the last few bits as a window of their own.

Sources: T. Itoh, S. Tsujii, 1988 (runs); Handbook of Applied Cryptography, 14.6 (windows).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

_MOST, _KEPT = 600, 60  # chains that are found for one length, and those of them that are tried


class ChainStep(NamedTuple):
    """A step: result = start * 2^squares + times.  All are exponents of x; times may be 0."""

    result: int
    start: int
    squares: int
    times: int


def of(exponent: int) -> tuple[ChainStep, ...]:
    """The shortest chain found for an exponent from 2 on.  The search is deterministic."""
    return min(_found(exponent), key=lambda chain: (cost(chain), chain))


def cost(chain: Sequence[ChainStep]) -> int:
    return sum(step.squares + bool(step.times) for step in chain)


@lru_cache(maxsize=64)
def _found(exponent: int) -> list[tuple[ChainStep, ...]]:
    chains = [_windows(exponent, size) for size in range(1, 8)]
    chains += list(_runs(exponent))
    for chain in chains:
        check(chain, exponent)
    return chains


def check(chain: Sequence[ChainStep], exponent: int) -> None:
    """Raise AssertionError unless each step is made of earlier ones, and the last is the
    exponent."""
    known = {1}
    for step in chain:
        result = (step.start << step.squares) + step.times
        if step.start not in known or step.times not in known | {0} or result != step.result:
            raise AssertionError(f"{step} does not follow")
        known.add(step.result)
    if chain[-1].result != exponent:
        raise AssertionError(f"chain for {chain[-1].result:#x}, not {exponent:#x}")


# ---- pieces of an exponent --------------------------------------------------------------------


def _joined(exponent: int, known: set[int], build: list[ChainStep]) -> tuple[ChainStep, ...]:
    """The steps in `build`, then those that append the digits of the exponent, from the
    highest on: each time the longest odd piece that is a known power."""
    bits, place, value = f"{exponent:b}", 0, 0
    pieces = sorted((f"{power:b}" for power in known), key=len, reverse=True)
    steps = list(build)
    waiting = 0  # zeros to be appended with the next piece
    while place < len(bits):
        if bits[place] == "0":
            place, waiting = place + 1, waiting + 1
            continue
        text = next(digits for digits in pieces if bits.startswith(digits, place))
        piece = int(text, 2)
        if not value:
            value = piece
        else:
            squares = waiting + len(text)
            result = (value << squares) + piece
            steps.append(ChainStep(result, value, squares, piece))
            value = result
        place, waiting = place + len(text), 0
    if waiting:
        steps.append(ChainStep(value << waiting, value, waiting, 0))
    return tuple(steps)


def _odd(largest: int) -> list[ChainStep]:
    """The steps for x^2 and the odd powers up to `largest`."""
    if largest < 3:
        return []
    steps = [ChainStep(2, 1, 1, 0)]
    return steps + [ChainStep(odd, odd - 2, 0, 2) for odd in range(3, largest + 1, 2)]


def _windows(exponent: int, size: int) -> tuple[ChainStep, ...]:
    full = _joined(exponent, set(range(1, 1 << size, 2)), [])
    used = {step.times for step in full} | {step.start for step in full}
    largest = max((power for power in used if power < 1 << size), default=1)
    return _joined(exponent, set(range(1, largest + 1, 2)), _odd(largest))


# ---- runs of ones -----------------------------------------------------------------------------


def _lengths(exponent: int) -> list[int]:
    return sorted({len(run) for run in f"{exponent:b}".split("0") if run}, reverse=True)


def _runs(exponent: int) -> Iterator[tuple[ChainStep, ...]]:
    """Chains that first build the longest run of ones, or a shorter run or a power of 2 of
    which it is made, each with and without a few small odd powers."""
    lengths = _lengths(exponent)
    if lengths[0] < 6:
        return
    powers = {1 << place for place in range(2, lengths[0].bit_length())}
    for target in sorted({*lengths, *powers} - {1, 2, 3}):
        for star in _stars(target, tuple(length for length in lengths if length < target)):
            build = [
                ChainStep((1 << b) - 1, (1 << a) - 1, b - a, (1 << b - a) - 1)
                for a, b in itertools.pairwise(star)
            ]
            known = {(1 << length) - 1 for length in star}
            yield _joined(exponent, known, build)
            yield from _with_window(exponent, star, build)


_SQUARE = ChainStep(2, 1, 1, 0)
_TO_5 = (ChainStep(3, 1, 0, 2), ChainStep(5, 3, 0, 2))
# x^5 or x^9 on the way to x^31 or x^15: a run of 5 or 4 from powers that a short window needs.
_STARTS = (
    (5, (_SQUARE, ChainStep(9, 1, 3, 1), ChainStep(11, 9, 0, 2), ChainStep(31, 11, 1, 9)), (9, 11)),
    (5, (_SQUARE, *_TO_5, ChainStep(13, 5, 1, 3), ChainStep(31, 13, 1, 5)), (3, 5, 13)),
    (4, (_SQUARE, *_TO_5, ChainStep(15, 5, 1, 5)), (3, 5)),
    (3, (_SQUARE, *_TO_5, ChainStep(7, 5, 0, 2)), (3, 5)),
    (3, (_SQUARE, ChainStep(5, 2, 1, 1), ChainStep(7, 5, 0, 2)), (5,)),
)


def _with_window(
    exponent: int, star: tuple[int, ...], build: list[ChainStep]
) -> Iterator[tuple[ChainStep, ...]]:
    for start, steps, powers in _STARTS:
        if start not in star:
            continue
        later = [step for step in build if step.result >> start]
        needed = {power for step in later for power in (step.start, step.times)}
        have = {(1 << length) - 1 for length in star if length >= start} | {1, 3} & {*powers, 1}
        if needed <= have | {*powers}:
            yield _joined(exponent, have | {*powers}, [*steps, *later])


def _stars(longest: int, others: Sequence[int]) -> list[tuple[int, ...]]:
    """Addition chains 1 = c0 < c1 < ... for `longest` in which each element is the last one
    plus an earlier one, so that all squarings lie on the way to it.  Of the shortest ones and those
    with one step more (2 * _MOST at most), these are the _KEPT that contain most of `others`."""
    least = next(depth for depth in range(1, 2 * longest.bit_length()) if _reach(longest, depth))
    stars: list[tuple[int, ...]] = []
    for depth in range(least, least + 2):
        _extend((1,), longest, depth, stars, _MOST * (depth - least + 1))
    stars.sort(key=lambda chain: (len(chain) - len({*chain} & {*others}), chain))
    return stars[:_KEPT]


def _reach(longest: int, depth: int) -> bool:
    stars: list[tuple[int, ...]] = []
    _extend((1,), longest, depth, stars, 1)
    return bool(stars)


def _extend(
    chain: tuple[int, ...], longest: int, depth: int, stars: list[tuple[int, ...]], most: int
) -> None:
    last = chain[-1]
    if last == longest:
        stars.append(chain)
        return
    if len(stars) >= most or depth == 0 or last << depth < longest:
        return
    for add in reversed(chain):
        if last + add <= longest:
            _extend((*chain, last + add), longest, depth - 1, stars, most)
