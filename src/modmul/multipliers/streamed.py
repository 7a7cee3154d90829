"""A multiplier behind the elastic adapter: its streams may pause anywhere."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Value
from amaranth.lib import wiring

from modmul.blocks.core_timing import CoreTiming, ModeTiming
from modmul.blocks.elastic import Elastic
from modmul.blocks.part import keep_apart, wire
from modmul.multipliers.facts import MultiplierFacts
from modmul.multipliers.lockstep import FAULT_NOTE, outputs_differ, remembered
from modmul.multipliers.signature import (
    modulus_layout,
    operand_layout,
    result_layout,
    stream_signature,
)
from modmul.operation import Cycles, Mode


def core_timing(multiplier: MultiplierFacts) -> CoreTiming:
    """What the adapter must know about `multiplier`."""
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
    """The cycles that the adapter adds to a product of that mode if nobody pauses, without
    the wait until the core is ready."""
    return core_timing(multiplier).added_latency(multiplier.beats_in(mode))


def latency(multiplier: MultiplierFacts, mode: Mode = Mode()) -> Cycles:
    """The latency of `multiplier` behind the adapter: from first operand beat to last result
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
        return {
            "between the adapter and the core": {
                "adapter_*_first": "the first beat of its packet",
                "adapter_*_last": "the last beat of its packet",
                "core_*_ready": "the core takes a beat that is offered",
                "adapter_*_valid": "the adapter offers a beat to the core",
                "core_result_valid": "the core gives a beat of a result",
                "core_result_first": "the first one",
                "core_result_last": "the last one",
                "core_result_data": "its bits",
            }
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.core = core = self.core
        m.submodules.adapter = adapter = self.adapter
        wiring.connect(m, wiring.flipped(self.operand), adapter.operand)
        wiring.connect(m, adapter.core_operand, core.operand)
        wiring.connect(m, core.result, adapter.core_result)
        if "modulus" in self.signature.members:
            wiring.connect(m, wiring.flipped(self.modulus), adapter.modulus)
            wiring.connect(m, adapter.core_modulus, core.modulus)
        self._result(m)
        return m

    def _result(self, m: Module) -> None:
        wiring.connect(m, self.adapter.result, wiring.flipped(self.result))


class ProtectedStreamed(Streamed):
    """A multiplier in lockstep behind the elastic adapter, which is here twice, too: `adapter`
    drives the core and the ports. If an output of `twin`, which has the same inputs, differs from
    its own, or if the core detects a fault, `result_fault` is 1 and the data of results is 0, from
    this cycle on until a reset."""

    def __init__(self, multiplier: MultiplierFacts, core: wiring.Component | None = None):
        super().__init__(multiplier, core)
        self._twin = Elastic(core_timing(multiplier))
        keep_apart(self._twin)

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        return super().NOTES | {"the comparison": FAULT_NOTE}

    def _result(self, m: Module) -> None:
        core, adapter, twin = self.core, self.adapter, self._twin
        m.submodules.twin = twin
        outside = {"operand": core.operand}
        if "modulus" in self.signature.members:
            outside["modulus"] = core.modulus
        earlier = Value.cast(core.result.p.fault)
        for name, at_core in outside.items():
            source, to_core = getattr(self, name), getattr(twin, f"core_{name}")
            own, inner = getattr(adapter, name), getattr(adapter, f"core_{name}")
            m.d.comb += [
                getattr(twin, name).payload.eq(source.payload),
                getattr(twin, name).valid.eq(source.valid),
                to_core.ready.eq(at_core.ready),
            ]
            earlier |= own.ready != getattr(twin, name).ready
            earlier |= outputs_differ([(inner, to_core)])
        m.d.comb += [
            twin.core_result.payload.eq(core.result.payload),
            twin.core_result.valid.eq(core.result.valid),
            twin.result.ready.eq(self.result.ready),
            adapter.result.ready.eq(self.result.ready),
        ]
        differs = wire(m, outputs_differ([(adapter.result, twin.result)]), "result_differs")
        seen = remembered(m, earlier | differs)
        fault = wire(m, differs | core.result.p.fault | seen, "fault")
        m.d.comb += [self.result.valid.eq(adapter.result.valid), self.result.p.fault.eq(fault)]
        for name, _ in self.result.p.shape():
            value = adapter.result.p[name]
            if name in ("data", "carry"):
                m.d.comb += self.result.p[name].eq(Mux(fault, 0, value))
            elif name != "fault":
                m.d.comb += self.result.p[name].eq(value)


def streamed(multiplier: MultiplierFacts, core: wiring.Component | None = None) -> Streamed:
    """The multiplier behind the elastic adapter.  core: None for a new one."""
    kind = Streamed if multiplier.protection == "none" else ProtectedStreamed
    return kind(multiplier, core)
