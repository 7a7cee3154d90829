"""Writes the files of `build` for a processor: its testbench, its description, its datasheet."""
