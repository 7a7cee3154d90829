"""What every processor answers, before and after elaboration (contract 4 of docs/architecture.md).

A processor is a frozen dataclass: its fields are the parameters, one of them a multiplier of the
registry; its properties the derived facts, `compute` the golden model and `create` the Amaranth
component.  Everything goes through streams that may pause anywhere; what is sent on which stream
for one operation, and what comes back, is told by `load`, `request` and `reply`."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from modmul.arithmetic.moduli import Field
from modmul.multipliers.contract import Cycles, Multiplier

Beat = dict[str, int]  # what one beat carries, by member; `first` and `last` not counted
Beats = dict[str, list[Beat]]  # by stream


@dataclass(frozen=True)
class Stream:
    """One stream of a processor.

    members: what a beat carries, by name: bits and meaning.  `first` and `last` are added.
    secret: that its payload must not show in the time of anything."""

    name: str
    direction: Literal["input", "output"]
    meaning: str
    members: dict[str, tuple[int, str]]
    secret: bool = False

    @property
    def layout(self) -> data.StructLayout:
        """One beat."""
        sizes = {name: bits for name, (bits, _) in self.members.items()}
        return data.StructLayout({"first": 1, "last": 1, **sizes})

    @property
    def signature(self) -> Any:
        """As a member of a component's signature."""
        return (In if self.direction == "input" else Out)(stream.Signature(self.layout))


@dataclass(frozen=True, kw_only=True)
class Processor(abc.ABC):
    """One processor, completely specified.  Raises SpecError on construction if it cannot be."""

    name: ClassVar[str]
    summary: ClassVar[str]
    sources: ClassVar[tuple[str, ...]] = ()
    operations: ClassVar[tuple[str, ...]]

    multiplier: Multiplier

    # ---- what it takes and gives --------------------------------------------------------------

    @property
    @abc.abstractmethod
    def streams(self) -> tuple[Stream, ...]:
        """Its streams, in order."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Streams whose payload is secret."""
        return tuple(one.name for one in self.streams if one.secret)

    @abc.abstractmethod
    def check_modulus(self, modulus: int, field: Field = "prime") -> None:
        """Raise SpecError for a modulus that it cannot take."""

    @abc.abstractmethod
    def load(self, modulus: int, field: Field = "prime") -> Beats:
        """The beats that load a modulus."""

    @abc.abstractmethod
    def request(self, *operands: Any, **choices: Any) -> Beats:
        """The beats of one operation, for the modulus loaded; arguments as in `compute`."""

    @abc.abstractmethod
    def reply(self, beats: list[Beat]) -> int:
        """What the beats of the stream `result` say."""

    @abc.abstractmethod
    def compute(self, *operands: Any, **choices: Any) -> int:
        """Golden model, on the golden model of the multiplier."""

    # ---- how long it takes --------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def timing(self) -> Literal["constant", "data-dependent"]:
        """Constant: `cycles` is one figure for public lengths, whatever the operands are."""

    @property
    @abc.abstractmethod
    def leaks(self) -> tuple[str, ...]:
        """What the time tells, one sentence each; empty if and only if `timing` is constant."""

    @abc.abstractmethod
    def cycles(self, *lengths: Any, **choices: Any) -> dict[str, Cycles]:
        """Named terms of one operation, from its command to the last beat of its result, both
        cycles counted, when no stream pauses.  lengths: public, of operands, in bits."""

    def latency(self, *lengths: Any, **choices: Any) -> Cycles:
        """The sum of the terms."""
        terms = self.cycles(*lengths, **choices).values()
        return Cycles(
            sum(t.minimum for t in terms), sum(t.mean for t in terms), sum(t.maximum for t in terms)
        )

    # ---- the hardware -------------------------------------------------------------------------

    @classmethod
    @abc.abstractmethod
    def examples(cls) -> list[Processor]:
        """Small instances for the tests: every multiplier form, every method."""

    @abc.abstractmethod
    def create(self) -> wiring.Component:
        """The component, with the signature `signature(self)`."""

    @property
    @abc.abstractmethod
    def title(self) -> str:
        """Short name of this design."""


def signature(processor: Processor) -> wiring.Signature:
    """Ports of a processor: all its streams, which may pause anywhere."""
    return wiring.Signature({one.name: one.signature for one in processor.streams})
