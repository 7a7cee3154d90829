// Simulation model of the Xilinx RAMB16BWER (Spartan-6), as far as modmul uses it: 512 words of 36
// bits on two ports of one clock, with their output registers or without.  Each port reads, or
// writes whole words and then reads what it writes.  A word that one port reads in the cycle in
// which the other writes it comes as X.  Resets and other modes are not modelled.
module RAMB16BWER (
  input CLKA, CLKB,
  input ENA, ENB, REGCEA, REGCEB,
  input RSTA, RSTB,
  input [13:0] ADDRA, ADDRB,
  input [31:0] DIA, DIB,
  input [3:0] DIPA, DIPB,
  input [3:0] WEA, WEB,
  output [31:0] DOA, DOB,
  output [3:0] DOPA, DOPB
);
  parameter integer DATA_WIDTH_A = 0;
  parameter integer DATA_WIDTH_B = 0;
  parameter integer DOA_REG = 0;
  parameter integer DOB_REG = 0;
  parameter RSTTYPE = "SYNC";
  parameter WRITE_MODE_A = "WRITE_FIRST";
  parameter WRITE_MODE_B = "WRITE_FIRST";
  parameter
    INIT_00 = 256'd0, INIT_01 = 256'd0, INIT_02 = 256'd0, INIT_03 = 256'd0,
    INIT_04 = 256'd0, INIT_05 = 256'd0, INIT_06 = 256'd0, INIT_07 = 256'd0,
    INIT_08 = 256'd0, INIT_09 = 256'd0, INIT_0A = 256'd0, INIT_0B = 256'd0,
    INIT_0C = 256'd0, INIT_0D = 256'd0, INIT_0E = 256'd0, INIT_0F = 256'd0,
    INIT_10 = 256'd0, INIT_11 = 256'd0, INIT_12 = 256'd0, INIT_13 = 256'd0,
    INIT_14 = 256'd0, INIT_15 = 256'd0, INIT_16 = 256'd0, INIT_17 = 256'd0,
    INIT_18 = 256'd0, INIT_19 = 256'd0, INIT_1A = 256'd0, INIT_1B = 256'd0,
    INIT_1C = 256'd0, INIT_1D = 256'd0, INIT_1E = 256'd0, INIT_1F = 256'd0,
    INIT_20 = 256'd0, INIT_21 = 256'd0, INIT_22 = 256'd0, INIT_23 = 256'd0,
    INIT_24 = 256'd0, INIT_25 = 256'd0, INIT_26 = 256'd0, INIT_27 = 256'd0,
    INIT_28 = 256'd0, INIT_29 = 256'd0, INIT_2A = 256'd0, INIT_2B = 256'd0,
    INIT_2C = 256'd0, INIT_2D = 256'd0, INIT_2E = 256'd0, INIT_2F = 256'd0,
    INIT_30 = 256'd0, INIT_31 = 256'd0, INIT_32 = 256'd0, INIT_33 = 256'd0,
    INIT_34 = 256'd0, INIT_35 = 256'd0, INIT_36 = 256'd0, INIT_37 = 256'd0,
    INIT_38 = 256'd0, INIT_39 = 256'd0, INIT_3A = 256'd0, INIT_3B = 256'd0,
    INIT_3C = 256'd0, INIT_3D = 256'd0, INIT_3E = 256'd0, INIT_3F = 256'd0;
  parameter
    INITP_00 = 256'd0, INITP_01 = 256'd0, INITP_02 = 256'd0, INITP_03 = 256'd0,
    INITP_04 = 256'd0, INITP_05 = 256'd0, INITP_06 = 256'd0, INITP_07 = 256'd0;

  reg [35:0] mem [0:511];  // 32 bits of data, then those of parity
  localparam [64*256-1:0] DATA = {
    INIT_3F, INIT_3E, INIT_3D, INIT_3C, INIT_3B, INIT_3A, INIT_39, INIT_38,
    INIT_37, INIT_36, INIT_35, INIT_34, INIT_33, INIT_32, INIT_31, INIT_30,
    INIT_2F, INIT_2E, INIT_2D, INIT_2C, INIT_2B, INIT_2A, INIT_29, INIT_28,
    INIT_27, INIT_26, INIT_25, INIT_24, INIT_23, INIT_22, INIT_21, INIT_20,
    INIT_1F, INIT_1E, INIT_1D, INIT_1C, INIT_1B, INIT_1A, INIT_19, INIT_18,
    INIT_17, INIT_16, INIT_15, INIT_14, INIT_13, INIT_12, INIT_11, INIT_10,
    INIT_0F, INIT_0E, INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09, INIT_08,
    INIT_07, INIT_06, INIT_05, INIT_04, INIT_03, INIT_02, INIT_01, INIT_00};
  localparam [8*256-1:0] PARITY = {
    INITP_07, INITP_06, INITP_05, INITP_04, INITP_03, INITP_02, INITP_01, INITP_00};
  generate
    if (DATA != 0 || PARITY != 0) begin : contents_given  // a program: what is in it stays
      wire is;
    end
  endgenerate
  integer k;
  initial begin
    for (k = 0; k < 512; k = k + 1) mem[k] = {PARITY[4*k +: 4], DATA[32*k +: 32]};
    read_a = 36'd0;
    held_a = 36'd0;
    read_b = 36'd0;
    held_b = 36'd0;
  end

  wire writes_a = ENA & (&WEA);
  wire writes_b = ENB & (&WEB);
  wire [8:0] word_a = ADDRA[13:5];
  wire [8:0] word_b = ADDRB[13:5];
  wire same = word_a == word_b;
  reg [35:0] read_a, held_a, read_b, held_b;
  always @(posedge CLKB) begin
    if (writes_b) mem[word_b] <= {DIPB, DIB};
    if (writes_a) mem[word_a] <= {DIPA, DIA};
  end
  always @(posedge CLKA) begin
    if (ENA) read_a <= writes_a ? {DIPA, DIA} : writes_b & same ? 36'dx : mem[word_a];
    if (REGCEA) held_a <= read_a;
  end
  always @(posedge CLKB) begin
    if (ENB) read_b <= writes_b ? {DIPB, DIB} : writes_a & same ? 36'dx : mem[word_b];
    if (REGCEB) held_b <= read_b;
  end

  assign {DOPA, DOA} = DOA_REG == 0 ? read_a : held_a;
  assign {DOPB, DOB} = DOB_REG == 0 ? read_b : held_b;
endmodule
