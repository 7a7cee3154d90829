"""What registers of a design are: fields, registers, windows, and the map of all of them.

A register has 32 bits.  After the registers come the windows (see `channels`), each at a multiple
of one size, so that the upper bits of an address name it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Literal

from modmul.multipliers.operations import SUMS
from modmul.system.channels import FAULT, Channel

FIRST_LIVE = 0x10  # address of the first register that is no constant
BEATS = 16  # bits of a number of beats
MOST_BANKS = 15  # as many as the four bits of a SEND register can name

# Read only; written and read back; an action when 1 is written; read, and cleared by writing 1.
Access = Literal["read", "read-write", "pulse", "clear"]


@dataclass(frozen=True)
class BitField:
    """A field of a register.  value: of a constant, or after a reset."""

    name: str
    low: int
    width: int
    access: Access
    meaning: str
    value: int = 0

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1 << self.low


@dataclass(frozen=True)
class Register:
    name: str
    address: int
    meaning: str
    fields: tuple[BitField, ...]

    @property
    def readable(self) -> bool:
        return any(field.access != "pulse" for field in self.fields)

    @property
    def writable(self) -> bool:
        return any(field.access != "read" for field in self.fields)

    @property
    def value(self) -> int:
        """The value after a reset."""
        return sum(field.value << field.low for field in self.fields)


@dataclass(frozen=True)
class Window:
    """A range of words that holds a number, lowest word first.  access: what the bus may do.  If no
    result is there, its window reads as 0.  bank: the number of the bank that it belongs to, from 1
    on, or 0."""

    name: str
    address: int
    words: int
    access: Literal["read", "write"]
    meaning: str
    channel: str
    secret: bool
    bank: int = 0

    def described(self) -> dict[str, object]:
        """All fields as JSON values, but no `bank` for a window of none."""
        return {name: value for name, value in asdict(self).items() if name != "bank" or value}


@dataclass(frozen=True)
class RegisterMap:
    """All registers and windows of a design.  unit: bytes from one window to the next.  chained:
    whether a result can be an operand.  banks: how many keep whole operands and results."""

    title: str
    channels: tuple[Channel, ...]
    registers: tuple[Register, ...]
    windows: tuple[Window, ...]
    unit: int
    chained: bool
    banks: int = 0

    @property
    def address_bits(self) -> int:
        """Bits of a byte address."""
        return (self.unit * (1 + len(self.windows)) - 1).bit_length()

    @property
    def bank_words(self) -> int:
        """Words of the memory of all banks, each of which takes a power of two."""
        most = max((window.words for window in self.windows if window.bank), default=0)
        return self.banks << max(1, (most - 1).bit_length()) if most else 0

    @property
    def wiped(self) -> int:
        """Cycles of a wipe: words that are zeroed in turn, in all memories at the same time."""
        return max(2, self.bank_words, *(channel.words for channel in self.channels))

    @property
    def sums(self) -> tuple[str, ...]:
        """The sums and differences of the design, as fields of the SEND register of operands."""
        return tuple(flag for channel in self.channels for flag in channel.flags if flag in SUMS)

    @property
    def protected(self) -> bool:
        """Whether the design reports faults, in the registers `status` and `events`."""
        return FAULT in self.result.flags

    @property
    def inputs(self) -> tuple[Channel, ...]:
        return tuple(channel for channel in self.channels if channel.direction == "input")

    @property
    def result(self) -> Channel:
        (output,) = (channel for channel in self.channels if channel.direction == "output")
        return output

    @cached_property
    def by_name(self) -> Mapping[str, Register]:
        return {register.name: register for register in self.registers}

    @cached_property
    def window(self) -> Mapping[str, Window]:
        return {window.name: window for window in self.windows}

    def bits(self, register: str, name: str) -> BitField:
        (bits,) = (field for field in self.by_name[register].fields if field.name == name)
        return bits

    def described(self) -> dict[str, object]:
        """Banks, registers, windows and channels as plain JSON values."""
        return {
            "address_bits": self.address_bits,
            "banks": self.banks,
            "registers": [asdict(register) for register in self.registers],
            "windows": [window.described() for window in self.windows],
            "channels": [
                {
                    "name": channel.name,
                    "direction": channel.direction,
                    "bits": channel.bits,
                    "beats": channel.beats,
                    "words": channel.words,
                    "secret": channel.secret,
                    "windows": [lane.name for lane in channel.lanes],
                }
                for channel in self.channels
            ],
        }
