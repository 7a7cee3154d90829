"""Makes widths of operations and operands explicit, so that Verilog's rules about widths are never
needed.

In RTLIL an operation extends its operands, or takes part of them, as its widths say.  Here that is
written out: no operand is narrower or wider than the operation."""

from __future__ import annotations

from collections.abc import Iterable

from modmul.export.verilog.netlist import NET, Net, Netlist, reads
from modmul.export.verilog.rtlil import Chunk, Signal, joined, part, width

COMPARISONS = ("$eq", "$ne", "$lt", "$le", "$gt", "$ge")
# In these operations the low bits of the result depend only on the low bits of the operands.
_SUMS = ("$add", "$sub", "$mul")
_ADDED = ("$add", "$sub")
_FROM_BELOW = (*_SUMS, "$and", "$or", "$xor", "$xnor", "$not", "$neg", "$mux")


def narrow(netlist: Netlist) -> None:
    """Make operations no wider than the bits that are read of them, if these depend on no higher
    bits."""
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
    """Make operands as wide as the result or, in a comparison, as each other.

    A sum or difference that is one bit wider than its operands stays so, and so does a product:
    they are written as they are, with the width of the assigned wire as context (`in_context`)."""
    for net in netlist.nets.values():
        bits = _wanted(net)
        signed = bool(net.cell.parameters.get("A_SIGNED") and net.cell.number("A_SIGNED"))
        for pin in ("A", "B"):
            if pin in net.cell.pins and bits:
                net.cell.pins[pin] = extended(net.cell.pins[pin], bits, signed)


def _wanted(net: Net) -> int:
    """The bits of each operand; 0 to leave them as they are."""
    kind, pins = net.cell.kind, net.cell.pins
    if in_context(net) and kind == "$mul":
        return 0
    if kind in COMPARISONS or in_context(net):
        return max(width(pins["A"]), width(pins["B"]))
    return net.width if kind in _FROM_BELOW else 0


def in_context(net: Net) -> bool:
    """Whether the operation is right only if it is assigned to a signal of its width."""
    kind, pins = net.cell.kind, net.cell.pins
    if kind not in _SUMS or net.cell.number("A_SIGNED"):
        return False
    if kind == "$mul":
        return max(width(pins["A"]), width(pins["B"])) < net.width
    if any(len(pins[pin]) == 1 and str(pins[pin][0].wire).startswith(NET) for pin in ("A", "B")):
        return False  # operands may be expressions, to which that width would apply, too
    return net.width == max(width(pins["A"]), width(pins["B"])) + 1


def extended(signal: Signal, bits: int, signed: bool) -> Signal:
    """The signal extended to so many bits with zeros or copies of its sign."""
    missing = bits - width(signal)
    if missing <= 0:
        return signal
    if signed:
        return joined((*signal, *(part(signal, width(signal) - 1, 1) * missing)))
    return joined((*signal, Chunk(None, 0, missing, "0" * missing)))


def in_sum(net: Net, reader: Net, pin: str) -> bool:
    """Whether a sum that needs a context of its width has it in another sum, in which it is one
    operand and the other operand has the width of both."""
    if pin != "A" or not {net.cell.kind, reader.cell.kind} <= set(_ADDED) or in_context(reader):
        return False
    other = reader.cell.pins["B"]
    return width(other) == reader.width == net.width and not any(
        str(chunk.wire).startswith(NET) for chunk in other
    )
