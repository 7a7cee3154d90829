"""The golden machine of the engine with a fault: at some time one bit is another one."""

from __future__ import annotations

from typing import Any

from modmul.operation import Job
from modmul.processors.engine import operation
from modmul.processors.engine.golden import EngineOutcome, Golden
from modmul.processors.engine.processor import EngineProcessor
from modmul.processors.engine.timetable import ExecutedWord
from modmul.processors.engine.values import Hazard, Numbers

# As the place of a fault: modulus 0, the next ones being those after it, and scalar 0 likewise.
MODULUS, SCALAR = 64, 128


def newest(machine: Golden, register: int) -> int | None:
    """The step that wrote what is in a register last, of those that were executed."""
    executed = enumerate(machine.timetable.steps[: len(machine.done)])
    wrote = [
        (step.written, place)
        for place, step in executed
        if step.word.writes and step.word.dst == register
    ]
    return max(wrote)[1] if wrote else None


class Short(Numbers):
    """Operand a is a register, of which the multiplier does not look at the highest bits."""

    def product(self, a: int, b: int) -> int:
        return super().product(a & self.setting.a_below - 1, b)


class Faulty(Golden):
    """After so many words one bit is another one: of a register, of a constant in the store (-1 is
    the first), of a modulus there, or of what is left of a scalar."""

    def __init__(self, processor: EngineProcessor, job: Job, after: int, place: int, bit: int):
        image, engine = processor.image(job.mode), processor.engine
        settings = processor.programs.settings(
            processor.moduli(job.modulus, job.mode.curve), [image.program.name]
        )
        limits = engine.limits
        kind: Any = Short if limits.a_below < limits.register else Numbers
        self.numbers = kind(engine.machine, [*settings], limits.register)
        super().__init__(engine.machine, self.numbers)
        values, lengths = processor.values(job), processor.lengths(job)
        self.given = operation.streams(image, settings, values, lengths)
        self.counters = [values[name] for name in image.program.of("counter")]
        self.words, self.over = image.words, engine.over
        self.after, self.place, self.bit, self.hit = after, place, bit, False

    def issue(self, step: ExecutedWord) -> None:
        super().issue(step)
        if len(self.done) == self.after:
            self.hit = self.strike()

    def strike(self) -> bool:
        """Whether there is something to be hit."""
        mask = 1 << self.bit
        if self.place >= SCALAR:
            left = self.numbers.left[self.place - SCALAR]
            changed = int(left or "0", 2) ^ mask
            self.numbers.left[self.place - SCALAR] = f"{changed:0{len(left)}b}"[-len(left) or 1 :]
            return self.bit < len(left)
        if self.place >= MODULUS:
            settings, which = self.numbers.settings, self.place - MODULUS
            assert isinstance(settings, list)
            settings[which] = self.over(settings[which].modulus ^ mask | 1)
        elif self.place < 0:
            self.constants = [*self.constants]
            self.constants[-1 - self.place] ^= mask
        elif (step := newest(self, self.place)) is not None:
            self.values[step] ^= mask
        else:
            return False
        return True

    def outcome_of(self) -> EngineOutcome | None:
        """None where a number got too large for its unit, which the machine refuses."""
        try:
            return self.run(self.words, self.given, self.counters)
        except Hazard:
            return None
