// Places where a fault can strike: every flip-flop and every memory word of a flattened design goes
// through one of these modules.  `site` numbers all stored bits of the design; the bits of a place
// have the numbers from BASE on.

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
  always @(posedge clk) begin
    active <= !rst && (valid || left != 0);
    if (valid) begin
      site_now <= site;
      span_now <= span;
      kind_now <= kind;
    end
    left <= rst ? 0 : valid ? cycles - 1 : left - (left != 0);
  end
endmodule

module fault_flip_flop #(parameter WIDTH = 1, parameter BASE = 0) (
  input clk,
  input active,
  input [31:0] site,
  input [15:0] span,
  input [1:0] kind,
  input [WIDTH-1:0] d,
  output reg [WIDTH-1:0] q
);
  reg [WIDTH-1:0] mask;
  always @(posedge clk) begin
    q <= d;
    if (active)
      if (site >= BASE && site < BASE + WIDTH) begin
        mask = ~({WIDTH{1'b1}} << span) << (site - BASE);
        case (kind)
          0: q <= d ^ mask;
          1: q <= d & ~mask;
          2: q <= d | mask;
          3: q <= d & ~mask | q & mask;
        endcase
      end
  end
endmodule

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
  assign data = stored ^ mask;
  always @(posedge clk) begin
    enable <= 0;
    if (active)
      if (site >= BASE && site < BASE + WIDTH * SIZE) begin
        address <= (site - BASE) / WIDTH + OFFSET;
        mask <= ~({WIDTH{1'b1}} << span) << (site - BASE) % WIDTH;
        enable <= 1;
      end
  end
endmodule
