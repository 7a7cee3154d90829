"""Makes a failing batch of products as small as possible: fewest moduli and products, fewest
pauses."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from modmul.multipliers.operations import MULTIPLY
from modmul.multipliers.setting import Setting
from modmul.verification.protocol import CoreRequest, ModulusRun, Product
from modmul.verification.shrink import ReductionSearch, RequestShape
from modmul.verification.verdict import Verdict

Try = Callable[[CoreRequest], Verdict]


@dataclass(frozen=True)
class _Item:
    """A modulus or a product, with the gap in front of it."""

    gap: int
    setting: Setting | None = None
    product: Product | None = None
    operation: str = MULTIPLY

    @property
    def loads(self) -> bool:
        return self.setting is not None


def reduce(request: CoreRequest, verdict: Verdict, attempt: Try) -> tuple[CoreRequest, Verdict]:
    """The smallest failing batch found, and its verdict.

    attempt: runs a batch from the reset and judges it.  Any mismatch counts, not only the first
    one.  A batch that does not fail when it runs alone is returned unchanged."""
    return ReductionSearch(_Batches(), request, verdict, attempt).run()


class _Batches(RequestShape[CoreRequest, _Item]):
    def items(self, request: CoreRequest) -> list[_Item]:
        return _items(request.runs)

    def with_items(self, request: CoreRequest, items: Sequence[_Item]) -> CoreRequest | None:
        runs = _runs(items)
        return replace(request, runs=runs) if _legal(request, runs) else None

    def without_gap(self, item: _Item) -> _Item:
        return replace(item, gap=0)

    def calmer(self, request: CoreRequest) -> Iterable[Callable[[CoreRequest], CoreRequest]]:
        for name, off in (("beat_stall", 0), ("back_pressure", 0), ("probe", False)):
            yield functools.partial(_driven, name, off)


def _driven(name: str, off: Any, request: CoreRequest) -> CoreRequest:
    """The request with one kind of pause turned off."""
    return replace(request, drive=replace(request.drive, **{name: off}))


def _items(runs: object) -> list[_Item]:
    items: list[_Item] = []
    for run in runs:  # type: ignore[attr-defined]
        items.append(_Item(run.gap, setting=run.setting))
        gaps = run.gaps or [0] * len(run.products)
        items += [
            _Item(gap, product=product, operation=operation)
            for gap, product, operation in zip(gaps, run.products, run.asked, strict=True)
        ]
    return items


def _runs(items: Sequence[_Item]) -> list[ModulusRun]:
    runs: list[ModulusRun] = []
    for item in items:
        if item.setting is not None:
            runs.append(ModulusRun(item.setting, [], [], item.gap, []))
        elif runs and item.product is not None:
            assert runs[-1].gaps is not None and runs[-1].operations is not None
            runs[-1].products.append(item.product)
            runs[-1].gaps.append(item.gap)
            runs[-1].operations.append(item.operation)
    return runs


def _legal(request: CoreRequest, runs: list[ModulusRun]) -> bool:
    """Whether all operands are allowed under the moduli that they now have."""
    value_of = request.multiplier.value_of
    every = [run.setting for run in runs]
    return any(run.products for run in runs) and all(
        setting.takes(value_of(a), value_of(b), operation)
        for run in runs
        for (a, b), operation in zip(run.products, run.asked, strict=True)
        for setting in (every if request.drive.concurrent else [run.setting])
    )
