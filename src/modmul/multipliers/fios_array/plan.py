"""When an element of the array computes what: the slots of a period, in which one product passes.

Positions count clocks from the element's product a_i*b_0 on, and products of the next period that
come earlier (its head) stand at theirs plus the period.

    head        a_i*b_0 enters for v_0 = u_0, then v_0*N' for q; early enough for q*n_0
    chain       a_i*b_0, q*n_0, a_i*b_1, q*n_1, ..., q*n_(s-1), and a product of 0

The products of a pair enter in consecutive clocks, since each adds the sum before; between two
pairs there may be one product of a head, as the sum is kept one clock longer for that."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import NamedTuple

from modmul.arithmetic.words import ceil_div

HEAD, QUOTIENT, HOLD = "head", "quotient", "hold"
STREAMED, HELD, TOP, IDLE = "b", "n", "top", "idle"  # a_i*b_j, q*n_j


class Slot(NamedTuple):
    """A clock of the period.  late: the sum that the product is added to is one clock older."""

    kind: str
    word: int = 0
    late: bool = False


class ArrayTiming(NamedTuple):
    """slots: of the period.  head, quotient: the clocks before a_i*b_0 in which the products of the
    head enter.  offsets: clocks from an element to the next; the last one, from the last to the
    first. rounds: how often a product goes round.  passing: periods of a round, and products on it.
    first_result: the position in the last element's period at which word 0 of the result comes."""

    slots: tuple[Slot, ...]
    head: int
    quotient: int
    offsets: tuple[int, ...]
    rounds: int
    passing: int
    first_result: int

    @property
    def period(self) -> int:
        """Clocks from one product to the next."""
        return len(self.slots)

    def at(self, kind: str, word: int = 0) -> int:
        """The position of a slot."""
        return next(
            at for at, slot in enumerate(self.slots) if slot.kind == kind and slot.word == word
        )

    def last(self, words: int, elements: int) -> int:
        """The element of a product's last step."""
        return (words - 1) % elements

    def start(self, element: int) -> int:
        """The clocks from a_i*b_0 of element 0 to that of `element`."""
        return sum(self.offsets[:element])


@functools.cache
def plan(words: int, elements: int, latency: int) -> ArrayTiming:
    """The shortest period that loses no word.  latency: clocks from a pair to its sum."""
    quotient = latency + 1 + latency % 2  # odd, so that whole pairs fit between the two
    head = 2 * quotient - 1
    for period in range(max(2 * words + 3, 2 * quotient), 4 * words + 20 * latency):
        slots = _slots(words, period, period - head, period - quotient + 1)
        if slots is not None and _fits(
            fitting := _plan(words, elements, latency, slots, (head, quotient - 1))
        ):
            return fitting
    raise ValueError(f"no period for {words} words")


def _slots(words: int, period: int, head: int, quotient: int) -> tuple[Slot, ...] | None:
    """The chain around the head of the next product; None if it is too long."""
    fixed = {head: HEAD, quotient: QUOTIENT}
    slots: list[Slot] = []

    def skip(room: int) -> bool:
        """Go to where that many slots follow each other; whether the sum is old by then."""
        late = False
        while any(at in fixed for at in range(len(slots), len(slots) + room)):
            late = len(slots) in fixed
            slots.append(Slot(fixed.get(len(slots), HOLD)))
        return late

    for word in range(words):
        late = skip(2)
        slots += [Slot(STREAMED, word, late), Slot(HELD, word)]
    late = skip(1)
    slots.append(Slot(TOP, 0, late))
    while len(slots) < period:
        slots.append(Slot(fixed.get(len(slots), IDLE)))
    return tuple(slots) if len(slots) == period else None


def _plan(
    words: int, elements: int, latency: int, slots: tuple[Slot, ...], before: tuple[int, int]
) -> ArrayTiming:
    period, (head, quotient) = len(slots), before
    draft = ArrayTiming(slots, head, quotient, (), ceil_div(words, elements), 0, 0)
    shortest = draft.at(HELD, 1) + 2 + head  # t_0 is in the next element's memory
    passing = max(1, ceil_div(shortest * elements, period))
    offsets = [shortest] * elements
    if draft.rounds > 1:  # a round is a whole number of periods
        offsets = _spread(passing * period, elements, _back(period, words, head))
    # words of a result leave one a clock, the last of them not before it is there
    ready = [draft.at(HELD, j + 1) for j in range(words - 1)] + [draft.at(TOP)]
    first_result = max(at + latency + 2 - j for j, at in enumerate(ready))
    return draft._replace(offsets=tuple(offsets), passing=passing, first_result=first_result)


def _back(period: int, words: int, head: int) -> int:
    """The most clocks from the last element to the first.  Words of B that come round must
    not be written while an operand is, which begins one clock before its head."""
    return period - max(0, words - head - 1)


def _spread(clocks: int, elements: int, most: int) -> list[int]:
    """`clocks` divided among the elements, at most `most` for the last one.  A single
    element is the first, too, and has its words of B already."""
    if elements == 1:
        return [clocks]
    last = min(clocks // elements, most)
    marks = [(clocks - last) * k // (elements - 1) for k in range(elements)]
    return [*(end - begin for begin, end in itertools.pairwise(marks)), last]


def _fits(candidate: ArrayTiming) -> bool:
    """Whether no word is overwritten by that of the next product before it has been read: words
    wait in an element's memories for less than a period."""
    words = sum(slot.kind == HELD for slot in candidate.slots)
    shortest = candidate.at(HELD, 1) + 2 + candidate.head
    apart = shortest <= min(candidate.offsets) and max(candidate.offsets) <= candidate.period
    return apart and all(_read_in_time(candidate, words))


def _read_in_time(candidate: ArrayTiming, words: int) -> Iterator[bool]:
    """Yield, for each word, whether it is read in time.  Words of an operand come one a clock, from
    one clock before the head's product on; those of a result leave one a clock."""
    for word in range(words):
        written = word - candidate.head - 1
        yield written < candidate.at(STREAMED, word) <= written + candidate.period
    ready = [candidate.at(HELD, j + 1) for j in range(words - 1)] + [candidate.at(TOP)]
    for word, at in enumerate(ready):
        # both are behind the same registers, except one
        yield candidate.first_result + word <= at + candidate.period + 1
