"""The graph that rules build: nodes, edges, hubs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from modmul.timing_proof.netlist import Bit, NetlistCell

Node = Hashable  # a bit, or a hub: (cell, what, place)
Edge = tuple[Node, Node]
Known = Mapping[Bit, int]
Rule = Callable[[NetlistCell, Known], Iterator[Edge]]


def everything(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """Every output depends on every input: clock, enable and reset included.

    Right for whatever a cell does, registers and memories inside too: hard multipliers, gates,
    comparisons, reductions, shifts by a variable amount, and any type without a rule."""
    yield from to_all(cell, "all", cell.bits("input"), cell.bits("output"))


def to_all(
    cell: NetlistCell, name: str, inputs: Iterable[Bit], outputs: Iterable[Node]
) -> Iterator[Edge]:
    """Each output depends on each input; a hub between them keeps the edges few."""
    hub = (cell.name, name, 0)
    yield from ((bit, hub) for bit in inputs)
    yield from ((hub, node) for node in outputs)


def chain(cell: NetlistCell, name: str, inputs: Sequence[Sequence[Bit]]) -> Iterator[Edge]:
    """Hubs (cell, what, i), each of which depends on inputs[i] and on the one before."""
    for place, bits in enumerate(inputs):
        yield from ((bit, (cell.name, name, place)) for bit in bits)
        if place:
            yield (cell.name, name, place - 1), (cell.name, name, place)
