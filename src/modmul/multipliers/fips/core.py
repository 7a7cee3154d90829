"""The bare core: the streams around controller, datapath and reduction."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.multipliers.fips.controller import Controller
from modmul.multipliers.fips.cursor import Choice
from modmul.multipliers.fips.datapath import Build, Datapath
from modmul.multipliers.fips.reduction import Reduction


def header_beats(words: int, word: int) -> int:
    """Beats that choose field and words in use."""
    return -(-(1 + (words - 1).bit_length()) // word)


class Core(wiring.Component):
    """A product begins a few clocks after its first operand beat: the words that come later are
    there before they are needed.  The next one may come when the last bundle is issued; a modulus,
    when no result is to come out."""

    def __init__(self, build: Build, signature: wiring.Signature):
        self.build = build
        super().__init__(signature)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        build = self.build
        last = Signal(build.shape.bits, name="last_word")  # words in use - 1
        binary = Signal(name="binary_field")
        n0 = Signal(build.word, name="n0_inverse", reset_less=True)
        square, begin = Signal(name="square"), Signal(name="begin")
        field: Value = binary if build.prime else Const(1, 1)
        field = field if build.binary else Const(0, 1)
        choice = Choice(last, square, field)
        controller = Controller(m, build.schedule, build.shape, begin, choice)
        path = Datapath(m, build, controller, field, n0)
        reduction = Reduction(m, build, path, last, field)
        inside = Signal(2, name="products_inside")
        done = reduction.valid & reduction.final
        m.d.sync += inside.eq(inside + begin - done)
        if build.shape.squares:
            with m.If(begin):
                m.d.sync += square.eq(self.operand.p.square)
        loading = self._load(m, path, controller.idle & ~inside.any(), last, binary, n0)
        self._operands(m, path, controller.idle & ~loading, last, begin)
        m.d.comb += [
            self.result.valid.eq(reduction.valid),
            self.result.p.first.eq(reduction.first),
            self.result.p.last.eq(reduction.final),
            self.result.p.data.eq(reduction.data),
        ]
        return m

    def _load(
        self, m: Module, path: Datapath, quiet: Value, last: Signal, binary: Signal, n0: Signal
    ) -> Signal:
        """Field and length, N, n0'; returns whether a modulus has come in partly."""
        build, stream = self.build, self.modulus
        count = header_beats(build.shape.words, build.word)
        loading, taken = Signal(name="loading"), Signal(name="modulus_taken")
        header = Signal(range(count + 1), name="header_left", init=count)
        index = Signal(build.shape.bits, name="modulus_index")
        m.d.comb += [
            stream.ready.eq(loading | quiet),
            taken.eq(stream.valid & stream.ready),
            path.n.enable.eq(taken & (header == 0) & ~stream.p.last),
            path.n.address.eq(index),
            path.n.data.eq(stream.p.data),
        ]
        kept = Signal(count * build.word, name="header")
        with m.If(taken):
            m.d.sync += [loading.eq(1), n0.eq(stream.p.data)]
            with m.If(header != 0):
                m.d.sync += [
                    header.eq(header - 1),
                    kept.eq(Cat(kept[build.word :], stream.p.data)),
                ]
            with m.Else():
                m.d.sync += index.eq(index + 1)
            with m.If(stream.p.last):
                m.d.sync += [loading.eq(0), header.eq(count), index.eq(0)]
        m.d.comb += [binary.eq(kept[0]), last.eq(kept[1:])]
        return loading

    def _operands(
        self, m: Module, path: Datapath, free: Value, last: Value, begin: Signal
    ) -> None:
        """Operands go to their memories; of a square, the first one to both."""
        build, stream = self.build, self.operand
        receiving, taken = Signal(name="receiving"), Signal(name="operand_taken")
        index = Signal(build.shape.bits, name="operand_index")
        second = stream.p.b
        if build.shape.squares:
            second = Mux(stream.p.square, stream.p.a, stream.p.b)
        m.d.comb += [
            stream.ready.eq(receiving | free),
            taken.eq(stream.valid & stream.ready),
            begin.eq(taken & ~receiving),
        ]
        with m.If(taken):
            m.d.sync += [receiving.eq(1), index.eq(index + 1)]
            with m.If(index == last):
                m.d.sync += [receiving.eq(0), index.eq(0)]
        for store, data in ((path.a, stream.p.a), (path.b, second)):
            m.d.comb += [store.enable.eq(taken), store.address.eq(index), store.data.eq(data)]
