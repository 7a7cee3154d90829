"""Texts of programs that do two of one kind at once, with one inversion for both.

NAME becomes NAME_1 and NAME_2, but for constants and counters.  1/a and 1/b are b/(ab) and a/(ab).
Where the a or b of the last inversion is 0, both are lost: the status is 0 then, else 1, in place
of what the text tests."""

from __future__ import annotations

import re
from collections.abc import Iterator

PAIR = "-pair"  # behind a name
_WORDS = frozenset("""constant input random scalar counter secret aligned whole by below R N
                      loop end bit digit first if else output test wrap""".split())
_NAME = re.compile(r"\b[A-Za-z_]\w*")


def paired(text: str) -> str:
    """The text of two side by side."""
    lines = [line.partition("#")[0].rstrip() for line in text.splitlines()]
    shared = {name for line in lines if line.startswith(("constant ", "counter "))
              for name in _NAME.findall(line)}  # fmt: skip
    found = _lines([line for line in lines if line], _WORDS | shared)
    return "\n".join(found) + "\n"


def _lines(lines: list[str], shared: frozenset[str]) -> Iterator[str]:
    """What stands between two lines that are there once comes first for the one, then for the
    other; of each the bits that are taken before everything else."""
    part: list[str] = []
    last = [place for place, line in enumerate(lines) if " = 1 / " in line][-1:]
    for place, line in enumerate([*lines, ""]):
        inverse = re.fullmatch(r"(\w+) = 1 / (\w+)", line)
        once = line.startswith(("constant ", "counter ", "loop ", "end")) or not line
        if not (once or inverse):
            part += [line] * (not line.startswith("test "))
            continue
        both = [_copy(one, copy, shared) for copy in (1, 2) for one in part]
        yield from sorted(both, key=lambda one: not one.strip().startswith("bit "))
        part = []
        if inverse:
            yield from _inverted(inverse[1], inverse[2], [place] == last)
        elif line:
            yield line


def _copy(line: str, copy: int, shared: frozenset[str]) -> str:
    def named(match: re.Match[str]) -> str:
        return match[0] if match[0] in shared else f"{match[0]}_{copy}"

    return _NAME.sub(named, line)


def _inverted(target: str, value: str, tested: bool) -> Iterator[str]:
    yield f"both = {value}_1 * {value}_2"
    if tested:
        yield "test both * unit % N"
    yield "inverse = 1 / both"
    yield f"{target}_1 = inverse * {value}_2"
    yield f"{target}_2 = inverse * {value}_1"
