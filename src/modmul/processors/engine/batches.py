"""Rewrites the texts of programs so that they do two or four operations of one kind at once, with
one inversion for all.

NAME becomes NAME_1, NAME_2 and so on, but for constants and counters.  The numbers to be inverted
are multiplied, and the inverse of their product is taken apart again (Montgomery's trick).  Where
one of the last inversion is 0, all are lost: the status is 0 then, else 1, in place of what the
text tests."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

SUFFIXES = {2: "-pair", 4: "-four"}  # of the name of a program or an operation
_WORDS = frozenset(
    """constant input random scalar counter secret aligned whole by below R N
                      loop end bit digit first if else output test wrap""".split()
)
_NAME = re.compile(r"\b[A-Za-z_]\w*")


class ProgramBatch(NamedTuple):
    """A program or operation that is done several times at once.  name: of one; times: how many."""

    name: str
    times: int

    @property
    def operands(self) -> tuple[str, ...]:
        """The suffixes of the operands and results of each copy."""
        return tuple(str(copy) if copy > 1 else "" for copy in self.copies)

    @property
    def places(self) -> tuple[str, ...]:
        """The suffixes of the names of each copy in the text."""
        return tuple(f"_{copy}" for copy in self.copies) if self.times > 1 else ("",)

    @property
    def copies(self) -> range:
        return range(1, self.times + 1)

    def names(self, *of_one: str) -> tuple[str, ...]:
        """The operands or results of all copies, given those of one."""
        return tuple(f"{name}{suffix}" for suffix in self.operands for name in of_one)

    def joined(self, each: Iterable[Mapping[str, int]]) -> dict[str, int]:
        """The operands of all copies, given those of each."""
        return {
            f"{name}{suffix}": value
            for suffix, values in zip(self.operands, each, strict=True)
            for name, value in values.items()
        }

    def turned(self, every: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
        """As many batches as jobs: each of a job and the ones that follow it, in turn."""
        turns = (
            itertools.islice(itertools.cycle(every), place, place + self.times)
            for place in range(len(every))
        )
        return [self.joined(turn) for turn in turns]


def batch(name: str) -> ProgramBatch:
    """Split the name of a program or operation into that of one and how many are done at once."""
    for times, suffix in SUFFIXES.items():
        if name.endswith(suffix):
            return ProgramBatch(name.removesuffix(suffix), times)
    return ProgramBatch(name, 1)


def several(text: str, times: int) -> str:
    """The text that does the same `times` times at once."""
    if times == 1:
        return text
    lines = [line.partition("#")[0].rstrip() for line in text.splitlines()]
    shared = {
        name
        for line in lines
        if line.startswith(("constant ", "counter "))
        for name in _NAME.findall(line)
    }
    joined = _lines([line for line in lines if line], times, _WORDS | shared)
    return "\n".join(joined) + "\n"


def _lines(lines: list[str], times: int, shared: frozenset[str]) -> Iterator[str]:
    """The lines of all copies.  Declarations, loops and inversions are there once, and divide
    the text into parts.  In a part one copy follows the other, after the scalars and bits of
    all."""
    part: list[str] = []
    last = [place for place, line in enumerate(lines) if " = 1 / " in line][-1:]
    for place, line in enumerate([*lines, ""]):
        inverse = re.fullmatch(r"(\w+) = 1 / (\w+)", line)
        once = line.startswith(("constant ", "counter ", "loop ", "end")) or not line
        if not (once or inverse):
            part += [line] * (not line.startswith("test "))
            continue
        places = _places(part)
        every = [
            (rank, _copy(content, copy, shared))
            for copy in range(1, times + 1)
            for rank, content in zip(places, part, strict=True)
        ]
        yield from (ready for _, ready in sorted(every, key=lambda ranked: ranked[0]))
        part = []
        if inverse:
            yield from _inverted(inverse[1], inverse[2], times, [place] == last)
        elif line:
            yield line


def _places(lines: list[str]) -> list[int]:
    """The rank of each line: 0 for a scalar whose bits are read after it, 1 for a bit, 2 for
    all others.  A scalar after the bits stays there, as they are bits of the one before."""
    bits = [place for place, line in enumerate(lines) if line.strip().startswith("bit ")]
    return [
        0
        if bits and place < bits[0] and line.strip().startswith("scalar ")
        else 1
        if place in bits
        else 2
        for place, line in enumerate(lines)
    ]


def _copy(line: str, copy: int, shared: frozenset[str]) -> str:
    def named(match: re.Match[str]) -> str:
        return match[0] if match[0] in shared else f"{match[0]}_{copy}"

    return _NAME.sub(named, line)


def _inverted(target: str, value: str, times: int, tested: bool) -> Iterator[str]:
    """The lines of one inversion for all copies.  `of_k` is the product of the first k
    values, and `inverse_k` its inverse."""
    yield f"of_2 = {value}_1 * {value}_2"
    for copy in range(3, times + 1):
        yield f"of_{copy} = of_{copy - 1} * {value}_{copy}"
    if tested:
        yield f"test of_{times} * unit % N"
    yield f"inverse_{times} = 1 / of_{times}"
    for copy in range(times, 2, -1):
        yield f"{target}_{copy} = inverse_{copy} * of_{copy - 1}"
        yield f"inverse_{copy - 1} = inverse_{copy} * {value}_{copy}"
    yield f"{target}_2 = inverse_2 * {value}_1"
    yield f"{target}_1 = inverse_2 * {value}_2"
