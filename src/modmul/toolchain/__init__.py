"""Runs the external tools (Yosys, nextpnr, Verilator, C++ compilers), knows their versions, and
keeps results in the cache."""
