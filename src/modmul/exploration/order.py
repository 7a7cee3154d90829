"""Finds Pareto fronts of measured points, and of forecasts in order to sort the work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
_LAYERS = 50  # the most successive fronts; later rows are sorted by the product of their figures


def front(items: Iterable[T], figures: Callable[[T], Sequence[float | None]]) -> list[T]:
    """Return the items that no other item dominates, sorted by the first figure.  An item dominates
    another if it is as good in every figure (less is better) and better in one.  An item that lacks
    a figure is never on the front."""
    known = [(item, values) for item in items if None not in (values := figures(item))]
    if not known:
        return []
    table = np.array([values for _, values in known], dtype=float)
    chosen = [known[index] for index in _front(table, np.arange(len(table)))]
    return [item for item, _ in sorted(chosen, key=lambda pair: tuple(map(float, pair[1])))]  # type: ignore[arg-type]


def fronts(
    items: Iterable[T],
    figures: Callable[[T], Sequence[float | None]],
    group: Callable[[T], str],
) -> list[T]:
    """Return the front of each group, one after the other in the order in which groups appear.
    (LUTs of different chip families cannot be compared.)"""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(group(item), []).append(item)
    return [point for members in groups.values() for point in front(members, figures)]


def by_layers(table: Sequence[Sequence[float]]) -> list[int]:
    """Return the places of the rows: the front first, then the front of the rest, and so on; within
    a front, the smallest product of all figures first.  Rows with other values than positive
    numbers come last."""
    values = np.array(table, dtype=float, ndmin=2)
    if not len(table):
        return []
    known = np.flatnonzero(np.isfinite(values).all(axis=1) & (values > 0).all(axis=1))
    product = np.log(values[known]).sum(axis=1) if len(known) else np.array([])
    rank = dict(zip(known.tolist(), product.tolist(), strict=True))
    left, ordered = known, []
    for _ in range(_LAYERS):
        if not len(left):
            break
        layer = _front(values, left)
        ordered += sorted(layer, key=lambda place: (rank[place], place))
        left = np.setdiff1d(left, layer)
    ordered += sorted(left.tolist(), key=lambda place: (rank[place], place))
    rest = set(range(len(values))) - set(ordered)
    return ordered + sorted(rest)


def _front(values: NDArray[Any], rows: NDArray[Any]) -> list[int]:
    """Return the rows that no row dominates.  After sorting by all figures in turn, only an earlier
    row can dominate a later one."""
    order = rows[np.lexsort(values[rows].T[::-1])]
    members: list[int] = []
    best = np.empty((0, values.shape[1]))
    for row in order.tolist():
        value = values[row]
        under = (best <= value).all(axis=1) & (best < value).any(axis=1)
        if not under.any():
            members.append(row)
            best = np.vstack([best, value])
    return members
