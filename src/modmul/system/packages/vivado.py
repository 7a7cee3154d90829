"""A Tcl script that packages the design as an IP core of Vivado: written, not run in Vivado."""

from __future__ import annotations

from modmul.export.hdl import header
from modmul.export.testbench import templates
from modmul.system.packages.delivered import Delivered
from modmul.system.packages.logical import interfaces

# Abstraction definitions of Vivado, by bus.
_KINDS = {
    "axi4lite": "xilinx.com:interface:aximm_rtl:1.0",
    "axi4stream": "xilinx.com:interface:axis_rtl:1.0",
    "apb4": "xilinx.com:interface:apb_rtl:1.0",
}


def package(delivered: Delivered) -> dict[str, str]:
    """`NAME_vivado.tcl`, for `vivado -mode batch -source`."""
    text = (
        templates("modmul.system")
        .get_template("vivado.tcl.j2")
        .render(
            header=header(delivered.design, "#"),
            one=delivered,
            interfaces=interfaces(delivered),
            kinds=_KINDS,
        )
    )
    return {f"{delivered.name}_vivado.tcl": text}
