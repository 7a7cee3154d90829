"""Properties of a bus, proved by a solver (property directed reachability in ABC, which comes with
pyosys) on the delivered text; what the core answers is left open, so it may be any core."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import jinja2
import pyosys

from bus_systems import System
from modmul.multipliers.contract import Multiplier
from modmul.system.buses import axi4stream
from modmul.toolchain import yosys

PLACE = Path(__file__).parent / "soc"
ABC = Path(pyosys.__file__).parent / "yosys-abc"
_SCRIPT = """read_verilog -formal design.v prove.v
{opaque}
hierarchy -top prove
proc
flatten -noscopeinfo
cutpoint -blackbox
setattr -unset init w:dut.*
memory_map
async2sync
opt -fast
setundef -undriven -anyseq
setundef -anyseq
simplemap
dffunmap
aigmap
opt_clean
write_aiger -I -B -zinit prove.aig
"""


def properties(bus: str) -> list[str]:
    """The names of what is proved on a bus."""
    return re.findall(r"^  wire ok_(\w+)", (PLACE / f"prove_{bus}.v.j2").read_text(), re.M)


def holds(monitor: str, verilog: str, folder: Path, opaque: str | None, seconds: int = 200) -> bool:
    """Whether the assertions of module `prove` of `monitor` hold in all states that can be reached.

    opaque: a module of which only the ports are looked at; its outputs are free."""
    (folder / "design.v").write_text(verilog)
    (folder / "prove.v").write_text(monitor)
    yosys.run(_SCRIPT.format(opaque=f"blackbox {opaque}" if opaque else ""), folder)
    command = [ABC, "-c", f"read_aiger prove.aig; fold; strash; pdr -T {seconds}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    verdict = {"Property proved": True, "was asserted in frame": False}
    found = {answer for said, answer in verdict.items() if said in done.stdout}
    assert len(found) == 1, done.stdout
    return found.pop()


def of_registers(one: System, bus: str, wanted: Sequence[str]) -> str:
    """The monitor of some properties of a design on a bus with registers."""
    enables = one.regs.by_name["enables"]
    return _rendered(
        f"prove_{bus}.v.j2", wanted=wanted, dut=one.verilog(bus)[0], regs=one.regs,
        a=one.regs.address_bits, enables=enables.address,
        every=sum(bits.mask for bits in enables.fields),
    )  # fmt: skip


def of_streams(design: Multiplier, dut: str, wanted: Sequence[str]) -> str:
    """The monitor of some properties of a multiplier with AXI4-Stream."""
    streams = [
        {"name": one.name, "bits": axi4stream.data_bits(one), "beats": one.beats,
         "inward": one.direction == "input"}
        for one in design.streams
    ]  # fmt: skip
    return _rendered(
        "prove_axi4stream.v.j2", wanted=wanted, dut=dut, streams=streams,
        result_bits=streams[-1]["bits"], result_beats=streams[-1]["beats"],
        patience=min(255, 2 * max(design.latency(mode).maximum for mode in design.modes) + 10),
    )  # fmt: skip


def _rendered(template: str, **given: object) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PLACE), trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    return environment.get_template(template).render(given)
