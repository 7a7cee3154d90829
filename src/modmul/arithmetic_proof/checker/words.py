"""Words of a certificate: what they are in terms of each other, as integers, and between what ends
they lie.

A signal is a tuple of bits, the lowest first.  A bit is 0, 1, or `bit(word, place)`, a bit of a
word in two's complement.  A polynomial maps monomials, sorted tuples of variables, to coefficients;
() is 1.  A variable is a word, or floor(word / 2^shift) with its own number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product as all_of

Signal = tuple[int, ...]
Monomial = tuple[int, ...]
Polynomial = dict[Monomial, int]
Number = tuple[Polynomial, int, int]  # a polynomial, and its ends
_PLACES = 16  # bits of a place in a word
BITWISE: dict[str, Callable[..., int]] = {
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "not": lambda x: 1 - x,
    "same": lambda x: x,
    "majority": lambda x, y, z: x & y | x & z | y & z,
    "parity": lambda x, y, z: x ^ y ^ z,
}


class Refused(Exception):
    """Why a certificate is not accepted."""


def expect(holds: bool, complaint: str) -> None:
    if not holds:
        raise Refused(complaint)


def bits_from(word: int, place: int, width: int) -> Signal:
    """So many bits of a word, from a bit on."""
    first = word + 1 << _PLACES | place
    expect(word >= 0 <= place and 0 <= width <= (1 << _PLACES) - place, "no bits of a word")
    return tuple(range(first, first + width))


def constant(value: int) -> Polynomial:
    return {(): value} if value else {}


def add(total: Polynomial, terms: Polynomial, factor: int = 1) -> Polynomial:
    """`total` with so many times `terms`."""
    for monomial, coefficient in terms.items():
        total[monomial] = total.get(monomial, 0) + factor * coefficient
        if not total[monomial]:
            del total[monomial]
    return total


def as_int(signal: Signal) -> int | None:
    """The number that a signal of constant bits is, else None."""
    return sum(b << i for i, b in enumerate(signal)) if all(b < 2 for b in signal) else None


def bits_of(value: int, width: int) -> Signal:
    return tuple(value >> i & 1 for i in range(width))


class Word:
    """polynomial: of variables, between low and high.  operation, operands: if each of its bits is
    this function of the same bits of these signals."""

    def __init__(self, number: Number, operation: str = "", operands: Sequence[Signal] = ()):
        self.polynomial, self.low, self.high = number
        self.operation, self.operands = operation, operands


class Words:
    """low, high: of each variable.  names: the polynomial that a variable is.  floor_of: the word
    and the shift of a floor.  at_most: a polynomial over a power of two that a variable is not
    above."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.low: dict[int, int] = {}
        self.high: dict[int, int] = {}
        self._count = 0
        self.names: dict[int, Polynomial] = {}
        self.floor_of: dict[int, tuple[int, int]] = {}
        self.floors: dict[tuple[int, int], int] = {}
        self.at_most: dict[int, tuple[Polynomial, int]] = {}
        self._alike: set[tuple[object, ...]] = set()

    def variable(self, low: int, high: int) -> int:
        """The next number of a variable of the certificate."""
        self.low[self._count], self.high[self._count] = low, high
        self._count += 1
        return self._count - 1

    # ---- polynomials ----------------------------------------------------------------------------

    def product(self, left: Polynomial, right: Polynomial) -> Polynomial:
        """x^2 = (2u + 1) x - u (u + 1) if x is u or u + 1."""
        total: Polynomial = {}
        for m, c in left.items():
            for n, d in right.items():
                for monomial, value in self._reduced(tuple(sorted(m + n)), c * d).items():
                    add(total, {monomial: value})
        return total

    def _reduced(self, monomial: Monomial, coefficient: int) -> Polynomial:
        for place in range(len(monomial) - 1):
            x = monomial[place]
            if x == monomial[place + 1] and self.high[x] - self.low[x] == 1:
                low, rest = self.low[x], monomial[:place] + monomial[place + 2 :]
                once = self._reduced(tuple(sorted((*rest, x))), coefficient * (2 * low + 1))
                return add(once, self._reduced(rest, coefficient * low * (low + 1)), -1)
        return {monomial: coefficient} if coefficient else {}

    def ends(self, polynomial: Polynomial) -> tuple[int, int]:
        """Between what a polynomial lies, by the ends of its variables."""
        low = high = 0
        for monomial, coefficient in polynomial.items():
            least = most = coefficient
            for x in monomial:
                products = [e * f for e in (least, most) for f in (self.low[x], self.high[x])]
                least, most = min(products), max(products)
            low, high = low + least, high + most
        return low, high

    # ---- signals --------------------------------------------------------------------------------

    def floor(self, word: int, shift: int) -> Polynomial:
        """floor(word / 2^shift).  Its number is negative if the certificate does not define it."""
        w = self.words[word]
        while shift > 1 and w.low >> shift - 1 >= -1 and w.high >> shift - 1 <= 0:
            shift -= 1  # the bits from here on are the sign
        if not shift:
            return w.polynomial
        if w.low >> shift == w.high >> shift:
            return constant(w.low >> shift)
        if (word, shift) not in self.floors:  # the certificate says nothing of it
            number = -1 - len(self.floors)
            self.low[number], self.high[number] = w.low >> shift, w.high >> shift
            self.floors[word, shift], self.floor_of[number] = number, (word, shift)
        return {(self.floors[word, shift],): 1}

    def number(self, signal: Signal, signed: bool = False) -> Number:
        """The number that a signal is, and its ends."""
        total: Polynomial = {}
        low = high = place = 0
        if signed:
            while len(signal) > 1 and signal[-1] == signal[-2]:
                signal = signal[:-1]
        width = len(signal)
        word, least = divmod(signal[0], 1 << _PLACES) if signal else (0, 0)
        if signed and word and not least and signal == tuple(range(signal[0], signal[0] + width)):
            w, half = self.words[word - 1], 1 << width - 1
            if -half <= w.low and w.high < half:
                return w.polynomial, w.low, w.high
        while place < width:
            first, begin = signal[place], place
            place += 1
            if first < 2:
                low, high = low + (first << begin), high + (first << begin)
                add(total, {(): first << begin})
                continue
            step = int(place < width and signal[place] == first + 1)
            while place < width and signal[place] == signal[place - 1] + step:
                place += 1  # the next bits of the word, or the same bit again
            weight = 1 << begin if step else (1 << place) - (1 << begin)
            value, least, most = self._part(first, place - begin if step else 1)
            add(total, value, weight)
            low, high = low + weight * least, high + weight * most
        if not signed or not signal:
            return total, low, high
        if signal[-1] < 2:
            less = signal[-1] << width
            return add(total, constant(-less)), low - less, high - less
        top = self.number(signal[-1:])[0]
        return add(total, top, -1 << width), -1 << width - 1, (1 << width - 1) - 1

    def _part(self, first: int, width: int) -> Number:
        """So many bits of a word, from a bit on."""
        word, low = divmod(first, 1 << _PLACES)
        expect(0 < word <= len(self.words), "a signal has a word that is not defined")
        w, high = self.words[word - 1], low + width
        value = dict(self.floor(word - 1, low))
        if w.low >= 0 and w.high < 1 << high:
            return value, w.low >> low, w.high >> low
        return add(value, self.floor(word - 1, high), -1 << width), 0, (1 << width) - 1

    def fitting(self, word: int, width: int) -> Signal:
        """The lowest bits of a word; 0 above its highest bit."""
        w = self.words[word]
        length = w.high.bit_length() if w.low >= 0 else width
        kept = min(width, length)
        return bits_from(word, 0, kept) + (0,) * (width - kept)

    # ---- functions of single bits ---------------------------------------------------------------

    def is_bitwise(self, operation: str, operands: Sequence[Signal], out: Signal) -> bool:
        """Whether each bit of `out` is this function of the same bits of the operands."""
        if any(len(each) != len(out) for each in operands):
            return False
        place = 0
        while place < len(out):
            these = [each[place : place + 1] for each in operands]
            if self._agree(operation, these, "same", [out[place : place + 1]]):
                place += 1
                continue
            word = (out[place] >> _PLACES) - 1
            if not 0 <= word < len(self.words) or not self.words[word].operation:
                return False
            w = self.words[word]
            end = place + len(w.operands[0])
            if out[place:end] != self.fitting(word, end - place):
                return False
            these = [each[place:end] for each in operands]
            if not self._agree(operation, these, w.operation, w.operands):
                return False
            place = end
        return True

    def _agree(
        self, one: str, operands: Sequence[Signal], two: str, others: Sequence[Signal]
    ) -> bool:
        """Whether two functions are the same in each bit, for all values of the bits."""
        if len({len(each) for each in (*operands, *others)}) != 1:
            return False
        if one == two and sorted(operands) == sorted(others):  # the order does not matter to any
            return True
        for column in zip(*operands, *others, strict=True):
            unknown = {b: i for i, b in enumerate(dict.fromkeys(b for b in column if b > 1), 2)}
            pattern = tuple(unknown.get(b, b) for b in column)
            key = one, two, pattern
            if key in self._alike:
                continue
            for values in all_of((0, 1), repeat=len(unknown)):
                bits = [(0, 1, *values)[b] for b in pattern]
                left, right = bits[: len(operands)], bits[len(operands) :]
                if BITWISE[one](*left) != BITWISE[two](*right):
                    return False
            self._alike.add(key)
        return True

    # ---- carries --------------------------------------------------------------------------------

    def carry(self, signal: Signal) -> tuple[Polynomial, int, int, int] | None:
        """A single bit as floor(P / 2^k): P, its ends, and k."""
        if len(signal) != 1 or signal[0] < 2:
            return None
        number, place = divmod(signal[0], 1 << _PLACES)
        expect(number <= len(self.words), "a signal has a word that is not defined")
        word = self.words[number - 1]
        if not 0 <= word.low <= word.high < 2 << place:
            return None
        [monomial] = word.polynomial
        polynomial = word.polynomial
        if len(monomial) == 1:
            polynomial = self.names.get(monomial[0], polynomial)
        return polynomial, word.low, word.high, place

    def is_function(self, operation: str, operands: Sequence[Signal], out: Signal) -> bool:
        """Whether a signal is bit by bit this function of others, or the AND of two carries."""
        if self.is_bitwise(operation, operands, out):
            return True
        return (
            operation == "and"
            and len(out) == 1
            and self._is_looked_ahead(operands[0], operands[1], out)
        )

    def _is_looked_ahead(self, left: Signal, right: Signal, out: Signal) -> bool:
        """floor(P / 2^(i + j)) is the AND of floor(Q / 2^i) and floor(S / 2^j) if P is
        Q + 2^i (S - 1), 0 <= Q <= 2^i and 1 <= S <= 2^j."""
        whole = self.carry(out)
        for below, above in ((left, right), (right, left)):
            low, high = self.carry(below), self.carry(above)
            if high is None or whole is None:
                continue
            number, _, most = self.number(below)
            ways = [(number, most, 0)] if most <= 1 else []
            ways += [(low[0], low[2], low[3])] if low else []
            for polynomial, top, place in ways:
                total = add(dict(polynomial), high[0], 1 << place)
                add(total, constant(-1 << place))
                fits = top <= 1 << place and high[1] >= 1 and high[2] <= 1 << high[3]
                if fits and total == whole[0] and whole[3] == place + high[3]:
                    return True
        return False

    # ---- definitions ----------------------------------------------------------------------------

    def define(self, number: Number, operation: str = "", operands: Sequence[Signal] = ()) -> None:
        """A new word that is a polynomial of older variables.  It is a variable unless it is a
        product of some."""
        polynomial, low, high = number
        [monomial, *others] = polynomial or [()]
        if not others and len(monomial) > 1 and polynomial[monomial] == 1:
            self.words.append(Word(number, operation, operands))
            return
        variable = self.variable(low, high)
        self.names[variable] = polynomial
        self.words.append(Word(({(variable,): 1}, low, high), operation, operands))

    def free(
        self, low: int, high: int, operation: str = "", operands: Sequence[Signal] = ()
    ) -> int:
        """A new word and variable that may have all values between two."""
        expect(low <= high, "a word without values")
        variable = self.variable(low, high)
        self.words.append(Word(({(variable,): 1}, low, high), operation, operands))
        return variable

    def define_floor(self, word: int, shift: int) -> None:
        expect(0 <= word < len(self.words) and shift > 0, "a floor of an unknown word")
        w = self.words[word]
        variable = self.variable(w.low >> shift, w.high >> shift)
        self.floors[word, shift], self.floor_of[variable] = variable, (word, shift)

    def make(self, name: str, operands: Sequence[Signal]) -> None:
        """Define a word as the whole result of an operation on signals."""
        values = [self.number(each) for each in operands]
        (one, low, high), *others = values
        width = len(operands[0])
        every = (1 << width) - 1
        if name == "not":
            self.define((add(constant(every), one, -1), every - high, every - low), name, operands)
        elif name == "selected":
            [(two, _, _)] = others
            [_, select] = operands
            expect(len(select) == 1, "a selection by more than one bit")
            self.define((self.product(one, two), 0, high), "and", [operands[0], select * width])
        elif name == "majority":
            expect({len(each) for each in operands} == {width}, "operands of several widths")
            total: Polynomial = {}
            for value, _, _ in values:
                add(total, value)
            most = sum(high for _, _, high in values)
            variable = self.free(0, min(every, most // 2), name, operands)
            self.at_most[variable] = total, 1
        elif name in ("or", "xor", "parity"):
            *operands, both = operands
            table = "majority" if name == "parity" else "and"
            expect(self.is_function(table, operands, both), f"{name} without the right carries")
            length = max(high.bit_length() for _, _, high in values[:-1])
            length = width if name == "parity" else length
            most = sum(high for _, _, high in values[:-1])
            total = add({}, values[-1][0], -1 if name == "or" else -2)
            for value, _, _ in values[:-1]:
                add(total, value)
            self.define((total, 0, min(most, (1 << length) - 1)), name, operands)
        else:
            expect(name == "chosen" and len(operands[0]) == 1, f"unknown operation {name}")
            (two, least, most), (three, less, more) = others
            chosen = add(dict(two), self.product(one, add(dict(three), two, -1)))
            self.define((chosen, min(least, less), max(most, more)))


def negative(polynomial: Polynomial) -> Polynomial:
    return {monomial: -coefficient for monomial, coefficient in polynomial.items()}


def joined(parts: Iterable[Signal]) -> Signal:
    return tuple(b for part in parts for b in part)
