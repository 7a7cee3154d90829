"""Reads the operations of a user: operands by name, checked against the ranges of the design."""

from __future__ import annotations

import abc
import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from modmul import errors
from modmul.arithmetic import moduli, own_curves
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Modulus
from modmul.design import Beat, Beats
from modmul.errors import SpecError, quoted, suggestion
from modmul.multipliers.contract import Operand
from modmul.operation import Job, Mode, OperandRule
from modmul.processors.contract import Processor
from modmul.spec import Spec
from modmul.spec.keys import CURVE, takes_curves
from modmul.verification.simulation import numerals
from modmul.verification.simulation.numerals import refusal

MODULUS, BITS = "modulus", "bits"  # keys of a line besides the operands
_MODULUS = "a name, 0x..., a whole number or a polynomial over GF(2) such as x^163+x^7+x^6+x^3+1"


class UserRequest(NamedTuple):
    """One operation.  spec: with the modulus, if there is one.  declared: the fewest and the most
    cycles from the first beat of the request to the last beat of the result, both included."""

    spec: Spec
    mode: Mode
    operands: Mapping[str, Operand]
    declared: tuple[int, int]

    @property
    def modulus(self) -> int:
        """The modulus; 0 if there is none."""
        return value_of(self.spec)

    @property
    def job(self) -> Job:
        """The operation in the form that designs take."""
        return Job(self.mode, self.modulus, self.operands)


def value_of(spec: Spec) -> int:
    """The modulus of a spec; 0 if it has none."""
    return 0 if spec.modulus is None else spec.modulus.value


