"""Writes everything that is delivered of a design: HDL, testbench, constraints, datasheet."""
