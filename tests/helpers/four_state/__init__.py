"""Four-valued simulation: does anything of a design stay X after one reset?

Two-state simulators start every register at 0 or 1, so that they cannot see a value that nothing
ever defined.  Here the emitted text runs where X exists: in Yosys' `sim`, which pip brings, or in
Icarus Verilog.  Every pin but the clock and `result_ready` is X until the reset, which takes one
cycle; a lane is X whenever its stream has nothing valid.  `unset` takes the initial values of
registers and memories out of a text: what power-up left is then X as well.

A bench, synthesisable so that `sim` takes it, drives the streams through `script`: products back
to back and with pauses, a second modulus, resets in the middle of products and of a modulus,
operands before any modulus.  `valid` and `ready` must be 0 or 1 in every cycle after the reset,
every beat of a result what the golden model says, and nothing else may come out."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from four_state.bench import SHOWN, TOP, bench
from four_state.script import BenchScript, script
from modmul.design import Interface
from modmul.errors import ToolFailed
from modmul.export.hdl import Hdl
from modmul.export.ports import Port, ports
from modmul.multipliers.contract import Multiplier
from modmul.toolchain import icarus, scratch, yosys

Simulator = Literal["yosys", "icarus"]
# Clock cycles that are simulated: some seconds of a small design.
AFFORDABLE: dict[Simulator, int] = {"yosys": 12_000, "icarus": 400_000}
_LOG = "sim.log"  # what `sim` prints

_UNSET = """
read_verilog design.v
hierarchy -check -top {top}
proc -norom
setattr -unset init w:*
select -set written t:$memwr t:$memwr_v2 %u %m w:*contents_given* %m %d
delete @written t:$meminit t:$meminit_v2 %u %i
write_verilog -noattr unset.v
"""
# Only `proc`, one module, and none of what nobody reads: whatever optimises may choose a value for
# an X.  `sim` has no $finish: it ends at an assertion that fails.
_SIM = f"""
read_verilog design.v
read_verilog -sv -D YOSYS bench.v
hierarchy -check -top {TOP}
proc -norom
chformal -lower
flatten
opt_clean
memory_collect
tee -o {_LOG} sim -clock clk -n {{cycles}} -q -assert
"""


class StateVerdict(NamedTuple):
    """messages: the first ones of what went wrong; none if all is well.  results: products that
    came out as they should."""

    messages: tuple[str, ...]
    results: int


def check_multiplier(
    multiplier: Multiplier, text: str, top: str, interface: Interface, simulator: Simulator
) -> StateVerdict:
    plan = script(multiplier, interface, AFFORDABLE[simulator])
    return check(text, top, ports(multiplier, interface), plan, simulator)


def check(
    text: str, top: str, ports: tuple[Port, ...], plan: BenchScript, simulator: Simulator
) -> StateVerdict:
    """Run a script on the module `top`, with these ports, of a Verilog text, the models of
    primitives with it.  ToolMissing, ToolFailed."""
    with scratch.folder() as work:
        design, rig = work / "design.v", work / "bench.v"
        design.write_text(text, encoding="utf-8")
        rig.write_text(bench(ports, top, plan), encoding="utf-8")
        if simulator == "icarus":
            output = icarus.simulate([design, rig], f"{TOP}_clock")
        else:
            output = _simulated(plan, work)
    return _verdict(output, plan)


def _simulated(plan: BenchScript, work: Path) -> str:
    """What `sim` prints.  ToolFailed where it ends otherwise than at the end of the bench."""
    try:
        return yosys.run(_SIM.format(cycles=plan.cycles + 10), work)
    except ToolFailed:
        log = work / _LOG
        output = log.read_text(encoding="utf-8") if log.exists() else ""
        if not _ended(output):
            raise
        return output


def unset(written: Hdl, top: str) -> str:
    """The same text without initial values, neither of registers nor of memories in modules that
    write some (programs stay): the module `top` and what it needs, as Yosys writes them.
    ToolMissing, ToolFailed."""
    with scratch.folder() as work:
        (work / "design.v").write_text(written.simulated, encoding="utf-8")
        yosys.run(_UNSET.format(top=top), work)
        return (work / "unset.v").read_text(encoding="utf-8")


def _ended(output: str) -> bool:
    return "END" in map(str.strip, output.splitlines())


def _verdict(output: str, plan: BenchScript) -> StateVerdict:
    lines = [line.strip() for line in output.splitlines()]
    if not _ended(output):
        raise ToolFailed("the four-valued simulation did not end:\n" + "\n".join(lines[-20:]))
    failed = tuple(line for line in lines if line.startswith("FAIL "))
    return StateVerdict(failed[:SHOWN], 0 if failed else plan.results)
