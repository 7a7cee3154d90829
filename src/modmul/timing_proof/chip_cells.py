"""Dependencies of the outputs of a chip's cells: carry chains and memories, lane by lane.

LUTs, wide multiplexers, flip-flops, shift registers and hard multipliers need no rule of their own:
for them `graph.everything` (every output depends on every input) is exact, or safely too much.  A
cell with several columns of a memory, or several bits of a sum, needs one: `everything` would mix
the payload in it with the bits `first` and `last` beside it."""

from __future__ import annotations

from collections.abc import Iterator

from modmul.timing_proof.graph import Edge, Known, Rule, chain, to_all
from modmul.timing_proof.netlist import NetlistCell


def xilinx_carry(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """CARRY4, CARRY8: O[i] = S[i] xor carry i; carry i+1 = CO[i] is carry i or DI[i], as S[i] says.
    So bit i depends on bits 0 to i, O[i] not on DI[i]."""
    start = [bit for port in ("CI", "CYINIT", "CI_TOP") for bit in cell.pins.get(port, ())]
    select, data = cell.pins["S"], cell.pins["DI"]
    steps = [start, *([s, d] for s, d in zip(select, data, strict=True))]
    yield from chain(cell, "carry", steps)
    for place, bit in enumerate(select):
        yield bit, cell.pins["O"][place]
        yield (cell.name, "carry", place), cell.pins["O"][place]
        yield (cell.name, "carry", place + 1), cell.pins["CO"][place]


def lattice_carry(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """CCU2C: two bits of a sum, each of four inputs and the carry; S0 depends on the lower one
    only."""
    lower, upper = (
        [bit for pin in "ABCD" for bit in cell.pins.get(f"{pin}{half}", ())] for half in "01"
    )
    yield from chain(cell, "carry", [[*cell.pins.get("CIN", ()), *lower], upper])
    for port, place in (("S0", 0), ("S1", 1), ("COUT", 1)):
        yield from (((cell.name, "carry", place), bit) for bit in cell.pins.get(port, ()))


def xilinx_lanes(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """RAM32M, RAM64M and their wide variants: lanes A, B, ... of one or two columns each.  All
    lanes are written at the address of the last lane; each is read at its own address."""
    lanes = sorted(port[2:] for port in cell.pins if port.startswith("DI"))
    shared = ("WE", "WCLK", f"ADDR{lanes[-1]}", *(p for p in cell.pins if p.startswith("WADR")))
    written = [bit for port in shared for bit in cell.pins.get(port, ())]
    for lane in lanes:
        outputs = cell.pins.get(f"DO{lane}", ())
        yield from zip(cell.pins[f"DI{lane}"], outputs, strict=True)
        yield from to_all(cell, lane, [*cell.pins[f"ADDR{lane}"], *written], outputs)


def lattice_lanes(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """TRELLIS_DPR16X4: four columns that share one write address and one read address."""
    shared = [bit for port, bits in cell.pins.items() if port not in ("DI", "DO") for bit in bits]
    yield from zip(cell.pins["DI"], cell.pins["DO"], strict=True)
    yield from to_all(cell, "shared", shared, cell.pins["DO"])


RULES: dict[str, Rule] = {
    **dict.fromkeys(("CARRY4", "CARRY8"), xilinx_carry),
    "CCU2C": lattice_carry,
    **dict.fromkeys(("RAM32M", "RAM64M", "RAM32M16", "RAM64M8"), xilinx_lanes),
    "TRELLIS_DPR16X4": lattice_lanes,
}
