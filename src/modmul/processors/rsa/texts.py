"""The texts of the programs of a processor for RSA (the language: docs/engine.md).

A private operation by the Chinese remainder theorem has a modulus for each prime and two for
numbers in words: 0 is p, 1 is q, 2 is 2^w - 1 and 3 is 2^w - 3, 4 and 5 are a third and a fourth
prime.  x and y have as many numbers as there are primes.  After the powers modulo each prime, which
`joining` makes one number of, y^e is compared with x modulo each prime, y taken from the numbers
that are put out, x as it comes a second time (c0, c1, ...); only if all agree, and y is not 0 for
another x, do these leave, else zeros in their place.

Where moduli are blinded, these are k times a prime, k odd; `KeyNumbers.factor` draws it, by a
generator that is seeded with the key and its seed.
Nothing is reduced modulo a prime alone: what is k times a number modulo k times the prime is k
times the residue, and a product with 1/k modulo 2^w - 1, or another prime, takes k away.  What is
0 modulo the prime is 0 once it is multiplied by k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modmul.processors.rsa.joining import PRIMES, Words, digits
from modmul.processors.rsa.powers import power

PLACES = (0, 1, 4, 5)  # the numbers of the moduli of primes
OWN = (0, 1)  # the same in the second of two engines


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Writes the programs of one processor.

    method: of powers.  bits: the most bits of a prime, or of n in an operation that is not done by
    primes.  base: whether x is multiplied by a random number.  exponent: bits of the random number
    that blinds exponents, or 0.  modulus: whether moduli are blinded.  primes: of a key.
    montgomery: whether the multiplier has a Montgomery domain.  in_words: whether x comes in
    numbers as wide as the multiplier.  Else they are as wide as a register, and so is R, if there
    is a Montgomery domain."""

    method: str
    bits: int
    base: bool = False
    exponent: int = 0
    modulus: bool = False
    primes: int = 2
    montgomery: bool = True
    in_words: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return PRIMES[: self.primes]

    @property
    def crt(self) -> str:
        """The private operation by primes."""
        return self._whole(self.names, ("dp", "dq"))

    @property
    def first(self) -> str:
        """The part of the first of two engines in the private operation by primes; half of the
        residues come from the second engine."""
        return self._whole(self.names[::2], ("dp", "e"))

    @property
    def second(self) -> str:
        names = self.names[1::2]
        powers = "".join(
            f"{self._half(place, name)}output y{name}\n"
            for place, name in zip(OWN, names, strict=False)
        )
        return f"{_SECOND}{self._inputs(names)}{self._blind(names)}{powers}"

    @property
    def plain(self) -> str:
        """The private operation modulo n."""
        entered = f"{self._blind(('',))}{self._entered('x * r2', '')}{self._power('')}"
        left, checked = f"low = {self._left('')} % N\n", self._plain_check
        if not self.modulus:
            return f"{_PLAIN}{entered}{left}{checked}"
        return f"{_PLAIN}constant k secret\n{entered}{left}{_FREED}{checked}"

    # ---- by primes ----------------------------------------------------------------------------

    def _whole(self, own: Sequence[str], carries: tuple[str, str]) -> str:
        """The private operation by primes.  own: those whose powers are computed here.  Of
        the other residues one comes in after each of these powers but the last, so that both
        engines begin the next ones together, and the rest at the end.  carries: see `Words`."""
        places = dict(zip(self.names, PLACES, strict=False))
        missing = [name for name in self.names if name not in own]
        powers = ""
        for name in own:
            powers += self._half(places[name], name)
            if missing and name != own[-1]:
                powers += self._comes(missing.pop(0))
        checks = "".join(map(self._check, places.values(), places))
        out = "".join(f"output y{word} checked\n" for word in reversed(range(self.primes)))
        joined = digits(self.names, PLACES, self.modulus, "".join(map(self._comes, missing)))
        words = Words(self.primes, self.modulus, carries, self.in_words).text()
        last = self._again(self.names[-1])  # comes with the status
        fits = self._fits([f"y{word}" for word in range(self.primes)], carries[0])
        named = range(self.primes)
        nonzero = _nonzero([f"y{n}" for n in named], [f"c{n}" for n in named], carries[0])
        return (
            f"{_HEAD}{self._inputs(own)}scalar e\ncounter m\n{self._blind(own)}{powers}"
            f"# ---- joined\n{joined}{words}{self._numbers('c')}"
            f"{checks.removesuffix(last)}{nonzero}{fits}{out}{last}{fits}"
        )

    def _inputs(self, names: Sequence[str]) -> str:
        d = ", ".join(f"d{name}" for name in names)
        return f"{self._numbers('x')}scalar {d} secret\n"

    def _numbers(self, name: str) -> str:
        """The input of the numbers of x, which are called name0, name1, ..."""
        numbers = ", ".join(f"{name}{place}" for place in range(self.primes))
        return f"input {numbers} secret below {self._below}\n"

    @property
    def _below(self) -> str:
        """The bound, in a program, of numbers of x and of residues from another engine."""
        return "W" if self.in_words else "R"

    def _comes(self, prime: str) -> str:
        """The input of a residue that another engine computes."""
        return f"input y{prime} secret below {self._below}\n"

    def _half(self, place: int, prime: str) -> str:
        """The text for the residue y of one prime, multiplied by k if moduli are blinded."""
        above = "r3" if self.montgomery else f"above{prime}"
        above = f"shift{prime}" if self.in_words else above
        entered = self._entered(self._x("x", prime, above), prime)
        return f"""# ---- modulo {prime}
modulus {place}
constant one, r2, unit, {above}{f", k{prime}" * self.modulus} secret
{entered}{self._power(prime)}y{prime} = {self._left(prime)} % N
"""

    def _x(self, name: str, prime: str, above: str) -> str:
        """The expression for x in the Montgomery domain, from its numbers.  name: of these,
        x or c.  above: the factor of the second one, if they are as wide as a register."""
        if self.in_words:
            return self._of_words(name, prime)
        last = f"({above} ** 2 % N)" if self.montgomery else f"({above} ** 2 * {above} % N)"
        third = f"({above} * r2 % N)" if self.montgomery else f"({above} ** 2 % N)"
        powers = ("r2", above, third, last)[: self.primes]
        return " + ".join(f"{name}{number} * {factor}" for number, factor in enumerate(powers))

    def _blind(self, names: Sequence[str]) -> str:
        """The declarations for blinded exponents, without the orders of the groups."""
        named = ", ".join(f"kd{name}" for name in names)
        text = f"constant zero, carry whole\nrandom {named} below R\n"
        return text if self.exponent else ""

    def _entered(self, x: str, prime: str) -> str:
        """The text for T1 = x in the Montgomery domain, times r^e if x is blinded."""
        if not self.base:
            return f"T1 = {x}\n"
        return f"random re{prime}, ri{prime}\nT1 = ({x}) * (re{prime} * r2)\n"

    def _power(self, prime: str) -> str:
        return power(self.method, f"d{prime}", f"order{prime}", self.bits, self.exponent)

    def _left(self, prime: str) -> str:
        """The expression for y outside the Montgomery domain, multiplied by 1/r if x is
        blinded, and by k if moduli are."""
        y = f"y * ri{prime}" if self.base else "y * unit"
        return f"{y} * k{prime}" if self.modulus else y

    def _check(self, place: int, prime: str) -> str:
        """The test that y^e is x modulo a prime.

        x is reduced by another constant than at first.  With the same one, a fault in it would give
        another x modulo this prime alone, whose power would be right.  If x is in words as y is,
        the constant is the same: there such a fault changes y, too."""
        cubed = self.montgomery and not self.in_words
        above = "cube" if cubed else f"shift{prime}"
        cube = "cube = r2 ** 2 % N\n" * cubed
        named = "one, r2, unit" if self.primes > 2 else "one, r2"
        x = self._x("c", prime, above)
        return f"""# ---- the test modulo {prime}
modulus {place}
constant {named}, shift{prime}{f", k{prime}" * self.modulus} secret
scalar e = e
v = {self._of_words("y", prime)}
{_BY_E}{cube}test {self._zero(f"w - ({x})", prime)}
{self._again(prime)}"""

    def _again(self, prime: str) -> str:
        """The test that the number read before the loop is the same after it; for the last
        prime, after the result was put out."""
        return f"test 1: ({self._of_words('y', prime)} - v) % N\n"

    def _of_words(self, name: str, prime: str) -> str:
        """The expression for x or y in the Montgomery domain, from its words."""
        text = f"{name}{self.primes - 1} * shift{prime} + {name}{self.primes - 2} * r2"
        for word in reversed(range(self.primes - 2)):
            text = f"({text}) * (shift{prime} * unit) + {name}{word} * r2"
        return text

    def _fits(self, words: Sequence[str], carry: str) -> str:
        """The test that the words of y have no bits above the multiplier's width, or "" if
        the multiplier takes all bits of a register."""
        if not self.in_words:
            return ""
        sums = "".join(
            f"wrap {carry}: over = {word} + gap\nbeyond = gap if {carry} else beyond\n"
            for word in words
        )
        return f"constant zero, gap whole\nbeyond = zero\n{sums}test beyond\n"

    @property
    def _plain_check(self) -> str:
        fits = self._fits(["low"], "d")
        return f"""input c secret
v = low * r2
{_BY_E}test {self._zero("w - c * r2", "")}
{_nonzero(["low"], ["c"], "d")}{fits}output low checked
test 1: (low * r2 - v) % N
{fits}"""

    def _zero(self, difference: str, prime: str) -> str:
        """An expression that is 0 if the difference is 0 modulo the prime."""
        return f"({difference}) * k{prime} % N" if self.modulus else f"({difference}) % N"


