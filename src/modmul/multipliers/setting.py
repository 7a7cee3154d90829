"""A multiplier together with a modulus: what holds for one modulus, one field and one length.

    setting = Fips(width=1024).over(2**255 - 19)
    setting.montgomery_factor, setting.beats, setting.compute(a, b), setting.latency("square")

Everything that computes, checks or drives products asks a `Setting`; `Multiplier.over` makes it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from modmul.arithmetic.moduli import Field
from modmul.design import Beat
from modmul.errors import SpecError
from modmul.multipliers import dialogue
from modmul.multipliers.facts import Constant, MultiplierFacts, Operand
from modmul.multipliers.operations import MULTIPLY, SQUARE, SUMS
from modmul.multipliers.ranges import OperandRange
from modmul.operation import Cycles, Job, Mode, OperandRule


@dataclass(frozen=True)
class Setting:
    """A multiplier under a modulus.  The constructor raises SpecError if it does not accept it.

    multiplier: as it is built.  modulus: 0 for a plain product, which has none.  mode: field and
    words in use, chosen with the modulus; its operation is "multiply"."""

    multiplier: MultiplierFacts
    modulus: int
    mode: Mode = Mode()

    def __post_init__(self) -> None:
        multiplier, mode = self.multiplier, self.mode
        check_choice(multiplier, mode.field, mode.words)
        words = multiplier.lengths[1] if multiplier.lengths else None
        chosen = Mode(field=mode.field, words=mode.words or words)
        object.__setattr__(self, "mode", chosen)
        if multiplier.modulus_at != "none" or self.modulus:
            self.chosen.check_modulus(self.modulus)

    @cached_property
    def chosen(self) -> MultiplierFacts:
        """The multiplier with field and words in use chosen: its answers hold for every modulus."""
        return self.multiplier.at(self.mode)

    @property
    def field(self) -> Field:
        return self.mode.field

    # ---- what it computes ---------------------------------------------------------------------

    @cached_property
    def montgomery_factor(self) -> int | None:
        return self.chosen.montgomery_factor

    @cached_property
    def operand_bound(self) -> int:
        return self.chosen.operand_limit.at(self.modulus)

    @cached_property
    def result_bound(self) -> int:
        """Results are below this, for operands below `operand_bound`."""
        return self.chosen.result_limit.at(self.modulus)

    @cached_property
    def operand_range(self) -> OperandRange:
        return self.chosen.operand_range(self.modulus)

    @cached_property
    def a_below(self) -> int:
        """See `OperandRange`; so are the next two."""
        return self.operand_range.a_below

    @cached_property
    def b_below(self) -> int:
        return self.operand_range.b_below

    @cached_property
    def product_at_most(self) -> int | None:
        return self.operand_range.product_at_most

    def takes(self, a: int, b: int, operation: str = MULTIPLY) -> bool:
        """Whether the result of the operation is right modulo N for these operands.  The operands
        of sums must be below the bound."""
        if operation in SUMS:
            return 0 <= a < self.operand_bound and 0 <= b < self.operand_bound
        return 0 <= a < self.a_below and 0 <= (a if operation == SQUARE else b) < self.b_below

    def bounds(self, a: int, b: int) -> bool:
        """Whether the result for accepted operands is below `result_bound`."""
        if self.product_at_most is None:
            return True
        if self.field == "binary":  # the degrees add up
            bits = a.bit_length() + b.bit_length() - 1
            return not a or not b or bits <= self.product_at_most.bit_length()
        return a * b <= self.product_at_most

    @cached_property
    def constants(self) -> tuple[Constant, ...]:
        """The beats that load the modulus, in order; none if it is not loaded."""
        loaded = self.multiplier.modulus_at == "run time"
        return tuple(self.chosen.constants(self.modulus)) if loaded else ()

    @property
    def loads(self) -> list[int]:
        return [constant.value for constant in self.constants]

    @cached_property
    def beats(self) -> int:
        """The number of beats of one operand, and of one result."""
        return self.chosen.beats

    def compute(self, a: Any, b: Any) -> Any:
        """The bit-exact result of the hardware (golden model), in its form."""
        return self.chosen.compute(a, b, self.modulus)

    def computed(self, operation: str, a: Any, b: Any) -> Any:
        """The bit-exact result of an operation (golden model)."""
        return self.chosen.computed(operation, a, b, self.modulus)

    # ---- what goes over its streams -----------------------------------------------------------

    def operand_rules(self, operation: str) -> tuple[OperandRule, ...]:
        """The allowed values of the operands: below the bound.  A square has one operand."""
        names = self.multiplier.operands[operation]
        return tuple(OperandRule(name, "a factor", self.operand_bound) for name in names)

    def request(self, job: Job) -> list[Beat]:
        """The beats of the stream `operand`; see `dialogue.request`."""
        return dialogue.request(self.multiplier, self.beats, job)

    def expected(self, job: Job) -> Operand:
        """The result by the golden model."""
        operand: Operand = self.computed(job.mode.operation, *dialogue.factors(job))
        return operand

    # ---- how long it takes --------------------------------------------------------------------

    def of(self, operation: str) -> Mode:
        return dataclasses.replace(self.mode, operation=operation)

    def cycles(self, operation: str = "multiply") -> dict[str, Cycles]:
        """Named terms that add up to the latency."""
        return self.multiplier.cycles(self.of(operation))

    def latency(self, operation: str = "multiply") -> Cycles:
        """The cycles from first operand beat to last result beat, both counted."""
        return self.multiplier.latency(self.of(operation))

    def interval(self, operation: str = "multiply") -> Cycles:
        """The cycles between the starts of two products in one slot."""
        return self.multiplier.interval(self.of(operation))

    def latency_of(self, a: Operand, b: Operand) -> int:
        """The exact latency of this product (golden model of the timing)."""
        return self.chosen.latency_of(a, b, self.modulus)


def over(multiplier: MultiplierFacts, modulus: int, field: Field, words: int | None) -> Setting:
    check_choice(multiplier, field, words)
    shortest = Setting(multiplier, modulus, multiplier.shortest_mode(modulus, field))
    needed = shortest.mode.words
    if words is None or needed is None:
        return shortest
    if words < needed:
        allowed = f"{needed} or more"
        message = f"words = {words}: must be {allowed} for a modulus of {modulus.bit_length()} bits"
        raise SpecError("words", words, allowed, message)
    return Setting(multiplier, modulus, dataclasses.replace(shortest.mode, words=words))


def least(multiplier: MultiplierFacts, mode: Mode) -> Setting:
    """The setting with the smallest (or the only) modulus of a mode: for what all share.

    Raises SpecError if there is none."""
    only = 0 if multiplier.modulus_at == "none" else multiplier.fixed_modulus
    return Setting(multiplier, multiplier.taken_in(mode).least if only is None else only, mode)


def check_choice(multiplier: MultiplierFacts, field: Field, words: int | None) -> None:
    """Raise SpecError for a field that was not built, or words that cannot be in use."""
    if field not in multiplier.fields_built:
        allowed = " or ".join(multiplier.fields_built)
        message = f"field = {field}: {multiplier.title} computes in a {allowed} field"
        raise SpecError("field", field, allowed, message)
    if words is None:
        return
    if multiplier.lengths is None:
        message = f"words = {words}: {multiplier.title} always has all words in use"
        raise SpecError("words", words, "absent", message)
    low, high = multiplier.lengths
    if not low <= words <= high:
        message = f"words = {words}: {multiplier.title} takes {low} to {high}"
        raise SpecError("words", words, f"{low} to {high}", message)
