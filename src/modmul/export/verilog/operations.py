"""Writes operations of Yosys as Verilog, and decides which of them are written inside their
readers.

An operation that one reader reads as a whole is written in that reader's expression; an operation
with several readers, or of which a slice is read, gets a name."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from modmul.export.verilog import memories
from modmul.export.verilog.expressions import (
    Binary,
    BitLiteral,
    Conditional,
    Expression,
    MemoryWord,
    Name,
    Repeated,
    Unary,
    concatenation,
)
from modmul.export.verilog.netlist import Net, Netlist, is_named
from modmul.export.verilog.rtlil import Chunk, Signal, width
from modmul.export.verilog.widths import COMPARISONS

_BINARY = {
    "$add": "+",
    "$sub": "-",
    "$mul": "*",
    "$and": "&",
    "$or": "|",
    "$xor": "^",
    "$xnor": "~^",
    "$eq": "==",
    "$ne": "!=",
    "$lt": "<",
    "$le": "<=",
    "$gt": ">",
    "$ge": ">=",
    "$shl": "<<",
    "$shr": ">>",
    "$div": "/",
    "$mod": "%",
}
_LOGIC = (
    "$and",
    "$or",
    "$xor",
    "$not",
    "$logic_not",
    "$eq",
    "$ne",
    "$reduce_and",
    "$reduce_or",
    "$reduce_bool",
)
COPIES = "$copies"  # copies of one bit, as many as the operation has bits
_SHORT = 3  # the most names in an expression that is written more than once
_REPEATED = 12  # the most names in all its copies together
_REDUCE = {"$reduce_and": "&", "$reduce_or": "|", "$reduce_bool": "|", "$reduce_xor": "^"}


class NetExpressions:
    """The expressions of a module.

    names: of wires, and of nets that have one.  sizes: the bits of named wires."""

    def __init__(self, netlist: Netlist, names: Mapping[str, str], sizes: Mapping[str, int]):
        self.netlist, self.names, self.sizes = netlist, names, sizes
        self.expressions: dict[str, Expression] = {}

    def of(self, signal: Signal) -> Expression:
        return concatenation([self._chunk(chunk) for chunk in reversed(signal)])

    def _chunk(self, chunk: Chunk) -> Expression:
        if chunk.wire is None:
            return BitLiteral(chunk.width, chunk.bits.replace("-", "x"))
        net = self.netlist.nets.get(chunk.wire)
        if net is not None and chunk.wire not in self.names:
            return self.operation(net)
        size = net.width if net is not None else self.sizes[chunk.wire]
        return Name(chunk.width, self.names[chunk.wire], chunk.low, size)

    def operation(self, net: Net) -> Expression:
        """Raises ValueError for an operation that has none."""
        if net.wire not in self.expressions:
            expression = self._operation(net)
            if expression.width != net.width:  # such as a comparison with a result of several bits
                raise ValueError(f"cell {net.cell.kind}: {net.width} bits are not understood")
            self.expressions[net.wire] = expression
        return self.expressions[net.wire]

    def _operation(self, net: Net) -> Expression:
        cell, kind, bits = net.cell, net.cell.kind, net.width
        if kind == memories.READ:
            memory = self.names[cell.parameters["MEMORY"]]
            return MemoryWord(bits, memory, self.of(cell.pins["A"]), 0, bits)
        a = self.of(cell.pins["A"])
        if kind == COPIES:
            return Repeated(bits, a)
        if kind in ("$not", "$logic_not") and a.width == 1:
            return inverse(a)
        if kind == "$logic_not":
            return Binary(1, "==", a, BitLiteral(a.width, "0" * a.width))
        if kind in ("$not", "$neg"):
            return Unary(bits, "~" if kind == "$not" else "-", a)
        if kind in _REDUCE:
            return self._reduction(_REDUCE[kind], cell.pins["A"])
        if kind == "$mux":
            return chosen(self.of(cell.pins["S"]), self.of(cell.pins["B"]), a)
        if kind not in _BINARY:
            raise ValueError(f"cell {kind} has no expression")
        if bits == 1 and kind in ("$add", "$sub") and _is_one(cell.pins["B"]):
            return inverse(a)
        compares = kind in COMPARISONS
        signed = compares and kind not in ("$eq", "$ne") and bool(cell.number("A_SIGNED"))
        bits = 1 if compares else bits
        return Binary(bits, _BINARY[kind], a, self.of(cell.pins["B"]), signed)

    def _reduction(self, operator: str, signal: Signal) -> Expression:
        """A reduction; of a few single bits, as the operator between them."""
        if len(signal) == width(signal) <= 4:
            first, *others = [self._chunk(chunk) for chunk in reversed(signal)]
            for other in others:
                first = Binary(1, operator, first, other)
            return first
        return Unary(1, operator, self.of(signal))


def chosen(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """`then` if a condition is true, else `otherwise`; as AND or OR if one of them is a
    constant bit."""
    match then, otherwise:
        case BitLiteral(1, "1"), BitLiteral(1, "0"):
            return condition
        case BitLiteral(1, "0"), BitLiteral(1, "1"):
            return inverse(condition)
        case BitLiteral(1, "1"), _:
            return Binary(1, "|", condition, otherwise)
        case BitLiteral(1, "0"), _:
            return Binary(1, "&", inverse(condition), otherwise)
        case _, BitLiteral(1, "0"):
            return Binary(1, "&", condition, then)
        case _, BitLiteral(1, "1"):
            return Binary(1, "|", inverse(condition), then)
    return Conditional(then.width, condition, _as_choice(then), _as_choice(otherwise))


def _as_choice(value: Expression) -> Expression:
    """A value ANDed with copies of one bit as a choice between the value and zero."""
    if isinstance(value, Binary) and value.operator == "&":
        for gate, gated in ((value.right, value.left), (value.left, value.right)):
            if isinstance(gate, Repeated) and gate.part.width == 1:
                zero = BitLiteral(value.width, "0" * value.width)
                return Conditional(value.width, gate.part, gated, zero)
    return value


def _is_one(signal: Signal) -> bool:
    return len(signal) == 1 and signal[0].wire is None and signal[0].bits == "1"


def inverse(condition: Expression) -> Expression:
    if isinstance(condition, Unary) and condition.operator == "!":
        return condition.operand
    if isinstance(condition, Binary) and not condition.signed:
        opposite = {"==": "!=", "!=": "=="}.get(condition.operator)
        if opposite:
            return Binary(1, opposite, condition.left, condition.right)
    return Unary(1, "!", condition)


def is_simple(net: Net) -> bool:
    """Whether the expression is as short as a name, so that each reader can contain it."""
    pins = net.cell.pins
    single = len(pins["A"]) == 1 and is_named(pins["A"][0].wire)
    return single and net.cell.kind in ("$not", "$logic_not") and width(pins["A"]) == 1


def may_stand_inside(net: Net, operands: int) -> bool:
    """Whether a net can be written inside its readers: it is read as a whole, by one reader only,
    or is short enough to repeat.  (The caller checks the width of the context.) operands: the
    number of names in it, at all depths."""
    runs = [
        len(list(chunks))
        for signal in net.uses
        for wire, chunks in itertools.groupby(signal, lambda chunk: chunk.wire)
        if wire == net.wire
    ]
    readers = len(runs) + any(count > 1 for count in runs)  # copies count as several
    short = net.width == 1 and _is_logic(net) and operands * readers <= _REPEATED
    return net.whole and (readers == 1 or is_simple(net) or (short and operands <= _SHORT))


def _is_logic(net: Net) -> bool:
    constant = any(net.cell.pins[pin][0].wire is None for pin in ("A", "B") if pin in net.cell.pins)
    return net.cell.kind in _LOGIC or (net.cell.kind == "$mux" and constant)
