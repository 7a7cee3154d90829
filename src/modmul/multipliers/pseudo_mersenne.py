"""Multiplication for one fixed prime near a power of two, N = 2^k - c: a product in every clock.

2^k = c mod N, so what stands above bit k of a number comes back times c, which is a few additions:

    p = a*b                 < 2^(2k)
    t = p mod 2^k + c*(p div 2^k)       < (c + 1) 2^k
    u = t mod 2^k + c*(t div 2^k)       < 2^k + c^2
    r = u - N if that is not negative, else u

With c^2 + 2c < 2^k, u < 2N and r < N.  Nothing is loaded: N is a parameter of the circuit, R is 1.
c is in non-adjacent form, a sum of powers of two with signs: 2^32 - 1 takes one addition and one
subtraction.
Every line above is a stage between registers; operands may be any numbers of k bits.
Cost: what synthesis makes of one `*` of k bits, two additions of k bits and a subtraction; six
cycles from operands to result, a product begins in every cycle.
Source: ours, after R. E. Crandall, Method and apparatus for public key exchange, US patent 5159632,
1992 (the folding).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.errors import SpecError
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.core import BareCore, core_of
from modmul.multipliers.products.inferred import Inferred
from modmul.multipliers.ranges import Bound, OperandRange
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter

USUAL = 2**61 - 1
MOST = 64  # bits: a wider `*` in one clock would be too slow


@dataclass(frozen=True, kw_only=True)
class PseudoMersenne(Multiplier):
    """Parameters: the modulus (the key `modulus`), from which the width follows."""

    name = "pseudo-mersenne"
    summary = "one fixed prime near a power of two: a product in every clock"
    radix = 2
    montgomery_factor = 1
    modulus_at: ClassVar[Literal["run time", "fixed", "none"]] = "fixed"
    beats = 1
    operand_limit = result_limit = Bound(1)

    width: int = parameter(61, "bits of the modulus", minimum=3, maximum=MOST)
    modulus: int = USUAL

    def check(self) -> None:
        k, c = self.modulus.bit_length(), self.c
        if k != self.width:
            message = f"width = {self.width}: the modulus has {k} bits: leave width out"
            raise SpecError("width", self.width, str(k), message)
        if c * c + 2 * c >= 1 << k or self.modulus % 2 == 0:
            allowed = "2^k - c with c odd and c^2 + 2c < 2^k"
            message = f"modulus = {self.modulus:#x}: must be {allowed} for {self.name}"
            raise SpecError("modulus", hex(self.modulus), allowed, message)

    @property
    def c(self) -> int:
        """c = 2^k - N."""
        return (1 << self.modulus.bit_length()) - self.modulus

    @property
    def fixed_modulus(self) -> int:
        return self.modulus

    @property
    def core_title(self) -> str:
        return f"{self.name}-2e{self.width}-{self.c}{self.chip.title_end}"

    @property
    def beat(self) -> int:
        return self.width

    def operand_range(self, modulus: int) -> OperandRange:
        """Any numbers of k bits; the result is always below N."""
        return OperandRange(1 << self.width, 1 << self.width)

    def constants(self, modulus: int) -> list[Constant]:
        return []

    def compute(self, a: int, b: int, modulus: int) -> int:
        k, value = self.width, a * b
        for _ in range(2):
            value = value % (1 << k) + self.c * (value >> k)
        return value - self.modulus if value >= self.modulus else value

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        terms = {"load": 1, "multiply": 1, "fold": 2, "subtract": 1, "unload": 1}
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(1)

    def core_forecast(self) -> Forecast:
        """One `*`, as `inferred` forecasts it, and the additions.

        Calibrated at 17, 31, 61 and 64 bits, c of one and three terms: LUTs within 10 %, flip-flops
        2 %, clock 14 %."""
        k, chip, terms = self.width, fabric(self.chip), len(non_adjacent(self.c))
        product = Inferred(width=max(4, k), target=self.target).logic()
        rest = 3.4 if chip.ram is None else chip.by_lut_inputs(1.9, 0.4)
        lut = product.lut + k * (chip.by_lut_inputs(2.4, 1.44) * terms + rest)
        ff = product.ff + 7 * k + self.c.bit_length() + 6
        levels, carry = max(product.levels, 2.9), max(product.carry, k)
        return chip.forecast(lut, ff, levels, carry, product.dsp, broadcast=False)

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """All c that 3 to 6 bits allow, for all inputs, the usual modulus, and longer ones,
        one of them with the largest c."""
        small = [cls(width=k, modulus=(1 << k) - c) for k in (3, 4, 5, 6) for c in _small(k)]
        longer = (2**64 - 59, 2**32 - 5, 2**64 - 2**32 + 1)
        return [*small, cls(), *(cls(width=n.bit_length(), modulus=n) for n in longer)]


def non_adjacent(number: int) -> list[tuple[int, int]]:
    """The digits of a positive number that are not zero, 1 and -1, each after its place: the
    fewest, no two of them in neighbouring places."""
    triple = 3 * number
    places = range(1, triple.bit_length())
    signs = [(place - 1, (triple >> place & 1) - (number >> place & 1)) for place in places]
    return [(place, sign) for place, sign in signs if sign]


def _small(k: int) -> Iterator[int]:
    return (c for c in range(1, 1 << k, 2) if c * c + 2 * c < 1 << k)


@core_of(PseudoMersenne)
class Core(BareCore):
    """{theory}

    Here k = {width}. The registers between the stages are a_reg and b_reg, product, folded,
    folded_twice and result_reg; for each stage, a bit of `filled` says whether it has a product."""

    parameters: PseudoMersenne

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "the stages, one a clock": {
            "product": "p = a*b",
            "folded": "t: its upper half came back times c",
            "folded_twice": "u: and what that left above bit k",
            "less": "u - N; negative where the uppermost bit is 1",
            "result_reg": "r, below N",
        },
        "handshake": {"filled": "stage by stage, the first in bit 0: it holds a product"},
    }

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.parameters
        k, stages = p.width, 5
        filled = Signal(stages, name="filled")
        a, b = (Signal(k, name=f"{name}_reg", reset_less=True) for name in "ab")
        product = Signal(2 * k, reset_less=True)
        folded = Signal(k + p.c.bit_length() + 1, reset_less=True)
        folded_twice = Signal(k + 1, reset_less=True)
        less = Signal(k + 2)
        result = Signal(k, name="result_reg", reset_less=True)
        m.d.sync += [
            filled.eq((filled << 1) | self.operand.valid),
            a.eq(self.operand.p.a),
            b.eq(self.operand.p.b),
            product.eq(a * b),
            folded.eq(self._folded(product, len(folded))),
            folded_twice.eq(self._folded(folded, len(folded_twice))),
            result.eq(Mux(less[-1], folded_twice, less)),
        ]
        m.d.comb += [
            less.eq(folded_twice - Const(p.modulus, k)),
            self.operand.ready.eq(1),
            self.result.valid.eq(filled[-1]),
            self.result.p.first.eq(1),
            self.result.p.last.eq(1),
            self.result.p.data.eq(result),
        ]
        return m

    def _folded(self, value: Signal, bits: int) -> Value:
        """Value mod 2^k + c*(value div 2^k), in so many bits; so differences may be negative
        on the way."""
        k, high = self.parameters.width, value[self.parameters.width :]
        total: Value = Cat(value[:k], Const(0, bits - k))
        for place, digit in non_adjacent(self.parameters.c):
            term = high << place
            total = (total + term if digit > 0 else total - term)[:bits]
        return total
