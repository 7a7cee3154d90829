"""What is packaged, as all packages see it."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.design import Design
from modmul.export.ports import Port, enable_of, is_asynchronous, is_clocking, is_low, reset_of
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
