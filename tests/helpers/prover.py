"""Properties of a bus, proved by a solver (property directed reachability in ABC, which comes with
pyosys) on the delivered text; what the core answers is left open, so it may be any core."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import pyosys

from bus_systems import System
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.streamed import core_timing
from modmul.system import buses
from modmul.system.buses import axi4stream
from modmul.toolchain import yosys

PLACE = Path(__file__).parents[1] / "soc"
_ADAPTER = "dut.core.adapter."
ABC = Path(pyosys.__file__).parent / "yosys-abc"
_SCRIPT = """read_verilog -formal design.v prove.v
{opaque}
hierarchy -top prove
proc
memory_map
flatten -noscopeinfo
cutpoint -blackbox
setattr -unset init w:dut.* w:*monitor_* %d
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
    return re.findall(r"^  wire ok_(\w+)", (PLACE / _monitor(bus)).read_text(), re.M)


def _monitor(bus: str) -> str:
    """The template of a bus: one for both widths of data."""
    return f"prove_{bus.removesuffix('64')}.v.j2"


def holds(monitor: str, verilog: str, folder: Path, opaque: str | None, seconds: int = 200) -> bool:
    """Whether the assertions of module `prove` of `monitor` hold in all states that can be reached.

    opaque: a module of which only the ports are looked at; its outputs are free."""
    (folder / "design.v").write_text(verilog)
    (folder / "prove.v").write_text(monitor)
    yosys.run(_SCRIPT.format(opaque=f"blackbox {opaque}" if opaque else ""), folder)
    command = [ABC, "-c", f"read_aiger prove.aig; fold; strash; pdr -T {seconds}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    verdict = {"Property proved": True, "was asserted in frame": False}
    answers = {answer for said, answer in verdict.items() if said in done.stdout}
    assert len(answers) == 1, done.stdout
    return answers.pop()


def of_registers(system: System, bus: str, wanted: Sequence[str]) -> str:
    """The monitor of some properties of a design on a bus with registers."""
    enables = system.regs.by_name["enables"]
    return _rendered(
        _monitor(bus),
        wanted=wanted,
        dut=system.verilog(bus)[0],
        regs=system.regs,
        a=system.regs.address_bits,
        bits=buses.REGISTRY[bus].data_bits,
        enables=enables.address,
        every=sum(bits.mask for bits in enables.fields),
    )


def of_streams(
    design: Multiplier, dut: str, wanted: Sequence[str], words: Mapping[str, object] | None = None
) -> str:
    """The monitor of some properties of a multiplier with AXI4-Stream.  words: see `of_words`."""
    streams = [
        {
            "name": stream.name,
            "bits": axi4stream.data_bits(stream),
            "beats": stream.beats,
            "inward": stream.direction == "input",
        }
        for stream in design.streams
    ]
    return _rendered(
        "prove_axi4stream.v.j2",
        wanted=wanted,
        dut=dut,
        streams=streams,
        words=words is not None,
        **(words or {}),
        result_bits=streams[-1]["bits"],
        result_beats=streams[-1]["beats"],
        patience=min(255, 2 * max(design.latency(mode).maximum for mode in design.modes) + 10),
    )


class OfWords(NamedTuple):
    """A multiplier of several beats in two parts, each with what it relies on of the other.

    core: the top module and text of the core alone, that of the adapter assumed.  around: the
    monitor and text of all with a core that may be any that keeps to what was proved of it."""

    core: tuple[str, str]
    around: tuple[str, str]


def of_words(design: Multiplier, dut: str, verilog: str, wanted: Sequence[str]) -> OfWords:
    """Of its full length; what of the adapter's registers holds is asserted with the rest."""
    modulus, operand, _ = design.streams
    (name,) = re.findall(r"^module (\w+_core) \(", verilog, re.M)
    begin = verilog.index(f"module {name} (")
    body, end = verilog.index(");", begin) + 2, verilog.index("endmodule", begin)
    ports = re.findall(
        r"^  (input|output) (?:wire|reg) (?:\[(\d+):0\] )?(\w+)", verilog[begin:body], re.M
    )
    flag = "square" if "square" in operand.members else None  # of these designs none adds
    value = (1 << design.width) - 1
    heads = (
        {design.load(value, field)["modulus"][0]["data"] for field in design.fields_built}
        if design.lengths
        else set()
    )
    shared = {"n": operand.beats, "moduli": modulus.beats, "flag": flag, "heads": sorted(heads)}
    contract = {
        kind: _rendered("prove_core.v.j2", abstract=kind, **shared) for kind in (False, True)
    }
    free = "".join(
        f"  (* anyseq *) wire [{int(high or 0)}:0] free_{port};\n  assign {port} = free_{port};\n"
        for direction, high, port in ports
        if direction == "output"
    )
    head = verilog[begin:body].replace("output reg", "output wire")
    alone = "".join(
        f"  {'input' if direction == 'input' else ''} wire [{int(high or 0)}:0] {port}"
        f"{',' if direction == 'input' else ';'}\n"
        for direction, high, port in sorted(ports, key=lambda port: port[0])
    )
    inputs, outputs = alone.rsplit(",\n", 1)
    pins = ", ".join(f".{port}({port})" for _, _, port in ports)
    queue = name.removesuffix("_core") + "_stream_adapter_"
    rings = [
        _ring(verilog, f"{queue}operands", "operands.", "sent", ("full", "ram", "packet_start")),
        _ring(
            verilog, f"{queue}results", "results.", "result_place", ("level", "storage", "produce")
        ),
    ]
    known = [
        (3, f"{_ADAPTER}results_owed"),
        (1, f"{_ADAPTER}result_taken"),
        (1, f"{_ADAPTER}partly_sent"),
        (3, f"{_ADAPTER}operands.complete_packets"),
        (3, "dut.core.core.monitor_inside"),
        (4, "dut.core.core.monitor_operand"),
        (4, "dut.core.core.monitor_result"),
        (4, "dut.core.core.monitor_modulus"),
    ]
    known += [register for ring in rings for register in ring["known"]]
    known += _registers(verilog, f"{queue}operands", "operands.", ("place", "produce", "partly_in"))
    known += _registers(verilog, queue[:-1], "", ("operand_last_place", "modulus_sent"))
    places = {field: low for field, (low, _) in axi4stream.places(operand).items()}
    return OfWords(
        (
            f"module prove (\n{inputs}\n);\n{outputs}  {name} dut ({pins});\nendmodule\n",
            f"{verilog[:end]}{contract[False]}\n{verilog[end:]}",
        ),
        (
            of_streams(
                design,
                dut,
                wanted,
                {
                    **shared,
                    "known": known,
                    "rings": rings,
                    "adapter": _ADAPTER,
                    "owed": core_timing(design).most_owed,
                    "flag_place": places.get(flag or ""),
                },
            ),
            f"{verilog[:begin]}{head}\n{free}{contract[True]}\n{verilog[end:]}",
        ),
    )


def _ring(
    verilog: str, module: str, at: str, phase: str, names: tuple[str, str, str]
) -> dict[str, Any]:
    """A queue of the adapter: where it is, its places, and its registers with their bits.  names:
    of the number of beats or the flag of a full queue, the memory, and the place behind the last
    beat."""
    level, memory, end = names
    text = _module(verilog, module)
    ((word, last),) = re.findall(rf"reg \[(\d+):0\] {memory} \[0:(\d+)\]", text)
    every = _registers(verilog, module, at, (level, end, "consume"))
    every += [(int(word) + 1, f"{_ADAPTER}{at}{memory}[{place}]") for place in range(int(last) + 1)]
    return {
        "name": at.partition(".")[0],
        "at": f"{_ADAPTER}{at}",
        "places": int(last) + 1,
        "phase": phase,
        "known": every,
        "level": level,
        "memory": memory,
        "end": end,
    }


def _module(verilog: str, module: str) -> str:
    return verilog.partition(f"module {module} (")[2].partition("endmodule")[0]


def _registers(verilog: str, module: str, at: str, names: Sequence[str]) -> list[tuple[int, str]]:
    """Registers of a module of the adapter, each with its bits."""
    found = re.findall(rf"reg (?:\[(\d+):0\] )?({'|'.join(names)}) =", _module(verilog, module))
    return [(int(high or 0) + 1, f"{_ADAPTER}{at}{name}") for high, name in found]


def _rendered(template: str, **given: object) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PLACE),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(template).render(given)
