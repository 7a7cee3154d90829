"""The texts of the programs of a processor for RSA (the language: docs/engine.md).

A private operation by the Chinese remainder theorem has four moduli: 0 is p, 1 is q, 2 is
2^w - 1 and 3 is 2^w - 3, where w are the bits that primes may have:

    yp = x^dp mod p            yq = x^dq mod q            h = (yp - yq) / q mod p
    y = h*q + yq               in words: y = high * 2^w + low

The last line is no product modulo anything.  As y is below (2^w - 1)(2^w - 3), its residues modulo
these two, a and b, say what it is: with t = (b - a) / 2 mod 2^w - 3, y is a + (2^w - 1) t, which
is t * 2^w + (a - t), or, where a is below t, (t - 1) * 2^w + (a - t + 2^w).

Then y^e is compared with x modulo p and modulo q, y taken from the two numbers that are put out;
only if both agree do these leave, else zeros in their place."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.processors.rsa.powers import power


@dataclass(frozen=True, kw_only=True)
class Texts:
    """method: of powers.  bits: that a prime may have, or, of an operation that is not done by
    halves, the modulus.  base: x is multiplied by a random number.  exponent: bits of one of which
    that multiple of the group's order is added to the exponent, or 0."""

    method: str
    bits: int
    base: bool = False
    exponent: int = 0

    @property
    def crt(self) -> str:
        """The private operation by halves."""
        halves = self._half(0, "p") + self._half(1, "q")
        checks = _check(0, "p") + _check(1, "q")
        return f"{_INPUTS}{self._blind('dp', 'dq')}{halves}{_JOINED}{checks}{_OUTPUT}"

    @property
    def first(self) -> str:
        """The same on two engines, what the first one does: yq comes from the second."""
        checks = _check(0, "p") + _check(1, "q")
        half = f"{_INPUTS.replace(', dq', '')}{self._blind('dp')}{self._half(0, 'p')}"
        return f"{half}{_JOINED.replace(_Q_AT, _Q_COMES).replace('dq', 'e')}{checks}{_OUTPUT}"

    @property
    def second(self) -> str:
        """What the second one does."""
        inputs = "input x0, x1 secret below R\nscalar dq secret\n"
        return f"{_SECOND}{inputs}{self._blind('dq')}{self._half(0, 'q')}output yq\n"

    @property
    def plain(self) -> str:
        """The private operation modulo n."""
        return f"{_PLAIN}{self._blind('d')}{self._entered('x * r2', '')}{self._power('d', '')}" \
               f"low = {self._left('')} % N\n{_PLAIN_CHECK}"  # fmt: skip

    def _half(self, place: int, prime: str) -> str:
        """yp or yq."""
        entered = self._entered("x0 * r2 + x1 * r3", prime)
        return f"""# ---- modulo {prime}
modulus {place}
constant one, r2, unit, r3 secret
{entered}{self._power('d' + prime, prime)}y{prime} = {self._left(prime)} % N
"""

    def _blind(self, *exponents: str) -> str:
        """What blinded exponents are made of, beside the orders of the groups."""
        named = ", ".join(f"k{name}" for name in exponents)
        text = f"constant zero, carry whole\nrandom {named} below R\n"
        return text if self.exponent else ""

    def _entered(self, x: str, prime: str) -> str:
        """T1 = x in the Montgomery domain, times r^e where it is blinded."""
        if not self.base:
            return f"T1 = {x}\n"
        return f"random re{prime}, ri{prime}\nT1 = ({x}) * (re{prime} * r2)\n"

    def _power(self, exponent: str, prime: str) -> str:
        return power(self.method, exponent, f"order{prime}", self.bits, self.exponent)

    def _left(self, prime: str) -> str:
        """y out of the Montgomery domain, times 1/r where it is blinded."""
        return f"y * ri{prime}" if self.base else "y * unit"


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

# ---- by halves --------------------------------------------------------------------------------

_INPUTS = """# x^d mod p*q by its halves modulo p and q, tested: the private operation of RSA.
# x = x1*R + x0.  dp, dq: d modulo p - 1 and q - 1.  m: bits of e.
input x0, x1 secret below R
scalar dp, dq secret
scalar e
counter m
"""
_SECOND = "# x^dq mod q: half of a private operation of RSA.\n"
_Q_AT = "constant one, c secret\n"  # in what follows
_Q_COMES = f"{_Q_AT}input yq secret below R\n"
_JOINED = """# ---- h, and y modulo 2^w - 1 and 2^w - 3
modulus 0
constant one, c secret
h = (yp * one - yq * one) * c % N
modulus 2
constant one
constant q1 secret
a = (h * q1 + yq * one) % N
modulus 3
constant one, half, last
constant q3 secret
t = (h * q3 + yq * one - a * one) * half % N
# ---- in words: `last` is the modulus - 1, as it is; `below` is 2^r - 1 - t for registers of
# r bits, so that a + 1 + below carries if a is not below t
constant rest, next, ones, top whole
less = (last - t) % N
wrap dp: below = less + rest
wrap dp: a = a + next
wrap dp: before = t + ones
wrap dq: low = a + below
wrap dp: more = low + top
high = t if dq else before
low = low if dq else more
"""


def _check(place: int, prime: str) -> str:
    """y^e is x modulo a prime.  What was read before the loop is read again after it, and x is
    reduced by another constant than at first: were it the same, a fault in it would make another x,
    modulo this prime alone, whose power is right."""
    return f"""# ---- the test modulo {prime}
modulus {place}
constant one, r2, shift{prime} secret
scalar e = e
v = high * shift{prime} + low * r2
{_BY_E}cube = r2 ** 2 % N
test (w - (x0 * r2 + x1 * cube)) % N
test 1: (high * shift{prime} + low * r2 - v) % N
"""


_OUTPUT = """output high checked
output low checked
"""

# ---- modulo n ---------------------------------------------------------------------------------

_PLAIN = """# x^d mod n, tested: the private operation of RSA, not by halves.  m: bits of e.
constant one, r2, unit secret
input x secret
scalar d secret
scalar e
counter m
"""
_PLAIN_CHECK = f"""v = low * r2
{_BY_E}test (w - x * r2) % N
test 1: (low * r2 - v) % N
output low checked
"""
