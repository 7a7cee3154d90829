"""The contract of processors: what every processor answers besides what every design does (contract
4 of docs/contracts.md).

One of its fields is a multiplier of the registry; the others are its own parameters.  `compute` is
the golden model.  Everything goes through streams that may pause anywhere; what is sent on which
stream for one operation, and what comes back, is told by `load`, `request` and `reply`.

A modulus holds for every operation that begins after its last beat.  One that is offered during an
operation is taken after it, before the next one begins; none begins between its beats.

What is loaded is a `Load`: a modulus and its field, and with some processors a curve over it."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from modmul import errors, multipliers
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field
from modmul.design import Beat, Beats, Design, Module
from modmul.errors import SpecError
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.setting import Setting
from modmul.operation import Cycles, Job, Mode
from modmul.processors.packets import Packets
from modmul.targets import Target

if TYPE_CHECKING:
    from amaranth.lib import wiring


# The name of a multiplier, its parameters, and those of the processor.
Example = tuple[str, Mapping[str, Any], Mapping[str, Any]]


class Load(NamedTuple):
    """A modulus with its field, and with some processors a curve over it, as the stream `modulus`
    loads them.  The modulus is the curve's prime or polynomial; curves may share one."""

    modulus: int
    field: Field = "prime"
    curve: Curve | None = None

    @classmethod
    def of(cls, curve: Curve) -> Load:
        return cls(curve.prime, curve.field, curve)


