"""What `build` needs for a processor: the plan of its testbench, its description."""
