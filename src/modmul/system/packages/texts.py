"""The texts of the packages: one file each, made from what the JSON says too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from modmul.design import Design
from modmul.export.hdl import header
from modmul.export.names import identifier
from modmul.export.ports import Port, enable_of, is_asynchronous, is_clocking, is_low, reset_of
from modmul.export.testbench import templates
from modmul.system.buses import STREAMED
from modmul.system.registers import RegisterMap


@dataclass(frozen=True)
class Delivered:
    """A delivery that is packaged.

    title: what the design is called.  name: of the delivery.  top: the outermost module, with
    `ports`, the first of which is the clock.  bus: None if the module has the design's
    own streams.  regs: None if it has no registers.  synthesised, simulated: files in order; the
    simulated ones include models and the testbench, whose modules begin with `bench`."""

    design: Design
    title: str
    name: str
    top: str
    ports: tuple[Port, ...]
    bus: str | None
    regs: RegisterMap | None
    synthesised: tuple[str, ...]
    simulated: tuple[str, ...]
    bench: str

    @property
    def version(self) -> str:
        """The version of the package, in the form that most tools require."""
        return "1.0"

    @property
    def clock(self) -> str:
        return self.ports[0].name

    @property
    def reset(self) -> str:
        return reset_of(self.ports).name

    @property
    def reset_low(self) -> bool:
        return is_low(reset_of(self.ports))

    @property
    def reset_asynchronous(self) -> bool:
        return is_asynchronous(reset_of(self.ports))

    @property
    def enable(self) -> str | None:
        port = enable_of(self.ports)
        return None if port is None else port.name

    @property
    def data_bits(self) -> int:
        """The width of the data on AXI4-Lite."""
        return next(port.width for port in self.ports if port.name == "s_axi_wdata")

    @property
    def pins(self) -> tuple[Port, ...]:
        """The ports without clock, reset and clock enable."""
        return tuple(port for port in self.ports if not is_clocking(port))

    def channels(self) -> dict[str, list[Port]]:
        """The ports of a bus with several interfaces, by the prefix of their names."""
        interfaces: dict[str, list[Port]] = {}
        for port in self.pins:
            interfaces.setdefault(port.name.rpartition("_")[0], []).append(port)
        return interfaces


class _Package(NamedTuple):
    """The file of a package.  ending: of its name.  comment: how its comments begin."""

    template: str
    ending: str
    comment: str = "#"


_PACKAGES = {
    "fusesoc": _Package("fusesoc.core.j2", ".core"),  # found by `fusesoc --cores-root DIR`
    "ipxact": _Package("ipxact.xml.j2", ".xml", "  "),
    "vivado": _Package("vivado.tcl.j2", "_vivado.tcl"),  # for `vivado -mode batch -source`
    "quartus": _Package("quartus_hw.tcl.j2", "_hw.tcl"),  # Platform Designer finds it in its path
    "litex": _Package("litex.py.j2", "_litex.py"),
    "amaranth": _Package("amaranth.py.j2", "_amaranth.py"),
}
# The kind of interface, by bus: abstraction definitions of Vivado, kinds of Platform Designer.
_KINDS = {
    "vivado": {
        "axi4lite": "xilinx.com:interface:aximm_rtl:1.0",
        "axi4stream": "xilinx.com:interface:axis_rtl:1.0",
        "apb4": "xilinx.com:interface:apb_rtl:1.0",
    },
    "quartus": {"axi4lite": "axi4lite", "axi4stream": "axi4stream", "apb4": "apb"},
}
# The access of a field or window, as IP-XACT names it.
_ACCESS = {
    "read": "read-only",
    "read-write": "read-write",
    "pulse": "write-only",
    "clear": "read-write",
    "write": "write-only",
}


def package(kind: str, delivered: Delivered) -> dict[str, str]:
    """The texts of a package, by file name.  kind: a name of `packages.NAMES`."""
    template, ending, comment = _PACKAGES[kind]
    preface = header(delivered.design, comment)
    if kind == "ipxact":
        preface = preface.replace("--", "- -").rstrip()
    text = (
        templates("modmul.system")
        .get_template(template)
        .render(header=preface, one=delivered, **_figures(kind, delivered))
    )
    return {f"{delivered.name}{ending}": text}


def _figures(kind: str, delivered: Delivered) -> Mapping[str, Any]:
    """What only the template of this kind needs."""
    described = interfaces(delivered)
    match kind:
        case "fusesoc":
            simulated = delivered.simulated
            return {"models": [file for file in simulated if file not in delivered.synthesised]}
        case "ipxact":
            return {"interfaces": described, "standards": _STANDARDS, "access": _ACCESS}
        case "vivado":
            return {"interfaces": described, "kinds": _KINDS[kind]}
        case "quartus":
            named = {port.name for interface in described for port in interface.ports.values()}
            left = [port for port in delivered.pins if port.name not in named]
            return {
                "interfaces": described,
                "kinds": _KINDS[kind],
                "others": [port for port in left if port.name != "irq"],
                "interrupt": any(port.name == "irq" for port in delivered.pins),
                "endings": {"slave": "end", "master": "start"},
            }
        case "litex":
            return {"kind": class_name(delivered.name), "streams": _streams(delivered)}
        case _:
            return {"kind": class_name(delivered.name)}


def class_name(name: str) -> str:
    """A name in the form of class names: capitalized words, without underscores."""
    return "".join(word[:1].upper() + word[1:] for word in identifier(name).split("_"))


# ---- interfaces by the names of their standards -----------------------------------------------


class Interface(NamedTuple):
    """One interface of a module.  name: prefix of its ports.  kind: a bus of `_STANDARDS`.  ports:
    by the logical names of the standard.  inward: whether the other side is the master, or
    sends."""

    name: str
    kind: str
    ports: dict[str, Port]
    inward: bool


# Vendor, library, name and version of the bus and abstraction definitions by ARM (IP-XACT).
_STANDARDS = {
    "axi4lite": ("amba.com", "AMBA4", "AXI4-Lite", "r0p0_0"),
    "axi4stream": ("amba.com", "AMBA4", "AXI4Stream", "r0p0_1"),
    "apb4": ("amba.com", "AMBA4", "APB4", "r0p0_0"),
}


def interfaces(delivered: Delivered) -> list[Interface]:
    """The interfaces of the module; none for a bus that IP-XACT does not define."""
    if delivered.bus == "axi4lite":
        ports = {
            port.name.removeprefix("s_axi_").upper(): port
            for port in delivered.pins
            if port.name.startswith("s_axi_")
        }
        return [Interface("s_axi", "axi4lite", ports, True)]
    if delivered.bus == "apb4":
        named = {port.name.upper(): port for port in delivered.pins if port.name != "irq"}
        named["PSELx"] = named.pop("PSEL")
        return [Interface("s_apb", "apb4", named, True)]
    if delivered.bus == STREAMED:
        return [
            Interface(
                begin,
                "axi4stream",
                {port.name.rpartition("_")[2].upper(): port for port in ports},
                begin.startswith("s_"),
            )
            for begin, ports in delivered.channels().items()
        ]
    return []


def _streams(delivered: Delivered) -> list[dict[str, object]]:
    """The streams, with their ports by member of a beat; none behind registers."""
    if delivered.regs is not None:
        return []
    streams = []
    for stream in delivered.design.streams:
        own = delivered.bus is None
        begin = f"{'s' if stream.direction == 'input' else 'm'}_axis_{stream.name}_t"
        begin = f"{stream.name}_" if own else begin
        ends = ("valid", "ready", "first", "last") if own else ("valid", "ready", "last")
        others = {
            port.name.removeprefix(begin): port
            for port in delivered.pins
            if port.name.startswith(begin)
            and (not own or port.stream == stream.name)
            and port.name.removeprefix(begin) not in ends
        }
        pins = {port.name for port in delivered.pins}
        streams.append(
            {
                "name": stream.name,
                "begin": begin,
                "inward": stream.direction == "input",
                "ends": [end for end in ends if f"{begin}{end}" in pins],
                "payload": others,
            }
        )
    return streams
