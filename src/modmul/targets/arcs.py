"""How paths run through the cells of a mapped netlist: their timing arcs.

For chips that nothing here can route: with them `implementation/levels.py` counts LUTs in series
and estimates a delay.  Delays of cells are quoted from a source; that of a net is an assumption.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Kind = Literal["lut", "carry", "mux", "register", "ram", "dsp"]


class Arc(NamedTuple):
    """A way through a cell.

    start, end: a port ("DI") or one bit of it ("CO[3]"); every bit of the one reaches every bit of
    the other.  start None: it begins with the clock's edge; end None: it ends there (setup).
    ns: the delay; 0 where a family has none.  bits: of a carry chain that it runs through.
    verified: the delay was checked in the source that the family names."""

    start: str | None
    end: str | None
    ns: float = 0.0
    bits: int = 0
    verified: bool = True


@dataclass(frozen=True)
class CellArcs:
    """One type of cell.

    kind: what it counts as on a path: "lut" one LUT (distributed RAM too), "mux" one wide
    multiplexer, "carry" a carry chain, which counts as one LUT where a net enters it.
    near: pins that cells of these kinds feed inside a slice, without a net.
    Pins without an arc end no path: clocks."""

    kind: Kind
    arcs: tuple[Arc, ...]
    near: Mapping[str, tuple[Kind, ...]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class ArcDelays:
    """What the delays of a family are.

    source: of those of the cells; speed: the speed grade that they hold for.
    net_ns: assumed for every net outside a slice, whatever its length and fan-out; net_source: why
    that much."""

    source: str
    speed: str
    net_ns: float
    net_source: str


# From the parameters of a cell (texts, as in Yosys' JSON), where its arcs depend on them.
ByParameters = Callable[[Mapping[str, Any]], CellArcs]


@dataclass(frozen=True)
class FamilyArcs:
    """The arcs of all cells that synthesis leaves.  delays None: they have none, only levels can be
    counted."""

    cells: Mapping[str, CellArcs | ByParameters] = field(hash=False)
    delays: ArcDelays | None = None

    def of(self, cell: Mapping[str, Any]) -> CellArcs:
        """The arcs of one cell (Yosys JSON); ValueError for a type that the table does not know."""
        arcs = self.cells.get(cell["type"])
        if arcs is None:
            raise ValueError(f"no paths known through a cell {cell['type']}")
        return arcs if isinstance(arcs, CellArcs) else arcs(cell.get("parameters", {}))


def register(
    output: str, inputs: Mapping[str, float], ns: float, near: tuple[str, ...], guessed: str = ""
) -> CellArcs:
    """A flip-flop: ns from the clock to `output`, setup times of the inputs.

    near: inputs that the LUT, carry or multiplexer of the same slice feeds.
    guessed: inputs, in one text, whose setup time was not checked."""
    setups = (
        Arc(pin, None, setup, verified=pin not in guessed.split()) for pin, setup in inputs.items()
    )
    inside: tuple[Kind, ...] = ("lut", "carry", "mux")
    return CellArcs("register", (Arc(None, output, ns), *setups), dict.fromkeys(near, inside))


def number(value: Any) -> int:
    """A parameter of Yosys' JSON (a text of bits) as a number."""
    return int(value, 2) if isinstance(value, str) else int(value)
