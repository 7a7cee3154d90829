"""How the streams of a design stand in 32-bit words: channels, and the windows of a channel.

A channel is one stream.  Its beats are a packet, which stands in a window (of the operands of a
multiplier in several of equal size, one for each number) from the lowest bits on, without gaps:
beat j of w bits has the bits from j*w on.  So a number of several beats, the lowest first, stands
there as it is, its lowest word first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from modmul.design import Beat, Design, Stream
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.operations import OPERATIONS

WORD = 32  # bits of a register
_MOST = 1024  # words of a window; a longer packet is sent in pieces


@dataclass(frozen=True)
class PacketWindow:
    """One window of a channel.  fields: the members of a beat in it, with their bits, the lowest
    first; meanings: of these."""

    name: str
    fields: tuple[tuple[str, int], ...]
    meaning: str

    @property
    def bits(self) -> int:
        """Bits of one beat."""
        return sum(bits for _, bits in self.fields)

    def packed(self, beats: Sequence[Mapping[str, int]]) -> int:
        """Beats as the number that stands in the window."""
        packed, place = 0, 0
        for beat in beats:
            for name, bits in self.fields:
                packed |= beat[name] << place
                place += bits
        return packed

    def unpacked(self, value: int, count: int) -> list[Beat]:
        """The beats in a window."""
        beats: list[Beat] = []
        for _ in range(count):
            beat = {}
            for name, bits in self.fields:
                beat[name] = value & (1 << bits) - 1
                value >>= bits
            beats.append(beat)
        return beats


@dataclass(frozen=True)
class Channel:
    """A stream behind registers.

    lanes: all of a beat's payload, with as many bits each.  beats: that its windows hold.
    secret: whether its payload is.  flags: members that are no numbers, but set with the packet."""

    name: str
    direction: Literal["input", "output"]
    meaning: str
    lanes: tuple[PacketWindow, ...]
    beats: int
    secret: bool
    flags: tuple[str, ...] = ()

    @property
    def bits(self) -> int:
        """Bits of one beat in one window."""
        return self.lanes[0].bits

    @property
    def step(self) -> int:
        """Bits that go over at once: as many as divide both a word and a beat, so that no beat has
        to be put together from any place of a word."""
        return WORD if self.beats == 1 else math.gcd(self.bits, WORD)

    @property
    def shifts(self) -> int:
        """Steps of a beat."""
        return -(-self.bits // self.step)

    @property
    def words(self) -> int:
        """Words of one window."""
        return -(-self.beats * self.bits // WORD)

    @property
    def piece(self) -> int:
        """Beats that a window holds, as many as end with a word."""
        return self.beats - self.beats % (WORD // math.gcd(self.bits, WORD)) or self.beats

    def words_of(self, beats: int) -> int:
        """Words that so many beats need."""
        return -(-beats * self.bits // WORD)


def channels(design: Design, longest: Mapping[str, int]) -> tuple[Channel, ...]:
    """The channels of a design, in the order of its streams.  longest: beats of the longest packet
    of a stream, for those whose description does not tell."""
    return tuple(_channel(design, stream, longest.get(stream.name, stream.beats))
                 for stream in design.streams)  # fmt: skip


def _channel(design: Design, stream: Stream, longest: int) -> Channel:
    members = {name: bits for name, (bits, _) in stream.members.items()}
    flags = tuple(name for name in members if name in OPERATIONS)
    numbers = {name: bits for name, bits in members.items() if name not in flags}
    if isinstance(design, Multiplier) and stream.name != "modulus":
        lanes = tuple(
            PacketWindow(_called(stream, name), ((name, bits),), stream.members[name][1])
            for name, bits in numbers.items()
        )
    else:
        said = "; ".join(stream.members[name][1] for name in numbers)
        meaning = said if len(numbers) == 1 else f"{stream.meaning}: {said}"
        lanes = (PacketWindow(stream.name, tuple(numbers.items()), meaning),)
    bits = lanes[0].bits
    beats = max(1, min(max(longest, stream.beats), _MOST * WORD // bits))
    return Channel(
        stream.name, stream.direction, stream.meaning, lanes, beats, stream.secret, flags
    )  # fmt: skip


def _called(stream: Stream, member: str) -> str:
    """The name of a window: a, b, a_carry; result, result_carry."""
    if stream.direction == "input":
        return member
    return stream.name if member == "data" else f"{stream.name}_{member}"


def chains(design: Design) -> bool:
    """Whether a result is an operand as it stands in its window."""
    if not isinstance(design, Multiplier) or design.kind == "plain":
        return False
    same = design.result_beat == design.beat and design.result_form == design.operand_form
    return same and all(
        design.in_field(field).result_limit.fits(design.in_field(field).operand_limit)
        for field in design.fields_built
    )
