"""Proves on the emitted Verilog that products are right, for all operands and all moduli."""
