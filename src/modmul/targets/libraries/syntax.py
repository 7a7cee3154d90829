"""The syntax of Liberty files: groups, attributes, lists of values.

The one package for it on the index is under a licence that a program under the Apache License
cannot well build upon; the syntax is small."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""(?P<skip> [ \t\r\f]+ | \\\r?\n | /\*.*?\*/ | //[^\n]* )
      | (?P<string> "(?:[^"\\]|\\.)*" )
      | (?P<line> \n )
      | (?P<mark> [(){};:,] )
      | (?P<word> [^\s(){};:,"\\]+ )""",
    re.VERBOSE | re.DOTALL,
)


@dataclass
class Group:
    """A group `kind (arguments) { ... }`.

    values: the values of each attribute, in order; a list for values in parentheses, with one
    element for each string.  groups: the groups inside.  Quotation marks are removed, and continued
    lines are joined."""

    kind: str
    arguments: list[str]
    values: dict[str, list[str | list[str]]] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[Group]:
        """The inner groups of that kind, in order."""
        return [group for group in self.groups if group.kind == kind]


def parse(text: str) -> list[Group]:
    """The groups of a file (one, of kind "library").  Raises ValueError if it is none."""
    parser = _Parser(text)
    outermost = Group("", [])
    parser.statements(outermost, inside=False)
    return outermost.groups


class _Parser:
    def __init__(self, text: str):
        self.tokens = list(_tokens(text))
        self.at = 0

    def statements(self, group: Group, inside: bool) -> None:
        """Read statements into `group`, to its closing brace (or to the end, if not `inside`
        one)."""
        while True:
            kind, text = self._next(skip_lines=True)
            if (kind == "end" and not inside) or (text == "}" and kind == "mark" and inside):
                return
            if kind == "mark" and text == ";":
                continue
            if kind not in ("word", "string"):
                raise self._unexpected(text)
            self._statement(group, text)

    def _statement(self, group: Group, name: str) -> None:
        _, mark = self._next(skip_lines=True)
        if mark == ":":
            group.values.setdefault(name, []).append(self._simple())
            return
        if mark != "(":
            raise self._unexpected(mark)
        arguments = self._arguments()
        before = self.at
        if self._next(skip_lines=True) == ("mark", "{"):
            inner = Group(name, arguments)
            group.groups.append(inner)
            self.statements(inner, inside=True)
        else:
            self.at = before
            group.values.setdefault(name, []).append(arguments)

    def _simple(self) -> str:
        """What follows a colon, up to the semicolon or the end of the line."""
        parts: list[str] = []
        while True:
            kind, text = self._next(skip_lines=not parts)
            if kind in ("line", "end") or (text == ";" and kind == "mark"):
                return " ".join(parts)
            if text == "}" and kind == "mark":
                self.at -= 1
                return " ".join(parts)
            parts.append(text)

    def _arguments(self) -> list[str]:
        arguments: list[str] = []
        while True:
            kind, text = self._next(skip_lines=True)
            if kind == "mark" and text == ")":
                return arguments
            if kind == "end" or (kind == "mark" and text != ","):
                raise self._unexpected(text)
            if kind != "mark":
                arguments.append(text)

    def _next(self, skip_lines: bool) -> tuple[str, str]:
        while True:
            kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")
            self.at += 1
            if kind != "line" or not skip_lines:
                return kind, text

    def _unexpected(self, text: str) -> ValueError:
        return ValueError(f"{text!r} where it cannot be" if text else "it ends early")


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            line = text.count("\n", 0, position) + 1
            raise ValueError(f"line {line}: {text[position]!r} where it cannot be")
        position = match.end()
        kind, token = str(match.lastgroup), match[0]
        if kind == "string":
            yield kind, re.sub(r"\\\r?\n", " ", token[1:-1])
        elif kind != "skip":
            yield kind, token
