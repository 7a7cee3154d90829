"""Typed calls of the tools (Yosys, nextpnr, Verilator, C++ compilers), versions, the cache."""
