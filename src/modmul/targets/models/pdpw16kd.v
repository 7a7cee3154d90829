// Simulation model of the ECP5 block RAM with one write port and one read port, as far as modmul
// uses it: written 36 bits at a time, read 36, 18, 9, 4 or 2 bits at a time, with the output register or
// without.  A word that is read in the cycle in which it is written comes as X.  Asynchronous reset
// and chip selects are not modelled.
module PDPW16KD (
  input DI35, DI34, DI33, DI32, DI31, DI30, DI29, DI28, DI27, DI26, DI25, DI24, DI23, DI22, DI21,
    DI20, DI19, DI18, DI17, DI16, DI15, DI14, DI13, DI12, DI11, DI10, DI9, DI8, DI7, DI6, DI5,
    DI4, DI3, DI2, DI1, DI0,
  input ADW8, ADW7, ADW6, ADW5, ADW4, ADW3, ADW2, ADW1, ADW0,
  input BE3, BE2, BE1, BE0,
  input CSW2, CSW1, CSW0,
  input ADR13, ADR12, ADR11, ADR10, ADR9, ADR8, ADR7, ADR6, ADR5, ADR4, ADR3, ADR2, ADR1, ADR0,
  input CSR2, CSR1, CSR0,
  input CEW, CLKW, CER, OCER, CLKR, RST,
  output DO35, DO34, DO33, DO32, DO31, DO30, DO29, DO28, DO27, DO26, DO25, DO24, DO23, DO22, DO21,
    DO20, DO19, DO18, DO17, DO16, DO15, DO14, DO13, DO12, DO11, DO10, DO9, DO8, DO7, DO6, DO5,
    DO4, DO3, DO2, DO1, DO0
);
  parameter DATA_WIDTH_W = 36;
  parameter DATA_WIDTH_R = 36;
  parameter REGMODE = "NOREG";
  parameter RESETMODE = "SYNC";
  parameter ASYNC_RESET_RELEASE = "SYNC";
  parameter GSR = "ENABLED";
  parameter CSDECODE_W = "0b000";
  parameter CSDECODE_R = "0b000";
  parameter CLKWMUX = "CLKW";
  parameter CLKRMUX = "CLKR";
  parameter INITVAL_00 = 320'd0;
  parameter INITVAL_01 = 320'd0;
  parameter INITVAL_02 = 320'd0;
  parameter INITVAL_03 = 320'd0;
  parameter INITVAL_04 = 320'd0;
  parameter INITVAL_05 = 320'd0;
  parameter INITVAL_06 = 320'd0;
  parameter INITVAL_07 = 320'd0;
  parameter INITVAL_08 = 320'd0;
  parameter INITVAL_09 = 320'd0;
  parameter INITVAL_0A = 320'd0;
  parameter INITVAL_0B = 320'd0;
  parameter INITVAL_0C = 320'd0;
  parameter INITVAL_0D = 320'd0;
  parameter INITVAL_0E = 320'd0;
  parameter INITVAL_0F = 320'd0;
  parameter INITVAL_10 = 320'd0;
  parameter INITVAL_11 = 320'd0;
  parameter INITVAL_12 = 320'd0;
  parameter INITVAL_13 = 320'd0;
  parameter INITVAL_14 = 320'd0;
  parameter INITVAL_15 = 320'd0;
  parameter INITVAL_16 = 320'd0;
  parameter INITVAL_17 = 320'd0;
  parameter INITVAL_18 = 320'd0;
  parameter INITVAL_19 = 320'd0;
  parameter INITVAL_1A = 320'd0;
  parameter INITVAL_1B = 320'd0;
  parameter INITVAL_1C = 320'd0;
  parameter INITVAL_1D = 320'd0;
  parameter INITVAL_1E = 320'd0;
  parameter INITVAL_1F = 320'd0;
  parameter INITVAL_20 = 320'd0;
  parameter INITVAL_21 = 320'd0;
  parameter INITVAL_22 = 320'd0;
  parameter INITVAL_23 = 320'd0;
  parameter INITVAL_24 = 320'd0;
  parameter INITVAL_25 = 320'd0;
  parameter INITVAL_26 = 320'd0;
  parameter INITVAL_27 = 320'd0;
  parameter INITVAL_28 = 320'd0;
  parameter INITVAL_29 = 320'd0;
  parameter INITVAL_2A = 320'd0;
  parameter INITVAL_2B = 320'd0;
  parameter INITVAL_2C = 320'd0;
  parameter INITVAL_2D = 320'd0;
  parameter INITVAL_2E = 320'd0;
  parameter INITVAL_2F = 320'd0;
  parameter INITVAL_30 = 320'd0;
  parameter INITVAL_31 = 320'd0;
  parameter INITVAL_32 = 320'd0;
  parameter INITVAL_33 = 320'd0;
  parameter INITVAL_34 = 320'd0;
  parameter INITVAL_35 = 320'd0;
  parameter INITVAL_36 = 320'd0;
  parameter INITVAL_37 = 320'd0;
  parameter INITVAL_38 = 320'd0;
  parameter INITVAL_39 = 320'd0;
  parameter INITVAL_3A = 320'd0;
  parameter INITVAL_3B = 320'd0;
  parameter INITVAL_3C = 320'd0;
  parameter INITVAL_3D = 320'd0;
  parameter INITVAL_3E = 320'd0;
  parameter INITVAL_3F = 320'd0;

  // 18 bits each; a word of 36 bits is two of them, the lower one first.
  reg [17:0] mem [0:1023];
  localparam [64*320-1:0] CONTENTS = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39,
    INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32,
    INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B,
    INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
    INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D,
    INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16,
    INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F,
    INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00};
  generate
    if (CONTENTS != 0) begin : contents_given  // a program: what is in it stays
      wire is;
    end
  endgenerate
  integer k;
  initial begin
    for (k = 0; k < 1024; k = k + 1) mem[k] = CONTENTS[20*k +: 18];
    read = 36'd0;
    held = 36'd0;
    part = 3'd0;
    held_part = 3'd0;
  end

  wire [35:0] data = {
    DI35, DI34, DI33, DI32, DI31, DI30, DI29, DI28, DI27, DI26, DI25, DI24, DI23, DI22, DI21,
    DI20, DI19, DI18, DI17, DI16, DI15, DI14, DI13, DI12, DI11, DI10, DI9, DI8, DI7, DI6, DI5,
    DI4, DI3, DI2, DI1, DI0};
  wire [8:0] write_word = {ADW8, ADW7, ADW6, ADW5, ADW4, ADW3, ADW2, ADW1, ADW0};
  wire [9:0] read_unit = {ADR13, ADR12, ADR11, ADR10, ADR9, ADR8, ADR7, ADR6, ADR5, ADR4};
  wire [9:0] low = {read_unit[9:1], DATA_WIDTH_R == 36 ? 1'b0 : read_unit[0]};
  wire [9:0] high = {read_unit[9:1], 1'b1};
  wire clash = CEW & (write_word == read_unit[9:1]);
  reg [35:0] read, held;
  reg [2:0] part, held_part;  // of 18 bits: which half, which half of that, and which of that
  always @(posedge CLKW) if (CEW) begin
    if (BE0) mem[{write_word, 1'b0}][8:0] <= data[8:0];
    if (BE1) mem[{write_word, 1'b0}][17:9] <= data[17:9];
    if (BE2) mem[{write_word, 1'b1}][8:0] <= data[26:18];
    if (BE3) mem[{write_word, 1'b1}][17:9] <= data[35:27];
  end
  always @(posedge CLKR) begin
    if (RST) read <= 36'd0;
    else if (CER) begin
      read <= clash ? 36'dx : {mem[high], mem[low]};
      part <= {ADR3, ADR2, ADR1};
    end
    if (RST) held <= 36'd0;
    else if (OCER) begin
      held <= read;
      held_part <= part;
    end
  end

  // Of 36 bits the upper half comes first.
  wire [35:0] word = REGMODE == "NOREG" ? read : held;
  wire [2:0] which = REGMODE == "NOREG" ? part : held_part;
  wire [8:0] half = which[2] ? word[17:9] : word[8:0];
  wire [3:0] nibble = which[1] ? half[7:4] : half[3:0];
  wire [35:0] out = DATA_WIDTH_R == 36 ? {word[17:0], word[35:18]} :
                    DATA_WIDTH_R == 18 ? {18'd0, word[17:0]} :
                    DATA_WIDTH_R == 9 ? {27'd0, half} :
                    DATA_WIDTH_R == 4 ? {32'd0, nibble} :
                    {34'd0, which[0] ? nibble[3:2] : nibble[1:0]};
  assign {
    DO35, DO34, DO33, DO32, DO31, DO30, DO29, DO28, DO27, DO26, DO25, DO24, DO23, DO22, DO21,
    DO20, DO19, DO18, DO17, DO16, DO15, DO14, DO13, DO12, DO11, DO10, DO9, DO8, DO7, DO6, DO5,
    DO4, DO3, DO2, DO1, DO0} = out;
endmodule
