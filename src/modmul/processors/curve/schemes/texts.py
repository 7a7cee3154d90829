"""Parts of programs that several schemes have, made of those of the library.

Modulus 0 is the prime of the curve, modulus 1 the order n of the base point G."""

from __future__ import annotations

import re

from modmul.arithmetic.curves import Curve
from modmul.processors.curve import checks
from modmul.processors.curve.checks import WEIERSTRASS as ON
from modmul.processors.curve.schemes.task import Sources, between
from modmul.processors.engine import blinding
from modmul.processors.engine.blinding import Added

_AS_IT_COMES = Added()
HEAD = """constant one, r2, fermat, a, b
constant n aligned
"""
# Private keys are multiplied by B, which is random, before they meet any other number.
_KEYS = """constant one, r2, unit, fermat
input d, nonce secret
input z secret below 2N
random mask
B = mask * r2
"""
# The bits of k + n or k + 2n without the highest one, made of `number`, with zeros before them.
_FROM_NUMBER = """constant once, twice whole
wrap k: t = number + twice
wrap k: other = number + once
other = other if k else t
"""
_EXACTLY = """s = s * u
i = 1 / (W * y2)
t = i * y2
x = X + xQ * (s * t)
y = (Y + 2 * (M * xQ)) * (Y1 * (V * t))
# ---- 2P, and the scalars for which the ladder is not defined
t = i * W
m = (x3 * X + a) * t
xd = m ** 2 - 2 * X
yd = m * (xd - X) + Y1
wrap k: t = number + two
x = x if k else X
y = y if k else Y1
wrap k: t = number + least
x = xd if k else x
y = yd if k else y
wrap k: t = number + last
x = X if k else x
minus = (one - one) - Y1
y = minus if k else y
"""
_DEFINED = """constant two, least, last whole
wrap k: t = number + two
W = W if k else one
wrap k: t = number + least
W = one if k else W
"""


def scalar(sources: Sources, file: str = "ladder") -> str:
    """The declaration of the secret scalar k from the host, recoded or to be blinded."""
    if not sources.blinding:
        return "scalar k secret by n\n"
    return f"{blinding.declared(file, _AS_IT_COMES)}scalar k secret\n"


def laddered(sources: Sources, file: str, begin: str, end: str, added: Added = _AS_IT_COMES) -> str:
    """The part of a ladder of the library from `begin` up to `end`, blinded if `sources` say
    so.  added: names of the parts of a blinded scalar."""
    body = between(sources.library(file), begin, end)
    if sources.blinding:
        return blinding.in_two(file, body, sources.blinding, added)
    return body.replace("loop bits:", f"loop {added.steps}:")


def multiplied(sources: Sources, added: Added = _AS_IT_COMES, recoded: str = _FROM_NUMBER) -> str:
    """The text for x and y of k*P, for the point (X, Y1) and any k from 1 to n-1, which must
    also be in `number`; all in the Montgomery domain, X below the prime.  added: as for `laddered`.
    recoded: makes `other`, of which the bits of k are taken again, with protection.

    The ladder is not defined for k = 1, n-2 and n-1.  There P or 2P is selected by the carries of
    three sums, so that all k take the same time.  Constants that are needed after the ladder are
    read after it: if a fault changed one earlier, the wrong result could still be on the curve."""
    body = laddered(sources, "ladder", "L = lam * r2", "test W", added)
    exactly = _EXACTLY
    if not sources.protected:
        return body + _DEFINED + exactly
    again = ""
    if not sources.blinding:
        body, _ = checks.twice(body)
        again = recoded + _AGAIN.format(wide=sources.wide)
    exactly, selected, selection = exactly.partition("wrap k: t = number + two\n")
    other = re.sub(r"\b([xy])\b", r"\1_2", selected + selection)
    return f"{body}{_DEFINED}{exactly}x_2 = x\ny_2 = y\n{selected}{selection}{other}{again}{_ALIKE}"


_AGAIN = """scalar k = other
loop {wide}:
  bit k
end
bit k
bit k same
"""
# Two points (x, y) that were selected in the same way.
_ALIKE = """test 2: (x - x_2) % N
test 2: (y - y_2) % N
"""
_BLINDED = "# k is blinded.  Where the ladder is by chance not defined for it, bit 0 is 1, too.\n"


def about_signing(signed: str, zero: str) -> str:
    """The comment at the head of a program that signs.  zero: what bit 0 tells to be 0."""
    return f"""# {signed}.
# The status is 0; bit 0 is 1 where {zero} is 0, bit 2 after a fault: then r and s leave as 0.
# lam and mask, not 0, are random: they randomise all coordinates, and what is done with d.
"""


SAME_NONCE = "test 2: (nonce * B - number * B) % N\n"


def of_nonce(sources: Sources) -> str:
    """The text that computes x of k*G as a residue, for the nonce k, which the host sends
    twice: as a scalar and as a number."""
    about = _BLINDED if sources.blinding else ""
    result = "".join(f"{name} = W * unit % N\n" for name in defined(sources))
    return f"""{about}{HEAD}constant bx, by
random lam
input number secret below {"2N" if sources.protected else "R"}
{scalar(sources)}counter bits
X = bx
Y1 = by
{multiplied(sources)}{residue_on_curve(sources, "W" if sources.blinding else "")}{result}"""


def residue_on_curve(sources: Sources, unless: str) -> str:
    """The text that makes x a residue, and sets bit 2 of the status if (x, y) is not on the
    curve; with protection that residue is what is tested."""
    left = "constant unit\nx = x * unit % N\n"
    if not sources.protected:
        return result_on_curve(2, unless) + left
    return f"{left}constant r2\n{result_on_curve(2, unless, 'x * r2')}"


