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

from modmul.arithmetic.moduli import Field
from modmul.forecast import Forecast
from modmul.operation import Cycles, Job, Mode, Number, OperandRule, Time
from modmul.parameters import parameters
from modmul.targets import Target

if TYPE_CHECKING:
    from amaranth.lib import data, wiring

Beat = dict[str, int]  # the values in one beat, by member name, without `first` and `last`
Beats = dict[str, list[Beat]]  # the beats of each stream, by its name
Interface = Literal["core", "stream"]


@dataclass(frozen=True)
class Stream:
    """One stream of a design.

    members: by name, the width in bits and the meaning of each value in a beat; `first` and `last`
    are added to them.  ends: the meanings of `first` and `last`, where their names do not say
    enough.  secret: no timing may depend on the payload, except on the members named in `public`.
    beats: the length of the longest packet; its beats come in consecutive cycles where nothing may
    pause."""

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
    """One module of the emitted text.  suffix: the end of its name, after the name of the design.
    create: a function that makes its component; it is given a function that returns the component
    of another interface, to instantiate."""

    interface: Interface
    suffix: str
    create: Callable[[Callable[[Interface], wiring.Component]], wiring.Component]


@dataclass(frozen=True, kw_only=True)
class Design(abc.ABC):
    """One design with all its parameters.  Construction raises SpecError if they cannot be."""

    role: ClassVar[Literal["multiplier", "processor"]]
    name: ClassVar[str]
    summary: ClassVar[str]
    sources: ClassVar[tuple[str, ...]] = ()
    protections: ClassVar[tuple[str, ...]] = ("none",)  # values of `protection` that are built
    # For each operation, the names of its operands in order, without the modulus, and the names of
    # its results.
    operands: ClassVar[Mapping[str, tuple[str, ...]]]
    results: ClassVar[Mapping[str, tuple[str, ...]]]

    def __post_init__(self) -> None:
        for parameter in parameters(type(self)).values():
            parameter.check(getattr(self, parameter.field))
        self.check()

    def check(self) -> None:
        """Check relations between parameters; raise SpecError that names the nearest allowed
        value."""

    # ---- identity and place -------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def title(self) -> str:
        """Short name of this design, such as F44D, from which the names of its modules and files
        are made: designs of different hardware have different titles."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Further sentences that a user must know; the datasheet prints them."""
        return ()

    @property
    def advice(self) -> str:
        """A sentence about parameters that are far better on this chip, by forecast; empty if there
        are none.  `build` prints it."""
        return ""

    @property
    def theory(self) -> str:
        """The docstring of the design's module: what is computed, ranges, time.  The docstring of a
        core includes it as `{theory}`, so that it stands above the emitted module."""
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
        def protection(self) -> str:
            """What is done against faults: one of `protections`."""

    @property
    def classes(self) -> tuple[type[Design], ...]:
        """The classes of this design and of those that it is built on."""
        return (type(self),)

    @property
    def options(self) -> dict[str, Any]:
        """The keys and values of a spec that describe the design: its own parameters, and those of
        the designs that it is built on."""
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
        """The fields that this design computes in."""

    @abc.abstractmethod
    def check_modulus(self, modulus: int, field: Field | None = None) -> None:
        """Raise SpecError unless the design takes this modulus.  field: None for the one in use."""

    # ---- streams ------------------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def streams(self) -> tuple[Stream, ...]:
        """The streams of the design, in order."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names of the streams whose payload is secret."""
        return tuple(stream.name for stream in self.streams if stream.secret)

    # ---- the beats on the streams ----------------------------------------------------------

    @abc.abstractmethod
    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        """The range of each operand of an operation under this modulus, in order."""

    @abc.abstractmethod
    def load(self, modulus: int, field: Field = "prime") -> Beats:
        """The beats that load a modulus; empty if the design loads none.  Raises SpecError
        if the design does not take this modulus."""

    @abc.abstractmethod
    def request(self, job: Job) -> Beats:
        """The beats of one operation under the loaded modulus.  The operation begins with
        the first beat of the first stream."""

    @abc.abstractmethod
    def reply_beats(self, mode: Mode, modulus: int) -> int:
        """The number of beats of the stream `result` for one operation."""

    @abc.abstractmethod
    def reply(self, mode: Mode, beats: Sequence[Beat]) -> Mapping[str, Number]:
        """Decode the beats of the stream `result` into the named results."""

    @abc.abstractmethod
    def expected(self, job: Job) -> Mapping[str, Number]:
        """The named results that the golden model computes for this job."""

    # ---- operations and their time ------------------------------------------------------------

    @property
    @abc.abstractmethod
    def modes(self) -> tuple[Mode, ...]:
        """The operations with their public choices, at full length and at the shortest.  The first
        is the one that figures and comparisons are about."""

    # Constant: the cycles depend on the public choices only, not on the operands.  A property in
    # designs where it depends on the parameters.
    timing: ClassVar[Literal["constant", "data-dependent"]] = "constant"

    @property
    def leaks(self) -> tuple[str, ...]:
        """What the time of an operation reveals about the operands, one sentence each; empty if and
        only if `timing` is constant."""
        return ()

    @property
    def slots(self) -> int:
        """The number of independent operations in flight."""
        return 1

    @abc.abstractmethod
    def cycles(self, mode: Mode) -> dict[str, Cycles]:
        """The named terms that add up to the latency."""

    def latency(self, mode: Mode) -> Cycles:
        """The cycles from the first beat of an operation to the last beat of its result,
        both included, when nothing pauses.  For a multiplier this is at the bare core."""
        terms = self.cycles(mode).values()
        return Cycles(
            sum(t.minimum for t in terms), sum(t.mean for t in terms), sum(t.maximum for t in terms)
        )

    @abc.abstractmethod
    def interval(self, mode: Mode) -> Cycles:
        """The cycles between the starts of two operations of one slot."""

    def time(self, what: Time, mode: Mode) -> Cycles:
        return self.latency(mode) if what == "latency" else self.interval(mode)

    def cycles_per_product(self, mode: Mode) -> float:
        """The mean number of cycles between the starts of two operations, over all slots."""
        return self.interval(mode).mean / self.slots

    def cycles_for(self, count: int, mode: Mode) -> int:
        """The cycles for `count` independent operations issued as fast as possible (mean,
        rounded).  This default assumes that slots start evenly; architectures whose slots take
        turns override it."""
        interval, turns = self.interval(mode).mean, (count - 1) // self.slots
        rest = (count - 1) % self.slots
        return round(interval * turns + interval / self.slots * rest + self.latency(mode).mean)

    # ---- the hardware -------------------------------------------------------------------------

    interfaces: ClassVar[tuple[Interface, ...]]  # of `modules`, in order

    @abc.abstractmethod
    def forecast(self) -> Forecast:
        """Forecast area and clock on the target by a formula, without elaboration.  For a
        multiplier this is the bare core."""

    @abc.abstractmethod
    def create(self) -> wiring.Component:
        """The component; for a multiplier this is the bare core."""

    @abc.abstractmethod
    def modules(self) -> tuple[Module, ...]:
        """The modules of the emitted text that a user may instantiate; the area is reported
        of the first."""
