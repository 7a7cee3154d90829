"""Folds the long lines of C texts, and tells the names that a compiler may take for the same."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator

from modmul.errors import refusal
from modmul.spec.keys import LONGEST_NAME

COLUMNS = 100
_TRAILING = re.compile(r"(?P<code>\s*\S.*?)\s*/\* (?P<comment>[^*]*) \*/$")
_BREAK = re.compile(r"(?<=,) (?=\S)| (?=(?:&&|\|\||\?|:|\||\+|\*|=) )")
# Functions and variables that other files see; `static` ones are indented or begin with that word.
_EXTERNAL = re.compile(r"^(?!static|typedef)[a-z].*?\b(\w+)(?:\(| = \{)", re.MULTILINE)


def folded(text: str) -> str:
    """The text with lines of at most 100 columns, as far as its names let it."""
    return "".join(f"{line}\n" for long in text.splitlines() for line in _lines(long))


def _lines(line: str) -> Iterator[str]:
    if len(line) <= COLUMNS:
        yield line
        return
    indent = " " * (len(line) - len(line.lstrip()))
    if re.match(r"\s*(/\*|\*) ", line):
        yield from _comment(line, indent)
    elif trailing := _TRAILING.match(line):
        yield from _comment(f"{indent}/* {trailing['comment']} */", indent)
        yield from _lines(trailing["code"])
    else:
        further = indent + " " * (8 if line.endswith("{") else 4)
        while len(line) > COLUMNS and (place := _place(line)):
            yield line[:place].rstrip()
            line = further + line[place:].lstrip()
        yield line


def _comment(line: str, indent: str) -> list[str]:
    """Fold a comment, or a line in one."""
    begun = f"{indent}{' ' * line.lstrip().startswith('/*')}* "
    return textwrap.wrap(
        line,
        COLUMNS,
        initial_indent="",
        subsequent_indent=begun,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _place(line: str) -> int:
    """Where a line of code is broken: as late as possible in as few parentheses as possible;
    0 if it cannot be broken."""
    places = [match.start() for match in _BREAK.finditer(line, 0, COLUMNS + 1)]
    places = [place for place in places if line[:place].strip()]
    late = [place for place in places if place > COLUMNS // 2] or places
    return min(late, key=lambda place: (_depth(line[:place]), -place), default=0)


def _depth(text: str) -> int:
    return text.count("(") - text.count(")")


def check_external_names(source: str, name: str) -> None:
    """Raise SpecError if external names of a C source, which begin with `name`, have the same first
    31 letters: a compiler need not tell such apart (C99, 5.2.4.1)."""
    externals = sorted({*_EXTERNAL.findall(source)})
    pairs = max(itertools.pairwise(externals), key=lambda pair: _alike(*pair))
    if (alike := _alike(*pairs)) >= LONGEST_NAME:
        allowed = f"at most {LONGEST_NAME - 1 - alike + len(name)} letters for this driver"
        why = f"C may take {' and '.join(pairs)} for the same"
        raise refusal("name", name, allowed, why)


def _alike(one: str, other: str) -> int:
    """How many first letters are the same."""
    return sum(1 for _ in itertools.takewhile(bool, map(str.__eq__, one, other)))
