// Adder cells with constant inputs: one zero leaves a half adder, anything else plain gates.

(* techmap_celltype = "modmul_full_adder" *)
module full_adder(input a, b, c, output sum, carry);
  parameter _TECHMAP_CONSTMSK_a_ = 1'b0;
  parameter _TECHMAP_CONSTMSK_b_ = 1'b0;
  parameter _TECHMAP_CONSTMSK_c_ = 1'b0;
  parameter _TECHMAP_CONSTVAL_a_ = 1'b0;
  parameter _TECHMAP_CONSTVAL_b_ = 1'b0;
  parameter _TECHMAP_CONSTVAL_c_ = 1'b0;
  localparam [1:0] known = 2'd0 + _TECHMAP_CONSTMSK_a_ + _TECHMAP_CONSTMSK_b_ + _TECHMAP_CONSTMSK_c_;
  localparam one = (_TECHMAP_CONSTVAL_a_ === 1'b1) || (_TECHMAP_CONSTVAL_b_ === 1'b1) ||
    (_TECHMAP_CONSTVAL_c_ === 1'b1);
  generate
    if (known == 0)
      wire _TECHMAP_FAIL_ = 1'b1;
    else if (known > 1 || one) begin
      assign sum = a ^ b ^ c;
      assign carry = (a & b) | (a & c) | (b & c);
    end else begin
      wire left = _TECHMAP_CONSTMSK_a_ ? b : a;
      wire right = _TECHMAP_CONSTMSK_c_ ? b : c;
      modmul_half_adder _TECHMAP_REPLACE_(.a(left), .b(right), .sum(sum), .carry(carry));
    end
  endgenerate
endmodule

(* techmap_celltype = "modmul_half_adder" *)
module half_adder(input a, b, output sum, carry);
  parameter _TECHMAP_CONSTMSK_a_ = 1'b0;
  parameter _TECHMAP_CONSTMSK_b_ = 1'b0;
  generate
    if (!_TECHMAP_CONSTMSK_a_ && !_TECHMAP_CONSTMSK_b_)
      wire _TECHMAP_FAIL_ = 1'b1;
    else begin
      assign sum = a ^ b;
      assign carry = a & b;
    end
  endgenerate
endmodule
