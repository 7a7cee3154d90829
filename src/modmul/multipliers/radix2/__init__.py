"""Radix-2 multipliers without DSP blocks: one bit of an operand a cycle, one file each."""
