"""The bare core: the streams around controller, datapath and reduction."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.multipliers.core import BareCore
from modmul.multipliers.fips import text
from modmul.multipliers.fips.controller import Controller
from modmul.multipliers.fips.cursor import Choice
from modmul.multipliers.fips.datapath import FipsDatapath, StorePort
from modmul.multipliers.fips.parameters import FipsParameters
from modmul.multipliers.fips.reduction import Reduction


class Core(BareCore):
    """Finely integrated product scanning (FIPS): Montgomery's multiplication in {fields}.

    result = a*b/R mod N on s words of {word} bits, s <= {words} chosen with the modulus;
    R = 2^({word}*s), in GF(2^m) x^({word}*s). {ranges}

    The word products are summed column by column in one accumulator, V, so that no intermediate
    result goes through memory:

        column c:         V += sum of a[j]*b[c-j] over j, and of m[j]*n[c-j] over j < c
        front, c < s:     m[c] = V*n0' mod 2^{word} (make_quotient), V += m[c]*n[0] (reduce):
                          now the lowest word of V is 0
        rear, c >= s:     the lowest word of V is word c-s of the result
        after a column:   V moves down by a word

    What is left after column 2*s-2 is word s-1 of the result and the bit above it. In GF(2^m)
    every sum is an XOR. {squares}

    {order}

    {pipeline}

    {course}

    V has {accumulator_bits} bits, which no sum exceeds: 2*s products of a column with the carry of
    the one before are below 4*s*2^(2*{word}), and what was added ahead comes on top.

    A reset clears control and indices, V, and those registers in front of V in which 0 stands for
    nothing. Other words are not reset; the flags beside them tell whether they count."""

    parameters: FipsParameters
    NOTES: ClassVar[dict[str, dict[str, str]]] = text.NOTES

    def __init__(self, parameters: FipsParameters):
        """A product begins a few clocks after its first operand beat; the later words come before
        they are needed.  The next operand may come when the last bundle is issued, a modulus when
        no result is left to come out."""
        self.word, self.words = parameters.word, parameters.most_words
        self.PORT_NOTES = text.port_notes(
            parameters.mode_header_beats, self.word, (self.words - 1).bit_length()
        )
        super().__init__(parameters)

    # ---- for the comment above the module -----------------------------------------------------

    @property
    def fields(self) -> str:
        built = ["GF(p)"] * self.parameters.prime + ["GF(2^m)"] * self.parameters.binary
        return " and ".join(built)

    @property
    def ranges(self) -> str:
        return text.ranges(self.parameters)

    @property
    def squares(self) -> str:
        return text.squares(self.parameters)

    @property
    def order(self) -> str:
        return text.order(self.parameters)

    @property
    def pipeline(self) -> str:
        return text.pipeline(self.parameters)

    @property
    def course(self) -> str:
        return text.course(self.parameters)

    # ---- the hardware -------------------------------------------------------------------------

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        last = Signal(p.shape.bits, name="last_word")  # words in use - 1
        binary = Signal(name="binary_field")
        n0 = Signal(p.word, name="n0_inverse", reset_less=True)
        square, begin = Signal(name="square"), Signal(name="product_begin")
        field: Value = binary if p.prime else Const(1, 1)
        field = field if p.binary else Const(0, 1)
        controller = Controller(m, p.schedule, p.shape, begin, Choice(last, square, field))
        inside, quiet = Signal(2, name="products_inside"), Signal(name="quiet")
        loading, n = self._load(m, quiet, last, binary, n0)
        a, b = self._operands(m, controller.idle & ~loading, last, begin)
        path = FipsDatapath(m, p, controller, field, n0, a, b, n)
        reduction = Reduction(m, p, path, last, field)
        m.d.comb += quiet.eq(controller.idle & ~inside.any())
        m.d.sync += inside.eq(inside + begin - (reduction.valid & reduction.final))
        if p.shape.squares:
            with m.If(begin):
                m.d.sync += square.eq(self.operand.p.square)
        m.d.comb += [
            self.result.valid.eq(reduction.valid),
            self.result.p.first.eq(reduction.first),
            self.result.p.last.eq(reduction.final),
            self.result.p.data.eq(reduction.data),
        ]
        return m

    def _load(
        self, m: Module, quiet: Value, last: Signal, binary: Signal, n0: Signal
    ) -> tuple[Signal, StorePort]:
        """Take field and length, N and n0'; return whether a modulus is partly in, and N's write
        port."""
        p, stream = self.parameters, self.modulus
        count = p.mode_header_beats
        loading, taken = Signal(name="loading"), Signal(name="modulus_taken")
        due = Signal(range(count + 1), name="header_due", init=count)
        index, enable = Signal(p.shape.bits, name="modulus_index"), Signal(name="n_write")
        m.d.comb += [
            stream.ready.eq(loading | quiet),
            taken.eq(stream.valid & stream.ready),
            enable.eq(taken & (due == 0) & ~stream.p.last),
        ]
        header = Cat(binary, last)
        for beat in range(count):
            part = header[beat * p.word : (beat + 1) * p.word]
            with m.If(taken & (due == count - beat)):
                m.d.sync += part.eq(stream.p.data)
        with m.If(taken):
            m.d.sync += [loading.eq(~stream.p.last), n0.eq(stream.p.data)]
            with m.If(stream.p.last):
                m.d.sync += [due.eq(count), index.eq(0)]
            with m.Elif(due == 0):
                m.d.sync += index.eq(index + 1)
            with m.Else():
                m.d.sync += due.eq(due - 1 if count > 1 else 0)
        return loading, StorePort(enable, index, stream.p.data)

    def _operands(
        self, m: Module, free: Value, last: Value, begin: Signal
    ) -> tuple[StorePort, StorePort]:
        """The write ports for both operands; of a square, the first operand goes to both."""
        p, stream = self.parameters, self.operand
        receiving, taken = Signal(name="receiving"), Signal(name="operand_write_enable")
        index, at_end = (
            Signal(p.shape.bits, name="operand_write_address"),
            Signal(name="operand_at_end"),
        )
        second: Value = stream.p.b
        if p.shape.squares:
            second = Signal(p.word, name="b_word")
            m.d.comb += second.eq(Mux(stream.p.square, stream.p.a, stream.p.b))
        m.d.comb += [
            stream.ready.eq(receiving | free),
            taken.eq(stream.valid & stream.ready),
            begin.eq(taken & ~receiving),
            at_end.eq(index == last),
        ]
        with m.If(taken):
            m.d.sync += [receiving.eq(~at_end), index.eq(Mux(at_end, 0, index + 1))]
        with m.Elif(free):  # the operands before had too few beats
            m.d.sync += [receiving.eq(0), index.eq(0)]
        return StorePort(taken, index, stream.p.a), StorePort(taken, index, second)
