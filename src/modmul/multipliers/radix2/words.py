"""Carry-save arithmetic on Python integers, for the golden models."""

from __future__ import annotations


def carry_save_add(a: int, b: int, c: int) -> tuple[int, int]:
    """One row of full adders: a + b + c = sum + carry; bit 0 of carry is 0."""
    return a ^ b ^ c, ((a & b) | (a & c) | (b & c)) << 1
