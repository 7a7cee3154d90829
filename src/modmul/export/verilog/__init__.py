"""Writes RTLIL without processes as readable Verilog.  Begin reading at `writer.verilog`."""
