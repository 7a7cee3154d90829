"""Propagates taint through a netlist until nothing changes: which nodes secret bits reach, and by
which path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modmul.timing_proof.graph import Edge, Known, Node
from modmul.timing_proof.netlist import Bit, FlatNetlist, NetlistCell

Edges = Callable[[NetlistCell, Known], Iterator[Edge]]
Origins = dict[Node, Node | None]  # the node before each node that is reached; None: a secret bit
# Cell types that keep nothing from one cycle to the next; any other type may do so.
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
    """What can be assumed in some of the cycles.  secrets: bits that are secret in these cycles;
    known: bits that have the same value in all of them."""

    secrets: Sequence[Bit]
    known: Known = field(default_factory=dict)


def reached(netlist: FlatNetlist, cases: Sequence[CycleCase], edges: Edges) -> Origins:
    """All nodes that a secret reaches in any cycle.  The cases must cover every cycle.

    A value that a register or memory got in one case is still there in the others.  Therefore all
    cases are searched again until none of them adds a node that keeps a value.  Within one case the
    search takes time proportional to the number of edges."""
    graphs = [_graph(netlist, case.known, edges) for case in cases]
    is_kept = _keeping(netlist)
    origins: Origins = {}
    kept: dict[Node, None] = {}  # a dict, so that the order is the same in every run
    while True:
        before = len(kept)
        for case, graph in zip(cases, graphs, strict=True):
            for node in _search([*case.secrets, *kept], graph, origins):
                if is_kept(node):
                    kept[node] = None
        if len(kept) == before or len(cases) == 1:
            return origins


def reached_in(netlist: FlatNetlist, case: CycleCase, edges: Edges, origins: Origins) -> Origins:
    """All nodes that a secret reaches in the cycles of `case`, whatever was kept from other
    cycles.  origins: the result of `reached` for cases that cover all cycles."""
    reached_here: Origins = {}
    kept = filter(_keeping(netlist), origins)
    _search([*case.secrets, *kept], _graph(netlist, case.known, edges), reached_here)
    return reached_here


def _keeping(netlist: FlatNetlist) -> Callable[[Node], bool]:
    """The test whether a node keeps a value from one cycle to the next."""
    keepers = [cell for cell in netlist.cells if cell.type not in COMBINATIONAL]
    names = {cell.name for cell in keepers}
    states = {bit for cell in keepers for bit in cell.bits("output")}
    return lambda node: node[0] in names if isinstance(node, tuple) else node in states


def _graph(netlist: FlatNetlist, known: Known, edges: Edges) -> dict[Node, list[Node]]:
    """Return, for each node, the nodes that depend on it; constants are left out."""
    successors: dict[Node, list[Node]] = {}
    for cell in netlist.cells:
        for start, end in edges(cell, known):
            if not isinstance(start, str) and start not in known and end not in known:
                successors.setdefault(start, []).append(end)
    return successors


def _search(starts: Iterable[Node], graph: dict[Node, list[Node]], origins: Origins) -> list[Node]:
    """All nodes that `starts` reach, nearest first, and add the new ones to `origins`."""
    queue = [node for node in dict.fromkeys(starts) if not isinstance(node, str)]
    seen = set(queue)
    for node in queue:
        origins.setdefault(node, None)
    for node in queue:  # the loop appends to the queue
        for end in graph.get(node, ()):
            if end not in seen:
                seen.add(end)
                origins.setdefault(end, node)
                queue.append(end)
    return queue


def path_to(end: Node, origins: Origins, names: Mapping[Bit, str]) -> list[str]:
    """The names along the path from a secret to `end`, each name once."""
    places: list[str] = []
    node: Node | None = end
    while node is not None:
        name = names.get(node) if isinstance(node, int) else None
        if name is not None and name not in places:
            places.append(name)
        node = origins[node]
    return places[::-1]
