"""Sorts the edges of a circuit in the order in which signals settle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from modmul.errors import ToolFailed
from modmul.implementation.lookup import Ints, Ranges


class CombinationalLoop(ToolFailed):
    """A loop without a register.  nodes: the nodes on the loop, in order."""

    def __init__(self, nodes: list[int]):
        super().__init__("the netlist has a loop without a register")
        self.nodes = nodes


def groups(source: Ints, target: Ints, size: int) -> Iterator[Ints]:
    """The edges source -> target in groups: an edge begins at a node whose edges are all in
    earlier groups, and all edges into a node are in one group.

    Nodes are numbered below `size`.  Raises CombinationalLoop if there is no such order.  The time
    is linear in the number of edges."""
    level, waiting = np.zeros(size, np.int64), np.bincount(target, minlength=size)
    out = Ranges(source, size)
    ready = np.flatnonzero(waiting == 0)
    done = depth = 0
    while len(ready):
        done += len(ready)
        depth += 1
        reached = target[out.of(ready)]
        np.subtract.at(waiting, reached, 1)
        reached = np.unique(reached)
        ready = reached[waiting[reached] == 0]
        level[ready] = depth
    if done < size:
        raise CombinationalLoop(_loop(source, target, waiting > 0))
    order = np.argsort(level[target], kind="stable")
    bounds = np.searchsorted(level[target][order], np.arange(1, depth + 1))
    for low, high in zip(bounds, [*bounds[1:], len(order)], strict=True):
        if high > low:
            yield order[low:high]


def _loop(source: Ints, target: Ints, stuck: NDArray[np.bool_]) -> list[int]:
    """A loop among the nodes that never settle: each of them has another one before it."""
    inside = np.flatnonzero(stuck[source] & stuck[target])
    before = dict(zip(target[inside].tolist(), source[inside].tolist(), strict=True))
    node, seen = next(iter(before)), dict[int, int]()
    while node not in seen:
        seen[node] = len(seen)
        node = before[node]
    nodes = list(seen)[seen[node] :]
    return nodes[::-1]
