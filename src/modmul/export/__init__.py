"""Writes everything that `build` delivers of a design: Verilog, testbench, constraints,
datasheet, constants."""
