// A system to test with: PicoRV32, 64 KiB of memory, and the device on AXI4-Lite.  What the
// firmware writes to OUT is printed, what it writes to EXIT ends the run.
//   0000_0000  memory           1000_0000  OUT      1000_0004  EXIT
//   1000_0008  cycles so far    1000_000c  the device's interrupt
//   1000_0010  accesses to the device so far
//   4000_0000  the device       all else   nothing: reads as 0
`timescale 1ns / 1ps
module soc_check (input clk);
  reg [31:0] limit = 0;  // cycles
  reg [8*512-1:0] firmware = 0;
  reg resetn = 0;
  reg [31:0] cycle = 0, accesses = 0;
  wire trap, irq;
  wire awvalid, wvalid, arvalid, bready, rready;
  wire [31:0] awaddr, wdata, araddr;
  wire [3:0] wstrb;
  reg local_bvalid = 0, local_rvalid = 0;
  reg [31:0] local_rdata = 0;
  wire dev_awready, dev_wready, dev_bvalid, dev_arready, dev_rvalid;
  wire [31:0] dev_rdata;

  // Both addresses of the processor stay until it has its answer.
  wire to_device = awaddr[31:28] == 4'd4;
  wire from_device = araddr[31:28] == 4'd4;
  wire local_write = awvalid && wvalid && !to_device && !local_bvalid;
  wire local_read = arvalid && !from_device && !local_rvalid;

  picorv32_axi #(
    .ENABLE_MUL(1), .ENABLE_DIV(1), .ENABLE_IRQ(1), .MASKED_IRQ(32'd0), .LATCHED_IRQ(32'd0),
    .STACKADDR(32'h00010000)
  ) cpu (
    .clk(clk), .resetn(resetn), .trap(trap),
    .mem_axi_awvalid(awvalid), .mem_axi_awready(to_device ? dev_awready : local_write),
    .mem_axi_awaddr(awaddr), .mem_axi_awprot(),
    .mem_axi_wvalid(wvalid), .mem_axi_wready(to_device ? dev_wready : local_write),
    .mem_axi_wdata(wdata), .mem_axi_wstrb(wstrb),
    .mem_axi_bvalid(dev_bvalid || local_bvalid), .mem_axi_bready(bready),
    .mem_axi_arvalid(arvalid), .mem_axi_arready(from_device ? dev_arready : local_read),
    .mem_axi_araddr(araddr), .mem_axi_arprot(),
    .mem_axi_rvalid(dev_rvalid || local_rvalid), .mem_axi_rready(rready),
    .mem_axi_rdata(dev_rvalid ? dev_rdata : local_rdata),
    .pcpi_valid(), .pcpi_insn(), .pcpi_rs1(), .pcpi_rs2(),
    .pcpi_wr(1'b0), .pcpi_rd(32'd0), .pcpi_wait(1'b0), .pcpi_ready(1'b0),
    .irq({26'd0, irq, 5'd0}), .eoi(), .trace_valid(), .trace_data()
  );

  @DEVICE@ device (
    .clk(clk), .aresetn(resetn), .irq(irq),
    .s_axi_awvalid(awvalid && to_device), .s_axi_awready(dev_awready),
    .s_axi_awaddr(awaddr[@BITS@-1:0]), .s_axi_awprot(3'd0),
    .s_axi_wvalid(wvalid && to_device), .s_axi_wready(dev_wready),
    .s_axi_wdata(wdata), .s_axi_wstrb(wstrb),
    .s_axi_bvalid(dev_bvalid), .s_axi_bready(bready), .s_axi_bresp(),
    .s_axi_arvalid(arvalid && from_device), .s_axi_arready(dev_arready),
    .s_axi_araddr(araddr[@BITS@-1:0]), .s_axi_arprot(3'd0),
    .s_axi_rvalid(dev_rvalid), .s_axi_rready(rready), .s_axi_rdata(dev_rdata), .s_axi_rresp()
  );

  reg [31:0] memory [0:16383];
  initial begin
    if (!$value$plusargs("firmware=%s", firmware) || !$value$plusargs("limit=%d", limit)) $finish;
    $readmemh(firmware, memory);
  end

  always @(posedge clk) begin
    cycle <= cycle + 1;
    resetn <= cycle > 8;
    if ((dev_bvalid && bready) || (dev_rvalid && rready)) accesses <= accesses + 1;
    if (bready) local_bvalid <= 0;
    if (rready) local_rvalid <= 0;
    if (local_write) begin
      local_bvalid <= 1;
      if (awaddr[31:16] == 0) begin
        if (wstrb[0]) memory[awaddr[15:2]][7:0] <= wdata[7:0];
        if (wstrb[1]) memory[awaddr[15:2]][15:8] <= wdata[15:8];
        if (wstrb[2]) memory[awaddr[15:2]][23:16] <= wdata[23:16];
        if (wstrb[3]) memory[awaddr[15:2]][31:24] <= wdata[31:24];
      end
      if (awaddr == 32'h10000000) $display("OUT %08x", wdata);
      if (awaddr == 32'h10000004) begin
        $display("EXIT %0d after %0d cycles", wdata, cycle);
        $finish;
      end
    end
    if (local_read) begin
      local_rvalid <= 1;
      local_rdata <= araddr[31:16] == 0 ? memory[araddr[15:2]]
        : araddr == 32'h10000008 ? cycle : araddr == 32'h1000000c ? {31'd0, irq}
        : araddr == 32'h10000010 ? accesses : 0;
    end
    if (trap || cycle > limit) begin
      $display("EXIT %0s after %0d cycles", trap ? "trap" : "limit", cycle);
      $finish;
    end
  end
endmodule
