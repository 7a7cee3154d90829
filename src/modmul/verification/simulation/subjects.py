"""Answers what a simulation asks about a multiplier or a processor: beats, declared cycles, whether
results are right."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Mapping, Sequence

from modmul.arithmetic import binary
from modmul.design import Beat, Beats
from modmul.multipliers import dialogue
from modmul.multipliers.contract import Operand
from modmul.multipliers.operations import MULTIPLY, OPERATIONS, SQUARE
from modmul.multipliers.oracle import contradicted
from modmul.multipliers.setting import Setting
from modmul.multipliers.streamed import core_timing
from modmul.operation import Cycles, Mode
from modmul.processors import oracle
from modmul.processors.contract import Processor
from modmul.spec import Spec
from modmul.verification.simulation import numerals
from modmul.verification.simulation.request import Subject, UserRequest


def subject(spec: Spec, operation: str | None = None) -> Subject:
    """The subject for the design of a spec.  operation: None for its first one.  Raises
    SpecError."""
    kind = OfProcessor if isinstance(spec.design, Processor) else OfMultiplier
    return kind(spec, operation)


class OfMultiplier(Subject):
    """Products, squares and sums.  The result is `product`, `sum` or `difference`; `residue` is
    that number modulo N."""

    def __init__(self, spec: Spec, operation: str | None = None):
        super().__init__(spec, operation)
        multiplier = spec.multiplier
        self._added = functools.cache(core_timing(multiplier).added_latency)  # used for every line
        if self.operation == SQUARE and not self._declared:
            name = multiplier.name
            warnings.warn(f"{name} has no squares of its own: multiplies a by a", stacklevel=3)
        elif not self._declared:
            allowed = ", ".join(dict.fromkeys((MULTIPLY, SQUARE, *multiplier.operations)))
            why = f"{multiplier.title} has no adder; adder = true gives it one"
            raise numerals.refusal("operation", self.operation, f"one of {allowed}", why)

    @property
    def pairs(self) -> bool:
        return self.spec.multiplier.operand_form == "carry-save"

    def mode(self, spec: Spec, length: int | None) -> Mode:
        mode = spec.mode or Mode()
        return dataclasses.replace(mode, operation=self.operation)

    def declared(self, request: UserRequest) -> tuple[int, int]:
        multiplier = request.spec.multiplier
        low, _, high = self._latency(request)
        if request.spec.interface == "core":
            return low, high
        added = self._added(_setting(request.spec).beats)
        return low + added, high + added + multiplier.issue_slot_period - 1

    def _latency(self, request: UserRequest) -> Cycles:
        """The declared latency at the bare core, for these operands."""
        setting = _setting(request.spec)
        if setting.multiplier.timing == "constant":
            return setting.latency(self.operation if self._declared else MULTIPLY)
        return Cycles.constant(setting.latency_of(*dialogue.factors(request.job)))

    def reply(self, request: UserRequest, beats: Sequence[Beat]) -> dict[str, Operand]:
        results = dict(super().reply(request, beats))
        if "fault" in results or request.spec.multiplier.kind == "plain":
            return results
        value, modulus = numerals.total(results[self._result]), request.modulus
        is_binary = request.mode.field == "binary"
        residue = binary.remainder(value, modulus) if is_binary else value % modulus
        return results | {"residue": residue}

    def contradictions(self, request: UserRequest, results: Mapping[str, Operand]) -> list[str]:
        if "fault" in results:
            return ["refused: the design reports a fault"]
        setting, job = _setting(request.spec), request.job
        value = results[self._result]
        golden, shown = setting.expected(job), f"{self._result} = {numerals.shown(value)}"
        if golden != value:
            return [f"{shown}, but the golden model has {numerals.shown(golden)}"]
        if contradicted(setting, [dialogue.factors(job)], [value], [self.operation]):
            return [f"{shown}, as the golden model has, is wrong"]
        return []

    @property
    def _result(self) -> str:
        return OPERATIONS[self.operation].result

    @property
    def _declared(self) -> bool:
        """Whether the operation is one of the multiplier's own."""
        return self.operation in self.spec.multiplier.operations


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
        processor, job = request.spec.processor, request.job
        golden = processor.compute(job)
        if golden.keys() != results.keys():
            return [f"{_named(results)}, but the golden model has {_named(golden)}"]
        if different := {name: value for name, value in results.items() if value != golden[name]}:
            return [
                f"{_named({name: value})}, but the golden model has {numerals.shown(golden[name])}"
                for name, value in different.items()
            ]
        if (right := oracle.contradicted(processor, job, golden)) is not None:
            wrong = f"{_named(golden)}, as the golden model has, is wrong"
            return [f"{wrong}: {_named(right)} is right"]
        return []


def _setting(spec: Spec) -> Setting:
    """The multiplier under its modulus; a plain product has none."""
    return spec.multiplier.over(0) if spec.setting is None else spec.setting


def _named(numbers: Mapping[str, Operand]) -> str:
    return ", ".join(f"{name} = {numerals.shown(value)}" for name, value in numbers.items())
