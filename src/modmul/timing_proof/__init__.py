"""Proves on a netlist that a design takes constant time: no secret bit has a path to a handshake.

Which net depends on which follows from the cells alone (`rules`, `chip_cells`), bit by bit, through
logic, registers and memories.  What no secret reaches (`propagation`) is, in every cycle and for
every input, a function of the public inputs: two runs that differ in secrets only are the same
there.  The other way round does not hold: what is reached may still be constant."""