def _nonzero(y: Sequence[str], x: Sequence[str], carry: str) -> str:
    """The test that y is not 0 unless x is.  If no product were written, 0 would be compared
    with 0.  carry: the scalar whose bit becomes carries."""
    of_y = "".join(
        f"wrap {carry}: over = {word} + most\nvoid = zero if {carry} else void\n" for word in y
    )
    of_x = "".join(
        f"wrap {carry}: over = {word} + void\nlost = most if {carry} else lost\n" for word in x
    )
    return f"constant most\nconstant zero whole\nvoid = most\nlost = zero\n{of_y}{of_x}test lost\n"


# w = v^e, bit by bit.
_BY_E = """w = one
loop m:
  digit e 1
  t = one
  t = v if e[1] else t
  w = w ** 2
  w = w * t
end
"""
PUBLIC = f"""# x^e mod n, the public operation of RSA.  m: bits of e, which are public.
constant one, r2, unit
input x
scalar e
counter m
v = x * r2
{_BY_E}output w * unit % N
"""

_HEAD = """# x^d mod n by its residues modulo the primes, tested: the private operation of RSA.
# x = x0 + x1*R + ...  dp, dq, ...: d modulo p - 1, q - 1, ...  m: bits of e.
"""
_SECOND = "# x^d modulo half of the primes: of a private operation of RSA.\n"
_FREED = """modulus 2
constant free secret
low = low * free % N
modulus 0
constant one, r2, k secret
"""
_PLAIN = """# x^d mod n, tested: the private operation of RSA, not by primes.  m: bits of e.
constant one, r2, unit secret
input x secret
scalar d secret
scalar e
counter m
"""
