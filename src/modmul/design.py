"""The contract of designs: what every multiplier and every processor answers, before and after
elaboration (contract 1 of docs/contracts.md).

A design is a multiplier or a processor: a frozen dataclass whose fields are its parameters (options
of the command line, keys of a spec, axes of an exploration) and whose properties are the derived
facts.  Every verb works on a design; what only one of the two has is in the contracts of
`multipliers` and `processors`.
"""

from __future__ import annotations

import abc
import dataclasses
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field
from modmul.forecast import Forecast
from modmul.parameters import parameters
from modmul.targets import Target

if TYPE_CHECKING:
    from amaranth.lib import data, wiring

Beat = dict[str, int]  # what one beat carries, by member; `first` and `last` not counted
Beats = dict[str, list[Beat]]  # by stream
Interface = Literal["core", "stream"]
Time = Literal["latency", "interval"]
Number = int | tuple[int, ...]  # as it is, or in vectors whose sum it is


class Cycles(NamedTuple):
    """Clock cycles of something: equal figures where it is constant."""

    minimum: int
    mean: float
    maximum: int

    @classmethod
    def constant(cls, count: int) -> Cycles:
        return cls(count, count, count)


def constant_cycles(terms: Mapping[str, int]) -> dict[str, Cycles]:
    """The terms of `Design.cycles`, where each is one figure."""
    return {name: Cycles.constant(count) for name, count in terms.items()}


@dataclass(frozen=True)
class Mode:
    """The public choices of one operation.

    operation: its name.  words: words in use, where it can be chosen.  length: bits of the exponent
    or scalar, leading zeros counted, where the operation has one.  curve: that it is on, where it
    is on one."""

    operation: str = "multiply"
    field: Field = "prime"
    words: int | None = None
    length: int | None = None
    curve: Curve | None = None

    def square(self) -> Mode:
        """This mode, but for squares."""
        return dataclasses.replace(self, operation="square")

    @property
    def name(self) -> str:
        """The mode in one word, such as `multiply-prime-16`, `exponentiate-prime-256-bits`,
        `point-multiply-p256-256-bits`."""
        words = f"-{self.words}" if self.words else ""
        bits = "" if self.length is None else f"-{self.length}-bits"
        return f"{self.operation}-{self.curve or self.field}{words}{bits}"


@dataclass(frozen=True)
class Stream:
    """One stream of a design.

    members: what a beat carries, by name: bits and meaning.  `first` and `last` are added; ends:
    their meanings, where they say more than their names.
    secret: that its payload must not show in the time of anything; but not that of the members
    `public`.  beats: of the longest packet, all of which come in consecutive cycles where nothing
    may pause."""

    name: str
    direction: Literal["input", "output"]
    meaning: str
    members: dict[str, tuple[int, str]]
    secret: bool = False
    public: frozenset[str] = frozenset()
    ends: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    beats: int = 1

    @property
    def layout(self) -> data.StructLayout:
        """The layout of one beat."""
        from amaranth.lib import data

        sizes = {name: bits for name, (bits, _) in self.members.items()}
        return data.StructLayout({"first": 1, "last": 1, **sizes})

    def signature(self, *, always_ready: bool = False) -> Any:
        """The stream as a member of a component's signature."""
        from amaranth.lib import stream, wiring

        flow = wiring.In if self.direction == "input" else wiring.Out
        return flow(stream.Signature(self.layout, always_ready=always_ready))


class Module(NamedTuple):
    """One module of the emitted text.  suffix: of its name, after the design's.

    create: its component, given what stands for the module with another interface."""

    interface: Interface
    suffix: str
    create: Callable[[Callable[[Interface], wiring.Component]], wiring.Component]


class OperandRule(NamedTuple):
    """What an operand of an operation may be: from `least` to below `below`.

    below: None where the length decides.  sized: `Mode.length` is its length in bits, which is
    public; longest: the most that this can be."""

    name: str
    meaning: str
    below: int | None
    least: int = 0
    sized: bool = False
    longest: int | None = None


