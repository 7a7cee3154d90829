"""Word multiplier and adder for GF(p) and GF(2^m)."""

from modmul.blocks.dual_field.adder import dual_add
from modmul.blocks.dual_field.multiplier import DualFieldMultiplier

__all__ = ["DualFieldMultiplier", "dual_add"]
