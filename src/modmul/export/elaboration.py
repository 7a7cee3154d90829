"""Converts components to RTLIL, with exactly the ports that users get, and with plain names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from amaranth.back import rtlil
from amaranth.hdl import (
    ClockDomain,
    ClockSignal,
    Const,
    Elaboratable,
    EnableInserter,
    Fragment,
    Instance,
    Module,
    ResetSignal,
    Signal,
)
from amaranth.lib import wiring

from modmul.blocks.part import Part, emitted, instances
from modmul.design import Design, Interface
from modmul.export import names
from modmul.export.ports import (
    ENABLE,
    Port,
    enable_of,
    is_asynchronous,
    is_clocking,
    is_low,
    ports,
    reset_of,
)
from modmul.export.remarks import Remarks, above
from modmul.targets.enables import ENABLES


@emitted()
def rtlil_of(
    component: wiring.Component,
    module_ports: tuple[Port, ...],
    name: str,
    used: dict[str, Part],
    remarks: dict[str, Remarks],
) -> str:
    """The RTLIL of `component` as module `name`, with exactly the ports `module_ports` and
    plain names.  Before it stand the parts that it uses, whose names begin with `name`.  used: the
    parts are added to it.  remarks: the remarks on each module are added to it."""
    outside = _Outside(component, module_ports, name)
    bound = {port: (signal, None) for port, signal in outside.signals.items()}
    fragment, parts = Fragment.get(outside, None), dict[str, Part]()
    remarks |= _remarks(fragment, name, component)
    if outside.enable is not None:
        fragment = Enabled(outside.enable, unpaused=synchroniser(name))(fragment)
    text = _converted(fragment, bound, name, parts, name)
    for module in _kept_apart(fragment, name):
        cell = f"  cell \\{names.identifier(module)} "
        text = text.replace(cell, f"  attribute \\keep_hierarchy 1\n{cell}")
    done: dict[str, str] = {}
    while missing := parts.keys() - done.keys():
        for module in sorted(missing):
            part = used[f"{name}_{module}"] = parts[module]
            ports = {port: (signal, None) for port, signal in part.ports.items()}
            inner = Fragment.get(part, None)
            remarks |= _remarks(inner, f"{name}_{module}", part)
            if outside.enable is not None and "clk" in ports:
                enable = Signal(name=ENABLE)
                ports[ENABLE] = (enable, None)
                inner = Enabled(enable)(inner)
            body = _converted(inner, ports, f"{name}_{module}", parts, name)
            if part.kept:
                body = body.replace("module \\", "attribute \\keep_hierarchy 1\nmodule \\", 1)
            done[module] = body
    return "".join([*done.values(), text])


def _remarks(fragment: Fragment, name: str, top: object) -> dict[str, Remarks]:
    """The remarks on a module and those below it, by their plain names."""
    pairs = above(fragment, name, top)
    return {names.identifier(module): remark for module, remark in pairs}


def _kept_apart(fragment: Fragment, module: str) -> Iterator[str]:
    """The names, as Amaranth gives them, of the modules of components that are kept apart
    (`blocks.part.keep_apart`)."""
    if any(getattr(origin, "_kept_apart", False) for origin in fragment.origins or ()):
        yield module
    for inner, name, _ in fragment.subfragments:
        if name is not None:
            yield from _kept_apart(inner, f"{module}.{name}")


def _converted(
    fragment: Fragment, bound: dict[str, Any], name: str, parts: dict[str, Part], prefix: str
) -> str:
    """Convert one module and those below it; add the parts used to `parts`."""
    for instance, part in instances(fragment):
        parts.setdefault(part.module, part)
        instance.type = f"{prefix}_{part.module}"
    return names.plain(rtlil.convert(fragment, name=name, ports=bound, emit_src=False), list(bound))


class EmittedModule(wiring.Component):
    """The module emitted with that interface, used by name."""

    def __init__(self, design: Design, interface: Interface, module: str):
        self.module, self.ports = module, ports(design, interface)
        streams = {
            stream.name: stream.signature(
                always_ready=interface == "core" and stream.direction == "output"
            )
            for stream in design.streams
        }
        super().__init__(wiring.Signature(streams))

    def elaborate(self, platform: object) -> Instance:
        connections: dict[str, Any] = {"i_clk": ClockSignal(), "i_rst": ResetSignal()}
        for port in self.ports:
            member = _member(self, port)
            if member is not None:
                connections[f"{port.direction[0]}_{port.name}"] = member
        return Instance(self.module, **connections)


def synchroniser(module: str) -> str:
    return f"{module}_synchroniser"


class _Outside(Elaboratable):
    """A component with one plain signal for each port, in the place of its streams."""

    def __init__(self, component: wiring.Component, module_ports: tuple[Port, ...], name: str):
        self.component, self.ports, self.name = component, module_ports, name
        self.signals = {port.name: Signal(port.width, name=port.name) for port in module_ports}
        port = enable_of(module_ports)
        self.enable = None if port is None else self.signals[port.name]

    def elaborate(self, platform: object) -> Module:
        # The ports are added to the component's own module: no level of hierarchy only for names.
        m = self.component.elaborate(platform)
        self.component._MustUse__used = True  # else Amaranth warns
        if not isinstance(m, Module):
            m = Module()
            m.submodules.core = self.component
        m.domains.sync = sync = ClockDomain("sync")
        reset = reset_of(self.ports)
        sync.clk, pin = self.signals[self.ports[0].name], self.signals[reset.name]
        asynchronous = is_asynchronous(reset)
        if asynchronous:
            m.submodules.reset_synchroniser = Instance(
                synchroniser(self.name),
                i_clk=sync.clk,
                i_reset=~pin if is_low(reset) else pin,
                o_in_reset=sync.rst,
            )
        elif is_low(reset):
            m.d.comb += sync.rst.eq(~pin)
        else:
            sync.rst = pin
        for port in self.ports:
            outside, inside = self.signals[port.name], _member(self.component, port)
            if inside is not None:
                if asynchronous and port.direction == "output" and port.width == 1:
                    inside = inside & ~sync.rst
                if port.masked:
                    inside = inside & self.enable
                pair = (inside, outside) if port.direction == "input" else (outside, inside)
                m.d.comb += pair[0].eq(pair[1])
        return m


def _member(component: wiring.Component, port: Port) -> Any:
    """The signal in `component` for a port; None for clock, reset and clock enable."""
    if port.stream is None:
        return None if is_clocking(port) else getattr(component, str(port.field))
    stream = getattr(component, port.stream)
    if port.field in ("valid", "ready"):
        return getattr(stream, port.field)
    return stream.p[port.field]


class Enabled(EnableInserter):
    """Gives registers, memories, hard blocks and modules that are instantiated by name a clock
    enable; Amaranth's EnableInserter does not reach into instances.  Without `enable` nothing
    changes in the domain `sync`, but by its reset, which has priority.

    unpaused: the name of a module whose instances stay as they are.  Raises KeyError for a clocked
    block whose enables are not known."""

    def __init__(self, enable: Signal, unpaused: str | None = None):
        super().__init__(enable)
        self._enable, self._unpaused = enable, unpaused

    def on_fragment(self, fragment: Fragment) -> Fragment:
        new = super().on_fragment(fragment)
        if isinstance(new, Instance) and new.type != self._unpaused:
            if "clk" in new.ports:
                self._connect(new)
            elif any(isinstance(value, ClockSignal) for value, _ in new.ports.values()):
                self._gate(new)
        return new

    def _connect(self, module: Instance) -> None:
        """Connect the clock enable of one of our modules.  Its reset is that of the domain, or also
        comes from logic, which pauses."""
        module.ports[ENABLE] = (self._enable, "i")
        reset, kind = module.ports.get("rst", (ResetSignal(), "i"))
        if not isinstance(reset, ResetSignal):
            module.ports["rst"] = (ResetSignal() | (reset & self._enable), kind)

    def _gate(self, block: Instance) -> None:
        """Gate the enables and resets of a hard block.  Those that are always 0 stay so."""
        for name, (value, kind) in block.ports.items():
            if not name.startswith(ENABLES[block.type]):
                continue
            if not isinstance(value, Const):
                block.ports[name] = (value & self._enable, kind)
            elif value.value:
                block.ports[name] = (self._enable, kind)
