"""Two engines side by side: the first does whole operations, the second the half modulo q."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring

from modmul.blocks.memory import bits_of
from modmul.blocks.packet_gate import first_beats, gated
from modmul.processors.engine.hardware.build import EngineBuild
from modmul.processors.engine.hardware.core import Core
from modmul.processors.engine.hardware.streams import streams

SECOND = "_q"  # suffix of the streams that only the second engine has
SHARED = ("modulus", "command", "operand", "result")


class SideBySide(wiring.Component):
    """A processor for RSA with two engines. In a private operation by the primes (program 0), the
    second engine computes the powers modulo half of the primes while the first computes the others;
    then the first takes the results of the second and joins all. Every other operation is done by
    the first engine alone.

    Streams; those of one engine alone have the suffix `_q` if it is the second:

      `modulus`: beats for the first engine, then beats for the second
      `command`: program 0, and the program that only overwrites registers, begin in both engines
        in the same cycle, all others only in the first
      `operand`: in program 0 both engines take the first {both} numbers, in the same cycles;
        the next {supplied} that the first engine takes are results of the second, and those after
        these come from the stream again
      `result`: that of the first engine; the status of the second is dropped
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "modulus: beats for the first engine, then beats for the second": {
            "first_modulus_ready": "the first engine is quiet",
            "second_modulus_ready": "the second engine is quiet",
            "modulus_place": "number of the beat after the one that was taken last",
            "modulus_valid_next": "number of the beat that is offered",
            "modulus_partly": "some beats of a modulus were taken, but not all",
            "first_modulus_valid": "the beat that is offered is for the first engine, and taken",
            "second_modulus_valid": "the beat that is offered is for the second engine, and taken",
            "*_modulus_first": "it is the first one for that engine",
            "*_modulus_last": "it is the last one for that engine",
        },
        "command": {
            "command_gate": "",
            "sink_valid": "a command is offered",
            "sink_ready": "it can be taken: both engines are ready, and no modulus waits",
            "*_command_ready": "this engine takes a command",
            "first_command_*": "a field of that command",
            "first_command_valid": "the command is taken",
            "second_command_valid": "it is for the second engine, too",
            "second_command_program": "program of the second engine; 1 only overwrites",
            "halves": "program 0 is at work, in which both engines have a part",
        },
        "operand: for both engines, then of the second for the first, then for the first": {
            "operand_gate": "",
            "operand_gate_sink_valid": "a beat of the stream is offered",
            "operand_gate_sink_ready": "it is taken",
            "first_sink_data": "bits of that beat",
            "shared_beats_left": "beats left that both take, or the first of the second",
            "both_take": "both engines take the beats of the stream, in the same cycles",
            "first_takes_of_second": "the first engine takes results of the second",
            "*_operand_valid": "a beat is offered to this engine",
            "*_operand_ready": "this engine takes a beat",
            "first_operand_data": "data of a beat for the first engine",
            "second_result_valid": "the second engine offers a beat of a result, or its status",
            "second_result_ready": "the first engine takes it, or it is the status and is dropped",
        },
        "scalars and random numbers": {
            "scalar_*gate": "",
            "random_*gate": "",
            "*_scalar_valid": "a beat of scalars is offered to this engine",
            "*_scalar_data": "bits of that beat",
            "*_random_valid": "a beat of random numbers is offered to this engine",
            "*_random_data": "bits of that beat",
            "*_sink_ready*": "this engine takes a beat",
        },
        "zeros in the place of missing beats": {
            "*gate_idle": "both engines are quiet: a new packet begins",
            "fills": "a zero is taken that no packet of operand had",
            "*_gate_fills": "a zero is taken that no packet of this stream had",
            "filled": "one of these zeros is taken, which the first engine remembers",
        },
        "engines": {
            "first": "",
            "second": "",
            "first_result_data": "bits of a beat of its result",
        },
    }

    def __init__(
        self,
        first: EngineBuild,
        second: EngineBuild,
        taken: int,
        supplied: int,
        signature: wiring.Signature,
    ):
        """taken: how many numbers both engines take.  supplied: how many the first then takes from
        the second."""
        self.builds, self.both, self.supplied = (first, second), taken, supplied
        super().__init__(signature)

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        m.submodules.first, m.submodules.second = self.cores = [
            Core(
                build,
                wiring.Signature({each.name: each.signature() for each in streams(build)}),
                inner=True,
            )
            for build in self.builds
        ]
        self.idle = self.cores[0].quiet & self.cores[1].quiet
        self.fills: list[Value] = []
        self._modulus()
        self._command()
        self._operand()
        self._result()
        for number, (core, build) in enumerate(zip(self.cores, self.builds, strict=True)):
            for each in streams(build):
                if each.name not in SHARED:
                    name = each.name + SECOND * number
                    outer = self._gated(name)
                    inner = getattr(core, each.name)
                    m.d.comb += [
                        inner.valid.eq(outer.valid),
                        inner.payload.eq(outer.payload),
                        outer.ready.eq(inner.ready),
                    ]
        m.d.comb += self.cores[0].filled.eq(Cat(self.fills).any())
        return m

    def _gated(self, name: str) -> stream.Interface:
        """An input stream that numbers come by, behind a gate."""
        protected = self.builds[0].protected
        gate = gated(self.m, getattr(self, name), name, self.idle, protected)
        self.fills.append(gate.fills)
        return gate.sink

    def _modulus(self) -> None:
        """Elaborate the stream of moduli.  Beats are taken while both engines are quiet.  `partly`:
        some beats were taken, but not all."""
        m, modulus, sizes = self.m, self.modulus, [build.store_beats for build in self.builds]
        place = Signal(bits_of(sum(sizes)), name="modulus_place")
        position = Mux(modulus.p.first, 0, place)
        self.partly = Signal(name="modulus_partly")
        ready = self.cores[0].modulus.ready & self.cores[1].modulus.ready
        m.d.comb += modulus.ready.eq(ready)
        with m.If(modulus.valid & ready):
            m.d.sync += [place.eq(position + 1), self.partly.eq(~modulus.p.last)]
        start = 0
        for core, size in zip(self.cores, sizes, strict=True):
            mine = (position >= start) & (position < start + size)
            m.d.comb += [
                core.modulus.valid.eq(modulus.valid & ready & mine),
                core.modulus.p.data.eq(modulus.p.data),
                core.modulus.p.first.eq(position == start),
                core.modulus.p.last.eq(position == start + size - 1),
            ]
            start += size

    def _command(self) -> None:
        """Elaborate the commands.  `halves`: program 0 is at work."""
        m, (first, second) = self.m, self.cores
        command = first_beats(m, self.command, "command")
        wiping = len(self.builds[0].images)
        halves, wipes = command.p.program == 0, command.p.program == wiping
        ready = first.command.ready & second.command.ready & ~self.partly & ~self.modulus.valid
        taken = command.valid & ready
        m.d.comb += [
            command.ready.eq(ready),
            first.command.valid.eq(taken),
            first.command.payload.eq(command.payload),
            second.command.valid.eq(taken & (halves | wipes)),
            second.command.p.program.eq(wipes),
            second.command.p.count.eq(command.p.count),
            second.command.p.first.eq(1),
            second.command.p.last.eq(1),
        ]
        self.halves = Signal(name="halves")
        self.begins: Value = taken
        with m.If(taken):
            m.d.sync += self.halves.eq(halves)

    def _operand(self) -> None:
        m, (first, second) = self.m, self.cores
        operand = self._gated("operand")
        beats = self.builds[0].beats
        count, supplied = (self.both + self.supplied) * beats, self.supplied * beats
        left = Signal(range(count + 1), name="shared_beats_left")
        both, inside = Signal(name="both_take"), Signal(name="first_takes_of_second")
        m.d.comb += [
            both.eq(self.halves & (left > supplied)),
            inside.eq(self.halves & (left != 0) & ~both),
        ]
        from_second = second.result.valid & ~second.result.p.last
        with m.If(inside):
            m.d.comb += [
                first.operand.valid.eq(from_second),
                first.operand.payload.eq(operand.payload),
                first.operand.p.data.eq(second.result.p.data),
            ]
        with m.Else():
            m.d.comb += [
                first.operand.valid.eq(operand.valid & (~both | second.operand.ready)),
                first.operand.payload.eq(operand.payload),
            ]
        m.d.comb += [
            second.operand.valid.eq(operand.valid & both & first.operand.ready),
            second.operand.payload.eq(operand.payload),
            operand.ready.eq(first.operand.ready & ~inside & (~both | second.operand.ready)),
            second.result.ready.eq(second.result.p.last | (inside & first.operand.ready)),
        ]
        with m.If(self.begins):
            m.d.sync += left.eq(count)
        with m.Elif((both | inside) & first.operand.valid & first.operand.ready):
            m.d.sync += left.eq(left - 1)

    def _result(self) -> None:
        first = self.cores[0].result
        self.m.d.comb += [
            self.result.valid.eq(first.valid),
            self.result.payload.eq(first.payload),
            first.ready.eq(self.result.ready),
        ]
