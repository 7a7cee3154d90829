"""Carry-save arithmetic on Python integers, for the golden models."""

from __future__ import annotations

import math


def carry_save_add(a: int, b: int, c: int) -> tuple[int, int]:
    """Return (sum, carry) of a row of full adders: a + b + c = sum + carry; bit 0 of carry is 0."""
    return a ^ b ^ c, ((a & b) | (a & c) | (b & c)) << 1


def bits(value: int, count: int) -> list[int]:
    """The `count` low bits of `value` (it must have no others), lowest first."""
    return [int(digit) for digit in reversed(f"{value:0{count}b}")]


def modulus_hat(modulus: int) -> int:
    """N^ = N' + 1, N' the multiple N or 3N that is 3 mod 4; below 2^(k+2), a multiple of 4.

    Added to an odd number, it gives the same half as N' (kuang2016, section III)."""
    return modulus + 1 if modulus & 3 == 3 else 3 * modulus + 1


def half_adder_steps(ss: int, sc: int) -> int:
    """The rows of half adders until the carry word is 0: the longest run of a carry."""
    steps = 0
    while sc:
        ss, sc = ss ^ sc, (ss & sc) << 1
        steps += 1
    return steps


def _skip_table() -> list[tuple[int, int, int]]:
    """Return, for each 8 * (SS mod 8) + SC mod 8: whether the sum forbids leaving out an iteration,
    the next quotient, and the one after it without bit 2 of the addend."""
    table = []
    for index in range(64):
        ss, sc = index >> 3, index & 7
        high, low = (ss ^ sc) >> 1 & 1, ss & sc & 1
        table.append((high | low, high ^ low, ((ss ^ sc) >> 2 ^ (ss & sc) >> 1) & 1))
    return table


_SKIP_TABLE = _skip_table()


def mean_half_adder_steps(width: int, offset: float, bend: float) -> float:
    """The usual mean of `half_adder_steps`: the longest carry of `width` random bits grows
    with their logarithm.  offset, bend: fitted constants; their definitions say to what."""
    return math.log2(width) + offset + bend / (width + 8)


def skipping_loop(
    a: int, b_hat: int, n_hat: int, iterations: int, skips: str
) -> tuple[int, int, int]:
    """Run the loop of SCS-MM-New (kuang2016, Fig. 10): SS, SC after the last shift, and cycles.

    skips: "free", "alternate" or "off"."""
    addends = (0, n_hat, b_hat, b_hat + n_hat)
    scanned = [*bits(a, iterations), 0, 0]
    n_hat_2, last, table = n_hat >> 2 & 1, iterations - 1, _SKIP_TABLE
    always, again = skips != "off", skips == "free"
    ss = sc = quotient = addend = cycles = 0
    index, allowed = -1, always
    while index <= last:
        cycles += 1
        blocked, following, after = table[(ss & 7) << 3 | sc & 7]
        bit, half, carry = scanned[index + 1], ss ^ sc, ss & sc
        if addend:
            half, carry = half ^ addend, carry | half & addend
        if blocked or bit or not allowed or index == last:
            quotient, index, allowed = following, index + 1, always
            ss, sc = half >> 1, carry
        else:
            bit, quotient = scanned[index + 2], after ^ quotient & n_hat_2
            index, allowed = index + 2, again
            ss, sc = half >> 2, carry >> 1
        addend = addends[2 * bit + quotient]
    return ss, sc, cycles
