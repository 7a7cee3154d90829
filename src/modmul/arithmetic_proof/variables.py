"""The integers of a symbolic simulation: variables, polynomials of them, and words.

A variable is free (an operand, the modulus, what a register holds at first), or a name for a
polynomial of older variables, or floor(w / 2^k) of a word w.  Each has an interval that is proved.
With each go SAMPLES concrete values that belong together: they only choose what is tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

SAMPLES = 10
Monomial = tuple[int, ...]  # its variables by their numbers, ascending; (): 1
Polynomial = dict[Monomial, int]  # coefficients, none of which is 0


class NoProof(Exception):
    """Why there is no proof: what is missing, not known, or too long."""


def add(total: Polynomial, terms: Polynomial, factor: int = 1) -> Polynomial:
    """Add `factor` times `terms` to `total`, and return that."""
    for monomial, coefficient in terms.items():
        changed = total.get(monomial, 0) + factor * coefficient
        if changed:
            total[monomial] = changed
        else:
            total.pop(monomial, None)
    return total


def negated(polynomial: Polynomial) -> Polynomial:
    return {monomial: -coefficient for monomial, coefficient in polynomial.items()}


def constant(value: int) -> Polynomial:
    return {(): value} if value else {}


@dataclass(slots=True)
class Variable:
    """low, high: it is in between.  age: newer variables are greater; what a variable is defined by
    is older.  names: the polynomial that it is a name for.  word, shift: it is
    floor(word / 2^shift).  at_most: a polynomial over 2^shift that is not less, found or known.
    selects: it chooses between two words, so that a proof may go by its two cases."""

    name: str
    low: int
    high: int
    age: tuple[int, int, int]
    samples: Sequence[int]
    names: Polynomial | None = None
    word: Word | None = None
    shift: int = 0
    at_most: tuple[Polynomial, int] | None = None
    selects: bool = False

    @property
    def is_free(self) -> bool:
        return self.names is None and self.word is None

    @property
    def is_two_valued(self) -> bool:
        return self.high - self.low == 1


@dataclass(slots=True, eq=False)
class Word:
    """An integer that wires carry: a polynomial, between low and high.  number: of the word.  age:
    of the variables that come from it.  made_by: an operation, and the signals that it is of."""

    variables: Variables
    polynomial: Polynomial
    low: int
    high: int
    samples: Sequence[int]
    number: int
    made_by: tuple[Any, ...]
    age: int
    floors: dict[int, Polynomial] = field(default_factory=dict)

    def floor(self, shift: int) -> Polynomial:
        """floor(self / 2^shift): the only way in which new variables come from old ones."""
        while shift > 1 and self.low >> (shift - 1) >= -1 and self.high >> (shift - 1) <= 0:
            shift -= 1  # all these bits are the sign
        if shift == 0:
            return self.polynomial
        if shift not in self.floors:
            low, high = self.low >> shift, self.high >> shift
            if low == high:
                self.floors[shift] = constant(low)
            else:
                samples = [sample >> shift for sample in self.samples]
                age = (self.age, 1, shift)
                name = f"{self.made_by[0]}>>{shift}"
                variable = self.variables.new(Variable(name, low, high, age, samples))
                self.variables[variable].word, self.variables[variable].shift = self, shift
                self.variables.history.append(("floor", variable))
                self.floors[shift] = {(variable,): 1}
        return self.floors[shift]

    def bits(self, low: int, high: int) -> tuple[Polynomial, int, int]:
        """The number in the bits from `low` to below `high`, and its interval."""
        value = dict(self.floor(low))
        if self.low >= 0 and self.high < 1 << high:
            return value, self.low >> low, self.high >> low
        weight = 1 << (high - low)
        return add(value, self.floor(high), -weight), 0, weight - 1


class Variables(list[Variable]):
    """All variables by their numbers, and the words of which they are part.

    products: for a product of variables (1 for one alone) what it is modulo a power of two, as
    (variables, value, bits of that power).  named: the word that a variable alone is.  selecting:
    the variables that do.  history: all words, floors, operations and facts in the order in which
    they were made: what a certificate consists of."""

    def __init__(self) -> None:
        super().__init__()
        self.words = 0
        self.products: list[tuple[Monomial, int, int]] = []
        self.named: dict[int, Word] = {}
        self.selecting: list[int] = []
        self.history: list[tuple[Any, ...]] = []

    def new(self, variable: Variable) -> int:
        for sample in variable.samples:
            if not variable.low <= sample <= variable.high:
                raise AssertionError(f"{variable.name}: {sample} is out of its interval")
        self.append(variable)
        return len(self) - 1

    def next_word(self) -> int:
        self.words += 1
        return self.words

    def free(
        self,
        name: str,
        low: int,
        high: int,
        samples: Sequence[int],
        made_by: tuple[Any, ...] = (),
    ) -> Word:
        """A word of which nothing is known but its interval."""
        number = self.next_word()
        variable = self.new(Variable(name, low, high, (number, 0, 0), samples))
        return self._word({(variable,): 1}, low, high, samples, made_by or ("free", name))

    def name(
        self,
        polynomial: Polynomial,
        low: int,
        high: int,
        samples: Sequence[int],
        made_by: tuple[Any, ...],
    ) -> Word:
        """A word that is a polynomial, which gets a name unless it is a product of variables."""
        number = self.next_word()
        if len(polynomial) == 1:
            [(monomial, coefficient)] = polynomial.items()
            if coefficient == 1 and len(monomial) > 1:
                return self._word(polynomial, low, high, samples, made_by)
        age = number, 0, 0
        variable = self.new(Variable(made_by[0], low, high, age, samples, names=polynomial))
        return self._word({(variable,): 1}, low, high, samples, made_by)

    def _word(
        self,
        polynomial: Polynomial,
        low: int,
        high: int,
        samples: Sequence[int],
        made_by: tuple[Any, ...],
    ) -> Word:
        number = self.words
        word = Word(self, polynomial, low, high, samples, number, made_by, number)
        [monomial] = polynomial
        if len(monomial) == 1:
            self.named[monomial[0]] = word
        self.history.append(("word", word))
        return word

    def product(self, left: Polynomial, right: Polynomial) -> Polynomial:
        total: Polynomial = {}
        for monomial, coefficient in left.items():
            for other, factor in right.items():
                joined = tuple(sorted(monomial + other))
                total[joined] = total.get(joined, 0) + coefficient * factor
        return self.reduced(total)

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """Without squares of variables that have two values u and u + 1:
        x^2 = (2u + 1) x - u (u + 1)."""
        total: Polynomial = {}
        again = False
        for monomial, coefficient in polynomial.items():
            if not coefficient:
                continue
            place = self._square(monomial)
            if place is None:
                total[monomial] = total.get(monomial, 0) + coefficient
                continue
            again = True
            low, rest = self[monomial[place]].low, monomial[:place] + monomial[place + 2 :]
            once = tuple(sorted((*rest, monomial[place])))
            total[once] = total.get(once, 0) + coefficient * (2 * low + 1)
            if low * (low + 1):
                total[rest] = total.get(rest, 0) - coefficient * low * (low + 1)
        if again:
            return self.reduced(total)
        return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}

    def _square(self, monomial: Monomial) -> int | None:
        for place in range(len(monomial) - 1):
            if monomial[place] == monomial[place + 1] and self[monomial[place]].is_two_valued:
                return place
        return None

    def interval(self, polynomial: Polynomial) -> tuple[int, int]:
        low = high = 0
        for monomial, coefficient in polynomial.items():
            least = most = 1
            for number in monomial:
                variable = self[number]
                ends = (
                    least * variable.low,
                    least * variable.high,
                    most * variable.low,
                    most * variable.high,
                )
                least, most = min(ends), max(ends)
            if coefficient < 0:
                least, most = most, least
            low += coefficient * least
            high += coefficient * most
        return low, high

    def sample(self, polynomial: Polynomial, place: int) -> int:
        total = 0
        for monomial, coefficient in polynomial.items():
            term = coefficient
            for number in monomial:
                term *= self[number].samples[place]
            total += term
        return total
