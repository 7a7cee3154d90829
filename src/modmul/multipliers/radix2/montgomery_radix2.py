"""Radix-2 Montgomery multiplication with carry-propagate adders: the baseline of both papers.

S <- (S + a_i*B + q*N) / 2 for the k bits of A, lowest first, q = parity of S + a_i*B; then S - N if
that is not negative.  A, B < N; S < 2N after every step, < 4N inside it; the result is below N and
R = 2^k.  The subtraction is always made, on the adder of a_i*B, and its result kept or not.
Cost: 2 adders of k + 2 bits in series, 4 registers.  Cycles: load, k, subtract (kuang2016's k + 2,
the interval), and one in which the result is on the port: amanor2005's n + 3.
Sources: kuang2016, section II (algorithm MM); amanor2005, Algorithm 2.
"""

from dataclasses import dataclass

from amaranth.hdl import Module, Signal

from modmul.blocks.carry_propagate import add
from modmul.blocks.carry_save import masked
from modmul.blocks.sequencer import PhaseSequencer
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.core import core_of
from modmul.multipliers.radix2.family import BitSerialCore, Reduced
from modmul.operation import Cycles, Mode, constant_cycles


@dataclass(frozen=True, kw_only=True)
class MontgomeryRadix2(Reduced):
    """Parameters: only the width."""

    name = "montgomery-radix2"
    summary = "radix-2 Montgomery, carry-propagate adders, one bit a cycle"
    sources = ("kuang2016", "amanor2005")

    @property
    def montgomery_factor(self) -> int:
        return 1 << self.width

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        return constant_cycles({"load": 1, "loop": self.width, "subtract": 1, "unload": 1})

    def compute(self, a: int, b: int, modulus: int) -> int:
        s = 0
        for i in range(self.width):
            s += b if a >> i & 1 else 0
            s += modulus if s & 1 else 0
            s >>= 1
        s -= modulus if s >= modulus else 0
        return s

    def core_forecast(self) -> Forecast:
        """Two adders with gated operands, four registers of k bits.

        Calibrated from 32 to 256 bits: LUTs within 1 %, flip-flops 1 %, clock 7 %."""
        chip, k = fabric(self.chip), self.width
        return chip.forecast(
            lut=6.05 * k + 20,
            ff=4 * k + k.bit_length() + 5,
            levels=chip.by_lut_inputs(5, 4.5),
            carry=k + 3,
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        return [cls(width=width) for width in (3, 4, 5, 8, 9, 33, 530)]


@core_of(MontgomeryRadix2)
class Core(BitSerialCore):
    """{theory}

    S stays where it is if the borrow of the subtraction says so.

    Operands are taken in every idle cycle, so that `valid` is in no path; the last ones count.

    Here k = {width}."""

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        k, operand = self.parameters.width, self.operand.p
        subtracting = control.active["subtract"]
        modulus = self.modulus_register(m)
        b = Signal(k, name="b_reg", reset_less=True)
        a = Signal(k, name="a_reg", reset_less=True)
        s = Signal(k + 1, name="s_reg", reset_less=True)
        addend = Signal(k + 1, name="addend")
        complement = masked(~modulus, subtracting)
        m.d.comb += [
            addend.eq(masked(b, a[0]) | complement),
            addend[-1].eq(subtracting),
            self.result.p.data.eq(s),
        ]
        # The carry out of S + 2^(k+1) - N says that S is not below N.
        first = add(m, s, addend, "first_sum", carry=subtracting)
        second = add(m, first, masked(modulus, first[0]), "second_sum")
        with m.If(control.active["loop"]):
            m.d.sync += [a.eq(a[1:]), s.eq(second[1:])]
        with m.If(subtracting & first[-1]):
            m.d.sync += s.eq(first)
        with m.If(control.idle):
            m.d.sync += [a.eq(operand.a), b.eq(operand.b), s.eq(0)]