def defined(sources: Sources) -> tuple[str, ...]:
    """The name of a number that is 0 if the ladder is, by chance, not defined for a blinded
    scalar.  That is no fault, but gives no signature."""
    return ("defined",) if sources.blinding else ()


def signature(
    sources: Sources, statements: str, equations: str, *also: str, near: str = " near"
) -> str:
    """The end of a program that signs, modulo the order.

    statements: compute r and s from the digest z, the nonce and the private key d, none of which is
    in the Montgomery domain, and from B, a random number that is.  d is multiplied by B before all
    else.  equations: differences that are 0 if the signature is right, computed anew.  also:
    numbers besides r and s that must not be 0."""
    nonzero = not_zero(0, "r", "s", *also)
    tests = right_modulus() + equations if sources.protected else ""
    return (
        f"modulus 1{near}\n{_KEYS}{statements}{tests}{nonzero}output r checked\noutput s checked\n"
    )


def right_modulus() -> str:
    """The text that sets bit 2 of the status if the modulus is not the order."""
    return "test 2: n * r2 % N\n"


def pair(constants: str = "", whole: str = "", scalars: str = "kl") -> str:
    """The beginning of a program that verifies: r, s and z as they are, R and S in the
    Montgomery domain.  Bit 2 of the status is 1 if r or s is not below n.  constants, whole:
    further constants that it needs.  scalars: names of its scalars."""
    taken = "".join(f"scalar {name}\n" for name in scalars)
    return f"""modulus 1
constant one, r2, unit{constants}
constant zero, over{whole} whole
input r, s, z below 2N
{taken}{below_order(2, "r", "s")}R = r * r2
S = s * r2
"""


def x_of_sum(sources: Sources, program: str) -> str:
    """The text that computes X, x of times_p*G + times_q*Q as a residue, for a public point
    Q, by a program of the library as `combined` does.  Afterwards the modulus is n.  Bit 0 of the
    status is 1 if the sum is finite, bit 3 if Q is not on the curve."""
    return f"""modulus 0 near
{constants(sources, program, "a", "b", "bx", "by")}input x2, y2
QX = x2 * r2
QY = y2 * r2
{on_curve(3, "QX", "QY")}PX = bx
PY = by
{combined(sources, program)}test Z * unit % N
i = 1 / Z
X = X * i * unit % N
modulus 1 near
constant r2
"""


def combined(sources: Sources, program: str) -> str:
    """The text that computes X, Y and Z of k*P + l*Q in projective coordinates, by a program
    of the library, for the numbers `times_p` and `times_q` and the points (PX, PY) and (QX, QY) in
    the Montgomery domain.  It goes through all bits of a register."""
    body = sources.library(program)
    loop = f"scalar k = times_p\nscalar l = times_q\nloop {sources.wide}:"
    end = "test Z" if "\ntest Z" in body else "i = 1 / Z"
    body = between(body, "QY = y2", end).partition("\n")[2]
    return "nil = one - one\n" + body.replace("loop bits:", loop)


def constants(sources: Sources, program: str, *more: str) -> str:
    """The declaration of the constants of a program of the library, and of more."""
    known = between(sources.library(program), "constant ", "\n").removeprefix("constant ")
    return f"constant {', '.join(dict.fromkeys([*known.split(', '), *more]))}\n"


def on_curve(flag: int, x: str, y: str) -> str:
    """The text that sets a bit of the status if (x, y) is not on the curve."""
    return f"test {flag}: ({ON.format(x=x, y=y)}) % N\n"


def result_on_curve(flag: int, unless: str, x: str = "x", y: str = "y") -> str:
    """The same for the point (x, y) that `multiplied` gives, which is not on the curve after
    a fault.  The bit stays 0 if `unless` is 0."""
    factor = f" * {unless}" if unless else ""
    point = f"x_left = {x}\ny_left = {y}\n"
    return f"{point}test {flag}: ({ON.format(x='x_left', y='y_left')}){factor} % N\n"


def not_zero(flag: int, *names: str) -> str:
    """The text that sets a bit of the status if one of some residues is 0."""
    return "constant zero, most whole\n" + "".join(
        f"wrap k: t = {name} + most\nt = zero if k else unit\ntest {flag}: t\n" for name in names
    )


def equal(sources: Sources, *pairs: tuple[str, str]) -> str:
    """The text that sets bit 2 of the status if the numbers of some pair differ modulo the
    modulus.  With protection it also sets bit 3: a fault in one of the two tests hides nothing."""
    text = "".join(f"test 2: ({left} - {right}) % N\n" for left, right in pairs)
    if sources.protected:
        text += "".join(f"test 3: ({right} - ({left})) % N\n" for left, right in pairs)
    return text


def below_order(flag: int, *names: str) -> str:
    """The text that sets a bit of the status if one of some numbers is not below n."""
    return "".join(
        f"wrap k: t = {name} + over\nt = unit if k else zero\ntest {flag}: t\n" for name in names
    )


def facts(curve: Curve, wide: int) -> dict[str, int]:
    """The further constants of a curve for these programs.  wide: bits of a register."""
    size, n, top = 1 << wide, curve.order, 1 << curve.order.bit_length()
    return {
        "bx": curve.x,
        "by": curve.y,
        "two": size - 2,
        "least": size - n + 2,
        "last": size - n + 1,
        "over": size - n,
        "zero": 0,
        "high": -size % n,
        "once": n - top + size,
        "twice": (2 * n - top) % size,
    }
