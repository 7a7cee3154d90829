"""What a certificate says that operations of a circuit give, checked against what they mean."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.arithmetic_proof.checker.words import (
    BITWISE,
    Polynomial,
    Signal,
    Words,
    add,
    as_int,
    bits_of,
    constant,
    expect,
)

_ARITHMETIC = ("add", "sub", "mul")
Key = tuple[object, ...]


def arithmetic(words: Words, name: str, one: Polynomial, two: Polynomial) -> Polynomial:
    if name == "mul":
        return words.product(one, two)
    return add(dict(one), two, 1 if name == "add" else -1)


class Operations:
    """results: of operations on signals that are not all constant, by name and operands."""

    def __init__(self, words: Words):
        self.words = words
        self.results: dict[Key, Signal] = {}

    def enter(self, name: str, operands: Sequence[Signal], out: Signal, signed: bool) -> None:
        """Keep a result, or refuse it."""
        if name in _ARITHMETIC:
            right = self._is_arithmetic(name, operands, out, signed)
            self.results[name, *operands, signed, len(out)] = out
        elif name in ("any", "all"):
            [operand] = operands
            unknown = _without_constants(operand)
            right = len(unknown) < 2 or unknown != operand or self._is_reduced(name, operand, out)
            if unknown == operand:  # constant bits decide, or do not matter
                self.results[name, operand] = out
        elif name == "chosen":
            (select, one, two), values = operands, [self.words.number(each)[0] for each in operands]
            more = self.words.product(values[0], add(dict(values[2]), values[1], -1))
            right = len(select) == 1 and self._is_congruent(add(more, values[1]), out)
            self.results[name, select, one, two] = out
        else:
            expect(name in BITWISE, f"unknown operation {name}")
            right = self.words.is_function(name, operands, out)
            self.results[name, *operands] = out
        expect(right, f"a wrong result of {name}")

    def _is_congruent(self, value: Polynomial, out: Signal) -> bool:
        """Whether a signal is a value modulo 2^width."""
        left = add(dict(value), self.words.number(out)[0], -1)
        while left:
            left = {m: c for m, c in left.items() if c % (1 << len(out))}
            named = [x for m in left for x in m if x in self.words.names]
            if not named:
                break
            total: Polynomial = {}
            for monomial, coefficient in left.items():
                part: Polynomial = {(): coefficient}
                for x in monomial:
                    by: Polynomial = self.words.names[x] if x == max(named) else {(x,): 1}
                    part = self.words.product(part, by)
                add(total, part)
            left = total
        return not left

    def _is_arithmetic(
        self, name: str, operands: Sequence[Signal], out: Signal, signed: bool
    ) -> bool:
        one, two = (self.words.number(each, signed)[0] for each in operands)
        return self._is_congruent(arithmetic(self.words, name, one, two), out)

    def _is_reduced(self, name: str, operand: Signal, out: Signal) -> bool:
        """any: the carry of x + 2^width - 1; all: of x + 1."""
        decides = 1 if name == "any" else 0
        if decides in operand:
            return out == (decides,)
        unknown = _without_constants(operand)
        if len(unknown) < 2:
            return out == (unknown or (1 - decides,))
        carry = self.words.carry(out)
        more = (1 << len(unknown)) - 1 if name == "any" else 1
        value = add(dict(self.words.number(unknown)[0]), constant(more))
        return carry is not None and carry[0] == value and carry[3] == len(unknown)

    # ---- in a circuit ---------------------------------------------------------------------------

    def arithmetic(
        self, name: str, left: Signal, right: Signal, signed: bool, width: int
    ) -> Signal | None:
        one, two = as_int(left), as_int(right)
        if one is None or two is None:
            return self.results.get((name, left, right, signed, width))
        if signed:
            one -= (left[-1] << len(left)) if left else 0
            two -= (right[-1] << len(right)) if right else 0
        value = {"add": one + two, "sub": one - two, "mul": one * two}[name]
        return bits_of(value, width)

    def bitwise(self, name: str, *operands: Signal) -> Signal | None:
        known = self.results.get((name, *operands))
        if known is not None:
            return known
        columns = zip(*operands, strict=True)
        bits = [self._bit(name, column) for column in columns]
        return None if None in bits else tuple(b for b in bits if b is not None)

    def _bit(self, name: str, column: Sequence[int]) -> int | None:
        """A function of bits, if it is 0, 1, or one of them."""
        function = BITWISE[name]
        unknown = {b for b in column if b > 1}
        if len(unknown) > 1:
            return None
        low, high = (function(*(b if b < 2 else v for b in column)) for v in (0, 1))
        if low == high:
            return low
        return unknown.pop() if high else None

    def reduced(self, name: str, operand: Signal) -> Signal | None:
        decides = 1 if name == "any" else 0
        if decides in operand:
            return (decides,)
        unknown = _without_constants(operand)
        if len(unknown) < 2:
            return unknown or (1 - decides,)
        return self.results.get((name, unknown))

    def chosen(self, select: Signal, one: Signal, two: Signal) -> Signal | None:
        if select[0] < 2:
            return two if select[0] else one
        return one if one == two else self.results.get(("chosen", select, one, two))


def _without_constants(signal: Signal) -> Signal:
    return tuple(b for b in signal if b > 1)
