"""The parameters of an engine: its multiplier and how many of it, and the units around it; the
machine that these form, and how large numbers may be."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError, refusal
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.operations import ADD
from modmul.multipliers.setting import Setting
from modmul.processors.engine.instructions import instruction_set
from modmul.processors.engine.machine import Machine, ProductTimes, Writers

# Unless an option says otherwise, the adder reduces if R / N is below LEAST_SLACK, or if the bound
# of an operand is below LEAST_OPERAND times N.
LEAST_SLACK = 64
LEAST_OPERAND = 16
WORD = 32  # bits of a beat, if the multiplier takes whole numbers

Interconnect = Literal["word", "operand"]
# `writers` of a machine, by the kind of register file.
WRITERS: Mapping[str, Writers] = {
    "block": "each",
    "distributed": "each",
    "two-banks": "two",
    "one-bank": "one",
}


@dataclass(frozen=True)
class Limits:
    """How large numbers may be, for the largest modulus N.  Smaller moduli leave more room.

    register: values are below this.  a_below, b_below, product_at_most: the rule for operands of a
    product.  product_below: bound of its result.  operand_below: bound of operands in general,
    which sums keep if `reducing`.

    field: of the modulus.  In GF(2^m) values are below 2^m, which is `modulus` here, and
    `product_at_most` is about a product without carries."""

    modulus: int
    register: int
    a_below: int
    b_below: int
    product_at_most: int | None
    product_below: int
    operand_below: int
    reducing: bool
    field: Field = "prime"

    @property
    def plain(self) -> int:
        """2^w, where w is the number of bits of the largest modulus."""
        return 1 << self.modulus.bit_length()


@dataclass(frozen=True)
class Engine:
    """A multiplier of the registry, how many of it, and the units around it.

    adder, writers: see `Machine`.  reducing: whether the adder reduces; None: see `LEAST_SLACK`.
    interconnect: what is read or written in a cycle, a beat or a whole operand (w~ of gallin2019,
    Table V).  in_blocks: whether registers are in block RAM.
    protected: whether faults are found.
    Raises SpecError for a multiplier that cannot be scheduled."""

    multiplier: Multiplier
    multipliers: int = 1
    ports: int = 1
    adder: int = 5
    reducing: bool | None = None
    interconnect: Interconnect = "word"
    writers: Writers = "each"
    in_blocks: bool = True
    protected: bool = False
    wide: int = field(init=False, default=0)  # bits of a number in registers

    def __post_init__(self) -> None:
        check(self.multiplier)
        if not 1 <= self.ports <= self.multipliers <= 2:
            said = f"ports = {self.ports}, multipliers = {self.multipliers}"
            raise SpecError(
                "ports",
                self.ports,
                "1 <= ports <= multipliers <= 2",
                f"{said}: must be 1 or 2, and no more ports than multipliers",
            )
        if self.ports > self.multiplier.issue_slot_period and self.ports > 1:
            raise _refused(
                self.multiplier,
                "one whose slots come every second cycle or less often",
                "two ports take turns in the cycles of a slot",
            )
        self._check_writers()
        if self.interconnect == "operand" and not self._takes_turns():
            raise _refused(
                self.multiplier,
                "one whose slots come as far apart as an operand has "
                f"beats, and {2 * self.ports} cycles or more",
                "whole operands are written into one memory in turn",
            )
        object.__setattr__(self, "wide", self.machine.beats * self.word)
        if self.reducing is None:
            object.__setattr__(self, "reducing", self.field == "prime" and self._little_slack())
            del self.__dict__["machine"]
            self._check_results()

    def _check_writers(self) -> None:
        """Raise SpecError where there is one memory anyway, or one unit of each kind."""
        named = next(name for name, writers in WRITERS.items() if writers == self.writers)
        why = {"operand": "whole operands are in one memory anyway"}.get(self.interconnect, "")
        if self.writers == "two" and self.ports == 1:
            why = "with one port products and sums have a bank each anyway"
        if why and self.writers != "each":
            message = f"register_file = {named}: must be block or distributed: {why}"
            raise SpecError("register_file", named, "block, distributed", message)

    def _check_results(self) -> None:
        """Raise SpecError for a multiplier that does not take the sum of two of its results."""
        limits = self.limits
        most = min(limits.a_below, limits.b_below)
        if self.field == "prime" and not limits.reducing and 2 * limits.product_below > most:
            below = limits.product_below.bit_length() - limits.modulus.bit_length()
            raise _refused(
                self.multiplier,
                "one that takes the sum of two results as an operand",
                f"here a single one may be as large as 2^{below} N",
            )

    def _takes_turns(self) -> bool:
        """Whether each unit can write whole operands in a cycle of the slot that it has alone."""
        multiplier, apart = self.multiplier, self.multiplier.issue_slot_period
        return (
            not self.whole
            and not multiplier.squares
            and multiplier.beats % apart == 0
            and apart >= 2 * self.ports
        )

    def _waits(self, product: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """`Machine.waits`.  product: cycles from the pins to the first beat of a product.

        Cycles of a slot are counted from the one in which the first port reads.  If a writer has
        results of several ports, all of them begin where those of the last port do (with one
        writer, the sums of that port).  Whole operands each need a cycle of their own; in one
        memory with two ports, each kind of results needs cycles in which nothing is read."""
        apart, ports = self.multiplier.issue_slot_period, range(self.ports)
        last_beat = self.multiplier.beats if self.interconnect == "operand" else 0
        products, sums = (
            [port + Machine.memory + cycles + last_beat for port in ports]
            for cycles in (product, self.adder)
        )
        if self.shared:
            free = range(self.ports, apart)
            return turns(products, free, apart), turns(sums, free, apart)
        if self.interconnect == "operand":
            taken = {cycle % apart for cycle in products}
            waits = turns(sums, [cycle for cycle in range(apart) if cycle not in taken], apart)
            return ((0,) * self.ports, waits) if any(waits) else ((), ())
        if self.writers == "each" or self.ports == 1:
            return (), ()
        lasts = (products[-1] if self.writers == "two" else sums[-1]), sums[-1]
        products_wait, sums_wait = (
            tuple((last - cycle) % apart for cycle in results)
            for last, results in zip(lasts, (products, sums), strict=True)
        )
        return products_wait, sums_wait

    def _little_slack(self) -> bool:
        """Whether additions must reduce, as products would not take larger sums."""
        limits, modulus = self.limits_of("prime", False), self.largest
        slack = limits.product_at_most
        small = slack is None or slack // modulus**2 < LEAST_SLACK
        return small or min(limits.a_below, limits.b_below) // modulus < LEAST_OPERAND

    @property
    def field(self) -> Field:
        """The field of a modulus if nothing is said of it: integers, if it may be one."""
        return "prime" if self.has("prime") else "binary"

    @property
    def largest(self) -> int:
        """The largest modulus in either field, or the fixed modulus of the multiplier."""
        return self.multiplier.fixed_modulus or (1 << self.multiplier.width) - 1

    @property
    def whole(self) -> bool:
        """Whether the multiplier takes whole numbers in one beat, so that a converter is needed."""
        return self.multiplier.beats == 1

    @property
    def word(self) -> int:
        """Bits of a beat of the registers."""
        return WORD if self.whole else self.multiplier.beat

    @cached_property
    def machine(self) -> Machine:
        """The times and units of this engine.

        A multiplier of whole numbers gets a converter.  It gathers s beats before a product begins,
        and sends s beats after it ended; it works while the next operands are gathered.  If a
        modulus has several numbers, all are gathered before the first one is handed over."""
        setting = self.over(self.largest)
        beats = ceil_div(self.multiplier.beat, WORD) if self.whole else setting.beats
        count = "" if self.multipliers == 1 else f"{self.multipliers} x "
        ports = "" if self.ports == 1 else f", {self.ports} ports"
        whole = self.interconnect == "operand"
        writers = {"each": "", "two": ", two writers", "one": ", one writer"}[self.writers]
        told = ", whole operands" if whole else writers
        numbers = len(setting.constants)
        gathered = numbers + 1 if self.whole and beats > 1 and numbers > 1 else 0
        times = self._times(self.field, beats)
        return Machine(
            name=f"{count}{self.multiplier.title}{ports}{told}",
            beats=beats,
            slots=self.multiplier.slots,
            align=self.multiplier.issue_slot_period,
            **times._asdict(),
            loading=numbers * (beats if self.whole else 1)
            + gathered
            + self.multiplier.issue_slot_period
            + 5
            + self.ports,
            adder=self.adder,
            reducing=bool(self.reducing),
            ports=self.ports,
            multipliers=self.multipliers,
            binary=self._times("binary", beats) if self._both else None,
            gathers=beats if whole else 0,
            writers=self.writers,
            waits=self._waits(times.latency - beats),
            shared=self.shared,
        )

    @property
    def shared(self) -> bool:
        """See `Machine`: whether the chip has a block RAM that saves blocks in this way."""
        registers = instruction_set().registers
        return (
            self.interconnect == "operand"
            and self.in_blocks
            and self.multiplier.chip.shares(registers)
        )

    @property
    def _both(self) -> bool:
        """Whether a modulus may be a number or a polynomial."""
        return self.has("prime") and self.has("binary")

    def _times(self, of: Field, beats: int) -> ProductTimes:
        """The times of products in a field, for operands of this many beats."""
        setting = self.over(self.largest, of)
        around = 2 * beats if self.whole else 0
        squares = "square" if self.multiplier.squares else "multiply"
        times = [
            (
                setting.latency(operation).maximum + around,
                max(setting.interval(operation).maximum, beats),
            )
            for operation in ("multiply", squares)
        ]
        return ProductTimes(*times[0], *times[1])

    def has(self, of: Field) -> bool:
        """Whether the multiplier computes in this field."""
        return of in self.multiplier.fields_built

    def over(self, modulus: int, of: Field | None = None) -> Setting:
        """The multiplier with a modulus of a field (None: `field`), with all words in
        use."""
        longest = self.multiplier.lengths[1] if self.multiplier.lengths else None
        return self.multiplier.over(modulus, of or self.field, longest)

    @cached_property
    def limits(self) -> Limits:
        """The limits if nothing is said of the modulus."""
        return self.limits_of(self.field, bool(self.reducing))

    @cached_property
    def binary_limits(self) -> Limits | None:
        """The limits for a polynomial as the modulus; None if it cannot be one."""
        if not self.has("binary"):
            return None
        return self.limits_of("binary", bool(self.reducing))

    def limits_of(self, of: Field, reducing: bool) -> Limits:
        """The limits in a field, with an adder that reduces or with one that does not."""
        setting = self.over(self.largest, of)
        modulus = self.largest if of == "prime" else 1 << self.largest.bit_length() - 1
        return Limits(
            modulus,
            1 << self.wide,
            setting.a_below,
            setting.b_below,
            setting.product_at_most,
            setting.result_bound,
            setting.operand_bound,
            reducing,
            of,
        )


def turns(results: Sequence[int], free: Sequence[int], apart: int) -> tuple[int, ...]:
    """How many cycles each result waits, so that each comes in a free cycle of a slot of its
    own and the sum of waits is least.  apart: cycles of a slot."""
    every = (
        tuple((at - cycle) % apart for at, cycle in zip(chosen, results, strict=True))
        for chosen in itertools.permutations(free, len(results))
    )
    return min(every, key=sum)


def check(multiplier: Multiplier) -> None:
    """Raise SpecError, with the reason, for a multiplier that an engine cannot use."""
    field = multiplier.modulus_at == "fixed" and multiplier.fields_built == ("binary",)
    at_run_time = multiplier.modulus_at == "run time"
    if multiplier.montgomery_factor is None or not (at_run_time or field):
        raise _refused(
            multiplier,
            "a modular multiplier whose modulus is loaded at run time, or one for a field GF(2^m)",
            "programs are for any modulus",
        )
    if "carry-save" in (multiplier.operand_form, multiplier.result_form):
        raise _refused(
            multiplier,
            "one whose operands and results are binary",
            "registers and adder of the engine hold one number, not a pair",
        )
    if multiplier.timing != "constant":
        raise _refused(
            multiplier,
            "one of constant time",
            f"words are issued at times known beforehand; here {' '.join(multiplier.leaks)}",
        )
    if ADD in multiplier.operations:
        raise _refused(multiplier, "one with adder = false", "the engine adds in a unit of its own")


def _refused(multiplier: Multiplier, allowed: str, why: str) -> SpecError:
    return refusal("multiplier", multiplier.title, allowed, why, shown=multiplier.title)
