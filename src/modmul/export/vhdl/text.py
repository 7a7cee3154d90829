"""Lays out VHDL in lines of readable length."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from modmul.export.verilog.declarations import INDENT
from modmul.export.verilog.expressions import COLUMNS

MARK = "--"  # with which a comment begins


def kind(width: int, *, vector: bool = False) -> str:
    """The type of a signal of so many bits.  vector: at a port that users know."""
    if width == 1:
        return "std_logic"
    return f"{'std_logic_vector' if vector else 'unsigned'}({width - 1} downto 0)"


def lines(text: str, indent: str) -> list[str]:
    """A statement in as many lines as it needs."""
    return textwrap.wrap(
        text,
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent + INDENT * 2,
        break_long_words=False,
        break_on_hyphens=False,
    )


def alternatives(before: str, values: Sequence[str], indent: str) -> list[str]:
    """`before value when condition else value`; of several values each on a line of its own, if one
    line is too short."""
    whole = f"{indent}{before}{' '.join(values)};"
    if len(whole) <= COLUMNS:
        return [whole]
    if len(values) == 1:
        return lines(f"{before}{values[0]};", indent)
    first, *others = [*values[:-1], f"{values[-1]};"]
    return [
        *lines(f"{before}{first}", indent),
        *(line for other in others for line in lines(other, indent + INDENT * 2)),
    ]
