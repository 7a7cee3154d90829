"""Polynomials over GF(2) in writing: x^163+x^7+x^6+x^3+1 is the integer with these bits set."""

from __future__ import annotations

import re

from modmul.errors import SpecError

POLYNOMIAL = "a polynomial over GF(2) such as x^163+x^7+x^6+x^3+1"
MAXIMUM_DEGREE = 4095
_TERM = re.compile(r"1|x(?:\^([0-9]{1,9}))?")
_SHOWN = 60  # the most characters of a text that a message repeats


def is_polynomial(text: str) -> bool:
    """Whether `text` is meant as a polynomial: it has powers of x, or x in a sum."""
    lean = "".join(text.lower().split())
    return "x" in lean and ("x^" in lean or "+" in lean)


def read_polynomial(text: str, key: str = "modulus") -> int:
    """A written polynomial as an integer, bit i the coefficient of x^i.  key: what errors
    call it.

    The terms are x^i, x and 1 in any order, joined by +; white space and upper case do not matter.
    Raises SpecError if it is written otherwise, has a term twice, no constant term, or a degree
    below 1 or above 4095."""
    value = 0
    for term in "".join(text.lower().split()).split("+"):
        bit = 1 << _exponent(term, text, key)
        if value & bit:
            raise _refuse(key, text, f"{term} stands there twice, and would cancel: write it once")
        value |= bit
    if value < 2:
        raise _refuse(key, text, "the degree must be from 1")
    if value & 1 == 0:
        raise _refuse(key, text, "the constant term must be 1, or x divides it: add +1")
    return value


def _exponent(term: str, text: str, key: str) -> int:
    match = _TERM.fullmatch(term)
    if match is None:
        wrong = f"{shortened(term)!r} is no term" if term else "a term is missing beside a +"
        raise _refuse(key, text, f"{wrong}: terms are x^i, x and 1, joined by +")
    exponent = 0 if term == "1" else int(match[1] or 1)
    if exponent > MAXIMUM_DEGREE:
        raise _refuse(key, text, f"the degree must be at most {MAXIMUM_DEGREE}")
    return exponent


def write_polynomial(value: int) -> str:
    """The terms of a polynomial from the highest power down, without spaces; 0 for zero."""
    exponents = [i for i in reversed(range(value.bit_length())) if value >> i & 1]
    special = {0: "1", 1: "x"}
    return "+".join(special.get(i, f"x^{i}") for i in exponents) or "0"


def shortened(text: str) -> str:
    """The text, or its beginning and ... if it is long."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _refuse(key: str, text: str, reason: str) -> SpecError:
    return SpecError(key, shortened(text), POLYNOMIAL, f"{key} = {shortened(text)}: {reason}")
