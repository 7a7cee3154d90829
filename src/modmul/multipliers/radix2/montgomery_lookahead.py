"""One carry-save row with nothing behind it but a clear: quotient and addend looked up ahead.

Made here, from the blocks of Kuang, Wu and Lu (IEEE TVLSI 24(2), 2016).
With N' = (-1/N mod 2^e) * N, e = lookahead + 1, all ones in its low e bits, and B^ = 2^e * B:

    V <- floor(V / 2) + x_i,   x_i = a_i * B^/2 + q_i * (N' + 1)/2,   q_i = V mod 2

is (V + a_i*B^ + q_i*N') / 2 exactly.  All x_i end in `lookahead` zeros, so that q_i is known that
many cycles before it is needed: x_i comes from a register, chosen in the cycle before (for
lookahead 2 by registers, too) among 0, B, N^ and D = B + N^, where N^ = (N' + 1) / 2^e.
V = SS + SC, and bit 0 of SC is always 0.

With A, B < 2^e * N and m = k + 3e cycles: V < 2^e * N at the end, so that results can be operands;
R = 2^(m-e).  In between, words fit k + 2e bits.

Operands come in words of w bits, least significant first, so that D grows while they come, and the
result leaves in words, while the row still shifts: a word is fetched where it has drifted to.  The
next product loads meanwhile.  Cost: one row of full adders, 7 registers of k bits, two adders of w
bits; m + ceil((k+e+1)/w) cycles a product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.arithmetic.words import ceil_div
from modmul.blocks import one_hot
from modmul.blocks.carry_save import carry_save_add, masked, select4
from modmul.blocks.delay import DelayLine, delay
from modmul.blocks.stream_adder import StreamAdder
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.core import BareCore, core_of
from modmul.multipliers.radix2 import words
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter


@dataclass(frozen=True, kw_only=True)
class MontgomeryLookahead(Multiplier):
    """Parameters: width, word of the streams, lookahead."""

    name = "montgomery-lookahead"
    summary = "radix-2 Montgomery, one carry-save row, quotient and addend looked up ahead"
    sources: ClassVar[tuple[str, ...]] = ()

    width: int = parameter(128, "bits of the modulus", minimum=3, maximum=4096)
    stream_word: int | None = parameter(
        None,
        "bits of operands and result in a beat (default: 32, or all bits of narrower operands)",
        minimum=4,
        maximum=512,
    )
    lookahead: int = parameter(
        1, "how many cycles before its use a quotient bit is known", choices=(1, 2)
    )

    radix = 2

    @property
    def core_title(self) -> str:
        depth = "-ahead2" if self.lookahead == 2 else ""
        return f"{super().core_title}-w{self.word}{depth}{self.chip.title_end}"

    @property
    def word(self) -> int:
        """`stream_word`, or its default."""
        return self.stream_word or max(4, min(32, self.width + self.exponent + 1))

    @property
    def exponent(self) -> int:
        """e; operands and results are below 2^e * N."""
        return self.lookahead + 1

    @property
    def iterations(self) -> int:
        return self.width + 3 * self.exponent

    @property
    def montgomery_factor(self) -> int:
        return 1 << (self.iterations - self.exponent)

    @property
    def beat(self) -> int:
        return self.word

    @property
    def beats(self) -> int:
        """The number of beats in which D = B + N^ fits."""
        return ceil_div(self.width + self.exponent + 1, self.word)

    @property
    def operand_limit(self) -> Bound:
        return Bound(1 << self.exponent)

    @property
    def result_limit(self) -> Bound:
        return Bound(1 << self.exponent)

    def operand_range(self, modulus: int) -> OperandRange:
        """a has to leave its register in the loop, and b to fit its own: bits above are ignored.
        Then V < a*b/R + N', which fits the words of a result."""
        e, k = self.exponent, self.width
        most = largest_product(
            self.montgomery_factor,
            modulus,
            below=1 << e,
            added=-pow(modulus, -1, 1 << e) % (1 << e),
            scale=1 << e,
        )
        return OperandRange(1 << min(self.iterations, self.word * self.beats), 1 << k + e, most)

    def modulus_hat(self, modulus: int) -> int:
        """N^ = (N' + 1) / 2^e, below 2^k."""
        power = 1 << self.exponent
        return (-pow(modulus, -1, power) % power * modulus + 1) >> self.exponent

    def constants(self, modulus: int) -> list[Constant]:
        value, mask = self.modulus_hat(modulus), (1 << self.word) - 1
        return [
            Constant(f"modulus_hat_{j}", value >> j * self.word & mask) for j in range(self.beats)
        ]

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """load: the words, and a register.  loop: includes the look-up of the first addend, of one
        cycle (lookahead 1) or two.  convert: fetching a word of the result, and adding."""
        return constant_cycles(
            {
                "load": self.beats + 1,
                "loop": self.lookahead + self.iterations,
                "convert": self.lookahead + self.fetch,
                "unload": self.beats,
            }
        )

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.beats + self.lookahead - 1 + self.iterations)

    @property
    def fetch(self) -> int:
        """The cycles to fetch a word of the result; on an FPGA there is a register on the way."""
        return 1 if self.chip.takes_library else 2

    def compute(self, a: int, b: int, modulus: int) -> int:
        hat = self.modulus_hat(modulus)
        addends = [value << self.lookahead for value in (0, hat, b, b + hat)]
        ss = sc = 0
        for i in range(self.iterations):
            addend = addends[2 * (a >> i & 1) + (ss & 1)]
            ss, sc = words.carry_save_add(ss >> 1, sc >> 1, addend)
        return ss + sc

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            f"Multiplying by 1 leaves the Montgomery domain with a result of at most "
            f"{(1 << self.exponent) - 1} * N.",
            f"Loaded as modulus: N^ = (N' + 1) / {1 << self.exponent}, where N' = m * N with the "
            f"odd m < {1 << self.exponent} for which N' mod {1 << self.exponent} = "
            f"{(1 << self.exponent) - 1}.",
        )

    def core_forecast(self) -> Forecast:
        """A row, the multiplexer of four, registers of operands in whole words, and both adders.

        Calibrated from 32 to 256 bits: LUTs within 38 %, flip-flops 7 %, clock 27 %."""
        chip, k = fabric(self.chip), self.width
        w, late = self.word, self.lookahead - 1
        size = w * self.beats
        return chip.forecast(
            lut=chip.by_lut_inputs(6.4, 5.2) * k + 5.2 * w + chip.by_lut_inputs(85, 40),
            ff=5 * size + 3 * k + (7 + 2 * late) * w + self.beats + 60 + 18 * late,
            levels=chip.by_lut_inputs(2 - late, 2.9 - late / 2),
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Both depths: one word, words that are just full, words with one bit more."""
        small = [cls(width=3, stream_word=4), cls(width=4, stream_word=8, lookahead=2)]
        return [
            *small,
            cls(width=5, stream_word=4),
            cls(width=29, stream_word=8),
            cls(width=30, stream_word=8, lookahead=2),
            cls(width=33, target="cells"),
            cls(width=45, stream_word=5, target="cells", lookahead=2),
        ]


@core_of(MontgomeryLookahead)
class Core(BareCore):
    """{theory}

    Cycle 0 is that after the last operand beat; x_i is looked up in cycle lookahead - 1 + i and
    added in the next.

    Here k = {width}, w = {word}."""

    parameters: MontgomeryLookahead

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "words of operands and modulus, a cycle after their streams": {
            "operand_open": "beats of an operand are taken",
            "modulus_open": "beats of a modulus are taken",
            "take": "word_a and word_b are new",
            "load": "word_modulus is new",
            "word_first": "word_a and word_b are the lowest words of A and B",
            "word_last": "they are the highest words",
            "word_a": "of operand a",
            "word_b": "of operand b",
            "word_modulus": "of N^",
        },
        "control": {
            "start": "cycle 0 of a product",
            "busy": "bits of A leave a_reg: {iterations} cycles, from cycle 0 on",
            "last_busy": "the last of these cycles",
            "left": "cycles until then; its top bit becomes 1 when it falls below 0",
            "ended": "the cycle after last_busy",
            "start_d1": "the row is cleared in this cycle, before its first addend",
        },
        "B, D = B + N^, N^ and A, filled word by word from the top": {
            "modulus_hat_reg": "N^; goes round once while an operand comes",
            "b_reg": "B, an addend of the row",
            "a_reg": "A; its lowest bit is that of this cycle",
            "d_reg": "D, an addend of the row",
            "take_d[0-9]*": "take so many cycles later; with the last of them D gets a word",
            "d_adder_left": "word of B",
            "d_adder_right": "word of N^",
            "d_adder_begins": "they are the lowest words: no carry comes in",
            "d_adder_propagate": "bits of both words, exclusive or",
            "d_adder_low": "their sum without its top bit, and the carry into that",
            "d_adder_generated": "both top bits are 1",
            "d_adder_carry": "out of the word before",
            "d_adder_second": "the sum with this carry",
            "d_adder_into_top": "the carry into the top bit",
            "d_adder_sum": "word of D",
        },
        "x_i, the next addend": {
            "quotient": "q_i",
            "a_bit": "a_i",
            "no_quotient": "inverted, for the upper half of the addend, so that each drives one "
            "half",
            "no_a_bit": "inverted, likewise",
            "addend_reg": "x_i without its low zeros: 0, B, N^ or D",
        },
        "the carry-save row: V = SS + SC": {
            "ss_reg": "SS; moves down by a bit in each cycle",
            "sc_reg": "SC; its bit 0 is 0",
            "row_sum": "sums of SS/2, SC/2 and x_i, bit by bit",
            "row_carry": "their carries",
        },
        "words of the result, SS + SC": {
            "read": "bit j: word j is fetched, from where it has drifted to",
            "fetching": "some word is fetched",
            "ss_word_*": "the fetched word of SS, in a register for each group of words; else 0",
            "sc_word_*": "the same of SC",
            "fetching_d[0-9]*": "some word was fetched so many cycles ago",
            "read_first_d[0-9]*": "the lowest word was fetched so many cycles ago",
            "read_last_d[0-9]*": "the highest word was fetched so many cycles ago",
            "result_adder_left": "word of SS",
            "result_adder_right": "word of SC",
            "result_adder_begins": "they are the lowest words: no carry comes in",
            "result_adder_propagate": "bits of both words, exclusive or",
            "result_adder_low": "their sum without its top bit, and the carry into that",
            "result_adder_carry": "out of the word before",
            "result_adder_second": "the sum with this carry",
            "result_adder_into_top": "the carry into the top bit",
        },
    }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        self._control(m)
        modulus, b, d, a = self._operands(m)
        bits = p.width + 2 * p.exponent
        ss = Signal(bits, name="ss_reg", reset_less=True)
        sc = Signal(bits, name="sc_reg", reset_less=True)
        addend = Signal(p.width + p.exponent + 1, name="addend_reg", reset_less=True)
        shifted = Cat(Const(0, p.lookahead), addend)
        row = carry_save_add(m, p.chip, ss[1:], sc[1:], shifted, "row")
        m.d.sync += [
            addend.eq(self._look_up(m, (b, modulus, d), a, ss, sc)),
            ss.eq(masked(row.sum, ~self.clear)),
            sc.eq(masked(row.carry[:bits], ~self.clear)),
        ]
        self._result(m, ss, sc)
        return m

    def _control(self, m: Module) -> None:
        """Make control registers of one bit.  busy: high in cycles 0 to iterations - 1, in which
        bits of A leave.  start: high in cycle 0.  clear: the row must hold 0 in the next cycle.
        leave: it will hold the result then."""
        p = self.parameters
        self._handshake(m)
        self.start, self.busy = Signal(name="start"), Signal(name="busy")
        last, ended = Signal(name="last_busy"), Signal(name="ended")
        left = Signal(p.iterations.bit_length() + 1, name="left")
        start = self.take & self.word_last
        closing = self.busy & left[-1] & ~last
        m.d.sync += [
            self.start.eq(start),
            self.busy.eq(start | (self.busy & ~last)),
            left.eq(Mux(start, p.iterations - 3, left - 1)),
            last.eq(closing),
            ended.eq(last),
        ]
        self.clear = delay(m, self.start, p.lookahead - 1, "start", reset=True)
        self.leave = delay(m, ended, p.lookahead - 1, "ended", reset=True)
        # Words taken now reach their registers when the last addend has been looked up.
        with m.If(last if p.lookahead == 2 else closing):
            m.d.sync += [self.operand_open.eq(1), self.modulus_open.eq(1)]

    def _handshake(self, m: Module) -> None:
        """Register words of operands and modulus.  take, load: such words are there."""
        operand, modulus = self.operand, self.modulus
        word = self.parameters.word
        self.take, self.load = Signal(name="take"), Signal(name="load")
        self.word_first = Signal(name="word_first", reset_less=True)
        self.word_last = Signal(name="word_last", reset_less=True)
        self.word_a, self.word_b, self.word_modulus = (
            Signal(word, name=f"word_{name}", reset_less=True) for name in ("a", "b", "modulus")
        )
        m.d.sync += [
            self.take.eq(operand.valid & operand.ready),
            self.load.eq(modulus.valid & modulus.ready),
            self.word_first.eq(operand.p.first),
            self.word_last.eq(operand.p.last),
            self.word_a.eq(operand.p.a),
            self.word_b.eq(operand.p.b),
            self.word_modulus.eq(modulus.p.data),
        ]
        self.operand_open = Signal(init=1, name="operand_open")
        self.modulus_open = Signal(init=1, name="modulus_open")
        m.d.comb += [operand.ready.eq(self.operand_open), modulus.ready.eq(self.modulus_open)]
        with m.If(operand.valid & operand.ready):
            m.d.sync += [self.operand_open.eq(~operand.p.last), self.modulus_open.eq(0)]
        with m.If(modulus.valid & modulus.ready):
            m.d.sync += self.operand_open.eq(modulus.p.last)

    def _operands(self, m: Module) -> tuple[Value, Value, Value, Signal]:
        p = self.parameters
        size = p.word * p.beats
        registers = [
            Signal(size, name=f"{name}_reg", reset_less=True)
            for name in ("modulus_hat", "b", "d", "a")
        ]
        modulus, b, d, a = registers
        adder = StreamAdder(
            m, self.word_b, modulus[: p.word], self.word_first, name="d_adder", **self._adder
        )
        summed = delay(m, self.take, adder.latency, "take", reset=True)
        with m.If(self.load | self.take):  # once around while an operand comes
            word = Mux(self.load, self.word_modulus, modulus[: p.word])
            m.d.sync += modulus.eq(Cat(modulus[p.word :], word))
        with m.If(self.take):
            m.d.sync += b.eq(Cat(b[p.word :], self.word_b))
        with m.If(summed):
            m.d.sync += d.eq(Cat(d[p.word :], adder.total))
        m.d.sync += a.eq(Mux(self.take, Cat(a[p.word :], self.word_a), a[1:]))
        top = p.width + p.exponent
        return modulus[: p.width], b[:top], d[: top + 1], a

    @property
    def _adder(self) -> dict[str, bool]:
        p = self.parameters
        return {"prefix": not p.chip.carry_chains, "registered": p.lookahead == 2}

    def _look_up(
        self, m: Module, words: tuple[Value, Value, Value], a: Signal, ss: Signal, sc: Signal
    ) -> Value:
        """0, B, N^ or D, as the next bits of A and Q choose; 0 when not busy.

        Before the first iterations the row holds other values: there is no quotient then.  The
        upper half of the word is chosen by inverted copies of the two bits, so that each has half
        the load (synthesis would merge equal copies)."""
        if self.parameters.lookahead == 1:
            known, empty = ss[1] ^ sc[1], self.start
            domain = m.d.comb
        else:
            known, empty = ss[2] ^ sc[2] ^ (ss[1] & sc[1]), self.start | self.clear
            domain = m.d.sync
        bit, quotient = Signal(name="a_bit"), Signal(name="quotient")
        no_bit, no_quotient = Signal(name="no_a_bit"), Signal(name="no_quotient")
        adds_b, adds_modulus = a[0] & self.busy, known & self.busy & ~empty
        domain += [bit.eq(adds_b), quotient.eq(adds_modulus)]
        domain += [no_bit.eq(~adds_b), no_quotient.eq(~adds_modulus)]
        size = len(words[2])
        zero, b, modulus, d = (
            Cat(word, Const(0, size - len(word))) for word in (Const(0, 0), *words)
        )
        low, high = (slice(0, size // 2), slice(size // 2, size))
        return Cat(
            select4(quotient, bit, (zero[low], b[low], modulus[low], d[low])),
            select4(no_quotient, no_bit, (d[high], modulus[high], b[high], zero[high])),
        )

    def _result(self, m: Module, ss: Signal, sc: Signal) -> None:
        """Output words of SS + SC, in cycle j after the last iteration from bit (word - 1) * j."""
        p = self.parameters
        read = Signal(p.beats, name="read")
        fetching = Signal(name="fetching")
        m.d.sync += [
            read.eq(Cat(self.leave, read[:-1])),
            fetching.eq(self.leave | (fetching & ~read[-1])),
        ]
        late = p.fetch - 1
        left, right = (
            self._fetch(m, read, drifted(vector, p.word, p.beats), name)
            for vector, name in ((ss, "ss_word"), (sc, "sc_word"))
        )
        first = DelayLine(m, read[0], "read_first", reset=True)
        adder = StreamAdder(
            m, left, right, first(late), drifting=True, name="result_adder", **self._adder
        )
        cycles = late + adder.latency
        m.d.comb += [
            self.result.valid.eq(delay(m, fetching, cycles, "fetching", reset=True)),
            self.result.p.first.eq(first(cycles)),
            self.result.p.last.eq(delay(m, read[-1], cycles, "read_last", reset=True)),
            self.result.p.data.eq(adder.total),
        ]

    def _fetch(self, m: Module, read: Signal, choices: list[Value], name: str) -> Value:
        if self.parameters.fetch == 2:
            return one_hot.choose_registered(m, read, choices, name)
        return one_hot.choose(read, choices)


def drifted(vector: Value, word: int, count: int) -> list[Value]:
    """The words of a vector that shifts down by a bit a cycle, each as in its own cycle."""
    starts = range(0, (word - 1) * count, word - 1)
    return [vector[start : start + word] for start in starts if start < len(vector)]
