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
    """One access to a register.

    kind: `poll` reads until the answer is right, `interrupt` waits until the interrupt is high.
    data: what is written, or what must be read in the bits of `mask`.  error: whether the bus must
    report an error.  said: a remark for the reader, at the first access of several."""

    kind: Kind
    address: int = 0
    data: int = 0
    mask: int = (1 << WORD) - 1
    strobes: int = ALL
    error: bool = False
    said: str = ""


class Script:
    """A list of accesses that grows.  regs: the registers that are accessed."""

    def __init__(self, register_map: RegisterMap):
        self.regs = register_map
        self.accesses: list[Access] = []
        self._said = ""

    def say(self, text: str) -> None:
        """Set the remark for the accesses that follow."""
        self._said = text

    def put(self, kind: Kind, address: int, data: int = 0, **others: int | bool) -> None:
        """Append one access, see `Access`."""
        self.accesses.append(Access(kind, address, data, **others, said=self._said))  # type: ignore[arg-type]
        self._said = ""

    def fields(self, register: str, **values: int) -> int:
        """The value of a register whose fields have these values, and all others 0."""
        return sum(value << self.regs.bits(register, name).low for name, value in values.items())

    def masked(self, register: str, *names: str) -> int:
        return sum(self.regs.bits(register, name).mask for name in names)

    def write(self, register: str, strobes: int = ALL, **values: int) -> None:
        """Write these fields of a register, and 0 to all others."""
        address = self.regs.by_name[register].address
        self.put("write", address, self.fields(register, **values), strobes=strobes)

    def read(self, register: str, **values: int) -> None:
        """Read a register, in which these fields must have these values."""
        address, mask = self.regs.by_name[register].address, self.masked(register, *values)
        self.put("read", address, self.fields(register, **values), mask=mask)

    def poll(self, register: str, **values: int) -> None:
        """Read a register until its fields have these values."""
        address, mask = self.regs.by_name[register].address, self.masked(register, *values)
        self.put("poll", address, self.fields(register, **values), mask=mask)

    def fill(self, window: str, value: int, words: int) -> None:
        """Write a value to the first words of a window."""
        address = self.regs.window[window].address
        for place, word in enumerate(to_words(value, WORD, words)):
            self.put("write", address + 4 * place, word)

    def expect(self, window: str, value: int, words: int) -> None:
        """Read the first words of a window, which must have this value."""
        address = self.regs.window[window].address
        for place, word in enumerate(to_words(value, WORD, words)):
            self.put("read", address + 4 * place, word)

    def send(self, channel: str, beats: int, **flags: int) -> None:
        """Send a whole packet from the windows of a channel."""
        self.write(f"{channel}_send", beats=beats, first=1, last=1, **flags)

    def packet(self, channel: Channel, values: Mapping[str, int], beats: int) -> None:
        """Fill the windows of a channel and send their beats, in pieces if a window does not hold
        all.  values: the whole number of each window.  Waits until the packet before was taken."""
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
        """Send a packet on each stream, to load a modulus or to ask for an operation.  They are
        sent side by side, because one may be taken in the middle of another."""
        channels = {channel.name: channel for channel in self.regs.inputs}
        for name, packet in beats.items():
            if packet:
                (lane,) = channels[name].lanes
                self.packet(channels[name], {lane.name: lane.packed(packet)}, len(packet))

    def load(self, beats: Mapping[str, Sequence[Beat]]) -> None:
        """Load a modulus and wait for its end, so that it holds for all that follows."""
        self.packets(beats)
        for name in beats:
            self.sent(name)

    def refused(self) -> None:
        """Check that the last write was refused, and clear the event."""
        self.read("events", error=1)
        self.write("events", error=1)

    def halves(self, window: str, word: int) -> None:
        """Write the first word of a window again in two halves; bytes without a strobe have other
        bits."""
        address = self.regs.window[window].address
        self.put("write", address, word ^ 0xFFFF0000, strobes=0b0011)
        self.put("write", address, word ^ 0x0000FFFF, strobes=0b1100)

    def unreadable(self) -> None:
        """Check that the windows of operands cannot be read."""
        for window in self.regs.windows:
            if window.access == "write":
                self.put("read", window.address, 0, error=True)
