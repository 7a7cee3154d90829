// Simulation model of the Xilinx MULT18X18S (Virtex-II, Virtex-II Pro): signed 18 x 18 product and
// the register behind it, with enable and synchronous reset.
module MULT18X18S (
  input signed [17:0] A,
  input signed [17:0] B,
  input C,
  input CE,
  input R,
  output reg signed [35:0] P
);
  initial P = 36'd0;
  always @(posedge C)
    if (R) P <= 36'd0; else if (CE) P <= {{18{A[17]}}, A} * {{18{B[17]}}, B};
endmodule
