// A system to test with: a processor (`soc_cpu`, with a Wishbone bus for instructions and one for
// data), 64 KiB of memory, and the device on Wishbone.  Addresses as in picorv32.v.
`timescale 1ns / 1ps
module soc_check (input clk);
  reg [31:0] limit = 0;  // cycles
  reg [8*512-1:0] firmware = 0;
  reg rst = 1;
  reg [31:0] cycle = 0, accesses = 0;
  wire ibus_cyc, dbus_cyc, dbus_we, irq, device_ack, device_err;
  wire [31:0] ibus_adr, dbus_adr, dbus_dat, device_dat;
  wire [3:0] dbus_sel;
  reg ibus_ack = 0, local_ack = 0;
  reg [31:0] ibus_rdt = 0, local_dat = 0;
  wire to_device = dbus_adr[31:28] == 4'd4;

  soc_cpu cpu (
    .clk(clk), .rst(rst),
    .ibus_cyc(ibus_cyc), .ibus_adr(ibus_adr), .ibus_rdt(ibus_rdt), .ibus_ack(ibus_ack),
    .dbus_cyc(dbus_cyc), .dbus_adr(dbus_adr), .dbus_dat(dbus_dat), .dbus_sel(dbus_sel),
    .dbus_we(dbus_we), .dbus_rdt(device_ack ? device_dat : local_dat),
    .dbus_ack(device_ack || device_err || local_ack)
  );

  @DEVICE@ device (
    .clk(clk), .rst(rst), .irq(irq),
    .wb_cyc_i(dbus_cyc && to_device), .wb_stb_i(dbus_cyc && to_device), .wb_we_i(dbus_we),
    .wb_adr_i(dbus_adr[@BITS@-1:0]), .wb_dat_i(dbus_dat), .wb_sel_i(dbus_sel),
    .wb_dat_o(device_dat), .wb_ack_o(device_ack), .wb_err_o(device_err)
  );

  reg [31:0] memory [0:16383];
  initial begin
    if (!$value$plusargs("firmware=%s", firmware) || !$value$plusargs("limit=%d", limit)) $finish;
    $readmemh(firmware, memory);
  end

  always @(posedge clk) begin
    cycle <= cycle + 1;
    if (device_ack || device_err) accesses <= accesses + 1;
    rst <= cycle < 8;
    ibus_ack <= ibus_cyc && !ibus_ack && !rst;
    ibus_rdt <= memory[ibus_adr[15:2]];
    local_ack <= dbus_cyc && !to_device && !local_ack && !rst;
    if (dbus_cyc && !to_device && !local_ack && !rst) begin
      local_dat <= dbus_adr[31:16] == 0 ? memory[dbus_adr[15:2]]
        : dbus_adr == 32'h10000008 ? cycle : dbus_adr == 32'h1000000c ? {31'd0, irq}
        : dbus_adr == 32'h10000010 ? accesses : 0;
      if (dbus_we && dbus_adr[31:16] == 0) begin
        if (dbus_sel[0]) memory[dbus_adr[15:2]][7:0] <= dbus_dat[7:0];
        if (dbus_sel[1]) memory[dbus_adr[15:2]][15:8] <= dbus_dat[15:8];
        if (dbus_sel[2]) memory[dbus_adr[15:2]][23:16] <= dbus_dat[23:16];
        if (dbus_sel[3]) memory[dbus_adr[15:2]][31:24] <= dbus_dat[31:24];
      end
      if (dbus_we && dbus_adr == 32'h10000000) $display("OUT %08x", dbus_dat);
      if (dbus_we && dbus_adr == 32'h10000004) begin
        $display("EXIT %0d after %0d cycles", dbus_dat, cycle);
        $finish;
      end
    end
    if (cycle > limit) begin
      $display("EXIT limit after %0d cycles", cycle);
      $finish;
    end
  end
endmodule
