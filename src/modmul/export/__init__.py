"""What leaves the house: HDL, testbench, constraints, datasheet."""
