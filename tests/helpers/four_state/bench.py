"""The bench of a four-valued simulation, in Verilog-2005 that Yosys' `sim` takes as well."""

from __future__ import annotations

from four_state.script import CONTROLS, BenchScript, ScriptItem, is_lane
from modmul.export.ports import Port
from modmul.export.testbench import templates

TOP = "four_state_bench"
SHOWN = 5  # messages of a failure
_LANES = 36  # bits of kind and number, before the lanes of an item


def bench(ports: tuple[Port, ...], dut: str, plan: BenchScript) -> str:
    """Verilog-2005 of the module `four_state_bench`, whose only port is the clock, and of one that
    gives it a clock."""
    rom = _Rom(ports, plan)
    inputs = [port for port in ports if port.direction == "input" and port.stream]
    codes = {stream: plan.kinds.index(stream) for stream in plan.inputs}
    return (
        templates("four_state")
        .get_template("bench.v.j2")
        .render(
            top=TOP,
            dut=dut,
            ports=ports,
            plan=plan,
            shown=SHOWN,
            rom=rom,
            items=[rom.item(item) for item in plan.items] + [CONTROLS.index("idle")],
            beats=[rom.result(beat) for beat in plan.beats] + [0],
            kind={name: code for code, name in enumerate(CONTROLS)},
            drives=[(port, _drive(port, rom, plan)) for port in inputs],
            taken=" || ".join(f"kind == {n} && {name}_ready" for name, n in codes.items()),
            ready="result_ready" if any(p.name == "result_ready" for p in ports) else "1'b1",
            result="{" + ", ".join(port.name for port in reversed(rom.results)) + "}",
        )
    )


def _drive(port: Port, rom: _Rom, plan: BenchScript) -> str:
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


class _Rom:
    """How items and results stand in memories of the bench: kind, count, lanes."""

    def __init__(self, ports: tuple[Port, ...], plan: BenchScript):
        self.plan = plan
        self.places: dict[str, tuple[int, int]] = {}
        self.width = _LANES
        for stream in plan.inputs:
            low = _LANES
            for port in ports:
                if is_lane(port, stream):
                    self.places[port.name] = low, low + port.width - 1
                    low += port.width
            self.width = max(self.width, low)
        self.results = [port for port in ports if is_lane(port, "result")]
        self.result_width = sum(port.width for port in self.results)

    def item(self, item: ScriptItem) -> int:
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
