// Simulation model of the Xilinx DSP48E2, as far as modmul uses it: signed 27 x 18 product, all
// register choices of A, B, C, M, P and OPMODE, the Z multiplexer with its shifts by 17, PCIN and
// PCOUT.  X and Y take the product or zero; ALUMODE is 0 (Z + X + Y), CARRYIN is 0; no pre-adder, no
// pattern detector, A and B cascade only in.
module DSP48E2 (
  input CLK,
  input [29:0] A,
  input [29:0] ACIN,
  input [17:0] B,
  input [17:0] BCIN,
  input [47:0] C,
  input [26:0] D,
  input [47:0] PCIN,
  input [8:0] OPMODE,
  input [3:0] ALUMODE,
  input [2:0] CARRYINSEL,
  input [4:0] INMODE,
  input CARRYCASCIN,
  input MULTSIGNIN,
  input CARRYIN,
  input CEA1, CEA2, CEAD, CEALUMODE, CEB1, CEB2, CEC, CECARRYIN, CECTRL, CED, CEINMODE, CEM, CEP,
  input RSTA, RSTALLCARRYIN, RSTALUMODE, RSTB, RSTC, RSTCTRL, RSTD, RSTINMODE, RSTM, RSTP,
  output [29:0] ACOUT,
  output [17:0] BCOUT,
  output [3:0] CARRYOUT,
  output CARRYCASCOUT, MULTSIGNOUT, OVERFLOW, PATTERNBDETECT, PATTERNDETECT, UNDERFLOW,
  output [7:0] XOROUT,
  output [47:0] P,
  output [47:0] PCOUT
);
  parameter integer ACASCREG = 1;
  parameter integer ADREG = 1;
  parameter integer ALUMODEREG = 1;
  parameter AMULTSEL = "A";
  parameter integer AREG = 1;
  parameter A_INPUT = "DIRECT";
  parameter integer BCASCREG = 1;
  parameter integer BREG = 1;
  parameter B_INPUT = "DIRECT";
  parameter BMULTSEL = "B";
  parameter integer CARRYINREG = 1;
  parameter integer CARRYINSELREG = 1;
  parameter integer CREG = 1;
  parameter integer DREG = 1;
  parameter integer INMODEREG = 1;
  parameter integer MREG = 1;
  parameter integer OPMODEREG = 1;
  parameter PREADDINSEL = "A";
  parameter integer PREG = 1;
  parameter USE_MULT = "MULTIPLY";
  parameter USE_SIMD = "ONE48";

  reg [26:0] a1, a2;
  reg [17:0] b1, b2;
  reg [47:0] c_reg, p_reg;
  reg [44:0] m_reg;
  reg [8:0] opmode_reg;

  wire [26:0] a_in = A_INPUT == "DIRECT" ? A[26:0] : ACIN[26:0];
  wire [17:0] b_in = B_INPUT == "DIRECT" ? B : BCIN;
  wire [26:0] a = AREG == 0 ? a_in : a2;
  wire [17:0] b = BREG == 0 ? b_in : b2;
  wire [47:0] c = CREG == 0 ? C : c_reg;
  wire [8:0] opmode = OPMODEREG == 0 ? OPMODE : opmode_reg;
  wire [44:0] product = {{18{a[26]}}, a} * {{27{b[17]}}, b};
  wire [44:0] m = MREG == 0 ? product : m_reg;
  wire [47:0] xy = opmode[3:0] == 4'b0101 ? {{3{m[44]}}, m} : 48'd0;
  wire [47:0] z = opmode[6:4] == 3'b001 ? PCIN :
                  opmode[6:4] == 3'b010 ? p_reg :
                  opmode[6:4] == 3'b011 ? c :
                  opmode[6:4] == 3'b101 ? {{17{PCIN[47]}}, PCIN[47:17]} :
                  opmode[6:4] == 3'b110 ? {{17{p_reg[47]}}, p_reg[47:17]} : 48'd0;
  wire [47:0] sum = z + xy;
  assign P = PREG == 0 ? sum : p_reg;
  assign PCOUT = P;

  initial begin
    a1 = 27'd0;
    a2 = 27'd0;
    b1 = 18'd0;
    b2 = 18'd0;
    c_reg = 48'd0;
    m_reg = 45'd0;
    p_reg = 48'd0;
    opmode_reg = 9'd0;
  end
  always @(posedge CLK) begin
    if (RSTA) a1 <= 27'd0; else if (CEA1) a1 <= a_in;
    if (RSTA) a2 <= 27'd0; else if (CEA2) a2 <= AREG == 2 ? a1 : a_in;
    if (RSTB) b1 <= 18'd0; else if (CEB1) b1 <= b_in;
    if (RSTB) b2 <= 18'd0; else if (CEB2) b2 <= BREG == 2 ? b1 : b_in;
    if (RSTC) c_reg <= 48'd0; else if (CEC) c_reg <= C;
    if (RSTM) m_reg <= 45'd0; else if (CEM) m_reg <= product;
    if (RSTP) p_reg <= 48'd0; else if (CEP) p_reg <= sum;
    if (RSTCTRL) opmode_reg <= 9'd0; else if (CECTRL) opmode_reg <= OPMODE;
  end
endmodule
