"""The bare core: slots in rotation, the modulus, the memories of the operands, and the datapath
between them."""

from __future__ import annotations

from amaranth.hdl import Module, Value
from amaranth.lib import wiring

from modmul.multipliers.fpmm import notes, signals
from modmul.multipliers.fpmm.build import FpmmBuild
from modmul.multipliers.fpmm.cascade import CascadeDatapath
from modmul.multipliers.fpmm.columns import ColumnsDatapath
from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule
from modmul.multipliers.fpmm.modulus import FixedModulus, LoadedModulus
from modmul.multipliers.fpmm.operands import OperandMemories
from modmul.multipliers.fpmm.slots import Slots
from modmul.multipliers.fpmm.timeline import SlotValue, Timeline


class Core(wiring.Component):
    """{theory}"""

    def __init__(self, build: FpmmBuild, signature: wiring.Signature):
        self.build = build
        super().__init__(signature)

    @property
    def PORT_NOTES(self) -> dict[str, str]:
        return notes.ports(self.build)

    @property
    def theory(self) -> str:
        return notes.theory(self.build)

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        return signals.sections(self.build)

    def elaborate(self, platform: object) -> Module:
        self.m, build = Module(), self.build
        m, fixed = self.m, build.fixed
        self.timeline = timeline = Timeline(m, build.theta)
        modulus = self.modulus if fixed is None else None
        self.slots = slots = Slots(m, build, timeline, self.operand, modulus)
        self.loaded: FixedModulus | LoadedModulus
        if fixed is None:
            self.loaded = LoadedModulus(m, build, timeline, slots, self.modulus)
        else:
            self.loaded = FixedModulus(m, build, timeline, fixed)
        a, b = OperandMemories(m, build, timeline, slots, self.operand).read()
        self._output(self._datapath(a, b))
        return m

    def _in_words(self, value: Value, time: int) -> Value:
        """`value`, but low in the phases of slots that have no word."""
        return self.timeline.in_words(value, self.build.words, time)

    def _keep(self, time: int) -> Value:
        return self._in_words(self.slots.running.at(time), time)

    def _datapath(self, a: SlotValue, b: Value) -> Value:
        """The result stream, word 0 at `schedule.first_word`; see CascadeDatapath."""
        build, schedule, loaded = self.build, self.build.schedule, self.loaded
        slack = build.alpha - schedule.loop
        path: CascadeDatapath | ColumnsDatapath
        if isinstance(schedule, ColumnsSchedule):
            path = ColumnsDatapath(
                self.m,
                self.timeline,
                schedule,
                build.chip,
                build.word_bits,
                build.words,
                build.dsp_registers,
                slack,
            )
        else:
            path = CascadeDatapath(
                self.m,
                self.timeline,
                schedule,
                build.chip,
                build.slices,
                build.quotient_shared,
                build.isolated,
                slack,
            )
        return path.build(a, b, loaded.n_prime, loaded.words, self.slots.active, self._keep)

    def _output(self, result: Value) -> None:
        tl, words = self.timeline, self.build.words
        time = self.build.schedule.first_word
        self.m.d.comb += [
            self.result.valid.eq(self._in_words(self.slots.finishing.at(time), time)),
            self.result.p.first.eq(tl.start(time)),
            self.result.p.last.eq(tl.word(words - 1, time)),
            self.result.p.data.eq(result),
        ]
