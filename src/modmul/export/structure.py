"""Reads the structure of an emitted text, module by module: instances, memories and hard blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_MODULE = re.compile(
    r"^module (\w+) (?:#\([^\n]*\) )?\((.*?)^endmodule", re.MULTILINE | re.DOTALL
)
_INSTANCE = re.compile(
    r"^  (\w+) (#\([^\n]+\) |#\(\n.*?^  \) )?(\w+) \($", re.MULTILINE | re.DOTALL
)
_MEMORY = re.compile(r"^  reg (?:\[(\d+):0\] )?(\w+) \[0:(\d+)\];", re.MULTILINE)


@dataclass(frozen=True)
class Memory:
    """One memory: its words, and the bits of a word."""

    words: int
    bits: int


@dataclass(frozen=True)
class ModuleUnit:
    """A module of the text.  children: its instances by name, with their modules; a module that the
    text does not define is a cell of the chip or of a library.  begun: the modules with the values
    of their parameters, as text, in the same order."""

    name: str
    memories: tuple[Memory, ...]
    children: tuple[tuple[str, str], ...]
    begun: tuple[str, ...] = ()


class Structure:
    """The hierarchy of a text."""

    def __init__(self, verilog: str):
        self._verilog = verilog

    @cached_property
    def units(self) -> dict[str, ModuleUnit]:
        """All modules, by name."""
        return {name: _unit(name, body) for name, body in _MODULE.findall(self._verilog)}

    def memories(self, module: str) -> list[Memory]:
        """Return the memories of a module and of all below it."""
        return [memory for unit in self._below(module) for memory in unit.memories]

    def cells(self, module: str) -> Counter[str]:
        """Return the number of cells of each kind in a module and in all below it."""
        return Counter(
            kind
            for unit in self._below(module)
            for _, kind in unit.children
            if kind not in self.units
        )

    def _below(self, module: str) -> Iterator[ModuleUnit]:
        unit = self.units[module]
        yield unit
        for _, kind in unit.children:
            if kind in self.units:
                yield from self._below(kind)


def _unit(name: str, body: str) -> ModuleUnit:
    memories = tuple(
        Memory(int(last) + 1, int(high or 0) + 1) for high, _, last in _MEMORY.findall(body)
    )
    instances = _INSTANCE.findall(body)
    children = tuple((own, kind) for kind, _, own in instances)
    begun = tuple(f"{kind} {parameters}".rstrip() for kind, parameters, _ in instances)
    return ModuleUnit(name, memories, children, begun)
