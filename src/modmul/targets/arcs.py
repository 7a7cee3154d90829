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
    """A timing path through a cell.

    start, end: a port ("DI") or one bit of it ("CO[3]"); every bit of the start reaches every bit
    of the end.  start None: the path begins at the clock edge; end None: it ends there (setup). ns:
    the delay; 0 if the family has none.  bits: how many bits of a carry chain it runs through.
    verified: the delay was checked in the source that the family names."""

    start: str | None
    end: str | None
    ns: float = 0.0
    bits: int = 0
    verified: bool = True


@dataclass(frozen=True)
class CellArcs:
    """The timing arcs of one type of cell.

    kind: what the cell counts as on a path: "lut" one LUT (distributed RAM too), "mux" one wide
    multiplexer, "carry" a carry chain, which counts as one LUT where a net enters it. near: pins
    that cells of these kinds drive inside a slice, without a net. A pin without an arc, such as a
    clock, ends no path."""

    kind: Kind
    arcs: tuple[Arc, ...]
    near: Mapping[str, tuple[Kind, ...]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class ArcDelays:
    """Where the delays of a family come from.

    source: of the delays of cells.  speed: the speed grade that they hold for.  net_ns: the delay
    assumed for every net outside a slice, whatever its length and fan-out.  net_source: where that
    figure comes from."""

    source: str
    speed: str
    net_ns: float
    net_source: str


# Returns arcs that depend on the parameters of the cell (texts, as in Yosys' JSON).
ByParameters = Callable[[Mapping[str, Any]], CellArcs]


@dataclass(frozen=True)
class FamilyArcs:
    """The arcs of all cells that synthesis leaves.  delays None: the arcs have no delays, so that
    only levels of logic can be counted."""

    cells: Mapping[str, CellArcs | ByParameters] = field(hash=False)
    delays: ArcDelays | None = None

    def of(self, cell: Mapping[str, Any]) -> CellArcs:
        """From Yosys JSON. Raises ValueError if the type of the cell is unknown here."""
        arcs = self.cells.get(cell["type"])
        if arcs is None:
            raise ValueError(f"no paths known through a cell {cell['type']}")
        return arcs if isinstance(arcs, CellArcs) else arcs(cell.get("parameters", {}))


def register(
    output: str, inputs: Mapping[str, float], ns: float, near: tuple[str, ...], guessed: str = ""
) -> CellArcs:
    """The arcs of a flip-flop: `ns` from the clock to `output`, and setup times of inputs.

    near: inputs that the LUT, carry or multiplexer of the same slice drives. guessed: names of
    inputs, separated by spaces, whose setup time was not checked."""
    setups = (
        Arc(pin, None, setup, verified=pin not in guessed.split()) for pin, setup in inputs.items()
    )
    inside: tuple[Kind, ...] = ("lut", "carry", "mux")
    return CellArcs("register", (Arc(None, output, ns), *setups), dict.fromkeys(near, inside))


def number(value: Any) -> int:
    """A parameter of Yosys' JSON, a text of bits or an integer, as an integer."""
    return int(value, 2) if isinstance(value, str) else int(value)