class Subject(abc.ABC):
    """A design and one of its operations: the beats to send, and the results to expect.

    operation: None for the first one of the design.  Raises SpecError for one that it lacks."""

    def __init__(self, spec: Spec, operation: str | None = None):
        self.spec, design = spec, spec.design
        known = tuple(design.operands)
        self.operation = spec.headline.operation if operation is None else operation
        if self.operation not in known:
            raise errors.refusal("operation", operation, f"one of {', '.join(known)}", names=known)
        self._under = functools.lru_cache(maxsize=64)(self._with)

    # ---- the questions that the two kinds of designs answer -----------------------------------

    @property
    def pairs(self) -> bool:
        """Whether operands are carry-save pairs."""
        return False

    def rules(self, spec: Spec) -> tuple[OperandRule, ...]:
        """The ranges of the operands under the modulus of `spec`, in order."""
        return spec.design.operand_rules(self.mode(spec, None), value_of(spec))

    @abc.abstractmethod
    def mode(self, spec: Spec, length: int | None) -> Mode:
        """The public choices.  length: the bits of the operand that has a length."""

    @abc.abstractmethod
    def declared(self, request: UserRequest) -> tuple[int, int]:
        """The fewest and the most cycles at the interface of the spec.  Raises SpecError for
        a length that the design does not take."""

    def check(self, request: UserRequest) -> None:
        """Raise SpecError for operands that cannot be combined."""

    def load(self, request: UserRequest) -> Beats:
        """The beats that load the modulus; empty if none is loaded."""
        return request.spec.design.load(request.modulus, request.mode.field)

    def request(self, request: UserRequest) -> Beats:
        return request.spec.design.request(request.job)

    def reply_beats(self, request: UserRequest) -> int:
        return request.spec.design.reply_beats(request.mode, request.modulus)

    def reply(self, request: UserRequest, beats: Sequence[Beat]) -> Mapping[str, Operand]:
        """Decode the beats of the stream `result` into results by name."""
        return request.spec.design.reply(request.mode, beats)

    @abc.abstractmethod
    def contradictions(self, request: UserRequest, results: Mapping[str, Operand]) -> list[str]:
        """Sentences that say how results differ from the golden model or the oracle."""

    # ---- reading ------------------------------------------------------------------------------

    def read(self, members: Mapping[str, object]) -> UserRequest:
        """The operation with these operands: numbers, or texts 0x...; for a carry-save
        design also pairs [sum, carry].

        Other members are `modulus`, or `curve`, if the spec has none, and `bits`, the public length
        of an operand (default: its own length).  Raises SpecError for an impossible operation."""
        members = self._one_operand(members)
        spec = self._under(*self._modulus(members))
        rules = self.rules(spec)
        self._check_names(members, rules)
        values = {
            rule.name: numerals.operand(rule.name, members[rule.name], pairs=self.pairs)
            for rule in rules
        }
        for rule in rules:
            _check_bound(rule, values[rule.name])
        length = self._length(members, rules, values)
        try:
            request = UserRequest(spec, self.mode(spec, length), values, (0, 0))
            self.check(request)
            return request._replace(declared=self.declared(request))
        except SpecError as error:
            sized = next((rule.name for rule in rules if rule.sized), None)
            if error.key != BITS or BITS in members or sized is None:
                raise
            why = f"it has {length} bits, and lengths are {error.allowed}"
            raise refusal(sized, values[sized], "shorter", why) from None

    def _one_operand(self, members: Mapping[str, object]) -> Mapping[str, object]:
        """The operands without the `b` of a square, which must equal `a`."""
        if self.operation != "square" or "b" not in members:
            return members
        if members["b"] != members.get("a"):
            raise refusal("b", members["b"], "absent, or equal to a", "a square has one operand")
        return {key: value for key, value in members.items() if key != "b"}

    def _check_names(self, members: Mapping[str, object], rules: Sequence[OperandRule]) -> None:
        """Raise SpecError for an unknown or a missing name."""
        names = [rule.name for rule in rules]
        known = [*names, *([MODULUS] if self.spec.design.modulus_at == "run time" else [])]
        known += [CURVE] if takes_curves(type(self.spec.design)) else []
        known += [BITS] if any(rule.sized for rule in rules) else []
        of = f"{self.operation} of {self.spec.design.name}"
        for name in members:
            if name not in known:
                allowed = f"one of {', '.join(known)}"
                message = f"{quoted(name)}: no operand of {of}; must be {allowed}"
                message += suggestion(name, known, 1)
                raise SpecError(name, quoted(members[name]), allowed, message)
        missing = [name for name in names if name not in members]
        if missing:
            allowed = f"operands {', '.join(names)}"
            message = f"{missing[0]} is missing: {of} takes the {allowed}"
            raise SpecError(missing[0], None, allowed, message)

    def _length(
        self,
        members: Mapping[str, object],
        rules: Sequence[OperandRule],
        values: Mapping[str, Operand],
    ) -> int | None:
        """The bits of the operand that has a length; None if none has."""
        sized = next((rule.name for rule in rules if rule.sized), None)
        if sized is None:
            return None
        own = numerals.total(values[sized]).bit_length()
        if BITS not in members:
            return own
        bits = numerals.number(BITS, members[BITS])
        if own > bits:
            raise refusal(BITS, bits, f"at least {own}", f"{sized} has {own} bits")
        return bits

    # ---- moduli -------------------------------------------------------------------------------

    def _modulus(self, members: Mapping[str, object]) -> tuple[Modulus | None, Curve | None]:
        """The modulus of operation or spec.  Raises SpecError if both have one, or none."""
        own, takes = self.spec.modulus, takes_curves(type(self.spec.design))
        named = [key for key in (MODULUS, CURVE) if key in members and (key == MODULUS or takes)]
        if not named:
            if own is None and self.spec.design.modulus_at != "none":
                design = self.spec.design
                keys = f"{MODULUS} or {CURVE}" if takes else MODULUS
                message = f"{keys} is missing: give it in the specification, or as {_MODULUS}"
                if isinstance(design, Processor) and design.takes_keys:
                    message = "key is missing: name its file with --key, or, for public operations,"
                    message += f" give the {MODULUS} alone"
                raise SpecError(MODULUS, None, _MODULUS, message)
            return own, self.spec.curve
        if own is not None:
            has = self.spec.curve or numerals.shown(own.value)
            why = f"the specification has one, {has}"
            raise refusal(named[0], members[named[0]], "given once", why)
        if len(named) > 1:
            raise refusal(MODULUS, members[MODULUS], "absent where a curve is given")
        if named == [CURVE]:
            if own_curves.in_a_file(members[CURVE]):  # a line of input reads no file
                raise refusal(CURVE, members[CURVE], "a name, or parameters in writing")
            return None, own_curves.parse(members[CURVE])
        return _read_modulus(members[MODULUS], self.spec), None

    def _with(self, modulus: Modulus | None, curve: Curve | None) -> Spec:
        """The spec with this modulus or curve.  Raises SpecError if it is not taken."""
        if modulus is self.spec.modulus and curve is self.spec.curve:
            return self.spec
        if modulus is not None and modulus.bits > 2 * self.spec.design.width + 64:
            most = f"at most {self.spec.design.width} bits"
            why = f"it has {modulus.bits}"
            raise refusal(MODULUS, modulus.value, most, why)
        return dataclasses.replace(self.spec, modulus=modulus, curve=curve)


def _read_modulus(value: object, spec: Spec) -> Modulus:
    """The modulus in a line.  It may not name a file, and digits need the prefix 0x.

    If the design has no other field, a number is a polynomial, bit i the coefficient of x^i."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        value = hex(value)
    text = value.strip().lower() if isinstance(value, str) else ""
    digits = text.startswith("0x")
    if not text or moduli.in_a_file(text) or (text[0].isdigit() and not digits):
        raise refusal(MODULUS, value, _MODULUS)
    modulus = moduli.parse(text)
    if digits and spec.design.fields_built == ("binary",):
        return moduli.of(modulus.value, "binary")
    return modulus


def _short(number: int) -> str:
    """A number as people write it: small ones in decimal."""
    return str(number) if number < 10 else numerals.shown(number)


def _check_bound(rule: OperandRule, value: Operand) -> None:
    number = numerals.total(value)
    if rule.below is not None and not rule.least <= number < rule.below:
        least = f"from {_short(rule.least)} to " if rule.least else ""
        allowed = f"{least}below {numerals.shown(rule.below)}"
        message = f"{rule.name} = {numerals.shown(value)}: must be {allowed}"
        raise SpecError(rule.name, number, allowed, message)
