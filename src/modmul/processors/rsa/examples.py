"""Small processors for RSA."""

from __future__ import annotations

from typing import Any

# The name and the parameters of a multiplier, and the parameters of the processor.
EXAMPLES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    # two products in flight
    ("fpmm", {"width": 64}, {}),
    # two multipliers
    ("fpmm", {"width": 64}, {"units": 2}),
    # everything blinded
    ("fpmm", {"width": 32}, {"base_blinding": True, "exponent_blinding": 20, "units": 2}),
    ("fpmm", {"width": 32}, {"method": "ladder", "exponent_blinding": 7}),
    # and moduli, too
    (
        "fpmm",
        {"width": 48},
        {"base_blinding": True, "exponent_blinding": 9, "modulus_blinding": 12},
    ),
    # more primes, on one multiplier and on two
    ("fpmm", {"width": 32}, {"method": "ladder", "primes": 3}),
    ("fpmm", {"width": 32}, {"method": "ladder", "primes": 4, "units": 2, "modulus_blinding": 8}),
    # whole numbers, several for a modulus
    ("montgomery-1csa", {"width": 64}, {"method": "ladder"}),
    # operands shorter than registers
    ("montgomery-lookahead", {"width": 16, "stream_word": 8}, {"method": "ladder"}),
    # no Montgomery domain
    ("interleaved-redundant", {"width": 64}, {"method": "ladder"}),
    # words, one product at a time, registers in LUTs
    ("fips", {"width": 16, "word": 8}, {"method": "ladder", "register_file": "distributed"}),
)
