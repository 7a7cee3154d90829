"""Small processors for Kummer surfaces: multipliers with several products in flight, and one."""

from __future__ import annotations

from typing import Any

# The name and the parameters of a multiplier, and the parameters of the processor.
EXAMPLES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    # two products in flight
    ("fpmm", {"width": 64}, {}),
    # two multiplications at once, coordinates as they are
    ("fpmm", {"width": 64}, {"batch": 2, "randomise": False}),
    # two multipliers, each with a port and an adder
    ("fpmm", {"width": 64}, {"units": 2, "ports": 2, "wrapped": True}),
    # whole operands between registers and units
    ("fpmm", {"width": 64, "word": 17}, {"units": 2, "ports": 2, "interconnect": "operand"}),
    # all products in one bank and all sums in another; all registers in one
    ("fpmm", {"width": 64}, {"units": 2, "ports": 2, "register_file": "two-banks"}),
    ("fpmm", {"width": 64}, {"units": 2, "ports": 2, "register_file": "one-bank", "wrapped": True}),
    # words, one product at a time, registers in LUTs
    ("fips", {"width": 16, "word": 8}, {"register_file": "distributed", "wrapped": True}),
)
