"""A failing batch made as small as it goes: fewest moduli and products, fewest pauses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from modmul.multipliers.setting import Setting
from modmul.verification.protocol import Product, Request, Run
from modmul.verification.verdict import Verdict

Try = Callable[[Request], Verdict]
_MOST_TRIES = 300


@dataclass(frozen=True)
class _Item:
    """A modulus, or a product, with the gap in front of it."""

    gap: int
    setting: Setting | None = None
    product: Product | None = None
    square: bool = False


def reduce(request: Request, verdict: Verdict, attempt: Try) -> tuple[Request, Verdict]:
    """The smallest failing batch found, and its verdict.

    attempt: runs a batch from the reset and judges it.  Any fault will do, not only the first.
    A batch that does not fail when it runs alone comes back as it is."""
    search = _Search(request, verdict, attempt)
    again = attempt(request)
    if not again.faults:
        return request, verdict
    search.verdict = again
    search.cut_behind()
    search.cut_in_front()
    search.remove_pieces()
    search.remove_pauses()
    search.remove_pieces()
    return search.request, search.verdict


class _Search:
    def __init__(self, request: Request, verdict: Verdict, attempt: Try):
        self.request, self.verdict, self.attempt = request, verdict, attempt
        self.tries = 0

    def cut_behind(self) -> None:
        """Drop what comes after the first product with a fault."""
        numbers = [fault.product for fault in self.verdict.faults if fault.product is not None]
        if not numbers:
            return
        items, seen = _items(self.request.runs), -1
        for place, item in enumerate(items):
            seen += item.product is not None
            if seen == min(numbers):
                self._keep(items[: place + 1])
                return

    def cut_in_front(self) -> None:
        """Keep the last products only: 1, 2, 4 and so on, under the modulus they had."""
        items = _items(self.request.runs)
        length = 1
        while length < len(items):
            tail = items[-length:]
            if tail[0].setting is None:
                before = [item for item in items[:-length] if item.setting is not None]
                tail = [before[-1], *tail]
            if self._keep(tail):
                return
            length *= 2

    def remove_pieces(self) -> None:
        """Remove halves, quarters and so on of what is left, while it still fails."""
        pieces = 2
        items = _items(self.request.runs)
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
            items = _items(self.request.runs)

    def remove_pauses(self) -> None:
        """No stalls, no back-pressure, no gaps, where it fails without them."""
        for change in ({"beat_stall": 0}, {"back_pressure": 0}, {"probe": False}):
            self._keep_request(replace(self.request, drive=replace(self.request.drive, **change)))
        items = _items(self.request.runs)
        if self._keep([replace(item, gap=0) for item in items]):
            return
        for place, item in enumerate(items):
            if item.gap and len(items) <= 40:
                changed = [*items[:place], replace(item, gap=0), *items[place + 1 :]]
                if self._keep(changed):
                    items = changed

    def _keep(self, items: list[_Item]) -> bool:
        runs = _runs(items)
        return _legal(self.request, runs) and self._keep_request(replace(self.request, runs=runs))

    def _keep_request(self, request: Request) -> bool:
        """Whether it fails, too; then it is the best so far."""
        if self.tries >= _MOST_TRIES or request == self.request:
            return False
        self.tries += 1
        verdict = self.attempt(request)
        if verdict.faults:
            self.request, self.verdict = request, verdict
        return bool(verdict.faults)


def _items(runs: object) -> list[_Item]:
    items: list[_Item] = []
    for run in runs:  # type: ignore[attr-defined]
        items.append(_Item(run.gap, setting=run.setting))
        gaps = run.gaps or [0] * len(run.products)
        squares = run.squares or [False] * len(run.products)
        items += [
            _Item(gap, product=product, square=square)
            for gap, product, square in zip(gaps, run.products, squares, strict=True)
        ]
    return items


def _runs(items: list[_Item]) -> list[Run]:
    runs: list[Run] = []
    for item in items:
        if item.setting is not None:
            runs.append(Run(item.setting, [], [], item.gap, []))
        elif runs and item.product is not None:
            assert runs[-1].gaps is not None and runs[-1].squares is not None
            runs[-1].products.append(item.product)
            runs[-1].gaps.append(item.gap)
            runs[-1].squares.append(item.square)
    return runs


def _legal(request: Request, runs: list[Run]) -> bool:
    """Whether every operand is taken under the modulus that it now has."""
    value_of = request.multiplier.value_of
    every = [run.setting for run in runs]
    return any(run.products for run in runs) and all(
        setting.takes(value_of(a), value_of(a if square else b))
        for run in runs
        for (a, b), square in zip(run.products, run.squares or (), strict=True)
        for setting in (every if request.drive.concurrent else [run.setting])
    )
