// The rows of targets/cells.py, bit by bit, from cells that synthesis leaves alone.  Which cell of
// the library each of them becomes is written by implementation/mapping.py.

(* blackbox *)
module modmul_full_adder(input a, b, c, output sum, carry);
endmodule

(* blackbox *)
module modmul_half_adder(input a, b, output sum, carry);
endmodule

// x and both generates inverted
(* blackbox *)
module modmul_configurable(input a, b, xn, full, generate_in, output sum, carry, generate_out);
endmodule

module modmul_adder_row #(parameter WIDTH = 1) (
  input [WIDTH-1:0] a, b, c, output [WIDTH-1:0] sum, carry);
  genvar j;
  generate for (j = 0; j < WIDTH; j = j + 1) begin : bits
    modmul_full_adder adder(.a(a[j]), .b(b[j]), .c(c[j]), .sum(sum[j]), .carry(carry[j]));
  end endgenerate
endmodule

`ifdef CONFIGURABLE_CELL
module modmul_configurable_row #(parameter WIDTH = 1) (
  input [WIDTH-1:0] a, b, x, input full, output [WIDTH-1:0] sum, carry);
  wire [WIDTH:0] generated;
  assign generated[0] = 1'b1;
  genvar j;
  generate for (j = 0; j < WIDTH; j = j + 1) begin : bits
    modmul_configurable adder(.a(a[j]), .b(b[j]), .xn(~x[j]), .full(full),
      .generate_in(generated[j]), .sum(sum[j]), .carry(carry[j]), .generate_out(generated[j+1]));
  end endgenerate
endmodule
`else
// A full adder a bit, and gates: a multiplexer before its third input; without `full` its carry
// counts only where a and b did not make it.
module modmul_configurable_row #(parameter WIDTH = 1) (
  input [WIDTH-1:0] a, b, x, input full, output [WIDTH-1:0] sum, carry);
  wire [WIDTH:0] generated = {a & b, 1'b0};
  wire [WIDTH-1:0] majority;
  assign carry = majority & ({WIDTH{full}} | ~generated[WIDTH:1]);
  genvar j;
  generate for (j = 0; j < WIDTH; j = j + 1) begin : bits
    modmul_full_adder adder(.a(a[j]), .b(b[j]), .c(full ? x[j] : generated[j]), .sum(sum[j]),
      .carry(majority[j]));
  end endgenerate
endmodule
`endif
