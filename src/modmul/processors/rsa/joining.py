"""Texts that make one number of the residues modulo the primes.

By Garner, with digits h: y = yq + q*(hp + p*(hs + s*hu)) for up to four primes q, p, s, u:

    hp = (yp - yq) / q mod p      hs = (ys - yq - q*hp) / (q*p) mod s      and so on

From the innermost bracket on, each product and sum is done in words: a*b + c of numbers below 2^w,
w the bits of the multiplier's modulus, is found by its residues modulo 2^w - 1 and 2^w - 3, f and
g.  As it is below the product of these two, with t = (g - f) / 2 mod 2^w - 3 it is f + (2^w - 1) t,
which is t * 2^w + (f - t), or, where f is below t, (t - 1) * 2^w + (f - t + 2^w).

With blinded moduli each y and h is k times what it is, k being what the prime is multiplied by, and
the constants that it meets under another modulus have 1/k in them."""

from __future__ import annotations

from collections.abc import Sequence

PRIMES = ("p", "q", "s", "u")  # names of the primes, in the order of a key
RADIX = ("q", "p", "s", "u")  # the order of their digits in y


def digits(names: Sequence[str], places: Sequence[int], blinded: bool, inputs: str = "") -> str:
    """The text that computes the digits from the residues y{prime}.  places: numbers of the
    moduli.  inputs: the text by which residues of another engine come in."""
    order = RADIX[: len(names)]
    return "".join(
        _digit(order[:place], prime, places[names.index(prime)], blinded, inputs * (place == 1))
        for place, prime in enumerate(order)
        if place
    )


def _digit(before: Sequence[str], prime: str, place: int, blinded: bool, comes: str) -> str:
    """The text for the digit of a prime, which needs those of the primes before it."""
    factors = {other: f"{prime}{other}" for other in before}  # the weight of each digit
    if not blinded:
        factors[before[0]] = "one"
    named = ", ".join(dict.fromkeys(("one", f"c{prime}", *factors.values())))
    others = "".join(f" - {_value(other)} * {factors[other]}" for other in before)
    return (
        f"modulus {place}\nconstant {named} secret\n{comes}"
        f"h{prime} = (y{prime} * one{others}) * c{prime} % N\n"
    )


def _value(prime: str) -> str:
    """The name of a prime's digit; for the first prime it is the residue itself."""
    return f"y{prime}" if prime == RADIX[0] else f"h{prime}"


class Words:
    """Makes the words of y, of which y0 is the lowest.  carries: two scalars whose bits become
    carries.  short: whether operands of the multiplier are shorter than registers."""

    def __init__(self, primes: int, blinded: bool, carries: tuple[str, str], short: bool):
        self.primes, self.blinded, self.carries, self.short = primes, blinded, carries, short

    def text(self) -> str:
        """The text of all steps from the digits to the words."""
        order = RADIX[: self.primes]
        top = [_value(order[-1])]  # of the bracket, the lowest word first
        steps = ""
        for place in reversed(range(self.primes - 1)):
            added, blinded, words = _value(order[place]), self.blinded, list[str]()
            prefix = f"z{place}_" if place else "y"
            for number, word in enumerate(top):
                low, high = f"{prefix}{number}", f"{prefix}{number + 1}"
                steps += self._step(order[place], word, added, blinded, high, low)
                words.append(low)
                added, blinded = high, False
            top = [*words, added]
        return steps

    def _step(self, prime: str, word: str, added: str, blinded: bool, high: str, low: str) -> str:
        """The text for high * 2^w + low = prime * word + added."""
        one, three = (f"free{added[1:]}{n}" if blinded else "one" for n in (1, 3))
        more = tuple(f", free{added[1:]}{n}" * blinded for n in (1, 3))
        return f"""modulus 2
constant one
constant {prime}1{more[0]} secret
f = ({word} * {prime}1 + {added} * {one}) % N
modulus 3
constant one, half, last
constant {prime}3{more[1]} secret
t = ({word} * {prime}3 + {added} * {three} - f * one) * half % N
{self._short(high, low) if self.short else self._whole(high, low)}"""

    def _whole(self, high: str, low: str) -> str:
        """The text that makes both words from f and t, by sums of registers."""
        first, second = self.carries
        return f"""\
# `last` is the modulus - 1, as it is; `below` is 2^r - 1 - t for registers of r bits, so that
# f + 1 + below carries if f is not below t
constant rest, next, ones, top whole
less = (last - t) % N
wrap {first}: below = less + rest
wrap {first}: f = f + next
wrap {first}: before = t + ones
wrap {second}: {low} = f + below
wrap {first}: more = {low} + top
{high} = t if {second} else before
{low} = {low} if {second} else more
"""

    def _short(self, high: str, low: str) -> str:
        """The same for operands that are shorter than registers: only the carry comes from a
        sum of registers.  f - t is computed modulo 2^w - 1, and t - 1 modulo 2^w - 3."""
        first, second = self.carries
        return f"""\
# `last` is the modulus - 1, as it is; `below` is 2^r - 1 - t for registers of r bits, so that
# f + 1 + below carries if f is not below t
constant unit
constant rest, next whole
less = (last - t) % N
wrap {first}: below = less + rest
wrap {first}: over = f + next
wrap {second}: over = over + below
before = (t - unit) % N
{high} = t if {second} else before
modulus 2
constant one, unit
over = (f * one - t * one) % N
more = over + unit
{low} = over if {second} else more
"""
