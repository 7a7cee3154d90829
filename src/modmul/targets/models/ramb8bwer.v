// Simulation model of the Xilinx RAMB8BWER (Spartan-6), as far as modmul uses it: 256 words of 36
// bits, port A writes, port B reads, with the output register or without.  A word that is
// read in the cycle in which it is written comes as X.  Resets and other modes are
// not modelled.
module RAMB8BWER (
  input CLKAWRCLK, CLKBRDCLK,
  input ENAWREN, ENBRDEN, REGCEA, REGCEBREGCE,
  input RSTA, RSTBRST,
  input [12:0] ADDRAWRADDR, ADDRBRDADDR,
  input [15:0] DIADI, DIBDI,
  input [1:0] DIPADIP, DIPBDIP,
  input [1:0] WEAWEL, WEBWEU,
  output [15:0] DOADO, DOBDO,
  output [1:0] DOPADOP, DOPBDOP
);
  parameter integer DATA_WIDTH_A = 0;
  parameter integer DATA_WIDTH_B = 0;
  parameter integer DOA_REG = 0;
  parameter integer DOB_REG = 0;
  parameter RSTTYPE = "SYNC";
  parameter WRITE_MODE_A = "WRITE_FIRST";
  parameter WRITE_MODE_B = "WRITE_FIRST";
  parameter RAM_MODE = "TDP";
  parameter
    INIT_00 = 256'd0, INIT_01 = 256'd0, INIT_02 = 256'd0, INIT_03 = 256'd0,
    INIT_04 = 256'd0, INIT_05 = 256'd0, INIT_06 = 256'd0, INIT_07 = 256'd0,
    INIT_08 = 256'd0, INIT_09 = 256'd0, INIT_0A = 256'd0, INIT_0B = 256'd0,
    INIT_0C = 256'd0, INIT_0D = 256'd0, INIT_0E = 256'd0, INIT_0F = 256'd0,
    INIT_10 = 256'd0, INIT_11 = 256'd0, INIT_12 = 256'd0, INIT_13 = 256'd0,
    INIT_14 = 256'd0, INIT_15 = 256'd0, INIT_16 = 256'd0, INIT_17 = 256'd0,
    INIT_18 = 256'd0, INIT_19 = 256'd0, INIT_1A = 256'd0, INIT_1B = 256'd0,
    INIT_1C = 256'd0, INIT_1D = 256'd0, INIT_1E = 256'd0, INIT_1F = 256'd0;
  parameter
    INITP_00 = 256'd0, INITP_01 = 256'd0, INITP_02 = 256'd0, INITP_03 = 256'd0;

  reg [35:0] mem [0:255];  // 32 bits of data, then those of parity
  localparam [32*256-1:0] DATA = {
    INIT_1F, INIT_1E, INIT_1D, INIT_1C, INIT_1B, INIT_1A, INIT_19, INIT_18,
    INIT_17, INIT_16, INIT_15, INIT_14, INIT_13, INIT_12, INIT_11, INIT_10,
    INIT_0F, INIT_0E, INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09, INIT_08,
    INIT_07, INIT_06, INIT_05, INIT_04, INIT_03, INIT_02, INIT_01, INIT_00};
  localparam [4*256-1:0] PARITY = {
    INITP_03, INITP_02, INITP_01, INITP_00};
  generate
    if (DATA != 0 || PARITY != 0) begin : contents_given  // a program: what is in it stays
      wire is;
    end
  endgenerate
  integer k;
  initial begin
    for (k = 0; k < 256; k = k + 1) mem[k] = {PARITY[4*k +: 4], DATA[32*k +: 32]};
    read = 36'd0;
    held = 36'd0;
  end

  wire [35:0] comes = {DIPBDIP, DIPADIP, DIBDI, DIADI};
  wire [3:0] bytes = {WEBWEU, WEAWEL};
  wire [7:0] read_word = ADDRBRDADDR[12:5];
  wire [7:0] write_word = ADDRAWRADDR[12:5];
  wire clash = ENAWREN & (write_word == read_word);
  reg [35:0] read, held;
  always @(posedge CLKAWRCLK) if (ENAWREN) begin
    if (bytes[0]) mem[write_word][7:0] <= comes[7:0];
    if (bytes[1]) mem[write_word][15:8] <= comes[15:8];
    if (bytes[2]) mem[write_word][23:16] <= comes[23:16];
    if (bytes[3]) mem[write_word][31:24] <= comes[31:24];
    if (bytes[0]) mem[write_word][32] <= comes[32];
    if (bytes[1]) mem[write_word][33] <= comes[33];
    if (bytes[2]) mem[write_word][34] <= comes[34];
    if (bytes[3]) mem[write_word][35] <= comes[35];
  end
  always @(posedge CLKBRDCLK) begin
    if (ENBRDEN) read <= clash ? 36'dx : mem[read_word];
    if (REGCEBREGCE) held <= read;
  end

  wire [35:0] out = DOB_REG == 0 ? read : held;
  assign {DOPBDOP, DOPADOP, DOBDO, DOADO} = out;
endmodule
