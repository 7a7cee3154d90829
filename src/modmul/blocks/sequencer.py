"""Control of a circuit that works on one product at a time: phases in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Module, Signal, Value


class PhaseSequencer:
    """Idle until `start`, then all phases in order, then idle again.

    phases: name and length in cycles (1 or more); None: the phase lasts until its `stop` is high,
    that cycle included.  start: may be high only while idle.

    Signals, one bit each: idle; active[name] and last[name] (the last cycle of the phase);
    stop[name], driven by the caller; enters[name], high in the cycle before a phase begins; done,
    high in the first idle cycle after a product.  One counter serves all phases of fixed length.
    idle, active and done come from registers; so does `last`, but for one AND gate (and not for
    phases of length None)."""

    def __init__(self, m: Module, start: Value, phases: Mapping[str, int | None]):
        self.idle = Signal(init=1, name="idle")
        self.done = Signal(name="done")
        self.active = {name: Signal(name=f"in_{name}") for name in phases}
        self.last = {name: Signal(name=f"last_of_{name}") for name in phases}
        self.stop = {
            name: Signal(name=f"stop_{name}") for name, count in phases.items() if count is None
        }
        longest = max((count for count in phases.values() if count is not None), default=1)
        # Counts length - 2 ... 0, -1: its sign bit marks the last cycle.
        self._left = Signal((longest - 1).bit_length() + 1, name="cycles_left")
        m.d.sync += self._left.eq(self._left - 1)
        for name, count in phases.items():
            ends = self.stop[name] if count is None else self._left[-1]
            m.d.comb += self.last[name].eq(self.active[name] & ends)
        self.enters = dict(zip(phases, (start, *self.last.values()), strict=False))
        self._steps(m, start, phases)

    def _steps(self, m: Module, start: Value, phases: Mapping[str, int | None]) -> None:
        states = [(self.idle, start)]
        states += [(self.active[name], self.last[name]) for name in phases]
        lengths = [*phases.values(), None]
        for (state, leave), length, (following, _) in zip(
            states, lengths, [*states[1:], states[0]], strict=True
        ):
            with m.If(leave):
                m.d.sync += [state.eq(0), following.eq(1)]
                if length is not None:
                    m.d.sync += self._left.eq(length - 2)
        m.d.sync += self.done.eq(states[-1][1])
