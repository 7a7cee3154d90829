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

from dataclasses import dataclass

from modmul.arithmetic.words import from_words
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.orup.core import Core
from modmul.multipliers.orup.parameters import OrupParameters
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.operation import Cycles, Mode, constant_cycles


@dataclass(frozen=True, kw_only=True)
class Orup(OrupParameters):
    """What the array computes, and the cycles that it takes."""

    name = "orup"
    summary = "high-radix Montgomery on an array of DSP blocks, quotients used later (MA16)"
    sources = ("gallin2019",)
    core = Core

    @property
    def radix(self) -> int:
        return 1 << self.word

    @property
    def montgomery_factor(self) -> int:
        return 1 << self.word * self.digits

    @property
    def beat(self) -> int:
        """The bits of F - 1."""
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
        """m' for that modulus."""
        return -pow(modulus, -1, 1 << self.exponent) % (1 << self.exponent)

    def operand_range(self, modulus: int) -> OperandRange:
        """Any operand that fits a beat: then V < A*B/R + M, which fits a beat, too."""
        most = largest_product(
            self.montgomery_factor, modulus, below=2 << self.exponent, added=self.multiple(modulus)
        )
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
            "load": 1,
            "multiply": self.fill - 1,
            "iterate": self.iterations,
            "settle": self.settled,
            "add": self.additions,
            "unload": 1,
        }
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

    def core_forecast(self) -> Forecast:
        """For each word two rows of full adders and an adder, its operand digit and result; for
        words of M^ also the addition of two products.

        Calibrated from 64 to 256 bits: LUTs within 2 %, flip-flops 17 %, clock 2 %."""
        chip, k = fabric(self.chip), self.word
        words, size = self.digits + 1, self.word * self.digits
        pairs = self.modulus_words * k
        sums = 0 if self.cascaded else 2.06 * pairs
        return chip.forecast(
            lut=chip.by_lut_inputs(2.9, 3.15) * pairs
            + sums
            + chip.by_lut_inputs(3.54, 2.13) * k * words
            + 60,
            ff=(k + 2) * words + 2 * size + sums + 40,
            levels=chip.by_lut_inputs(3.1, 4),
            carry=k + 2,
            dsp=self.dsps,
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
