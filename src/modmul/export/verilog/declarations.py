"""Pieces of declarations: ranges, constants, attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from modmul.export.verilog.expressions import Constant

INDENT = "  "
_CONSTANT = re.compile(r"(\d+)'([01xz]*)")


def bits_of(width: int) -> str:
    """The range of so many bits, with a blank before it; none for a single one."""
    return f" [{width - 1}:0]" if width > 1 else ""


def constant(bits: str) -> str:
    """A text of bits, the most significant first, as a number."""
    return Constant(len(bits), bits).text


def attributes(given: Mapping[str, str]) -> str:
    """Attributes with a blank behind them; nothing if there are none."""
    found = [f"{name} = {parameter(value)}" for name, value in given.items()]
    return f"(* {', '.join(found)} *) " if found else ""


def parameter(value: str) -> str:
    """The value of a parameter or attribute as RTLIL has it."""
    found = _CONSTANT.fullmatch(value)
    return constant(found[2]) if found and found[2] else value
