"""An IP-XACT component (IEEE 1685-2014): ports, interfaces, registers, files."""

from __future__ import annotations

from modmul.export.hdl import header
from modmul.export.testbench import templates
from modmul.system.packages.delivered import Delivered
from modmul.system.packages.logical import STANDARDS, interfaces

# The access of a field or window, as IP-XACT names it.
_ACCESS = {
    "read": "read-only",
    "read-write": "read-write",
    "pulse": "write-only",
    "clear": "read-write",
    "write": "write-only",
}


def package(delivered: Delivered) -> dict[str, str]:
    """`NAME.xml`."""
    text = (
        templates("modmul.system")
        .get_template("ipxact.xml.j2")
        .render(
            header=header(delivered.design, "  ").replace("--", "- -").rstrip(),
            one=delivered,
            interfaces=interfaces(delivered),
            standards=STANDARDS,
            access=_ACCESS,
        )
    )
    return {f"{delivered.name}.xml": text}
