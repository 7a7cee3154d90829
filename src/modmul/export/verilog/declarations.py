"""Writes pieces of declarations: ranges, constants, attributes, notes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

from modmul.export.verilog.expressions import COLUMNS, BitLiteral
from modmul.export.verilog.rtlil import bits_in

INDENT = "  "
_SAME = "likewise"
Noted = tuple[list[str], str]  # the lines of a declaration, and a note on it


def bits_of(width: int) -> str:
    """The range of a vector, with a blank before it; empty for a single bit."""
    return f" [{width - 1}:0]" if width != 1 else ""


def constant(bits: str) -> str:
    """A text of bits, the most significant first, as a Verilog number."""
    return BitLiteral(len(bits), bits).text


def attributes(values: Mapping[str, str]) -> str:
    """Attributes with a blank behind them; empty if there are none."""
    pairs = [f"{name} = {parameter(value)}" for name, value in values.items()]
    return f"(* {', '.join(pairs)} *) " if pairs else ""


def parameter(value: str) -> str:
    """The value of a parameter or attribute in RTLIL as Verilog; `$NAME` is a parameter of
    the module itself."""
    if value[0] == "$":
        return value[1:]
    return constant(bits_in(value)) if value[0].isdigit() and "'" in value else value


def filled(items: Iterable[str], indent: str) -> list[str]:
    """Items with commas between them, several on a line."""
    text = ", ".join(item.replace(" ", "\0") for item in items)
    wrapped = textwrap.wrap(
        text,
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in wrapped]


def noted(declared: list[Noted], mark: str = "//") -> list[str]:
    """Declarations with their notes behind them, in one column, or above if that is too
    long.  A note that repeats the one before is shortened to `likewise`, or left out if it would
    stand above.  mark: with which a comment begins."""
    before = ["", *(note for _, note in declared)]
    declared = [
        (lines, note if note != last else _SAME if note and _fits(lines, _SAME, 0) else "")
        for (lines, note), last in zip(declared, before, strict=False)
    ]
    heads = [len(lines[0]) for lines, note in declared if _fits(lines, note, 0)]
    widest = max(heads, default=0)
    done: list[str] = []
    for lines, note in declared:
        if not note:
            done += lines
        elif _fits(lines, note, 0):
            padding = widest if _fits(lines, note, widest) else 0
            done.append(f"{lines[0]:{padding}}  {mark} {note}")
        else:
            done += [*comment(note, mark), *lines]
    return done


def comment(note: str, mark: str = "//") -> list[str]:
    wrapped = textwrap.wrap(note, COLUMNS - len(INDENT) - 3, break_on_hyphens=False)
    return [f"{INDENT}{mark} {line}" for line in wrapped]


def _fits(lines: list[str], note: str, column: int) -> bool:
    return bool(note) and len(lines) == 1 and max(len(lines[0]), column) + len(note) + 5 <= COLUMNS
