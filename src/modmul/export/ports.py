"""The ports of an emitted module: names, widths, directions and meanings, in order.

`core`: a bare core, which never stalls; `stream`: the same core behind the elastic adapter.
Clock and reset are `clk` (rising edge) and `rst` (synchronous, high)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from amaranth.lib import data

from modmul.multipliers.contract import (
    Multiplier,
    modulus_layout,
    operand_layout,
    result_layout,
)

Interface = Literal["core", "stream"]


@dataclass(frozen=True)
class Port:
    """stream, field: its place in the Amaranth component (`component.<stream>.p.<field>`, or
    `valid` and `ready`); None for clock and reset.  width: bits."""

    name: str
    width: int
    direction: Literal["input", "output"]
    meaning: str
    stream: str | None = None
    field: str | None = None


def ports(multiplier: Multiplier, interface: Interface) -> tuple[Port, ...]:
    """All ports of the module that `emit` makes for that interface, in order."""
    found = [
        Port("clk", 1, "input", "clock, rising edge"),
        Port("rst", 1, "input", "synchronous reset, active high"),
    ]
    if multiplier.modulus_at == "run time":
        found += _stream("modulus", "input", modulus_layout(multiplier), multiplier, True)
    found += _stream("operand", "input", operand_layout(multiplier), multiplier, True)
    stalls = interface == "stream"
    found += _stream("result", "output", result_layout(multiplier), multiplier, stalls)
    return tuple(found)


def _stream(
    name: str,
    direction: Literal["input", "output"],
    layout: data.StructLayout,
    multiplier: Multiplier,
    stalls: bool,
) -> Iterator[Port]:
    back: Literal["input", "output"] = "input" if direction == "output" else "output"
    yield Port(f"{name}_valid", 1, direction, "a beat is offered", name, "valid")
    if stalls:
        meaning = "the beat is taken at the next rising edge if valid"
        yield Port(f"{name}_ready", 1, back, meaning, name, "ready")
    for field, member in layout:
        width = member.width
        meaning = _meaning(name, str(field), multiplier)
        yield Port(f"{name}_{field}", width, direction, meaning, name, str(field))


def _meaning(stream: str, field: str, multiplier: Multiplier) -> str:
    if field == "first":
        return f"the beat is the first of its {stream}"
    if field == "last":
        return f"the beat is the last of its {stream}"
    order = "" if multiplier.beats == 1 else ", least significant beat first"
    if stream == "modulus":
        return "constants of the modulus, in loading order"
    if stream == "result":
        what = "carry vector of the result" if field == "carry" else "result"
        if field == "data" and multiplier.result_form == "carry-save":
            what = "sum vector of the result"
        return what + order
    letter = field[0]
    if multiplier.operand_form == "carry-save":
        vector = "carry" if field.endswith("carry") else "sum"
        return f"{vector} vector of operand {letter}{order}"
    return f"operand {letter}{order}"
