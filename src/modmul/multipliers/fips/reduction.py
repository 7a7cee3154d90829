"""The end of a product: V - N if V is not below N, always in the same time, and the output of the
result.

While the result words of the rear columns come out of the accumulator, N is subtracted from them
word by word, for the borrow alone.  When the words leave, it is subtracted again, this time with N
masked if it must not be, on the same subtractor.

Source: dualfips, section 4.1 (the subtraction itself; there without a bound on its time)."""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, Signal, Value

from modmul.multipliers.fips.datapath import FipsDatapath
from modmul.multipliers.fips.parameters import FipsParameters


class Reduction:
    """last: words in use - 1.  binary: the field.

    valid, first, final, data: the result stream, without pauses."""

    def __init__(
        self, m: Module, p: FipsParameters, path: FipsDatapath, last: Value, binary: Value
    ):
        self.m, self.parameters, self.path, self.last, self.binary = m, p, path, last, binary
        bits = p.shape.bits
        self.index = Signal(bits, name="result_index")
        final = Signal(name="write_back_last")
        self.unload, unload_first = Signal(name="unload"), Signal(name="unload_first")
        at_end = Signal(name="unload_at_end")
        back = path.write_back
        m.d.comb += at_end.eq(self.unload & (self.index == last))
        m.d.sync += [
            back.enable.eq(path.result_word_valid),
            back.address.eq(self.index),
            final.eq(path.finished),
        ]
        with m.If(path.result_word_valid | self.unload):
            m.d.sync += self.index.eq(self.index + 1)
        with m.If(path.finished | at_end):
            m.d.sync += self.index.eq(0)
        m.d.sync += [
            self.unload.eq(final | (self.unload & ~at_end)),
            unload_first.eq(final),
        ]
        stored = path.quotients.read(self.index, "result")
        m.d.sync += back.data.eq(Mux(path.result_word_valid, path.sum[: p.word], stored))
        stages = [(self.unload, unload_first, at_end)]
        stages.append(self._step(stages[-1], "leaves"))
        if p.subtract:
            difference = self._subtract(final, stages[-1])
            stages.append(self._step(stages[-1], "difference"))
            data = Signal(p.word, name="result_data_reg", reset_less=True)
            m.d.sync += data.eq(difference)
            self.data: Value = data
        else:
            self.data = back.data
        self.valid, self.first, self.final = stages[-1]

    def _step(self, flags: tuple[Value, ...], name: str) -> tuple[Signal, Signal, Signal]:
        valid, first, final = (Signal(name=f"{name}_{flag}") for flag in ("valid", "first", "last"))
        self.m.d.sync += [valid.eq(flags[0]), first.eq(flags[1] & flags[0]), final.eq(flags[2])]
        return valid, first, final

    def _subtract(self, final: Signal, leaves: tuple[Value, ...]) -> Value:
        m, p, path = self.m, self.parameters, self.path
        n_word = Signal(p.word, name="subtrahend", reset_less=True)
        borrow, take = Signal(name="borrow"), Signal(name="subtract_modulus")
        top = Signal(name="result_top", reset_less=True)
        difference = Signal(p.word + 1, name="difference")
        back, keep = path.write_back, Mux(self.unload, take, Const(1, 1))
        m.d.sync += n_word.eq(path.n.read(self.index, "result") & keep.replicate(p.word))
        m.d.comb += difference.eq(back.data - n_word - borrow)
        with m.If(path.finished):
            m.d.sync += top.eq(path.top)
        with m.If(back.enable | leaves[0]):
            m.d.sync += borrow.eq(difference[p.word])
        with m.If(final | leaves[2]):
            m.d.sync += borrow.eq(0)
        with m.If(final):
            m.d.sync += take.eq((top | ~difference[p.word]) & ~self.binary)
        return difference[: p.word]
