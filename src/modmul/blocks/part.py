"""Parts: modules that the HDL contains once, however often they are used, and that synthesis keeps
as they are.

A large array flattened takes synthesis 60 times longer than one whose rows are mapped by
themselves, and comes out larger.  A part is emitted as one module with a name of its own, marked to
be kept; whoever uses it gets an instance.  Parts depend on what their name tells alone.  Those that
stand once only to be read once are not kept: synthesis makes them flat."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, ClassVar

from amaranth.hdl import Cat, ClockDomain, Const, Fragment, Instance, Module, Signal, Value
from amaranth.lib import wiring

_USED: dict[str, Part] = {}  # for each module that was instantiated, one of its parts
_EMITTED: ContextVar[bool] = ContextVar("emitted", default=False)


@contextlib.contextmanager
def emitted() -> Iterator[None]:
    """While this is active, every part that is elaborated is a module of its own, as in a text."""
    token = _EMITTED.set(True)
    try:
        yield
    finally:
        _EMITTED.reset(token)


class Part(wiring.Component):
    """Base class: a component whose ports are plain signals, its clock, if it has one, among them.

    kept: whether synthesis maps it by itself.  One that is not is a submodule as any other where
    nothing is `emitted`: in a simulation, and in a design of a user in Amaranth."""

    kept: ClassVar[bool] = True
    _inside = False

    @property
    @abc.abstractmethod
    def module(self) -> str:
        """The name of the module: type and width, and all else that changes the circuit."""

    @property
    def unit_cells(self) -> Mapping[str, int]:
        """The number of unit cells in it by their names (see `blocks.arrays.unit_cells`)."""
        return {}

    @property
    def ports(self) -> dict[str, Signal]:
        """Its ports by name, without ports of no bits."""
        signals = {name: getattr(self, name) for name in self.signature.members}
        return {name: signal for name, signal in signals.items() if len(signal)}

    def use(
        self,
        m: Module,
        name: str,
        called: Mapping[str, str] = MappingProxyType({}),
        **inputs: Value,
    ) -> dict[str, Signal]:
        """Place an instance called `name` in the caller's module and return its outputs by port.

        called: names for the signals of outputs, if they are not to be named after instance and
        port. Inputs narrower than their port are extended by zeros; a wider one raises ValueError.
        Ports of no bits are neither connected nor emitted: Verilog has none."""
        if not self.kept and not _EMITTED.get():
            return self._placed(m, name, inputs)
        connections: dict[str, Any] = {}
        outputs = {}
        for port, member in self.signature.members.items():
            width = member.shape
            if member.flow is wiring.Out:
                outputs[port] = Signal(width, name=called.get(port, f"{name}_{port}"))
                connections |= {f"o_{port}": outputs[port]} if width else {}
                continue
            value = inputs.pop(port)
            if len(value) > width:
                raise ValueError(f"{self.module}.{port} has {width} bits, not {len(value)}")
            missing = Const(0, width - len(value))
            if width:
                connections[f"i_{port}"] = Cat(value, missing) if len(missing) else value
        if inputs:
            raise ValueError(f"{self.module} has no port {', '.join(inputs)}")
        m.submodules[name] = PartInstance(self, connections)
        self._MustUse__used = True  # else Amaranth warns of all but the first part of a kind
        return outputs

    def _placed(self, m: Module, name: str, inputs: Mapping[str, Value]) -> dict[str, Signal]:
        """Make the part a submodule, which is possible only once, and return its outputs."""
        m.submodules[name], self._inside = self, True
        m.d.comb += [
            getattr(self, port).eq(value) for port, value in inputs.items() if port != "clk"
        ]
        members = self.signature.members.items()
        return {port: getattr(self, port) for port, member in members if member.flow is wiring.Out}

    def clocked(self, m: Module) -> None:
        """Clock the registers of `m` by the port `clk`; a submodule is clocked by its parent."""
        if not self._inside:
            m.domains.sync = sync = ClockDomain("sync", reset_less=True)
            m.d.comb += sync.clk.eq(self.clk)


class PartInstance(Instance):
    """The place of a part in the module of a user."""

    def __init__(self, part: Part, connections: Mapping[str, Any]):
        self.part = _USED[part.module] = part
        super().__init__(part.module, **connections)


def keep_apart(component: wiring.Component) -> None:
    """Have synthesis map this component by itself, so that it is not merged with a copy of it."""
    component._kept_apart = True


def wire(m: Module, value: Value, name: str) -> Signal:
    """`value` as a signal.  An expression is a tree, which each slice of it would repeat."""
    signal = Signal(len(value), name=name)
    m.d.comb += signal.eq(value)
    return signal


def whole(value: Value) -> Value:
    """`value | 0`, for the port of a module.  Amaranth makes one port of a value from one
    cell, but several of a concatenation; the OR is gone in the emitted text."""
    return value | Const(0, len(value))


def instances(fragment: Fragment) -> Iterator[tuple[Instance, Part]]:
    """Every use of a part in an elaborated design, except inside other parts.

    A change of reset turns these instances into plain ones; they are recognised by the name of
    their module, which determines everything about a part."""
    for inner, _, _ in fragment.subfragments:
        if isinstance(inner, PartInstance):
            yield inner, inner.part
        elif isinstance(inner, Instance) and inner.type in _USED:
            yield inner, _USED[inner.type]
        else:
            yield from instances(inner)
