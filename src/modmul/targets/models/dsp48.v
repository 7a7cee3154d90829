// Simulation model of the Xilinx DSP48 (Virtex-4), as far as modmul uses it: signed 18 x 18
// product, all register choices of A, B, C, M, P and OPMODE, the Z multiplexer with its shifts by
// 17, PCIN and PCOUT.  X and Y take the product or zero; SUBTRACT and CARRYIN are 0; no B cascade.
module DSP48 (
  input CLK,
  input [17:0] A,
  input [17:0] B,
  input [47:0] C,
  input [17:0] BCIN,
  input [47:0] PCIN,
  input [6:0] OPMODE,
  input SUBTRACT,
  input CARRYIN,
  input [1:0] CARRYINSEL,
  input CEA, CEB, CEC, CEM, CECARRYIN, CECINSUB, CECTRL, CEP,
  input RSTA, RSTB, RSTC, RSTM, RSTCARRYIN, RSTCTRL, RSTP,
  output [17:0] BCOUT,
  output [47:0] P,
  output [47:0] PCOUT
);
  parameter integer AREG = 1;
  parameter integer BREG = 1;
  parameter B_INPUT = "DIRECT";
  parameter integer CARRYINREG = 1;
  parameter integer CARRYINSELREG = 1;
  parameter integer CREG = 1;
  parameter LEGACY_MODE = "MULT18X18S";
  parameter integer MREG = 1;
  parameter integer OPMODEREG = 1;
  parameter integer PREG = 1;
  parameter integer SUBTRACTREG = 1;

  reg [17:0] a1, a2, b1, b2;
  reg [47:0] c_reg, p_reg;
  reg [35:0] m_reg;
  reg [6:0] opmode_reg;

  wire [17:0] a = AREG == 0 ? A : a2;
  wire [17:0] b = BREG == 0 ? B : b2;
  wire [47:0] c = CREG == 0 ? C : c_reg;
  wire [6:0] opmode = OPMODEREG == 0 ? OPMODE : opmode_reg;
  wire [35:0] product = {{18{a[17]}}, a} * {{18{b[17]}}, b};
  wire [35:0] m = MREG == 0 ? product : m_reg;
  wire [47:0] xy = opmode[3:0] == 4'b0101 ? {{12{m[35]}}, m} : 48'd0;
  wire [47:0] z = opmode[6:4] == 3'b001 ? PCIN :
                  opmode[6:4] == 3'b010 ? p_reg :
                  opmode[6:4] == 3'b011 ? c :
                  opmode[6:4] == 3'b101 ? {{17{PCIN[47]}}, PCIN[47:17]} :
                  opmode[6:4] == 3'b110 ? {{17{p_reg[47]}}, p_reg[47:17]} : 48'd0;
  wire [47:0] sum = z + xy;
  assign P = PREG == 0 ? sum : p_reg;
  assign PCOUT = P;
  assign BCOUT = b;

  initial begin
    a1 = 18'd0;
    a2 = 18'd0;
    b1 = 18'd0;
    b2 = 18'd0;
    c_reg = 48'd0;
    m_reg = 36'd0;
    p_reg = 48'd0;
    opmode_reg = 7'd0;
  end
  always @(posedge CLK) begin
    if (RSTA) a1 <= 18'd0; else if (CEA) a1 <= A;
    if (RSTA) a2 <= 18'd0; else if (CEA) a2 <= AREG == 2 ? a1 : A;
    if (RSTB) b1 <= 18'd0; else if (CEB) b1 <= B;
    if (RSTB) b2 <= 18'd0; else if (CEB) b2 <= BREG == 2 ? b1 : B;
    if (RSTC) c_reg <= 48'd0; else if (CEC) c_reg <= C;
    if (RSTM) m_reg <= 36'd0; else if (CEM) m_reg <= product;
    if (RSTP) p_reg <= 48'd0; else if (CEP) p_reg <= sum;
    if (RSTCTRL) opmode_reg <= 7'd0; else if (CECTRL) opmode_reg <= OPMODE;
  end
endmodule
