"""Multipliers and processors in a simulation: their beats, declared cycles and golden models."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping, Sequence

from modmul.arithmetic import binary
from modmul.design import Beat, Beats, Cycles, Mode
from modmul.multipliers import dialogue
from modmul.multipliers.contract import Operand
from modmul.multipliers.oracle import contradicted
from modmul.multipliers.setting import Setting
from modmul.multipliers.streamed import traffic
from modmul.processors.contract import Processor
from modmul.spec import Spec
from modmul.verification.simulation import numerals
from modmul.verification.simulation.asked import Asked, Subject

SQUARE = "square"


def subject(spec: Spec, operation: str | None = None) -> Subject:
    """What simulates the design of a spec.  operation: None for its first one.  SpecError."""
    kind = OfProcessor if isinstance(spec.design, Processor) else OfMultiplier
    return kind(spec, operation)


class OfMultiplier(Subject):
    """A product or a square: `product` is what comes out, `residue` the same below N."""

    def __init__(self, spec: Spec, operation: str | None = None):
        super().__init__(spec, operation)
        multiplier = spec.multiplier
        self._added = functools.cache(traffic(multiplier).added_latency)  # asked for every line
        if self.operation == SQUARE and not multiplier.squares:
            name = multiplier.name
            warnings.warn(f"{name} has no squares of its own: multiplies a by a", stacklevel=3)

    @property
    def pairs(self) -> bool:
        return self.spec.multiplier.operand_form == "carry-save"

    def mode(self, spec: Spec, length: int | None) -> Mode:
        mode = spec.mode or Mode()
        return mode.square() if self.operation == SQUARE else mode

    def declared(self, asked: Asked) -> tuple[int, int]:
        multiplier = asked.spec.multiplier
        low, _, high = self._latency(asked)
        if asked.spec.interface == "core":
            return low, high
        added = self._added(_setting(asked.spec).beats)
        return low + added, high + added + multiplier.rotation - 1

    def _latency(self, asked: Asked) -> Cycles:
        """At the bare core, of these operands."""
        setting = _setting(asked.spec)
        if setting.multiplier.timing == "constant":
            return setting.latency(SQUARE if self._declares_square else "multiply")
        return Cycles.constant(setting.latency_of(*dialogue.factors(asked.job)))

    def reply(self, asked: Asked, beats: Sequence[Beat]) -> dict[str, Operand]:
        found = dict(super().reply(asked, beats))
        if asked.spec.multiplier.kind == "plain":
            return found
        whole, modulus = numerals.total(found["product"]), asked.modulus
        is_binary = asked.mode.field == "binary"
        residue = binary.remainder(whole, modulus) if is_binary else whole % modulus
        return found | {"residue": residue}

    def contradictions(self, asked: Asked, found: Mapping[str, Operand]) -> list[str]:
        setting, job = _setting(asked.spec), asked.job
        product = found["product"]
        golden = setting.expected(job)
        if golden != product:
            shown = numerals.shown(product)
            return [f"product = {shown}, but the golden model has {numerals.shown(golden)}"]
        if contradicted(setting, [dialogue.factors(job)], [product]):
            return [f"product = {numerals.shown(product)}, as the golden model has, is wrong"]
        return []

    @property
    def _declares_square(self) -> bool:
        return self.operation == SQUARE and self.spec.multiplier.squares


class OfProcessor(Subject):
    """An operation of a processor."""

    def mode(self, spec: Spec, length: int | None) -> Mode:
        load = spec.load
        assert load is not None
        return spec.processor.mode_for(
            self.operation, load.modulus, load.field, length, load.curve
        )

    def check(self, asked: Asked) -> None:
        asked.spec.processor.check_operands(asked.job)

    def load(self, asked: Asked) -> Beats:
        load = asked.spec.load
        assert load is not None
        return asked.spec.processor.load(*load)

    def declared(self, asked: Asked) -> tuple[int, int]:
        low, _, high = asked.spec.processor.declared(asked.job)
        return low, high

    def contradictions(self, asked: Asked, found: Mapping[str, Operand]) -> list[str]:
        golden = asked.spec.processor.compute(asked.job)
        if golden.keys() != found.keys():
            return [f"{_named(found)}, but the golden model has {_named(golden)}"]
        return [
            f"{_named({name: found[name]})}, but the golden model has {numerals.shown(right)}"
            for name, right in golden.items()
            if found[name] != right
        ]


def _setting(spec: Spec) -> Setting:
    """The multiplier under the modulus; a plain product has none."""
    return spec.multiplier.over(0) if spec.setting is None else spec.setting


def _named(numbers: Mapping[str, Operand]) -> str:
    return ", ".join(f"{name} = {numerals.shown(one)}" for name, one in numbers.items())
