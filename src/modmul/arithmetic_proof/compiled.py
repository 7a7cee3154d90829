"""A cycle of cells that depend on no data, as a function of Python: each cell is an expression of
integers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from modmul.arithmetic_proof.circuit import MEMORY, REGISTERS, CircuitCell, Pin
from modmul.arithmetic_proof.variables import NoProof

_ARITHMETIC = {"$and": "&", "$or": "|", "$xor": "^", "$add": "+", "$sub": "-", "$mul": "*"}
_ORDERS = {"$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">=", "$eq": "==", "$ne": "!="}
_SHIFTS = {"$shl": "<<", "$sshl": "<<", "$shr": ">>", "$sshr": ">>"}
_REDUCTIONS = frozenset({"$logic_not", "$reduce_or", "$reduce_bool", "$reduce_and"})
_OTHERS = frozenset({"$not", "$pos", "$buf", "$mux", "$pmux", "$logic_and", "$logic_or"})
_KNOWN = _REDUCTIONS | _OTHERS | {*_ARITHMETIC, *_ORDERS, *_SHIFTS}


def is_known(each: CircuitCell) -> bool:
    """Whether a cell can be compiled: a memory only if nothing writes it."""
    if any(run.bit == "x" for pin in each.inputs.values() for run in pin):
        return False
    if each.type == MEMORY:
        ports = each.cell.number("WR_PORTS"), each.cell.number("RD_CLK_ENABLE")
        size = each.cell.number("WIDTH") * each.cell.number("SIZE")
        stored = each.cell.parameters.get("INIT", "")
        return not any(ports) and set(stored) <= {"0", "1"} and len(stored) >= size
    return each.type in _KNOWN or each.type in REGISTERS


def inputs_of(each: CircuitCell) -> set[int | None]:
    """The outputs that a cell reads, its clock aside."""
    clocks = ("CLK",) if each.type in REGISTERS else ()
    return {run.output for port, pin in each.inputs.items() if port not in clocks for run in pin}


def compiled(
    registers: Sequence[CircuitCell],
    inputs: Sequence[int],
    zeros: Collection[int],
    cells: Sequence[CircuitCell],
    shown: Sequence[int],
    ports: Sequence[Pin],
) -> Callable[..., Any]:
    """A function of what the registers hold and of the inputs: what the registers hold after the
    edge, what the outputs `shown` carry, what the ports carry.

    zeros: inputs that are 0.  cells: in the order of evaluation."""
    lines = ["def cycle(registers, inputs):"]
    if registers:
        names = [f"v{each.outputs['Q']}" for each in registers]
        lines.append(f"  {_listed(names)} = registers")
    if inputs:
        names = [f"v{out}" for out in inputs]
        lines.append(f"  {_listed(names)} = inputs")
    lines += [f"  v{out} = 0" for out in zeros]
    for each in cells:
        [output] = each.outputs.values()
        lines.append(f"  v{output} = {_expression(each)}")
    after = _listed(_pin(each.inputs["D"]) for each in registers)
    values = _listed(f"v{out}" for out in shown)
    lines.append(f"  return ({after}), ({values}), ({_listed(map(_pin, ports))})")
    scope: dict[str, Any] = {"hot": _hot, "signed": _signed, "shifted": _shifted}
    exec("\n".join(lines), scope)  # numbers of outputs and fixed operators, no text from outside
    cycle: Callable[..., Any] = scope["cycle"]
    return cycle


def _listed(parts: Any) -> str:
    return "".join(f"{part}, " for part in parts)


def _pin(pin: Pin) -> str:
    parts, position = [], 0
    for run in pin:
        mask = (1 << run.width) - 1
        if run.output is None:
            value = -int(run.bit) & mask
            part = str(value << position) if value else ""
        else:
            part = f"v{run.output}" + (f" >> {run.low}" if run.low else "")
            part = f"({part} & {mask})"
            part = f"({part} << {position})" if position else part
        parts += [part] if part else []
        position += run.width
    return f"({' | '.join(parts)})" if parts else "0"


def _is_signed(each: CircuitCell) -> bool:
    if "B_SIGNED" not in each.cell.parameters:
        return bool(each.cell.number("A_SIGNED"))
    return bool(each.cell.number("A_SIGNED") and each.cell.number("B_SIGNED"))


def _operand(each: CircuitCell, port: str, signed: bool) -> str:
    """An operand as a number, which may be negative if it is signed."""
    text = _pin(each.inputs[port])
    return f"signed({text}, {each.width(port)})" if signed else text


def _expression(each: CircuitCell) -> str:
    if each.type == MEMORY:
        return _table(each)
    width = each.width("Y")
    mask = (1 << width) - 1
    signed = _is_signed(each)
    if each.type in ("$mux", "$pmux"):
        select, then, otherwise = (_pin(each.inputs[port]) for port in "SBA")
        if each.type == "$mux":
            return f"{then} if {select} else {otherwise}"
        return f"hot({select}, {then}, {otherwise}, {width})"
    if each.type in ("$logic_and", "$logic_or"):
        word = "and" if each.type == "$logic_and" else "or"
        return f"int(bool({_pin(each.inputs['A'])} {word} {_pin(each.inputs['B'])}))"
    if each.type in _REDUCTIONS:
        text = _pin(each.inputs["A"])
        if each.type == "$reduce_and":
            return f"int({text} == {(1 << each.width('A')) - 1})"
        return f"int(not {text})" if each.type == "$logic_not" else f"int(bool({text}))"
    if each.type in _SHIFTS:
        left = _operand(each, "A", bool(each.cell.number("A_SIGNED")))
        kept = each.type in ("$sshr", "$shl", "$sshl")
        wide = max(width, each.width("A"))
        amount = _pin(each.inputs["B"])
        return f"shifted({left}, {amount}, {_SHIFTS[each.type] == '<<'}, {kept}, {wide}) & {mask}"
    left = _operand(each, "A", signed)
    if each.type == "$not":
        return f"~{left} & {mask}"
    if each.type in ("$pos", "$buf"):
        return f"{left} & {mask}"
    right = _operand(each, "B", signed)
    if each.type in _ARITHMETIC:
        return f"({left} {_ARITHMETIC[each.type]} {right}) & {mask}"
    return f"int({left} {_ORDERS[each.type]} {right})"


def _table(each: CircuitCell) -> str:
    width, bits = each.cell.number("WIDTH"), each.cell.number("ABITS")
    size = each.cell.number("SIZE")
    stored = int(each.cell.parameters["INIT"], 2)
    words = tuple(stored >> place * width & (1 << width) - 1 for place in range(size))
    words += (0,) * ((1 << bits) - size)
    address = _pin(each.inputs["RD_ADDR"])
    ports = range(each.cell.number("RD_PORTS"))
    parts = [
        f"({words}[{address} >> {port * bits} & {(1 << bits) - 1}] << {port * width})"
        for port in ports
    ]
    return " | ".join(parts)


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if width and value >> width - 1 else value


def _shifted(value: int, places: int, up: bool, arithmetic: bool, width: int) -> int:
    if up:
        return value << places
    return (value if arithmetic else value & (1 << width) - 1) >> places


def _hot(select: int, words: int, otherwise: int, width: int) -> int:
    """The word of a `$pmux`."""
    if select & select - 1:
        raise NoProof("a multiplexer chooses two words at once")
    if not select:
        return otherwise
    return words >> (select.bit_length() - 1) * width & (1 << width) - 1
