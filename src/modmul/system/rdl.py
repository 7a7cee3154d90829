"""The registers as SystemRDL 2.0, from which PeakRDL makes headers, pages, IP-XACT, UVM."""

from __future__ import annotations

from modmul.design import Design
from modmul.export.hdl import header
from modmul.export.testbench import templates
from modmul.system.registers import FIRST_LIVE, BitField, Register, RegisterMap

_PROPERTIES = {
    "read": "sw = r; hw = w;",
    "read-write": "sw = rw; hw = r;",
    "pulse": "sw = w; hw = r; singlepulse;",
    # An event in the cycle in which it is cleared is not lost.
    "clear": "sw = rw; onwrite = woclr; hw = r; hwset; precedence = hw;",
}
_WINDOWS = {"write": "sw = w; hw = r;", "read": "sw = r; hw = w;"}


def rdl(design: Design, regs: RegisterMap, name: str, module: str) -> str:
    """module: the name of the module on the bus."""
    environment = templates("modmul.system")
    environment.filters["quoted"] = lambda text: text.replace("\\", "\\\\").replace('"', '\\"')
    return environment.get_template("registers.rdl.j2").render(
        header=header(design, "//"),
        regs=regs,
        name=name,
        title=regs.title,
        module=module,
        properties=_properties,
        windows=_WINDOWS,
    )


def _properties(register: Register, bits: BitField) -> str:
    """The SystemRDL properties for what software and hardware may do with a field."""
    if bits.access == "read" and register.address < FIRST_LIVE:
        return "sw = r; hw = na;"
    if bits.access == "pulse" and bits.width > 1:  # which `singlepulse` does not allow
        return "sw = w; hw = r;"
    return _PROPERTIES[bits.access]
