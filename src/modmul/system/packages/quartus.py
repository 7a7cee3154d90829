"""A component of Platform Designer (`_hw.tcl`): written, not run in Quartus."""

from __future__ import annotations

from modmul.export.hdl import header
from modmul.export.testbench import templates
from modmul.system.packages.delivered import Delivered
from modmul.system.packages.logical import interfaces

# The kind of interface in Platform Designer, by bus.
_KINDS = {"axi4lite": "axi4lite", "axi4stream": "axi4stream", "apb4": "apb"}


def package(delivered: Delivered) -> dict[str, str]:
    """`NAME_hw.tcl`, which Platform Designer finds in its search path."""
    described = interfaces(delivered)
    named = {port.name for interface in described for port in interface.ports.values()}
    others = [port for port in delivered.pins if port.name not in named and port.name != "irq"]
    interrupt = any(port.name == "irq" for port in delivered.pins)
    text = (
        templates("modmul.system")
        .get_template("quartus_hw.tcl.j2")
        .render(
            header=header(delivered.design, "#"),
            one=delivered,
            interfaces=described,
            kinds=_KINDS,
            others=others,
            interrupt=interrupt,
            endings={"slave": "end", "master": "start"},
        )
    )
    return {f"{delivered.name}_hw.tcl": text}
