"""Montgomery multiplication digit by digit on two word multipliers: the designs that gallin2019
calls MO64, AM32 and AM64.

With s digits of w bits, R = 2^(sw), N' = -1/N mod 2^w, and T = 0 at first, for i = 0 .. s-1:

    U <- T + a_i*B
    q <- U*N' mod 2^w
    T <- (U + q*N) / 2^w

and then T - N if that is not negative, else T.  A digit of the inner loops goes by in a cycle: one
multiplier makes the a_i*b_j, the other the s + 1 products of an iteration that have N' or q.
Bounds, for A, B < R: T < B + N < 2R always, U/R < 2^w + 1, so that T has one bit above its digits;
at the end T < A*B/R + N.  So T < 2N for A*B <= R*N + N - 1 and the result is below N; for others
it is below R.

Cycles, counted from the first digits on the ports; an outer iteration takes P cycles, a product of
words D, `u_register` A (0 or 1):

    i*P + j                  a_i*b_j begins
    i*P + D + A              q begins
    i*P + 2*D + A + j        q*n_j begins
    i*P + 3*D + A + j + 1    t_j is there

The second multiplier is free for the next q if P >= s + D, and t_0 is there for it if
P >= 2*D + 1 + A.  So the result is in its memory after (s-1)*P + 3*D + A + s + 2 cycles, as T and
as T - N; its digits leave in the s cycles behind, when the last borrow is known.  The first digits
of the next product come s*P cycles after these.
Cost: two multipliers of w x w bits, each of ceil(w/17)^2 DSP blocks with their products added in
fabric; memories for A, B, N (twice), T and T - N; two adders of three words, a subtracter.

Sources: gallin2019, II and Table III (MO64, AM32, AM64: digits, DSP blocks, cycles); the algorithm
is M. Morales-Sandoval, A. Diaz-Perez, Scalable GF(p) Montgomery multiplier based on a digit-digit
computation approach, IET Computers and Digital Techniques 2016.  Print has no schedule and no
pipeline: those above are reconstructed.  With D = 1, A = 0 the result of 4 digits is there after 24
cycles (MO64); with D = 4, P = 13 that of 8 after 114 (AM32), with D = 6, P = 17 that of 4 after 76
(AM64), both with A = 1.  The same pipelines do with P = 12 and 14, which is their default.  Print
has 32 DSP blocks (AM64), 33 (MO64) and 9 (AM32); here are 32, 32 and 8: what the one more is for,
print does not tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.arithmetic.words import ceil_div
from modmul.blocks.delay import DelayLine
from modmul.blocks.memory import SimpleDualPort
from modmul.blocks.wide_product import WideProduct
from modmul.design import Cycles, Mode, constant_cycles
from modmul.errors import SpecError
from modmul.forecast import Forecast, Logic, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import titled
from modmul.multipliers.operand_scanning import WordByWord
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.multipliers.signature import core_signature
from modmul.parameters import parameter


@dataclass(frozen=True, kw_only=True)
class Iddmm(WordByWord):
    """Parameters: width, word, stages of a product, cycles of an iteration."""

    name = "iddmm"
    summary = "Montgomery digit by digit, two word multipliers (MO64, AM32, AM64)"
    sources = ("gallin2019",)
    operand_limit = result_limit = Bound(1)

    word: int = parameter(32, "bits of a digit, w", minimum=4, maximum=128)
    stages: int = parameter(
        3, "registers in a product of words, D: up to 3 in the DSP blocks, others behind them",
        minimum=1, maximum=8,
    )  # fmt: skip
    u_register: bool = parameter(False, "a register between U and the multiplier for q")
    iteration: int | None = parameter(
        None, "cycles of an outer iteration, P (default: as few as go)", minimum=2, maximum=1024
    )


    def check(self) -> None:
        if self.iteration is not None and self.iteration < self.least_turn:
            message = f"iteration = {self.iteration}: the pipeline needs {self.least_turn} cycles"
            raise SpecError("iteration", self.iteration, f"at least {self.least_turn}", message)

    # ---- facts --------------------------------------------------------------------------------

    @property
    def beats(self) -> int:
        """s."""
        return ceil_div(self.width, self.word)

    @property
    def least_turn(self) -> int:
        """The fewest cycles of an outer iteration."""
        return max(self.beats + self.stages, 2 * self.stages + 1 + self.u_register)

    @property
    def turn(self) -> int:
        """P."""
        return self.iteration or self.least_turn

    @property
    def tiles(self) -> int:
        """DSP blocks along a side of a product of words."""
        return ceil_div(self.word, min(self.chip.tile))

    @property
    def dsps(self) -> int:
        return 2 * self.tiles**2

    @property
    def added(self) -> int:
        """Cycle in which q*n_0 is added, of the first iteration."""
        return 3 * self.stages + self.u_register

    @property
    def title(self) -> str:
        return titled(
            f"{super().title}-w{self.word}",
            (self.stages != 3, f"d{self.stages}"),
            (self.u_register, "u"),
            (self.iteration is not None, f"p{self.iteration}"),
            target=self.target,
        )

    @property
    def word_bits(self) -> int:
        return self.word

    def operand_range(self, modulus: int) -> OperandRange:
        """All that is below R."""
        top = self.montgomery_factor
        return OperandRange(top, top, largest_product(top, modulus))

    def compute(self, a: int, b: int, modulus: int) -> int:
        t = super().compute(a, b, modulus)
        return t - modulus if t >= modulus else t

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """subtract: with the last digit of T, the register in front of it included."""
        terms = {
            "iterate": (self.beats - 1) * self.turn, "fill": self.added, "digits": self.beats,
            "subtract": 2, "unload": self.beats,
        }  # fmt: skip
        return constant_cycles(terms)

    @property
    def in_memory(self) -> int:
        """Cycles until the result is in its memory: what print counts."""
        return self.latency().maximum - self.beats

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.beats * self.turn)

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"The result is complete after {self.in_memory} cycles, then it is read.",)

    def forecast(self) -> Forecast:
        """Sums of tiles, adders of three words, memories, and delays of U."""
        chip, w, tiles = fabric(self.chip), self.word, self.tiles
        ram, bits = chip.memory(self.beats, w)
        late = max(1, self.turn - 2 * self.stages - 1 - self.u_register)
        behind = 4 * w * max(0, self.stages - 3) * (1 + tiles / 4)  # registers of products
        alone = 6 * w if self.beats == 1 else 0  # a memory of one word is a register
        return chip.forecast(
            Logic(
                lut=2 * (2 * tiles - 2) * 1.75 * w + 18 * w + 6 * ram + 60,
                ff=(2 * self.stages + 5 + late + self.u_register) * w + alone + behind
                + 3 * self.added + self.stages + 20,
                levels=3,
                carry=1.5 * w,
                dsp=self.dsps,
                ram_bits=6 * bits,
            )
        )  # fmt: skip

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """One digit and several, just full or not; every number of stages; printed pipelines."""
        return [
            cls(width=4, word=4, stages=1),
            cls(width=5, word=4, stages=1, u_register=True),
            cls(width=16, word=4, stages=2, target="xc7"),
            cls(width=33, word=8, stages=4, u_register=True, iteration=13, target="ecp5"),
            cls(width=61, word=20, stages=6, target="xc6s"),
            cls(width=40, word=40, stages=8),
        ]

    def create(self) -> wiring.Component:
        return Core(self)


class Core(wiring.Component):
    """{theory}

    Here w = {word}, s = {beats}, D = {stages}, P = {turn}."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "control": {
            "running": "a product is in its iterations, but for its first cycle",
            "loading": "its digits come, but for the first ones",
            "i": "the iteration",
            "j": "the cycle in it: the digit of b",
            "in_flight": "products whose result is not in its memory",
            "reloading": "a modulus comes",
            "begins_*": "cycle 0 of an iteration, so many cycles ago",
            "tops_*": "the cycle of the carry behind the last digit",
            "in_first_*": "of the first iteration",
            "stores_*": "of a digit of the result",
        },
        "U and q": {
            "u_sum": "t_j + a_i*b_j and the carry",
            "u_carry": "",
            "ab_high": "high word of the product before",
            "q_reg": "",
            "n_prime": "N'",
        },
        "T": {
            "t_sum": "u_j + q*n_j and the carry",
            "t_carry": "",
            "qn_high": "high word of the product before",
            "t_top": "the bit above the digits of T",
        },
        "the result": {
            "difference": "a digit of T - N, and the borrow",
            "borrow": "",
            "keep": "T is below N",
            "leaving": "digits of the result leave",
        },
    }
    PORT_NOTES: ClassVar[dict[str, str]] = {
        "modulus_ready": "taken at the next edge; no product is in the core",
        "operand_valid": "the source offers a beat; not together with a modulus, nor before one",
        "result_valid": "a digit is there in this cycle only: no back-pressure",
    }

    def __init__(self, parameters: Iddmm):
        self.parameters = parameters
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.parameters
        self._control(m)
        self._moduli(m)
        t_top = Signal(name="t_top", reset_less=True)
        t_digit = Signal(p.word, name="t_digit")
        late = DelayLine(m, t_digit, "t_digit")
        ab = self._first_product(m)
        u, u_carry = self._u(m, ab, late(p.turn - 2 * p.stages - 1 - p.u_register), t_top)
        qn = self._second_product(m, u)
        u_late = DelayLine(m, u, "u")(2 * p.stages)
        over = DelayLine(m, u_carry[0], "u_over")(2 * p.stages)
        total = self._sum(m, qn, u_late, p.added, "t", "qn")
        m.d.comb += t_digit.eq(total)
        with m.If(self.tops(p.added)):
            m.d.sync += t_top.eq(total[p.word :].any() | over)
        self._result(m, late(1), t_top)
        return m

    def _control(self, m: Module) -> None:
        p = self.parameters
        last = p.beats - 1
        self.running, self.loading = Signal(name="running"), Signal(name="loading")
        self.reloading = Signal(name="reloading")
        self.i = i = Signal(range(p.beats), name="i", reset_less=True)
        self.j = j = Signal(range(p.turn), name="j", reset_less=True)
        self.from_port = Signal(name="from_port")  # digits come from there
        active, begin = Signal(name="active"), Signal(name="begin")
        m.d.comb += [
            self.from_port.eq(~self.running | self.loading),
            self.operand.ready.eq(self.from_port & ~self.reloading),
            begin.eq(self.operand.valid & ~self.running & ~self.reloading),
            active.eq(self.running | begin),
        ]
        m.d.sync += j.eq(j + 1)
        with m.If(j == last):
            m.d.sync += self.loading.eq(0)
        with m.If(j == p.turn - 1):
            m.d.sync += [j.eq(0), i.eq(i + 1)]
            with m.If(i == last):
                m.d.sync += self.running.eq(0)
        with m.If(~self.running):
            m.d.sync += [i.eq(0), j.eq(1), self.running.eq(begin)]
            m.d.sync += self.loading.eq(begin if last else 0)
        digit = Mux(self.running, j, 0)
        self.position = digit
        first = ~self.running | (i == 0)
        ending = (i == last) & self.running if last else Const(1, 1)
        flags = {
            "begins": active & (digit == 0),
            "tops": active & (digit == p.beats),
            "in_first": first,
            "stores": active & ending & (digit != 0) & (digit <= p.beats),
        }
        lines = {}
        for name, flag in flags.items():
            now = Signal(name=name)
            m.d.comb += now.eq(flag)
            lines[name] = DelayLine(m, now, name, reset=True)
        self.begins, self.tops = lines["begins"], lines["tops"]
        self.in_first, self.stores = lines["in_first"], lines["stores"]
        self.begin = begin

    def _store(self, m: Module, name: str, write: tuple[Value, Value, Value], read: Value) -> Value:
        """The word at `read` of a memory with s words.  write: enable, address, data."""
        p = self.parameters
        ram = SimpleDualPort(p.chip, p.word, p.beats, "distributed", 0, f"digits of {name}")
        m.submodules[f"{name}_ram"] = ram
        word = Signal(p.word, name=f"{name}_word")
        m.d.comb += [
            ram.write_enable.eq(write[0]), ram.write_address.eq(write[1]),
            ram.write_data.eq(write[2]), ram.read_address.eq(read), word.eq(ram.read_data),
        ]  # fmt: skip
        return word

    def _moduli(self, m: Module) -> None:
        """N, read at two times, and N'."""
        p = self.parameters
        place = Signal(range(p.beats + 1), name="modulus_digit")
        self.in_flight = Signal(2, name="in_flight")
        taken = Signal(name="modulus_taken")
        self.n_prime = Signal(p.word, name="n_prime", reset_less=True)
        m.d.comb += [
            self.modulus.ready.eq(~self.running & (self.in_flight == 0)),
            taken.eq(self.modulus.valid & self.modulus.ready),
        ]
        with m.If(taken):
            m.d.sync += [
                self.n_prime.eq(self.modulus.p.data),  # the last one stays
                self.reloading.eq(~self.modulus.p.last),
                place.eq(Mux(self.modulus.p.last, 0, place + 1)),
            ]
        write = (taken & (place != p.beats), place, self.modulus.p.data)
        start = 2 * p.stages + p.u_register
        index = Signal(range(max(2, p.turn)), name="n_index", reset_less=True)
        m.d.sync += index.eq(Mux(self.begins(start - 1), 0, index + 1))
        self.n = self._store(m, "n", write, index)
        self.result_index = Signal(range(max(2, p.beats)), name="result_index")
        with m.If(self.stores(p.added + 1)):
            m.d.sync += self.result_index.eq(self.result_index + 1)
        with m.If(self.tops(p.added + 1)):
            m.d.sync += self.result_index.eq(0)
        self.minuend = self._store(m, "n_again", write, self.result_index)

    def _first_product(self, m: Module) -> Value:
        """a_i*b_j, the digits of the first iteration from the ports."""
        p = self.parameters
        taken, operand = self.operand.valid & self.operand.ready, self.operand.p
        a = self._store(m, "a", (taken, self.position, operand.a), self.i)
        b = self._store(m, "b", (taken, self.position, operand.b), self.j)
        left, right = Signal(p.word, name="ab_left"), Signal(p.word, name="ab_right")
        m.d.comb += [
            left.eq(Mux(self.running, a, operand.a)),
            right.eq(Mux(self.from_port, operand.b, b)),
        ]
        return WideProduct(m, p.chip, p.word, p.stages, "ab").place(left, right)

    def _second_product(self, m: Module, u: Value) -> Value:
        """u_0*N', then q*n_j."""
        p = self.parameters
        making, made = p.stages + p.u_register, 2 * p.stages + p.u_register
        product = Signal(2 * p.word, name="qn")
        held = Signal(p.word, name="q_reg", reset_less=True)
        q = Signal(p.word, name="q")
        left, right = Signal(p.word, name="qn_left"), Signal(p.word, name="qn_right")
        m.d.comb += [
            q.eq(Mux(self.begins(made), product, held)),
            left.eq(Mux(self.begins(making), u, q)),
            right.eq(Mux(self.begins(making), self.n_prime, self.n)),
            product.eq(WideProduct(m, p.chip, p.word, p.stages, "qn").place(left, right)),
        ]
        m.d.sync += held.eq(q)
        return product

    def _sum(self, m: Module, product: Value, addend: Value, time: int, name: str,
             of: str) -> Signal:  # fmt: skip
        """Low word of the product, high word of the one before, addend and carry: word and carry.

        time: cycles from the begin of an iteration to its first product here."""
        w = self.parameters.word
        high = Signal(w, name=f"{of}_high", reset_less=True)
        carry = Signal(2, name=f"{name}_carry", reset_less=True)
        total = Signal(w + 2, name=f"{name}_sum")
        goes_on = ~self.begins(time)
        low = Mux(self.tops(time), 0, product[:w])
        m.d.comb += total.eq(low + Mux(goes_on, high, 0) + addend + Mux(goes_on, carry, 0))
        m.d.sync += [high.eq(product[w:]), carry.eq(total[w:])]
        return total

    def _u(self, m: Module, product: Value, t: Value, t_top: Value) -> tuple[Value, Value]:
        """u_j, and the carry out of it."""
        p = self.parameters
        time = p.stages
        t = Mux(self.in_first(time), 0, Mux(self.tops(time), t_top, t))
        total = self._sum(m, product, t, time, "u", "ab")
        whole = DelayLine(m, total, "u_sum")(int(p.u_register))
        return whole[: p.word], whole[p.word :]

    def _result(self, m: Module, t: Value, t_top: Value) -> None:
        """T and T - N into memories, then one of them out."""
        p = self.parameters
        w, time = p.word, p.added + 1
        store, done = self.stores(time), Signal(name="done")
        difference, borrow = Signal(w + 1, name="difference"), Signal(name="borrow")
        keep = Signal(name="keep", reset_less=True)
        leaving, index = Signal(name="leaving"), Signal(range(max(2, p.beats)), name="out_index")
        last = index == p.beats - 1
        m.d.comb += [
            difference.eq((Cat(Const(0, 1), t) - Cat(borrow, self.minuend))[1:]),
            done.eq(store & self.tops(time)),
        ]
        with m.If(store):
            m.d.sync += borrow.eq(difference[-1] & ~done)
        with m.If(done):
            m.d.sync += keep.eq(difference[-1] & ~t_top)
        with m.If(leaving):
            m.d.sync += index.eq(Mux(last, 0, index + 1))
        with m.If(done | last):
            m.d.sync += leaving.eq(done)
        with m.If(self.begin & ~done):
            m.d.sync += self.in_flight.eq(self.in_flight + 1)
        with m.If(done & ~self.begin):
            m.d.sync += self.in_flight.eq(self.in_flight - 1)
        as_it_is = self._store(m, "t", (store, self.result_index, t), index)
        reduced = self._store(m, "t_less_n", (store, self.result_index, difference[:-1]), index)
        m.d.comb += [
            self.result.valid.eq(leaving),
            self.result.p.first.eq(index == 0),
            self.result.p.last.eq(last),
            self.result.p.data.eq(Mux(keep, as_it_is, reduced)),
        ]
