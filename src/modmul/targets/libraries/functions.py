"""Boolean functions of Liberty files as truth tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_TOKEN = re.compile(r"\s*([A-Za-z_][\w\[\].]*|[01!'^&*|+()])")


def names(expression: str) -> tuple[str, ...]:
    """The pins that an expression reads, each once, in order."""
    return tuple(dict.fromkeys(re.findall(r"[A-Za-z_][\w\[\].]*", expression)))


def truth_table(expression: str, inputs: Sequence[str]) -> int:
    """The table as an integer: bit k is the value for inputs j equal to bit j of k.

    Precedence as in Liberty: ' and !, then ^, then & * and juxtaposition, then | and +. Raises
    ValueError if it is no such expression, or reads a pin that is not among `inputs`."""
    return _Parser(expression, inputs).value()


class _Parser:
    def __init__(self, expression: str, inputs: Sequence[str]):
        self.expression, self.tokens = expression, _tokens(expression)
        size = 1 << len(inputs)
        self.ones = (1 << size) - 1
        self.values = {"0": 0, "1": self.ones}
        for j, name in enumerate(inputs):
            self.values[name] = sum(1 << k for k in range(size) if k >> j & 1)

    def value(self) -> int:
        bits = self._or()
        if self.tokens:
            raise self._error()
        return bits

    def _or(self) -> int:
        return self._chain(self._and, "|+", lambda a, b: a | b)

    def _and(self) -> int:
        value = self._xor()
        while self.tokens and self.tokens[0] not in ")|+^'":
            if self.tokens[0] in "&*":
                self.tokens.pop(0)
            value &= self._xor()
        return value

    def _xor(self) -> int:
        return self._chain(self._unary, "^", lambda a, b: a ^ b)

    def _chain(
        self, operand: Callable[[], int], signs: str, join: Callable[[int, int], int]
    ) -> int:
        value = operand()
        while self.tokens and self.tokens[0] in signs:
            self.tokens.pop(0)
            value = join(value, operand())
        return value

    def _unary(self) -> int:
        if not self.tokens:
            raise self._error()
        token = self.tokens.pop(0)
        if token == "!":
            return self.ones ^ self._unary()
        if token == "(":
            value = self._or()
            if not self.tokens or self.tokens.pop(0) != ")":
                raise self._error()
        elif token in self.values:
            value = self.values[token]
        else:
            raise self._error()
        while self.tokens and self.tokens[0] == "'":
            self.tokens.pop(0)
            value ^= self.ones
        return value

    def _error(self) -> ValueError:
        return ValueError(f"not a function of {', '.join(self.values)}: {self.expression}")


def _tokens(expression: str) -> list[str]:
    tokens, at = [], 0
    text = expression.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"not a Boolean function: {expression}")
        tokens.append(match[1])
        at = match.end()
    return tokens
