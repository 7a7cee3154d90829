"""The ports of an emitted module: names, widths, directions and meanings, in order.

`core`: a bare core, which never stalls; `stream`: the same core behind the elastic adapter.
Clock and reset are `clk` (rising edge) and `rst` (synchronous, high)."""

from __future__ import annotations

import itertools
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
from modmul.processors.contract import Processor

Interface = Literal["core", "stream"]


@dataclass(frozen=True)
class Port:
    """stream, field: its place in the Amaranth component (`component.<stream>.p.<field>`, or
    `valid` and `ready`); None for clock and reset.  width: bits.  secret: the time of nothing may
    tell it (`secrecy`)."""

    name: str
    width: int
    direction: Literal["input", "output"]
    meaning: str
    stream: str | None = None
    field: str | None = None
    secret: bool = False


def ports(multiplier: Multiplier, interface: Interface) -> tuple[Port, ...]:
    """All ports of the module that `emit` makes for that interface, in order."""
    found = _clock()
    stalls = interface == "stream"
    if multiplier.modulus_at == "run time":
        found += _stream("modulus", "input", modulus_layout(multiplier), multiplier, stalls)
    found += _stream("operand", "input", operand_layout(multiplier), multiplier, stalls)
    found += _stream("result", "output", result_layout(multiplier), multiplier, stalls)
    return tuple(found)


def processor_ports(processor: Processor) -> tuple[Port, ...]:
    """All ports of the module of a processor, in order: its streams, which may pause anywhere."""
    found = _clock()
    for one in processor.streams:
        meanings = {name: meaning for name, (_, meaning) in one.members.items()}
        secret = frozenset(one.members) if one.secret else frozenset[str]()
        found += _beat(one.name, one.direction, one.layout, True, meanings, secret)
    return tuple(found)


def _clock() -> list[Port]:
    return [
        Port("clk", 1, "input", "clock, rising edge"),
        Port("rst", 1, "input", "synchronous reset, active high"),
    ]


def _stream(
    name: str,
    direction: Literal["input", "output"],
    layout: data.StructLayout,
    multiplier: Multiplier,
    stalls: bool,
) -> Iterator[Port]:
    fields = [str(field) for field, _ in layout if field not in ("first", "last")]
    meanings = {field: _meaning(name, field, multiplier) for field in fields}
    secret = frozenset(fields) - {"square"}  # which is chosen, and changes the time
    beats = multiplier.beats
    if name == "modulus":
        beats = len(multiplier.constants((1 << max(2, multiplier.modulus_bits)) - 1))
    together = f"; all beats of one {name} in consecutive cycles" if beats > 1 else ""
    if multiplier.lengths and name == "operand":
        meanings["last"] = "the last beat of its operand, which has one for each word in use"
    return _beat(name, direction, layout, stalls, meanings, secret, together)


def _beat(
    name: str,
    direction: Literal["input", "output"],
    layout: data.StructLayout,
    stalls: bool,
    meanings: dict[str, str],
    secret: frozenset[str],
    together: str = "",
) -> Iterator[Port]:
    ends = {end: f"the {end} beat of its {name}" for end in ("first", "last")}
    back: Literal["input", "output"] = "input" if direction == "output" else "output"
    offered, taken = "the source offers a beat", "the offered beat is taken at the next rising edge"
    if direction == "output":
        offered, taken = "a beat is offered", f"the receiver: {taken}"
    if direction == "output" and not stalls:
        offered = f"a beat is there in this cycle only: there is no {name}_ready"
    elif not stalls:
        taken = "taken at the next edge" + together
    yield Port(f"{name}_valid", 1, direction, offered, name, "valid")
    if stalls or direction == "input":
        yield Port(f"{name}_ready", 1, back, meanings.get("ready", taken), name, "ready")
    for field, member in layout:
        meaning, hidden = (ends | meanings)[str(field)], str(field) in secret
        yield Port(f"{name}_{field}", member.width, direction, meaning, name, str(field), hidden)


def _meaning(stream: str, field: str, multiplier: Multiplier) -> str:
    beats = f"{multiplier.beats} beats, " * (not multiplier.lengths)
    order = "" if multiplier.beats == 1 else f", {beats}least significant beat first"
    if stream == "modulus":
        first, *more = _loaded(multiplier)
        return f"in this order: {', '.join((first, *more))}" if more else f"the {first}"
    if stream == "result":
        what = "carry vector of the result" if field == "carry" else "result"
        if field == "data" and multiplier.result_form == "carry-save":
            what = "sum vector of the result"
        return what + order
    if field == "square":
        same = "" if multiplier.beats == 1 else "; the same in all beats of an operand"
        return f"1: a square, b is not looked at{same}"
    letter = field[0]
    if multiplier.operand_form == "carry-save":
        vector = "carry" if field.endswith("carry") else "sum"
        return f"{vector} vector of operand {letter}{order}"
    return f"operand {letter}, below {multiplier.operand_limit.formula}{order}"


def _loaded(multiplier: Multiplier) -> Iterator[str]:
    """What a modulus is loaded as, beat by beat; words of one number together."""
    names = [one.name for one in multiplier.constants((1 << max(2, multiplier.modulus_bits)) - 1)]
    for number, words in itertools.groupby(names, lambda name: name.partition("[")[0]):
        first, *more = words
        if number == "choice":
            yield "choice of field and length"
        else:
            last = f"{number}[s-1] (s words in use)" if multiplier.lengths else [first, *more][-1]
            yield f"{first} to {last}" if more else number
