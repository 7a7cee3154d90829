"""Taint to a fixed point: which nodes secret bits reach, and by which path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modmul.timing_proof.graph import Edge, Known, Node
from modmul.timing_proof.netlist import Bit, FlatNetlist, NetlistCell

Edges = Callable[[NetlistCell, Known], Iterator[Edge]]
Origins = dict[Node, Node | None]  # of a node that is reached: the one before it; None: a secret
# They keep nothing from one cycle to the next; any other type may.
COMBINATIONAL = frozenset(
    f"${kind}"
    for kind in (
        *("not", "pos", "buf", "and", "or", "xor", "xnor", "neg", "add", "sub", "mul"),
        *("mux", "pmux", "bwmux", "logic_not", "logic_and", "logic_or", "shl", "shr", "sshl"),
        *("sshr", "shift", "shiftx", "lt", "le", "eq", "ne", "eqx", "nex", "ge", "gt"),
        *("reduce_and", "reduce_or", "reduce_xor", "reduce_xnor", "reduce_bool", "lut"),
    )
)


@dataclass(frozen=True)
class CycleCase:
    """What can be assumed in some of the cycles.  secrets: bits that are secret in them; known:
    bits whose value is the same in all of them."""

    secrets: Sequence[Bit]
    known: Known = field(default_factory=dict)


def reached(netlist: FlatNetlist, cases: Sequence[CycleCase], edges: Edges) -> Origins:
    """All that a secret reaches in any cycle.  Every cycle has to be one of the cases.

    What a register or memory has kept from one case is there in every other one; so the cases are
    gone through until none adds to what is kept.  Within a case it is a search along edges, in
    time proportional to their number."""
    graphs = [_graph(netlist, case.known, edges) for case in cases]
    is_kept = _keeping(netlist)
    origins: Origins = {}
    controls: dict[Node, None] = {}  # in the order in which they are found, the same every time
    while True:
        before = len(controls)
        for case, graph in zip(cases, graphs, strict=True):
            for node in _search([*case.secrets, *controls], graph, origins):
                if is_kept(node):
                    controls[node] = None
        if len(controls) == before or len(cases) == 1:
            return origins


def reached_in(netlist: FlatNetlist, case: CycleCase, edges: Edges, origins: Origins) -> Origins:
    """All that a secret reaches in the cycles of `case`, whatever is kept from others: `origins` of
    `reached`, in which all cycles are."""
    reached_here: Origins = {}
    kept = filter(_keeping(netlist), origins)
    _search([*case.secrets, *kept], _graph(netlist, case.known, edges), reached_here)
    return reached_here


def _keeping(netlist: FlatNetlist) -> Callable[[Node], bool]:
    """Whether a node keeps something from one cycle to the next."""
    keepers = [cell for cell in netlist.cells if cell.type not in COMBINATIONAL]
    names = {cell.name for cell in keepers}
    states = {bit for cell in keepers for bit in cell.bits("output")}
    return lambda node: node[0] in names if isinstance(node, tuple) else node in states


def _graph(netlist: FlatNetlist, known: Known, edges: Edges) -> dict[Node, list[Node]]:
    """The nodes that depend on each node, constants left out."""
    successors: dict[Node, list[Node]] = {}
    for cell in netlist.cells:
        for start, end in edges(cell, known):
            if not isinstance(start, str) and start not in known and end not in known:
                successors.setdefault(start, []).append(end)
    return successors


def _search(starts: Iterable[Node], graph: dict[Node, list[Node]], origins: Origins) -> list[Node]:
    """What can be reached from `starts`, nearest first; those new in `origins` are added there."""
    queue = [node for node in dict.fromkeys(starts) if not isinstance(node, str)]
    seen = set(queue)
    for node in queue:
        origins.setdefault(node, None)
    for node in queue:  # which grows
        for end in graph.get(node, ()):
            if end not in seen:
                seen.add(end)
                origins.setdefault(end, node)
                queue.append(end)
    return queue


def path_to(end: Node, origins: Origins, names: Mapping[Bit, str]) -> list[str]:
    """The path from a secret to `end`: the names that there are on the way, each once."""
    places: list[str] = []
    node: Node | None = end
    while node is not None:
        name = names.get(node) if isinstance(node, int) else None
        if name is not None and name not in places:
            places.append(name)
        node = origins[node]
    return places[::-1]
