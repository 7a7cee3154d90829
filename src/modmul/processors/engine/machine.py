"""What the scheduler and the golden machine know of an engine: its units, and when they give
results.  All of it is declared before elaboration.

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
ports take turns in the cycles of a slot, and so do the units when they write, some of which wait
for that.  Where that memory has two ports that read or write, one for each operand, products are
written on the first and sums on the second, in cycles of a slot in which nothing is read.

With one writer all results go through one port into one memory (and its copies), so no two words
may write in the same cycle, whatever their units; with two, products do through one and sums
through the other.  Results of several ports then wait for a cycle of a slot in which all of one
writer begin to be written, so that no cycles are lost between them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from modmul.arithmetic.moduli import Field
from modmul.processors.engine.instructions import instruction_set
from modmul.processors.engine.program import Section

_FIRST_DIGIT = 6  # the most cycles until the first bits of a scalar are there


Writers = Literal["each", "two", "one"]


class ProductTimes(NamedTuple):
    """Latency and interval of products and squares, as in `Machine`."""

    latency: int
    interval: int
    square_latency: int
    square_interval: int


@dataclass(frozen=True)
class Machine:
    """The times of an engine, in cycles, and the number of its units; nothing about numbers.

    name: of the multiplier.  beats: of an operand.  align, slots: a product may start where cycle +
    memory = port mod align, in the slot (cycle + memory) / align mod slots.
    latency: from the first operand beat at the multiplier to the last result beat, both counted.
    interval: between products of one slot.  square_latency, square_interval: the same of squares.
    adder: from the pins to the first beat of a sum.  reducing: the adder subtracts the bound of
    operands if it can, which it knows after the last beat.
    ports: how many pairs of operands are read at the same time, each with an adder.  multipliers:
    how many there are, in turn at the ports.  loading: cycles that loading a modulus takes.
    binary: times of products in GF(2^m), if the multiplier computes there, too; all other figures
    are those for integers.  gathers: cycles from a result's first beat until the whole number is
    written at once; 0: beats are written as they come.  writers: `each`: every bank has a write
    port; `two`: one port writes products and one sums; `one`: one writes all.  waits: cycles for
    which products, and sums, wait to be written, by port; none if empty.  shared: whole numbers are
    read and written on the same two ports of a memory."""

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
    binary: ProductTimes | None = None
    gathers: int = 0
    writers: Writers = "each"
    waits: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    shared: bool = False

    def under(self, modulus: Field) -> Machine:
        """The machine while a modulus of this field is loaded."""
        if modulus == "prime" or self.binary is None:
            return self
        return dataclasses.replace(self, **self.binary._asdict())

    @cached_property
    def turn(self) -> int:
        """Cycles after which the same slot comes again."""
        return self.align * self.slots

    @property
    def banks(self) -> int:
        """The number of banks: one of products and one of sums for each port."""
        return 2 * self.ports

    @cached_property
    def bank_size(self) -> int:
        """Registers of one bank."""
        return instruction_set().registers // self.banks

    def bank(self, op: str, port: int) -> int:
        """The number of the bank to which the result of a word goes.  port: of the word."""
        return port + self.ports * (instruction_set().op[op].unit == "adder")

    def write_port(self, op: str, port: int) -> int:
        """The number of the port that writes the result of a word: that of the first bank
        for which it writes."""
        return self._write_ports[op, port]

    @cached_property
    def _write_ports(self) -> dict[tuple[str, int], int]:
        """The numbers of the ports that write, by operation and port."""
        ports, each = range(self.ports), self.writers == "each"
        return {
            (op, port): 0 if self.writers == "one" else self.bank(op, port if each else 0)
            for op in instruction_set().op
            for port in ports
        }

    def sums(self, number: int) -> bool:
        """Whether a register is in a bank of sums, to which numbers from outside go, too."""
        return number // self.bank_size >= self.ports

    def port(self, cycle: int) -> int | None:
        """The port of a word issued in this cycle; None where none may be issued."""
        phase = (cycle + self.memory) % self.align
        return phase if phase < self.ports else None

    def slot(self, cycle: int) -> int:
        """The slot of a product issued in this cycle."""
        return (cycle + self.memory) // self.align % self.slots

    def duration(self, op: str) -> int:
        """The cycles for which a product or square occupies its slot, another word its
        unit."""
        if op == "MUL":
            return self.interval
        return self.square_interval if op == "SQR" else self.beats

    def first(self, op: str, port: int | None = None) -> int:
        """The cycles from issue to the write of the result's first beat, or of the whole
        number.  port: of the word; None: of the port where it is earliest."""
        return self._firsts[op, port]

    @cached_property
    def _firsts(self) -> dict[tuple[str, int | None], int]:
        ports = (None, *range(self.ports))
        return {
            (op, port): self.gives(op, port) + self.gathers for op in self._gives for port in ports
        }

    def gives(self, op: str, port: int | None = None) -> int:
        """The cycles from issue to the first beat of the result.  port: as in `first`."""
        return self._gives[op] + self.wait(op, port)

    def wait(self, op: str, port: int | None, chosen: Callable[[Iterable[int]], int] = min) -> int:
        """The cycles that a result waits to be written.  chosen: which, if no port is
        given."""
        unit = instruction_set().op[op].unit
        if not any(self.waits) or unit not in ("multiplier", "adder"):
            return 0
        waits = self.waits[unit == "adder"]
        return chosen(waits) if port is None else waits[port]

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

    def ready(self, op: str, port: int | None = None) -> int:
        """The cycles from issue to the earliest issue of a word that reads the result.
        port: as in `first`."""
        return self.first(op, port) + 1

    def busy(self, op: str) -> int:
        """The cycles from issue until nothing of the word is left in units and memory."""
        return self._busies[op]

    @cached_property
    def _busies(self) -> dict[str, int]:
        return {op: self._busy(op) for op in instruction_set().op}

    def _busy(self, op: str) -> int:
        instruction = instruction_set().op[op]
        if op == "MODULUS":
            return self.loading
        if op == "IN":
            return self.memory + self.beats + 5 + self.gathers
        if op in ("OUT", "SCALAR"):
            return self.memory + self.adder + 4 * self.beats + _FIRST_DIGIT * (op == "SCALAR")
        if instruction.unit == "sequencer":
            return 1
        if instruction.timing == "none":  # TEST
            return self.memory + self.adder + 2 * self.beats
        return self._gives[op] + self.wait(op, None, max) + self.gathers + self.beats


def machines(sections: Sequence[Section], machine: Machine) -> Iterator[Machine]:
    """The machine in each section, and after the last one.  A MODULUS takes effect in the
    sections after it."""
    now = machine
    for section in sections:
        yield now
        for operation in section.ops:
            if operation.op == "MODULUS":
                now = machine.under(operation.field)
    yield now
