"""Makes widths of operations and operands explicit, so that Verilog's rules about widths are never
needed.

In RTLIL an operation extends its operands, or takes part of them, as its widths say.  Here that is
written out: no operand is narrower or wider than the operation."""

from __future__ import annotations

from collections.abc import Iterable

from modmul.export.verilog.netlist import NET, Net, Netlist, reads
from modmul.export.verilog.rtlil import Chunk, Signal, joined, part, width

COMPARISONS = ("$eq", "$ne", "$lt", "$le", "$gt", "$ge")
# Operations of which the low bits of the result depend on the low bits of the operands alone.
_SUMS = ("$add", "$sub", "$mul")
_ADDED = ("$add", "$sub")
_FROM_BELOW = (*_SUMS, "$and", "$or", "$xor", "$xnor", "$not", "$neg", "$mux")


def narrow(netlist: Netlist) -> None:
    """Operations get no wider than what is read of them, where that is all they depend on."""
    needed = dict.fromkeys(netlist.nets, 0)

    def count(signals: Iterable[Signal]) -> None:
        for signal in signals:
            for chunk in signal:
                if chunk.wire in needed:
                    needed[chunk.wire] = max(needed[chunk.wire], chunk.low + chunk.width)

    count(right for _, right in netlist.assigned)
    count(cell.pins[pin] for cell in netlist.cells for pin in reads(cell))
    for wire in reversed(list(netlist.nets)):
        net = netlist.nets[wire]
        if net.cell.kind in _FROM_BELOW and needed[wire] < net.width:
            net.width = needed[wire]
            for pin in ("A", "B"):
                if pin in net.cell.pins:
                    net.cell.pins[pin] = part(net.cell.pins[pin], 0, net.width)
        count(net.cell.pins.values())


def widen(netlist: Netlist) -> None:
    """Operands get as wide as the result, of a comparison as each other.

    A sum or difference that is one bit wider than its operands stays so, and so does a product:
    they are written as they are, where the width of what is assigned counts (`in_context`)."""
    for net in netlist.nets.values():
        bits = _wanted(net)
        signed = bool(net.cell.parameters.get("A_SIGNED") and net.cell.number("A_SIGNED"))
        for pin in ("A", "B"):
            if pin in net.cell.pins and bits:
                net.cell.pins[pin] = extended(net.cell.pins[pin], bits, signed)


def _wanted(net: Net) -> int:
    """Bits of each operand; 0: as they are."""
    kind, pins = net.cell.kind, net.cell.pins
    if in_context(net) and kind == "$mul":
        return 0
    if kind in COMPARISONS or in_context(net):
        return max(width(pins["A"]), width(pins["B"]))
    return net.width if kind in _FROM_BELOW else 0


def in_context(net: Net) -> bool:
    """Whether the operation is right only where it is assigned to something of its width."""
    kind, pins = net.cell.kind, net.cell.pins
    if kind not in _SUMS or net.cell.number("A_SIGNED"):
        return False
    if kind == "$mul":
        return max(width(pins["A"]), width(pins["B"])) < net.width
    if any(len(pins[pin]) == 1 and str(pins[pin][0].wire).startswith(NET) for pin in ("A", "B")):
        return False  # whose operands may be expressions, for which that width counts as well
    return net.width == max(width(pins["A"]), width(pins["B"])) + 1


def extended(signal: Signal, bits: int, signed: bool) -> Signal:
    """The signal with so many bits: zeros or copies of its sign are put before it."""
    missing = bits - width(signal)
    if missing <= 0:
        return signal
    if signed:
        return joined((*signal, *(part(signal, width(signal) - 1, 1) * missing)))
    return joined((*signal, Chunk(None, 0, missing, "0" * missing)))


def in_sum(net: Net, reader: Net, pin: str) -> bool:
    """Whether a sum that needs a context of its width has it in another sum, of which it is one
    operand and the other is as wide as both."""
    if pin != "A" or not {net.cell.kind, reader.cell.kind} <= set(_ADDED) or in_context(reader):
        return False
    other = reader.cell.pins["B"]
    return width(other) == reader.width == net.width and not any(
        str(chunk.wire).startswith(NET) for chunk in other
    )
