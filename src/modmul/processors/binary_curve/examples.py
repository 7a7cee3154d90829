"""Small processors for binary curves."""

from __future__ import annotations

from typing import Any

# The name and the parameters of a multiplier, and the parameters of the processor.
EXAMPLES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    # one degree, several words
    ("fips", {"width": 18, "word": 8}, {}),
    # every degree up to 17, sums that are reduced, points alone, coordinates as they are
    (
        "fips",
        {"width": 18, "word": 4, "binary_square": "spread"},
        {"degrees": "any", "schemes": False, "randomise": False, "register_file": "distributed"},
    ),
    # no integer products
    ("fips", {"width": 18, "word": 8, "field": "binary"}, {"schemes": False}),
    # very short, blinded scalars
    ("fips", {"width": 8, "word": 4, "multipliers": 2}, {"verification": False, "blinding": 5}),
    # one field, in which nothing is loaded
    ("gf2m-serial", {"width": 18, "modulus": 0x20009, "digit": 4}, {"schemes": False}),
)
