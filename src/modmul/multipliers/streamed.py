"""A multiplier behind the elastic adapter: its streams may pause anywhere."""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring

from modmul.blocks.core_timing import CoreTiming, ModeTiming
from modmul.blocks.elastic import Elastic
from modmul.multipliers.facts import MultiplierFacts
from modmul.multipliers.signature import (
    modulus_layout,
    operand_layout,
    result_layout,
    stream_signature,
)
from modmul.operation import Cycles, Mode


def core_timing(multiplier: MultiplierFacts) -> CoreTiming:
    """Return what the adapter must know about `multiplier`."""
    at_run_time = multiplier.modulus_at == "run time"
    largest = (1 << multiplier.width) - 1
    return CoreTiming(
        operand=operand_layout(multiplier),
        result=result_layout(multiplier),
        modulus=modulus_layout(multiplier) if at_run_time else None,
        modes=tuple(_mode_timing(multiplier, mode) for mode in multiplier.modes),
        modulus_beats=len(multiplier.constants(largest)) if at_run_time else 0,
        slots=multiplier.slots,
        reload=multiplier.reload,
    )


def added_latency(multiplier: MultiplierFacts, mode: Mode = Mode()) -> int:
    """Return the cycles that the adapter adds to a product of that mode if nobody pauses, without
    the wait until the core is ready."""
    return core_timing(multiplier).added_latency(multiplier.beats_in(mode))


def latency(multiplier: MultiplierFacts, mode: Mode = Mode()) -> Cycles:
    """Return the latency of `multiplier` behind the adapter: from first operand beat to last result
    beat, both counted."""
    core, more = multiplier.latency(mode), added_latency(multiplier, mode)
    return Cycles(core.minimum + more, core.mean + more, core.maximum + more)


def _mode_timing(multiplier: MultiplierFacts, mode: Mode) -> ModeTiming:
    latency, interval = multiplier.latency(mode), multiplier.interval(mode)
    return ModeTiming(multiplier.beats_in(mode), latency.maximum, interval.minimum)


class Streamed(wiring.Component):
    """A multiplier behind the elastic adapter: each of its streams may pause anywhere."""

    def __init__(self, multiplier: MultiplierFacts, core: wiring.Component | None = None):
        self.core = multiplier.create() if core is None else core
        self.adapter = Elastic(core_timing(multiplier))
        super().__init__(stream_signature(multiplier))

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        """The fields of the payloads that the adapter passes on."""
        payloads = self.adapter.PORT_NOTES.items()
        return {
            "between the adapter and the core": {
                port.replace("*", "adapter_"): note for port, note in payloads
            }
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.core = core = self.core
        m.submodules.adapter = adapter = self.adapter
        wiring.connect(m, wiring.flipped(self.operand), adapter.operand)
        wiring.connect(m, adapter.core_operand, core.operand)
        wiring.connect(m, core.result, adapter.core_result)
        wiring.connect(m, adapter.result, wiring.flipped(self.result))
        if "modulus" in self.signature.members:
            wiring.connect(m, wiring.flipped(self.modulus), adapter.modulus)
            wiring.connect(m, adapter.core_modulus, core.modulus)
        return m
