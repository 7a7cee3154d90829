"""The second of two engines side by side, which does the half modulo q: what goes over its streams,
and how long the first one waits for its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from modmul.design import Beats, Stream
from modmul.multipliers.contract import Constant
from modmul.processors.engine import operation, transport
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.hardware.streams import sources, streams
from modmul.processors.engine.instructions import STORE
from modmul.processors.rsa.hardware import SECOND, SHARED
from modmul.processors.rsa.programs import SECOND as PROGRAM
from modmul.processors.rsa.programs import SecondPrograms

TAKEN = 2  # numbers of the stream operand that both take
_EVERY = 4  # cycles in which it gives a beat


@dataclass(frozen=True)
class Second:
    """Its programs, and which streams are secret."""

    programs: SecondPrograms
    secret: tuple[str, ...]

    def streams(self, first: tuple[Stream, ...]) -> tuple[Stream, ...]:
        """All, with those of the first engine."""
        own = streams(self.programs.build, self.secret)
        beats = first[0].beats + own[0].beats
        bits, _ = first[0].members["data"]
        members = {"data": (bits, f"{beats} beats: the constant store of the first engine, then "
                            "that of the second")}  # fmt: skip
        more = tuple(replace(one, name=one.name + SECOND, meaning=f"{one.meaning}, modulo q")
                     for one in own if one.name not in SHARED)  # fmt: skip
        return (replace(first[0], members=members, beats=beats), *first[1:-1], *more, first[-1])

    def constants(self, q: int, facts: Mapping[str, int]) -> list[Constant]:
        """The beats that load q.  q: 0 where no half is done."""
        names = [PROGRAM] if q else []
        found = transport.constants(self.programs, (q or 3,), facts, names)
        return [Constant(f"{one.name}, second engine", one.value) for one in found]

    def request(
        self, first: Beats, q: int, values: Mapping[str, int], lengths: Mapping[str, int]
    ) -> Beats:
        """The beats of one operation by halves.  first: those for the first engine, with the number
        that comes from here."""
        own = transport.request(self.programs, PROGRAM, (q,), values, lengths, 1)
        kept = TAKEN * self.programs.engine.machine.beats
        named = {name + SECOND: own[name] for name in sources(self.programs.build)
                 if name not in SHARED}  # fmt: skip
        return {**first, "operand": first["operand"][:kept], **named}

    def half(self, q: int, values: Mapping[str, int], lengths: Mapping[str, int]) -> int:
        """yq, by the golden machine."""
        image = self.programs.image(PROGRAM)
        return operation.run(image, q, values, lengths).results[0]


def turns(first: Image) -> list[int]:
    """Turns of the slots for which each number from outside makes the first engine wait: none, but
    for the one that comes from the second engine, which gives a beat every fourth cycle."""
    machine, found = first.machine, list[int]()
    for word in first.words:
        if word.op == "IN" and word.aux != STORE:
            gap = word.wait + 1
            late = _EVERY * (machine.beats - 1) + 7 - gap
            found.append(max(0, -(-late // machine.turn)))
    operands = [place for place, word in enumerate(_taken(first)) if word == 0]
    last = operands[-1]
    return [turn if place == last else 0 for place, turn in enumerate(found)]


def _taken(image: Image) -> list[int]:
    """The streams from which numbers come, in order."""
    return [word.aux for word in image.words if word.op == "IN" and word.aux != STORE]
