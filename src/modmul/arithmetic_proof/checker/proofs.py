"""Facts of a certificate, and their proofs by substitution: what a floor equals, what a word is
never above, which polynomials are 0.

A step of a proof is a number, 8 * variable + how it is replaced (EQUAL to RANGE, or the last two);
or a list of a floor and of a proof for each of its two values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from typing import Any

from modmul.arithmetic_proof.checker.words import (
    Monomial,
    Polynomial,
    Words,
    add,
    constant,
    expect,
    negative,
)

# How a variable is replaced: by what it equals; by ends it has by a fact, as a floor, or as a
# variable; of a power, one factor by an end; or not at all: a parabola is greatest at an end.
EQUAL, AT_MOST, ENDS, RANGE, POWERS, CONVEX = range(6)
Over = tuple[Polynomial, int]  # a polynomial over a power of two


class Expansion:
    """`terms` over 2^`shift`.  without: monomials with this variable are dropped."""

    def __init__(self, words: Words, terms: Polynomial, without: int | None = None):
        self.words, self.without = words, without
        self.terms: Polynomial = {}
        self.shift = 0
        self.having: dict[int, set[Monomial]] = {}
        self.add(terms)

    def copy(self) -> Expansion:
        other = Expansion(self.words, self.terms, self.without)
        other.shift = self.shift
        return other

    def add(self, terms: Polynomial, factor: int = 1) -> None:
        for monomial, coefficient in terms.items():
            if self.without in monomial or not coefficient * factor:
                continue
            total = self.terms.pop(monomial, 0) + coefficient * factor
            for x in monomial:
                held = self.having.setdefault(x, set())
                held.add(monomial) if total else held.discard(monomial)
            if total:
                self.terms[monomial] = total

    def take(self, monomial: Monomial) -> int:
        coefficient = self.terms[monomial]
        self.add({monomial: -coefficient})
        return coefficient

    def scale(self, shift: int) -> None:
        """Write it over 2^shift, or more."""
        more = max(0, shift - self.shift)
        self.terms = {monomial: c << more for monomial, c in self.terms.items()}
        self.shift += more

    def replace(self, x: int, by: Polynomial, shift: int = 0) -> None:
        """Put `by` / 2^shift in the place of a variable."""
        for monomial in list(self.having.get(x, ())):
            rest = tuple(y for y in monomial if y != x)
            times = len(monomial) - len(rest)
            coefficient = self.take(monomial)
            zeros = (coefficient & -coefficient).bit_length() - 1
            more = max(0, shift * times - zeros)
            self.scale(self.shift + more)
            coefficient <<= more
            value: Polynomial = {rest: 1}
            for _ in range(times):
                value = self.words.product(value, by)
            self.add(value, coefficient >> shift * times)

    def between(self, x: int, most: Over, least: Over, upper: bool) -> None:
        """Put in the place of a variable what makes the whole not less (`upper`) or not greater."""
        monomials = list(self.having.get(x, ()))
        expect(all(m.count(x) == 1 for m in monomials), "a bound of a power")
        cofactor = {tuple(y for y in m if y != x): self.terms[m] for m in monomials}
        low, high = self.words.ends(cofactor)
        mixed = low < 0 < high
        signs = all(self.words.low[y] >= 0 for rest in cofactor for y in rest)
        expect(not mixed or signs, "a bound times a factor of unknown sign")
        for monomial in monomials:
            self.take(monomial)
        self.scale(self.shift + max(most[1], least[1]))
        more = max(most[1], least[1])
        for rest, coefficient in cofactor.items():
            positive = coefficient > 0 if mixed else low >= 0
            terms, shift = most if positive == upper else least
            self.add(self.words.product({rest: 1}, terms), coefficient << more - shift)


class Facts:
    """known: what a floor equals.  modulus: the variable N.  products: of variables, what they are
    modulo a power of two: (monomial, value, bits)."""

    def __init__(self, words: Words):
        self.words, self.modulus = words, 0
        self.known: dict[int, Over] = {}
        self.products: list[tuple[Monomial, int, int]] = []

    # ---- steps ----------------------------------------------------------------------------------

    def _step(self, left: Expansion, step: int, assumed: Mapping[int, int], upper: bool) -> None:
        words, (x, how) = self.words, divmod(step, 8)
        expect(x in left.having, "a step with a variable that was never there")
        least = constant(words.low[x]), 0
        if how == EQUAL:
            if x in assumed:
                left.replace(x, constant(assumed[x]))
            elif x in words.names:
                left.replace(x, words.names[x])
            else:
                expect(x in self.known, f"variable {x} is not known to equal anything")
                left.replace(x, *self.known[x])
        elif how == AT_MOST:
            expect(x in words.at_most, f"variable {x} has no bound")
            left.between(x, words.at_most[x], least, upper)
        elif how == ENDS:
            expect(x in words.floor_of, f"variable {x} is no floor")
            word, shift = words.floor_of[x]
            whole = words.words[word].polynomial
            below = add(dict(whole), constant(1 - (1 << shift)))
            left.between(x, (whole, shift), (below, shift), upper)
        elif how == RANGE:
            left.between(x, (constant(words.high[x]), 0), least, upper)
        else:
            expect(how == POWERS and upper, "an unknown step")
            for monomial in [m for m in left.having[x] if m.count(x) > 1]:
                expect(all(words.low[y] >= 0 for y in monomial), "a power of unknown sign")
                coefficient, place = left.take(monomial), monomial.index(x)
                end = words.high[x] if coefficient > 0 else words.low[x]
                left.add({monomial[:place] + monomial[place + 1 :]: coefficient * end})

    # ---- bounds ---------------------------------------------------------------------------------

    def at_most(
        self, polynomial: Polynomial, limit: int, cases: Mapping[int, int], proof: Sequence[Any]
    ) -> None:
        """Refuse, unless a polynomial is never above the limit where variables have the values of
        these cases."""
        self._bounded(Expansion(self.words, polynomial), limit, {}, cases, proof)

    def _bounded(
        self,
        left: Expansion,
        limit: int,
        assumed: Mapping[int, int],
        cases: Mapping[int, int],
        proof: Sequence[Any],
    ) -> None:
        words = self.words
        for step in proof:
            if isinstance(step, list):
                x, *branches = step
                ends = words.low[x], words.high[x]
                values = (cases[x],) if x in cases else ends
                expect(ends[1] - ends[0] <= 1 or x in cases, "more than two cases")
                expect(len(values) == len(branches), "a case is missing")
                for value, branch in zip(values, branches, strict=True):
                    self._in_case(left.copy(), limit, {**assumed, x: value}, cases, (x, branch))
                return
            if step % 8 == CONVEX:
                x = step // 8
                expect(set(left.terms) <= {(), (x,), (x, x)}, "no parabola")
                expect(left.terms.get((x, x), 0) >= 0, "a parabola without a greatest end")
                for n in words.low[x], words.high[x]:
                    value = sum(c * n ** len(monomial) for monomial, c in left.terms.items())
                    expect(value >> left.shift <= limit, "a bound does not hold at an end")
                return
            self._step(left, step, assumed, True)
        expect(words.ends(left.terms)[1] >> left.shift <= limit, "a bound does not follow")

    def _in_case(
        self,
        left: Expansion,
        limit: int,
        assumed: Mapping[int, int],
        cases: Mapping[int, int],
        case: tuple[int, Sequence[Any]],
    ) -> None:
        """Where a floor has a value its word is between two ends: f times that may be added."""
        x, branch = case
        expect(x in self.words.floor_of, "cases of what is no floor")
        number, shift = self.words.floor_of[x]
        word, value = self.words.words[number], assumed[x]
        low = max(word.low, value << shift)
        high = min(word.high, (value + 1 << shift) - 1)
        if not branch:
            expect(low > high, "a case that can be is not treated")
            return
        alone, added, steps = branch
        left.replace(x, constant(value))
        if alone:
            [monomial] = word.polynomial
            expect(low == high and word.polynomial == {monomial: 1}, "a word of several values")
            expect(len(monomial) == 1, "a word that is no variable")
            left.replace(monomial[0], constant(low))
        if added:
            inner, factor, over = added
            known, below = Expansion(self.words, word.polynomial), factor > 0
            for step in inner:
                self._step(known, step, assumed, not below)
            end = (value + 1 << shift) - 1 if below else value << shift
            left.scale(over + known.shift)
            more = left.shift - over - known.shift
            left.add(known.terms, -factor << more)
            left.add(constant(factor * end << more + known.shift))
        self._bounded(left, limit, assumed, cases, steps)

    def _is_between(
        self, word: int, low: int, high: int, cases: Mapping[int, int], proof: Sequence[Any]
    ) -> None:
        w, (most, least) = self.words.words[word], proof
        if w.high > high:
            self.at_most(w.polynomial, high, cases, most)
        if w.low < low:
            self.at_most(negative(w.polynomial), -low, cases, least)

    def _is(self, x: int, value: int, cases: Mapping[int, int], proof: Sequence[Any]) -> None:
        """Refuse, unless a floor has a value in these cases."""
        expect(x in self.words.floor_of, f"variable {x} is no floor")
        word, shift = self.words.floor_of[x]
        self._is_between(word, value << shift, (value + 1 << shift) - 1, cases, proof)

    # ---- facts ----------------------------------------------------------------------------------

    def is_constant(self, x: int, value: int, proof: Sequence[Any]) -> None:
        self._is(x, value, {}, proof)
        self.known[x] = constant(value), 0

    def is_decided(self, x: int, by: int, values: Sequence[int], proofs: Sequence[Any]) -> None:
        """A floor that has a value for each of two values of another."""
        low, high = self.words.low[by], self.words.high[by]
        expect(high - low == 1 and x != by, "decided by what has not two values")
        for end, value, proof in zip((low, high), values, proofs, strict=True):
            self._is(x, value, {by: end}, proof)
        slope = values[1] - values[0]
        self.known[x] = add(constant(values[0] - slope * low), {(by,): slope}), 0

    def is_affine(self, x: int) -> None:
        """A floor of a word that has two values."""
        expect(x in self.words.floor_of, f"variable {x} is no floor")
        word, shift = self.words.floor_of[x]
        w = self.words.words[word]
        expect(w.high - w.low == 1, "a word that has not two values")
        slope = (w.high >> shift) - (w.low >> shift)
        self.known[x] = add(constant((w.low >> shift) - slope * w.low), w.polynomial, slope), 0

    def has_range(self, word: int, low: int, high: int, proof: Sequence[Any]) -> None:
        """A word, and the variable that it may be, is between two ends."""
        self._is_between(word, low, high, {}, proof)
        w = self.words.words[word]
        w.low, w.high = low, high
        [monomial, *others] = w.polynomial
        if not others and len(monomial) == 1 and w.polynomial[monomial] == 1:
            [x] = monomial
            self.words.low[x] = max(low, self.words.low[x])
            self.words.high[x] = min(high, self.words.high[x])

    def is_below(self, word: int, times: int, proof: Sequence[Any]) -> None:
        """A word that is a variable is less than so many times N."""
        w, n = self.words.words[word], self.modulus
        [(x,)] = w.polynomial
        self.at_most(add({(x,): 1}, {(n,): -times}), -1, {}, proof)
        self.words.at_most[x] = add({(n,): times}, constant(-1)), 0
        w.high = self.words.high[x] = min(w.high, times * self.words.high[n] - 1)

    def is_residue(self, x: int, residue: Polynomial, steps: Sequence[int]) -> None:
        """A floor w / 2^k, by what w is modulo 2^k."""
        expect(x in self.words.floor_of, f"variable {x} is no floor")
        word, bits = self.words.floor_of[x]
        low, high = self.words.ends(residue)
        expect(low >= 0 and high < 1 << bits, "a residue that is not between 0 and 2^k")
        left = Expansion(self.words, self.words.words[word].polynomial)
        for step in steps:
            self._reduce(left, bits)
            expect(step % 8 == EQUAL, "a residue by a bound")
            self._step(left, step, {}, True)
        left.add(residue, -1 << left.shift)
        self._reduce(left, bits)
        expect(not left.terms, "a residue that does not follow")
        self.known[x] = add(dict(self.words.words[word].polynomial), residue, -1), bits

    def _reduce(self, left: Expansion, bits: int) -> None:
        """Drop multiples of 2^bits, by what is known of products of variables."""
        for monomial in list(left.terms):
            for product, value, known in self.products:
                coefficient = left.terms.get(monomial, 0)
                if coefficient and (coefficient << known) % (1 << bits + left.shift) == 0:
                    rest = list(monomial)
                    for y in product:
                        if y in rest:
                            rest.remove(y)
                    if len(rest) == len(monomial) - len(product):
                        left.add({tuple(rest): left.take(monomial) * value})
        for monomial in list(left.terms):
            if left.terms[monomial] % (1 << bits + left.shift) == 0:
                left.take(monomial)

    # ---- identities -----------------------------------------------------------------------------

    def is_multiple(
        self, polynomial: Polynomial, steps: Sequence[int], zeros: Sequence[Any]
    ) -> None:
        """Refuse, unless a power of two times a polynomial is a multiple of N: each of its parts
        that is left is 0."""
        left = Expansion(self.words, polynomial, self.modulus)
        for step in steps:
            expect(step % 8 == EQUAL, "an identity by a bound")
            self._step(left, step, {}, True)
        for part, proof in zeros:
            left.add(part, -1)
            self._is_zero(part, {}, proof)
        expect(not left.terms, f"{len(left.terms)} terms are left of the product")

    def _is_zero(
        self, polynomial: Polynomial, cases: Mapping[int, int], proof: Sequence[Any]
    ) -> None:
        if not proof:
            expect(not polynomial, "a polynomial that is not 0")
            return
        x, *branches = proof
        expect(x in self.words.floor_of, "cases of what is no floor")
        ends = self.words.low[x], self.words.high[x]
        expect(ends[1] - ends[0] == 1 and len(branches) == 2, "a case is missing")
        for value, (facts, rest) in zip(ends, branches, strict=True):
            within = {**cases, x: value}
            left = Expansion(self.words, polynomial)
            left.replace(x, constant(value))
            for y, other, reason in facts:
                self._is(y, other, within, reason)
                left.replace(y, constant(other))
            self._is_zero_or_bounded(left.terms, within, rest)

    def _is_zero_or_bounded(
        self, polynomial: Polynomial, cases: Mapping[int, int], rest: Sequence[Any]
    ) -> None:
        if len(rest) == 2:
            common = gcd(*polynomial.values())
            whole = {monomial: c // common for monomial, c in polynomial.items()}
            self.at_most(whole, 0, cases, rest[0])
            self.at_most(negative(whole), 0, cases, rest[1])
        else:
            self._is_zero(polynomial, cases, rest)
