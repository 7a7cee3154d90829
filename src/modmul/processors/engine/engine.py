"""An engine: a multiplier of the registry, how many of it, and the units around it; the machine
that they are, and how large numbers may be."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.operations import ADD
from modmul.multipliers.setting import Setting
from modmul.processors.engine.machine import Machine, ProductTimes

# The adder reduces, unless it is told otherwise, where R / N is below the first, or the bound of an
# operand, in multiples of N, below the second.
LEAST_SLACK = 64
LEAST_OPERAND = 16
WORD = 32  # bits of a beat, where the multiplier takes whole numbers

Interconnect = Literal["word", "operand"]


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

    @property
    def plain(self) -> int:
        """2^bits of the largest modulus."""
        return 1 << self.modulus.bit_length()


@dataclass(frozen=True)
class Engine:
    """A multiplier of the registry, how many of it, and the units around it.

    adder: see `Machine`; with whole operands some cycles more, so that no two units write in the
    same cycle.  reducing: None: see `LEAST_SLACK`.  interconnect: what is read, and written, in a
    cycle: a beat, or a whole operand (w~ of gallin2019, Table V).  one_writer: see `Machine`.
    SpecError for a multiplier that cannot be scheduled for."""

    multiplier: Multiplier
    multipliers: int = 1
    ports: int = 1
    adder: int = 5
    reducing: bool | None = None
    interconnect: Interconnect = "word"
    one_writer: bool = False
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
        if self.interconnect == "operand" and self.one_writer:
            raise SpecError("register_file", "one-bank", "block, distributed",
                            "register_file = one-bank: must be block or distributed: whole "
                            "operands are in one memory anyway")  # fmt: skip
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
        multiplier, apart = self.multiplier, self.multiplier.issue_slot_period
        return (not self.whole and not multiplier.squares and multiplier.beats % apart == 0
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
        """The field of a modulus of which nothing is said: of numbers, if there can be any."""
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
        told = ", whole operands" if whole else ", one writer" if self.one_writer else ""
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
            gathers=beats if whole else 0, one_writer=self.one_writer,
        )  # fmt: skip

    @property
    def _both(self) -> bool:
        """Whether moduli can be of either field."""
        return self.has("prime") and self.has("binary")

    def _times(self, of: Field, beats: int) -> ProductTimes:
        """How long products take in a field, for operands of that many beats."""
        setting = self.over(self.largest, of)
        around = 2 * beats if self.whole else 0
        squares = "square" if self.multiplier.squares else "multiply"
        times = [(setting.latency(operation).maximum + around,
                  max(setting.interval(operation).maximum, beats))
                 for operation in ("multiply", squares)]  # fmt: skip
        return ProductTimes(*times[0], *times[1])

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
        """The limits where the modulus is a polynomial; None where it cannot be one."""
        if not self.has("binary"):
            return None
        return self.limits_of("binary", bool(self.reducing))

    def limits_of(self, of: Field, reducing: bool) -> Limits:
        """The limits in a field, with an adder that reduces, or with one that does not."""
        setting = self.over(self.largest, of)
        modulus = self.largest if of == "prime" else 1 << self.largest.bit_length() - 1
        return Limits(
            modulus, 1 << self.wide, setting.a_below, setting.b_below, setting.product_at_most,
            setting.result_bound, setting.operand_bound, reducing, of,
        )  # fmt: skip


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
    if ADD in multiplier.operations:
        raise _refused(multiplier, "one with adder = false", "the engine adds in a unit of its own")


def _refused(multiplier: Multiplier, allowed: str, why: str) -> SpecError:
    message = f"multiplier = {multiplier.title}: must be {allowed}: {why}"
    return SpecError("multiplier", multiplier.title, allowed, message)
