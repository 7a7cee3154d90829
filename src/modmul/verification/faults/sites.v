// Places where a fault can strike: all flip-flops of a flattened design are in one module, which
// sites.py writes, so that a cycle without a fault asks once; every memory has a `fault_word`.
// `site` numbers all stored bits of the design; the bits of a place have the numbers from BASE on.

// Holds a fault for its duration, from the cycle after that in which it is sent.
module fault_control (
  input clk,
  input rst,
  input valid,
  input [31:0] site,
  input [15:0] span,
  input [1:0] kind,
  input [31:0] cycles,
  output reg active,
  output reg [31:0] site_now,
  output reg [15:0] span_now,
  output reg [1:0] kind_now
);
  reg [31:0] left;
  initial active = 0;
  always @(posedge clk) begin
    active <= !rst && (valid || left != 0);
    if (valid || left == 0) begin  // afterwards all is as it was
      site_now <= valid ? site : 0;
      span_now <= valid ? span : 0;
      kind_now <= valid ? kind : 0;
    end
    left <= rst ? 0 : valid ? cycles - 1 : left - (left != 0);
  end
endmodule

// The bits that are struck of a register whose first bit has the number `base`, and what they become.
`define MASK(width, base) (~({width{1'b1}} << span) << (site - base))
`define STRIKE(q, d, width, base) \
  if (site >= base && site < base + width) \
    case (kind) \
      0: q <= d ^ `MASK(width, base); \
      1: q <= d & ~`MASK(width, base); \
      2: q <= d | `MASK(width, base); \
      3: q <= d & ~`MASK(width, base) | q & `MASK(width, base); \
    endcase

// A write port of a memory that writes the struck word back with bits flipped.
module fault_word #(
  parameter WIDTH = 1,
  parameter SIZE = 1,
  parameter OFFSET = 0,
  parameter ABITS = 1,
  parameter BASE = 0
) (
  input clk,
  input active,
  input [31:0] site,
  input [15:0] span,
  input [1:0] kind,
  input [WIDTH-1:0] stored,
  output reg [ABITS-1:0] address,
  output reg enable,
  output [WIDTH-1:0] data
);
  reg [WIDTH-1:0] mask;
  initial enable = 0;  // contents of memories at power-up stay
  assign data = stored ^ mask;
  always @(posedge clk) begin
    enable <= 0;
    address <= 0;
    mask <= 0;
    if (active)
      if (site >= BASE && site < BASE + WIDTH * SIZE) begin
        address <= (site - BASE) / WIDTH + OFFSET;
        mask <= ~({WIDTH{1'b1}} << span) << (site - BASE) % WIDTH;
        enable <= 1;
      end
  end
endmodule
