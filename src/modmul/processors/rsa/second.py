"""The second of two engines side by side, which does the powers modulo half of the primes: what
goes over its streams, and how long the first one waits for its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from modmul.design import Beats, Stream
from modmul.multipliers.contract import Constant
from modmul.processors.engine import operation, packets, transport
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.hardware.streams import sources, streams
from modmul.processors.engine.instructions import OPERAND, STORE
from modmul.processors.packets import OperandBits, PacketNumber, Packets
from modmul.processors.rsa.hardware import SECOND, SHARED
from modmul.processors.rsa.programs import SECOND as PROGRAM
from modmul.processors.rsa.programs import SecondPrograms

_EVERY = 4  # cycles from one beat of its result to the next


@dataclass(frozen=True)
class Second:
    """The second of two engines: its programs, and which of its streams are secret."""

    programs: SecondPrograms
    secret: tuple[str, ...]

    def streams(self, first: tuple[Stream, ...]) -> tuple[Stream, ...]:
        """The streams of both engines.  first: those of the first engine."""
        own = streams(self.programs.build, self.secret)
        beats = first[0].beats + own[0].beats
        bits, _ = first[0].members["data"]
        members = {
            "data": (
                bits,
                f"{beats} beats: the constant store of the first engine, then that of the second",
            )
        }
        more = tuple(
            replace(stream, name=stream.name + SECOND, meaning=f"{stream.meaning}, second engine")
            for stream in own
            if stream.name not in SHARED
        )
        return (replace(first[0], members=members, beats=beats), *first[1:-1], *more, first[-1])

    def constants(self, moduli: Sequence[int], facts: Mapping[str, int]) -> list[Constant]:
        """The beats that load its primes, or, without moduli, that only fill the store."""
        names = [PROGRAM] if moduli else []
        constants = transport.constants(self.programs, moduli or (3,), facts, names)
        return [Constant(f"{known.name}, second engine", known.value) for known in constants]

    def request(
        self,
        first: Beats,
        moduli: Sequence[int],
        values: Mapping[str, int],
        lengths: Mapping[str, int],
    ) -> Beats:
        """The beats of one operation by primes.  first: those for the first engine, with the
        residues that really come from here."""
        own = transport.request(self.programs, PROGRAM, moduli, values, lengths, 1)
        kept, operand = self.programs.primes * self.programs.engine.machine.beats, first["operand"]
        named = {
            name + SECOND: own[name] for name in sources(self.programs.build) if name not in SHARED
        }
        return {**first, "operand": [*operand[:kept], *operand[-kept:]], **named}

    def numbers(
        self,
        moduli: Sequence[int],
        parts: Mapping[str, OperandBits],
        values: Mapping[str, int],
        lengths: Mapping[str, int],
    ) -> list[PacketNumber]:
        """The numbers that this engine takes and the first does not."""
        settings = self.programs.settings(moduli, [PROGRAM])
        numbers = packets.numbers(
            self.programs.image(PROGRAM), settings, parts, values, lengths, set(), SECOND
        )
        return [number for number in numbers if number.stream.removesuffix(SECOND) not in SHARED]

    def with_numbers(self, first: Packets, more: Sequence[PacketNumber]) -> Packets:
        """The packets for both engines.  first: those for the first, with the residues that
        really come from here.  more: see `numbers`."""
        shared = [number for number in first.numbers if number.stream == SOURCES[OPERAND]]
        others = [number for number in first.numbers if number.stream != SOURCES[OPERAND]]
        count = self.programs.primes
        kept = (*shared[:count], *shared[-count:], *others, *more)
        return replace(first, numbers=kept)

    def residues(
        self, moduli: Sequence[int], values: Mapping[str, int], lengths: Mapping[str, int]
    ) -> dict[str, int]:
        """The residues that this engine computes, by the golden machine, by their names in
        the program of the first engine."""
        image = self.programs.image(PROGRAM)
        results = operation.run(image, moduli, values, lengths).results
        return dict(zip(image.program.outputs, results, strict=True))

    def turns(self, first: Image) -> list[int]:
        """For how many turns of the slots each number from outside makes the first engine
        wait: only for those of the second engine, which gives a beat every fourth cycle."""
        machine, turns = first.machine, list[int]()
        taken = [word for word in first.words if word.op == "IN" and word.aux != STORE]
        operands = [place for place, word in enumerate(taken) if word.aux == OPERAND]
        supplied = operands[self.programs.primes : -self.programs.primes]
        for place, word in enumerate(taken):
            late = _EVERY * (machine.beats - 1) + 7 - (word.wait + 1)
            turns.append(max(0, -(-late // machine.turn)) if place in supplied else 0)
        return turns
