"""Small instances of an architecture, for the suite that every architecture has to pass."""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from modmul.errors import SpecError
from modmul.export import hdl
from modmul.export.names import identifier
from modmul.export.ports import ports
from modmul.multipliers.contract import Multiplier
from modmul.parameters import parameters

Fact = tuple[str, Any]
_WIDEST = 40  # bits of a sampled instance: compiled and simulated in a moment
_WIDEST_PLAIN = 18  # the same of a plain product, whose cells grow with the square
_LARGEST = 8  # of another whole number sampled, above its minimum
_TRIES = 200
_PARTITIONS = 16  # of an array too wide to be whole


def instances(architecture: type[Multiplier], sampled: int) -> list[Multiplier]:
    """The architecture's own `examples`, and `sampled` others drawn from its parameters.

    The same architecture gives the same instances."""
    chosen = list(architecture.examples())
    rng = random.Random(f"conformance {architecture.name}")
    for _ in range(_TRIES):
        if sampled == 0:
            break
        candidate = _sample(architecture, rng)
        if candidate is not None and candidate not in chosen:
            chosen.append(candidate)
            sampled -= 1
    return chosen


def for_each(multipliers: Sequence[Multiplier]) -> Callable[[Callable[[Multiplier], None]], Any]:
    """Make a test of one multiplier one of all of these, a case for each architecture: thousands of
    cases take pytest longer than what they check.  An error names the multiplier."""
    groups: dict[str, list[Multiplier]] = {}
    for multiplier in multipliers:
        groups.setdefault(multiplier.name, []).append(multiplier)

    def made(test: Callable[[Multiplier], None]) -> Any:
        @functools.wraps(test)
        def of_an_architecture(several: list[Multiplier]) -> None:
            for multiplier in several:
                try:
                    test(multiplier)
                except BaseException as error:
                    error.add_note(f"of {multiplier}")
                    raise

        del of_an_architecture.__wrapped__  # pytest would read its arguments
        return pytest.mark.parametrize("several", groups.values(), ids=groups)(of_an_architecture)

    return made


def few(instances: Sequence[Multiplier]) -> list[Multiplier]:
    """Of instances of one architecture as few as show all that they show.  The first, which is the
    narrowest, is among them; then always the one that shows most of what is left, of several such
    the narrowest."""

    def worth(instance: Multiplier) -> tuple[int, int]:
        return len(facts(instance) & left), -instance.width

    chosen = [instances[0]]
    left = set[Fact]().union(*map(facts, instances)) - facts(instances[0])
    while left:
        best = max(instances, key=worth)
        chosen.append(best)
        left -= facts(best)
    return chosen


def facts(multiplier: Multiplier) -> set[Fact]:
    """What an instance can show of how its architecture multiplies: values of options, and which
    whole numbers are the least that they can be.  Blocks of chips have tests of their own."""
    shown = set[Fact]()
    if multiplier.modulus_at == "fixed":
        modulus = multiplier.fixed_modulus or 0
        shown.add(("modulus of ones", modulus & modulus + 1 == 0))
    for parameter in parameters(type(multiplier)).values():
        value = getattr(multiplier, parameter.field)
        if parameter.kind is int and parameter.choices is None and value is not None:
            value = value == parameter.minimum
        if parameter.field not in ("width", "target"):
            shown.add((parameter.field, value))
    return shown


def seen_by_adapter(multiplier: Multiplier) -> tuple[Any, ...]:
    """What the adapter around a core does otherwise than around others, numbers aside: cores of
    which this is the same have the same adapter with other widths and counts."""
    return (
        multiplier.modulus_at,
        multiplier.beats == 1,
        multiplier.slots == 1,
        bool(multiplier.lengths),
        multiplier.operations,
        multiplier.timing,
        multiplier.reload,
        multiplier.operand_form,
        multiplier.result_form,
    )


def first_of_each(
    instances: Sequence[Multiplier], kind: Callable[[Multiplier], Any]
) -> list[Multiplier]:
    """The first instance of each kind, in their order."""
    firsts = dict[Any, Multiplier]()
    for instance in instances:
        firsts.setdefault(kind(instance), instance)
    return list(firsts.values())


def core_alone(multiplier: Multiplier) -> hdl.Hdl:
    """The bare core without its adapter, whose text takes two thirds as long again to make."""
    name = identifier(f"{multiplier.title}_core")
    component = multiplier.create()
    verilog = hdl.verilog_of([(component, ports(multiplier, "core"), name)])
    return hdl.Hdl(verilog, {"core": name}, hdl.models_in(verilog, multiplier))


def of_width(architecture: type[Multiplier], width: int) -> list[Multiplier]:
    """An instance with default parameters, folded if it must be; none if it is never that wide."""
    folded: dict[str, Any] = {"width": width}
    if "partitions" in parameters(architecture):
        folded["partitions"] = _PARTITIONS
    for options in ({"width": width}, folded):
        with contextlib.suppress(SpecError):
            return [architecture(**options)]
    return []


def _sample(architecture: type[Multiplier], rng: random.Random) -> Multiplier | None:
    """An instance with random parameters, None where they do not go together.  Protected ones have
    tests of their own."""
    values: dict[str, Any] = {}
    for parameter in parameters(architecture).values():
        if parameter.field == "width":
            widest = _WIDEST_PLAIN if architecture.kind == "plain" else _WIDEST
            values["width"] = rng.randrange(parameter.minimum or 2, widest)
        elif parameter.field != "protection" and rng.random() < 0.5:
            values[parameter.field] = parameter.sample(rng, _WIDEST, _LARGEST)
    try:
        return architecture(**values)
    except SpecError:
        return None
