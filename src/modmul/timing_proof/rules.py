"""Dependencies of the outputs of a cell, by its type: cells of Yosys, word by word.

A rule yields edges (from, to) between bits, and *hubs*: inner nodes that stand for "any of these
bits", so that there are about as many edges as pins.  Where a rule is not exact, it yields more
edges than there are dependencies, never fewer.  `known` contains bits whose value is assumed or
follows from assumptions (`constants`): a multiplexer with a known select passes one input only."""

from __future__ import annotations

from collections.abc import Iterator

from modmul.timing_proof import chip_cells
from modmul.timing_proof.graph import Edge, Known, Rule, chain, everything, to_all
from modmul.timing_proof.netlist import Bit, NetlistCell


def edges(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """All dependencies of a cell; if its type is unknown, every output depends on every
    input."""
    rule = RULES.get(cell.type) or chip_cells.RULES.get(cell.type) or everything
    return rule(cell, known)


def bitwise(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """Bit i of the output depends on bit i of each operand; above its width, on the sign bit."""
    for place, out in enumerate(cell.pins["Y"]):
        yield from ((bit, out) for bit in _operands(cell, place))


def upwards(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """Carries go upwards: bit i of a sum, difference or product depends on bits 0 to i of the
    operands.  So the lowest tainted bit taints all bits above it."""
    outputs = cell.pins["Y"]
    yield from chain(cell, "carry", [_operands(cell, place) for place in range(len(outputs))])
    yield from (((cell.name, "carry", place), out) for place, out in enumerate(outputs))


def _operands(cell: NetlistCell, place: int) -> list[Bit]:
    """Bit `place` of each operand; beyond an operand's width its sign bit, or nothing."""
    operands = []
    for port in ("A", "B"):
        bits = cell.pins.get(port, ())
        if place < len(bits):
            operands.append(bits[place])
        elif bits and cell.number(f"{port}_SIGNED"):
            operands.append(bits[-1])
    return operands


def multiplexer(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """$mux: bit i of either input goes to bit i of the output; the select goes to all bits."""
    (select,) = cell.pins["S"]
    chosen = known.get(select)
    for port, when in (("A", 0), ("B", 1)):
        if chosen in (None, when):
            yield from zip(cell.pins[port], cell.pins["Y"], strict=True)
    yield from to_all(cell, "select", [select], cell.pins["Y"])


def one_hot_multiplexer(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """$pmux: the output is A, or the part of B whose select is high; bit i of A and of each part
    goes to bit i of the output, the selects to all bits.  A part whose select is known to be low
    passes nothing."""
    outputs, selects = cell.pins["Y"], cell.pins["S"]
    yield from zip(cell.pins["A"], outputs, strict=True)
    for part, select in enumerate(selects):
        if known.get(select) != 0:
            start = part * len(outputs)
            yield from zip(cell.pins["B"][start : start + len(outputs)], outputs, strict=True)
    yield from to_all(cell, "select", selects, outputs)


def bitwise_multiplexer(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """$bwmux: a multiplexer for each bit, with a select of its own."""
    for port in ("A", "B", "S"):
        yield from zip(cell.pins[port], cell.pins["Y"], strict=True)


def register(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """Flip-flops and latches of words.  Bit i keeps bit i of the data (and of the inputs that set,
    clear or load it, if these have a pin for each bit); clock, enable and resets go to all bits.

    While the enable is known to be off, no data come in.  The node of an output bit also stands for
    the value that the register keeps."""
    outputs = cell.pins["Q"]
    enable = cell.pins.get("EN")
    off = enable is not None and known.get(enable[0]) == 1 - cell.number("EN_POLARITY", 1)
    for port, bits in cell.pins.items():
        if port in ("D", "AD", "SET", "CLR"):
            if not (off and port == "D"):
                yield from zip(bits, outputs, strict=True)
        elif port != "Q":
            yield from to_all(cell, port, bits, outputs)


def memory(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """$mem_v2, column by column: bit i of all words is one node.

    This node depends on bit i of the written data, on its write enable, and on all write addresses.
    Bit i of a read port depends on this node and on address, enable and resets of the port.  So a
    payload bit stays in its column, and a tainted address taints all bits."""
    width, depth = cell.number("WIDTH"), cell.number("ABITS")
    columns = [(cell.name, "column", place) for place in range(width)]
    enables = cell.pins["WR_EN"]
    for place, (bit, enable) in enumerate(zip(cell.pins["WR_DATA"], enables, strict=True)):
        if known.get(enable) != 0:
            yield bit, columns[place % width]
        yield enable, columns[place % width]
    yield from to_all(cell, "write", [*cell.pins["WR_ADDR"], *cell.pins["WR_CLK"]], columns)
    for port in range(cell.number("RD_PORTS")):
        outputs = cell.pins["RD_DATA"][port * width : (port + 1) * width]
        inputs = list(cell.pins["RD_ADDR"][port * depth : (port + 1) * depth])
        for port_name in ("RD_CLK", "RD_EN", "RD_ARST", "RD_SRST"):
            inputs += cell.pins[port_name][port : port + 1]
        yield from zip(columns, outputs, strict=True)
        yield from to_all(cell, f"read {port}", inputs, outputs)


def nothing(cell: NetlistCell, known: Known) -> Iterator[Edge]:
    """No edges: for cells that only inform the reader of the netlist ($scopeinfo)."""
    return iter(())


REGISTERS = tuple(
    f"${kind}"
    for kind in (
        *("ff", "dff", "dffe", "sdff", "sdffe", "sdffce", "adff", "adffe", "aldff", "aldffe"),
        *("dffsr", "dffsre", "dlatch", "adlatch", "dlatchsr", "sr"),
    )
)
RULES: dict[str, Rule] = {
    **dict.fromkeys(("$not", "$pos", "$buf", "$and", "$or", "$xor", "$xnor"), bitwise),
    **dict.fromkeys(("$add", "$sub", "$neg", "$mul"), upwards),
    **dict.fromkeys(REGISTERS, register),
    "$mux": multiplexer,
    "$pmux": one_hot_multiplexer,
    "$bwmux": bitwise_multiplexer,
    "$mem_v2": memory,
    "$scopeinfo": nothing,
    # Memories and multipliers as synthesis without a chip leaves them, under names of its own.
    "$__memory": memory,
    "$__multiplier": upwards,
}
