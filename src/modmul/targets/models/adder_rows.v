// Rows of carry-save adder cells, for simulation.  carry is not shifted.

// WIDTH full adders: a + b + c = sum + 2 * carry.
module modmul_adder_row #(parameter WIDTH = 1) (
  input [WIDTH-1:0] a, b, c, output [WIDTH-1:0] sum, carry);
  assign sum = a ^ b ^ c;
  assign carry = (a & b) | (a & c) | (b & c);
endmodule

// full = 1: as above with x for c.  full = 0: two rows of half adders in series on a and b.
module modmul_configurable_row #(parameter WIDTH = 1) (
  input [WIDTH-1:0] a, b, x, input full, output [WIDTH-1:0] sum, carry);
  wire [WIDTH-1:0] half = a ^ b;
  wire [WIDTH:0] generated = {a & b, 1'b0};
  wire [WIDTH-1:0] third = full ? x : generated[WIDTH-1:0];
  assign sum = half ^ third;
  assign carry = (half & third) | (full ? generated[WIDTH:1] : {WIDTH{1'b0}});
endmodule
