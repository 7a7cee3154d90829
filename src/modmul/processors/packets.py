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

# The meanings of `first` and `last` on streams whose packets have as many beats as the operation
# needs.
ENDS = {"first": "the first beat of its packet", "last": "the last beat of its packet"}


class OperandBits(NamedTuple):
    """A part of an operand: `bits` bits from the bit `low` on, or, with None, all from there on.
    reduced: whether it is taken modulo the modulus that is loaded."""

    operand: str
    low: int = 0
    bits: int | None = None
    reduced: bool = False

    def of(self, operands: Mapping[str, int], modulus: int) -> int:
        """The value of this part."""
        value = operands[self.operand] >> self.low
        if self.bits is not None:
            value &= (1 << self.bits) - 1
        return value % modulus if self.reduced else value


class Chance(NamedTuple):
    """A random number, from `least` on and below `below`."""

    least: int
    below: int


class PacketNumber(NamedTuple):
    """A number in a packet.

    stream: of the packet.  source: a part of an operand, a random number, or a constant.
    size: its bits in the packet.  shift: how far the value is shifted left in these.
    sized: whether its operand has a length that is chosen; then the shift is `size` less this
    length.  highest: 0, or the bits of a beat, for such an operand whose highest beat comes first;
    then there are only as many beats as the length needs."""

    stream: str
    source: OperandBits | Chance | int
    size: int
    shift: int = 0
    sized: bool = False
    highest: int = 0


class Piece(NamedTuple):
    """A part of a result: its bits from `low` on are `bits` bits of the answer from the bit `start`
    on."""

    result: str
    start: int
    bits: int
    low: int


@dataclass(frozen=True)
class Packets:
    """The packets of one operation, for what is loaded.

    command: the beat that begins it.  counted: the member of it that contains the length of an
    operand that is `sized`, or "".  numbers: the content of all other packets, in order.
    pieces: the content of the answer.  beats: of the answer.  outcomes: by the value of the
    answer's last beat, the status: "" if there is a result, else the name of a flag."""

    command: Mapping[str, int]
    counted: str
    numbers: tuple[PacketNumber, ...]
    pieces: tuple[Piece, ...]
    beats: int
    outcomes: tuple[str, ...] = ()

    @property
    def operands(self) -> tuple[str, ...]:
        """The operands whose parts are among the numbers."""
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
        """The packets, by stream, as a driver makes them.  bits: of a beat, by stream.
        length: of the operand that is sized.  drawn: returns random numbers, by default the least
        possible ones."""
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
        """The results by name.  answer: all beats as one number."""
        results: dict[str, int] = {}
        for piece in self.pieces:
            value = answer >> piece.start & (1 << piece.bits) - 1
            results[piece.result] = results.get(piece.result, 0) | value << piece.low
        return results


def pieces(
    said: Callable[[Sequence[int]], Mapping[str, int]], count: int, size: int
) -> Iterator[Piece]:
    """The result of which each of `count` numbers of an answer, of `size` bits, is a part.
    said: returns the results for such numbers, each a sum of shifted numbers."""
    for place in range(count):
        for name, value in said([int(other == place) for other in range(count)]).items():
            if value:
                yield Piece(name, place * size, size, value.bit_length() - 1)
