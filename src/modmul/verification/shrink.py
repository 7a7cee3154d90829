"""Makes a failing request as small as possible: fewest items, fewest pauses, smallest values.

A `RequestShape` says what the items are, and which of them make a possible request."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from modmul.verification.verdict import Verdict

_MOST_TRIES = 300
_MOST_LATER = 40  # items up to which each is looked at alone


class Item(Protocol):
    """A modulus, or something asked for under the one before it.  gap: cycles in front of it."""

    @property
    def gap(self) -> int: ...
    @property
    def loads(self) -> bool:
        """Whether the item is a modulus."""
        ...


AnyRequest = TypeVar("AnyRequest")
Piece = TypeVar("Piece", bound=Item)


class RequestShape(abc.ABC, Generic[AnyRequest, Piece]):
    """How requests of one kind are taken apart and put together."""

    @abc.abstractmethod
    def items(self, request: AnyRequest) -> list[Piece]:
        """Moduli and what is asked under them, in order."""

    @abc.abstractmethod
    def with_items(self, request: AnyRequest, items: Sequence[Piece]) -> AnyRequest | None:
        """The request with these items; None if it could not be asked, or asks nothing."""

    @abc.abstractmethod
    def without_gap(self, item: Piece) -> Piece:
        """The item without cycles in front of it."""

    @abc.abstractmethod
    def calmer(self, request: AnyRequest) -> Iterable[Callable[[AnyRequest], AnyRequest]]:
        """Changes that take one kind of pause each away, to be tried one after the other."""

    def smaller(self, item: Piece) -> Iterable[Piece]:
        """The item with smaller values, the smallest first."""
        return ()


class ReductionSearch(Generic[AnyRequest, Piece]):
    """request, verdict: the smallest failing one so far.

    attempt: runs a request from the reset and judges it.  Any mismatch will do, not only the first.
    most_cycles: simulated in all, after which it is small enough."""

    def __init__(
        self,
        shape: RequestShape[AnyRequest, Piece],
        request: AnyRequest,
        verdict: Verdict,
        attempt: Callable[[AnyRequest], Verdict],
        most_cycles: int | None = None,
    ):
        self.shape, self.request, self.verdict, self.attempt = shape, request, verdict, attempt
        self.tries, self.cycles, self.most_cycles = 0, 0, most_cycles

    def run(self) -> tuple[AnyRequest, Verdict]:
        """The smallest failing request found, and its verdict.  One that does not fail when it runs
        alone comes back as it is."""
        again = self.attempt(self.request)
        if not again.mismatches:
            return self.request, self.verdict
        self.verdict = again
        self.cut_behind()
        self.cut_in_front()
        self.remove_pieces()
        self.remove_pauses()
        self.make_smaller()
        self.remove_pieces()
        return self.request, self.verdict

    def cut_behind(self) -> None:
        """Drop what comes after the first item with a mismatch."""
        products = (mismatch.product for mismatch in self.verdict.mismatches)
        numbers = [product for product in products if product is not None]
        if not numbers:
            return
        items, seen = self.shape.items(self.request), -1
        for place, item in enumerate(items):
            seen += not item.loads
            if seen == min(numbers):
                self._keep(items[: place + 1])
                return

    def cut_in_front(self) -> None:
        """Keep the last items only: 1, 2, 4 and so on, under the modulus they had."""
        items = self.shape.items(self.request)
        length = 1
        while length < len(items):
            tail = items[-length:]
            if not tail[0].loads:
                before = [item for item in items[:-length] if item.loads]
                tail = [before[-1], *tail]
            if self._keep(tail):
                return
            length *= 2

    def remove_pieces(self) -> None:
        """Remove halves, quarters and so on of what is left, while it still fails."""
        pieces = 2
        items = self.shape.items(self.request)
        while len(items) > 1:
            size = -(-len(items) // pieces)
            for start in range(0, len(items), size):
                if self._keep(items[:start] + items[start + size :]):
                    pieces = max(2, pieces - 1)
                    break
            else:
                if size == 1:
                    return
                pieces = min(len(items), 2 * pieces)
            items = self.shape.items(self.request)

    def remove_pauses(self) -> None:
        """Removes stalls, back-pressure and gaps where the request fails without them, too."""
        for change in self.shape.calmer(self.request):
            self._keep_request(change(self.request))
        items = self.shape.items(self.request)
        if self._keep([self.shape.without_gap(item) for item in items]):
            return
        for place, item in enumerate(items):
            if item.gap and len(items) <= _MOST_LATER:
                changed = [*items[:place], self.shape.without_gap(item), *items[place + 1 :]]
                if self._keep(changed):
                    items = changed

    def make_smaller(self) -> None:
        """Smaller values of each item, as long as it fails with them; those under a modulus before
        the modulus, which they must fit."""
        items = self.shape.items(self.request)
        for place in reversed(range(len(items)) if len(items) <= _MOST_LATER else ()):
            while any(
                self._keep([*items[:place], smaller, *items[place + 1 :]])
                for smaller in self.shape.smaller(items[place])
            ):
                items = self.shape.items(self.request)

    def _keep(self, items: Sequence[Piece]) -> bool:
        smaller = self.shape.with_items(self.request, items)
        return smaller is not None and self._keep_request(smaller)

    def _keep_request(self, request: AnyRequest) -> bool:
        """Whether a smaller request fails, too; then it is the best so far."""
        spent = self.most_cycles is not None and self.cycles >= self.most_cycles
        if spent or self.tries >= _MOST_TRIES or request == self.request:
            return False
        self.tries += 1
        verdict = self.attempt(request)
        self.cycles += verdict.cycles
        if verdict.mismatches:
            self.request, self.verdict = request, verdict
        return bool(verdict.mismatches)
