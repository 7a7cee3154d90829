"""What is delivered of a design: HDL, testbench, constraints, datasheet."""
