"""A LiteX module: on a bus of an SoC, behind CSRs, or with streams."""

from __future__ import annotations

from modmul.export.hdl import header
from modmul.export.testbench import templates
from modmul.system.packages.amaranth import class_name
from modmul.system.packages.delivered import Delivered

# The buses of LiteX, the native port (behind CSRs), and None for the design's own streams.
BUSES = ("axi4lite", "wishbone", "native", "axi4stream", None)


def package(delivered: Delivered) -> dict[str, str]:
    """`NAME_litex.py`."""
    text = (
        templates("modmul.system")
        .get_template("litex.py.j2")
        .render(
            header=header(delivered.design, "#"),
            one=delivered,
            kind=class_name(delivered.name),
            streams=_streams(delivered),
        )
    )
    return {f"{delivered.name}_litex.py": text}


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
