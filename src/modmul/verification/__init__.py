"""Verifies designs: simulates the emitted Verilog in a compiled simulator, and compares the
results with big integers."""
