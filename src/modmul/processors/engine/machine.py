"""What the scheduler and the golden machine know of an engine: its units, when they give results,
and how large numbers may be.  All of it is declared before elaboration.

A word issued in cycle t reads the first beats of its operands in t, which are at the pins of the
unit `memory` cycles later.  A unit works on the beats of all operands one after the other, and so
are results written; who reads the first beat of a result at least one cycle after it was written
gets the whole of it in time.

Everything of one port starts on the grid of the multiplier's slots, so that reads of one port never
overlap; results of multipliers and of adders go to banks of their own (the highest bits of a
register's number say which), so that writes do not either.  What the host writes goes to those of
adders.

Where the interconnect has whole operands, a register is read and written in one cycle, and
converters of beats stand between it and the units.  All ports and units then share one memory: the
ports take turns in the cycles of a slot, and so do the units when they write.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.setting import Setting
from modmul.processors.engine.instructions import instruction_set
from modmul.processors.engine.program import Section

# The adder reduces, unless it is told otherwise, where R / N is below the first, or the bound of an
# operand, in multiples of N, below the second.
LEAST_SLACK = 64
LEAST_OPERAND = 16
_FIRST_DIGIT = 6  # cycles until the first bits of a scalar are there, at most
WORD = 32  # bits of a beat, where the multiplier takes whole numbers

Interconnect = Literal["word", "operand"]


class Times(NamedTuple):
    """Latency and interval of a product, and of a square, as a `Machine` has them."""

    latency: int
    interval: int
    square_latency: int
    square_interval: int


@dataclass(frozen=True)
class Machine:
    """When things happen.  Cycles and counts; no numbers.

    name: of the multiplier.  beats: of an operand.  align, slots: a product may start where
    cycle + memory = port mod align, in the slot (cycle + memory) / align mod slots.
    latency: first operand beat in to last result beat out at the multiplier, both counted;
    interval: between products of one slot; square_latency, square_interval: of squares.
    adder: cycles from the pins to the first beat of a sum.  reducing: the adder subtracts the
    bound of operands where it can, which it knows after the last beat.
    ports: streams of two operands each that are read at a time, each with an adder; multipliers:
    in turn at the ports.  loading: cycles that loading a modulus takes.
    binary: how long products take in GF(2^m), where the multiplier computes there, too; all else
    is told of numbers.  gathers: cycles from a result's first beat until all of it is written at
    once; 0: beats are written as they come."""

    name: str
    beats: int
    slots: int
    align: int
    latency: int
    interval: int
    square_latency: int
    square_interval: int
    loading: int
    memory: int = 2
    adder: int = 5
    reducing: bool = False
    ports: int = 1
    multipliers: int = 1
    binary: Times | None = None
    gathers: int = 0

    def under(self, modulus: Field) -> Machine:
        """The machine while a modulus of that field is loaded."""
        if modulus == "prime" or self.binary is None:
            return self
        return dataclasses.replace(self, **self.binary._asdict())

    @cached_property
    def turn(self) -> int:
        """Cycles after which the slots come round."""
        return self.align * self.slots

    @property
    def banks(self) -> int:
        """Of products and of sums, for each port."""
        return 2 * self.ports

    @cached_property
    def bank_size(self) -> int:
        """Registers of one bank."""
        return instruction_set().registers // self.banks

    def bank(self, op: str, port: int) -> int:
        """Where the result of a word of that port goes."""
        return port + self.ports * (instruction_set().op[op].unit == "adder")

    def sums(self, number: int) -> bool:
        """Whether a register is in a bank of sums, where numbers from outside go as well."""
        return number // self.bank_size >= self.ports

    def port(self, cycle: int) -> int | None:
        """The port of a word issued in that cycle; None where none may be."""
        phase = (cycle + self.memory) % self.align
        return phase if phase < self.ports else None

    def slot(self, cycle: int) -> int:
        """The slot of a product issued in that cycle."""
        return (cycle + self.memory) // self.align % self.slots

    def duration(self, op: str) -> int:
        """Cycles for which a product or square has its slot, or another word its unit."""
        if op == "MUL":
            return self.interval
        return self.square_interval if op == "SQR" else self.beats

    def first(self, op: str) -> int:
        """Cycles from issue to the write of the first beat of the result, or of all of it."""
        return self.gives(op) + self.gathers

    def gives(self, op: str) -> int:
        """Cycles from issue to the first beat of the result."""
        return self._gives[op]

    @cached_property
    def _gives(self) -> dict[str, int]:
        return {op: self._first(op) for op in instruction_set().op}

    def _first(self, op: str) -> int:
        timing = instruction_set().op[op].timing
        if timing in ("product", "square"):
            latency = self.latency if timing == "product" else self.square_latency
            return self.memory + latency - self.beats
        if timing == "host":
            return self.memory + 3
        late = timing == "compare" or (timing == "sum" and self.reducing)
        return self.memory + self.adder + self.beats * late

    def ready(self, op: str) -> int:
        """Cycles from issue to the earliest issue of a word that reads the result."""
        return self.first(op) + 1

    def busy(self, op: str) -> int:
        """Cycles from issue until nothing of the word is left in units and memory."""
        return self._busies[op]

    @cached_property
    def _busies(self) -> dict[str, int]:
        return {op: self._busy(op) for op in instruction_set().op}

    def _busy(self, op: str) -> int:
        one = instruction_set().op[op]
        if op == "MODULUS":
            return self.loading
        if op == "IN":
            return self.memory + self.beats + 5 + self.gathers
        if op in ("OUT", "SCALAR"):
            return self.memory + self.adder + 4 * self.beats + _FIRST_DIGIT * (op == "SCALAR")
        if one.unit == "sequencer":
            return 1
        if one.timing == "none":  # TEST
            return self.memory + self.adder + 2 * self.beats
        return self.first(op) + self.beats


@dataclass(frozen=True)
class Limits:
    """How large numbers may be, for the largest modulus N that there is; every smaller one leaves
    more room.

    register: values fit below this; a_below, b_below, product_at_most, product_below: of operands
    and result of a product.  reducing: sums come out below `operand_below`.

    field: that of the moduli.  In GF(2^m) values are below 2^m, which is `modulus` here, and
    `product_at_most` is of a product without carries."""

    modulus: int
    register: int
    a_below: int
    b_below: int
    product_at_most: int | None
    product_below: int
    operand_below: int
    reducing: bool
    field: Field = "prime"


@dataclass(frozen=True)
class Engine:
    """A multiplier of the registry, how many of it, and the units around it.

    adder: see `Machine`; with whole operands some cycles more, so that no two units write in the
    same cycle.  reducing: None: see `LEAST_SLACK`.  interconnect: what is read, and written, in a
    cycle: a beat, or a whole operand (w~ of gallin2019, Table V).
    SpecError for a multiplier that cannot be scheduled for."""

    multiplier: Multiplier
    multipliers: int = 1
    ports: int = 1
    adder: int = 5
    reducing: bool | None = None
    interconnect: Interconnect = "word"
    wide: int = field(init=False, default=0)  # bits of a number in registers

    def __post_init__(self) -> None:
        check(self.multiplier)
        if not 1 <= self.ports <= self.multipliers <= 2:
            said = f"ports = {self.ports}, multipliers = {self.multipliers}"
            raise SpecError("ports", self.ports, "1 <= ports <= multipliers <= 2",
                            f"{said}: must be 1 or 2, and no more ports than multipliers")
        if self.ports > self.multiplier.issue_slot_period and self.ports > 1:
            raise _refused(self.multiplier, "one whose slots come every second cycle or less often",
                           "two ports take turns in the cycles of a slot")  # fmt: skip
        if self.interconnect == "operand" and not self._takes_turns():
            raise _refused(self.multiplier, "one whose slots come as far apart as an operand has "
                           f"beats, and {2 * self.ports} cycles or more",
                           "whole operands are written into one memory in turn")  # fmt: skip
        object.__setattr__(self, "wide", self.machine.beats * self.word)
        if self.reducing is None:
            object.__setattr__(self, "reducing", self.field == "prime" and self._little_slack())
            del self.__dict__["machine"]

    def _takes_turns(self) -> bool:
        """Whether all units can write whole operands in cycles of a slot of their own."""
        one, apart = self.multiplier, self.multiplier.issue_slot_period
        return (not self.whole and not one.squares and one.beats % apart == 0
                and apart >= 2 * self.ports)  # fmt: skip

    def _adder(self, latency: int) -> int:
        """Cycles of the adder.  With whole operands its results come neither in the cycles of a
        slot in which those of the multipliers do, nor in those between the ports of these."""
        if self.interconnect == "word":
            return self.adder
        apart, ports = self.multiplier.issue_slot_period, self.ports
        products = latency - self.multiplier.beats
        return next(cycles for cycles in itertools.count(self.adder)
                    if ports <= (cycles - products) % apart <= apart - ports)  # fmt: skip

    def _little_slack(self) -> bool:
        """Whether additions have to reduce, as products would not take what they give."""
        limits, modulus = self.limits_of("prime", False), self.largest
        slack = limits.product_at_most
        small = slack is None or slack // modulus**2 < LEAST_SLACK
        return small or min(limits.a_below, limits.b_below) // modulus < LEAST_OPERAND

    @property
    def field(self) -> Field:
        """That of a modulus of which nothing is said: numbers, where there can be any."""
        return "prime" if self.has("prime") else "binary"

    @property
    def largest(self) -> int:
        """The largest modulus, in either field; that of a multiplier that is made for one."""
        return self.multiplier.fixed_modulus or (1 << self.multiplier.width) - 1

    @property
    def whole(self) -> bool:
        """Whether the multiplier takes numbers in one beat, so that a converter is needed."""
        return self.multiplier.beats == 1

    @property
    def word(self) -> int:
        """Bits of a beat of the registers."""
        return WORD if self.whole else self.multiplier.beat

    @cached_property
    def machine(self) -> Machine:
        """When things happen.

        A multiplier of whole numbers gets a converter: s beats are gathered before it begins, and s
        beats of its result sent after it ended; it works while the next operands are gathered.
        Several numbers of a modulus are gathered before the first one goes to it."""
        setting = self.over(self.largest)
        beats = ceil_div(self.multiplier.beat, WORD) if self.whole else setting.beats
        count = "" if self.multipliers == 1 else f"{self.multipliers} x "
        ports = "" if self.ports == 1 else f", {self.ports} ports"
        whole = self.interconnect == "operand"
        told = ", whole operands" if whole else ""
        numbers = len(setting.constants)
        gathered = numbers + 1 if self.whole and beats > 1 and numbers > 1 else 0
        times = self._times(self.field, beats)
        return Machine(
            name=f"{count}{self.multiplier.title}{ports}{told}", beats=beats,
            slots=self.multiplier.slots, align=self.multiplier.issue_slot_period,
            **times._asdict(),
            loading=numbers * (beats if self.whole else 1) + gathered
            + self.multiplier.issue_slot_period + 5 + self.ports, adder=self._adder(times.latency),
            reducing=bool(self.reducing), ports=self.ports, multipliers=self.multipliers,
            binary=self._times("binary", beats) if self._both else None,
            gathers=beats if whole else 0,
        )  # fmt: skip

    @property
    def _both(self) -> bool:
        """Whether moduli can be of either field."""
        return self.has("prime") and self.has("binary")

    def _times(self, of: Field, beats: int) -> Times:
        """How long products take in a field, for operands of that many beats."""
        setting = self.over(self.largest, of)
        around = 2 * beats if self.whole else 0
        squares = "square" if self.multiplier.squares else "multiply"
        found = [(setting.latency(one).maximum + around,
                  max(setting.interval(one).maximum, beats)) for one in ("multiply", squares)]
        return Times(*found[0], *found[1])

    def has(self, of: Field) -> bool:
        """Whether moduli can be of that field."""
        return of in self.multiplier.fields_built

    def over(self, modulus: int, of: Field | None = None) -> Setting:
        """The multiplier under a modulus of a field (None: `field`), with all its words in use."""
        longest = self.multiplier.lengths[1] if self.multiplier.lengths else None
        return self.multiplier.over(modulus, of or self.field, longest)

    @cached_property
    def limits(self) -> Limits:
        """How large numbers may be, where nothing is said of the modulus."""
        return self.limits_of(self.field, bool(self.reducing))

    @cached_property
    def binary_limits(self) -> Limits | None:
        """The same where the modulus is a polynomial; None where none can be."""
        if not self.has("binary"):
            return None
        return self.limits_of("binary", bool(self.reducing))

    def limits_of(self, of: Field, reducing: bool) -> Limits:
        """The same in a field, with an adder that reduces, or does not."""
        setting = self.over(self.largest, of)
        modulus = self.largest if of == "prime" else 1 << self.largest.bit_length() - 1
        return Limits(
            modulus, 1 << self.wide, setting.a_below, setting.b_below, setting.product_at_most,
            setting.result_bound, setting.operand_bound, reducing, of,
        )  # fmt: skip


def machines(sections: Sequence[Section], machine: Machine) -> Iterator[Machine]:
    """The machine as it is in each section, and after the last one: what a MODULUS loads holds for
    the sections behind it."""
    now = machine
    for section in sections:
        yield now
        for one in section.ops:
            if one.op == "MODULUS":
                now = machine.under(one.field)
    yield now


def check(multiplier: Multiplier) -> None:
    """SpecError for a multiplier that an engine cannot have, with the reason."""
    field = multiplier.modulus_at == "fixed" and multiplier.fields_built == ("binary",)
    at_run_time = multiplier.modulus_at == "run time"
    if multiplier.montgomery_factor is None or not (at_run_time or field):
        raise _refused(multiplier, "a modular multiplier whose modulus is loaded at run time, or "
                       "one for a field GF(2^m)", "programs are for any modulus")  # fmt: skip
    if "carry-save" in (multiplier.operand_form, multiplier.result_form):
        raise _refused(multiplier, "one whose operands and results are binary",
                       "registers and adder of the engine hold one number, not a pair")  # fmt: skip
    if multiplier.timing != "constant":
        raise _refused(multiplier, "one of constant time",
                       "words are issued at times known beforehand; "
                       f"here {' '.join(multiplier.leaks)}")  # fmt: skip


def _refused(multiplier: Multiplier, allowed: str, why: str) -> SpecError:
    message = f"multiplier = {multiplier.title}: must be {allowed}: {why}"
    return SpecError("multiplier", multiplier.title, allowed, message)
