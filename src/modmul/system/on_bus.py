"""What a delivery contains beside the design if the design is on a bus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from modmul.design import Design
from modmul.export import first_page, hdl, names
from modmul.export.addition import Addition, Bench
from modmul.export.contents import Contents
from modmul.export.description import plain_enable, plain_port, plain_reset
from modmul.export.hdl import Hdl
from modmul.export.layout import FOLDER
from modmul.export.pins import USUAL, Pins
from modmul.export.ports import Port, enable_of, reset_of
from modmul.export.ports import ports as stream_ports
from modmul.export.testbench import templates, testbench
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

_ACCESS = {
    "read": "read",
    "read-write": "read, write",
    "pulse": "write 1",
    "clear": "read, write 1 to clear",
}


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


def alone(contents: Contents) -> Stands:
    spec = contents.spec
    top = contents.emitted.top(spec.interface)
    ports = stream_ports(spec.design, spec.interface, contents.pins)
    return Stands(Addition(), top, ports, None, tuple(contents.places.simulated), contents.name)


def outermost(spec: Spec, emitted: Hdl, bus: str, banks: int) -> tuple[str, str]:
    """The name of the module of a design on a bus, and the whole text."""
    design, without = spec.design, emitted.without_initial_values
    if bus == buses.STREAMED:
        module = names.of_delivery(design.title, bus, banks, without)
        verilog = _streamed(design, emitted.stream, module, without, USUAL)
    else:
        block = register_map(design, longest(spec), banks)
        module, verilog = text.on_bus(design, emitted, block, bus)
    return module, f"{emitted.verilog}\n{verilog}"


def registered(contents: Contents, bus: str, banks: int, cache: Cache) -> Stands:
    """Deliver the design behind registers: module, testbench, description of the registers, driver,
    and the proof of its timing."""
    spec, name, emitted, pins = contents.spec, contents.name, contents.emitted, contents.pins
    block = register_map(spec.design, longest(spec), banks)
    module, verilog = text.on_bus(spec.design, emitted, block, bus, spec.name, pins)
    claim = secrecy.subject(spec.design, emitted, block, bus, module, verilog)
    proof = certificate.prove(claim, cache)
    ports = text.bus_ports(block, bus, pins)
    outer = _Outer(contents, bus, module, verilog, ports, block, proof)
    accesses = exercise(spec, block, contents.plan)
    check = bench.testbench(
        spec.design,
        block,
        bus,
        accesses,
        what=contents.bench.what,
        dut=module,
        name=outer.bench,
        pins=pins,
    )
    of_driver = spec.name or names.of_delivery(spec.design.title, banks=banks)
    drivers = driver.driver(spec, block, of_driver)
    files = {f"{name}.rdl": rdl.rdl(spec.design, block, name, module), **drivers}
    what = {f"{name}.rdl": "the registers, SystemRDL"} | {
        file: driver.what(file) for file in drivers
    }
    stands = outer.stands(check, 2 * len(accesses), "accesses", files, what)
    described = calls.added(stands.addition.described, spec, block)
    return stands._replace(addition=replace(stands.addition, described=described))


def streamed(contents: Contents) -> Stands:
    """Deliver the design with AXI4-Stream: the module, and the design's testbench around it."""
    bus, design, emitted = buses.STREAMED, contents.spec.design, contents.emitted
    module, pins = contents.name, contents.pins
    verilog = _streamed(design, emitted.stream, module, emitted.without_initial_values, pins)
    outer = _Outer(contents, bus, module, verilog, axi4stream.ports(design, pins))
    around = f"{module}_renamed"
    own = Pins(clock_enable=pins.clock_enable)
    renamed = axi4stream.renamed(design, module, around, stream_ports(design, "stream", own))
    driven = replace(emitted, modules={**emitted.modules, "stream": around}, pins=own)
    check = testbench(contents.spec, driven, outer.bench, contents.plan, outer.file_list)
    check = f"{check}\n// {module} by the names of {emitted.stream}.\n{renamed}"
    return outer.stands(check, contents.bench.tried, contents.bench.what)


