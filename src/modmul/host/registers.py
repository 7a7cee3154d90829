"""A transport to a design behind its registers, wherever these are."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from random import SystemRandom
from typing import Any

from modmul.arithmetic.words import from_words, to_words
from modmul.design import Beat, Beats
from modmul.errors import CheckFailed, SpecError
from modmul.host.accesses import Accesses
from modmul.host.transport import Fault
from modmul.processors import Processor
from modmul.spec import Spec
from modmul.system.channels import WORD, Lane
from modmul.system.exercise import longest
from modmul.system.registers import RegisterMap, register_map
from modmul.verification.simulation.request import Subject, UserRequest
from modmul.verification.simulation.subjects import subject


class OnRegisters:
    """The design of a spec at registers that can be read and written: the same answers as those of
    its simulation, of a processor those of `Modelled`.

    spec: of a processor or a multiplier; it has a modulus, a curve or a key, unless it multiplies
    without one.  patience: seconds that anything may take.  Where something takes longer, or is
    refused, the device is wiped.  Random numbers are the operating system's.
    SpecError for another spec; Fault where there is no such device, or it does not answer; Refused
    as by the accesses."""

    def __init__(self, spec: Spec, accesses: Accesses, patience: float = 60.0):
        if spec.modulus is None and spec.arithmetic.modulus_at != "none":
            raise SpecError("modulus", None, "a modulus, a curve or a key",
                            "modulus: must be given, or a curve or a key")  # fmt: skip
        self.spec, self.accesses, self.patience = spec, accesses, patience
        self.regs: RegisterMap = register_map(spec.design, longest(spec))
        self._channels = {one.name: one for one in self.regs.inputs}
        self._loaded: Beats = {}
        self._open()

    def ask(self, operation: str, operands: Mapping[str, object]) -> Mapping[str, Any]:
        """One operation, of a multiplier `multiply` or `square`, with its results by name: numbers,
        or pairs of sum and carry.  SpecError for operands that are refused."""
        asking = subject(self.spec, operation)
        request = asking.read(operands)
        try:
            self._load(asking.load(request))
            return asking.reply(request, self._asked(asking, request))
        except CheckFailed:
            with contextlib.suppress(CheckFailed):
                self.wipe()
            raise

    def wipe(self) -> None:
        """Zero all windows, and what is on its way; nothing is loaded then."""
        self._loaded = {}
        self._put("control", wipe=1)
        self._until("status", "wiping", 0)

    # ---- steps --------------------------------------------------------------------------------

    def _open(self) -> None:
        """Fault unless this is the device."""
        for name in ("id", "version", "design"):
            value = self.accesses.read(self.regs.by_name[name].address)
            wanted = self.regs.by_name[name].value
            if value != wanted:
                raise Fault(f"registers: {name} is {value:#010x}: must be {wanted:#010x}, as that "
                            f"of {self.spec.design.title} is")  # fmt: skip
        self._until("status", "wiping", 0)
        self._put("enables")
        self.accesses.write(self.regs.by_name["events"].address, (1 << WORD) - 1)

    def _load(self, packets: Beats) -> None:
        """What the spec says, unless it is in."""
        if packets != self._loaded:
            self._send(packets)
            for name in packets:
                self._until("status", f"{name}_busy", 0)
            self._forget(packets)
            self._loaded = packets

    def _asked(self, asking: Subject, request: UserRequest) -> list[Beat]:
        """The beats of the answer."""
        design = self.spec.design
        if isinstance(design, Processor):
            packets = design.request(request.job, SystemRandom())
        else:
            packets = asking.request(request)
        self._send(packets)
        self._until("status", "result", 1)
        count = self.accesses.read(self.regs.by_name["result_beats"].address)
        wanted = asking.reply_beats(request)
        if count != wanted:
            raise Fault(f"{request.mode.name}: {count} beats came: must be {wanted}")
        lanes = [self._read(lane, count) for lane in self.regs.result.lanes]
        self._put("control", take=1)
        self._forget(packets)
        return [{name: value for part in beat for name, value in part.items()}
                for beat in zip(*lanes, strict=True)]  # fmt: skip

    def _read(self, lane: Lane, count: int) -> list[Beat]:
        """A window of the result."""
        first = self.regs.window[lane.name].address
        words = [self.accesses.read(first + 4 * place)
                 for place in range(self.regs.result.words_of(count))]  # fmt: skip
        return lane.unpacked(from_words(words, WORD), count)

    # ---- packets ------------------------------------------------------------------------------

    def _send(self, packets: Beats) -> None:
        """One after the other, in pieces where a window does not hold all."""
        for name, beats in packets.items():
            channel, done = self._channels[name], 0
            flags = {channel.flag: int(any(beat.get(channel.flag) for beat in beats))
                     } if channel.flag else {}  # fmt: skip
            while done < len(beats):
                left = len(beats) - done
                count = left if left <= channel.beats else channel.piece
                self._until("status", f"{name}_busy", 0)
                for lane in channel.lanes:
                    packed = lane.packed(beats[done : done + count])
                    self._fill(lane, to_words(packed, WORD, channel.words_of(count)))
                self._begin(f"{name}_send", beats=count, first=int(done == 0),
                            last=int(count == left), **flags)  # fmt: skip
                done += count

    def _fill(self, lane: Lane, words: Sequence[int]) -> None:
        first = self.regs.window[lane.name].address
        for place, word in enumerate(words):
            self.accesses.write(first + 4 * place, word)

    def _forget(self, packets: Beats) -> None:
        """Overwrite the windows whose content is secret."""
        for name, beats in packets.items():
            channel = self._channels[name]
            if channel.secret:
                for lane in channel.lanes:
                    self._fill(lane, [0] * channel.words_of(min(channel.beats, len(beats))))

    # ---- registers ----------------------------------------------------------------------------

    def _bits(self, register: str, values: Mapping[str, int]) -> int:
        return sum(value << self.regs.bits(register, name).low for name, value in values.items())

    def _put(self, register: str, **values: int) -> None:
        self.accesses.write(self.regs.by_name[register].address, self._bits(register, values))

    def _begin(self, register: str, **values: int) -> None:
        """Write what begins something.  Fault where it is refused."""
        self._put("events", error=1)
        self._put(register, **values)
        events = self.accesses.read(self.regs.by_name["events"].address)
        if events & self.regs.bits("events", "error").mask:
            raise Fault(f"{register}: the device refuses it")

    def _until(self, register: str, name: str, wanted: int) -> None:
        """Wait.  Fault where it takes too long."""
        mask, address = self.regs.bits(register, name).mask, self.regs.by_name[register].address
        end = time.monotonic() + self.patience
        while bool(self.accesses.read(address) & mask) != bool(wanted):
            if time.monotonic() > end:
                raise Fault(f"{register}.{name} is not {wanted} after {self.patience:g} s")
            self.accesses.idle()
