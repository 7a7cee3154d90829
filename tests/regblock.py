"""The registers of a design a second time: PeakRDL's register block from our SystemRDL, flattened
by Yosys, in step with our own registers in one simulation.

Both get the same accesses.  What hardware tells the second one (status, events, words of a result)
comes from the first one; what software writes, reads and is refused, each finds out by itself."""

from __future__ import annotations

import random
from pathlib import Path

import jinja2

from bus_systems import System
from modmul.system import rdl
from modmul.system.registers import FIRST_LIVE, Register, RegisterMap
from modmul.system.script import ALL, Access
from modmul.toolchain import yosys

FLAT = "flat"
PATIENCE = 100_000  # cycles until what an access waits for has come


def live(told: RegisterMap) -> list[Register]:
    """Registers whose fields hardware writes."""
    return [one for one in told.registers if one.address >= FIRST_LIVE]


def second(one: System, folder: Path) -> Path:
    """Verilog of the module `flat`: PeakRDL's block with plain ports."""
    from peakrdl_regblock import RegblockExporter
    from peakrdl_regblock.cpuif.passthrough import PassthroughCpuif
    from peakrdl_regblock.udps import ALL_UDPS
    from systemrdl import RDLCompiler

    text = rdl.rdl(one.spec.design, one.told, "second", "second")
    (folder / "registers.rdl").write_text(text)
    compiler = RDLCompiler()
    for udp in ALL_UDPS:
        compiler.register_udp(udp)
    compiler.compile_file(str(folder / "registers.rdl"))
    RegblockExporter().export(
        compiler.elaborate(), str(folder), cpuif_cls=PassthroughCpuif, module_name="block",
        package_name="block_pkg", address_width=one.told.address_bits, err_if_bad_addr=True,
        err_if_bad_rw=True,
    )  # fmt: skip
    (folder / "flat.sv").write_text(_rendered(_FLAT, one.told))
    script = """read_slang --threads 1 block_pkg.sv block.sv flat.sv --top flat
proc -noopt
write_verilog -noattr flat.v"""
    yosys.run(script, folder)
    return folder / "flat.v"


def bench(one: System, dut: str, accesses: list[tuple[int, Access]]) -> str:
    """Module `both_check`, with the clock as its only port.  dut: the design with the native port.
    accesses: each with the cycles before it."""
    return _rendered(_BENCH, one.told, dut=dut, accesses=accesses, patience=PATIENCE)


def _rendered(template: str, told: RegisterMap, **others: object) -> str:
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined)  # fmt: skip
    return environment.from_string(template).render(
        told=told, live=live(told), a=told.address_bits, **others
    )


def chosen(one: System, count: int, seed: int) -> list[tuple[int, Access]]:
    """At least so many accesses: those of the delivered testbench again and again, with pauses,
    and random ones between them that send nothing."""
    chance, found = random.Random(seed), list[tuple[int, Access]]()
    while len(found) < count:
        for access in one.accesses:
            while chance.random() < 0.6:
                found.append((_pause(chance), _anything(one.told, chance)))
            if access.kind != "interrupt":
                found.append((_pause(chance), access))
    return found


def _pause(chance: random.Random) -> int:
    return chance.choice((0, 0, 0, 0, 1, 2, chance.randrange(40)))


