"""The common part of processors that are an engine with programs in its ROM."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, ClassVar

from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import to_words
from modmul.design import Beat, Beats, Stream
from modmul.errors import SpecError
from modmul.forecast import Forecast
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.setting import Setting
from modmul.operation import Cycles, Job, Mode, constant_cycles
from modmul.parameters import parameter
from modmul.processors.contract import Load, Processor, refusal, signature
from modmul.processors.engine import forecast, operation, packets, transport
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.engine import WRITERS, Engine
from modmul.processors.engine.hardware.build import ENTRY, FAULT, STATUS_LATER
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.hardware.streams import streams
from modmul.processors.engine.instructions import FLAGS
from modmul.processors.engine.layout import alone
from modmul.processors.engine.operation import Result
from modmul.processors.engine.program import Loop
from modmul.processors.engine.program_set import ProgramSet
from modmul.processors.packets import OperandBits, Packets

if TYPE_CHECKING:
    from amaranth.lib import wiring


_OF_INVERSION = 4  # the most operations of the loop of an inversion
QUIET = 2  # least number of cycles between the status and the next command
_STATUS = 1  # cycles from HALT to the last beat of a result, which is the status


@dataclass(frozen=True, kw_only=True)
class EngineProcessor(Processor):
    """A processor that is an engine with its programs."""

    terms: ClassVar[Mapping[str, str]] = {
        "begin": "from the command to the first word of the program",
        "blinding": "the loop that makes the blinded scalar",
        "steps": "the loops over the bits of the scalar",
        "inversion": "the loop over the bits of p - 2",
        "rest": "numbers in and out, what is before and after the loops, zeros into the registers",
        "status": "from the last word to the beat of the status",
    }
    protections: ClassVar[tuple[str, ...]] = ("none", "full")
    field: ClassVar[Field] = "prime"
    """The field of the moduli that are loaded."""
    register_file: str = parameter(
        "block",
        "memory of the registers: block: block RAM, with a bank for each unit; two-banks: block "
        "RAM, with a bank that all multipliers write in turn, and one for all adders; one-bank: "
        "block RAM, with one bank for all; distributed: RAM made of LUTs",
        choices=("block", "two-banks", "one-bank", "distributed"),
    )
    units: int = parameter(1, "how many multipliers the processor has", choices=(1, 2))
    ports: int = parameter(
        1,
        "read ports of the registers, each with an adder of its own; at most as many as "
        "multipliers",
        choices=(1, 2),
    )

    def check(self) -> None:
        """Raise SpecError for an unsuitable multiplier, and for more ports than multipliers."""
        if self.ports > self.units:
            raise refusal("ports", self.ports, f"at most {self.units}, as units is")
        engine = self.engine  # refuses the multiplier
        if not engine.has(self.field):
            why = {
                "prime": "one that computes modulo numbers: its field is binary",
                "binary": "one that computes in GF(2^m), too",
            }[self.field]
            raise refusal("multiplier", self.multiplier.title, why)
        if self.protected and engine.word <= FAULT:
            allowed = f"none, or a word of at least {FAULT + 1} bits, as the status has"
            raise refusal("protection", self.protection, allowed)

    @classmethod
    def takes(cls, architecture: type[Multiplier]) -> bool:
        usual = architecture()
        try:
            Engine(usual)
        except SpecError:
            return False
        return cls.field in usual.fields_built

    # ---- what each has of its own -------------------------------------------------------------

    @property
    @abc.abstractmethod
    def programs(self) -> ProgramSet:
        """The programs, assembled at the first use."""

    @abc.abstractmethod
    def program_in(self, mode: Mode) -> str:
        """The name of the program for an operation."""

    @abc.abstractmethod
    def passes(self, mode: Mode) -> int:
        """The number of passes of the loops that have a counter."""

    def moduli(self, modulus: int, curve: Curve | None = None) -> tuple[int, ...]:
        """The moduli that MODULUS chooses from when this modulus or curve is loaded."""
        return (modulus,)

    @abc.abstractmethod
    def values(self, job: Job, chance: Random | None = None) -> dict[str, int]:
        """All numbers that the program of a job takes, by their names in the program.
        chance: source of the random numbers.  Without it they follow from the operands, for
        simulations.  No result depends on them."""

    @abc.abstractmethod
    def parts(self, mode: Mode) -> dict[str, OperandBits]:
        """The numbers among `values` that are operands, or parts of operands."""

    @abc.abstractmethod
    def lengths(self, job: Job) -> dict[str, int]:
        """The bits of scalars, by their names in the program."""

    @abc.abstractmethod
    def said(self, mode: Mode, numbers: Sequence[int], status: int) -> dict[str, int]:
        """The results by name, from the numbers that the program puts out and the bits of
        its status that it tests."""

    def answered(self, mode: Mode, numbers: Sequence[int], status: int) -> dict[str, int]:
        """The results by name.  status: with the bit that tells a fault."""
        return {"fault": True} if status >> FAULT else self.said(mode, numbers, status)

    secret_streams: ClassVar[tuple[str, ...]] = SOURCES
    """The input streams whose payload must not influence the time."""

    # ---- facts --------------------------------------------------------------------------------

    @cached_property
    def engine(self) -> Engine:
        return Engine(
            self.plain_multiplier,
            multipliers=self.units,
            ports=self.ports,
            writers=WRITERS[self.register_file],
            protected=self.protected and self.copies == 1,
        )

    @property
    def protected(self) -> bool:
        """Whether faults are found."""
        return self.protection == "full"

    @property
    def copies(self) -> int:
        """See `Processor`: with protection two, unless the programs check all results."""
        return 2 if self.protected else 1

    @property
    def notes(self) -> tuple[str, ...]:
        told = (
            "It is here twice, and the outputs of both copies are compared. After a difference "
            "results are 0 and the answer is `fault`, until a reset."
        )
        return (*super().notes, *([told] if self.copies > 1 else []))

    @property
    def plain_multiplier(self) -> Multiplier:
        """The multiplier of the engine, which has no protection of its own."""
        return replace(self.multiplier, protection="none")

    @property
    def fields_built(self) -> tuple[Field, ...]:
        return (self.field,)

    @property
    def streams(self) -> tuple[Stream, ...]:
        return streams(self.programs.build, self.secret_streams)

    def over(self, modulus: int, field: Field = "prime") -> Setting:
        return self.engine.over(modulus, self.field)

    # ---- beats and golden model ---------------------------------------------------------------

    def packets(self, mode: Mode, load: Load) -> Packets:
        rules = self.operand_rules(mode, load.modulus)
        job = Job(mode, load.modulus, {rule.name: rule.least for rule in rules})
        image, name = self.image(mode), self.program_in(mode)
        settings = self.programs.settings(self.moduli(load.modulus, mode.curve), [name])
        sized = {rule.name for rule in rules if rule.sized}
        taken = packets.numbers(
            image, settings, self.parts(mode), self.values(job), self.lengths(job), sized
        )
        command = {"program": self.programs.number(name), "count": self.passes(mode)}
        return packets.packets(
            image,
            command,
            taken,
            lambda said, status: self.answered(mode, said, status),
            FLAGS + self.protected,
        )

    def request(self, job: Job, chance: Random | None = None) -> Beats:
        self._check(job)
        mode = job.mode
        name, moduli = self.program_in(mode), self.moduli(job.modulus, job.mode.curve)
        return transport.request(
            self.programs,
            name,
            moduli,
            self.values(job, chance),
            self.lengths(job),
            self.passes(mode),
        )

    def run(self, job: Job) -> Result:
        """Run an operation on the golden machine."""
        moduli = self.moduli(job.modulus, job.mode.curve)
        return operation.run(self.image(job.mode), moduli, self.values(job), self.lengths(job))

    def reply_beats(self, mode: Mode, modulus: int) -> int:
        return len(self.image(mode).program.outputs) * self.engine.machine.beats + 1

    def reply(self, mode: Mode, beats: Sequence[Beat]) -> dict[str, int]:
        words = [beat["data"] for beat in beats]
        return self.answered(mode, transport.numbers(self.programs, words[:-1]), words[-1])

    def compute(self, job: Job) -> dict[str, int]:
        """Compute the results with the golden machine of the engine, word by word."""
        self._check(job)
        outcome = self.run(job)
        return self.said(job.mode, outcome.results, outcome.status)

    def answer(self, job: Job) -> list[Beat]:
        outcome, engine = self.run(job), self.engine
        words = [
            word
            for number in outcome.results
            for word in to_words(number, engine.word, engine.machine.beats)
        ]
        return [{"data": word} for word in (*words, outcome.status)]

    def image(self, mode: Mode) -> Image:
        return self.programs.image(self.program_in(mode))

    def _check(self, job: Job) -> None:
        """Raise SpecError for an operand that breaks its rule."""
        for rule in self.operand_rules(job.mode, job.modulus):
            value = job.operands[rule.name]
            if rule.below is not None and not rule.least <= value < rule.below:
                least = f"from {rule.least} and " if rule.least else ""
                raise refusal(rule.name, hex(value), f"a number {least}below {rule.below:#x}")

    # ---- cycles -------------------------------------------------------------------------------

    def cycles(self, mode: Mode) -> dict[str, Cycles]:
        return _terms(self.image(mode), self.passes(mode))

    def interval(self, mode: Mode) -> Cycles:
        """The cycles between two operations: each begins when nothing is at work and the
        slots of the multiplier are at their beginning."""
        turn, least = self.engine.machine.turn, self.latency(mode).maximum + QUIET
        return Cycles.constant(-(-least // turn) * turn)

    # ---- hardware -----------------------------------------------------------------------------

    def forecast(self) -> Forecast:
        one, copies = forecast.of(self.programs.build), self.copies
        return Forecast(
            copies * one.lut, copies * one.ff, copies * one.dsp, copies * one.ram_bits, one.mhz
        )

    def create(self) -> wiring.Component:
        from modmul.processors.engine.hardware.core import Core
        from modmul.processors.lockstep import Lockstep

        first, *others = (Core(self.programs.build, signature(self)) for _ in range(self.copies))
        return Lockstep((first, others[0]), 1 << FAULT) if others else first


def _terms(image: Image, length: int | None) -> dict[str, Cycles]:
    """The cycles of a program by term.  length: the number of passes of loops that have a
    counter."""
    counters = [length or 0] * len(image.program.of("counter"))
    parts = {"begin": ENTRY, "blinding": 0, "steps": 0, "inversion": 0}
    loops = [block.section for block in image.placed if isinstance(block.section, Loop)]
    counted = [len(loop.ops) for loop in loops if loop.counter is not None]
    longer = [len(loop.ops) for loop in loops if len(loop.ops) > _OF_INVERSION]
    longest = max(counted or longer, default=0)
    for block in image.placed:
        if isinstance(block.section, Loop):
            stepping = block.section.counter is not None or len(block.section.ops) == longest
            name = "blinding" if alone(block.section) else "steps" if stepping else "inversion"
            parts[name] += block.length * block.passes(counters)
    parts["rest"] = image.cycles(counters) - sum(parts.values()) + ENTRY
    parts["status"] = _STATUS + STATUS_LATER * image.engine.protected
    return constant_cycles({name: count for name, count in parts.items() if count})
