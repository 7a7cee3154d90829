// Simulation model of the Xilinx SRL16E: a shift register of 16 bits, of which one is read.
module SRL16E (
  input CLK, CE, D,
  input A0, A1, A2, A3,
  output Q
);
  parameter [15:0] INIT = 16'd0;
  parameter [0:0] IS_CLK_INVERTED = 1'b0;

  reg [15:0] bits = INIT;
  assign Q = bits[{A3, A2, A1, A0}];
  wire clock = CLK ^ IS_CLK_INVERTED;
  always @(posedge clock) if (CE) bits <= {bits[14:0], D};
endmodule
