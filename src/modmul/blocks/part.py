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

_USED: dict[str, Part] = {}  # by module, one of those that were instantiated
_EMITTED: ContextVar[bool] = ContextVar("emitted", default=False)


@contextlib.contextmanager
def emitted() -> Iterator[None]:
    """What is elaborated in here goes into a text: every part is used as a module of its own."""
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
        """Name of the module: type and width, and all else that makes another circuit."""

    @property
    def unit_cells(self) -> Mapping[str, int]:
        """The unit cells that it is made of (see `blocks.arrays.unit_cells`), by name."""
        return {}

    @property
    def ports(self) -> dict[str, Signal]:
        """Its ports by name, but for those of no bits."""
        signals = {name: getattr(self, name) for name in self.signature.members}
        return {name: signal for name, signal in signals.items() if len(signal)}

    def use(
        self,
        m: Module,
        name: str,
        called: Mapping[str, str] = MappingProxyType({}),
        **inputs: Value,
    ) -> dict[str, Signal]:
        """An instance called `name` in the caller's module; its outputs by port.

        called: what the signals of outputs are called, if not like instance and port.
        Inputs narrower than their port are extended by zeros.  ValueError for a wider one.  Ports
        of no bits are not connected, and not emitted: Verilog has none."""
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
        self._MustUse__used = True  # else Amaranth warns of all but the first of a kind
        return outputs


    def _placed(self, m: Module, name: str, inputs: Mapping[str, Value]) -> dict[str, Signal]:
        """Makes the part a submodule, which it can be only once, and gives its outputs."""
        m.submodules[name], self._inside = self, True
        m.d.comb += [
            getattr(self, port).eq(value) for port, value in inputs.items() if port != "clk"
        ]
        members = self.signature.members.items()
        return {port: getattr(self, port) for port, member in members if member.flow is wiring.Out}

    def clocked(self, m: Module) -> None:
        """Have the registers of `m` clocked by the port `clk`, as a submodule by its parent."""
        if not self._inside:
            m.domains.sync = sync = ClockDomain("sync", reset_less=True)
            m.d.comb += sync.clk.eq(self.clk)


class PartInstance(Instance):
    """The place of a part in the module of a user."""

    def __init__(self, part: Part, connections: Mapping[str, Any]):
        self.part = _USED[part.module] = part
        super().__init__(part.module, **connections)


def wire(m: Module, value: Value, name: str) -> Signal:
    """`value` as a signal.  An expression is a tree: each slice of a long one would repeat it."""
    signal = Signal(len(value), name=name)
    m.d.comb += signal.eq(value)
    return signal


def whole(value: Value) -> Value:
    """`value` for the port of a module.  Amaranth makes one port of what comes from one cell, and
    several of a value that is put together: so this is an OR with 0, which is gone in the text."""
    return value | Const(0, len(value))


def instances(fragment: Fragment) -> Iterator[tuple[Instance, Part]]:
    """Every use of a part in an elaborated design, not inside other parts.

    What gave a circuit another reset has made plain instances of these; they are known by their
    module, on which all of a part depends."""
    for inner, _, _ in fragment.subfragments:
        if isinstance(inner, PartInstance):
            yield inner, inner.part
        elif isinstance(inner, Instance) and inner.type in _USED:
            yield inner, _USED[inner.type]
        else:
            yield from instances(inner)