@dataclass(frozen=True, kw_only=True)
class Processor(Design):
    """A processor with all its parameters.  Raises SpecError if it cannot be built."""

    role = "processor"
    interfaces = ("stream",)
    terms: ClassVar[Mapping[str, str]]
    """The meaning of each term of `cycles`."""
    takes_curves: ClassVar[bool] = False
    """Whether curves are loaded.  If not, `curve` is None in all methods."""
    takes_keys: ClassVar[bool] = False
    """Whether a modulus may be a key with known factors, which some operations need."""
    usual_width: ClassVar[int | None] = None
    """Bits of the modulus if no option says how many; None: those of the multiplier."""
    compared: ClassVar[Mapping[str, str | None]]
    """The operations by which designs can be compared, each with the shipped space whose designs
    `recommend` compares; None: one design on each multiplier."""
    extra: ClassVar[Mapping[str, str]] = {}
    """The meaning of what a driver needs besides operands, by the prefix of names in `packets`."""
    small: ClassVar[Sequence[Example]]
    multiplier: Multiplier

    @classmethod
    def examples(cls) -> Sequence[Self]:
        return [
            cls(multiplier=multipliers.find(name)(**of_multiplier), **own)
            for name, of_multiplier, own in cls.small
        ]

    @classmethod
    @abc.abstractmethod
    def takes(cls, architecture: type[Multiplier]) -> bool:
        """Whether the processor can be built on multipliers of this architecture."""

    @classmethod
    def suited(cls, curve: Curve, operation: str | None) -> Mapping[str, Any]:  # noqa: ARG003
        """Options that make the processor small for this curve, and for this operation if it
        is known."""
        return {}

    @classmethod
    def width_for_keys(cls, bits: int, given: Mapping[str, Any]) -> int:
        """For a processor that takes keys: return the width with which it takes keys of up to
        `bits` bits by their primes.  given: options, by their names."""
        raise NotImplementedError

    # ---- identity and place -------------------------------------------------------------------

    @property
    def classes(self) -> tuple[type[Design], ...]:
        return (type(self), type(self.multiplier))

    @property
    def options(self) -> dict[str, Any]:
        return {"multiplier": self.multiplier.name} | super().options | self.multiplier.options

    @property
    def chip(self) -> Target:
        return self.multiplier.chip

    @property
    def target(self) -> str:
        """Name of the chip family, which is that of the multiplier."""
        return self.multiplier.target

    @property
    def protection(self) -> str:
        """What is done against faults; the parameter is the multiplier's."""
        return self.multiplier.protection

    @property
    def copies(self) -> int:
        """How many copies of the whole processor there are: 2 if that is its protection."""
        return 1

    @property
    def width(self) -> int:
        """Bits of the modulus, which are those of the multiplier."""
        return self.multiplier.width

    @property
    def fields_built(self) -> tuple[Field, ...]:
        return self.multiplier.fields_built

    @property
    def key_primes(self) -> tuple[int, int]:
        """For a processor that takes keys: how many primes a key has that is longer than the
        multiplier, and how many bits each may have."""
        return 2, self.width

    @property
    def key_text(self) -> str | None:
        """Which keys can be loaded, as a text; None if there are none."""
        return None

    # ---- what it takes and gives --------------------------------------------------------------

    def over(self, modulus: int, field: Field = "prime") -> Setting:
        """The multiplier with this modulus, with as many words in use as in this processor.
        Raises SpecError for a modulus that it does not take."""
        return self.multiplier.over(modulus, field)

    @abc.abstractmethod
    def check_modulus(
        self, modulus: int, field: Field | None = None, curve: Curve | None = None
    ) -> None: ...

    def check_suited(self, curve: Curve) -> None:
        """Raise SpecError for an option whose operations do not exist on the curve that a
        specification names."""

    def can_load(self, load: Load) -> bool:
        """Whether the processor takes this modulus, key or curve."""
        try:
            self.check_modulus(*load)
        except SpecError:
            return False
        return True

    @property
    def offered(self) -> tuple[str, ...]:
        """The operations that this design has, with one load or another."""
        return tuple(self.operands)

    def operations_on(self, load: Load) -> tuple[str, ...]:
        """The operations that this load allows, the headline first."""
        return tuple(self.operands)

    @abc.abstractmethod
    def mode(self, operation: str, load: Load, length: int | None = None) -> Mode:
        """The public parameters of an operation with this load.  length: bits of the
        exponent or scalar, if these can be chosen.  Raises SpecError for an operation, field or
        length that the design lacks."""

    @abc.abstractmethod
    def constants(
        self, modulus: int, field: Field = "prime", curve: Curve | None = None
    ) -> list[Constant]:
        """The beats of the stream `modulus` that load a modulus, in order, with their names.
        Raises SpecError for a modulus that the design does not take."""

    def load(self, modulus: int, field: Field = "prime", curve: Curve | None = None) -> Beats:
        """The beats that load a modulus, by stream."""
        constants = self.constants(modulus, field, curve)
        return {"modulus": [{"data": constant.value} for constant in constants]}

    def check_operands(self, job: Job) -> None:
        """Raise SpecError for operands that fulfil their own rules, but do not fit together."""

    @abc.abstractmethod
    def packets(self, mode: Mode, load: Load) -> Packets:
        """A table of what `request` and `reply` do for an operation with this load."""

    @abc.abstractmethod
    def request(self, job: Job, chance: Random | None = None) -> Beats:
        """The beats of each input stream.  chance: source of the random numbers among them.
        Without it they follow from the operands, for simulations; no result depends on them."""

    @abc.abstractmethod
    def reply(self, mode: Mode, beats: Sequence[Beat]) -> dict[str, int]:
        """The results that beats of the stream `result` contain, by the names in `results`:
        numbers, or True and False for a flag."""

    def declined(self, job: Job) -> dict[str, int] | None:
        """What the processor may answer instead of the result, for operands with which it is
        declared not to compute it.  None if it gives the result."""
        return None

    @abc.abstractmethod
    def compute(self, job: Job) -> dict[str, int]:
        """Compute with the golden model, on that of the multiplier.  Raises SpecError as
        `request`."""

    def expected(self, job: Job) -> dict[str, int]:
        return self.compute(job)

    @abc.abstractmethod
    def answer(self, job: Job) -> list[Beat]:
        """The beats of the stream `result` that the golden model gives."""

    def declared(self, job: Job) -> Cycles:
        """The cycles of one operation with these operands: `latency`, unless its time
        depends on them."""
        return self.latency(job.mode)

    def declared_interval(self, job: Job) -> Cycles:
        """The cycles from the beginning of this operation to that of the next, if nothing
        else delays that: `interval`, unless its time depends on the operands."""
        return self.interval(job.mode)

    # ---- the hardware -------------------------------------------------------------------------

    def modules(self) -> tuple[Module, ...]:
        """The only module, with all streams."""
        return (Module("stream", "", lambda _below: self.create()),)


def signature(processor: Processor) -> wiring.Signature:
    """The ports of a processor: all its streams, which may pause anywhere."""
    from amaranth.lib import wiring

    return wiring.Signature({stream.name: stream.signature() for stream in processor.streams})


def refusal(key: str, value: object, allowed: str, *why: str) -> SpecError:
    """The SpecError with the message `key = value: must be ...`, with the value as it is."""
    return errors.refusal(key, value, allowed, ": ".join(why), shown=value)
