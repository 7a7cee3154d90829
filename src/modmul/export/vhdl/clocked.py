"""Writes registers and memories as clocked processes."""

from __future__ import annotations

from collections.abc import Iterable

from modmul.export.verilog.clocked import Assign, If, Statement, merged
from modmul.export.verilog.declarations import INDENT
from modmul.export.verilog.expressions import Conditional
from modmul.export.verilog.operations import inverse
from modmul.export.vhdl.expressions import Printer
from modmul.export.vhdl.text import lines


def process(
    clock: str, statements: Iterable[Statement], printer: Printer, indent: str
) -> list[str]:
    inner = indent + INDENT
    return [
        f"{indent}process ({clock})",
        f"{indent}begin",
        f"{inner}if rising_edge({clock}) then",
        *_block(merged(statements), printer, inner + INDENT),
        f"{inner}end if;",
        f"{indent}end process;",
    ]


def _block(statements: Iterable[Statement], printer: Printer, indent: str) -> list[str]:
    return [line for item in statements for line in _lines(item, printer, indent)]


def _lines(item: Statement, printer: Printer, indent: str, before: str = "if") -> list[str]:
    if isinstance(item, Assign):
        if isinstance(item.value, Conditional):
            value = item.value
            then, otherwise = Assign(item.target, value.then), Assign(item.target, value.otherwise)
            return _lines(If(value.condition, [then], [otherwise]), printer, indent)
        return lines(f"{printer.target(item.target)} <= {printer.assigned(item.value)};", indent)
    if not item.then:
        item = If(inverse(item.condition), item.otherwise)
    text = lines(f"{before} {printer.condition(item.condition).text} then", indent)
    text += _block(item.then, printer, indent + INDENT)
    match item.otherwise:
        case []:
            pass
        case [If() as other]:
            return [*text, *_lines(other, printer, indent, "elsif")]
        case [Assign(target, Conditional() as value)]:
            then, otherwise = Assign(target, value.then), Assign(target, value.otherwise)
            other = If(value.condition, [then], [otherwise])
            return [*text, *_lines(other, printer, indent, "elsif")]
        case others:
            text += [f"{indent}else", *_block(others, printer, indent + INDENT)]
    return [*text, f"{indent}end if;"]
