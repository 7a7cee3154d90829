"""The writer of Verilog: `writer.verilog` makes a text of RTLIL without processes."""
