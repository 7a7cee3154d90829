"""Makes a failing request as small as possible: fewest items, fewest pauses, smallest values.

A `RequestShape` defines the items, and which of them form a possible request."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from modmul.verification.verdict import Verdict

_MOST_TRIES = 300
_MOST_LATER = 40  # with more items than this, single items are not changed


class Item(Protocol):
    """A modulus, or an operation under the modulus before it.  gap: cycles in front of it."""

    @property
    def gap(self) -> int: ...
    @property
    def loads(self) -> bool:
        """Whether the item is a modulus."""
        ...


AnyRequest = TypeVar("AnyRequest")
Piece = TypeVar("Piece", bound=Item)


class RequestShape(abc.ABC, Generic[AnyRequest, Piece]):
    """Splits requests of one kind into items, and puts them together again."""

    @abc.abstractmethod
    def items(self, request: AnyRequest) -> list[Piece]:
        """The moduli and the operations under them, in order."""

    @abc.abstractmethod
    def with_items(self, request: AnyRequest, items: Sequence[Piece]) -> AnyRequest | None:
        """The request with these items; None if it is impossible or has no operation."""

    @abc.abstractmethod
    def without_gap(self, item: Piece) -> Piece:
        """The item without cycles in front of it."""

    @abc.abstractmethod
    def calmer(self, request: AnyRequest) -> Iterable[Callable[[AnyRequest], AnyRequest]]:
        """Changes that each remove one kind of pause, to be tried one after the other."""

    def smaller(self, item: Piece) -> Iterable[Piece]:
        """The item with smaller values, the smallest first."""
        return ()


class ReductionSearch(Generic[AnyRequest, Piece]):
    """Searches for the smallest failing request.  request, verdict: the smallest one so far.

    attempt: runs a request from the reset and judges it.  Any mismatch counts, not only the first
    one.  most_cycles: the search ends after so many simulated cycles."""

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
        """The smallest failing request found, and its verdict.  A request that does not fail
        when it runs alone is returned unchanged."""
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
        """Drop the items after the first one with a mismatch."""
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
        """Keep the last items only: 1, 2, 4 and so on, under their modulus."""
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
        """Remove halves, quarters and so on of the items, as long as the request still fails."""
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
        """Remove stalls, back-pressure and gaps without which the request still fails."""
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
        """Make the values of each item smaller, as long as the request fails; operands before their
        modulus, which must stay above them."""
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
        """Whether a smaller request fails, too; then it is kept as the smallest one so far."""
        spent = self.most_cycles is not None and self.cycles >= self.most_cycles
        if spent or self.tries >= _MOST_TRIES or request == self.request:
            return False
        self.tries += 1
        verdict = self.attempt(request)
        self.cycles += verdict.cycles
        if verdict.mismatches:
            self.request, self.verdict = request, verdict
        return bool(verdict.mismatches)