class Job(NamedTuple):
    """One operation that is asked for: public choices, modulus (0 where there is none), operands by
    name: numbers, of carry-save multipliers also pairs (sum vector, carry vector)."""

    mode: Mode
    modulus: int
    operands: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Design(abc.ABC):
    """One design, completely specified.  Raises SpecError on construction if it cannot be."""

    role: ClassVar[Literal["multiplier", "processor"]]
    name: ClassVar[str]
    summary: ClassVar[str]
    sources: ClassVar[tuple[str, ...]] = ()
    # By the name of an operation, the names of its operands in order (the modulus is not among
    # them), and of the numbers that it gives.
    operands: ClassVar[Mapping[str, tuple[str, ...]]]
    results: ClassVar[Mapping[str, tuple[str, ...]]]

    def __post_init__(self) -> None:
        for parameter in parameters(type(self)).values():
            parameter.check(getattr(self, parameter.field))
        self.check()

    def check(self) -> None:
        """Relations between parameters; raise SpecError with the nearest that works."""

    # ---- identity and place -------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def title(self) -> str:
        """Short name of this design for tables, such as F44D."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What else a user must know, one sentence each; printed in the datasheet."""
        return ()

    @property
    def advice(self) -> str:
        """What other choice of parameters is far better on this chip, by forecast; empty where
        there is none.  `build` prints it."""
        return ""

    @property
    def theory(self) -> str:
        """What the docstring of its file says: what is computed, ranges, time.  Docstrings of cores
        have it as `{theory}`, for the text above the emitted module."""
        return inspect.cleandoc(sys.modules[type(self).__module__].__doc__ or "")

    @property
    @abc.abstractmethod
    def chip(self) -> Target:
        """The description of the target."""

    if TYPE_CHECKING:  # parameters of a multiplier; a processor answers with its multiplier's

        @property
        def width(self) -> int:
            """Bits of the modulus."""

        @property
        def target(self) -> str:
            """Name of the chip family."""

    @property
    def classes(self) -> tuple[type[Design], ...]:
        """The classes of this design and of those that it is built on: what a result about it
        depends on (`toolchain.steps.Step.of`)."""
        return (type(self),)

    @property
    def options(self) -> dict[str, Any]:
        """The keys of a spec that describe it, with their values: its parameters, and the designs
        that it is built on with theirs."""
        own = parameters(type(self))
        return {key: getattr(self, parameter.field) for key, parameter in own.items()}

    @classmethod
    @abc.abstractmethod
    def examples(cls) -> Sequence[Design]:
        """Small instances for the tests, corner cases among them."""

    # ---- moduli -------------------------------------------------------------------------------

    modulus_at: ClassVar[Literal["run time", "fixed", "none"]] = "run time"

    @property
    @abc.abstractmethod
    def fields_built(self) -> tuple[Field, ...]:
        """The fields that this one computes in."""

    @abc.abstractmethod
    def check_modulus(self, modulus: int, field: Field | None = None) -> None:
        """Raise SpecError for a modulus that it does not take.  field: None for the one in use."""

    # ---- streams ------------------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def streams(self) -> tuple[Stream, ...]:
        """Its streams, in order."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Streams whose payload is secret."""
        return tuple(stream.name for stream in self.streams if stream.secret)

    # ---- what goes over them ------------------------------------------------------------------

    @abc.abstractmethod
    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        """What the operands of an operation may be under that modulus, in order."""

    @abc.abstractmethod
    def load(self, modulus: int, field: Field = "prime") -> Beats:
        """The beats that load a modulus; none where it is not loaded.  SpecError for one that it
        does not take."""

    @abc.abstractmethod
    def request(self, job: Job) -> Beats:
        """The beats of one operation, for the modulus loaded.  The first stream's first beat begins
        it."""

    @abc.abstractmethod
    def reply_beats(self, mode: Mode, modulus: int) -> int:
        """Beats of the stream `result` that one operation gives."""

    @abc.abstractmethod
    def reply(self, mode: Mode, beats: Sequence[Beat]) -> Mapping[str, Number]:
        """What the beats of the stream `result` say, by name."""

    @abc.abstractmethod
    def expected(self, job: Job) -> Mapping[str, Number]:
        """What the reply to a job has to say, by name, computed by the golden model."""

    # ---- operations and their time ------------------------------------------------------------

    @property
    @abc.abstractmethod
    def modes(self) -> tuple[Mode, ...]:
        """The operations with their public choices, at the full length and at the shortest; the
        first is the headline: the one that figures and comparisons are about."""

    # Constant: cycles are one figure for public choices, whatever the operands are.  A property
    # where it depends on the parameters.
    timing: ClassVar[Literal["constant", "data-dependent"]] = "constant"

    @property
    def leaks(self) -> tuple[str, ...]:
        """What the time of an operation tells about the operands, one sentence each; empty if and
        only if `timing` is constant."""
        return ()

    @property
    def slots(self) -> int:
        """Independent operations in flight."""
        return 1

    @abc.abstractmethod
    def cycles(self, mode: Mode) -> dict[str, Cycles]:
        """Named terms that add up to the latency."""

    def latency(self, mode: Mode) -> Cycles:
        """First beat of the operation in to last beat of its result out, both cycles counted, when
        nothing pauses: of a multiplier at the bare core."""
        terms = self.cycles(mode).values()
        return Cycles(
            sum(t.minimum for t in terms), sum(t.mean for t in terms), sum(t.maximum for t in terms)
        )

    @abc.abstractmethod
    def interval(self, mode: Mode) -> Cycles:
        """Cycles between the starts of two operations of one slot."""

    def time(self, what: Time, mode: Mode) -> Cycles:
        """The latency, or the interval."""
        return self.latency(mode) if what == "latency" else self.interval(mode)

    def cycles_per_product(self, mode: Mode) -> float:
        """Cycles between the starts of two operations, in the mean."""
        return self.interval(mode).mean / self.slots

    def cycles_for(self, count: int, mode: Mode) -> int:
        """Cycles for `count` independent operations issued as fast as possible (mean, rounded).

        Default: slots start evenly; architectures whose slots come in turn override it."""
        interval, turns = self.interval(mode).mean, (count - 1) // self.slots
        rest = (count - 1) % self.slots
        return round(interval * turns + interval / self.slots * rest + self.latency(mode).mean)

    # ---- the hardware -------------------------------------------------------------------------

    interfaces: ClassVar[tuple[Interface, ...]]  # of `modules`, in order

    @abc.abstractmethod
    def forecast(self) -> Forecast:
        """Area and clock on its target by a formula, without elaboration: of a multiplier those of
        the bare core."""

    @abc.abstractmethod
    def create(self) -> wiring.Component:
        """The component: of a multiplier the bare core."""

    @abc.abstractmethod
    def modules(self) -> tuple[Module, ...]:
        """What its text has for the user, the module whose area is told first."""
