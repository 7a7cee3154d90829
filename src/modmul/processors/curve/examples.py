"""Small processors for curves: every kind of multiplier, every formula."""

from __future__ import annotations

from typing import Any

# Name and parameters of a multiplier, parameters of the processor.
EXAMPLES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    # two products in flight
    ("fpmm", {"width": 64}, {}),
    # complete formulas, coordinates as they are
    ("fpmm", {"width": 64}, {"formulas": "complete", "randomise": False}),
    # words, one product at a time, registers in LUTs
    ("fips", {"width": 32, "word": 8}, {"register_file": "distributed"}),
    # whole numbers, behind a converter
    ("montgomery-lookahead", {"width": 64}, {}),
)
