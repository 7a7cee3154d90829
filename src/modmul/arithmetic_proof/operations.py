"""What cells compute, on words: every result is a polynomial of its operands that holds for all
values, and is made once for the same operands.

A sum or a product is one word without loss, of which a cell gives the lowest bits.  A bitwise AND
of two words is a free word m; then x ^ y = x + y - 2m and x | y = x + y - m.  An operand that is
one bit, repeated, selects: AND with it is a product.  The carries of full adders are a free word c,
and their sums x + y + z - 2c."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from modmul.arithmetic_proof import signals
from modmul.arithmetic_proof.signals import Piece, Signal
from modmul.arithmetic_proof.variables import (
    SAMPLES,
    Polynomial,
    Variables,
    Word,
    add,
    constant,
)

_PLACES = range(SAMPLES)
_SEED = 5
_BITWISE: dict[str, Callable[[int, int], int]] = {
    "and": int.__and__,
    "or": int.__or__,
    "xor": int.__xor__,
}


Operands = ParamSpec("Operands")
Result = TypeVar("Result")


def noted(
    method: Callable[Concatenate[Operations, Operands], Result],
) -> Callable[Concatenate[Operations, Operands], Result]:
    """An operation that a cell consists of: each is noted once for the same operands."""

    @functools.wraps(method)
    def note(self: Operations, /, *operands: Operands.args, **none: Operands.kwargs) -> Result:
        if self.inside:
            return method(self, *operands, **none)
        self.inside = True
        try:
            result = method(self, *operands, **none)
        finally:
            self.inside = False
        key = method.__name__, *map(_key, operands)
        if key not in self.noted:
            self.noted.add(key)
            self.variables.history.append(("operation", method.__name__, operands, result))
        return result

    return cast("Callable[Concatenate[Operations, Operands], Result]", note)


class Found(Protocol):
    """What the search for proofs knows while a circuit is simulated."""

    def is_once(self, polynomial: Polynomial) -> Any:
        """A proof, found with little effort, that a sum of bits is at most 1; or None."""
        ...

    def selected(self, word: Word, width: int) -> None:
        """A word that a multiplexer gives: a sharper bound may be found for it."""
        ...


class Operations:
    """The words of a simulation.  Results of equal operations are equal signals.  inside: an
    operation is going on, of which others are parts.  noted: those in the history."""

    def __init__(self, variables: Variables, found: Found):
        self.variables, self.found = variables, found
        self._rng = random.Random(_SEED)
        self.inside, self.noted = False, set[tuple[object, ...]]()
        self._made: dict[object, Signal] = {}
        self._pairs: dict[object, tuple[Signal, Signal]] = {}
        # of a bit that is the AND of all bits of a signal, or the carry of a signal and a bit
        self._all_ones: dict[object, Signal] = {}
        self._carries: dict[object, tuple[Signal, Signal]] = {}

    # ---- signals as numbers ---------------------------------------------------------------------

    def number(self, signal: Signal, signed: bool = False) -> tuple[Polynomial, int, int]:
        """The number that a signal is, and its interval."""
        if signed and signal:
            return self._signed(signals.without_signs(signal))
        total: Polynomial = {}
        low = high = position = place = 0
        while place < len(signal):
            width, word, at = signal[place]
            repeats = 1
            if word is None:
                add(total, constant(at << position))
                low, high = low + (at << position), high + (at << position)
            else:
                while width == 1 and signal[place + repeats : place + repeats + 1] == (
                    signal[place],
                ):
                    repeats += 1
                weight = (1 << repeats) - 1 << position if width == 1 else 1 << position
                value, least, most = word.bits(at, at + width)
                add(total, value, weight)
                low, high = low + weight * least, high + weight * most
            position += width * repeats
            place += repeats
        return total, low, high

    def _signed(self, signal: Signal) -> tuple[Polynomial, int, int]:
        width = signals.width_of(signal)
        half = 1 << width - 1
        if len(signal) == 1 and signal[0].word is not None and signal[0].place == 0:
            word = signal[0].word
            if -half <= word.low and word.high < half:
                return word.polynomial, word.low, word.high
        top = signals.bits(signal, width - 1, 1)
        value, low, high = self.number(signal)
        if signals.is_constant(top):
            less = signals.value_of(top) << width
            return add(dict(value), constant(-less)), low - less, high - less
        sign, _, _ = self.number(top)
        return add(dict(value), sign, -2 * half), -half, half - 1

    def made(
        self,
        value: Polynomial,
        low: int,
        high: int,
        samples: Sequence[int],
        width: int,
        made_by: tuple[Any, ...],
    ) -> Signal:
        """The lowest `width` bits of a number.  made_by: the operation, and what it is of."""
        if low == high or not value or set(value) == {()}:
            return signals.constant(width, low if low == high else value.get((), 0))
        if len(value) == 1:
            [(monomial, coefficient)] = value.items()
            if coefficient == 1 and len(monomial) == 1 and monomial[0] in self.variables.named:
                return self.fitting(self.variables.named[monomial[0]], width)
        return self.fitting(self.variables.name(value, low, high, samples, made_by), width)

    def fitting(self, word: Word, width: int) -> Signal:
        length = word.high.bit_length()
        if word.low >= 0 and length < width:
            return signals.joined([(Piece(length, word, 0),), signals.constant(width - length, 0)])
        return (Piece(width, word, 0),)

    def free(self, name: str, high: int, samples: Sequence[int], width: int) -> Signal:
        return self.fitting(self.variables.free(name, 0, high, samples), width)

    def unknown(self, name: str, width: int) -> Signal:
        samples = [self._rng.getrandbits(width) for _ in _PLACES]
        return self.free(name, (1 << width) - 1, samples, width)

    # ---- bitwise --------------------------------------------------------------------------------

    @noted
    def bitwise(self, operation: str, left: Signal, right: Signal) -> Signal:
        """operation: "and", "or" or "xor", of two signals as wide as each other."""
        width = signals.width_of(left)
        if signals.is_constant(left) and signals.is_constant(right):
            value = _BITWISE[operation](signals.value_of(left), signals.value_of(right))
            return signals.constant(width, value)
        neither = not signals.is_constant(left) and not signals.is_constant(right)
        one_bit = neither and (signals.repeated(left) or signals.repeated(right))
        if operation != "or" and one_bit:
            return self._of_words(operation, left, right)
        return signals.joined(self._of_run(operation, *run) for run in _runs(left, right))

    def _of_run(self, operation: str, left: Signal, right: Signal) -> Signal:
        """Of two signals each of which is constant, and then all zeros or all ones, or not."""
        if signals.is_constant(right):
            left, right = right, left
        if not signals.is_constant(left):
            return self._of_words(operation, left, right)
        width, value = signals.width_of(left), signals.value_of(left)
        if signals.is_constant(right):
            other = signals.value_of(right)
            return signals.constant(width, _BITWISE[operation](value, other))
        if not value:
            return signals.constant(width, 0) if operation == "and" else right
        if operation == "xor":
            return self.inverted(right)
        return right if operation == "and" else left

    def _of_words(self, operation: str, left: Signal, right: Signal) -> Signal:
        keys = sorted([signals.key(left), signals.key(right)])
        if keys[0] == keys[1]:
            return signals.constant(signals.width_of(left), 0) if operation == "xor" else left
        if signals.key(left) != keys[0]:
            left, right = right, left
        key = operation, *keys
        if key not in self._made:
            if operation == "and":
                self._made[key] = self._and(left, right)
            else:
                self._made[key] = self._or_xor(operation, left, right)
        return self._made[key]

    def _and(self, left: Signal, right: Signal) -> Signal:
        width = signals.width_of(left)
        special = self._looked_ahead(left, right) if width == 1 else None
        if special is not None:
            return special
        samples = [signals.sample_of(left, i) & signals.sample_of(right, i) for i in _PLACES]
        for bit, other in (
            (signals.repeated(right), left),
            (signals.repeated(left), right),
        ):
            if bit is not None:
                value, _, high = self.number(other)
                select, _, _ = self.number((bit,))
                self._selects(select)
                product = self.variables.product(value, select)
                return self.made(product, 0, high, samples, width, ("selected", other, (bit,)))
        (one, _, most), (two, _, also) = self.number(left), self.number(right)
        made_by = "majority", left, right, signals.constant(width, 0)
        both = self.variables.free("and", 0, min(most, also), samples, made_by)
        [[number]] = both.polynomial
        self.variables[number].at_most = add(dict(one), two), 1
        return self.fitting(both, width)

    def _or_xor(self, operation: str, left: Signal, right: Signal) -> Signal:
        width = signals.width_of(left)
        (one, _, most), (two, _, also) = self.number(left), self.number(right)
        total = add(dict(one), two)
        pairs = [(signals.sample_of(left, i), signals.sample_of(right, i)) for i in _PLACES]
        once = width == 1 and operation == "or" and not any(x & y for x, y in pairs)
        proof = self.found.is_once(total) if once else None
        if proof is not None:
            made_by: tuple[Any, ...] = "either", left, right, proof
        else:  # they may both be 1
            both = self._of_words("and", left, right)
            add(total, self.number(both)[0], -2 if operation == "xor" else -1)
            made_by = operation, left, right, both
        length = max(most.bit_length(), also.bit_length())
        high = min(most + also, (1 << width) - 1, (1 << length) - 1)
        samples = [_BITWISE[operation](x, y) for x, y in pairs]
        return self.made(self.variables.reduced(total), 0, high, samples, width, made_by)

    @noted
    def inverted(self, signal: Signal) -> Signal:
        if signals.is_constant(signal):
            return signals.constant(signals.width_of(signal), ~signals.value_of(signal))
        key = "not", signals.key(signal)
        if key not in self._made:
            self._made[key] = signals.joined(self._inverted(run) for (run,) in _runs(signal))
        return self._made[key]

    def _inverted(self, signal: Signal) -> Signal:
        width = signals.width_of(signal)
        if signals.is_constant(signal):
            return signals.constant(width, ~signals.value_of(signal))
        most = (1 << width) - 1
        value, low, high = self.number(signal)
        samples = [most - signals.sample_of(signal, i) for i in _PLACES]
        rest = add(constant(most), value, -1)
        return self.made(rest, most - high, most - low, samples, width, ("not", signal))

    def _looked_ahead(self, left: Signal, right: Signal) -> Signal | None:
        """all(X) and all(Y) is all({Y, X}); all(X) and a bit is the carry of X and the bit."""
        for one, two in ((left, right), (right, left)):
            ones = self._all_ones.get(signals.key(one))
            if ones is None:
                continue
            others = self._all_ones.get(signals.key(two))
            if others is not None:
                ways = signals.joined([ones, others]), signals.joined([others, ones])
                return self.all_of(min(ways, key=len))
            if signals.key(two) in self._carries:
                below, carry = self._carries[signals.key(two)]
                whole = signals.joined([below, ones])
                if len(whole) == 1:
                    return self._carry(whole, carry)
            return self._carry(ones, two)
        return None

    def _carry(self, signal: Signal, bit: Signal) -> Signal:
        width = signals.width_of(signal)
        carry = signals.bits(self.arithmetic("$add", signal, bit, False, width + 1), width, 1)
        self._carries[signals.key(carry)] = signal, bit
        return carry

    # ---- sums -----------------------------------------------------------------------------------

    @noted
    def arithmetic(
        self, operation: str, left: Signal, right: Signal, signed: bool, width: int
    ) -> Signal:
        """operation: "$add", "$sub" or "$mul", as cells of Yosys."""
        if signals.is_constant(left) and signals.is_constant(right):
            one, two = (_value(each, signed) for each in (left, right))
            value = {"$add": one + two, "$sub": one - two, "$mul": one * two}[operation]
            return signals.constant(width, value)
        if operation == "$add" and signals.is_constant(left) and not signals.value_of(left):
            return signals.extended(right, width, signed)
        if operation != "$mul" and signals.is_constant(right) and not signals.value_of(right):
            return signals.extended(left, width, signed)
        if operation != "$sub" and signals.key(right) < signals.key(left):
            left, right = right, left
        with_carry = None if signed else self._with_carry(operation, left, right, width)
        if with_carry is not None:
            return with_carry
        whole = width
        if operation == "$add" and not signed:  # made without loss, so that equal sums are equal
            left, right = signals.without_zeros(left), signals.without_zeros(right)
            whole = max(signals.width_of(left), signals.width_of(right)) + 1
        key = operation, signals.key(left), signals.key(right), signed, whole
        if key not in self._made:
            self._made[key] = self._arithmetic(operation, left, right, signed, whole)
        return signals.extended(self._made[key], width, False)

    def _with_carry(self, operation: str, left: Signal, right: Signal, width: int) -> Signal | None:
        """Sums of signals whose lowest bits only make a carry: {x, 1} + {y, c} is 2 (x + y + c) and
        not c below it, {x, 0} - {y, b} is 2 (x - y - b) and b."""
        if operation == "$mul" or min(map(signals.width_of, (left, right))) < 2:
            return None
        pairs = ((left, right),) if operation == "$sub" else ((left, right), (right, left))
        for one, two in pairs:
            bit, carry = signals.bits(one, 0, 1), signals.bits(two, 0, 1)
            if signals.is_constant(carry):
                continue
            if operation == "$sub" and signals.is_constant(bit):
                borrows = not signals.value_of(bit)
                lowest, more = (carry, carry) if borrows else (self.inverted(carry), None)
            elif operation == "$add" and bit == signals.constant(1, 1):
                lowest, more = self.inverted(carry), carry
            elif operation == "$add" and signals.key(bit) in self._all_ones:
                lowest = self.bitwise("xor", bit, carry)
                more = self.bitwise("and", bit, carry)
            else:
                continue
            x, y = (signals.bits(each, 1, signals.width_of(each) - 1) for each in (one, two))
            total = self.arithmetic(operation, x, y, False, width)
            if more is not None:
                total = self.arithmetic(operation, total, more, False, width)
            return signals.bits(signals.joined([lowest, total]), 0, width)
        return None

    def _arithmetic(
        self, operation: str, left: Signal, right: Signal, signed: bool, width: int
    ) -> Signal:
        (one, low, high), (two, least, most) = (self.number(each, signed) for each in (left, right))
        pairs = [tuple(_sample(each, i, signed) for each in (left, right)) for i in _PLACES]
        first: tuple[Signal, bool] = left, signed
        if operation == "$add":
            value, low, high = add(dict(one), two), low + least, high + most
            samples = [x + y for x, y in pairs]
        elif operation == "$sub":
            word = self._negative(left, width)
            if word is not None:  # modulo 2^width the word itself will do
                one, low, high = word.polynomial, word.low, word.high
                length = 1 + max(low.bit_length(), high.bit_length())
                first = (Piece(length, word, 0),), True
                pairs = [(word.samples[i], pairs[i][1]) for i in _PLACES]
            value, low, high = add(dict(one), two, -1), low - most, high - least
            samples = [x - y for x, y in pairs]
        else:
            value = self.variables.product(one, two)
            ends = low * least, low * most, high * least, high * most
            low, high = min(ends), max(ends)
            samples = [x * y for x, y in pairs]
        made_by = operation[1:], *first, right, signed
        return self.made(value, low, high, samples, width, made_by)

    @staticmethod
    def _negative(signal: Signal, width: int) -> Word | None:
        """The word that can be below 0 and whose lowest bits a signal is."""
        [piece, *others] = signal
        word = piece.word
        if others or word is None or piece.place or piece.width < width:
            return None
        return word if word.low < 0 and len(word.polynomial) == 1 else None

    @noted
    def full_adder(self, operands: Sequence[Signal]) -> tuple[Signal, Signal]:
        """The sums and the carries of full adders, one for each bit."""
        operands = sorted(operands, key=signals.key)
        key = tuple(map(signals.key, operands))
        if key not in self._pairs:
            self._pairs[key] = self._full_adder(operands)
        return self._pairs[key]

    def _full_adder(self, operands: Sequence[Signal]) -> tuple[Signal, Signal]:
        """Apart where two operands are 0 at the bottom, and where one is 0 at the top: that makes
        the bound of the carry sharper."""
        width = signals.width_of(operands[0])
        lows = sorted(_zeros(each[0]) for each in operands)
        cuts = {0, width, *(width - _zeros(each[-1]) for each in operands)}
        if lows[1] and not lows[0]:
            cuts.add(lows[1])
        sums, carries = [], []
        for low, high in pairwise(sorted(cuts)):
            parts = [signals.bits(each, low, high - low) for each in operands]
            total, carry = self._add_bits(parts, high - low)
            sums.append(total)
            carries.append(carry)
        return signals.joined(sums), signals.joined(carries)

    def _add_bits(self, operands: Sequence[Signal], width: int) -> tuple[Signal, Signal]:
        zero = signals.constant(width, 0)
        parts = [each for each in operands if each != zero]
        if len(parts) < 2:
            return (parts[0] if parts else zero), zero
        if len(parts) == 2 or all(map(signals.is_constant, parts)):
            one, two, *third = parts
            total, carry = self.bitwise("xor", one, two), self.bitwise("and", one, two)
            for each in third:
                more = self.bitwise("and", total, each)
                total = self.bitwise("xor", total, each)
                carry = self.bitwise("or", carry, more)
            return total, carry
        total_value: Polynomial = {}
        most, top = 0, (1 << width) - 1
        for each in parts:
            value, _, high = self.number(each)
            add(total_value, value)
            most += high
        carries, sums = [], []
        for i in _PLACES:
            x, y, z = (signals.sample_of(each, i) for each in parts)
            carries.append(x & y | x & z | y & z)
            sums.append(x ^ y ^ z)
        majority = "majority", *operands
        carry_word = self.variables.free("carries", 0, min(top, most // 2), carries, majority)
        [[number]] = carry_word.polynomial
        self.variables[number].at_most = dict(total_value), 1
        add(total_value, carry_word.polynomial, -2)
        carry = self.fitting(carry_word, width)
        made_by = "parity", *operands, carry
        return self.made(total_value, 0, min(top, most), sums, width, made_by), carry

    # ---- choices --------------------------------------------------------------------------------

    @noted
    def chosen(self, select: Signal, otherwise: Signal, then: Signal) -> Signal:
        """`then` if the bit `select` is 1."""
        if signals.is_constant(select):
            return then if signals.value_of(select) else otherwise
        if signals.key(otherwise) == signals.key(then):
            return then
        key = "choose", signals.key(select), signals.key(otherwise), signals.key(then)
        if key not in self._made:
            self._made[key] = self._chosen(select, otherwise, then)
        return self._made[key]

    def _chosen(self, select: Signal, otherwise: Signal, then: Signal) -> Signal:
        width = signals.width_of(then)
        (one, low, high), (two, least, most) = self.number(otherwise), self.number(then)
        bit, _, _ = self.number(select)
        self._selects(bit)
        more = self.variables.product(bit, add(dict(two), one, -1))
        value = self.variables.reduced(add(dict(one), more))
        samples = [
            signals.sample_of(then if signals.sample_of(select, i) else otherwise, i)
            for i in _PLACES
        ]
        made_by = "chosen", select, otherwise, then
        made = self.made(value, min(low, least), max(high, most), samples, width, made_by)
        word = made[0].word if made else None
        if word is None or made[0].place:
            return made
        self.found.selected(word, width)
        return self.fitting(word, width)

    def _selects(self, bit: Polynomial) -> None:
        for monomial in bit:
            for number in monomial:
                variable = self.variables[number]
                if variable.word and variable.is_two_valued and not variable.selects:
                    variable.selects = True
                    self.variables.selecting.append(number)

    @noted
    def any_of(self, signal: Signal) -> Signal:
        """Whether a bit is 1: the carry of x + (2^width - 1)."""
        return self._reduced(signal, of_all=False)

    @noted
    def all_of(self, signal: Signal) -> Signal:
        """Whether all bits are 1: the carry of x + 1."""
        return self._reduced(signal, of_all=True)

    def _reduced(self, signal: Signal, of_all: bool) -> Signal:
        for width, word, value in signal:  # a constant bit may decide
            if word is None and (value != (1 << width) - 1 if of_all else value):
                return signals.constant(1, int(not of_all))
        unknown = signals.joined((piece,) for piece in signal if piece.word is not None)
        if not unknown:
            return signals.constant(1, int(of_all))
        width = signals.width_of(unknown)
        if width == 1:
            return unknown
        key = of_all, signals.key(unknown)
        if key not in self._made:
            other = signals.constant(1, 1) if of_all else signals.constant(width, -1)
            self._made[key] = self._arithmetic("$add", unknown, other, False, width + 1)
        carry = signals.bits(self._made[key], width, 1)
        if of_all:
            self._all_ones[signals.key(carry)] = unknown
        return carry


def _key(operand: object) -> object:
    """Equal for equal operands of an operation."""
    if not isinstance(operand, tuple | list):
        return operand
    return tuple(map(_key, operand)) if isinstance(operand, list) else signals.key(operand)


def _value(signal: Signal, signed: bool) -> int:
    value, width = signals.value_of(signal), signals.width_of(signal)
    return value - (1 << width) if signed and width and value >> width - 1 else value


def _sample(signal: Signal, place: int, signed: bool) -> int:
    value, width = signals.sample_of(signal, place), signals.width_of(signal)
    return value - (1 << width) if signed and width and value >> width - 1 else value


def _zeros(piece: Piece) -> int:
    """The width of a piece of zeros, else 0."""
    return piece.width if piece.word is None and not piece.place else 0


def _runs(*operands: Signal) -> Iterator[tuple[Signal, ...]]:
    """The operands in parts in which each is zeros, ones, or unknown."""
    width = signals.width_of(operands[0])
    cuts = {0, width}
    for signal in operands:
        position, before = 0, None
        for length, word, value in signal:
            kinds = [None] * length if word else [value >> i & 1 for i in range(length)]
            for kind in kinds:
                state = word is not None, kind
                if state != before:
                    cuts.add(position)
                before, position = state, position + 1
    for low, high in pairwise(sorted(cuts)):
        yield tuple(signals.bits(each, low, high - low) for each in operands)
