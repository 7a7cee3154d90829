"""What a simulation needs to know of a multiplier or a processor: beats, declared cycles, golden
model."""

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
from modmul.multipliers.streamed import core_timing
from modmul.processors.contract import Processor
from modmul.spec import Spec
from modmul.verification.simulation import numerals
from modmul.verification.simulation.request import Subject, UserRequest

SQUARE = "square"


def subject(spec: Spec, operation: str | None = None) -> Subject:
    """What simulates the design of a spec.  operation: None for its first one.  SpecError."""
    kind = OfProcessor if isinstance(spec.design, Processor) else OfMultiplier
    return kind(spec, operation)


class OfMultiplier(Subject):
    """Products and squares.  `product` is what comes out, `residue` that number below N."""

    def __init__(self, spec: Spec, operation: str | None = None):
        super().__init__(spec, operation)
        multiplier = spec.multiplier
        self._added = functools.cache(core_timing(multiplier).added_latency)  # asked for every line
        if self.operation == SQUARE and not multiplier.squares:
            name = multiplier.name
            warnings.warn(f"{name} has no squares of its own: multiplies a by a", stacklevel=3)

    @property
    def pairs(self) -> bool:
        return self.spec.multiplier.operand_form == "carry-save"

    def mode(self, spec: Spec, length: int | None) -> Mode:
        mode = spec.mode or Mode()
        return mode.square() if self.operation == SQUARE else mode

    def declared(self, request: UserRequest) -> tuple[int, int]:
        multiplier = request.spec.multiplier
        low, _, high = self._latency(request)
        if request.spec.interface == "core":
            return low, high
        added = self._added(_setting(request.spec).beats)
        return low + added, high + added + multiplier.issue_slot_period - 1

    def _latency(self, request: UserRequest) -> Cycles:
        """The declared latency at the bare core, of these operands."""
        setting = _setting(request.spec)
        if setting.multiplier.timing == "constant":
            return setting.latency(SQUARE if self._declares_square else "multiply")
        return Cycles.constant(setting.latency_of(*dialogue.factors(request.job)))

    def reply(self, request: UserRequest, beats: Sequence[Beat]) -> dict[str, Operand]:
        results = dict(super().reply(request, beats))
        if request.spec.multiplier.kind == "plain":
            return results
        product, modulus = numerals.total(results["product"]), request.modulus
        is_binary = request.mode.field == "binary"
        residue = binary.remainder(product, modulus) if is_binary else product % modulus
        return results | {"residue": residue}

    def contradictions(self, request: UserRequest, results: Mapping[str, Operand]) -> list[str]:
        setting, job = _setting(request.spec), request.job
        product = results["product"]
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
        return spec.processor.mode(self.operation, load, length)

    def check(self, request: UserRequest) -> None:
        request.spec.processor.check_operands(request.job)

    def load(self, request: UserRequest) -> Beats:
        load = request.spec.load
        assert load is not None
        return request.spec.processor.load(*load)

    def declared(self, request: UserRequest) -> tuple[int, int]:
        low, _, high = request.spec.processor.declared(request.job)
        return low, high

    def contradictions(self, request: UserRequest, results: Mapping[str, Operand]) -> list[str]:
        golden = request.spec.processor.compute(request.job)
        if golden.keys() != results.keys():
            return [f"{_named(results)}, but the golden model has {_named(golden)}"]
        return [
            f"{_named({name: results[name]})}, but the golden model has {numerals.shown(right)}"
            for name, right in golden.items()
            if results[name] != right
        ]


def _setting(spec: Spec) -> Setting:
    """The multiplier under the modulus; a plain product has none."""
    return spec.multiplier.over(0) if spec.setting is None else spec.setting


def _named(numbers: Mapping[str, Operand]) -> str:
    return ", ".join(f"{name} = {numerals.shown(value)}" for name, value in numbers.items())
