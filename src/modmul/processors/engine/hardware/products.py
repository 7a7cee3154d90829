"""The multiplier of an engine: the word says which operands begin, and where the results go.

Words are issued when a slot of the multiplier is free, so nothing waits for `ready`; results come
in the order of the words, so a queue of register numbers says where they go."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.countdown import counted_down
from modmul.blocks.delay import delay
from modmul.blocks.memory import SimpleDualPort, bits_of
from modmul.processors.engine.hardware.build import EngineBuild
from modmul.processors.engine.hardware.converter import Converter


class Products(wiring.Component):
    """A multiplier of the engine, with what gives it operands and modulus, and says where results
    go.

    Operands have {beats} beats. Programs issue a product only when the multiplier can take it, so
    its `ready` is looked at with protection only. Results come in the order of the products; a
    queue keeps the registers that they go to. With `late` its slots begin a cycle later than those
    of the first port.

    Ports:

      `go`: a product is issued, whose result goes to `register`; with protection this has a parity
        bit above it, as `to` has
      `square`: it is the square of `a`; only for a multiplier that has squares
      `a`, `b`: the operands, a beat a cycle from two cycles after `go` on
      `enable`, `to`, `place`, `out`: a beat of a result, its register and its number in it
      `load`: begins to load a modulus, whose beats are at `constant` from two cycles later on
      `loading`: a modulus is being loaded; `loads`: a beat of it is at `constant`
      `start`: a program begins, so that no product is in flight
      `settled`: as many results as products have come since then
      `refused` (with protection): the multiplier does not take the operands or the modulus that
        begin
      `restart` (with protection): the multiplier is reset, in the cycle before one in which its
        slots are as after a reset
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "operands": {
            "go_d1": "a product was issued in the cycle before",
            "operand_valid": "a beat of its operands is at a and b",
            "operand_first": "the first one",
            "operand_last": "the last one",
            "operand_beats_left": "beats after this one",
            "square_d1": "the product is a square",
            "operand_square": "the beats are those of a square",
        },
        "modulus": {
            "load_d1": "a load began in the cycle before",
            "modulus_valid": "a beat of the modulus is at constant",
            "modulus_first": "the first one",
            "modulus_last": "the last one",
            "modulus_beats_left": "beats after this one",
            "slots_wait": "the multiplier stays in reset, so that its slots begin a cycle later",
        },
        "results": {
            "queue": "registers of the products under way",
            "newest_product": "where the register of the next product is written",
            "oldest_product": "where that of the next result is read",
            "result_place": "number of the beat of the result",
            "result_register_d[0-9]*": "register of the beat so many cycles ago",
            "result_place_d[0-9]*": "its number",
            "result_valid_d[0-9]*": "it came",
        },
    }

    def __init__(self, build: EngineBuild, port: int):
        """port: the port whose operands it gets.  With port 1 its slots begin a cycle later."""
        self.build, self.beats, self.late = build, build.beats, port > 0
        self._wait = build.machine.wait("MUL", port)
        word, number = build.word, build.with_parity(bits_of(build.machine.bank_size))
        super().__init__(
            {
                "go": In(1),
                "square": In(1),
                "register": In(number),
                "a": In(word),
                "b": In(word),
                "load": In(1),
                "constant": In(word),
                "loading": Out(1),
                "loads": Out(1),
                "enable": Out(1),
                "to": Out(number),
                "place": Out(bits_of(build.beats)),
                "out": Out(word),
                "start": In(1),
                "settled": Out(1),
                **({"refused": Out(1), "restart": In(1)} if build.protected else {}),
            }
        )

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        multiplier = self.build.multiplier
        core = multiplier.create()
        resets = [self.restart] if self.build.protected else []
        if self.late:
            waits = Signal(init=1, name="slots_wait")
            m.d.sync += waits.eq(0)
            resets.append(waits)
        m.submodules.multiplier = ResetInserter(Cat(resets).any())(core) if resets else core
        if self.build.engine.whole:
            converter, protected = Converter(self.build), self.build.protected
            m.submodules.converter = (
                ResetInserter(self.restart)(converter) if protected else converter
            )
            wiring.connect(m, converter.core_operand, core.operand)
            wiring.connect(m, converter.core_modulus, core.modulus)
            wiring.connect(m, core.result, converter.core_result)
            core = converter
        self.core = core
        self._operand()
        self._modulus()
        self._result()
        if self.build.protected:
            streams = self.core.operand, getattr(self.core, "modulus", None)
            begins = (each.valid & each.p.first & ~each.ready for each in streams if each)
            m.d.comb += self.refused.eq(Cat(begins).any())
        return m

    def _packet(self, begins: Value, beats: int, name: str) -> tuple[Signal, Signal, Signal]:
        """Valid, first and last of a packet that begins in the cycle after `begins`."""
        m = self.m
        valid, first, last = (Signal(name=f"{name}_{part}") for part in ("valid", "first", "last"))
        left = Signal(range(max(2, beats)), name=f"{name}_beats_left")
        chip = self.build.multiplier.chip
        m.d.sync += [first.eq(begins), left.eq(counted_down(chip, left, begins, beats - 1))]
        with m.If(begins):
            m.d.sync += [valid.eq(1), last.eq(beats == 1)]
        with m.Else():
            m.d.sync += last.eq(valid & (left == 1))
            with m.If(last):
                m.d.sync += [valid.eq(0), last.eq(0)]
        return valid, first, last

    def _operand(self) -> None:
        m, stream = self.m, self.core.operand
        go = delay(m, self.go, 1, "go", reset=True)
        valid, first, last = self._packet(go, self.beats, "operand")
        m.d.comb += [
            stream.valid.eq(valid),
            stream.p.first.eq(first),
            stream.p.last.eq(last),
            stream.p.a.eq(self.a),
            stream.p.b.eq(self.b),
        ]
        if self.build.multiplier.squares:
            square = Signal(name="operand_square")
            coming = delay(m, self.square, 1, "square")
            with m.If(go):
                m.d.sync += square.eq(coming)
            m.d.comb += stream.p.square.eq(square)

    def _modulus(self) -> None:
        m = self.m
        begins = delay(m, self.load, 1, "load", reset=True)
        if self.build.multiplier.modulus_at == "fixed":
            m.d.comb += self.loading.eq(begins | self.load)
            return
        stream = self.core.modulus
        valid, first, last = self._packet(begins, self.build.for_multiplier, "modulus")
        m.d.comb += [
            stream.valid.eq(valid),
            stream.p.first.eq(first),
            stream.p.last.eq(last),
            stream.p.data.eq(self.constant),
            self.loading.eq(valid | begins | self.load),
            self.loads.eq(valid),
        ]

    def _result(self) -> None:
        m, result = self.m, self.core.result
        place = Signal(bits_of(self.beats), name="result_place")
        with m.If(result.valid):
            m.d.sync += place.eq(Mux(result.p.last, 0, place + 1))
        to = self._queue(result.valid & result.p.last)
        m.d.comb += [
            self.enable.eq(delay(m, result.valid, self._wait, "result_valid", reset=True)),
            self.place.eq(delay(m, place, self._wait, "result_place")),
            self.out.eq(delay(m, result.p.data, self._wait, "result")),
            self.to.eq(delay(m, to, self._wait, "result_register")),
        ]

    def _queue(self, taken: Value) -> Value:
        """The register for the oldest product in flight."""
        m = self.m
        bits = bits_of(in_flight(self.build))
        queue = SimpleDualPort(
            self.build.multiplier.chip,
            len(self.register),
            1 << bits,
            "distributed",
            0,
            "registers of the products in flight",
        )
        m.submodules.queue = queue
        newest, oldest = (Signal(bits, name=f"{name}_product") for name in ("newest", "oldest"))
        m.d.comb += [
            queue.write_enable.eq(self.go),
            queue.write_address.eq(newest),
            queue.write_data.eq(self.register),
            queue.read_address.eq(oldest),
        ]
        with m.If(self.go):
            m.d.sync += newest.eq(newest + 1)
        with m.If(taken):
            m.d.sync += oldest.eq(oldest + 1)
        with m.If(self.start):
            m.d.sync += [newest.eq(0), oldest.eq(0)]
        m.d.comb += self.settled.eq(newest == oldest)
        return queue.read_data


def in_flight(build: EngineBuild) -> int:
    """The most products between their issue and the last beat of their result."""
    machine = build.machine
    time = machine.memory + max(machine.latency, machine.square_latency)
    least = min(machine.interval, machine.square_interval)
    return machine.slots * -(-time // least)
