"""Verification: the emitted Verilog in a compiled simulator, checked against big integers."""
