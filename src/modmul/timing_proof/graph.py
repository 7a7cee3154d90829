"""The graph that rules build: nodes, edges and hubs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from modmul.timing_proof.netlist import Bit, NetlistCell

Node = Hashable  # a bit, or a hub: (cell, what, place)
Edge = tuple[Node, Node]
Known = Mapping[Bit, int]
Rule = Callable[[NetlistCell, Known], Iterator[Edge]]


def everything(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """An edge from every input, clock, enable and resets included, to every output.

    This is right for any cell, even with registers and memories inside: hard multipliers, gates,
    comparisons, reductions, shifts by a variable amount, and types without a rule."""
    yield from to_all(cell, "all", cell.bits("input"), cell.bits("output"))


def to_all(
    cell: NetlistCell, name: str, inputs: Iterable[Bit], outputs: Iterable[Node]
) -> Iterator[Edge]:
    """Edges from each input to each output, through a hub, which keeps their number small."""
    hub = (cell.name, name, 0)
    yield from ((bit, hub) for bit in inputs)
    yield from ((hub, node) for node in outputs)


def chain(cell: NetlistCell, name: str, inputs: Sequence[Sequence[Bit]]) -> Iterator[Edge]:
    """The edges of hubs (cell, name, i), which depend on inputs[i] and on the hub before."""
    for place, bits in enumerate(inputs):
        yield from ((bit, (cell.name, name, place)) for bit in bits)
        if place:
            yield (cell.name, name, place - 1), (cell.name, name, place)
