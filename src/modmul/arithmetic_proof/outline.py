"""Operations of a simulation in which some bits are not known.

An outline only follows what is held, constants and words of the modulus: what is computed of bits
that are not known is not known either, and costs nothing.  In a product beside others only what
steers these others is not known, and what is computed of that is a free word."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.arithmetic_proof import signals
from modmul.arithmetic_proof.operations import Operations
from modmul.arithmetic_proof.signals import Signal, common, is_known, nothing


class Outline(Operations):
    """exact: the operations on what is known."""

    def __init__(self, exact: Operations):
        super().__init__(exact.variables, exact.found)
        self.exact = exact

    def unknown(self, name: str, width: int) -> Signal:
        del name
        return nothing(width)

    def bitwise(self, operation: str, left: Signal, right: Signal) -> Signal:
        if is_known(left, right):
            return self.exact.bitwise(operation, left, right)
        return super().bitwise(operation, left, right)

    def _of_words(self, operation: str, left: Signal, right: Signal) -> Signal:
        if is_known(left, right):
            return self.exact.bitwise(operation, left, right)
        return self.unknown(operation, signals.width_of(left))

    def _inverted(self, signal: Signal) -> Signal:
        if is_known(signal):
            return self.exact.inverted(signal)
        return nothing(signals.width_of(signal))

    def arithmetic(
        self, operation: str, left: Signal, right: Signal, signed: bool, width: int
    ) -> Signal:
        if is_known(left, right):
            return self.exact.arithmetic(operation, left, right, signed, width)
        if operation == "$mul" and signals.constant(1, 0) in map(
            signals.without_zeros, (left, right)
        ):
            return signals.constant(width, 0)
        if operation == "$sub" or signed:
            return self.unknown(operation, width)
        one, two = (signals.width_of(signals.without_zeros(each)) for each in (left, right))
        most = min(width, one + two if operation == "$mul" else max(one, two) + 1)
        return signals.extended(self.unknown(operation, most), width, False)

    def full_adder(self, operands: Sequence[Signal]) -> tuple[Signal, Signal]:
        if is_known(*operands):
            return self.exact.full_adder(operands)
        width = signals.width_of(operands[0])
        return self.unknown("sums", width), self.unknown("carries", width)

    def chosen(self, select: Signal, otherwise: Signal, then: Signal) -> Signal:
        if signals.is_constant(select):
            return then if signals.value_of(select) else otherwise
        if is_known(select, otherwise, then):
            return self.exact.chosen(select, otherwise, then)
        return self._filled(common(otherwise, then))

    def _filled(self, signal: Signal) -> Signal:
        return signal

    def _reduced(self, signal: Signal, of_all: bool) -> Signal:
        if is_known(signal):
            return self.exact.all_of(signal) if of_all else self.exact.any_of(signal)
        for width, word, value in signal:  # a constant bit may decide
            if word is None and (value != (1 << width) - 1 if of_all else value):
                return signals.constant(1, int(not of_all))
        return nothing(1)


class Beside(Outline):
    """Where only what steers other products is not known."""

    def unknown(self, name: str, width: int) -> Signal:
        return self.exact.unknown(name, width)

    def arithmetic(
        self, operation: str, left: Signal, right: Signal, signed: bool, width: int
    ) -> Signal:
        left, right = self._filled(left), self._filled(right)
        return super().arithmetic(operation, left, right, signed, width)

    def full_adder(self, operands: Sequence[Signal]) -> tuple[Signal, Signal]:
        return super().full_adder([self._filled(each) for each in operands])

    def _filled(self, signal: Signal) -> Signal:
        """With free words for what is not known."""
        return signals.joined(
            self.unknown("other", piece.width) if piece.word is signals.NOTHING else (piece,)
            for piece in signal
        )
