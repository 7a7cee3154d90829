"""The operations of multipliers: the product, and others that some of them compute, too.

`MultiplierFacts.operations` names those of a multiplier, a product first.  Each of the others has a
member of its name in the beats of the operand stream, the same in all beats of an operand; at most
one of them is 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

MULTIPLY, SQUARE, ADD, SUBTRACT = "multiply", "square", "add", "subtract"


class MultiplierOperation(NamedTuple):
    """operands: the names of those that matter.  formula: what is computed, without R and the
    modulus. result: its name.  declared: what a 1 in the member of the operand stream means."""

    operands: tuple[str, ...]
    formula: str
    result: str
    declared: str = ""

    def of(self, a: str, b: str) -> str:
        """The formula with these operands."""
        left, sign, right = self.formula.split()
        shown = {"a": a, "b": b}
        return f"{shown[left]} {sign} {shown[right]}"


OPERATIONS: Mapping[str, MultiplierOperation] = {
    MULTIPLY: MultiplierOperation(("a", "b"), "a * b", "product"),
    SQUARE: MultiplierOperation(("a",), "a * a", "product", "a square, b is not looked at"),
    ADD: MultiplierOperation(("a", "b"), "a + b", "sum", "a + b modulo N"),
    SUBTRACT: MultiplierOperation(("a", "b"), "a - b", "difference", "a - b modulo N"),
}
SUMS = (ADD, SUBTRACT)


def operands_of(*names: str) -> dict[str, tuple[str, ...]]:
    return {name: OPERATIONS[name].operands for name in names}


def results_of(*names: str) -> dict[str, tuple[str, ...]]:
    return {name: (OPERATIONS[name].result, "residue") for name in names}
