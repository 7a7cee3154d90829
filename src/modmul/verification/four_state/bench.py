"""The bench of a four-valued simulation, in Verilog-2005 that Yosys' `sim` takes as well."""

from __future__ import annotations

from modmul.export.ports import Port
from modmul.verification.four_state.script import CONTROLS, Item, Script, is_lane

TOP = "four_state_bench"
_LANES = 36  # bits of kind and number, before the lanes of an item


def bench(found: tuple[Port, ...], dut: str, plan: Script) -> str:
    """Verilog-2005 of the module `four_state_bench`, whose only port is the clock, and of one that
    gives it a clock."""
    rom = _Rom(found, plan)
    inputs = [port for port in found if port.direction == "input" and port.stream]
    drives = "\n".join(f"  assign {port.name} = {_drive(port, rom, plan)};" for port in inputs)
    wires = "\n".join(f"  wire {_range(p.width)}{p.name};" for p in found if p.stream)
    pins = ",\n    ".join(f".{port.name}({port.name})" for port in found)
    known = [port for port in found if port.direction == "output"
             and port.field in ("valid", "ready")]  # fmt: skip
    ready = "result_ready" if any(p.name == "result_ready" for p in found) else "1'b1"
    taken = " || ".join(
        f"kind == {plan.kinds.index(stream)} && {stream}_ready" for stream in plan.inputs
    )
    result = "{" + ", ".join(port.name for port in reversed(rom.results)) + "}"
    kind = {name: number for number, name in enumerate(CONTROLS)}
    return f"""
module {TOP} (input clk);
  reg [31:0] cycle = 0;
  reg [31:0] at = 0;        // item
  reg [31:0] waited = 0;    // cycles in it
  reg [31:0] received = 0;  // beats of results
  reg started = 0;          // the first reset is over
  reg muted = 0;
  reg ended = 0;
{wires}
  reg [{rom.width - 1}:0] items [0:{len(plan.items)}];
  reg [{rom.result_width - 1}:0] wanted [0:{len(plan.beats)}];
  wire [{rom.width - 1}:0] item = items[at];
  wire [{rom.result_width - 1}:0] due = wanted[received];
  wire [3:0] kind = item[3:0];
  wire [31:0] count = item[35:4];
  wire rst = !started && at == 0 && cycle < 2 ? 1'bx : kind == {kind["reset"]};
{drives}
  {dut} dut (
    {pins});
  wire taken = {taken};
  wire over =
    kind >= {len(CONTROLS)} ? taken :
    kind == {kind["drain"]} ? received == count : waited + 1 >= count;
  initial begin
{_rom_text("items", [rom.item(item) for item in plan.items] + [rom.end], rom.width)}
{_rom_text("wanted", [rom.result(beat) for beat in plan.beats] + [0], rom.result_width)}
  end
  always @(posedge clk) begin
    cycle <= cycle + 1;
    if (cycle >= 2 && at < {len(plan.items)}) begin
      if (over) begin
        at <= at + 1;
        waited <= 0;
        if (kind == {kind["reset"]}) started <= 1;
        if (kind == {kind["mute"]}) muted <= 1;
        if (kind == {kind["listen"]}) muted <= 0;
      end else waited <= waited + 1;
    end
    if (started && !rst && !muted) begin
{_known(known)}
      if (kind == {kind["knock"]} && {plan.knocks}_ready !== 1'b0)
        $display("FAIL cycle %0d: {plan.knocks} is taken before any modulus", cycle);
      if (result_valid !== 1'b0 && {ready}) begin
        received <= received + 1;
        if (received >= {len(plan.beats)})
          $display("FAIL cycle %0d: a result too many", cycle);
        else if ({result} !== due)
          $display("FAIL cycle %0d: beat %0d of the results is %h, should be %h", cycle, received,
                   {result}, due);
      end
    end
    if (!ended && (at == {len(plan.items)} || cycle == {plan.cycles})) begin
      ended <= 1;
      if (at != {len(plan.items)} || received != {len(plan.beats)})
        $display("FAIL cycle %0d: hangs at item %0d (kind %0d), %0d of {len(plan.beats)} beats",
                 cycle, at, kind, received);
      $display("END");
`ifndef YOSYS
      $finish;
`endif
    end
  end
endmodule
`ifndef YOSYS
module {TOP}_clock;
  reg clk = 0;
  always #1 clk = !clk;
  {TOP} bench (.clk(clk));
endmodule
`endif
"""


def _drive(port: Port, rom: _Rom, plan: Script) -> str:
    """What an input is driven with: X while its stream offers nothing."""
    if port.name == "result_ready":
        return "cycle[1:0] != 2'd1"
    own = f"kind == {plan.kinds.index(port.stream or '')}"
    if port.stream == plan.knocks:
        own = f"({own} || kind == {CONTROLS.index('knock')})"
    if port.field == "valid":
        return f"cycle < 3 ? 1'bx : {own}"
    low, high = rom.places[port.name]
    return f"cycle >= 3 && {own} ? item[{high}:{low}] : {{{port.width}{{1'bx}}}}"


def _known(outputs: list[Port]) -> str:
    return "\n".join(
        f"      if ({port.name} !== 1'b0 && {port.name} !== 1'b1)\n"
        f'        $display("FAIL cycle %0d: {port.name} is %b", cycle, {port.name});'
        for port in outputs
    )


class _Rom:
    """How items and results stand in memories of the bench: kind, count, lanes."""

    def __init__(self, found: tuple[Port, ...], plan: Script):
        self.plan = plan
        self.places: dict[str, tuple[int, int]] = {}
        self.width = _LANES
        for stream in plan.inputs:
            low = _LANES
            for port in found:
                if is_lane(port, stream):
                    self.places[port.name] = low, low + port.width - 1
                    low += port.width
            self.width = max(self.width, low)
        self.results = [port for port in found if is_lane(port, "result")]
        self.result_width = sum(port.width for port in self.results)
        self.end = CONTROLS.index("idle")

    def item(self, item: Item) -> int:
        word = self.plan.kinds.index(item.kind) | item.number << 4
        stream = self.plan.knocks if item.kind == "knock" else item.kind
        for name, value in item.lanes:
            word |= int(value) << self.places[f"{stream}_{name}"][0]
        return word

    def result(self, beat: dict[str, int]) -> int:
        word, low = 0, 0
        for port in self.results:
            word |= int(beat[port.field or ""]) << low
            low += port.width
        return word


def _rom_text(name: str, words: list[int], bits: int) -> str:
    return "\n".join(f"    {name}[{i}] = {bits}'h{word:x};" for i, word in enumerate(words))


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""
