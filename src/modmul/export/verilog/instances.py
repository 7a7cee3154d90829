"""Writes instances of modules and of hard blocks of a chip."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from modmul.export.verilog.declarations import INDENT, attributes, parameter
from modmul.export.verilog.expressions import COLUMNS
from modmul.export.verilog.operations import NetExpressions
from modmul.export.verilog.rtlil import Cell, Signal

_BINARY = 12  # longer constants at the pins of blocks are not written in binary


def instance(
    cell: Cell,
    operations: NetExpressions,
    ports: Mapping[str, Mapping[str, str]],
    short: bool = False,
) -> list[str]:
    """The lines of an instance.  ports: for modules of the same text, their ports in order,
    each with its name in RTLIL.  The pins of other cells are sorted, several on a line, with open
    pins last.  short: several pins on a line in any case, as for one of many instances."""
    known = ports.get(cell.kind)
    lines = [f"{INDENT}{attributes(cell.attributes)}".rstrip()] if cell.attributes else []
    lines += _beginning(cell, operations.names[cell.name])
    if known is None:
        pins = sorted(cell.pins, key=lambda pin: (_is_open(cell.pins[pin]), _natural(pin)))
        lines += filled([f".{pin}({_pin(cell.pins[pin], operations)})" for pin in pins])
        return [*lines, f"{INDENT});"]
    pins = [pin for pin in known if pin in cell.pins]
    if short:
        lines += filled([f".{known[pin]}({_pin(cell.pins[pin], operations)})" for pin in pins])
        return [*lines, f"{INDENT});"]
    for pin in pins:
        signal, end = cell.pins[pin], ")," if pin != pins[-1] else ")"
        if _is_open(signal):
            lines.append(f"{INDENT * 2}.{known[pin]}({end}")
        else:
            lines += operations.of(signal).lines(f".{known[pin]}(", end, INDENT * 2)
    return [*lines, f"{INDENT});"]


def _beginning(cell: Cell, name: str) -> list[str]:
    """The text of an instance before its pins."""
    if not cell.parameters:
        return [f"{INDENT}{cell.kind} {name} ("]
    parameters = [f".{key}({parameter(value)})" for key, value in cell.parameters.items()]
    line = f"{INDENT}{cell.kind} #({', '.join(parameters)}) {name} ("
    if len(line) <= COLUMNS:
        return [line]
    return [f"{INDENT}{cell.kind} #(", *filled(parameters), f"{INDENT}) {name} ("]


def _is_open(signal: Signal) -> bool:
    return all(chunk.wire is None and set(chunk.bits) == {"z"} for chunk in signal)


def _pin(signal: Signal, operations: NetExpressions) -> str:
    """The connection of one pin.  Open pins are named, too: some tools report a missing pin
    as a mistake."""
    if _is_open(signal):
        return ""
    (first, *more) = signal
    if not more and first.wire is None and 1 < first.width <= _BINARY:
        return f"{first.width}'b{first.bits}"  # fields of a mode, not a number
    return operations.of(signal).text


def _natural(name: str) -> tuple[object, ...]:
    """A sorting key that puts A10 after A9."""
    match = re.fullmatch(r"(.*?)(\d*)", name)
    return (match[1], int(match[2] or -1)) if match else (name, -1)


def filled(items: Sequence[str]) -> list[str]:
    """Items with commas between them, several on a line."""
    text = ", ".join(item.replace(" ", "\0") for item in items)
    indent = INDENT * 2
    lines = textwrap.wrap(
        text,
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in lines]
