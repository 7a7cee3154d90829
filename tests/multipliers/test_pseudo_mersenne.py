"""Pseudo-Mersenne moduli: c by its non-adjacent form."""

from __future__ import annotations

import re

from modmul.export.hdl import emit
from modmul.multipliers.pseudo_mersenne import PseudoMersenne, non_adjacent


def test_the_form_has_the_fewest_digits() -> None:
    """Fewest: every number of up to 8 bits beside all sums of fewer powers with signs."""
    powers = [sign << place for place in range(9) for sign in (1, -1)]
    reached, sums = {0: 0}, {0}
    for count in range(1, 6):
        sums = {total + power for total in sums for power in powers}
        reached = dict.fromkeys(sums, count) | reached
    for number in range(1, 1 << 8):
        digits = non_adjacent(number)
        assert sum(digit << place for place, digit in digits) == number
        assert {digit for _, digit in digits} <= {1, -1} and len(digits) == reached[number]


def test_2_to_the_64_minus_2_to_the_32_plus_1_folds_by_two_terms() -> None:
    verilog = emit(PseudoMersenne(width=64, modulus=2**64 - 2**32 + 1)).verilog
    folds = re.findall(r"folded(?:_twice)? <=(.*?);", verilog, re.DOTALL)
    assert [len(re.findall(" [+-] ", fold)) for fold in folds] == [2, 2]
