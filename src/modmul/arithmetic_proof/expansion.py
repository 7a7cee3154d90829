"""A polynomial that is being expanded: the newest variable is replaced again and again."""

from __future__ import annotations

import heapq
from typing import Any

from modmul.arithmetic_proof.variables import Monomial, NoProof, Polynomial, Variables


class Expansion:
    """`terms` over 2^`shift`, with the monomials of each variable at hand.  frozen: variables that
    stay.  steps: what was replaced since it was made or copied, for a certificate.  low, high: the
    terms are in between."""

    def __init__(self, variables: Variables, terms: Polynomial):
        self.variables = variables
        self.terms: Polynomial = {}
        self.shift = self.low = self.high = 0
        self._ends: dict[Monomial, tuple[int, int]] = {}
        self.frozen: set[int] = set()
        self.steps: list[Any] = []
        self._having: dict[int, set[Monomial]] = {}
        self._newest: list[tuple[tuple[int, ...], int]] = []
        self.add(terms)

    def copy(self) -> Expansion:
        other = Expansion(self.variables, {})
        other.terms, other.shift = dict(self.terms), self.shift
        other.low, other.high, other._ends = self.low, self.high, dict(self._ends)
        other.frozen = set(self.frozen)
        other._having = {number: set(having) for number, having in self._having.items()}
        other._newest = list(self._newest)
        return other

    def add(self, terms: Polynomial, factor: int = 1) -> None:
        for monomial, coefficient in terms.items():
            before = self.terms.get(monomial)
            if before is None:
                self._enter(monomial, coefficient * factor)
                continue
            changed = before + coefficient * factor
            if changed:
                self._count(monomial, before, -1)
                self._count(monomial, changed, 1)
                self.terms[monomial] = changed
            else:
                self.drop(monomial)

    def _count(self, monomial: Monomial, coefficient: int, sign: int) -> None:
        """Let a term count for `low` and `high`, or not any more."""
        ends = self._ends.get(monomial)
        if ends is None:
            ends = self._ends[monomial] = self.variables.interval({monomial: 1})
        least, most = ends if coefficient > 0 else (ends[1], ends[0])
        self.low += sign * coefficient * least
        self.high += sign * coefficient * most

    def _enter(self, monomial: Monomial, coefficient: int) -> None:
        self.terms[monomial] = coefficient
        self._count(monomial, coefficient, 1)
        for number in set(monomial):
            having = self._having.get(number)
            if having is None:
                self._having[number] = {monomial}
                first, second, third = self.variables[number].age
                heapq.heappush(self._newest, ((-first, -second, -third), number))
            else:
                having.add(monomial)

    def drop(self, monomial: Monomial) -> int:
        for number in set(monomial):
            self._having[number].discard(monomial)
        coefficient = self.terms.pop(monomial)
        self._count(monomial, coefficient, -1)
        return coefficient

    def having(self, number: int) -> set[Monomial]:
        """The monomials of a variable."""
        return self._having.get(number, set())

    def present(self) -> list[int]:
        """All variables, the newest first."""
        numbers = [number for number, having in self._having.items() if having]
        return sorted(numbers, key=lambda number: self.variables[number].age, reverse=True)

    def newest(self) -> int | None:
        """The newest variable that is not frozen."""
        while self._newest:
            number = self._newest[0][1]
            if self._having.get(number) and number not in self.frozen:
                return number
            heapq.heappop(self._newest)
            if number not in self.frozen:
                self._having.pop(number, None)
        return None

    def scale(self, bits: int) -> None:
        """Write it over 2^bits more."""
        if bits:
            for monomial in self.terms:
                self.terms[monomial] <<= bits
            self.shift += bits
            self.low, self.high = self.low << bits, self.high << bits

    def shorten(self) -> None:
        """Divide by a power of two that all coefficients have."""
        if self.shift and self.terms:
            zeros = min(map(_zeros, self.terms.values()))
            less = min(self.shift, zeros)
            if less:
                for monomial in self.terms:
                    self.terms[monomial] >>= less
                self.shift -= less
                self.low, self.high = self.low >> less, self.high >> less

    def replace(self, number: int, by: Polynomial, shift: int = 0) -> None:
        """Put `by` / 2^shift in the place of a variable.  Raises NoProof for a power of one that
        has a denominator."""
        taken = [(monomial, self.drop(monomial)) for monomial in list(self.having(number))]
        if not taken:
            return
        if shift:
            more = max(0, shift - min(_zeros(coefficient) for _, coefficient in taken))
            self.scale(more)
            taken = [(monomial, coefficient << more >> shift) for monomial, coefficient in taken]
        for monomial, coefficient in taken:
            rest = tuple(other for other in monomial if other != number)
            times = len(monomial) - len(rest)
            if times > 1 and shift:
                raise NoProof("a power of a fraction is left")
            value: Polynomial = {rest: 1}
            for _ in range(times):
                value = self.variables.product(value, by) if value != {(): 1} else by
            self.add(value, coefficient)


def _zeros(coefficient: int) -> int:
    return (coefficient & -coefficient).bit_length() - 1
