"""The engine: a small machine that runs programs of modular operations, for RSA, elliptic curves
and Kummer surfaces.

Words are issued at times that are known beforehand; nothing branches on a number.  The instruction
set is data (isa.toml), programs are text, their loops are scheduled for a multiplier by what it
declares, and the golden machine executes the words cycle by cycle.  `hardware` does the same as a
circuit.  See docs/engine.md."""