def _anything(told: RegisterMap, chance: random.Random) -> Access:
    """Any address, data and bytes; but no packet is sent, and nothing wiped or taken."""
    near = chance.choice([*told.registers, *told.windows]).address
    most = 1 << told.address_bits
    address = chance.choice((chance.randrange(most), near, near, near + 4)) % most
    if chance.random() < 0.6:
        return Access("read", address)
    data, strobes = chance.getrandbits(32), chance.getrandbits(4)
    for register in told.registers:
        if address & ~3 == register.address and register.name.endswith("_send"):
            strobes = 0
        elif address & ~3 == register.address and register.name == "control":
            data, strobes = 0, ALL  # a pulse there lasts longer where the next write has no bytes
    data &= chance.choice((-1, 0xFFFF, 0))
    inputs = [one.address // told.unit for one in told.windows if one.access == "write"]
    if address // told.unit in inputs:  # a number stays what it is
        strobes = 0
    return Access("write", address, data, strobes=strobes)


_FLAT = """
module flat (
  input wire clk, input wire rst, input wire en, input wire we, input wire [{{ a - 1 }}:0] addr,
  input wire [31:0] wdata, input wire [3:0] wstrb,
{% for register in live %}
{% for bits in register.fields if bits.access == "read" %}
  input wire [{{ bits.width - 1 }}:0] {{ register.name }}_{{ bits.name }},
{% endfor %}
{% endfor %}
{% for bits in told.by_name["events"].fields %}
  input wire happens_{{ bits.name }},
  output wire event_{{ bits.name }},
  output wire enable_{{ bits.name }},
{% endfor %}
{% for window in told.windows %}
  {{ "input" if window.access == "read" else "output" }} wire [{{ 32 * window.words - 1 }}:0] {{ window.name }}_words,
{% endfor %}
  output wire take, output wire wipe,
  output wire ack, output wire error, output wire [31:0] rdata
);
  block_pkg::second_registers__in_t from_hardware;
  block_pkg::second_registers__out_t to_hardware;
{% for register in live %}
{% for bits in register.fields if bits.access == "read" %}
  assign from_hardware.{{ register.name }}.{{ bits.name }}.next = {{ register.name }}_{{ bits.name }};
{% endfor %}
{% endfor %}
{% for bits in told.by_name["events"].fields %}
  assign from_hardware.events.{{ bits.name }}.hwset = happens_{{ bits.name }};
  assign event_{{ bits.name }} = to_hardware.events.{{ bits.name }}.value;
  assign enable_{{ bits.name }} = to_hardware.enables.{{ bits.name }}.value;
{% endfor %}
{% for window in told.windows %}
{% for word in range(window.words) %}
{% if window.access == "read" %}
  assign from_hardware.{{ window.name }}_window[{{ word }}].word.next = {{ window.name }}_words[{{ 32 * word + 31 }}:{{ 32 * word }}];
{% else %}
  assign {{ window.name }}_words[{{ 32 * word + 31 }}:{{ 32 * word }}] = to_hardware.{{ window.name }}_window[{{ word }}].word.value;
{% endif %}
{% endfor %}
{% endfor %}
  assign take = to_hardware.control.take.value;
  assign wipe = to_hardware.control.wipe.value;

  wire read_ack, read_error, write_ack, write_error;
  wire [31:0] read_data;
  wire stalls_reads, stalls_writes;
  wire [31:0] bits = { {8{wstrb[3]}}, {8{wstrb[2]}}, {8{wstrb[1]}}, {8{wstrb[0]}} };
  block block (
    .clk(clk), .rst(rst), .s_cpuif_req(en), .s_cpuif_req_is_wr(we), .s_cpuif_addr({addr[{{ a - 1 }}:2], 2'b00}),
    .s_cpuif_wr_data(wdata), .s_cpuif_wr_biten(bits), .s_cpuif_req_stall_wr(stalls_writes),
    .s_cpuif_req_stall_rd(stalls_reads), .s_cpuif_rd_ack(read_ack), .s_cpuif_rd_err(read_error),
    .s_cpuif_rd_data(read_data), .s_cpuif_wr_ack(write_ack), .s_cpuif_wr_err(write_error),
    .hwif_in(from_hardware), .hwif_out(to_hardware)
  );
  assign ack = read_ack | write_ack;
  assign error = read_ack ? read_error : write_error;
  assign rdata = read_ack ? read_data : 32'd0;
endmodule
"""

_BENCH = """
module both_check (input clk);
  localparam ACCESSES = {{ accesses | length }};
  localparam PATIENCE = {{ patience }};
  reg rst = 1'b1;
  reg en = 1'b0, we = 1'b0;
  reg [{{ a - 1 }}:0] addr = 0;
  reg [31:0] wdata = 0;
  reg [3:0] wstrb = 0;
  wire ack, error, irq;
  wire [31:0] rdata;
  {{ dut }} dut (
    .clk(clk), .rst(rst), .en(en), .we(we), .addr(addr), .wdata(wdata), .wstrb(wstrb),
    .ack(ack), .rdata(rdata), .error(error), .irq(irq)
  );

  // What the hardware of the first block does, told to the second one.
  wire held = dut.registers.result.held;
  wire held_next = (held & !dut.registers.result.take) | dut.registers.result.done;
{% for window in told.windows %}
  wire [{{ 32 * window.words - 1 }}:0] {{ window.name }}_words;
{% if window.access == "read" %}
{% for word in range(window.words) %}
  assign {{ window.name }}_words[{{ 32 * word + 31 }}:{{ 32 * word }}] =
      held_next ? dut.registers.result.{{ window.name }}_window.ram[{{ word }}] : 32'd0;
{% endfor %}
{% endif %}
{% endfor %}
  wire take, wipe, second_ack, second_error;
  wire [31:0] second_rdata;
  wire [{{ told.by_name["events"].fields | length - 1 }}:0] second_events, second_enables;
  flat second (
    .clk(clk), .rst(rst), .en(en), .we(we), .addr(addr), .wdata(wdata), .wstrb(wstrb),
    .status_result(held), .status_wiping(dut.registers.core_reset),
{% for channel in told.inputs %}
    .status_{{ channel.name }}_busy(dut.registers.{{ channel.name }}.busy),
    .happens_{{ channel.name }}_sent(dut.registers.{{ channel.name }}.done),
{% endfor %}
    .result_beats_beats(dut.registers.result.beats),
    .happens_result(dut.registers.result.done), .happens_wiped(dut.registers.wiped),
    .happens_error(dut.registers.take_refused
{%- for channel in told.inputs %} | dut.registers.{{ channel.name }}.refused{% endfor %}),
{% for bits in told.by_name["events"].fields %}
    .event_{{ bits.name }}(second_events[{{ loop.index0 }}]),
    .enable_{{ bits.name }}(second_enables[{{ loop.index0 }}]),
{% endfor %}
{% for window in told.windows %}
    .{{ window.name }}_words({{ window.name }}_words),
{% endfor %}
    .take(take), .wipe(wipe), .ack(second_ack), .error(second_error), .rdata(second_rdata)
  );

  // Of each word of a window: whether both blocks hold the same; and in the bytes written last.
  wire [{{ 2 ** (a - 2) - 1 }}:0] same, strobed;
{% for window in told.windows if window.access == "write" %}
{% for word in range(window.words) %}
{% set first = "dut.registers.%s.%s_window.ram[%d]" % (window.channel, window.name, word) %}
{% set other = "%s_words[%d:%d]" % (window.name, 32 * word + 31, 32 * word) %}
  assign same[{{ window.address // 4 + word }}] = {{ first }} === {{ other }};
  assign strobed[{{ window.address // 4 + word }}] =
      (({{ first }} ^ {{ other }}) & was_bits) === 0 && (({{ first }} ^ was_wdata) & was_bits) === 0;
{% endfor %}
{% endfor %}

  // {pause, mask, data, address, strobes, kind}; kind 0: write, 1: read, 2: read until it is so.
  reg [{{ 77 + a }}:0] script [0:ACCESSES-1];
  reg [{{ 77 + a }}:0] step = 0;
  reg [31:0] done = 0, cycle = 0, still = 0, errors = 0, pause = 0;
  reg [31:0] reads = 0, writes = 0, refused = 0, nonzero = 0;
  reg asked = 1'b0, was_take = 1'b0, was_wiping = 1'b1, write_kept = 1'b0;
  reg was_error = 1'b0, was_same = 1'b0;
  reg [31:0] was_rdata = 0;
  reg [{{ a - 1 }}:0] was_addr = 0;
  reg [31:0] was_wdata = 0, was_bits = 0;

  task fault(input [383:0] what);
    begin
      errors = errors + 1;
      if (errors <= 10) $display("cycle %0d, access %0d to %h: %0s", cycle, done, addr, what);
    end
  endtask

  initial begin
{% for pause, one in accesses %}
    script[{{ loop.index0 }}] = { {{- "6'd%d, 32'h%08x, 32'h%08x, %d'h%x, 4'h%x, 2'd%d" % (pause, one.mask, one.data, a, one.address, one.strobes, {"write": 0, "read": 1, "poll": 2}[one.kind]) -}} };
{% endfor %}
  end

  always @(posedge clk) begin
    cycle <= cycle + 1;
    still = still + 1;
    rst <= cycle < 3;
    // Answers of the second block come in the cycle of the access, ours in the next one.
    if (en && !second_ack) fault("the second block does not answer");
    if (!en && second_ack) fault("the second block answers without an access");
    was_error <= second_error;
    was_rdata <= second_rdata;
    was_take <= dut.registers.take | dut.registers.take_refused;
    was_wiping <= dut.registers.core_reset;
    if (cycle > 4) begin
      if (ack !== asked) fault("no answer, or one too many");
      if (asked && error !== was_error) fault("one block refuses what the other does not");
      if (asked && rdata !== was_rdata) begin
        fault("different answers");
        if (errors <= 10) $display("  %h %h", rdata, was_rdata);
      end
      if (irq !== |(second_events & second_enables)) fault("different interrupts");
      if (take && !was_take) fault("a result is taken in the second block alone");
      if (wipe && !dut.registers.core_reset) fault("wiped in the second block alone");
      if (dut.registers.core_reset && !was_wiping && !wipe) fault("wiped in the first block alone");
      if (write_kept) begin
        if (was_same && !same[was_addr[{{ a - 1 }}:2]]) fault("different words in windows");
        if (!strobed[was_addr[{{ a - 1 }}:2]]) fault("another word in a window");
      end
      if (ack) begin
        if (error) refused = refused + 1;
        if (rdata !== 0) nonzero = nonzero + 1;
      end
    end
    write_kept <= 1'b0;
    if (en && we && !dut.registers.core_reset) begin
{% for channel in told.inputs %}
{% for lane in channel.lanes %}
      if (dut.registers.at_{{ lane.name }}_window && !dut.registers.{{ channel.name }}.busy)
        write_kept <= 1'b1;
{% endfor %}
{% endfor %}
    end
    was_same <= same[addr[{{ a - 1 }}:2]];
    was_addr <= addr;
    was_wdata <= wdata;
    was_bits <= { {8{wstrb[3]}}, {8{wstrb[2]}}, {8{wstrb[1]}}, {8{wstrb[0]}} };
    asked <= en;

    // The next access.
    en <= 1'b0;
    if (cycle > 4 && !en && asked && step[1:0] == 2 && ((rdata ^ step[{{ 37 + a }}:{{ 6 + a }}]) & step[{{ 69 + a }}:{{ 38 + a }}]) !== 0) begin
      en <= 1'b1;  // once more
      reads = reads + 1;
    end else if (cycle > 4 && !(en && step[1:0] == 2) && done < ACCESSES) begin
      if (pause < script[done][{{ 77 + a }}:{{ 70 + a }}]) pause = pause + 1;
      else begin
        pause = 0;
        step = script[done];
        en <= 1'b1;
        we <= step[1:0] == 0;
        wstrb <= step[5:2];
        addr <= step[{{ 5 + a }}:6];
        wdata <= step[{{ 37 + a }}:{{ 6 + a }}];
        if (step[1:0] == 0) writes = writes + 1;
        else reads = reads + 1;
        done = done + 1;
        still = 0;
      end
    end
    if (still > PATIENCE || (done >= ACCESSES && still > 3 && !en)) begin
      if (still > PATIENCE) fault("nothing happens any more");
      $display("%0d reads, %0d writes, %0d refused, %0d not zero", reads, writes, refused, nonzero);
      $display("%0s %0d differences", errors == 0 ? "PASS" : "FAIL", errors);
      $finish;
    end
  end
endmodule
"""
