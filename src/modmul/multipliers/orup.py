"""High-radix Montgomery multiplication whose quotients may come late, on an array with one-way
carries: the design that gallin2019 calls MA16.

With M = m'*N, m' = -1/N mod 2^(k(d+1)), so that M = -1 mod 2^(k(d+1)), and M^ = (M + 1)/2^(k(d+1)),
at most N; n digits of k bits, R = 2^(kn), and S = 0 at first:

    for i = 0 .. n+d:   q_i = S mod 2^k;   S <- floor(S/2^k) + q_(i-d)*M^ + b_i*A
    V = 2^(kd)*S + q_(n+1) + q_(n+2)*2^k + ... + q_(n+d)*2^(k(d-1))

with b_i = 0 from i = n on, and q_i = 0 before i = 0.  A quotient digit is a digit of S, without a
product, and is needed d iterations later, which the registers of a DSP block fill.  Summed up,
V = (A*B + Q*M)/R exactly, Q < R made of q_1 .. q_n: so V < A*B/R + M.  With F = 2^(k(d+1)+1)*N,
which is at most R/2, A, B < F gives V < F, and results can be operands; M < F/2.  The price of late
quotients are d + 1 digits more than N has, and results that are only below F.

S is kept as words t_j of k bits with carries c_j to the word above, which is where S/2^k moves what
c_j belongs to: t_j + 2^k*c_j <- t_(j+1) + c_j + low(P_j) + high(P_(j-1)), P_j = q*M^_j + b*A_j.
P_j < 2^(2k+1) - 2^(k+2) + 3, so that the sum of the four is below 2^(k+2): c_j is at most 3, no
carry goes further than one word in an iteration, and t_0 is the quotient digit.  Word n has the
high part of P_(n-1) alone.

After the iterations the array goes on for some cycles (`settle`) without products: each gives a
digit of V and leaves carries of at most 1; then a short adder adds them, some words in a cycle.

Cycles, with f = 3 registers on the way of b (4 with `operand_registers` 3):

    0                       operands are taken
    f to f+n+d              iterations
    f+n+d+1 ...             settle, then ceil((n - d - settle)/adder_words) for the carries
    behind that             the result is on the port

The next operands are taken n + d + 1 + settle cycles after these.
Cost: a DSP block for each word of N and each of A, 2*(width/16 + 2) + 1 with words of 16 bits and
d = 3; k full adders in two rows for each word.

Sources: gallin2019, II and Table III (MA16: its DSP blocks, latency, interval); the algorithm is
H. Orup, Simplifying quotient determination in high-radix modular multiplication, ARITH 1995; the
array Y. Ma, Z. Liu, W. Pan, J. Jing, A high-speed elliptic curve cryptographic processor for
generic curves over GF(p), SAC 2013.  Print tells word, DSP blocks, latency and interval.  That d is
3, what is on which block, the settling and the adder of 48 bits are reconstructed: with them all
four figures come out at 128 and at 256 bits.  The other intervals are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.arithmetic.words import ceil_div, from_words
from modmul.blocks.delay import DelayLine, delay
from modmul.design import Cycles, Mode, constant_cycles
from modmul.errors import SpecError
from modmul.forecast import Forecast, Logic, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.facts import titled
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.multipliers.signature import core_signature
from modmul.parameters import parameter
from modmul.targets.primitives import Link, MacConfig

SETTLE = 3  # as printed: the interval is three cycles longer than the iterations


@dataclass(frozen=True, kw_only=True)
class Orup(Multiplier):
    """Parameters: width, word, how late quotients are, what comes behind the iterations."""

    name = "orup"
    summary = "high-radix Montgomery, quotients used late, an array of DSP blocks (MA16)"
    sources = ("gallin2019",)

    width: int = parameter(128, "bits of the modulus", minimum=2, maximum=4096)
    word: int = parameter(16, "bits of a word, k", minimum=4, maximum=18)
    delay: int = parameter(
        3, "iterations by which a quotient digit is used late, d", minimum=2, maximum=8
    )
    settle: int | None = parameter(
        None,
        "iterations behind the last in which only carries move; 0 gives the shortest interval "
        "(default: 3, as published, fewer where the operand has few words)",
        minimum=0,
        maximum=8,
    )
    operand_registers: int = parameter(
        2, "registers in the DSP blocks of b_i*A; 3 for a faster clock, a cycle later",
        choices=(2, 3),
    )  # fmt: skip
    adder_words: int = parameter(
        3, "words of the result whose carries are added in a cycle", minimum=1, maximum=64
    )

    beats = 1

    def check(self) -> None:
        block = self.chip.hard_multiplier
        if block is not None and self.word > block.narrow:
            message = f"word = {self.word}: the multipliers of {self.target} take {block.narrow}"
            raise SpecError("word", self.word, f"at most {block.narrow}", message)
        if self.delay < self._least_delay:
            allowed = f"at least {self._least_delay}"
            message = f"delay = {self.delay}: must be {allowed} on {self.target}, for its registers"
            raise SpecError("delay", self.delay, allowed, message)
        most = self.digits - self.delay - 1
        if self.settle is not None and self.settle > most:
            message = f"settle = {self.settle}: the result has {self.digits} words, {most} settle"
            raise SpecError("settle", self.settle, f"at most {most}", message)

    # ---- facts --------------------------------------------------------------------------------

    @property
    def cascaded(self) -> bool:
        """Whether q*M^ + b*A is added in DSP blocks; else in fabric."""
        block = self.chip.dsp
        return block is None or block.accumulator is not None

    @property
    def _least_delay(self) -> int:
        return 2 if self.cascaded else 3

    @property
    def quotient_registers(self) -> int:
        """Registers of the DSP blocks of q*M^; further ones of `delay` are in front of them."""
        return min(3, self.delay - (not self.cascaded))

    @property
    def quotient_stages(self) -> int:
        """Registers of the quotient digit in front of the DSP blocks."""
        return self.delay - self.quotient_registers - (not self.cascaded)

    @property
    def fill(self) -> int:
        """Cycles from operands to the first iteration."""
        return self.operand_registers + 1

    @property
    def exponent(self) -> int:
        """Bits of m' at most: k(d+1)."""
        return self.word * (self.delay + 1)

    @property
    def digits(self) -> int:
        """n: so many that F is at most R/2."""
        return ceil_div(self.width + self.exponent + 2, self.word)

    @property
    def modulus_words(self) -> int:
        """Words of M^."""
        return ceil_div(self.width, self.word)

    @property
    def operand_words(self) -> int:
        """Words of A; word n - 1 may have no bit of it."""
        return ceil_div(self.beat, self.word)

    @property
    def dsps(self) -> int:
        """DSP blocks, where a product of words takes one."""
        return self.modulus_words + self.operand_words

    @property
    def settled(self) -> int:
        """`settle`, or what it is by default."""
        return min(SETTLE, self.digits - self.delay - 1) if self.settle is None else self.settle

    @property
    def iterations(self) -> int:
        """All but those that settle."""
        return self.digits + self.delay + 1

    @property
    def upper_words(self) -> int:
        """Words of the result that are in the array when carries have settled."""
        return self.digits - self.delay - self.settled

    @property
    def additions(self) -> int:
        """Cycles of the adder."""
        return ceil_div(self.upper_words, self.adder_words)

    @property
    def title(self) -> str:
        return titled(
            super().title,
            (self.word != 16, f"w{self.word}"),
            (self.delay != 3, f"d{self.delay}"),
            (self.settle is not None, f"s{self.settle}"),
            (self.operand_registers != 2, f"r{self.operand_registers}"),
            (self.adder_words != 3, f"a{self.adder_words}"),
            target=self.target,
        )

    @property
    def radix(self) -> int:
        return 1 << self.word

    @property
    def montgomery_factor(self) -> int:
        return 1 << self.word * self.digits

    @property
    def beat(self) -> int:
        """Bits of F - 1."""
        return self.width + self.exponent + 1

    @property
    def modulus_beat(self) -> int:
        return self.width

    @property
    def operand_limit(self) -> Bound:
        return Bound(2 << self.exponent)

    @property
    def result_limit(self) -> Bound:
        return Bound(2 << self.exponent)

    def multiple(self, modulus: int) -> int:
        """m'."""
        return -pow(modulus, -1, 1 << self.exponent) % (1 << self.exponent)

    def operand_range(self, modulus: int) -> OperandRange:
        """Whatever a beat holds: V < A*B/R + M then, which fits a beat."""
        most = largest_product(
            self.montgomery_factor, modulus,
            below=2 << self.exponent, added=self.multiple(modulus),
        )  # fmt: skip
        return OperandRange(1 << self.beat, 1 << self.beat, most)

    def constants(self, modulus: int) -> list[Constant]:
        return [Constant("modulus_hat", self.multiple(modulus) * modulus + 1 >> self.exponent)]

    def compute(self, a: int, b: int, modulus: int) -> int:
        k, late, mask = self.word, self.delay, (1 << self.word) - 1
        hat, s = self.constants(modulus)[0].value, 0
        quotients = [0] * late
        for i in range(self.iterations):
            quotients.append(s & mask)
            s = (s >> k) + quotients[-1 - late] * hat + (b >> k * i & mask) * a
        return (s << k * late) + from_words(quotients[-late:], k)

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        terms = {
            "load": 1, "multiply": self.fill - 1, "iterate": self.iterations,
            "settle": self.settled, "add": self.additions, "unload": 1,
        }  # fmt: skip
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.iterations + self.settled)

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            f"Loaded as modulus: M^ = (m'*N + 1) / 2^{self.exponent}, where "
            f"m' = -1/N mod 2^{self.exponent}.",
            f"Results are not reduced further than below 2^{self.exponent + 1} * N: multiplying by "
            f"1 leaves the Montgomery domain with a result of at most m'*N.",
        )

    def forecast(self) -> Forecast:
        """Of each word two rows of full adders and an adder, its operand digit and result; of words
        of M^ also what adds two products.

        LUTs and flip-flops fitted to ecp5 at 12, 128 and 256 bits and xc7 at 128 and 256."""
        chip, k = fabric(self.chip), self.word
        words, size = self.digits + 1, self.word * self.digits
        pairs = self.modulus_words * k
        sums = 0 if self.cascaded else 2.06 * pairs
        return chip.forecast(
            Logic(
                lut=chip.pick(2.9, 3.15) * pairs + sums + chip.pick(3.54, 2.13) * k * words + 60,
                ff=(k + 2) * words + 2 * size + sums + 40,
                levels=4,
                carry=k + 2,
                dsp=self.dsps,
            )
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Words that are just full, with a bit more and less; every number of registers."""
        return [
            cls(width=3, word=4),
            cls(width=4, word=4, settle=0),
            cls(width=5, word=4, delay=2, settle=1, operand_registers=3, adder_words=1),
            cls(width=16, word=4, delay=5, target="xc7", settle=0, operand_registers=3),
            cls(width=17, word=4, delay=3, target="ecp5", adder_words=64),
            cls(width=33, delay=6, target="ecp5", settle=0),
            cls(width=31, word=8, target="xc6s"),
        ]

    def create(self) -> wiring.Component:
        return Core(self)


class Core(wiring.Component):
    """{theory}

    Here k = {word}, n = {digits}, d = {delay}."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "control": {
            "ready": "operands can be taken",
            "load": "they are",
            "running": "a product is in the array; count: its iteration",
            "count": "",
            "last": "the last cycle of a product in the array: its words leave",
            "multiplying": "quotient digits go to the multipliers",
            "collecting": "digits of the result leave the array at its low end",
            "adding": "one-hot: carries of some words are added",
        },
        "the array": {
            "b_reg": "digits of b, from the second on",
            "quotient": "q_i, 0 outside of a product",
            "p_*": "P_j: word j of q*M^ and of b_i*A, not more than multiplied",
            "t_*": "t_j, word j of S",
            "c_*": "c_j, from word j to the word above",
            "sum_*": "t_j + 2^k*c_j, as it will be",
        },
        "the result": {
            "low_digits": "the lowest digits of V",
            "upper": "the others, which go round by the adder",
            "upper_carries": "carries into them",
            "total": "words with their carries",
        },
    }
    PORT_NOTES: ClassVar[dict[str, str]] = {
        "modulus_ready": "taken at the next edge; no product in the core needs the old one",
        "modulus_data": "M^ = (m'*N + 1) / 2^{exponent}, m' = -1/N mod 2^{exponent}",
        "operand_valid": "the source offers a beat; not together with a modulus, nor before one",
        "result_valid": "the result is there in this cycle only: no back-pressure",
    }

    def __init__(self, parameters: Orup):
        self.parameters = parameters
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.parameters
        self._control(m)
        quotient = Signal(p.word, name="quotient")
        words = [Signal(p.word, name=f"t_{j}") for j in range(p.digits + 1)]
        sums = self._array(m, words, self._products(m, self._digit(m), quotient))
        m.d.comb += quotient.eq(Mux(self.multiplying, words[0], 0))
        self._result(m, words[0], sums)
        return m

    def _control(self, m: Module) -> None:
        """A product is counted from its first iteration on."""
        p = self.parameters
        self.ready = ready = Signal(init=1, name="ready")
        load = Signal(name="load")
        running, last = Signal(name="running"), Signal(name="last")
        count = Signal(range(p.iterations + p.settled), name="count")
        self.multiplying, self.collecting = Signal(name="multiplying"), Signal(name="collecting")
        self.last = last
        start = delay(m, load, p.fill - 1, "load", reset=True)
        m.d.comb += [
            load.eq(self.operand.valid & ready),
            self.operand.ready.eq(ready),
            last.eq(running & (count == p.interval().maximum - 1)),
        ]
        # A modulus is taken when the last quotient digit has been multiplied.
        needed = p.fill + p.digits + p.quotient_stages + 1
        opens = DelayLine(m, ready, "ready", reset=True)
        every = [opens(j) for j in range(max(0, needed - p.interval().maximum) + 1)]
        m.d.comb += self.modulus.ready.eq(Cat(every).all())
        m.d.sync += count.eq(count + 1)
        with m.If(load):
            m.d.sync += ready.eq(0)
        with m.If(running & (count == p.interval().maximum - 1 - p.fill)):
            m.d.sync += ready.eq(1)
        with m.If(running & (count == p.digits)):
            m.d.sync += [self.multiplying.eq(0), self.collecting.eq(1)]
        with m.If(last):
            m.d.sync += [running.eq(0), self.collecting.eq(0)]
        with m.If(start):
            m.d.sync += [running.eq(1), count.eq(0), self.multiplying.eq(1)]
        self.clear = ~running | last

    def _digit(self, m: Module) -> Value:
        """Digits of b, the first from the port."""
        p = self.parameters
        rest = Signal(p.beat - p.word, name="b_reg", reset_less=True)
        digit = Signal(p.word, name="digit")
        m.d.comb += digit.eq(Mux(self.ready, self.operand.p.b, rest))
        m.d.sync += rest.eq(Mux(self.ready, self.operand.p.b[p.word :], rest[p.word :]))
        return digit

    def _products(self, m: Module, digit: Value, quotient: Value) -> list[Value]:
        """P_j.  M^ and A stay in the blocks, where b_i and q_i come by."""
        p = self.parameters
        k = p.word
        loads = self.modulus.valid & self.modulus.ready
        quotient = delay(m, quotient, p.quotient_stages, "quotient")
        # Blocks without a second one have three registers.
        late = delay(m, digit, p.fill - 3, "digit")
        found: list[Value] = []
        for j in range(p.operand_words):
            a = self.operand.p.a[j * k : (j + 1) * k]
            hat = self.modulus.p.data[j * k : (j + 1) * k]
            if not len(hat):
                found.append(self._alone(m, j, a, late))
                continue
            pair = self._cascade if p.cascaded else self._pair
            found.append(pair(m, j, (a, digit), (hat, quotient, loads)))
        return found

    def _alone(self, m: Module, j: int, a: Value, digit: Value) -> Value:
        """A word above those of M^."""
        chip = self.parameters.chip
        if not self.parameters.cascaded:
            return chip.multiplier(3, f"p_{j}").place(m, a, digit, self.ready)
        total = Signal(len(a) + len(digit), name=f"p_{j}")
        block = chip.mac(MacConfig(len(a), len(digit), len(total), hold=True, last=True))
        m.submodules[f"ba_{j}"] = block
        m.d.comb += [block.a.eq(a), block.b.eq(digit), block.a_enable.eq(self.ready)]
        m.d.comb += total.eq(block.p)
        return total

    def _pair(
        self, m: Module, j: int, of_a: tuple[Value, Value], of_hat: tuple[Value, Value, Value]
    ) -> Value:
        """Two multipliers, and their sum in fabric."""
        p, (a, digit), (hat, quotient, loads) = self.parameters, of_a, of_hat
        left = p.chip.multiplier(p.operand_registers, f"ba_{j}").place(m, a, digit, self.ready)
        block = p.chip.multiplier(p.quotient_registers, f"qm_{j}")
        right = block.place(m, hat, quotient, loads)
        total = Signal(max(len(left), len(right)) + 1, name=f"p_{j}", reset_less=True)
        m.d.sync += total.eq(left + right)
        return total

    def _cascade(
        self, m: Module, j: int, of_a: tuple[Value, Value], of_hat: tuple[Value, Value, Value]
    ) -> Value:
        """Two slices, the second of which adds the first one's sum."""
        p, (a, digit), (hat, quotient, loads) = self.parameters, of_a, of_hat
        first = p.chip.mac(
            MacConfig(len(a), len(digit), len(a) + len(digit), registers=p.operand_registers,
                      hold=True)
        )  # fmt: skip
        second = p.chip.mac(
            MacConfig(
                len(hat), len(quotient), 2 * p.word + 1,
                steps=(Link("neighbour", 0, p.chip.link_delay(0)),),
                registers=p.quotient_registers, hold=True,
                neighbour_width=len(first.p), last=True,
            )
        )  # fmt: skip
        m.submodules[f"ba_{j}"], m.submodules[f"qm_{j}"] = first, second
        total = Signal(2 * p.word + 1, name=f"p_{j}")
        m.d.comb += [
            first.a.eq(a), first.b.eq(digit), first.a_enable.eq(self.ready),
            second.a.eq(hat), second.b.eq(quotient), second.a_enable.eq(loads),
            second.neighbour.eq(first.p), second.link_in.eq(first.link_out),
            total.eq(second.p),
        ]  # fmt: skip
        return total

    def _array(self, m: Module, words: Sequence[Signal], products: list[Value]) -> list[Value]:
        """S <- floor(S/2^k) + the products; the sums, as they will be."""
        k, sums = self.parameters.word, list[Value]()
        for j, word in enumerate(words):
            parts: list[Value] = list(words[j + 1 : j + 2])
            parts += [one[:k] for one in products[j : j + 1]]
            parts += [one[k:] for one in products[max(0, j - 1) : j]]
            parts = [one for one in parts if len(one)]
            carry = Signal(self._largest_carry(j).bit_length(), name=f"c_{j}")
            total = Signal(k + len(carry), name=f"sum_{j}")
            m.d.comb += total.eq(sum(parts, start=carry))
            m.d.sync += Cat(word, carry).eq(total)
            with m.If(self.clear):
                m.d.sync += Cat(word, carry).eq(0)
            sums.append(total)
        return sums

    def _largest_carry(self, j: int) -> int:
        """Out of word j, into which come a word of S, the parts of two products, and a carry."""
        p, full = self.parameters, (1 << self.parameters.word) - 1
        most = full * (j < p.digits)
        for place in (j - 1, j):
            tops = [(1 << min(p.word, max(0, bits - place * p.word))) - 1
                    for bits in (p.beat, p.modulus_beat)]  # fmt: skip
            product = full * sum(tops) if place >= 0 else 0
            most += min(product, full) if place == j else product >> p.word
        carry = 0
        while (reached := (most + carry) >> p.word) > carry:
            carry = reached
        return carry

    def _result(self, m: Module, lowest: Signal, sums: list[Value]) -> None:
        """Digits as they leave the array; then carries into the others."""
        p = self.parameters
        k, step = p.word, p.word * p.adder_words
        low = Signal(k * (p.delay + p.settled), name="low_digits", reset_less=True)
        with m.If(self.collecting):
            m.d.sync += low.eq(Cat(low[k:], lowest))
        upper = Signal(step * p.additions, name="upper", reset_less=True)
        carries = Signal(2 * p.adder_words * p.additions, name="upper_carries", reset_less=True)
        waiting = Signal(name="waiting_carry", reset_less=True)
        total = Signal(step + 1, name="total")
        each = [carries[2 * j : 2 * j + 2] for j in range(p.adder_words)]
        spread = Cat(*(Cat(one, Const(0, k - 2)) for one in each))
        m.d.comb += total.eq(upper[:step] + spread + waiting)
        m.d.sync += [
            upper.eq(Cat(upper[step:], total[:-1])),
            carries.eq(carries[2 * p.adder_words :]),
            waiting.eq(total[-1]),
        ]
        kept = sums[: p.upper_words]
        with m.If(self.last):
            into = [Cat(one[k:], Const(0, 2 - (len(one) - k))) for one in kept[:-1]]
            m.d.sync += [
                upper.eq(Cat(one[:k] for one in kept)),
                carries.eq(Cat(Const(0, 2), *into)),
                waiting.eq(0),
            ]
        adding = Signal(p.additions, name="adding")
        done = Signal(name="done")
        m.d.sync += [adding.eq(Cat(self.last, adding[:-1])), done.eq(adding[-1])]
        m.d.comb += [
            self.result.valid.eq(done),
            self.result.p.first.eq(1),
            self.result.p.last.eq(1),
            self.result.p.data.eq(Cat(low, upper)),
        ]
