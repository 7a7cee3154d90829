"""The values that the golden machine computes with: the numbers of the hardware."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from modmul.errors import CheckFailed
from modmul.multipliers.setting import Setting
from modmul.processors.engine.instructions import (
    FLAGS,
    Instruction,
    Word,
    instruction_set,
)
from modmul.processors.engine.machine import Machine


class Hazard(CheckFailed):
    """Words that the hardware would not execute as they are meant."""


class Arithmetic(Protocol):
    """The values of a machine, and the operations on them."""

    def scalar(self, number: int, value: Any) -> None:
        """Let scalar `number` be a value as long as a register, to be read highest bit first."""

    def carry(self, word: Word, operands: Mapping[str, Any]) -> Any:
        """The bit that a word such as WRAP sets."""

    def value(self, word: Word, operands: Mapping[str, Any], choice: Any, stream: Any) -> Any:
        """The value that a word writes.  operands: the values read, by field.  choice: the
        bit or digit by which it selects.  stream: what an IN gets."""

    def bit(self, scalar: int, plain: bool) -> Any:
        """The next bit of a scalar; unless `plain`, its exclusive or with the bit before."""

    def digit(self, scalar: int, width: int) -> Any:
        """The next bits of a scalar as a number."""

    def load(self, number: int) -> None:
        """Change to another modulus."""

    def tested(self, status: Any, value: Any, flag: int) -> Any:
        """The status after a TEST of a value for the bit `flag`."""

    def checked(self, status: Any, value: Any) -> Any:
        """What an OUT gives for a value that is output only if the status is 0."""


_NAMES = ("a", "b", "dst", "aux", "bit", "digit", "stream", "N", "product", "size")


@cache
def _compiled(value: str) -> Callable[..., Any]:
    """An expression of isa.toml as a function of `_NAMES`."""
    tree = ast.parse(value, mode="eval")
    unknown = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {*_NAMES}
    if unknown:
        raise ValueError(f"{value!r}: unknown: {', '.join(sorted(unknown))}")
    called: Callable[..., Any] = eval(f"lambda {', '.join(_NAMES)}: {value}", {"__builtins__": {}})
    return called


class ScalarDigits:
    """Scalars, read highest bit first; after the last bit come zeros.  size: 2^bits of a
    register."""

    def __init__(self, size: int):
        self.length = size.bit_length() - 1
        self.left: dict[int, str] = defaultdict(str)
        self.before: dict[int, int] = defaultdict(int)

    def scalar(self, number: int, value: int) -> None:
        self.left[number], self.before[number] = f"{value:0{self.length}b}", 0

    def bit(self, scalar: int, plain: bool) -> int:
        digit = self.digit(scalar, 1)
        self.before[scalar], changed = digit, digit ^ self.before[scalar]
        return digit if plain else changed

    def digit(self, scalar: int, width: int) -> int:
        taken, self.left[scalar] = self.left[scalar][:width], self.left[scalar][width:]
        return int(taken.ljust(width, "0"), 2)


class Numbers(ScalarDigits):
    """The numbers of the hardware, as an `Arithmetic`.  settings: the multiplier with each modulus,
    by the number of MODULUS.  register: 2^bits of one.  Raises Hazard for a value that a unit or
    register cannot hold; the proof of bounds excludes this."""

    def __init__(self, machine: Machine, settings: Sequence[Setting], register: int):
        super().__init__(register)
        self.reducing, self.settings, self.register = machine.reducing, settings, register
        self.setting = settings[0]
        self.op = instruction_set().op
        self.load(0)

    def load(self, number: int) -> None:
        self.setting = self.settings[number]
        self.modulus, self.bound = self.setting.modulus, self.setting.operand_bound
        self.binary = self.setting.field == "binary"

    def value(self, word: Word, operands: Mapping[str, Any], choice: Any, stream: Any) -> Any:
        instruction: Instruction = self.op[word.op]
        expression = instruction.value
        if self.binary and instruction.binary is not None:
            expression = instruction.binary
        if not expression:
            raise Hazard(f"{word.op} while the modulus is a polynomial")
        value = self.evaluated(expression, word, operands, choice, stream)
        if self.reducing and instruction.timing == "sum" and value >= self.bound:
            value -= self.bound
        if not 0 <= value < self.register:
            raise Hazard(f"{word.op} gives a number of {int(value).bit_length()} bits")
        return int(value)

    def carry(self, word: Word, operands: Mapping[str, Any]) -> int:
        return int(self.evaluated(self.op[word.op].carry or "0", word, operands))

    def evaluated(
        self,
        expression: str,
        word: Word,
        operands: Mapping[str, Any],
        choice: Any = None,
        stream: Any = None,
    ) -> Any:
        """The value of an expression of isa.toml for a word."""
        given = operands.get
        return _compiled(expression)(
            given("a", word.a),
            given("b", word.b),
            given("dst", word.dst),
            word.aux,
            choice,
            choice,
            stream,
            self.modulus,
            self.product,
            self.register,
        )

    def product(self, a: int, b: int) -> int:
        """a*b/R as the multiplier computes it."""
        if not self.setting.takes(a, b) or not self.setting.bounds(a, b):
            raise Hazard("a product of operands beyond the multiplier's rule")
        return int(self.setting.compute(a, b))

    def tested(self, status: Any, value: Any, flag: int) -> int:
        if flag >= FLAGS:
            raise Hazard(f"TEST: the status has no bit {flag}")
        return int(status | (value != 0) << flag)

    def checked(self, status: Any, value: Any) -> int:
        return 0 if status else int(value)
