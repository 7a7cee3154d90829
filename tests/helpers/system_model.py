"""A model of the registers of a design on integers, and random accesses with what they answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from modmul.system.registers import RegisterMap
from modmul.system.script import ALL, Access

WORD = (1 << 32) - 1


def bytes_of(strobes: int) -> int:
    """The bits of the bytes that are written."""
    return sum(0xFF << 8 * place for place in range(4) if strobes >> place & 1)


@dataclass
class Model:
    """Registers of a multiplier.  compute: the numbers of the result's windows, from those of the
    operand's and the modulus loaded (None before one is), or None for operands that it does not
    take.  flying: sends that have not been waited for, by channel, and whether a result is."""

    regs: RegisterMap
    compute: Callable[[Mapping[str, int], int | None], Mapping[str, int] | None]
    windows: dict[str, int] = field(default_factory=dict)
    results: dict[str, int] = field(default_factory=dict)
    events: int = 0
    enables: int = 0
    modulus: int | None = None
    held: bool = False

    def at(self, address: int) -> str | tuple[str, int] | None:
        """A register's name, a window's with the number of the word, or nothing."""
        address &= ~3
        for register in self.regs.registers:
            if register.address == address:
                return register.name
        for window in self.regs.windows:
            word = (address - window.address) // 4
            if 0 <= word < window.words:
                return window.name, word
        return None

    def bit(self, register: str, name: str) -> int:
        return self.regs.bits(register, name).mask

    def happens(self, *names: str) -> None:
        for name in names:
            self.events |= self.bit("events", name)

    def read(self, address: int) -> tuple[int, bool]:
        """What is read, and whether that is an error."""
        place = self.at(address)
        if place is None:
            return 0, True
        if isinstance(place, tuple):
            window, word = place
            if self.regs.window[window].access == "write":
                return 0, True
            return (self.results[window] >> 32 * word & WORD if self.held else 0), False
        register = self.regs.by_name[place]
        known = {
            "events": self.events,
            "enables": self.enables,
            "status": int(self.held),
            "result_beats": self.regs.result.beats if self.held else 0,
        }
        return (known.get(place, register.value), False) if register.readable else (0, True)

    def write(self, address: int, data: int, strobes: int) -> bool:
        """Whether that is an error."""
        place, mask = self.at(address), bytes_of(strobes)
        if place is None:
            return True
        if isinstance(place, tuple):
            window, word = place
            if self.regs.window[window].access == "read":
                return True
            mask <<= 32 * word
            self.windows[window] = self.windows.get(window, 0) & ~mask | data << 32 * word & mask
            return False
        if place == "events":
            self.events &= ~(data & mask)
        elif place == "enables":
            every = sum(bits.mask for bits in self.regs.by_name["enables"].fields)
            self.enables = (self.enables & ~mask | data & mask) & every
        elif place == "control":
            self._control(data & mask)
        elif place.endswith("_send"):
            self._send(place.removesuffix("_send"), data & mask)
        return not self.regs.by_name[place].writable

    def _control(self, bits: int) -> None:
        if bits & self.bit("control", "take"):
            if self.held:
                self.held = False
            else:
                self.happens("error")
        if bits & self.bit("control", "wipe"):
            self.windows, self.held, self.modulus = {}, False, None
            self.happens("wiped")

    def _send(self, name: str, bits: int) -> None:
        beats = bits & 0xFFFF
        (channel,) = (channel for channel in self.regs.inputs if channel.name == name)
        flags = {
            flag.name
            for flag in self.regs.by_name[f"{name}_send"].fields
            if flag.name != "beats" and bits & flag.mask
        }
        if not beats:
            return
        if beats > channel.beats or ({"a_result", "b_result", "take"} & flags and not self.held):
            self.happens("error")
            return
        numbers = {
            lane.name: self.windows.get(lane.name, 0) & (1 << beats * channel.bits) - 1
            for lane in channel.lanes
        }
        if name == "modulus":
            self.modulus = numbers["modulus"]
            self.happens("modulus_sent")
            return
        if "a_result" in flags:
            numbers["a"] = self.results["result"]
        if "b_result" in flags:
            numbers["b"] = self.results["result"]
        if "square" in flags:
            numbers["b"] = numbers["a"]
        results = self.compute(numbers, self.modulus)
        assert results is not None
        self.happens("operand_sent")
        if "take" in flags:
            self.held = False
        assert not self.held, "the next result waits behind this one"
        self.results, self.held = dict(results), True
        self.happens("result")


class RandomSequence:
    """Random accesses to the registers of a one-beat multiplier with a modulus in use."""

    def __init__(self, model: Model, moduli: list[int], bound: Callable[[int], int], seed: int):
        self.model, self.regs, self.moduli, self.bound = model, model.regs, moduli, bound
        self.chance, self.accesses = random.Random(seed), list[Access]()
        model.happens("wiped")
        self.wiped()

    def wiped(self) -> None:
        """Wait for the end of a wipe."""
        status, mask = self.regs.by_name["status"].address, self.model.bit("status", "wiping")
        self.accesses.append(Access("poll", status, 0, mask))

    def make(self, count: int) -> list[Access]:
        while len(self.accesses) < count:
            self.chance.choices(
                (self.anything, self.operand, self.product, self.load, self.wipe),
                (30, 20, 20, 4, 1),
            )[0]()
        return self.accesses

    def write(self, address: int, data: int, strobes: int = ALL) -> None:
        error = self.model.write(address, data, strobes)
        self.accesses.append(Access("write", address, data, strobes=strobes, error=error))

    def read(self, address: int) -> None:
        value, error = self.model.read(address)
        self.accesses.append(Access("read", address, value, error=error))

    def anything(self) -> None:
        """Any address, any data, any bytes; but nothing that sends or wipes."""
        address = self.chance.randrange(1 << self.regs.address_bits)
        near = self.chance.choice([*self.regs.registers, *self.regs.windows]).address
        address = self.chance.choice((address, near, near, near + 4))
        address &= (1 << self.regs.address_bits) - 1
        if self.chance.random() < 0.5:
            self.read(address)
            return
        data, place = self.chance.getrandbits(32), self.model.at(address)
        if isinstance(place, str) and place.endswith("_send"):
            data &= ~0xFFFF
        if place == "control":
            data &= ~self.model.bit("control", "wipe")
        self.write(address, data, self.chance.getrandbits(4))

    def operand(self) -> None:
        """A number that is allowed, in pieces of words."""
        name = self.chance.choice("ab")
        value = self.chance.randrange(self.bound(self.model.modulus or 3))
        for word in range(self.regs.window[name].words):
            data, address = value >> 32 * word & WORD, self.regs.window[name].address + 4 * word
            some = self.chance.choice((ALL, self.chance.getrandbits(4)))
            self.write(address, data, some)
            self.write(address, data, ALL ^ some)

    def load(self) -> None:
        window = self.regs.window["modulus"]
        value = self.chance.choice(self.moduli)
        for word in range(window.words):
            self.write(window.address + 4 * word, value >> 32 * word & WORD)
        send = self.regs.by_name["modulus_send"].address
        self.write(send, 1 | 3 << 16)
        self.until("status", "modulus_busy", 0)

    def product(self) -> None:
        """One, where there is a modulus; with everything that a send can say."""
        model, channel = self.model, self.regs.channels[-2]
        if model.modulus is None:
            self.load()
        for name in "ab":
            if model.windows.get(name, 0) & (1 << channel.bits) - 1 >= self.bound(model.modulus):
                model.windows.pop(name, None)
                for word in range(self.regs.window[name].words):
                    self.write(self.regs.window[name].address + 4 * word, 0)
        names = ["square", "a_result", "b_result"]
        flags = self.chance.sample(names, self.chance.randrange(3))
        if model.held:
            flags.append("take")
        bits = sum(model.bit("operand_send", name) for name in flags)
        beats = self.chance.choice((1, 1, 1, 2))
        known = model.held
        self.write(self.regs.by_name["operand_send"].address, beats | 3 << 16 | bits)
        if beats == 1 and (known or not {"a_result", "b_result"} & set(flags)):
            self.until("status", "operand_busy", 0)
            self.until("status", "result", 1)
        self.read(self.regs.by_name["events"].address)
        for word in range(self.regs.window["result"].words):
            self.read(self.regs.window["result"].address + 4 * word)

    def wipe(self) -> None:
        self.write(self.regs.by_name["control"].address, self.model.bit("control", "wipe"))
        self.wiped()

    def end(self) -> None:
        """As after a reset, so that the same can be done again."""
        self.write(self.regs.by_name["enables"].address, 0)
        self.write(self.regs.by_name["events"].address, WORD)
        self.wipe()

    def until(self, register: str, name: str, value: int) -> None:
        """Poll a bit."""
        mask, address = self.model.bit(register, name), self.regs.by_name[register].address
        self.accesses.append(Access("poll", address, value * mask, mask))
