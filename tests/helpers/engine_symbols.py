"""Expressions that the golden machine computes with, in the place of numbers: a run says what was
computed from what, for all numbers at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modmul.processors.engine.instructions import Word


class Symbols:
    """An `Arithmetic` of expressions by number: equal numbers are equal expressions."""

    def __init__(self, table: dict[tuple[Any, ...], int]):
        self.table = table
        self.scalars: dict[int, Any] = {}
        self.taken: dict[int, int] = {}
        self.tests: dict[int, frozenset[tuple[int, Any]]] = {}
        self.modulus = 0

    def _number(self, *key: Any) -> int:
        return self.table.setdefault(key, len(self.table) + 1)

    def load(self, number: int) -> None:
        self.modulus = number

    def value(self, word: Word, operands: Mapping[str, Any], choice: Any, stream: Any) -> int:
        if word.op == "IN":
            return int(stream)
        shift = word.aux if word.op in ("SUB", "RED") else 0
        digit = word.b if word.op == "SCAN" else None
        values = list(operands.values())
        if word.op == "SEL" and word.a == word.b:
            return int(values[0])
        chosen = choice if word.op in ("SEL", "SCAN") else None
        op = "MUL" if word.op == "SQR" else word.op
        if word.op == "SQR":
            values *= 2
        return self._number(op, shift, digit, chosen, self.modulus, *values)

    def scalar(self, number: int, value: Any) -> None:
        self.scalars[number], self.taken[number] = value, 0

    def carry(self, word: Word, operands: Mapping[str, Any]) -> int:
        return self._number("carry", word.op, *operands.values())

    def bit(self, scalar: int, plain: bool) -> int:
        return self._number("plain" if plain else "changed", self.digit(scalar, 1))

    def digit(self, scalar: int, width: int) -> int:
        begin = self.taken.get(scalar, 0)
        self.taken[scalar] = begin + width
        return self._number("bits", self.scalars.get(scalar), begin, width)

    def tested(self, status: Any, value: Any, flag: int) -> int:
        tests = self.tests.get(status, frozenset()) | {(flag, value)}  # in any order
        number = self._number("TEST", tests)
        self.tests[number] = tests
        return number

    def checked(self, status: Any, value: Any) -> int:
        return self._number("checked", status, value)