@hdl.kept
def _streamed(
    design: Design, stream: str, module: str, without_initial_values: bool, pins: Pins
) -> str:
    made = (axi4stream.OnAxi4Stream(design, stream), axi4stream.ports(design, pins), module)
    initial = design.chip.initial_values and not without_initial_values
    return hdl.declared(hdl.verilog_of([made], initial_values=initial))


@dataclass(frozen=True)
class _Outer:
    """The module on the bus, outermost in the delivery: its name, its text, its ports; its
    registers and the proof of its timing, if it has registers."""

    contents: Contents
    bus: str
    module: str
    verilog: str
    ports: tuple[Port, ...]
    regs: RegisterMap | None = None
    proof: Certificate | None = None

    @property
    def standard(self) -> str:
        """Name of the bus, whatever the width of its data."""
        return self.bus if self.regs is None else buses.REGISTRY[self.bus].name

    @property
    def bench(self) -> str:
        """Prefix of the names of the testbench's modules and files."""
        return f"{self.contents.name}_bus"

    @property
    def testbench(self) -> str:
        return f"{FOLDER}/{self.bench}_tb.v"

    @property
    def file_list(self) -> str:
        return f"{self.bench}_sim.f"

    def stands(
        self,
        check: str,
        count: int,
        unit: str,
        files: Mapping[str, str] = MappingProxyType({}),
        what: Mapping[str, str] = MappingProxyType({}),
    ) -> Stands:
        """What is delivered.  check: text of the testbench, which tries `count` of `unit`.
        files, what: further files, and what each of them is."""
        places = self.contents.places
        sources = (*(file for file in places.simulated if file != places.testbench), self.testbench)
        modules = [f"`{name}`" for name in (*self.contents.emitted.modules.values(), self.module)]
        addition = Addition(
            f"\n{self.verilog}",
            self.module,
            reset_of(self.ports),
            {self.testbench: check, self.file_list: "\n".join((*sources, "")), **files},
            {
                self.testbench: f"self-checking testbench of the bus, top module `{self.bench}_tb`",
                self.file_list: "files to simulate with the bus",
                **what,
                places.design: f"the design: modules {', '.join(modules[:-1])} and {modules[-1]}",
            },
            self._described(),
            self._section(),
            (Bench(self.bus, self.bench, sources, count, unit),),
        )
        return Stands(addition, self.module, self.ports, self.regs, sources, self.bench)

    def _described(self) -> dict[str, Any]:
        ports, reset = self.ports, plain_reset(reset_of(self.ports))
        enable = plain_enable(self.ports)
        shown: Mapping[str, Any] = self.regs.described() if self.regs else {}
        proved = {"timing_proof": self.proof.delivered} if self.proof else {}
        return {
            "bus": {
                "name": self.standard,
                "module": self.module,
                "clock": ports[0].name,
                "reset": reset["port"],
                "reset_level": reset["level"],
                "reset_kind": reset["kind"],
                **enable,
                "ports": [plain_port(port) for port in ports],
                **shown,
                **proved,
            }
        }

    def _section(self) -> str:
        bus, module, regs, spec = self.bus, self.module, self.regs, self.contents.spec
        rows = [plain_port(port) for port in self.ports]
        shown = {
            "spec": {"interface": bus},
            "modules": {"top": module},
            "role": spec.design.role,
            "ports": {bus: rows},
        }
        title, wide = axi4stream.TITLE, bus in buses.WIDE.values()
        enable = enable_of(self.ports)
        masked = ", ".join(f"`{port.name}`" for port in self.ports if port.masked)
        if regs is not None:
            title = buses.REGISTRY[bus].title
        return (
            templates("modmul.system")
            .get_template("section.md.j2")
            .render(
                module=module,
                stream=self.contents.emitted.stream,
                design=self.contents.places.design,
                title=title,
                regs=regs,
                bench=self.testbench,
                instance=first_page.instance(shown),
                ports=rows,
                access=_ACCESS,
                wide=wide,
                asynchronous=self.contents.pins.asynchronous,
                enable=enable and enable.name,
                alone=masked,
                reset=reset_of(self.ports).name,
                waits=bus not in buses.AT_ONCE,
                multiplies=isinstance(spec.design, Multiplier),
                proof=self.proof,
                cpu=calls.CPU,
                calls=calls.calls(spec, regs) if regs else (),
                wiped=regs.wiped if regs else 0,
            )
        )
