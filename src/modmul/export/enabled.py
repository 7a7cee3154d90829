"""Gives all that is clocked a clock enable: registers, memories, hard blocks, and modules that are
instantiated by name.

Amaranth's EnableInserter does not reach into instances."""

from __future__ import annotations

from amaranth.hdl import ClockSignal, Const, EnableInserter, Fragment, Instance, ResetSignal, Signal

from modmul.export.ports import ENABLE
from modmul.targets.enables import ENABLES


class Enabled(EnableInserter):
    """Without `enable` nothing changes in the domain `sync`, but by its reset, which has priority.

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
