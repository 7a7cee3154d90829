"""A transport to a design behind its registers, wherever these are."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from random import SystemRandom

from modmul.arithmetic.words import from_words, to_words
from modmul.design import Beat, Job
from modmul.errors import CheckFailed, SpecError
from modmul.host.accesses import Accesses
from modmul.host.transport import Fault
from modmul.processors import Load
from modmul.spec import Spec
from modmul.system.channels import WORD, Channel
from modmul.system.exercise import longest
from modmul.system.registers import RegisterMap, register_map
from modmul.verification.simulation.subjects import subject


class OnRegisters:
    """The processor of a spec, which has a modulus, a curve or a key, at registers that can be
    read and written: the same answers as those of its simulation.

    patience: seconds that anything may take.  Where something takes longer, or is refused, the
    device is wiped.  Random numbers are the operating system's.
    Fault where there is no such device, or it does not answer; Refused as by the accesses."""

    def __init__(self, spec: Spec, accesses: Accesses, patience: float = 60.0):
        if spec.load is None:
            raise SpecError("modulus", None, "a modulus, a curve or a key",
                            "modulus: must be given, or a curve or a key")  # fmt: skip
        self.spec, self.accesses, self.patience = spec, accesses, patience
        self.told: RegisterMap = register_map(spec.design, longest(spec))
        self._loaded: Load | None = None
        self._open()

    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        """One operation.  SpecError for operands that are refused."""
        job = subject(self.spec, operation).read(operands).job
        try:
            self._load()
            return self._asked(job)
        except CheckFailed:
            with contextlib.suppress(CheckFailed):
                self.wipe()
            raise

    def wipe(self) -> None:
        """Zero all windows, and what is on its way; nothing is loaded then."""
        self._loaded = None
        self._put("control", wipe=1)
        self._until("status", "wiping", 0)

    # ---- steps --------------------------------------------------------------------------------

    def _open(self) -> None:
        """Fault unless this is the device."""
        for name in ("id", "version", "design"):
            found = self.accesses.read(self.told.by_name[name].address)
            wanted = self.told.by_name[name].value
            if found != wanted:
                raise Fault(f"registers: {name} is {found:#010x}: must be {wanted:#010x}, as that "
                            f"of {self.spec.design.title} is")  # fmt: skip
        self._until("status", "wiping", 0)
        self._put("enables")
        self.accesses.write(self.told.by_name["events"].address, (1 << WORD) - 1)

    def _load(self) -> None:
        """What the spec says, unless it is in."""
        load = self.spec.load
        if load is not None and load != self._loaded:
            packets = self.spec.processor.load(*load)
            self._send(packets)
            for name in packets:
                self._until("status", f"{name}_busy", 0)
            self._forget(packets)
            self._loaded = load

    def _asked(self, job: Job) -> Mapping[str, int]:
        processor = self.spec.processor
        packets = processor.request(job, SystemRandom())
        self._send(packets)
        self._until("status", "result", 1)
        count = self.accesses.read(self.told.by_name["result_beats"].address)
        wanted = processor.reply_beats(job.mode, job.modulus)
        if count != wanted:
            raise Fault(f"{job.mode.name}: {count} beats came: must be {wanted}")
        (lane,) = self.told.result.lanes
        first = self.told.window[lane.name].address
        words = [self.accesses.read(first + 4 * place)
                 for place in range(self.told.result.words_of(count))]  # fmt: skip
        self._put("control", take=1)
        self._forget(packets)
        return processor.reply(job.mode, lane.unpacked(from_words(words, WORD), count))

    # ---- packets ------------------------------------------------------------------------------

    def _send(self, packets: Mapping[str, Sequence[Beat]]) -> None:
        """One after the other, in pieces where a window does not hold all."""
        channels = {one.name: one for one in self.told.inputs}
        for name, beats in packets.items():
            channel, done = channels[name], 0
            (lane,) = channel.lanes
            while done < len(beats):
                left = len(beats) - done
                count = left if left <= channel.beats else channel.piece
                self._until("status", f"{name}_busy", 0)
                words = channel.words_of(count)
                self._fill(channel, to_words(lane.packed(beats[done : done + count]), WORD, words))
                self._begin(f"{name}_send", beats=count, first=int(done == 0),
                            last=int(count == left))  # fmt: skip
                done += count

    def _fill(self, channel: Channel, words: Sequence[int]) -> None:
        first = self.told.window[channel.lanes[0].name].address
        for place, word in enumerate(words):
            self.accesses.write(first + 4 * place, word)

    def _forget(self, packets: Mapping[str, Sequence[Beat]]) -> None:
        """Overwrite the windows whose content is secret."""
        for channel in self.told.inputs:
            if channel.secret and channel.name in packets:
                count = min(channel.beats, len(packets[channel.name]))
                self._fill(channel, [0] * channel.words_of(count))

    # ---- registers ----------------------------------------------------------------------------

    def _bits(self, register: str, values: Mapping[str, int]) -> int:
        return sum(value << self.told.bits(register, name).low for name, value in values.items())

    def _put(self, register: str, **values: int) -> None:
        self.accesses.write(self.told.by_name[register].address, self._bits(register, values))

    def _begin(self, register: str, **values: int) -> None:
        """Write what begins something.  Fault where it is refused."""
        self._put("events", error=1)
        self._put(register, **values)
        events = self.accesses.read(self.told.by_name["events"].address)
        if events & self.told.bits("events", "error").mask:
            raise Fault(f"{register}: the device refuses it")

    def _until(self, register: str, name: str, wanted: int) -> None:
        """Wait.  Fault where it takes too long."""
        mask, address = self.told.bits(register, name).mask, self.told.by_name[register].address
        end = time.monotonic() + self.patience
        while bool(self.accesses.read(address) & mask) != bool(wanted):
            if time.monotonic() > end:
                raise Fault(f"{register}.{name} is not {wanted} after {self.patience:g} s")
            self.accesses.idle()
