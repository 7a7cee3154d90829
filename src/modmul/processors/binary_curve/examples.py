"""Small processors for binary curves."""

from __future__ import annotations

from typing import Any

# Parameters of the multiplier fips, parameters of the processor.
EXAMPLES: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    # one degree, several words
    ({"width": 18, "word": 8}, {}),
    # every degree up to 17, sums that are reduced, points alone, coordinates as they are
    ({"width": 18, "word": 4, "binary_square": "spread"},
     {"degrees": "any", "schemes": False, "randomise": False, "register_file": "distributed"}),
    # no integer products
    ({"width": 18, "word": 8, "field": "binary"}, {"schemes": False}),
    # very short
    ({"width": 8, "word": 4, "multipliers": 2}, {"verification": False}),
)  # fmt: skip
