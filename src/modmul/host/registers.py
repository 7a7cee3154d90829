"""A transport to a design behind its registers, wherever these are."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from random import Random, SystemRandom
from typing import Any, NamedTuple

from modmul.arithmetic.words import from_words, to_words
from modmul.design import Beat, Beats
from modmul.errors import CheckFailed, SpecError
from modmul.host.accesses import Accesses
from modmul.host.transport import Fault
from modmul.processors import Processor
from modmul.spec import Spec
from modmul.system.channels import FAULT, WORD, PacketWindow
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.registers import RegisterMap, Window
from modmul.verification.simulation.request import Subject, UserRequest
from modmul.verification.simulation.subjects import subject


class Bank(NamedTuple):
    """A factor that is already in the device: the content of bank `number`, or, with number 0, the
    result of the product before."""

    number: int


Factor = int | tuple[int, int] | Bank


class OnRegisters:
    """A transport to a design behind registers.  It answers as `Simulated` does, and for a
    processor also as `Modelled` does.

    spec: a processor or a multiplier, with a modulus, a curve or a key, unless the multiplier needs
    no modulus.  patience: the longest time for any step, in seconds.  After a step that takes
    longer or is refused, the device is wiped.  banks: how many banks a multiplier was built with,
    see `product`.  chance: where random numbers come from, the operating system unless it is given.
    Blinded moduli of a key get new factors here, and again after each `wipe`.
    Raises SpecError for another spec, Fault if the device is not this design or does not answer,
    and Refused if an access fails."""

    def __init__(
        self,
        spec: Spec,
        accesses: Accesses,
        patience: float = 60.0,
        banks: int = 0,
        chance: Random | None = None,
    ):
        if spec.modulus is None and spec.arithmetic.modulus_at != "none":
            raise SpecError(
                "modulus",
                None,
                "a modulus, a curve or a key",
                "modulus: must be given, or a curve or a key",
            )
        self.accesses, self.patience, self._chance = accesses, patience, chance or SystemRandom()
        self.spec = spec.blinded_anew(self._chance)
        self.regs: RegisterMap = register_map(spec.design, longest(spec), banks)
        self._channels = {channel.name: channel for channel in self.regs.inputs}
        self._loaded: Beats = {}
        self._held = False  # whether a result is there that the next product may use
        self._open()

    def ask(self, operation: str, operands: Mapping[str, object]) -> Mapping[str, Any]:
        """Compute one operation, and return its results by name: numbers, or pairs of sum and
        carry.  The operations of a multiplier are `multiply`, `square` and others that it has.
        Raises SpecError for operands that are refused."""
        asking = subject(self.spec, operation)
        request = asking.read(operands)
        try:
            self._load(asking.load(request))
            self._take()
            return asking.reply(request, self._asked(asking, request))
        except CheckFailed:
            with contextlib.suppress(CheckFailed):
                self.wipe()
            raise

    def keep(self, bank: int, number: int | tuple[int, int]) -> None:
        """Write an operand into a bank, from 1 on.  Raises SpecError for a wrong operand, Fault if
        refused."""
        self._check_bank("bank", bank, 1)
        asking = subject(self.spec, "multiply")
        (beats,) = asking.request(asking.read({"a": number, "b": number})).values()
        channel = self._channels["operand"]
        self._put("events", error=1)
        for lane in channel.lanes:
            if lane.name.startswith("a"):
                window = self.regs.window[f"bank{bank}{lane.name[1:]}"]
                self._fill(window, to_words(lane.packed(beats), WORD, channel.words_of(len(beats))))
        self._unless_refused(f"bank {bank}")

    def product(self, a: Factor, b: Factor, into: int = 0, read: bool = True) -> Mapping[str, Any]:
        """Multiply two factors: numbers, banks, or the result that is still in the device.  The
        product stays in the device as the new result, so that only numbers and results that are
        read move over the bus.

        into: a bank that the product is also stored in, or 0.  read: return the product, as `ask`
        does; else the answer is empty.  Raises SpecError and Fault."""
        factors: dict[str, Factor] = {"a": a, "b": b}
        places = {name: bank.number for name, bank in factors.items() if isinstance(bank, Bank)}
        for name, number in (*places.items(), ("into", into)):
            self._check_bank(name, number, 0)
        if 0 in places.values() and not self._held:
            raise SpecError("bank", 0, "1 or higher", "bank = 0: no result is there yet")
        asking = subject(self.spec, "multiply")
        request = asking.read(
            {name: 0 if name in places else factor for name, factor in factors.items()}
        )
        try:
            self._load(asking.load(request))
            (beats,) = asking.request(request).values()
            self._multiply(beats, places, into)
            return asking.reply(request, self._read_all(len(beats))) if read else {}
        except CheckFailed:
            with contextlib.suppress(CheckFailed):
                self.wipe()
            raise

    def wipe(self) -> None:
        """Zero all windows, and abort what is being sent or computed.  Nothing is loaded then."""
        self._loaded, self._held = {}, False
        self.spec = self.spec.blinded_anew(self._chance)
        self._put("control", wipe=1)
        self._until("status", "wiping", 0)

    # ---- steps --------------------------------------------------------------------------------

    def _open(self) -> None:
        """Check that the device is this design, and prepare its registers.  Raises Fault if not."""
        for name in ("id", "version", "design"):
            value = self.accesses.read(self.regs.by_name[name].address)
            expected = self.regs.by_name[name].value
            if value != expected:
                raise Fault(
                    f"registers: {name} is {value:#010x}: must be {expected:#010x}, "
                    f"as that of {self.spec.design.title} is"
                )
        self._until("status", "wiping", 0)
        self._put("enables")
        self.accesses.write(self.regs.by_name["events"].address, (1 << WORD) - 1)

    def _load(self, packets: Beats) -> None:
        """Load the modulus, curve or key of the spec, unless it is loaded."""
        if packets != self._loaded:
            self._send(packets)
            for name in packets:
                self._until("status", f"{name}_busy", 0)
            self._forget(packets)
            self._loaded = packets

    def _asked(self, asking: Subject, request: UserRequest) -> list[Beat]:
        """Send the operands of an operation, and return the beats of its result."""
        design = self.spec.design
        if isinstance(design, Processor):
            packets = design.request(request.job, self._chance)
        else:
            packets = asking.request(request)
        self._send(packets)
        self._until("status", "result", 1)
        count = self.accesses.read(self.regs.by_name["result_beats"].address)
        expected = asking.reply_beats(request)
        if count != expected:
            raise Fault(f"{request.mode.name}: {count} beats came: must be {expected}")
        beats = self._read_all(count)
        self._put("control", take=1)
        self._forget(packets)
        return beats

    def _multiply(self, beats: Sequence[Beat], places: Mapping[str, int], into: int) -> None:
        """Compute one product, whose result then is in the device.  beats: the packet of operands.
        places: the banks of those factors that are in the device."""
        channel = self._channels["operand"]
        moved = [lane for lane in channel.lanes if lane.name[0] not in places]
        for lane in moved:
            words = to_words(lane.packed(beats), WORD, channel.words_of(len(beats)))
            self._fill(self.regs.window[lane.name], words)
        flags = {
            f"{name}_bank" if number else f"{name}_result": number or 1
            for name, number in places.items()
        }
        if into:
            flags["result_bank"] = into
        self._begin(
            "operand_send", beats=len(beats), first=1, last=1, take=int(self._held), **flags
        )
        self._until("status", "operand_busy", 0)
        self._until("status", "result", 1)
        self._held = True
        for lane in moved if channel.secret else ():
            self._fill(self.regs.window[lane.name], [0] * channel.words_of(len(beats)))

    def _take(self) -> None:
        """Release the result that `product` left in the device."""
        if self._held:
            self._put("control", take=1)
            self._held = False

    def _check_bank(self, name: str, bank: int, least: int) -> None:
        """Raise SpecError if there is no such bank, or results cannot be operands."""
        allowed = f"{least} to {self.regs.banks}"
        if not self.regs.chained or not least <= bank <= self.regs.banks:
            raise SpecError(name, bank, allowed, f"{name} = {bank}: must be {allowed}, a bank")

    def _read_all(self, count: int) -> list[Beat]:
        """Read `count` beats of the result, from all of its windows."""
        lanes = [self._read(lane, count) for lane in self.regs.result.lanes]
        return [
            {name: value for part in beat for name, value in part.items()}
            for beat in zip(*lanes, strict=True)
        ]

    def _read(self, lane: PacketWindow, count: int) -> list[Beat]:
        """Read `count` beats from one window of the result."""
        first = self.regs.window[lane.name].address
        words = [
            self.accesses.read(first + 4 * place)
            for place in range(self.regs.result.words_of(count))
        ]
        return lane.unpacked(from_words(words, WORD), count)

    # ---- packets ------------------------------------------------------------------------------

    def _send(self, packets: Beats) -> None:
        """Send packets one after the other, in pieces if a packet does not fit into its window."""
        for name, beats in packets.items():
            channel, done = self._channels[name], 0
            flags = {flag: int(any(beat.get(flag) for beat in beats)) for flag in channel.flags}
            while done < len(beats):
                left = len(beats) - done
                count = left if left <= channel.beats else channel.piece
                self._until("status", f"{name}_busy", 0)
                for lane in channel.lanes:
                    packed = lane.packed(beats[done : done + count])
                    words = to_words(packed, WORD, channel.words_of(count))
                    self._fill(self.regs.window[lane.name], words)
                self._begin(
                    f"{name}_send",
                    beats=count,
                    first=int(done == 0),
                    last=int(count == left),
                    **flags,
                )
                done += count

    def _fill(self, window: Window, words: Sequence[int]) -> None:
        for place, word in enumerate(words):
            self.accesses.write(window.address + 4 * place, word)

    def _forget(self, packets: Beats) -> None:
        """Overwrite the windows of these packets if their content is secret."""
        for name, beats in packets.items():
            channel = self._channels[name]
            if channel.secret:
                for lane in channel.lanes:
                    window = self.regs.window[lane.name]
                    self._fill(window, [0] * channel.words_of(min(channel.beats, len(beats))))

    # ---- registers ----------------------------------------------------------------------------

    def _bits(self, register: str, values: Mapping[str, int]) -> int:
        return sum(value << self.regs.bits(register, name).low for name, value in values.items())

    def _put(self, register: str, **values: int) -> None:
        self.accesses.write(self.regs.by_name[register].address, self._bits(register, values))

    def _begin(self, register: str, **values: int) -> None:
        """Write a register that starts something.  Raises Fault if the device refuses it."""
        self._put("events", error=1)
        self._put(register, **values)
        self._unless_refused(register)

    def _unless_refused(self, what: str) -> None:
        """Raise Fault if the device refused the access before."""
        events = self.accesses.read(self.regs.by_name["events"].address)
        if events & self.regs.bits("events", "error").mask:
            raise Fault(f"{what}: the device refuses it")

    def _until(self, register: str, name: str, level: int) -> None:
        """Wait until a bit of `status` has this level.  Raises Fault if that takes too long, and if
        the device has detected a fault."""
        mask, address = self.regs.bits(register, name).mask, self.regs.by_name[register].address
        watches = self.regs.protected and name != "wiping"
        refused = self.regs.bits("status", FAULT).mask if watches else 0
        end = time.monotonic() + self.patience
        while True:
            value = self.accesses.read(address)
            if value & refused:
                raise Fault("the device detected a fault")
            if bool(value & mask) == bool(level):
                return
            if time.monotonic() > end:
                raise Fault(f"{register}.{name} is not {level} after {self.patience:g} s")
            self.accesses.idle()
