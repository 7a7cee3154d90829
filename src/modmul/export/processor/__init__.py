"""What `build` writes about a processor: its testbench, its description, its datasheet."""
