// 123 * 200 mod 251 = 2, by the multiplier that was generated.
module product_tb;
  reg clk = 1'b0, rst = 1'b1, loads = 1'b0, asks = 1'b0;
  always #5 clk = ~clk;
  wire loaded, asked, done;
  wire [7:0] product;
  interleaved_8_stream multiplier (
    .clk(clk), .rst(rst),
    .modulus_valid(loads), .modulus_ready(loaded), .modulus_first(1'b1), .modulus_last(1'b1),
    .modulus_data(8'd251),
    .operand_valid(asks), .operand_ready(asked), .operand_first(1'b1), .operand_last(1'b1),
    .operand_a(8'd123), .operand_b(8'd200),
    .result_valid(done), .result_ready(1'b1), .result_data(product)
  );
  initial begin
    repeat (3) @(negedge clk);
    rst = 1'b0;
    loads = 1'b1;
    while (!loaded) @(negedge clk);
    @(negedge clk);
    loads = 1'b0;
    asks = 1'b1;
    while (!asked) @(negedge clk);
    @(negedge clk);
    asks = 1'b0;
    while (!done) @(negedge clk);
    $display("%0s %0d", product == 8'd2 ? "PASS" : "FAIL", product);
    $finish;
  end
  initial #100000 begin
    $display("FAIL: no result");
    $finish;
  end
endmodule
