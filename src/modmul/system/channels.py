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
FAULT = "fault"  # member of the result of a protected multiplier
_MOST = 1024  # words of a window; a longer packet is sent in pieces


@dataclass(frozen=True)
class PacketWindow:
    """One window of a channel.  fields: the members of a beat in it with their widths in bits, from
    the lowest bit on."""

    name: str
    fields: tuple[tuple[str, int], ...]
    meaning: str

    @property
    def bits(self) -> int:
        """Bits that one beat has in this window."""
        return sum(bits for _, bits in self.fields)

    def packed(self, beats: Sequence[Mapping[str, int]]) -> int:
        """Pack beats into the number that stands in the window."""
        packed, place = 0, 0
        for beat in beats:
            for name, bits in self.fields:
                packed |= beat[name] << place
                place += bits
        return packed

    def unpacked(self, value: int, count: int) -> list[Beat]:
        """The first `count` beats of a window whose content is `value`."""
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
    """A stream behind registers.  lanes: its windows, all with as many bits of a beat.  beats: how
    many each window holds.  secret: whether its data are.  flags: members of a beat that are no
    numbers, set with the packet; of a result, FAULT.  packet: the fewest and the most beats of a
    packet, None where the operation decides."""

    name: str
    direction: Literal["input", "output"]
    meaning: str
    lanes: tuple[PacketWindow, ...]
    beats: int
    secret: bool
    flags: tuple[str, ...] = ()
    packet: tuple[int, int] | None = None

    @property
    def bits(self) -> int:
        """Bits of one beat in one window."""
        return self.lanes[0].bits

    @property
    def step(self) -> int:
        """Bits that are moved in one cycle: a number that divides both a word and a beat, so that
        no beat crosses a step."""
        return WORD if self.beats == 1 else math.gcd(self.bits, WORD)

    @property
    def shifts(self) -> int:
        """Steps, that is cycles, of one beat."""
        return -(-self.bits // self.step)

    @property
    def words(self) -> int:
        return -(-self.beats * self.bits // WORD)

    @property
    def piece(self) -> int:
        """The most beats that a window holds and that end with a whole word."""
        return self.beats - self.beats % (WORD // math.gcd(self.bits, WORD)) or self.beats

    def name_for(self, what: str, lane: str) -> str:
        """The name of a signal of one window; that of an only window is left out."""
        return f"{what}_{lane}" if len(self.lanes) > 1 else what

    def words_of(self, beats: int) -> int:
        return -(-beats * self.bits // WORD)


def channels(design: Design, longest: Mapping[str, int]) -> tuple[Channel, ...]:
    """The channels of a design, in the order of its streams.  longest: beats of the longest
    packet of a stream, where the design itself does not tell it."""
    return tuple(
        _channel(design, stream, longest.get(stream.name, stream.beats))
        for stream in design.streams
    )


def _channel(design: Design, stream: Stream, longest: int) -> Channel:
    members = {name: bits for name, (bits, _) in stream.members.items()}
    flags = tuple(name for name in members if name in (*OPERATIONS, FAULT))
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
    packet = None
    if isinstance(design, Multiplier) and stream.direction == "input":
        fewest, most = design.lengths or (0, 0)
        packet = stream.beats - (most - fewest), stream.beats
    elif stream.direction == "input" and (stream.name == "command" or stream.beats > 1):
        packet = stream.beats, stream.beats
    return Channel(
        stream.name, stream.direction, stream.meaning, lanes, beats, stream.secret, flags, packet
    )


def _called(stream: Stream, member: str) -> str:
    """The name of a window, such as a, b, a_carry, result or result_carry."""
    if stream.direction == "input":
        return member
    return stream.name if member == "data" else f"{stream.name}_{member}"


def chains(design: Design) -> bool:
    """Whether a result can be used as an operand without any change."""
    if not isinstance(design, Multiplier) or design.kind == "plain":
        return False
    same = design.result_beat == design.beat and design.result_form == design.operand_form
    return same and all(
        design.in_field(field).result_limit.fits(design.in_field(field).operand_limit)
        for field in design.fields_built
    )
