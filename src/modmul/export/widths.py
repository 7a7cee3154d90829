"""Expressions that no linter has to warn of: a map for Yosys' pass techmap.

It makes the two operands of a cell equally wide, the result of a shift as wide as what is shifted,
and of !x, for a long x, a comparison with zero.  Products stay: no tool warns of them."""

_BINARY = ("add", "sub", "and", "or", "xor", "xnor", "eq", "ne", "lt", "le", "gt", "ge")

_EXTEND = """
(* techmap_celltype = "$NAME" *)
module extend_NAME (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  localparam WIDTH = A_WIDTH > B_WIDTH ? A_WIDTH : B_WIDTH;
  localparam SIGNED = A_SIGNED && B_SIGNED;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  wire _TECHMAP_FAIL_ = A_WIDTH == B_WIDTH;
  wire [WIDTH-1:0] a = {{WIDTH{SIGNED ? A[A_WIDTH-1] : 1'b0}}, A};
  wire [WIDTH-1:0] b = {{WIDTH{SIGNED ? B[B_WIDTH-1] : 1'b0}}, B};
  \\$NAME #(
    .A_SIGNED(SIGNED), .B_SIGNED(SIGNED), .A_WIDTH(WIDTH), .B_WIDTH(WIDTH), .Y_WIDTH(Y_WIDTH)
  ) _TECHMAP_REPLACE_ (.A(a), .B(b), .Y(Y));
endmodule
"""

_SHIFT = """
(* techmap_celltype = "$NAME" *)
module whole_NAME (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  localparam WIDTH = A_WIDTH > Y_WIDTH ? A_WIDTH : Y_WIDTH;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  wire _TECHMAP_FAIL_ = A_WIDTH == Y_WIDTH || A_SIGNED || B_SIGNED;
  wire [WIDTH-1:0] a = {{WIDTH{1'b0}}, A};
  wire [WIDTH-1:0] y;
  \\$NAME #(
    .A_SIGNED(0), .B_SIGNED(0), .A_WIDTH(WIDTH), .B_WIDTH(B_WIDTH), .Y_WIDTH(WIDTH)
  ) _TECHMAP_REPLACE_ (.A(a), .B(B), .Y(y));
  assign Y = y[Y_WIDTH-1:0];
endmodule
"""

_ZERO = """
(* techmap_celltype = "$logic_not" *)
module is_zero (A, Y);
  parameter A_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  output [Y_WIDTH-1:0] Y;
  wire _TECHMAP_FAIL_ = A_WIDTH == 1;
  \\$eq #(
    .A_SIGNED(0), .B_SIGNED(0), .A_WIDTH(A_WIDTH), .B_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)
  ) _TECHMAP_REPLACE_ (.A(A), .B({A_WIDTH{1'b0}}), .Y(Y));
endmodule
"""

MAP = "".join(
    text.replace("NAME", name)
    for text, names in ((_EXTEND, _BINARY), (_SHIFT, ("shl", "shr", "shift")), (_ZERO, ("",)))
    for name in names
)
