// SERV as the processor of wishbone.v.
module soc_cpu (
  input clk, input rst,
  output ibus_cyc, output [31:0] ibus_adr, input [31:0] ibus_rdt, input ibus_ack,
  output dbus_cyc, output [31:0] dbus_adr, output [31:0] dbus_dat, output [3:0] dbus_sel,
  output dbus_we, input [31:0] dbus_rdt, input dbus_ack
);
  serv_rf_top #(.RESET_PC(32'd0), .WITH_CSR(0)) cpu (
    .clk(clk), .i_rst(rst), .i_timer_irq(1'b0),
    .o_ibus_adr(ibus_adr), .o_ibus_cyc(ibus_cyc), .i_ibus_rdt(ibus_rdt), .i_ibus_ack(ibus_ack),
    .o_dbus_adr(dbus_adr), .o_dbus_dat(dbus_dat), .o_dbus_sel(dbus_sel), .o_dbus_we(dbus_we),
    .o_dbus_cyc(dbus_cyc), .i_dbus_rdt(dbus_rdt), .i_dbus_ack(dbus_ack),
    .o_ext_rs1(), .o_ext_rs2(), .o_ext_funct3(), .i_ext_rd(32'd0), .i_ext_ready(1'b0),
    .o_mdu_valid()
  );
endmodule
