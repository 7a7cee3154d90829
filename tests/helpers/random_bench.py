"""A bench for modules with one random input and outputs that must stay low."""

import os

CYCLES = 20_000 if os.environ.get("CONFORMANCE") else 5_000
SETTLE = 200  # cycles until every accumulator has been loaded once

TESTBENCH = """
module bench (input clk);
  parameter CYCLES = {cycles};
  reg [255:0] random;
  reg [15:0] count;
  reg failed;
  wire {wires};
  pairs pairs (.clk(clk), .rst(1'b0), .random(random), {connections});
  initial begin
    count = 0;
    failed = 0;
    random = 0;
  end
  always @(posedge clk) begin
    count <= count + 1;
    random <= {{$random, $random, $random, $random, $random, $random, $random, $random}};
    if (count > {settle} && ({any})) begin
      failed <= 1;
      $display("FAIL {format}", {flags});
    end
    if (count == CYCLES) begin
      if (!failed) $display("PASS %0d cycles", count);
      $finish;
    end
  end
endmodule
"""

# For Icarus, which is slow
CLOCKED = """
module clocked;
  reg clk;
  bench #(.CYCLES(600)) bench (.clk(clk));
  initial clk = 0;
  always #1 clk = !clk;
endmodule
"""


def bench(flags: list[str], connections: str) -> str:
    return TESTBENCH.format(
        wires=", ".join(flags),
        connections=connections,
        any=" || ".join(flags),
        format=" ".join(f"{flag}=%b" for flag in flags),
        flags=", ".join(flags),
        settle=SETTLE,
        cycles=CYCLES,
    )
