// A small testbench for the P-256 multiplier of the README: a*b mod N by two Montgomery products.
//
//   modmul build --modulus p256 --target ecp5 -o p256
//   modmul constants --modulus p256 --target ecp5 --format verilog > p256/constants.vh
//   cd p256
//   iverilog -g2005 -o mine ../examples/p256_tb.v -c fpmm_256_F2x8D_ecp5_synth.f sim/*_sim.v
//   vvp mine
`timescale 1ns / 1ps
module p256_tb;
  `include "constants.vh"
  localparam W = 34;     // bits of a beat
  localparam BEATS = 8;  // of an operand and of a result: 272 bits, so that R = 2^272

  reg clk = 0, rst = 1;
  always #5 clk = ~clk;

  reg modulus_valid = 0, modulus_first = 0, modulus_last = 0;
  reg operand_valid = 0, operand_first = 0, operand_last = 0;
  reg [W-1:0] modulus_data = 0, operand_a = 0, operand_b = 0;
  wire modulus_ready, operand_ready, result_valid, result_first, result_last;
  wire [W-1:0] result_data;

  fpmm_256_F2x8D_ecp5_stream multiplier (
    .clk(clk), .rst(rst),
    .modulus_valid(modulus_valid), .modulus_ready(modulus_ready),
    .modulus_first(modulus_first), .modulus_last(modulus_last), .modulus_data(modulus_data),
    .operand_valid(operand_valid), .operand_ready(operand_ready),
    .operand_first(operand_first), .operand_last(operand_last),
    .operand_a(operand_a), .operand_b(operand_b),
    .result_valid(result_valid), .result_ready(1'b1),
    .result_first(result_first), .result_last(result_last), .result_data(result_data)
  );

  // A beat goes over at a rising edge with valid and ready; what is offered changes behind it.
  task load_modulus;
    integer i;
    for (i = 0; i < FPMM_256_F2X8D_ECP5_P256_WORD_COUNT; i = i + 1) begin
      modulus_valid <= 1;
      modulus_first <= i == 0;
      modulus_last <= i == FPMM_256_F2X8D_ECP5_P256_WORD_COUNT - 1;
      modulus_data <= FPMM_256_F2X8D_ECP5_P256_WORDS[i*W +: W];
      @(posedge clk);
      while (!modulus_ready) @(posedge clk);
      modulus_valid <= 0;
    end
  endtask

  // p = a*b/R mod N, below 2N; a and b below 2N.
  task montgomery(input [W*BEATS-1:0] a, input [W*BEATS-1:0] b, output [W*BEATS-1:0] p);
    integer i;
    begin
      for (i = 0; i < BEATS; i = i + 1) begin
        operand_valid <= 1;
        operand_first <= i == 0;
        operand_last <= i == BEATS - 1;
        operand_a <= a[i*W +: W];
        operand_b <= b[i*W +: W];
        @(posedge clk);
        while (!operand_ready) @(posedge clk);
        operand_valid <= 0;
      end
      for (i = 0; i < BEATS; i = i + 1) begin
        @(posedge clk);
        while (!result_valid) @(posedge clk);
        p[i*W +: W] = result_data;
      end
    end
  endtask

  reg [255:0] a = 256'h0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef;
  reg [255:0] b = 256'hdeadbeefcafebabe123456789abcdef0fedcba9876543210deadbeefcafebabe;
  reg [W*BEATS-1:0] product;
  reg [511:0] expected;

  initial begin
    repeat (4) @(posedge clk);
    rst <= 0;
    load_modulus;
    montgomery(a, b, product);                         // a*b/R
    montgomery(product, FPMM_256_F2X8D_ECP5_P256_R2_MOD_P, product);  // a*b, below 2N
    if (product >= FPMM_256_F2X8D_ECP5_P256_MODULUS) product = product - FPMM_256_F2X8D_ECP5_P256_MODULUS;
    expected = a;
    expected = expected * b % FPMM_256_F2X8D_ECP5_P256_MODULUS;
    $display("a*b mod N = %h", product[255:0]);
    if (product === expected) $display("right");
    else $display("wrong, should be %h", expected[255:0]);
    $finish;
  end
endmodule
