"""The circuit of `three-pass`: registers around the large multiplier, addition and subtraction."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from modmul.blocks.carry_propagate import add, subtract
from modmul.multipliers.core import BareCore
from modmul.multipliers.products.family import Array
from modmul.multipliers.three_pass.parameters import ThreePassParameters


class Core(BareCore):
    """{theory}

    Here r = 2^{array_bits} and L = {array_clocks}. The multiplier's operand registers a_reg and
    b_reg are loaded with X and Y, then, at the end of a pass, with the low half of P and N', and at
    last with t and N. If modules of the multiplier have the attribute keep_hierarchy, synthesis
    maps each of them by itself, which takes less time and comes out smaller than to flatten the
    whole.

    What follows is about this multiplier, of X and Y with k = {array_bits} bits.

    {array_theory}"""

    parameters: ThreePassParameters

    _BEFORE: ClassVar[dict[str, dict[str, str]]] = {
        "control": {
            "in_pass": "one-hot: pass 0, 1, 2",
            "first": "the first clock of a pass{only_clock}",
            "pass_*_ends": "its last clock",
            "between_products": "the operand registers are free",
            "operands_taken": "pass 0 begins in the next clock",
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
        "the end: V = high half of P + high half of U + any_low, less N": {
            "high_of_p": "floor(P/r)",
            "high_of_u": "floor(U/r)",
            "any_low": "P mod r is not 0: then the low halves of P and U add up to r, a carry",
            "total": "V",
            "difference": "V - N; its top bit: V < N",
            "total_next": "V, as it is added up",
            "result_reg": "V - N, or V if that is negative",
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

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        return self._BEFORE | self.parameters.unit.array().notes | self._AFTER

    @property
    def array_clocks(self) -> int:
        return self.parameters.unit.clocks

    @property
    def array_theory(self) -> str:
        """The docstring of the multiplier's file."""
        return self.parameters.unit.theory

    @property
    def array_bits(self) -> int:
        return self.parameters.unit.width

    @property
    def only_clock(self) -> str:
        """What the note on `first` adds for a multiplier of one clock."""
        return ", which has only one" if self.parameters.unit.clocks == 1 else ""

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
        with m.If(in_pass[1] & first):  # P mod r is the multiplier's operand
            m.d.sync += any_low.eq(array.a.any())
        self._finish(m, self._high_halves(m, array, ends), any_low, modulus, busy[1])
        return m

    def _modulus(self, m: Module, reloading: Signal) -> tuple[Signal, Signal]:
        """The registers of N and N', which are shifted in."""
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
        """Load the registers in front of the multiplier.  second: the values of b in the later
        passes."""
        a, b = array.a, array.b
        with m.If(ends[0] | ends[1]):
            m.d.sync += [a.eq(array.product[: array.width]), b.eq(Mux(ends[0], *second))]
        with m.Elif(free):
            m.d.sync += [a.eq(self.operand.p.a), b.eq(self.operand.p.b)]

    def _high_halves(self, m: Module, array: Array, ends: list[Signal]) -> tuple[Signal, Signal]:
        """The registers of the high halves of P and U."""
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
        """Make R = high(P) + high(U) + any_low in one clock, and subtract N in the next.

        valid: high in the clock of the subtraction."""
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
