"""Lists the ports of an emitted module in order: names, widths, directions and meanings.

`core` is a bare core, which never stalls; `stream` is the same core behind the elastic adapter.
Clock and reset are `clk` (rising edge) and `rst` (synchronous, high), or what `Pins` says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from modmul.design import Design, Interface, Stream
from modmul.export.pins import USUAL, Pins

# The fields of ports that belong to no stream.
CLOCK, RESET, RESET_LOW = "clock", "reset", "reset, active low"
ASYNC_RESET, ASYNC_RESET_LOW = "asynchronous reset", "asynchronous reset, active low"
_RESETS = (RESET, RESET_LOW, ASYNC_RESET, ASYNC_RESET_LOW)
CLOCK_ENABLE = "clock enable"
ENABLE = "clk_en"  # its name, where no standard of a bus has another one


@dataclass(frozen=True)
class Port:
    """One port of an emitted module.

    stream, field: its place in the Amaranth component, `component.<stream>.p.<field>` or `valid`
    and `ready`; without a stream `component.<field>`, or clock and reset.
    width: bits.  secret: no timing may depend on it (`secrecy`).  masked: an output that is 0 while
    the clock enable is low."""

    name: str
    width: int
    direction: Literal["input", "output"]
    meaning: str
    stream: str | None = None
    field: str | None = None
    secret: bool = False
    masked: bool = False


def ports(design: Design, interface: Interface, pins: Pins = USUAL) -> tuple[Port, ...]:
    """All ports of the module that `emit` makes for this interface, in order.  pins: of
    the module with streams that may pause."""
    own = pins if interface == "stream" else pins.inner
    listed = clock_and_reset(own)
    for stream in design.streams:
        listed += _stream(stream, stalls=interface == "stream")
    if own.clock_enable and not own.inside:
        return tuple(masked(port) if port.field in ("valid", "ready") else port for port in listed)
    return tuple(listed)


def masked(port: Port) -> Port:
    """A port that is 0 while the clock enable is low, if it is an output."""
    if port.direction == "input":
        return port
    return replace(port, meaning=f"{port.meaning}; 0 during a pause", masked=True)


def clock_and_reset(
    pins: Pins, standard_reset: str | None = None, standard_enable: str | None = None
) -> list[Port]:
    """The ports of clock, reset and clock enable.  standard_reset: the name of a reset that
    is active low by the standard of a bus.  standard_enable: the name that the bus has for a clock
    enable."""
    low = pins.reset_low or standard_reset is not None
    name, level = standard_reset or ("rst_n" if low else "rst"), "low" if low else "high"
    meaning, kind = f"synchronous reset, active {level}", RESET_LOW if low else RESET
    if pins.asynchronous:
        kind = ASYNC_RESET_LOW if low else ASYNC_RESET
        meaning = f"a{meaning}; ends inside with the second rising edge of clk after its end here"
    listed = [
        Port("clk", 1, "input", "clock, rising edge", None, CLOCK),
        Port(name, 1, "input", meaning, None, kind),
    ]
    if pins.clock_enable:
        what = f"clock enable; 0: a pause, in which nothing changes, except by {name}"
        listed.append(Port(standard_enable or ENABLE, 1, "input", what, None, CLOCK_ENABLE))
    return listed


def is_clocking(port: Port) -> bool:
    return port.field in (CLOCK, CLOCK_ENABLE) or is_reset(port)


def enable_of(module_ports: tuple[Port, ...]) -> Port | None:
    return next((port for port in module_ports if port.field == CLOCK_ENABLE), None)


def is_reset(port: Port) -> bool:
    return port.field in _RESETS


def reset_of(module_ports: tuple[Port, ...]) -> Port:
    return next(filter(is_reset, module_ports))


def is_low(reset: Port) -> bool:
    return reset.field in (RESET_LOW, ASYNC_RESET_LOW)


def is_asynchronous(reset: Port) -> bool:
    return reset.field in (ASYNC_RESET, ASYNC_RESET_LOW)


def _stream(stream: Stream, stalls: bool) -> Iterator[Port]:
    """The ports of a stream.  stalls: it may pause anywhere; else all beats of a packet come
    in consecutive cycles."""
    name, direction = stream.name, stream.direction
    ends = {end: f"the {end} beat of its {name}" for end in ("first", "last")}
    if stream.beats == 1:
        always = "always 1" if direction == "output" else "1"
        ends = dict.fromkeys(ends, f"{always}: each {name} is one beat")
    ends |= stream.ends
    back: Literal["input", "output"] = "input" if direction == "output" else "output"
    offered = "the source offers a beat"
    accepted = "the offered beat is taken at the next rising edge"
    if direction == "output":
        offered, accepted = "a beat is offered", f"the receiver: {accepted}"
    if direction == "output" and not stalls:
        offered = f"a beat is there in this cycle only: there is no {name}_ready"
    elif not stalls:
        together = f"; all beats of one {name} in consecutive cycles" if stream.beats > 1 else ""
        accepted = "taken at the next edge" + together
    yield Port(f"{name}_valid", 1, direction, offered, name, "valid")
    if stalls or direction == "input":
        yield Port(f"{name}_ready", 1, back, accepted, name, "ready")
    for end in ("first", "last"):
        yield Port(f"{name}_{end}", 1, direction, ends[end], name, end)
    for field, (width, meaning) in stream.members.items():
        hidden = stream.secret and field not in stream.public
        yield Port(f"{name}_{field}", width, direction, meaning, name, field, hidden)
