"""Ordinary Montgomery multiplication in three passes over one large multiplier.

    pass 0:  P <- X*Y
    pass 1:  t <- (P mod r)*N' mod r, N' = -1/N mod r
    pass 2:  U <- t*N
    then:    R <- (P + U)/r, below 2N; the result is R - N if that is not negative, else R

The low halves of P and U cancel: the carry that they make is 1 unless P mod r is 0, so that one bit
is kept in their place, and R = high(P) + high(U) + (P mod r != 0).  r = 2^k, k the width of the
multiplier: the bits of N, rounded up to what it takes.  The subtraction is always made; its borrow
selects.  Time depends on the parameters alone.

The cycles of a product, L being those of the multiplier for a pass:

    0           operands are taken
    1 to 3L     the three passes
    3L + 1      addition
    3L + 2      subtraction
    3L + 3      the result is on the port

The next operands are taken in the last cycle of the third pass, and their first pass goes on beside
addition and subtraction: a product every 3L cycles.

Source: alkhaleel2006, section III, Algorithm 2 (P mod r is missing there) and Fig. 1.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.blocks.carry_propagate import add, subtract
from modmul.design import Cycles, Mode, constant_cycles
from modmul.errors import SpecError
from modmul.forecast import Forecast, Logic, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.products import PRODUCTS
from modmul.multipliers.products.array_mux4 import ArrayMux4, fold_title
from modmul.multipliers.products.family import FLAT, Array, PlainProduct
from modmul.multipliers.ranges import Bound, OperandRange, largest_product
from modmul.multipliers.signature import core_signature
from modmul.parameters import BOTH, parameter

FOLDED = ArrayMux4.name


@dataclass(frozen=True, kw_only=True)
class ThreePass(Multiplier):
    """Parameters: width, the multiplier, and how it is folded."""

    width: int = parameter(128, "bits of the modulus", minimum=8, maximum=2048)
    product: str = parameter(FOLDED, "the large multiplier", choices=tuple(PRODUCTS))
    partitions: int = parameter(
        1, f"bands of {FOLDED} worked off one after the other", minimum=1, maximum=1024
    )
    prep: bool | None = parameter(
        None, f"X + Y of {FOLDED} in a clock of its own (default: with partitions)", choices=BOTH
    )
    sum_clock: bool | None = parameter(
        None,
        f"final additions of {FOLDED} in a clock of their own (default: with partitions)",
        choices=BOTH,
    )

    name = "three-pass"
    summary = "ordinary Montgomery multiplication, three passes over one large multiplier"
    sources = ("alkhaleel2006",)
    beats = 1
    operand_limit = result_limit = Bound(1)

    def check(self) -> None:
        if self.product == FOLDED:
            self.unit  # noqa: B018  (raises for partitions that cannot be)
            return
        given = {"partitions": self.partitions != 1, "prep": self.prep, "sum-clock": self.sum_clock}
        for key, asked in given.items():
            if asked:
                message = f"{key}: {self.product} is not folded; only {FOLDED} has it"
                raise SpecError(key, getattr(self, key.replace("-", "_")), "absent", message)
        if self.width > FLAT:
            message = (
                f"width = {self.width}: {self.product} is built whole, of at most {FLAT} bits; "
                f"{FOLDED} with partitions takes more"
            )
            raise SpecError("width", self.width, f"at most {FLAT}, or {FOLDED}", message)

    @property
    def unit(self) -> PlainProduct:
        """The large multiplier."""
        kind = PRODUCTS[self.product]
        options: dict[str, Any] = {"width": self.width, "target": self.target}
        if kind.even_operands:
            options["width"] += self.width % 2
        if self.product == FOLDED:
            folding = ("partitions", "prep", "sum_clock")
            options |= {name: getattr(self, name) for name in folding}
        return kind(**options)

    @property
    def possible_partitions(self) -> list[int]:
        """What `partitions` can be, fewest first; nothing where the multiplier is not folded."""
        return self.unit.possible_partitions if isinstance(self.unit, ArrayMux4) else []

    def folded(self, partitions: int) -> Self:
        return dataclasses.replace(self, partitions=partitions)

    @property
    def pairs(self) -> int:
        """Pairs of a multiplexer and an adder that a folded multiplier is built of."""
        return self.unit.pairs if isinstance(self.unit, ArrayMux4) else 0

    @property
    def radix(self) -> int:
        return 1 << self.unit.width

    @property
    def montgomery_factor(self) -> int:
        return 1 << self.unit.width

    @property
    def beat(self) -> int:
        return self.width

    @property
    def modulus_beat(self) -> int:
        return self.unit.width

    @property
    def title(self) -> str:
        """With whatever makes another circuit: the multiplier, rows of library cells."""
        fold = ""
        if isinstance(self.unit, ArrayMux4):
            fold = fold_title(self.partitions, self.unit.prepares, self.unit.sums)
        return f"{super().title}-{self.product}{fold}{self.chip.title_end}"

    def operand_range(self, modulus: int) -> OperandRange:
        """Any operands of the width: R is below X*Y/r + N, and R - N below X*Y/r."""
        top = 1 << self.width
        return OperandRange(top, top, largest_product(self.montgomery_factor, modulus))

    @property
    def theory(self) -> str:
        """Without the first sentence, which `summary` says above it."""
        return super().theory.partition("\n\n")[2]

    def constants(self, modulus: int) -> list[Constant]:
        r = self.montgomery_factor
        return [Constant("modulus", modulus), Constant("N'", -pow(modulus, -1, r) % r)]

    def compute(self, a: int, b: int, modulus: int) -> int:
        k, low = self.unit.width, self.montgomery_factor - 1
        prime = self.constants(modulus)[1].value
        first = self.unit.compute(a, b)
        t = self.unit.compute(first & low, prime) & low
        r = (first >> k) + (self.unit.compute(t, modulus) >> k) + int(first & low != 0)
        return r - modulus if r >= modulus else r

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        terms = {"load": 1, "passes": 3 * self.unit.clocks, "add": 1, "subtract": 1, "unload": 1}
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(3 * self.unit.clocks)

    def forecast(self) -> Forecast:
        """The large multiplier, what is in front of it, addition and subtraction.

        Calibrated from 16 to 512 bits: LUTs within 6 %, flip-flops 4 %, clock 12 %."""
        chip, k, unit = fabric(self.chip), self.width, self.unit.logic()
        return chip.forecast(
            Logic(
                lut=unit.lut + 6.5 * k + 12,
                ff=max(0, unit.ff) + 8 * k + 10,
                levels=unit.levels + 1,
                carry=unit.carry,
                dsp=unit.dsp,
            )
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        folded = [(8, 2), (9, 5), (18, 3)]
        return [
            *(cls(width=8, product=product) for product in PRODUCTS),
            cls(width=8, prep=True),
            *(cls(width=width, partitions=count) for width, count in folded),
            cls(width=10, partitions=5, prep=False, sum_clock=False),
        ]

    def create(self) -> wiring.Component:
        return Core(self)


class Core(wiring.Component):
    """{theory}

    Here r = 2^{array_bits} and L = {array_clocks}. The multiplier's operand registers a_reg, b_reg
    are loaded with X and Y, then at the end of a pass with the low half of P and N', with t and N.
    Where modules of the multiplier have keep_hierarchy, it tells synthesis to map each by itself,
    which takes less time and comes out smaller than the whole flattened.

    What follows is about this multiplier, of X and Y with k = {array_bits} bits.

    {array_theory}"""

    _BEFORE: ClassVar[dict[str, dict[str, str]]] = {
        "control": {
            "in_pass": "one-hot: pass 0, 1, 2",
            "first": "the first clock of a pass{only_clock}",
            "pass_*_ends": "its last clock",
            "between_products": "the operand registers are free",
            "operands_taken": "",
            "busy": "one-hot, behind pass 2: addition, subtraction",
        },
        "modulus: N, then N'": {
            "reloading": "N has come, N' has not",
            "modulus_reg": "N; it comes through the register of N'",
            "modulus_prime_reg": "N' = -1/N mod r; while a modulus is loaded, N first",
        },
        "operands of the multiplier": {
            "a_reg": "X in pass 0, P mod r in pass 1, t in pass 2",
            "b_reg": "Y in pass 0, N' in pass 1, N in pass 2",
        },
    }
    _AFTER: ClassVar[dict[str, dict[str, str]]] = {
        "the end: R = high half of P + high half of U + any_low, less N": {
            "high_of_p": "floor(P/r)",
            "high_of_u": "floor(U/r)",
            "any_low": "P mod r is not 0: then the low halves of P and U add up to r, a carry",
            "total": "R",
            "difference": "R - N; its top bit: R < N",
            "total_next": "R, as it is added up",
            "result_reg": "",
        },
    }
    PORT_NOTES: ClassVar[dict[str, str]] = {
        "modulus_ready": "taken at the next edge; no product is in the core",
        "modulus_data": "beat 1: N; beat 2: N' = -1/N mod 2^{array_bits}",
        "modulus_first": "not used",
        "operand_valid": "the source offers a beat; not before the first modulus, nor together "
        "with the first beat of one",
        "operand_first": "not used",
        "operand_last": "not used",
        "result_valid": "the result is there in this cycle only: no back-pressure",
    }

    def __init__(self, parameters: ThreePass):
        self.parameters = parameters
        super().__init__(core_signature(parameters))

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        """With those on the multiplier, which knows its own."""
        return self._BEFORE | self.parameters.unit.array().notes | self._AFTER

    @property
    def array_clocks(self) -> int:
        """Cycles of a pass."""
        return self.parameters.unit.clocks

    @property
    def array_theory(self) -> str:
        """What the docstring of the multiplier's file says."""
        return self.parameters.unit.theory

    @property
    def array_bits(self) -> int:
        """Bits of the multiplier's operands."""
        return self.parameters.unit.width

    @property
    def only_clock(self) -> str:
        """For the note on `first`."""
        return ", which has one" if self.parameters.unit.clocks == 1 else ""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        array = self.parameters.unit.array()
        array.a = Signal(array.width, name="a_reg", reset_less=True)
        array.b = Signal(array.width, name="b_reg", reset_less=True)
        array.start = first = Signal(name="first")  # the first clock of a pass
        array.place(m)
        in_pass = Signal(3, name="in_pass")  # one-hot; all zero when idle
        ends = [Signal(name=f"pass_{j}_ends") for j in range(3)]
        free = Signal(name="between_products")  # the operand registers are free
        taken = Signal(name="operands_taken")
        busy = Signal(2, name="busy")  # adding, subtracting
        reloading = Signal(name="reloading")  # the first beat of a modulus is there
        m.d.comb += [
            *(ends[j].eq(in_pass[j] & array.done) for j in range(3)),
            free.eq(~in_pass.any() | ends[2]),
            self.operand.ready.eq(free & ~reloading),
            taken.eq(self.operand.valid & self.operand.ready),
            self.modulus.ready.eq(~in_pass.any() & ~busy.any()),
        ]
        m.d.sync += [first.eq(taken | ends[0] | ends[1]), busy.eq(Cat(ends[2], busy[0]))]
        for j, enters in enumerate((taken, *ends[:2])):
            m.d.sync += in_pass[j].eq(enters | in_pass[j] & ~ends[j])
        modulus, prime = self._modulus(m, reloading)
        self._operands(m, array, ends, free, (prime, modulus))
        any_low = Signal(name="any_low", reset_less=True)  # P mod r is not 0
        with m.If(in_pass[1] & first):  # it is the multiplier's operand
            m.d.sync += any_low.eq(array.a.any())
        self._finish(m, self._high_halves(m, array, ends), any_low, modulus, busy[1])
        return m

    def _modulus(self, m: Module, reloading: Signal) -> tuple[Signal, Signal]:
        """The registers of N and N', shifted in."""
        k = self.parameters.modulus_beat
        modulus = Signal(k, name="modulus_reg", reset_less=True)
        prime = Signal(k, name="modulus_prime_reg", reset_less=True)
        with m.If(self.modulus.valid & self.modulus.ready):
            m.d.sync += [modulus.eq(prime), prime.eq(self.modulus.p.data)]
            m.d.sync += reloading.eq(~self.modulus.p.last)
        return modulus, prime

    def _operands(
        self, m: Module, array: Array, ends: list[Signal], free: Signal, second: tuple[Value, Value]
    ) -> None:
        """Registers in front of the multiplier.  second: what is on b in the passes 2 and 3."""
        a, b = array.a, array.b
        with m.If(ends[0] | ends[1]):
            m.d.sync += [a.eq(array.product[: array.width]), b.eq(Mux(ends[0], *second))]
        with m.Elif(free):
            m.d.sync += [a.eq(self.operand.p.a), b.eq(self.operand.p.b)]

    def _high_halves(self, m: Module, array: Array, ends: list[Signal]) -> tuple[Signal, Signal]:
        """Registers of the high halves of P and U."""
        k = array.width
        of_p = Signal(k, name="high_of_p", reset_less=True)
        of_u = Signal(k, name="high_of_u", reset_less=True)
        for register, end in ((of_p, ends[0]), (of_u, ends[2])):
            with m.If(end):
                m.d.sync += register.eq(array.product[k:])
        return of_p, of_u

    def _finish(
        self, m: Module, high: tuple[Signal, Signal], any_low: Signal, modulus: Value, valid: Value
    ) -> None:
        """R = high(P) + high(U) + any_low in one clock, the subtraction in the next.

        valid: in the clock of the subtraction."""
        k, n = len(modulus), self.parameters.width
        total = Signal(k + 1, name="total", reset_less=True)
        result = Signal(n, name="result_reg", reset_less=True)
        done = Signal(name="done")
        difference = subtract(m, total, modulus, "difference")
        m.d.sync += [
            total.eq(add(m, high[0], high[1], "total_next", carry=any_low)),
            result.eq(Mux(difference[-1], total, difference)),
            done.eq(valid),
        ]
        m.d.comb += [
            self.result.valid.eq(done),
            self.result.p.data.eq(result),
            self.result.p.first.eq(1),
            self.result.p.last.eq(1),
        ]
