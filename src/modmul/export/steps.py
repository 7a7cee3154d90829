"""Writes the plan of the emitted testbench as Verilog: for each step a call of a task, in
groups."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from modmul.arithmetic.moduli import Modulus
from modmul.design import Interface
from modmul.export.vectors import Product, VectorPlan, VectorStep
from modmul.operation import Mode
from modmul.spec import Spec

# Attributes of a step, which are parameters of the testbench (in capitals).  The two texts are for
# comments: the effect of the attribute, and the description of a group of such steps.
HOW = {
    "after_all": ("only when every result before it is out", "when all results are out"),
    "pauses": ("valid and result_ready pause at random", "with pauses at random"),
    "alone": (
        "nothing else is under way: the largest latency is checked, too",
        "one at a time: its largest latency is checked, too",
    ),
    "full_speed": (
        "SLOTS products before it were as fast as can be: the interval is checked",
        "as fast as can be: the interval is checked",
    ),
    "hold": (
        "twice no result is taken for HOLD_CYCLES, but one between: as many are owed as can be, "
        "operands wait behind them",
        "from it on no result is taken for a while",
    ),
    "with_modulus": (
        "offered together with the modulus above it: `or_earlier says what if it goes first",
        "offered together with the modulus",
    ),
}
_FIRST = ("after_all", "hold")  # attributes that only the first step of a group may have
_COLUMNS = 100
_SHOWN = 40  # the most characters of a modulus in a comment


def how(step: VectorStep) -> str:
    """The attributes of a step that are set, as parameters of the testbench."""
    return " | ".join(name.upper() for name in HOW if getattr(step, name)) or "0"


class BenchParameter(NamedTuple):
    """A parameter of the testbench."""

    name: str
    value: int
    meaning: str


def flags(plan: VectorPlan, interface: Interface) -> list[BenchParameter]:
    """The parameters for ways of offering steps that are possible at this interface."""
    stream = interface == "stream"
    possible = {"pauses": stream, "hold": stream, "with_modulus": stream and bool(plan.loads)}
    return [
        BenchParameter(name.upper(), 1 << place, meaning)
        for place, (name, (meaning, _)) in enumerate(HOW.items())
        if possible.get(name, True)
    ]


class Writer:
    """Writes the steps of a plan, in order.

    loads: the beats of each modulus as one number.  widths: the bits of the arguments of the tasks,
    by name, in order: `modulus`, the fields of an operand, then `result_...`.  kinds: whether there
    are several kinds of products."""

    def __init__(
        self,
        spec: Spec,
        plan: VectorPlan,
        loads: Sequence[int],
        widths: dict[str, int],
        kinds: bool,
    ):
        self.spec, self.plan, self.loads, self.widths = spec, plan, loads, widths
        self.kinds = kinds
        self._moduli, self._products = 0, 0  # the numbers written so far

    def lines(self) -> Iterator[str]:
        if not self.loads and self.spec.modulus is not None:
            yield f"// The modulus is {self._title(0)}."
        number = 0
        for group in _groups(self.plan.steps):
            yield from self._group(number, group)
            number += len(group)

    def _group(self, number: int, group: list[VectorStep]) -> Iterator[str]:
        if group[0].load:
            yield ""
            yield f"// Modulus {self._moduli}: {self._title(self._moduli)}."
            yield f"// {_span('Step', number, 1)}{_said(group)}."
            yield from self._modulus(group[0])
            return
        places = _span("Step", number, len(group))
        yield f"// {places}, {_span('product', self._products, len(group))}{_said(group)}."
        for text, alike in itertools.groupby(group, how):
            steps = list(alike)
            yield f"offered({self._products}, {self._products + len(steps) - 1}, {text});"
            for step in steps:
                yield from self._product(step)

    def _title(self, number: int) -> str:
        setting, own = self.plan.settings[number], self.spec.modulus
        value, mode = setting.modulus, setting.mode
        is_own = own is not None and own.value == value and own.field == mode.field
        text = str(own if own and is_own else Modulus(None, value, field=mode.field))
        if len(text) > _SHOWN:
            text = f"{text[:_SHOWN]}..."
        bits = "" if mode.field == "binary" else f", {value.bit_length()} bits"
        words = f", {mode.words} word{'s' * (mode.words > 1)} in use" if mode.words else ""
        return f"{text}{bits}{words}{', that of the design' if is_own else ''}"

    def _modulus(self, step: VectorStep) -> Iterator[str]:
        number = self._moduli
        self._moduli += 1
        beats = [str(len(self.plan.loads[number]))] if self.kinds else []
        value = _hex(self.loads[number], self.widths["modulus"])
        numbers = [str(number), str(self._products), how(step), str(step.idle), *beats]
        yield from _call("modulus", numbers, [value])

    def _product(self, step: VectorStep) -> Iterator[str]:
        number, product = self._products, self.plan.products[self._products]
        self._products += 1
        numbers = [str(number), str(step.idle)]
        if self.kinds:
            numbers.append(kind_name(product.mode))
        yield from _call("product", numbers, self._values(product))
        if product.earlier is not None:
            yield from _call("or_earlier", [str(number)], self._results(product.earlier))

    def _values(self, product: Product) -> list[str]:
        fields = [name for name in self.widths if name in product.operand]
        values = [_hex(product.operand[name], self.widths[name]) for name in fields]
        return values + self._results(product.result)

    def _results(self, result: dict[str, int]) -> list[str]:
        return [_hex(value, self.widths[f"result_{name}"]) for name, value in result.items()]


def kind_name(mode: Mode) -> str:
    """The parameter that names the products of a mode."""
    return mode.name.replace("-", "_").upper()


def _groups(steps: Sequence[VectorStep]) -> Iterator[list[VectorStep]]:
    """Groups of consecutive products that are offered alike; a modulus is a group by
    itself."""
    group: list[VectorStep] = []
    for step in steps:
        if group and (step.load or _apart(step) or _alike(step) != _alike(group[0])):
            yield group
            group = []
        group.append(step)
    yield group


def _apart(step: VectorStep) -> bool:
    """Whether a step must be the first of a group, since it waits for something, or holds
    results."""
    return not step.alone and any(getattr(step, name) for name in _FIRST)


def _alike(step: VectorStep) -> tuple[bool, ...]:
    """A key that steps of one group have in common."""
    return (step.load, *(getattr(step, name) for name in HOW if step.alone or name not in _FIRST))


def _said(group: list[VectorStep]) -> str:
    first_step, last = group[0], group[-1]
    first = [name for name in _FIRST if getattr(first_step, name) and not getattr(last, name)]
    every = [name for name in HOW if getattr(last, name) and not (last.alone and name in _FIRST)]
    facts = [HOW[name][1] for name in every]
    if any(step.idle for step in group):
        facts.append("after idle cycles")
    if not (first_step.load or facts):
        facts.append("as soon as they are taken")
    text = ", ".join(facts)
    apart = f"; the first {', '.join(HOW[name][1] for name in first)}" if first else ""
    return f": {text}{apart}" if text else ""


def _span(noun: str, first: int, count: int) -> str:
    return f"{noun} {first}" if count == 1 else f"{noun}s {first} to {first + count - 1}"


def _hex(value: int, bits: int) -> str:
    return f"{bits}'h{value:x}"


def _call(task: str, numbers: list[str], values: list[str]) -> Iterator[str]:
    """A call in one line, or with each long number on a line of its own."""
    line = f"`{task}({', '.join([*numbers, *values])});"
    if len(line) + 4 <= _COLUMNS:
        yield line
        return
    yield f"`{task}({', '.join(numbers)},"
    yield from (f"  {value}," for value in values[:-1])
    yield f"  {values[-1]});"
