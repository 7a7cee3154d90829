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


def live_registers(regs: RegisterMap) -> list[Register]:
    """Registers whose fields hardware writes."""
    return [register for register in regs.registers if register.address >= FIRST_LIVE]


def peakrdl_verilog(system: System, folder: Path) -> Path:
    """Verilog of the module `flat`: PeakRDL's block with plain ports."""
    from peakrdl_regblock import RegblockExporter
    from peakrdl_regblock.cpuif.passthrough import PassthroughCpuif
    from peakrdl_regblock.udps import ALL_UDPS
    from systemrdl import RDLCompiler

    text = rdl.rdl(system.spec.design, system.regs, "second", "second")
    (folder / "registers.rdl").write_text(text)
    compiler = RDLCompiler()
    for udp in ALL_UDPS:
        compiler.register_udp(udp)
    compiler.compile_file(str(folder / "registers.rdl"))
    RegblockExporter().export(
        compiler.elaborate(),
        str(folder),
        cpuif_cls=PassthroughCpuif,
        module_name="block",
        package_name="block_pkg",
        address_width=system.regs.address_bits,
        err_if_bad_addr=True,
        err_if_bad_rw=True,
    )
    (folder / "flat.sv").write_text(_rendered("flat.sv.j2", system.regs))
    script = """read_slang --threads 1 block_pkg.sv block.sv flat.sv --top flat
proc -noopt
write_verilog -noattr flat.v"""
    yosys.run(script, folder)
    return folder / "flat.v"


def bench(system: System, dut: str, accesses: list[tuple[int, Access]]) -> str:
    """Module `both_check`, with the clock as its only port.  dut: the design with the native port.
    accesses: each with the cycles before it."""
    return _rendered("both.v.j2", system.regs, dut=dut, accesses=accesses, patience=PATIENCE)


def _rendered(template: str, regs: RegisterMap, **others: object) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parents[1] / "soc"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(template).render(
        regs=regs, live=live_registers(regs), a=regs.address_bits, **others
    )


def random_accesses(system: System, count: int, seed: int) -> list[tuple[int, Access]]:
    """At least so many accesses: those of the delivered testbench again and again, with pauses,
    and random ones between them that send nothing."""
    chance, accesses = random.Random(seed), list[tuple[int, Access]]()
    while len(accesses) < count:
        for access in system.accesses:
            while chance.random() < 0.6:
                accesses.append((_pause(chance), _anything(system.regs, chance)))
            if access.kind != "interrupt":
                accesses.append((_pause(chance), access))
    return accesses


def _pause(chance: random.Random) -> int:
    return chance.choice((0, 0, 0, 0, 1, 2, chance.randrange(40)))


def _anything(regs: RegisterMap, chance: random.Random) -> Access:
    """Any address, data and bytes; but no packet is sent, and nothing wiped or taken."""
    near = chance.choice([*regs.registers, *regs.windows]).address
    most = 1 << regs.address_bits
    address = chance.choice((chance.randrange(most), near, near, near + 4)) % most
    if chance.random() < 0.6:
        return Access("read", address)
    data, strobes = chance.getrandbits(32), chance.getrandbits(4)
    for register in regs.registers:
        if address & ~3 == register.address and register.name.endswith("_send"):
            strobes = 0
        elif address & ~3 == register.address and register.name == "control":
            data, strobes = 0, ALL  # a pulse there lasts longer where the next write has no bytes
    data &= chance.choice((-1, 0xFFFF, 0))
    inputs = [window.address // regs.unit for window in regs.windows if window.access == "write"]
    if address // regs.unit in inputs:  # a number stays what it is
        strobes = 0
    return Access("write", address, data, strobes=strobes)
