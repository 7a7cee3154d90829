"""What a delivery contains beside the design if the design is on a bus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from modmul.design import Design
from modmul.export import first_page, hdl, names
from modmul.export.addition import Addition, Bench
from modmul.export.description import plain_port
from modmul.export.hdl import Hdl
from modmul.export.kit import Kit
from modmul.export.layout import FOLDER, Layout
from modmul.export.ports import Port
from modmul.export.ports import ports as stream_ports
from modmul.export.testbench import templates
from modmul.multipliers.contract import Multiplier
from modmul.spec import Spec
from modmul.system import bench, buses, calls, driver, rdl, secrecy, text
from modmul.system.buses import axi4stream
from modmul.system.exercise import exercise
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.registers import RegisterMap
from modmul.timing_proof import certificate
from modmul.timing_proof.certificate import Certificate
from modmul.toolchain.cache import Cache

_ACCESS = {"read": "read", "read-write": "read, write", "pulse": "write 1",
           "clear": "read, write 1 to clear"}  # fmt: skip


class Stands(NamedTuple):
    """A delivered design.  addition: what is delivered beside the design alone.  top, ports, regs:
    name, ports and registers (if any) of its outermost module.  simulated: the files to simulate.
    bench: prefix of the names of the testbench's modules."""

    addition: Addition
    top: str
    ports: tuple[Port, ...]
    regs: RegisterMap | None
    simulated: tuple[str, ...]
    bench: str


def alone(spec: Spec, written: Hdl, name: str, places: Layout) -> Stands:
    """Deliver the design without a bus."""
    top, ports = written.top(spec.interface), stream_ports(spec.design, spec.interface)
    return Stands(Addition(), top, ports, None, tuple(places.simulated), name)


def registered(
    spec: Spec,
    bus: str,
    written: Hdl,
    kit: Kit,
    name: str,
    places: Layout,
    cache: Cache,
    banks: int = 0,
) -> Stands:
    """Deliver the design behind registers: module, testbench, description of the registers, driver,
    and the proof of its timing."""
    block = register_map(spec.design, longest(spec), banks)
    module, verilog = text.on_bus(spec.design, written, block, bus)
    claim = secrecy.subject(spec.design, written, block, bus, module, verilog)
    proof = certificate.prove(claim, cache)
    accesses = exercise(spec, block, kit.plan)
    top, list_of = f"{name}_{bus}", f"{name}_{bus}_sim.f"
    file, sources = f"{FOLDER}/{top}_tb.v", _sources(places)
    check = bench.testbench(
        spec.design, block, bus, accesses, what=kit.what, dut=module, name=top, files=list_of
    )
    ports = text.bus_ports(block, bus)
    files = {
        file: check,
        list_of: "".join(f"{path}\n" for path in (*sources, file)),
        f"{name}.rdl": rdl.rdl(spec.design, block, name, module),
    }
    drivers = driver.driver(spec, block, name)
    files |= drivers
    what = {
        file: f"self-checking testbench of the bus, top module `{top}_tb`",
        list_of: "files to simulate with the bus",
        f"{name}.rdl": "the registers, SystemRDL",
        **dict(zip(drivers, ("driver in C99, header", "driver in C99, source"), strict=True)),
    }
    tested = Bench(bus, top, (*sources, file), 2 * len(accesses), "accesses")
    addition = Addition(
        f"\n{verilog}", module, files, what | _design(places, written, module),
        _described(bus, module, ports, block, proof),
        _section(spec, bus, module, ports, places, file, block, proof),
        (tested,),
    )  # fmt: skip
    addition = replace(addition, described=calls.added(addition.described, spec, block))
    return Stands(addition, module, ports, block, tested.sources, top)


def streamed(spec: Spec, written: Hdl, kit: Kit, name: str, places: Layout) -> Stands:
    """Deliver the design with AXI4-Stream: the module, and the design's testbench around it."""
    bus, design = buses.STREAMED, spec.design
    module = names.identifier(f"{written.stream.removesuffix('_stream')}_{bus}")
    ports = axi4stream.ports(design)
    verilog = _streamed(design, written.stream, module)
    top, list_of, around = f"{name}_{bus}", f"{name}_{bus}_sim.f", f"{module}_renamed"
    shown = axi4stream.renamed(design, module, around, stream_ports(design, "stream"))
    driven = replace(written, modules={**written.modules, "stream": around})
    check = kit.testbench(driven, top, list_of)
    file, sources = f"{FOLDER}/{top}_tb.v", _sources(places)
    files = {
        file: f"{check}\n// {module} by the names of {written.stream}.\n{shown}",
        list_of: "".join(f"{path}\n" for path in (*sources, file)),
    }
    what = {
        file: f"self-checking testbench of the bus, top module `{top}_tb`",
        list_of: "files to simulate with the bus",
    }
    tested = Bench(bus, top, (*sources, file), kit.count, kit.what)
    addition = Addition(
        f"\n{verilog}", module, files, what | _design(places, written, module),
        _described(bus, module, ports),
        _section(spec, bus, module, ports, places, file),
        (tested,),
    )  # fmt: skip
    return Stands(addition, module, ports, None, tested.sources, top)


@hdl.kept
def _streamed(design: Design, stream: str, module: str) -> str:
    component = axi4stream.OnAxi4Stream(design, stream)
    return hdl.declared(hdl.verilog_of([(component, axi4stream.ports(design), module)]))


def _sources(places: Layout) -> tuple[str, ...]:
    """Return the files to simulate, without the testbench of the design."""
    return tuple(path for path in places.simulated if path != places.testbench)


def _design(places: Layout, written: Hdl, module: str) -> dict[str, str]:
    named = [f"`{name}`" for name in (*written.modules.values(), module)]
    return {places.design: f"the design: modules {', '.join(named[:-1])} and {named[-1]}"}


def _described(
    bus: str,
    module: str,
    ports: tuple[Port, ...],
    regs: RegisterMap | None = None,
    proof: Certificate | None = None,
) -> dict[str, Any]:
    reset = ports[1]
    shown: Mapping[str, Any] = regs.described() if regs else {}
    proved = {"timing_proof": proof.delivered} if proof else {}
    return {
        "bus": {
            "name": bus, "module": module, "clock": ports[0].name, "reset": reset.name,
            "reset_level": "low" if "low" in reset.meaning else "high",
            "ports": [plain_port(port) for port in ports], **shown, **proved,
        }
    }  # fmt: skip


def _section(
    spec: Spec,
    bus: str,
    module: str,
    ports: tuple[Port, ...],
    places: Layout,
    file: str,
    regs: RegisterMap | None = None,
    proof: Certificate | None = None,
) -> str:
    """Return the section of the datasheet."""
    rows = [plain_port(port) for port in ports]
    shown = {"spec": {"interface": bus}, "modules": {"top": module}, "role": spec.design.role,
             "ports": {bus: rows}}  # fmt: skip
    multiplies, within = isinstance(spec.design, Multiplier), module.removesuffix(f"_{bus}")
    title = axi4stream.TITLE if regs is None else buses.REGISTRY[bus].title
    return (
        templates("modmul.system")
        .get_template("section.md.j2")
        .render(
            module=module, stream=f"{within}_stream" if multiplies else within,
            design=places.design, title=title, regs=regs, bench=file,
            instance=first_page.instance(shown), ports=rows, access=_ACCESS,
            multiplies=multiplies, proof=proof,
            cpu=calls.CPU, calls=calls.calls(spec, regs) if regs else (),
            wiped=regs.wiped if regs else 0,
        )
    )  # fmt: skip
