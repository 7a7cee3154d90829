"""Accesses to registers, one after the other, with what they should answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from modmul.arithmetic.words import to_words
from modmul.design import Beat
from modmul.system.channels import WORD, Channel
from modmul.system.registers import RegisterMap

ALL = 0b1111  # bytes of a word
Kind = Literal["write", "read", "poll", "interrupt"]


class Access(NamedTuple):
    """kind: a poll reads until it is answered as told; `interrupt` waits until it is high.  data:
    what is written, or what the bits of `mask` should be.  error: that the bus should tell one.
    said: what it is about, for the reader, at the first of several."""

    kind: Kind
    address: int = 0
    data: int = 0
    mask: int = (1 << WORD) - 1
    strobes: int = ALL
    error: bool = False
    said: str = ""


class Script:
    """The accesses so far.  regs: the registers that they are to."""

    def __init__(self, register_map: RegisterMap):
        self.regs = register_map
        self.accesses: list[Access] = []
        self._said = ""

    def say(self, text: str) -> None:
        """What the accesses that follow are about."""
        self._said = text

    def put(self, kind: Kind, address: int, data: int = 0, **others: int | bool) -> None:
        """One access, see `Access`."""
        self.accesses.append(Access(kind, address, data, **others, said=self._said))  # type: ignore[arg-type]
        self._said = ""

    def fields(self, register: str, **values: int) -> int:
        """The bits of a register whose fields have these values."""
        return sum(value << self.regs.bits(register, name).low for name, value in values.items())

    def masked(self, register: str, *names: str) -> int:
        """The bits of these fields."""
        return sum(self.regs.bits(register, name).mask for name in names)

    def write(self, register: str, strobes: int = ALL, **values: int) -> None:
        """A write of a register's fields, all others 0."""
        address = self.regs.by_name[register].address
        self.put("write", address, self.fields(register, **values), strobes=strobes)

    def read(self, register: str, **values: int) -> None:
        """A read of a register, in which these fields are to have these values."""
        address, mask = self.regs.by_name[register].address, self.masked(register, *values)
        self.put("read", address, self.fields(register, **values), mask=mask)

    def poll(self, register: str, **values: int) -> None:
        """Reads a register until its fields have these values."""
        address, mask = self.regs.by_name[register].address, self.masked(register, *values)
        self.put("poll", address, self.fields(register, **values), mask=mask)

    def fill(self, window: str, value: int, words: int) -> None:
        """The first words of a window."""
        address = self.regs.window[window].address
        for place, word in enumerate(to_words(value, WORD, words)):
            self.put("write", address + 4 * place, word)

    def expect(self, window: str, value: int, words: int) -> None:
        """What the first words of a window should be."""
        address = self.regs.window[window].address
        for place, word in enumerate(to_words(value, WORD, words)):
            self.put("read", address + 4 * place, word)

    def send(self, channel: str, beats: int, **flags: int) -> None:
        """A whole packet from the windows of a channel."""
        self.write(f"{channel}_send", beats=beats, first=1, last=1, **flags)

    def packet(self, channel: Channel, values: Mapping[str, int], beats: int) -> None:
        """Fill the windows of a channel and send their beats, in pieces where they are many; what
        was sent before must have been taken.

        values: the whole number of each window."""
        done = 0
        while done < beats:
            self.sent(channel.name)
            count = min(channel.beats, beats - done)
            for window, value in values.items():
                part = value >> done * channel.bits & (1 << count * channel.bits) - 1
                self.fill(window, part, channel.words_of(count))
            ends = {"first": int(done == 0), "last": int(done + count == beats)}
            self.write(f"{channel.name}_send", beats=count, **ends)
            done += count

    def sent(self, channel: str) -> None:
        """Wait until a packet was taken."""
        self.poll("status", **{f"{channel}_busy": 0})

    def packets(self, beats: Mapping[str, Sequence[Beat]]) -> None:
        """What loads a modulus, or asks for an operation: packets by stream, sent side by side, as
        one may be taken in the middle of another."""
        channels = {channel.name: channel for channel in self.regs.inputs}
        for name, packet in beats.items():
            if packet:
                (lane,) = channels[name].lanes
                self.packet(channels[name], {lane.name: lane.packed(packet)}, len(packet))

    def load(self, beats: Mapping[str, Sequence[Beat]]) -> None:
        """What loads a modulus, all of it: it holds for what is asked for afterwards."""
        self.packets(beats)
        for name in beats:
            self.sent(name)

    def refused(self) -> None:
        """What was written last is told to be an error, once."""
        self.read("events", error=1)
        self.write("events", error=1)

    def halves(self, window: str, word: int) -> None:
        """The first word of a window once more, in two halves, with other bits where no byte is
        written."""
        address = self.regs.window[window].address
        self.put("write", address, word ^ 0xFFFF0000, strobes=0b0011)
        self.put("write", address, word ^ 0x0000FFFF, strobes=0b1100)

    def unreadable(self) -> None:
        """What was written cannot be read back."""
        for window in self.regs.windows:
            if window.access == "write":
                self.put("read", window.address, 0, error=True)
