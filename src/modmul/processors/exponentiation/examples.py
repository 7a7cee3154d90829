"""Small exponentiation processors: every form of numbers, every method."""

from __future__ import annotations

from typing import Any

# The name and the parameters of a multiplier, and the parameters of the processor.
EXAMPLES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    # two products in flight, in turn
    ("fpmm", {"width": 512, "slots": 2}, {}),
    # words, results up to 4N
    (
        "montgomery-lookahead",
        {"width": 96},
        {"method": "left-to-right", "exponent_secrecy": "public", "exponent_word": 8},
    ),
    # whole numbers, outside any domain
    ("interleaved", {"width": 64}, {"units": 2, "beat": 64}),
    # carry-save pairs
    ("fcs-mm-1", {"width": 64}, {"beat": 16}),
    # checked before it leaves
    ("cios", {"width": 32, "protection": "full"}, {}),
    # both fields, any length, cheaper squares
    ("fips", {"width": 64, "word": 8}, {}),
    # alkhaleel2006, Algorithm 1: squares and products on one folded array
    (
        "three-pass",
        {"width": 64, "partitions": 4},
        {"method": "left-to-right", "exponent_secrecy": "public"},
    ),
)
