// VexRiscv (minimal) as the processor of wishbone.v.
module soc_cpu (
  input clk, input rst,
  output ibus_cyc, output [31:0] ibus_adr, input [31:0] ibus_rdt, input ibus_ack,
  output dbus_cyc, output [31:0] dbus_adr, output [31:0] dbus_dat, output [3:0] dbus_sel,
  output dbus_we, input [31:0] dbus_rdt, input dbus_ack
);
  wire ibus_stb, dbus_stb, ibus_all, dbus_all;
  assign ibus_cyc = ibus_all && ibus_stb;
  assign dbus_cyc = dbus_all && dbus_stb;
  assign ibus_adr[1:0] = 2'd0;
  assign dbus_adr[1:0] = 2'd0;
  VexRiscv cpu (
    .clk(clk), .reset(rst), .externalResetVector(32'd0), .timerInterrupt(1'b0),
    .softwareInterrupt(1'b0), .externalInterruptArray(32'd0),
    .iBusWishbone_CYC(ibus_all), .iBusWishbone_STB(ibus_stb), .iBusWishbone_ACK(ibus_ack),
    .iBusWishbone_WE(), .iBusWishbone_ADR(ibus_adr[31:2]), .iBusWishbone_DAT_MISO(ibus_rdt),
    .iBusWishbone_DAT_MOSI(), .iBusWishbone_SEL(), .iBusWishbone_ERR(1'b0),
    .iBusWishbone_CTI(), .iBusWishbone_BTE(),
    .dBusWishbone_CYC(dbus_all), .dBusWishbone_STB(dbus_stb), .dBusWishbone_ACK(dbus_ack),
    .dBusWishbone_WE(dbus_we), .dBusWishbone_ADR(dbus_adr[31:2]),
    .dBusWishbone_DAT_MISO(dbus_rdt), .dBusWishbone_DAT_MOSI(dbus_dat),
    .dBusWishbone_SEL(dbus_sel), .dBusWishbone_ERR(1'b0), .dBusWishbone_CTI(),
    .dBusWishbone_BTE()
  );
endmodule
