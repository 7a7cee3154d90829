"""How the packets of an operation are made from its operands, and its results from the packet that
comes back.

`request` and `reply` of the contract say it as Python; here it is said as a table, for drivers that
have to do the same without it: which bits of which operand are a number of a packet, and where they
stand in it; which bits of the answer are a result; what its last beat means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modmul.arithmetic.words import to_words
from modmul.design import Beats


class OperandBits(NamedTuple):
    """Bits of an operand: `bits` from `low` on, all of them where None.  reduced: modulo the
    modulus that is loaded."""

    operand: str
    low: int = 0
    bits: int | None = None
    reduced: bool = False

    def of(self, operands: Mapping[str, int], modulus: int) -> int:
        """The number that these are."""
        value = operands[self.operand] >> self.low
        if self.bits is not None:
            value &= (1 << self.bits) - 1
        return value % modulus if self.reduced else value


class Chance(NamedTuple):
    """A random number, from `least` on and below `below`."""

    least: int
    below: int


class PacketNumber(NamedTuple):
    """One number of a packet.

    stream: whose packet.  source: a number is one that is known with what is loaded.
    size: bits that it has in the packet, of which the value is shifted left by `shift`.
    sized: the operand's length, which is chosen, decides: the shift is `size` less the length.
    highest: 0, or the bits of a beat of an operand whose length is chosen, and of which the highest
    beat comes first: then as many beats come as the length needs."""

    stream: str
    source: OperandBits | Chance | int
    size: int
    shift: int = 0
    sized: bool = False
    highest: int = 0


class Piece(NamedTuple):
    """Bits of a result, from `low` on: those of one number of the answer, from the bit `start` of
    the packet on."""

    result: str
    start: int
    bits: int
    low: int


@dataclass(frozen=True)
class Packets:
    """The packets of one operation under what is loaded.

    command: the beat that begins it.  counted: its member that tells the length of an operand that
    is `sized`; "" where there is none.  numbers: of all other packets, in order.
    pieces: of the answer.  status: its last beat tells whether there is a result: `outcomes` by its
    value, "" for yes, else the name of a flag.  beats: of the answer."""

    command: Mapping[str, int]
    counted: str
    numbers: tuple[PacketNumber, ...]
    pieces: tuple[Piece, ...]
    beats: int
    outcomes: tuple[str, ...] = ()

    @property
    def operands(self) -> tuple[str, ...]:
        """The operands that numbers are of."""
        parts = (number.source for number in self.numbers if isinstance(number.source, OperandBits))
        return tuple(dict.fromkeys(part.operand for part in parts))

    def request(
        self,
        operands: Mapping[str, int],
        modulus: int,
        bits: Mapping[str, int],
        length: int = 0,
        drawn: Callable[[Chance], int] | None = None,
    ) -> Beats:
        """The packets, as a driver makes them.

        bits: of a beat, by stream.  length: of the operand that is sized.  drawn: gives random
        numbers (default: the least)."""
        command = dict(self.command) | ({self.counted: length} if self.counted else {})
        streams: dict[str, list[dict[str, int]]] = {"command": [command]}
        for number in self.numbers:
            if isinstance(number.source, OperandBits):
                value = number.source.of(operands, modulus)
            elif isinstance(number.source, Chance):
                value = drawn(number.source) if drawn else number.source.least
            else:
                value = number.source
            beats = streams.setdefault(number.stream, [])
            if number.highest:
                words = to_words(value, number.highest, -(-length // number.highest))[::-1]
            else:
                shift = number.size - length if number.sized else number.shift
                width = bits[number.stream]
                words = to_words(value << shift, width, number.size // width)
            beats += [{"data": word} for word in words]
        return streams

    def reply(self, answer: int) -> dict[str, int]:
        """Results by name, of an answer whose beats are one number."""
        results: dict[str, int] = {}
        for piece in self.pieces:
            value = answer >> piece.start & (1 << piece.bits) - 1
            results[piece.result] = results.get(piece.result, 0) | value << piece.low
        return results


def pieces(said: Callable[[Sequence[int]], Mapping[str, int]], count: int,
           size: int) -> Iterator[Piece]:  # fmt: skip
    """What each of `count` numbers of an answer is part of, each of `size` bits there.

    said: the results of such numbers: a sum of them, each shifted."""
    for place in range(count):
        for name, value in said([int(other == place) for other in range(count)]).items():
            if value:
                yield Piece(name, place * size, size, value.bit_length() - 1)
