"""The streams of a multiplier: what their beats carry and mean, and the ports that follow."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from modmul.design import Stream
from modmul.multipliers.facts import MultiplierFacts
from modmul.multipliers.operations import OPERATIONS

if TYPE_CHECKING:
    from amaranth.lib import data, wiring


def streams(multiplier: MultiplierFacts) -> tuple[Stream, ...]:
    """`modulus` (if loaded at run time), `operand` and `result`.  Every payload is secret,
    except which operation is asked for: that choice is public, as it changes the time."""
    ends = {}
    if multiplier.lengths:
        ends["last"] = "the last beat of its operand, which has one for each word in use"
    beats = multiplier.beats
    every = [
        Stream(
            "operand",
            "input",
            "two operands",
            _members("operand", operand_layout(multiplier), multiplier),
            True,
            frozenset(OPERATIONS),
            ends,
            beats,
        ),
        Stream(
            "result",
            "output",
            "the product",
            _members("result", result_layout(multiplier), multiplier),
            True,
            beats=beats,
        ),
    ]
    if multiplier.modulus_at == "run time":
        members = _members("modulus", modulus_layout(multiplier), multiplier)
        loaded = len(_constants(multiplier))
        every.insert(
            0,
            Stream(
                "modulus", "input", "a modulus and what goes with it", members, True, beats=loaded
            ),
        )
    return tuple(every)


def _members(
    name: str, layout: data.StructLayout, multiplier: MultiplierFacts
) -> dict[str, tuple[int, str]]:
    fields = [(str(field), member.width) for field, member in layout]
    return {
        field: (width, _meaning(name, field, multiplier))
        for field, width in fields
        if field not in ("first", "last")
    }


def _meaning(stream: str, field: str, multiplier: MultiplierFacts) -> str:
    beats = f"{multiplier.beats} beats, " * (not multiplier.lengths)
    order = "" if multiplier.beats == 1 else f", {beats}least significant beat first"
    if stream == "modulus":
        first, *more = _loaded(multiplier)
        return f"in this order: {', '.join((first, *more))}" if more else f"the {first}"
    if stream == "result" and field != "fault":
        what = "carry vector of the result" if field == "carry" else "result"
        if field == "data" and multiplier.result_form == "carry-save":
            what = "sum vector of the result"
        return what + order
    if field == "fault":
        return "1: a fault was detected: no result may be used, until a reset"
    if field in OPERATIONS:
        same = "" if multiplier.beats == 1 else "; the same in all beats of an operand"
        return f"1: {OPERATIONS[field].declared}{same}"
    letter = field[0]
    if multiplier.operand_form == "carry-save":
        vector = "carry" if field.endswith("carry") else "sum"
        return f"{vector} vector of operand {letter}{order}"
    return f"operand {letter}, below {multiplier.operand_limit.formula}{order}"


def _loaded(multiplier: MultiplierFacts) -> Iterator[str]:
    """The names of what a modulus is loaded as, beat by beat; words of a number together."""
    numbers = itertools.groupby(_constants(multiplier), lambda name: name.partition("[")[0])
    for number, words in numbers:
        first, *more = words
        if number == "choice":
            yield "choice of field and length"
        else:
            last = f"{number}[s-1] (s words in use)" if multiplier.lengths else [first, *more][-1]
            yield f"{first} to {last}" if more else number


def _constants(multiplier: MultiplierFacts) -> list[str]:
    """The names of all beats that are loaded, at the full length."""
    largest = (1 << max(2, multiplier.modulus_bits)) - 1
    return [constant.name for constant in multiplier.constants(largest)]


def modulus_layout(multiplier: MultiplierFacts) -> data.StructLayout:
    from amaranth.lib import data

    return data.StructLayout({"first": 1, "last": 1, "data": multiplier.modulus_beat})


def operand_layout(multiplier: MultiplierFacts) -> data.StructLayout:
    from amaranth.lib import data

    members: dict[str, int] = {"first": 1, "last": 1, "a": multiplier.beat, "b": multiplier.beat}
    if multiplier.operand_form == "carry-save":
        members |= {"a_carry": multiplier.beat, "b_carry": multiplier.beat}
    members |= dict.fromkeys(multiplier.operations[1:], 1)
    return data.StructLayout(members)


def result_layout(multiplier: MultiplierFacts) -> data.StructLayout:
    from amaranth.lib import data

    members: dict[str, int] = {"first": 1, "last": 1, "data": multiplier.result_beat}
    if multiplier.result_form == "carry-save":
        members |= {"carry": multiplier.result_beat}
    if multiplier.protection != "none":
        members |= {"fault": 1}
    return data.StructLayout(members)


def core_signature(multiplier: MultiplierFacts) -> wiring.Signature:
    """The ports of a bare core: the streams `modulus` (if loaded at run time), `operand`,
    `result`.

    A bare core never stalls.  `ready` of its inputs depends on time only, never on `valid`; once
    the first beat of an operand or modulus is taken, the others follow in the next cycles without
    gaps (ready stays high).  Its results have no `ready` (they are always taken), and no gaps.  A
    source must not begin a modulus and an operand in the same cycle: which modulus would hold is
    not defined. After a reset a modulus must come first: an operand before it may be taken, and
    then nothing is defined until the next reset."""
    return _signature(multiplier, always_ready=True)


def stream_signature(multiplier: MultiplierFacts) -> wiring.Signature:
    """The ports behind the elastic adapter: the same streams, which may pause anywhere."""
    return _signature(multiplier, always_ready=False)


def _signature(multiplier: MultiplierFacts, always_ready: bool) -> wiring.Signature:
    """The ports.  always_ready: the stream `result` has no `ready`."""
    from amaranth.lib import stream, wiring

    result = stream.Signature(result_layout(multiplier), always_ready=always_ready)
    members = {
        "operand": wiring.In(stream.Signature(operand_layout(multiplier))),
        "result": wiring.Out(result),
    }
    if multiplier.modulus_at == "run time":
        members["modulus"] = wiring.In(stream.Signature(modulus_layout(multiplier)))
    return wiring.Signature(members)
