"""Reads the structure of an emitted text, module by module: instances, memories and hard blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

_MODULE = re.compile(
    r"^module (\w+) (?:#\([^\n]*\) |#\(\n.*?^\) )?\((.*?)^endmodule", re.MULTILINE | re.DOTALL
)
_INSTANCE = re.compile(
    r"^  (\w+) (#\([^\n]+\) |#\(\n.*?^  \) )?(\w+) \($", re.MULTILINE | re.DOTALL
)
_MEMORY = re.compile(r"^  reg (?:\[([^:]+):0\] )?\w+ \[0:([^\]]+)\];", re.MULTILINE)
_PARAMETER = re.compile(r"\.(\w+)\((\d+)\)")
_FORMULA = re.compile(r"(?:(?:(-?\d+)\*)?([A-Z]\w*))?([+-]?\d+)?")


@dataclass(frozen=True)
class Memory:
    """One memory: its words, and the bits of a word."""

    words: int
    bits: int


@dataclass(frozen=True)
class ModuleUnit:
    """A module of the text.  children: its instances by name, with their modules; a module that the
    text does not define is a cell of the chip or of a library.  begun: the modules with the values
    of their parameters, as text, in the same order.  memories: the numbers of the last word and the
    last bit of each, which may be formulas in a parameter."""

    name: str
    memories: tuple[tuple[str, str], ...]
    children: tuple[tuple[str, str], ...]
    begun: tuple[str, ...] = ()


class Structure:
    """The hierarchy of a text."""

    def __init__(self, verilog: str):
        self._verilog = verilog

    @cached_property
    def units(self) -> dict[str, ModuleUnit]:
        return {name: _unit(name, body) for name, body in _MODULE.findall(self._verilog)}

    def memories(self, module: str) -> list[Memory]:
        """The memories of a module and of all below it."""
        return [
            Memory(1 + _value(words, parameters), 1 + _value(bits, parameters))
            for unit, parameters in self._below(module)
            for words, bits in unit.memories
        ]

    def cells(self, module: str) -> Counter[str]:
        """The number of cells of each kind in a module and in all below it."""
        return Counter(
            kind
            for unit, _ in self._below(module)
            for _, kind in unit.children
            if kind not in self.units
        )

    def _below(
        self, module: str, parameters: Mapping[str, int] = MappingProxyType({})
    ) -> Iterator[tuple[ModuleUnit, Mapping[str, int]]]:
        """A module and all below it, each with the values of its parameters."""
        unit = self.units[module]
        yield unit, parameters
        for (_, kind), begun in zip(unit.children, unit.begun, strict=True):
            if kind in self.units:
                values = {name: int(value) for name, value in _PARAMETER.findall(begun)}
                yield from self._below(kind, values)


def _value(formula: str, parameters: Mapping[str, int]) -> int:
    match = _FORMULA.fullmatch(formula)
    assert match is not None, formula
    slope, parameter, offset = match.groups()
    return int(slope or 1) * parameters.get(parameter, 0) + int(offset or 0)


def _unit(name: str, body: str) -> ModuleUnit:
    memories = tuple((words, bits or "0") for bits, words in _MEMORY.findall(body))
    instances = _INSTANCE.findall(body)
    children = tuple((own, kind) for kind, _, own in instances)
    begun = tuple(f"{kind} {parameters}".rstrip() for kind, parameters, _ in instances)
    return ModuleUnit(name, memories, children, begun)
