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

from modmul import multipliers
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field
from modmul.design import Beat, Beats, Cycles, Design, Job, Mode, Module
from modmul.errors import SpecError
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.setting import Setting
from modmul.processors.packets import Packets
from modmul.targets import Target

if TYPE_CHECKING:
    from amaranth.lib import wiring


class Load(NamedTuple):
    """What the stream `modulus` loads: a modulus, its field, and the curve, which has this modulus
    as its prime; curves may share one."""

    modulus: int
    field: Field = "prime"
    curve: Curve | None = None

    @classmethod
    def of(cls, curve: Curve) -> Load:
        """What is loaded for a curve: its prime or polynomial, and the curve."""
        return cls(curve.prime, curve.field, curve)


@dataclass(frozen=True, kw_only=True)
class Processor(Design):
    """One processor, completely specified.  Raises SpecError on construction if it cannot be."""

    role = "processor"
    interfaces = ("stream",)
    terms: ClassVar[Mapping[str, str]]
    """What each term of `cycles` is, in words."""
    takes_curves: ClassVar[bool] = False
    """Whether a curve is loaded, too.  If not, `curve` is None in all that follows."""
    takes_keys: ClassVar[bool] = False
    """Whether a modulus may be a key, whose factors are known, and some operations need one."""
    usual_width: ClassVar[int | None] = None
    """Bits of the modulus where nothing says how many; None: as the multiplier has it."""
    compared: ClassVar[Mapping[str, str | None]]
    """The operations that can be a headline, so that designs are compared by them, and the shipped
    space whose designs `recommend` compares; None: one on every multiplier that there is."""
    extra: ClassVar[Mapping[str, str]] = {}
    """What a driver has to be given besides operands, by the beginnings of names in `packets`."""
    small: ClassVar[Sequence[tuple[str, Mapping[str, Any], Mapping[str, Any]]]]
    """Of each of `examples` the multiplier by its name, the parameters of that, and its own."""
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
        """Whether it can be built on multipliers of that architecture."""

    @classmethod
    def suited(cls, curve: Curve, operation: str | None) -> Mapping[str, Any]:  # noqa: ARG003
        """Options of one that is made for this curve, and an operation if it is known, where others
        would be larger."""
        return {}

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
        """Name of the chip family, the multiplier's."""
        return self.multiplier.target

    @property
    def width(self) -> int:
        """Bits of the modulus, the multiplier's."""
        return self.multiplier.width

    @property
    def fields_built(self) -> tuple[Field, ...]:
        return self.multiplier.fields_built

    @property
    def key_primes(self) -> tuple[int, int]:
        """Where it takes keys: how many primes those have that are longer than the multiplier, and
        how many bits each may have."""
        return 2, self.width

    # ---- what it takes and gives --------------------------------------------------------------

    def over(self, modulus: int, field: Field = "prime") -> Setting:
        """The multiplier under that modulus, with as many words in use as here.  SpecError for one
        that is not taken."""
        return self.multiplier.over(modulus, field)

    @abc.abstractmethod
    def check_modulus(
        self, modulus: int, field: Field | None = None, curve: Curve | None = None
    ) -> None: ...

    def can_load(self, load: Load) -> bool:
        """Whether it takes that modulus or curve."""
        try:
            self.check_modulus(*load)
        except SpecError:
            return False
        return True

    @property
    def offered(self) -> tuple[str, ...]:
        """The operations that this design has, with one thing loaded or another."""
        return tuple(self.operands)

    def operations_on(self, load: Load) -> tuple[str, ...]:
        """The operations that there are with what is loaded, the headline's first."""
        return tuple(self.operands)

    @abc.abstractmethod
    def mode(self, operation: str, load: Load, length: int | None = None) -> Mode:
        """The public choices of an operation with that loaded.  length: of the exponent or scalar,
        where it can be chosen.  SpecError for an operation, field or length that it lacks."""

    @abc.abstractmethod
    def constants(
        self, modulus: int, field: Field = "prime", curve: Curve | None = None
    ) -> list[Constant]:
        """The beats of the stream `modulus` that load one, in order, with their names.  SpecError
        for a modulus that it does not take."""

    def load(self, modulus: int, field: Field = "prime", curve: Curve | None = None) -> Beats:
        """The beats of the stream `modulus` that load one."""
        constants = self.constants(modulus, field, curve)
        return {"modulus": [{"data": constant.value} for constant in constants]}

    def check_operands(self, job: Job) -> None:
        """SpecError for operands that do not go together, each of which is as its rule says."""

    @abc.abstractmethod
    def packets(self, mode: Mode, load: Load) -> Packets:
        """What `request` and `reply` of an operation with that loaded do, as a table."""

    @abc.abstractmethod
    def request(self, job: Job, chance: Random | None = None) -> Beats:
        """As for every design.  chance: gives the random numbers among the beats; None: they follow
        from the operands, for simulations, and no result depends on them."""

    @abc.abstractmethod
    def reply(self, mode: Mode, beats: Sequence[Beat]) -> dict[str, int]:
        """What the beats of the stream `result` say, by the names of `results`: numbers, or True
        and False where a name is that of a flag."""

    def declined(self, job: Job) -> dict[str, int] | None:
        """What it may answer instead, where it is declared not to do an operation for all
        operands; None where its answer is the operation's."""
        return None

    @abc.abstractmethod
    def compute(self, job: Job) -> dict[str, int]:
        """Golden model, on the golden model of the multiplier.  SpecError as for `request`."""

    def expected(self, job: Job) -> dict[str, int]:
        return self.compute(job)

    @abc.abstractmethod
    def answer(self, job: Job) -> list[Beat]:
        """The beats of the stream `result` that the golden model gives."""

    def declared(self, job: Job) -> Cycles:
        """Cycles of one operation with these operands: `latency`, unless its time depends on
        them."""
        return self.latency(job.mode)

    def declared_interval(self, job: Job) -> Cycles:
        """Cycles from the beginning of this operation to that of the next, which waits for nothing
        else: `interval`, unless its time depends on the operands."""
        return self.interval(job.mode)

    # ---- the hardware -------------------------------------------------------------------------

    def modules(self) -> tuple[Module, ...]:
        """One, with all its streams."""
        return (Module("stream", "", lambda below: self.create()),)


def signature(processor: Processor) -> wiring.Signature:
    """Ports of a processor: all its streams, which may pause anywhere."""
    from amaranth.lib import wiring

    return wiring.Signature({stream.name: stream.signature() for stream in processor.streams})
