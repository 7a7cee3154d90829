// Simulation model of the ECP5 multiplier block, as far as modmul uses it: unsigned or signed
// 18 x 18 product; input, pipeline and output registers, each with its own enable and reset choice,
// on CLK0; synchronous reset.  Cascades (SRI, SRO, RO), the C input and
// SIGNEDP are not modelled.
module MULT18X18D (
  input A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0,
  input B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0,
  input C17, C16, C15, C14, C13, C12, C11, C10, C9, C8, C7, C6, C5, C4, C3, C2, C1, C0,
  input SRIA17, SRIA16, SRIA15, SRIA14, SRIA13, SRIA12, SRIA11, SRIA10, SRIA9, SRIA8, SRIA7,
    SRIA6, SRIA5, SRIA4, SRIA3, SRIA2, SRIA1, SRIA0,
  input SRIB17, SRIB16, SRIB15, SRIB14, SRIB13, SRIB12, SRIB11, SRIB10, SRIB9, SRIB8, SRIB7,
    SRIB6, SRIB5, SRIB4, SRIB3, SRIB2, SRIB1, SRIB0,
  input CLK0, CLK1, CLK2, CLK3, CE0, CE1, CE2, CE3, RST0, RST1, RST2, RST3,
  input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  output SROA17, SROA16, SROA15, SROA14, SROA13, SROA12, SROA11, SROA10, SROA9, SROA8, SROA7,
    SROA6, SROA5, SROA4, SROA3, SROA2, SROA1, SROA0,
  output SROB17, SROB16, SROB15, SROB14, SROB13, SROB12, SROB11, SROB10, SROB9, SROB8, SROB7,
    SROB6, SROB5, SROB4, SROB3, SROB2, SROB1, SROB0,
  output ROA17, ROA16, ROA15, ROA14, ROA13, ROA12, ROA11, ROA10, ROA9, ROA8, ROA7, ROA6, ROA5,
    ROA4, ROA3, ROA2, ROA1, ROA0,
  output ROB17, ROB16, ROB15, ROB14, ROB13, ROB12, ROB11, ROB10, ROB9, ROB8, ROB7, ROB6, ROB5,
    ROB4, ROB3, ROB2, ROB1, ROB0,
  output ROC17, ROC16, ROC15, ROC14, ROC13, ROC12, ROC11, ROC10, ROC9, ROC8, ROC7, ROC6, ROC5,
    ROC4, ROC3, ROC2, ROC1, ROC0,
  output SIGNEDP,
  output P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
    P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0
);
  parameter REG_INPUTA_CLK = "NONE";
  parameter REG_INPUTA_CE = "CE0";
  parameter REG_INPUTA_RST = "RST0";
  parameter REG_INPUTB_CLK = "NONE";
  parameter REG_INPUTB_CE = "CE0";
  parameter REG_INPUTB_RST = "RST0";
  parameter REG_PIPELINE_CLK = "NONE";
  parameter REG_PIPELINE_CE = "CE0";
  parameter REG_PIPELINE_RST = "RST0";
  parameter REG_OUTPUT_CLK = "NONE";
  parameter REG_OUTPUT_CE = "CE0";
  parameter REG_OUTPUT_RST = "RST0";
  parameter MULT_BYPASS = "DISABLED";
  parameter RESETMODE = "SYNC";
  parameter GSR = "ENABLED";
  parameter CLK0_DIV = "ENABLED";
  parameter CLK1_DIV = "ENABLED";
  parameter CLK2_DIV = "ENABLED";
  parameter CLK3_DIV = "ENABLED";
  parameter HIGHSPEED_CLK = "NONE";
  parameter SOURCEB_MODE = "B_SHIFT";
  parameter CAS_MATCH_REG = "FALSE";

  wire ce_a = REG_INPUTA_CE == "CE0" ? CE0 : REG_INPUTA_CE == "CE1" ? CE1 :
              REG_INPUTA_CE == "CE2" ? CE2 : CE3;
  wire ce_b = REG_INPUTB_CE == "CE0" ? CE0 : REG_INPUTB_CE == "CE1" ? CE1 :
              REG_INPUTB_CE == "CE2" ? CE2 : CE3;
  wire ce_m = REG_PIPELINE_CE == "CE0" ? CE0 : REG_PIPELINE_CE == "CE1" ? CE1 :
              REG_PIPELINE_CE == "CE2" ? CE2 : CE3;
  wire ce_p = REG_OUTPUT_CE == "CE0" ? CE0 : REG_OUTPUT_CE == "CE1" ? CE1 :
              REG_OUTPUT_CE == "CE2" ? CE2 : CE3;
  wire rst_a = REG_INPUTA_RST == "RST0" ? RST0 : REG_INPUTA_RST == "RST1" ? RST1 :
               REG_INPUTA_RST == "RST2" ? RST2 : RST3;
  wire rst_b = REG_INPUTB_RST == "RST0" ? RST0 : REG_INPUTB_RST == "RST1" ? RST1 :
               REG_INPUTB_RST == "RST2" ? RST2 : RST3;
  wire rst_m = REG_PIPELINE_RST == "RST0" ? RST0 : REG_PIPELINE_RST == "RST1" ? RST1 :
               REG_PIPELINE_RST == "RST2" ? RST2 : RST3;
  wire rst_p = REG_OUTPUT_RST == "RST0" ? RST0 : REG_OUTPUT_RST == "RST1" ? RST1 :
               REG_OUTPUT_RST == "RST2" ? RST2 : RST3;

  wire [17:0] a_in = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1,
    A0};
  wire [17:0] b_in = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1,
    B0};
  reg [17:0] a_reg, b_reg;
  reg [35:0] m_reg, p_reg;
  wire [17:0] a = REG_INPUTA_CLK == "NONE" ? a_in : a_reg;
  wire [17:0] b = REG_INPUTB_CLK == "NONE" ? b_in : b_reg;
  wire [35:0] a_wide = {{18{SIGNEDA & a[17]}}, a};
  wire [35:0] b_wide = {{18{SIGNEDB & b[17]}}, b};
  wire [35:0] product = a_wide * b_wide;
  wire [35:0] m = REG_PIPELINE_CLK == "NONE" ? product : m_reg;
  wire [35:0] p = REG_OUTPUT_CLK == "NONE" ? m : p_reg;
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19,
    P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = p;

  initial begin
    a_reg = 18'd0;
    b_reg = 18'd0;
    m_reg = 36'd0;
    p_reg = 36'd0;
  end
  always @(posedge CLK0) begin
    if (rst_a) a_reg <= 18'd0; else if (ce_a) a_reg <= a_in;
    if (rst_b) b_reg <= 18'd0; else if (ce_b) b_reg <= b_in;
    if (rst_m) m_reg <= 36'd0; else if (ce_m) m_reg <= product;
    if (rst_p) p_reg <= 36'd0; else if (ce_p) p_reg <= m;
  end
endmodule
