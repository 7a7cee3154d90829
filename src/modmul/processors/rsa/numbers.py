"""The numbers that the programs of a processor for RSA take, by the names that they have there."""

from __future__ import annotations

import math
import random

from modmul.arithmetic.keys import Key
from modmul.processors.engine.machine import Engine


def moduli(key: int, width: int, halves: bool) -> tuple[int, ...]:
    """Those that the program chooses from."""
    if not halves:
        return (int(key),)
    assert isinstance(key, Key)
    return key.p, key.q, (1 << width) - 1, (1 << width) - 3


def facts(key: int, engine: Engine, halves: bool, blind: int) -> dict[str, int]:
    """The constants that follow from a key, beside those of every modulus.  blind: bits by which
    exponents are blinded."""
    if not isinstance(key, Key):
        return {}
    found = {"zero": 0, "carry": 1 << engine.wide - blind if blind else 0}
    shift = engine.wide - engine.multiplier.width  # so that a register begins with the first bit
    if not halves:
        return found | {"order": math.lcm(key.p - 1, key.q - 1) << shift}
    orders = {"orderp": key.p - 1 << shift, "orderq": key.q - 1 << shift}
    return found | orders | _joining(key, engine)


def _joining(key: Key, engine: Engine) -> dict[str, int]:
    """Those that make one number of two halves."""
    width, size = engine.multiplier.width, 1 << engine.wide
    third = (1 << width) - 3
    factor = engine.over(third).montgomery_factor or 1
    above = factor << width
    return {
        "c": pow(key.q, -1, key.p), "shiftp": above % key.p, "shiftq": above % key.q,
        "q1": key.q, "q3": key.q, "half": pow(2, -1, third), "last": -pow(factor, -1, third),
        "rest": size - third, "next": 1, "ones": size - 1, "top": (1 << width) % size,
    }  # fmt: skip


def private(key: int, x: int, engine: Engine, halves: bool, blind: int) -> dict[str, int]:
    """What a private operation takes.  The random numbers follow from the operands: they are for
    simulations, and no result depends on them."""
    assert isinstance(key, Key)
    chance = random.Random(f"{key.p} {key.q} {x}")
    found = facts(key, engine, halves, blind) | {"e": key.e, "m": key.e.bit_length()}
    found |= {f"kd{prime}": chance.getrandbits(engine.wide) for prime in ("", "p", "q")}
    for name, modulus in (("", int(key)), ("p", key.p), ("q", key.q)):
        found |= dict(zip((f"re{name}", f"ri{name}"), pair(modulus, key.e, chance), strict=True))
    if not halves:
        return found | {"x": x, "d": key.d}
    low = (1 << engine.wide) - 1
    return found | {"x0": x & low, "x1": x >> engine.wide,
                    "dp": key.d % (key.p - 1), "dq": key.d % (key.q - 1)}  # fmt: skip


def pair(modulus: int, e: int, chance: random.Random) -> tuple[int, int]:
    """r^e and 1/r for a random r."""
    while True:
        r = chance.randrange(1, modulus)
        if math.gcd(r, modulus) == 1:
            return pow(r, e, modulus), pow(r, -1, modulus)


def public(x: int, e: int, bits: int) -> dict[str, int]:
    """What a public one takes."""
    return {"x": x, "e": e, "m": max(1, bits)}
