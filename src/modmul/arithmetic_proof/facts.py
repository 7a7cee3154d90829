"""Proves that polynomials of the variables of a simulation are 0, or bounded, for all values.

A polynomial is expanded, newest variable first.  A name is replaced by what it stands for, and a
carry cancels by itself, since low := x - 2^k floor(x / 2^k).  A floor that is left is settled on
demand: it is constant, since its word is bounded; or its word is a known polynomial modulo 2^k, by
what is known of the loaded constants; or it is affine in a word with two values, or in a bit that
was decided before.  A bound is an expansion in which a floor w / 2^k is replaced by w / 2^k or
(w - 2^k + 1) / 2^k, whichever is not less; where nothing else helps it is proved by cases over bits
that select.  The samples choose what is tried, and are never a reason.

What is found goes into the history of the variables, with its proof: see `certificate`."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import gcd
from typing import Any, NamedTuple

from modmul.arithmetic_proof.expansion import Expansion
from modmul.arithmetic_proof.variables import (
    SAMPLES,
    Monomial,
    NoProof,
    Polynomial,
    Variable,
    Variables,
    Word,
    add,
    constant,
    negated,
)

_PLACES = range(SAMPLES)
_MOST_TERMS = 60_000  # of an expansion for a bound
_MOST_CASES = 12  # one within another
_NARROW_CASES = 8
_MODULAR_STEPS, _MODULAR_TERMS = 400, 3000
_FEW_TERMS = 40  # so few that their interval is worth a look
_GROUP_TERMS, _GROUP_DEPTH = 200, 4
_FEW_STEPS = 20_000
_ALWAYS = 1 << 60  # steps
_LEAST_BITS, _MOST_TIMES = 8, 4  # of words that are compared with multiples of N
Over = tuple[Polynomial, int]  # a polynomial over a power of two
Case = tuple[int, int]  # a variable, and its value
Proof = list[Any]  # steps: a variable * 8 + how it is replaced, or [a floor, a proof for each case]
EQUAL, AT_MOST, ENDS, RANGE, POWERS, CONVEX = range(6)


class TooMuch(Exception):
    """A search takes more steps than it is worth."""


class Goal(NamedTuple):
    """A bound that is to be proved: `left` is at most `limit`.  assumed: floors with the values of
    the cases that it is in, of which there are `depth`; pending: cases that it will be in."""

    left: Expansion
    limit: int
    assumed: Mapping[int, int]
    depth: int
    pending: Sequence[Case]


class Facts:
    """What is known of variables.  modulus: the variable N.  ends: when to give up, by
    `time.monotonic`.  All methods raise NoProof then."""

    def __init__(self, variables: Variables, modulus: int, ends: float):
        self.variables, self.modulus, self.ends = variables, modulus, ends
        self._steps, self._most_steps = 0, _ALWAYS
        self.known: dict[int, Over] = {}  # of a floor: what it equals
        self._tried: set[int] = set()
        self._narrow: dict[int, int] = {}  # of a word with two values: the floor that tells them

    @contextmanager
    def effort(self, steps: int) -> Iterator[None]:
        """Within it, a search that takes more steps raises TooMuch."""
        before, self._most_steps = self._most_steps, min(self._most_steps, self._steps + steps)
        try:
            yield
        finally:
            self._most_steps = before

    def hurry(self) -> None:
        """Look at the clock."""
        if time.monotonic() > self.ends:
            raise NoProof("it takes longer than the limit of time")

    def _step(self) -> None:
        self._steps += 1
        if self._steps > self._most_steps:
            raise TooMuch
        if not self._steps % 64:
            self.hurry()

    # ---- floors ---------------------------------------------------------------------------------

    def settled(self, number: int) -> Over | None:
        """What a floor equals, if that is found."""
        if number not in self._tried:
            self._tried.add(number)
            try:
                found = self._search(number)
            except (TooMuch, RecursionError):
                self._tried.discard(number)
                raise
            if found is not None:
                self.known[number], reason = found
                self.variables.history.append(("known", number, *self.known[number], *reason))
        return self.known.get(number)

    def _search(self, number: int) -> tuple[Over, tuple[Any, ...]] | None:
        """What a floor equals, and why."""
        variable = self.variables[number]
        word, shift = _floor_of(self.variables, number)
        samples = set(variable.samples)
        if len(samples) == 1:
            [value] = samples
            proof = self._is(word, shift, value)
            if proof is not None:
                return (constant(value), 0), ("constant", value, proof)
        lowest = {sample & (1 << shift) - 1 for sample in word.samples}
        if len(lowest) == 1 or (shift >= 8 and max(lowest) <= 8):
            residue = self._residue(word, shift)
            if residue is not None:
                value_of, steps = residue
                whole = add(dict(word.polynomial), value_of, -1)
                return (whole, shift), ("residue", value_of, steps)
        affine = self._in_narrow_word(number)
        if affine is not None:
            return (affine, 0), ("affine",)
        return self._as_decided(number) if variable.is_two_valued else None

    def _is(
        self, word: Word, shift: int, value: int, cases: Sequence[Case] = ()
    ) -> list[Proof] | None:
        """Proofs that floor(word / 2^shift) is not more and not less than a value, in these
        cases."""
        return self._is_between(word, value << shift, ((value + 1) << shift) - 1, cases)

    def _is_between(
        self, word: Word, low: int, high: int, cases: Sequence[Case] = ()
    ) -> list[Proof] | None:
        """Proofs that a word is at most `high` and at least `low`; empty where its interval says
        so."""
        most: Proof | None = [] if word.high <= high else self.at_most(word.polynomial, high, cases)
        if most is None:
            return None
        least: Proof | None = []
        if word.low < low:
            least = self.at_most(negated(word.polynomial), -low, cases)
        return None if least is None else [most, least]

    def _in_narrow_word(self, number: int) -> Polynomial | None:
        """Of a word with two values m and m + 1: its floors are affine in it."""
        word, shift = _floor_of(self.variables, number)
        least, most = min(word.samples), max(word.samples)
        if most - least != 1 or word.high - word.low > 8:
            return None
        proof = self._is_between(word, least, most)
        if proof is None:
            return None
        word.low, word.high = least, most
        self.variables.history.append(("range", word, least, most, proof))
        [(monomial, _), *others] = word.polynomial.items()
        if not others and len(monomial) == 1:
            inner = self.variables[monomial[0]]
            self._narrow.setdefault(monomial[0], number)
            inner.low, inner.high = max(inner.low, least), min(inner.high, most)
        step = (most >> shift) - (least >> shift)
        return add(constant((least >> shift) - step * least), word.polynomial, step)

    def _as_decided(self, number: int) -> tuple[Over, tuple[Any, ...]] | None:
        """As alpha d + beta for a bit d that selects, by its two cases."""
        variables, samples = self.variables, self.variables[number].samples
        word, shift = _floor_of(variables, number)
        age = variables[number].age
        older = [
            other
            for other in variables.selecting
            if variables[other].age < age and other not in self.known
        ]
        for other in sorted(older, key=lambda each: variables[each].age, reverse=True)[:4]:
            bit = variables[other]
            pairs = sorted(set(zip(bit.samples, samples, strict=True)))
            if len(pairs) != 2 or pairs[0][0] == pairs[1][0] or pairs[0][1] == pairs[1][1]:
                continue
            (first, value), (second, changed) = pairs
            alpha = (changed - value) // (second - first)
            beta = value - alpha * first
            proofs = []
            for case in (bit.low, bit.high):
                proof = self._is(word, shift, alpha * case + beta, [(other, case)])
                if proof is None:
                    break
                proofs.append(proof)
            else:
                return (add(constant(beta), {(other,): alpha}), 0), ("decided", other, proofs)
        return None

    # ---- residues -------------------------------------------------------------------------------

    def _residue(self, word: Word, bits: int) -> tuple[Polynomial, list[int]] | None:
        """A polynomial that a word is modulo 2^bits and whose values are in [0, 2^bits); and the
        variables that were replaced."""
        left = Expansion(self.variables, word.polynomial)
        for _ in range(_MODULAR_STEPS):
            modulus = 1 << bits + left.shift
            self._use_products(left, modulus)
            for monomial in list(left.terms):
                before = left.terms[monomial]
                coefficient = before % modulus
                if coefficient > modulus // 2:
                    coefficient -= modulus
                if coefficient != before:
                    left.add({monomial: coefficient - before})
            if not left.terms:
                return {}, left.steps
            if len(left.terms) < _FEW_TERMS:
                low, high = left.low, left.high
                whole = all(not each & (1 << left.shift) - 1 for each in left.terms.values())
                if low >= 0 and high < modulus and whole:
                    divided = {each: value >> left.shift for each, value in left.terms.items()}
                    return divided, left.steps
            number = left.newest()
            if number is None or len(left.terms) > _MODULAR_TERMS:
                return None
            if not self._expand(left, number):
                return None
        return None

    def _use_products(self, left: Expansion, modulus: int) -> None:
        """Replace products of variables by what they are modulo a power of two."""
        for monomial in list(left.terms):
            coefficient = left.terms.get(monomial, 0)
            for product, value, bits in self.variables.products:
                if coefficient and not (coefficient << bits) % modulus:
                    rest = _without(monomial, product)
                    if rest is not None:
                        left.drop(monomial)
                        left.add({rest: 1}, coefficient * value)
                        break

    def _expand(self, left: Expansion, number: int) -> bool:
        """Replace a name or a settled floor; False if it is neither."""
        variable = self.variables[number]
        if variable.names is not None:
            _replace(left, number, variable.names)
            return True
        if variable.word is None:
            return False
        settled = self.settled(number)
        if settled is None:
            return False
        _replace(left, number, *settled)
        return True

    # ---- bounds ---------------------------------------------------------------------------------

    def at_most(
        self, polynomial: Polynomial, limit: int, cases: Sequence[Case] = ()
    ) -> Proof | None:
        """A proof that a polynomial is never above the limit where variables have the values of
        these cases, or None."""
        pending = sorted(cases, key=lambda case: self.variables[case[0]].age, reverse=True)
        left = Expansion(self.variables, polynomial)
        return left.steps if self._bounded(Goal(left, limit, {}, 0, pending)) else None

    def _bounded(self, goal: Goal) -> bool:
        variables, left, pending = self.variables, goal.left, goal.pending
        for step in itertools.count():
            if len(left.terms) > _MOST_TERMS:
                return False
            if step % 8 == 7:
                left.shorten()
            self._step()
            if left.high >> left.shift <= goal.limit:
                return True
            number = left.newest()
            if pending and (
                number is None or variables[number].age <= variables[pending[0][0]].age
            ):
                return self._by_cases(goal._replace(pending=pending[1:]), *pending[0])
            if number is None:
                return False
            verdict = self._bound_step(goal, number)
            if verdict is not None:
                return verdict
        raise AssertionError

    def _bound_step(self, goal: Goal, number: int) -> bool | None:
        """Replace the newest variable; the verdict, if that decides."""
        left, variable = goal.left, self.variables[number]
        if variable.at_most and not variable.at_most[1] and variable.low >= 0:
            positive = self.variables.interval(_cofactor(left, number))[0] >= 0
            if positive and self._between(left, number, variable.at_most, ({}, 0), AT_MOST):
                return None
        if variable.names is not None:
            if (
                number in self._narrow
                and goal.depth < _NARROW_CASES
                and any(len(monomial) == 1 for monomial in left.having(number))
            ):
                return self._in_cases(goal, self._narrow[number])
            _replace(left, number, variable.names)
            return None
        if variable.word is None:
            return self._bound_free(left, goal.limit, number)
        if number in goal.assumed:
            _replace(left, number, constant(goal.assumed[number]))
            return None
        settled = self.settled(number)
        if settled is not None:
            _replace(left, number, *settled)
            return None
        if variable.selects:
            return goal.depth <= _MOST_CASES and self._in_cases(goal, number)
        return None if self._between(left, number, *_ends(variable), ENDS) else False

    def _bound_free(self, left: Expansion, limit: int, number: int) -> bool | None:
        variables = self.variables
        variable = variables[number]
        least = constant(variable.low), 0
        if variable.at_most and variable.at_most[1]:
            return None if self._between(left, number, variable.at_most, least, AT_MOST) else False
        if number == self.modulus and all(
            set(monomial) <= {number} and len(monomial) <= 2 for monomial in left.terms
        ):
            square, linear, rest = (left.terms.get((number,) * power, 0) for power in (2, 1, 0))
            ends = (square * n * n + linear * n + rest for n in (variable.low, variable.high))
            left.steps.append(number * 8 + CONVEX)
            return square >= 0 and max(ends) >> left.shift <= limit  # convex: greatest at an end
        powers = [m for m in left.having(number) if m.count(number) > 1]
        for monomial in powers:  # all powers but the first go, to be judged together
            if any(variables[other].low < 0 for other in monomial):
                return False
            coefficient = left.drop(monomial)
            place = monomial.index(number)
            lower = monomial[:place] + monomial[place + 1 :]
            end = variable.high if coefficient > 0 else variable.low
            left.add({lower: 1}, coefficient * end)
        if powers:
            left.steps.append(number * 8 + POWERS)
            return None
        most = constant(variable.high), 0
        return None if self._between(left, number, most, least, RANGE) else False

    def _between(self, left: Expansion, number: int, most: Over, least: Over, how: int) -> bool:
        """Put in the place of a variable what is not less where that makes the whole greater, and
        what is not greater elsewhere; False if the signs are not known."""
        cofactor = _cofactor(left, number)
        monomials = list(left.having(number))
        if len(cofactor) != len(monomials) or any(m.count(number) != 1 for m in monomials):
            return False
        low, high = self.variables.interval(cofactor)
        mixed = low < 0 < high
        if mixed and any(self.variables[other].low < 0 for rest in cofactor for other in rest):
            return False
        left.steps.append(number * 8 + how)
        for monomial in monomials:
            left.drop(monomial)
        shift = max(most[1], least[1])
        left.scale(shift)
        for rest, coefficient in cofactor.items():
            greater = coefficient > 0 if mixed else low >= 0
            terms, over = most if greater else least
            product = self.variables.product({rest: 1}, terms) if rest else terms
            left.add(product, coefficient << shift - over)
        return True

    def is_once(self, polynomial: Polynomial) -> Proof | None:
        """A proof, found with little effort, that a sum of bits is at most 1."""
        try:
            with self.effort(_FEW_STEPS):
                return self.at_most(polynomial, 1)
        except (TooMuch, RecursionError):
            return None

    # ---- cases ----------------------------------------------------------------------------------

    def _in_cases(self, goal: Goal, number: int) -> bool:
        """By the two values of a variable."""
        return self._by_cases(goal, number, self.variables[number].low, self.variables[number].high)

    def _by_cases(self, goal: Goal, number: int, *values: int) -> bool:
        proofs = []
        for value in values:
            proof = self._in_case(goal, number, value)
            if proof is None:
                return False
            proofs.append(proof)
        goal.left.steps.append([number, *proofs])
        return True

    def _in_case(self, goal: Goal, number: int, value: int) -> Proof | None:
        """A proof of the bound where a floor has a value: what is known of its word then may be
        added, times a factor that cancels a variable.  It consists of whether the word is one
        variable with one value then, of what was added, and of steps."""
        word, shift = _floor_of(self.variables, number)
        left, assumed = goal.left.copy(), {**goal.assumed, number: value}
        left.replace(number, constant(value))
        low, high = max(word.low, value << shift), min(word.high, ((value + 1) << shift) - 1)
        if low > high:
            return []  # the case cannot be
        alone = 0
        if low == high and len(word.polynomial) == 1:
            [(monomial, coefficient)] = word.polynomial.items()
            if coefficient == 1 and len(monomial) == 1:
                left.replace(monomial[0], constant(low))
                alone = 1
        below = value == self.variables[number].low  # then the word is at most `end`, else at least
        end = ((value + 1) << shift) - 1 if below else value << shift
        goal = goal._replace(assumed=assumed, depth=goal.depth + 1)
        with_word = self._with_word(left, word, below, end, assumed)
        if with_word and self._bounded(goal._replace(left=with_word[0])):
            return [alone, with_word[1], with_word[0].steps]
        return [alone, 0, left.steps] if self._bounded(goal._replace(left=left)) else None

    def _with_word(
        self, left: Expansion, word: Word, below: bool, end: int, assumed: Mapping[int, int]
    ) -> tuple[Expansion, Proof] | None:
        """left plus f (end - word) >= 0, where f cancels a variable of both: word is expanded until
        there is one.  With the steps of that, and f as a number over a power of two."""
        known = Expansion(self.variables, word.polynomial)
        for _ in range(3000):
            number = self._common(left, known, below)
            if number is None:
                inner = [each for each in known.present() if not self.variables[each].is_free]
                if not inner or not self._expand_towards(known, inner[0], below, assumed):
                    return None
                continue
            mine, others = left.terms[number,], known.terms[number,]
            if ((mine > 0) == (others > 0)) != below:
                return None
            result = left.copy()
            if mine % others:
                result.scale(abs(others).bit_length())
                mine = result.terms[number,]
            if mine % others:
                return None
            factor = mine // others
            result.add(known.terms, -factor)
            result.add(constant(factor * (end << known.shift)))
            return result, [known.steps, factor, result.shift - known.shift]
        return None

    def _common(self, left: Expansion, known: Expansion, below: bool) -> int | None:
        """A variable that both have alone in a term."""
        present = known.present()
        for number in present[:6]:
            alone = (number,) in known.terms and (number,) in left.terms
            if alone and not self.variables[number].is_free:
                return number
        if not all(self.variables[number].is_free for number in present):
            return None
        for number in present:
            mine, others = left.terms.get((number,)), known.terms.get((number,))
            if mine and others and ((mine > 0) == (others > 0)) == below:
                return number
        return None

    def _expand_towards(
        self, known: Expansion, number: int, below: bool, assumed: Mapping[int, int]
    ) -> bool:
        """Replace a variable of a word by what it is, or by a bound on the side that is needed."""
        variable = self.variables[number]
        if number in assumed:
            _replace(known, number, constant(assumed[number]))
            return True
        if self._expand(known, number):
            return True
        most, least = _ends(variable)
        return self._between(known, number, *((least, most) if below else (most, least)), ENDS)

    def selected(self, word: Word, width: int) -> None:
        """If a word that was selected is below k N in all samples, prove that it always is."""
        if width < _LEAST_BITS or len(word.polynomial) != 1:
            return
        [monomial] = word.polynomial
        variable, modulus = self.variables[monomial[0]], self.variables[self.modulus]
        if len(monomial) != 1 or variable.at_most or variable.names is None:
            return
        pairs = zip(word.samples, modulus.samples, strict=True)
        least = max(sample // n for sample, n in pairs) + 1
        for times in range(max(1, least), _MOST_TIMES + 1):
            high = times * modulus.high - 1
            below = add(dict(word.polynomial), {(self.modulus,): -times})
            proof = self.at_most(below, -1) if high < word.high else None
            if proof is not None:
                self.variables.history.append(("below", word, times, proof))
                variable.at_most = add({(self.modulus,): times}, constant(-1)), 0
                word.high = variable.high = high
                return

    # ---- identities -----------------------------------------------------------------------------

    def modulo(self, polynomial: Polynomial) -> tuple[Polynomial, Proof]:
        """A polynomial without multiples of N, expanded, times a power of two; and the steps."""
        left = Expansion(self.variables, polynomial)
        while True:
            self._step()
            for monomial in list(left.having(self.modulus)):
                left.drop(monomial)
            number = left.newest()
            if number is None:
                return left.terms, left.steps
            if not self._expand(left, number):
                left.frozen.add(number)

    def is_zero(self, polynomial: Polynomial) -> list[tuple[Polynomial, Proof]] | None:
        """Proofs that an expanded polynomial is 0, or None: of each group of terms that share
        variables, by cases over their bits."""
        left, proofs = dict(polynomial), []
        while left:
            numbers = set(next((monomial for monomial in left if monomial), ()))
            group, grown = dict[Monomial, int](), True
            while grown:
                taken = [m for m in left if not m or numbers & set(m)]
                grown = bool(taken)
                for monomial in taken:
                    group[monomial] = left.pop(monomial)
                    numbers |= set(monomial)
            proof = self._is_zero(group, [], 0) if len(group) <= _GROUP_TERMS else None
            if proof is None:
                return None
            proofs.append((group, proof))
        return proofs

    def _is_zero(self, polynomial: Polynomial, cases: list[Case], depth: int) -> Proof | None:
        """A proof: of the cases of a bit, or [] if nothing is left."""
        if not polynomial:
            return []
        if depth > _GROUP_DEPTH:
            return None
        variables = self.variables
        numbers = {number for monomial in polynomial for number in monomial}
        bits = sorted(
            (n for n in numbers if variables[n].word is not None and variables[n].is_two_valued),
            key=lambda n: variables[n].age,
            reverse=True,
        )
        for number in [n for n in bits if variables[n].selects][:2] or bits[:1]:
            ends = variables[number].low, variables[number].high
            proofs = []
            for end in ends:
                proof = self._zero_in_case(polynomial, [*cases, (number, end)], depth)
                if proof is None:
                    break
                proofs.append(proof)
            else:
                return [number, *proofs]
        return None

    def _zero_in_case(self, polynomial: Polynomial, cases: list[Case], depth: int) -> Proof | None:
        """Of floors that have one value in this case, with the proofs; then of two bounds, or of
        further cases."""
        variables, facts = self.variables, list[Any]()
        left = self._with(polynomial, *cases[-1])
        in_case = [
            i for i in _PLACES if all(variables[n].samples[i] == value for n, value in cases)
        ]
        numbers = {number for monomial in left for number in monomial}
        for number in sorted(numbers, key=lambda n: variables[n].age):
            if variables[number].word is None or not left:
                continue
            values = {variables[number].samples[i] for i in in_case} or {0}
            if len(values) == 1:
                [value] = values
                proof = self._is(*_floor_of(variables, number), value, cases)
                if proof is not None:
                    facts.append([number, value, proof])
                    left = self._with(left, number, value)
        if left:  # integer rounding works on what has no common factor
            common = gcd(*left.values())
            left = {monomial: value // common for monomial, value in left.items()}
            most = self.at_most(left, 0, cases)
            least = None if most is None else self.at_most(negated(left), 0, cases)
            if least is not None:
                return [facts, [most, least]]
        further = self._is_zero(left, cases, depth + 1)
        return None if further is None else [facts, further]

    @staticmethod
    def _with(polynomial: Polynomial, number: int, value: int) -> Polynomial:
        total: Polynomial = {}
        for monomial, coefficient in polynomial.items():
            rest = tuple(other for other in monomial if other != number)
            add(total, {rest: coefficient * value ** (len(monomial) - len(rest))})
        return total


def _replace(left: Expansion, number: int, by: Polynomial, shift: int = 0) -> None:
    """Put what a variable equals in its place."""
    left.replace(number, by, shift)
    left.steps.append(number * 8 + EQUAL)


def _floor_of(variables: Variables, number: int) -> tuple[Word, int]:
    variable = variables[number]
    assert variable.word is not None
    return variable.word, variable.shift


def _ends(variable: Variable) -> tuple[Over, Over]:
    """What a floor is not above, and what it is not below."""
    assert variable.word is not None
    whole = variable.word.polynomial
    least = add(dict(whole), constant(1 - (1 << variable.shift)))
    return (whole, variable.shift), (least, variable.shift)


def _cofactor(left: Expansion, number: int) -> Polynomial:
    """What a variable is multiplied by, where it stands once."""
    return {
        tuple(other for other in monomial if other != number): left.terms[monomial]
        for monomial in left.having(number)
    }


def _without(monomial: Monomial, factors: Monomial) -> Monomial | None:
    """A monomial divided by a product of variables, if it has them all."""
    rest = list(monomial)
    for number in factors:
        if number not in rest:
            return None
        rest.remove(number)
    return tuple(rest)
