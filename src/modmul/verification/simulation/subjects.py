"""Multipliers and processors in a simulation: their beats, declared cycles and golden models."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping, Sequence

from modmul.arithmetic import binary
from modmul.arithmetic.words import from_words, to_words
from modmul.design import Beat, Beats, Cycles, Job, Mode, OperandRule
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

    def rules(self, spec: Spec) -> tuple[OperandRule, ...]:
        bound = _setting(spec).operand_bound
        names = spec.multiplier.operands[self.operation]
        return tuple(OperandRule(name, "a factor", bound) for name in names)

    def mode(self, spec: Spec, length: int | None) -> Mode:
        mode = spec.mode or Mode()
        return mode.square() if self._declares_square else mode

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
            return setting.multiplier.latency(asked.mode)
        return Cycles.constant(setting.latency_of(*self._factors(asked)))

    def load(self, asked: Asked) -> Beats:
        if asked.spec.multiplier.modulus_at != "run time":
            return {}
        return {"modulus": [{"data": value} for value in _setting(asked.spec).loads]}

    def request(self, asked: Asked) -> Beats:
        setting = _setting(asked.spec)
        beat = setting.multiplier.beat
        a, b = self._factors(asked)
        members = _vectors("a", a) | _vectors("b", 0 if self._declares_square else b)
        words = {name: to_words(value, beat, setting.beats) for name, value in members.items()}
        square = {"square": 1} if self._declares_square else {}
        return {
            "operand": [
                {name: each[j] for name, each in words.items()} | square
                for j in range(setting.beats)
            ]
        }

    def reply_beats(self, asked: Asked) -> int:
        return _setting(asked.spec).beats

    def reply(self, asked: Asked, beats: Sequence[Beat]) -> dict[str, Operand]:
        multiplier = asked.spec.multiplier
        bits = multiplier.result_beat
        number = from_words([beat["data"] for beat in beats], bits)
        product: Operand = number
        if multiplier.result_form == "carry-save":
            product = (number, from_words([beat["carry"] for beat in beats], bits))
        if multiplier.kind == "plain":
            return {"product": product}
        whole, modulus = numerals.total(product), asked.modulus
        is_binary = asked.mode.field == "binary"
        residue = binary.remainder(whole, modulus) if is_binary else whole % modulus
        return {"product": product, "residue": residue}

    def contradictions(self, asked: Asked, found: Mapping[str, Operand]) -> list[str]:
        setting, factors = _setting(asked.spec), self._factors(asked)
        product = found["product"]
        golden = setting.compute(*factors)
        if golden != product:
            shown = numerals.shown(product)
            return [f"product = {shown}, but the golden model has {numerals.shown(golden)}"]
        if contradicted(setting, [factors], [product]):
            return [f"product = {numerals.shown(product)}, as the golden model has, is wrong"]
        return []

    @property
    def _declares_square(self) -> bool:
        return self.operation == SQUARE and self.spec.multiplier.squares

    def _factors(self, asked: Asked) -> tuple[Operand, Operand]:
        return asked.operands["a"], asked.operands.get("b", asked.operands["a"])


class OfProcessor(Subject):
    """An operation of a processor."""

    def rules(self, spec: Spec) -> tuple[OperandRule, ...]:
        return spec.processor.operand_rules(self.mode(spec, None), _value(spec))

    def mode(self, spec: Spec, length: int | None) -> Mode:
        return spec.processor.mode_for(self.operation, _value(spec), spec.field, length)

    def declared(self, asked: Asked) -> tuple[int, int]:
        low, _, high = asked.spec.processor.declared(_job(asked))
        return low, high

    def load(self, asked: Asked) -> Beats:
        return asked.spec.processor.load(asked.modulus, asked.mode.field)

    def request(self, asked: Asked) -> Beats:
        return asked.spec.processor.request(_job(asked))

    def reply_beats(self, asked: Asked) -> int:
        return asked.spec.processor.reply_beats(asked.mode, asked.modulus)

    def reply(self, asked: Asked, beats: Sequence[Beat]) -> dict[str, Operand]:
        return dict(asked.spec.processor.reply(asked.mode, beats))

    def contradictions(self, asked: Asked, found: Mapping[str, Operand]) -> list[str]:
        golden = asked.spec.processor.compute(_job(asked))
        return [
            f"{name} = {numerals.shown(found[name])}, but the golden model has {right:#x}"
            for name, right in golden.items()
            if found[name] != right
        ]


def _setting(spec: Spec) -> Setting:
    """The multiplier under the modulus; a plain product has none."""
    return spec.multiplier.over(0) if spec.setting is None else spec.setting


def _value(spec: Spec) -> int:
    assert spec.modulus is not None
    return spec.modulus.value


def _job(asked: Asked) -> Job:
    operands = {name: numerals.total(value) for name, value in asked.operands.items()}
    return Job(asked.mode, asked.modulus, operands)


def _vectors(name: str, value: Operand) -> dict[str, int]:
    """Members of a beat, with the whole number of each."""
    if isinstance(value, int):
        return {name: value}
    return {name: value[0], f"{name}_carry": value[1]}
