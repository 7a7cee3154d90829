// Simulation model of the Xilinx DSP48A1 (Spartan-6), as far as modmul uses it: signed 18 x 18
// product, all register choices of A, B, C, M, P and OPMODE, the Z multiplexer, PCIN and PCOUT.
// X takes the product or zero; the adder adds, its carry in is 0; no pre-adder, no carry out;
// resets are synchronous.
module DSP48A1 (
  input CLK,
  input [17:0] A,
  input [17:0] B,
  input [47:0] C,
  input [17:0] D,
  input [47:0] PCIN,
  input [7:0] OPMODE,
  input CARRYIN,
  input CEA, CEB, CEC, CECARRYIN, CED, CEM, CEOPMODE, CEP,
  input RSTA, RSTB, RSTC, RSTCARRYIN, RSTD, RSTM, RSTOPMODE, RSTP,
  output [17:0] BCOUT,
  output [35:0] M,
  output [47:0] P,
  output [47:0] PCOUT,
  output CARRYOUT, CARRYOUTF
);
  parameter integer A0REG = 0;
  parameter integer A1REG = 1;
  parameter integer B0REG = 0;
  parameter integer B1REG = 1;
  parameter integer CARRYINREG = 1;
  parameter CARRYINSEL = "OPMODE5";
  parameter integer CARRYOUTREG = 1;
  parameter integer CREG = 1;
  parameter integer DREG = 1;
  parameter integer MREG = 1;
  parameter integer OPMODEREG = 1;
  parameter integer PREG = 1;
  parameter RSTTYPE = "SYNC";

  reg [17:0] a0_reg, a1_reg, b0_reg, b1_reg;
  reg [47:0] c_reg, p_reg;
  reg [35:0] m_reg;
  reg [7:0] opmode_reg;

  wire [17:0] a0 = A0REG == 0 ? A : a0_reg;
  wire [17:0] b0 = B0REG == 0 ? B : b0_reg;
  wire [17:0] a = A1REG == 0 ? a0 : a1_reg;
  wire [17:0] b = B1REG == 0 ? b0 : b1_reg;
  wire [47:0] c = CREG == 0 ? C : c_reg;
  wire [7:0] opmode = OPMODEREG == 0 ? OPMODE : opmode_reg;
  wire [35:0] product = {{18{a[17]}}, a} * {{18{b[17]}}, b};
  wire [47:0] x = opmode[1:0] == 2'b01 ? {{12{M[35]}}, M} : 48'd0;
  wire [47:0] z = opmode[3:2] == 2'b01 ? PCIN :
                  opmode[3:2] == 2'b10 ? p_reg :
                  opmode[3:2] == 2'b11 ? c : 48'd0;
  wire [47:0] sum = z + x;
  assign M = MREG == 0 ? product : m_reg;
  assign P = PREG == 0 ? sum : p_reg;
  assign PCOUT = P;
  assign BCOUT = b;

  initial begin
    a0_reg = 18'd0;
    a1_reg = 18'd0;
    b0_reg = 18'd0;
    b1_reg = 18'd0;
    c_reg = 48'd0;
    m_reg = 36'd0;
    p_reg = 48'd0;
    opmode_reg = 8'd0;
  end
  always @(posedge CLK) begin
    if (RSTA) a0_reg <= 18'd0; else if (CEA) a0_reg <= A;
    if (RSTA) a1_reg <= 18'd0; else if (CEA) a1_reg <= a0;
    if (RSTB) b0_reg <= 18'd0; else if (CEB) b0_reg <= B;
    if (RSTB) b1_reg <= 18'd0; else if (CEB) b1_reg <= b0;
    if (RSTC) c_reg <= 48'd0; else if (CEC) c_reg <= C;
    if (RSTM) m_reg <= 36'd0; else if (CEM) m_reg <= product;
    if (RSTP) p_reg <= 48'd0; else if (CEP) p_reg <= sum;
    if (RSTOPMODE) opmode_reg <= 8'd0; else if (CEOPMODE) opmode_reg <= OPMODE;
  end
endmodule
