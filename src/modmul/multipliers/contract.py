"""The contract of multipliers: what every multiplier answers besides what every design does
(contract 1 of docs/contracts.md).

An architecture declares the facts (`facts.py`): its properties are derived from its parameters,
`compute` is the golden model and `core` the bare core.  The target is a parameter like any other,
because the pipeline, and with it the cycle figures, may depend on the chip.  What follows from them
is here: a modulus chosen, the streams and what goes over them, the modules of the text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import from_words
from modmul.design import Beat, Beats, Interface, Module, Stream
from modmul.errors import SpecError
from modmul.multipliers import signature
from modmul.multipliers.facts import Constant, Form, MultiplierFacts, Operand
from modmul.multipliers.operations import MULTIPLY, OPERATIONS, SQUARE, operands_of, results_of
from modmul.multipliers.setting import Setting, over
from modmul.operation import Job, Mode, OperandRule

if TYPE_CHECKING:
    from amaranth.lib import wiring

__all__ = ["Constant", "Form", "Multiplier", "Operand"]


@dataclass(frozen=True, kw_only=True)
class Multiplier(MultiplierFacts):
    """A completely specified multiplier.  The constructor raises SpecError if it cannot exist."""

    role = "multiplier"
    protections = ("none", "full")
    interfaces = ("core", "stream")
    # Squares are always possible (see `request`).  If `operations` depends on a parameter, all
    # operations that can be built are here.
    operands: ClassVar[Mapping[str, tuple[str, ...]]] = operands_of(MULTIPLY, SQUARE)
    results: ClassVar[Mapping[str, tuple[str, ...]]] = results_of(MULTIPLY, SQUARE)

    # ---- under a modulus ----------------------------------------------------------------------

    def over(self, modulus: int, field: Field = "prime", words: int | None = None) -> Setting:
        """This multiplier under a modulus, which answers everything else: see `Setting`.

        field: that of the modulus.  words: words in use, if they can be chosen (`lengths`); None:
        as few as the modulus needs.  Raises SpecError for a choice that is not possible."""
        return over(self, modulus, field, words)

    def check_modulus(self, modulus: int, field: Field | None = None) -> None:
        """Raise SpecError for a modulus that is not in `taken`.  field: None for the field in use,
        with the words in use."""
        if field is not None:
            self.over(modulus, field)
            return
        taken, only = self.taken, self.fixed_modulus
        if only is not None:
            _check_only(self, modulus, only)
            return
        if taken.holds(modulus):
            return
        bits = modulus.bit_length()
        allowed, said = taken.kind, f"modulus = {modulus:#x}: must be {taken.kind}"
        if taken.exact and bits >= 3:
            said = f"{said}; take width = {bits}"
        elif not taken.exact and bits > taken.bits:
            allowed = f"at most {taken.bits} bits"
            said = f"modulus = {modulus:#x} has {bits} bits; width = {self.width} takes {allowed}"
        raise SpecError("modulus", modulus, allowed, said)

    # ---- what goes over its streams -----------------------------------------------------------

    @property
    def streams(self) -> tuple[Stream, ...]:
        return signature.streams(self)

    def _under(self, mode: Mode, modulus: int) -> Setting:
        """The multiplier under that modulus, with the field and the words in use of
        `mode`."""
        return Setting(self, modulus, Mode(field=mode.field, words=mode.words))

    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        return self._under(mode, modulus).operand_rules(mode.operation)

    def load(self, modulus: int, field: Field = "prime") -> Beats:
        loaded = self.over(modulus, field).loads
        return {"modulus": [{"data": value} for value in loaded]} if loaded else {}

    def request(self, job: Job) -> Beats:
        """The beats; a square multiplies a by a if squares are not declared."""
        return {"operand": self._under(job.mode, job.modulus).request(job)}

    def reply_beats(self, mode: Mode, modulus: int) -> int:
        return self.beats_in(mode)

    def reply(self, mode: Mode, beats: Sequence[Beat]) -> dict[str, Operand]:
        """The result by its name, not reduced; for carry-save results the pair.  A refused
        one is the flag `fault` alone."""
        if any(beat.get("fault") for beat in beats):
            return {"fault": 1}
        name = OPERATIONS[mode.operation].result
        number = from_words([beat["data"] for beat in beats], self.result_beat)
        if self.result_form != "carry-save":
            return {name: number}
        carries = [beat["carry"] for beat in beats]
        return {name: (number, from_words(carries, self.result_beat))}

    def expected(self, job: Job) -> dict[str, Operand]:
        name = OPERATIONS[job.mode.operation].result
        return {name: self._under(job.mode, job.modulus).expected(job)}

    # ---- the hardware -------------------------------------------------------------------------

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Small instances for the conformance tests; an architecture lists its corner cases
        here.

        Default: the default parameters at a few widths; at most 6 bits are tested with all
        inputs."""
        return [cls(width=width) for width in (2, 5, 8, 33)]

    def create(self) -> wiring.Component:
        """The bare core; with protection two of them in lockstep."""
        if self.protection == "none":
            return self.create_core()
        from modmul.multipliers.lockstep import Lockstep  # only here is Amaranth needed

        bare = dataclasses.replace(self, protection="none")
        return Lockstep(self, (bare.create_core(), bare.create_core()))

    def modules(self) -> tuple[Module, ...]:
        """The bare core, and the core behind the elastic adapter."""

        def behind_adapter(below: Callable[[Interface], wiring.Component]) -> wiring.Component:
            from modmul.multipliers.streamed import streamed  # only here is Amaranth needed

            return streamed(self, below("core"))

        return (
            Module("core", "_core", lambda _below: self.create()),
            Module("stream", "_stream", behind_adapter),
        )


def _check_only(multiplier: Multiplier, modulus: int, only: int) -> None:
    if modulus != only:
        message = f"modulus = {modulus:#x}: {multiplier.title} is made for {only:#x} alone"
        raise SpecError("modulus", modulus, hex(only), message)
