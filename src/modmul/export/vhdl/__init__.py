"""Writes the records of `verilog` as VHDL-93.  Begin reading at `writer.vhdl`."""
