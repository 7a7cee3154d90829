"""The bare core: slots in rotation, the modulus, the memories of the operands, and the datapath
between them."""

from __future__ import annotations

from amaranth.hdl import Module, Value

from modmul.multipliers.core import BareCore
from modmul.multipliers.fpmm import notes, signals
from modmul.multipliers.fpmm.cascade import CascadeDatapath
from modmul.multipliers.fpmm.columns import ColumnsDatapath
from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule
from modmul.multipliers.fpmm.modulus import FixedModulus, LoadedModulus
from modmul.multipliers.fpmm.operands import OperandMemories
from modmul.multipliers.fpmm.parameters import FpmmParameters
from modmul.multipliers.fpmm.slots import Slots
from modmul.multipliers.fpmm.timeline import SlotValue, Timeline


class Core(BareCore):
    """{theory}"""

    p: FpmmParameters

    @property
    def PORT_NOTES(self) -> dict[str, str]:
        return notes.ports(self.parameters)

    @property
    def theory(self) -> str:
        return notes.theory(self.parameters)

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        return signals.sections(self.parameters)

    def elaborate(self, platform: object) -> Module:
        self.m, p = Module(), self.parameters
        m, fixed = self.m, p.fixed_modulus
        self.timeline = timeline = Timeline(m, p.theta)
        modulus = self.modulus if fixed is None else None
        self.slots = slots = Slots(m, p, timeline, self.operand, modulus)
        self.loaded: FixedModulus | LoadedModulus
        if fixed is None:
            self.loaded = LoadedModulus(m, p, timeline, slots, self.modulus)
        else:
            self.loaded = FixedModulus(m, p, timeline, fixed)
        a, b = OperandMemories(m, p, timeline, slots, self.operand).read()
        self._output(self._datapath(a, b))
        return m

    def _in_words(self, value: Value, time: int) -> Value:
        """`value`, but low in the phases of slots that have no word."""
        return self.timeline.in_words(value, self.parameters.words, time)

    def _keep(self, time: int) -> Value:
        return self._in_words(self.slots.running.at(time), time)

    def _datapath(self, a: SlotValue, b: Value) -> Value:
        """The result stream, word 0 at `schedule.first_word`; see CascadeDatapath."""
        p, schedule, loaded = self.parameters, self.parameters.schedule, self.loaded
        slack = p.alpha - schedule.loop
        path: CascadeDatapath | ColumnsDatapath
        if isinstance(schedule, ColumnsSchedule):
            path = ColumnsDatapath(
                self.m,
                self.timeline,
                schedule,
                p.chip,
                p.word_bits,
                p.words,
                p.dsp_registers,
                slack,
            )
        else:
            path = CascadeDatapath(
                self.m,
                self.timeline,
                schedule,
                p.chip,
                p.slices,
                p.quotient_shared,
                p.isolated,
                slack,
            )
        return path.build(a, b, loaded.n_prime, loaded.words, self.slots.active, self._keep)

    def _output(self, result: Value) -> None:
        tl, words = self.timeline, self.parameters.words
        time = self.parameters.schedule.first_word
        self.m.d.comb += [
            self.result.valid.eq(self._in_words(self.slots.finishing.at(time), time)),
            self.result.p.first.eq(tl.start(time)),
            self.result.p.last.eq(tl.word(words - 1, time)),
            self.result.p.data.eq(result),
        ]
