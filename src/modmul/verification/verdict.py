"""The verdict on a batch: its mismatches, and the cycles that were measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modmul.operation import Mode


@dataclass(frozen=True)
class Mismatch:
    """A result, a time or a handshake that is not as declared.  message: the actual and the
    expected value.  product: its number in the batch, if it belongs to one."""

    message: str
    product: int | None = None


class Matched(NamedTuple):
    """The numbers of products and of their results in a batch, side by side."""

    products: NDArray[np.int64]
    results: NDArray[np.int64]


@dataclass
class Measure:
    """The smallest, the largest, the sum and the number of some cycle counts."""

    smallest: int | None = None
    largest: int | None = None
    total: int = 0
    count: int = 0

    def add(self, cycles: NDArray[np.int64]) -> None:
        if len(cycles):
            low, high, total = int(cycles.min()), int(cycles.max()), int(cycles.sum())
            self.merge(Measure(low, high, total, len(cycles)))

    def merge(self, other: Measure) -> None:
        if other.smallest is None or other.largest is None:
            return
        low, high = other.smallest, other.largest
        self.smallest = low if self.smallest is None else min(self.smallest, low)
        self.largest = high if self.largest is None else max(self.largest, high)
        self.total += other.total
        self.count += other.count


@dataclass
class Verdict:
    """The result of checking one batch.  products: results checked.  golden: those also compared
    with the golden model.  dropped: products that a new modulus ended, as declared.  latency,
    interval: cycles of the products in each mode."""

    products: int = 0
    golden: int = 0
    dropped: int = 0
    cycles: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)
    latency: dict[Mode, Measure] = field(default_factory=dict)
    interval: dict[Mode, Measure] = field(default_factory=dict)
