"""Small processors for curves: every kind of multiplier, every formula."""

from __future__ import annotations

from typing import Any

# The name and the parameters of a multiplier, and the parameters of the processor.
EXAMPLES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    # two products in flight
    ("fpmm", {"width": 64}, {}),
    # complete formulas, coordinates as they are; signatures without their verification
    (
        "fpmm",
        {"width": 64},
        {
            "formulas": "complete",
            "randomise": False,
            "forms": "weierstrass",
            "verification": False,
            "schemes": "ecdsa",
        },
    ),
    # blinded scalars, a ladder on x alone, two multiplications at once
    (
        "fpmm",
        {"width": 32},
        {
            "formulas": "x-only",
            "blinding": 40,
            "batch": 2,
            "forms": "weierstrass",
            "verification": False,
            "schemes": "ecdsa",
        },
    ),
    # words, one product at a time, registers in LUTs, four multiplications at once, powers as well
    (
        "fips",
        {"width": 32, "word": 8},
        {
            "register_file": "distributed",
            "verification": False,
            "forms": "weierstrass",
            "batch": 4,
            "schemes": "none",
            "powers": True,
        },
    ),
    # whole numbers, behind a converter
    (
        "montgomery-lookahead",
        {"width": 32},
        {"forms": "edwards", "verification": False, "schemes": "eddsa"},
    ),
)
