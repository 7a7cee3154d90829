"""One word product a cycle, integer or carry-less, in pipeline stages."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.carry_save import masked
from modmul.blocks.delay import delay
from modmul.blocks.dual_field import blocks, booth, carryless
from modmul.blocks.dual_field.columns import partial_products
from modmul.blocks.dual_field.tree import reduce_tree
from modmul.targets import Target


class DualFieldMultiplier:
    """p <- a * b in GF(p) or GF(2^m), `stages` (1 or more) cycles after its operands.

    Signals: a, b (`word` bits, from registers of the caller); field (1 bit, 0: integers, 1:
    polynomials over GF(2); must not change while products are inside); double (1 bit, with a and
    b): 2 * a * b, which is 0 in GF(2^m); ride (`word` bits, with a and b, only if `riding`): in
    GF(2^m) its carry-less square is added to p; p (2 * word + 1 bits): a register.
    prime, binary: the fields that it is made for; `field` has no effect where there is only one.
    dsp: integer products from the chip's hard multipliers.
    `place` puts the logic into a module of the caller's.  What it computes: `dual_field_product`.

    How, depends on what the chip adds with.  Cells of a library: one tree of full adders for both
    fields (see `tree`).  FPGAs: Booth's rows on their carry chains, or hard multipliers, beside a
    tree of XORs for GF(2^m): the common tree is larger in look-up tables (measured: ECP5, 32 bits,
    3218 for 2367), since it leaves the carry chains unused.

    ValueError without a field, for a word below 2 bits, or if dsp and the chip has none."""

    def __init__(
        self,
        chip: Target,
        word: int,
        stages: int,
        *,
        prime: bool = True,
        binary: bool = True,
        dsp: bool = False,
        riding: bool = False,
        name: str = "multiplier",
    ):
        if not (prime or binary):
            raise ValueError("a multiplier for no field: prime, binary or both")
        if word < 2 or stages < 1:
            raise ValueError(f"word = {word}, stages = {stages}: at least 2 and 1")
        if dsp and prime and not blocks.available(chip):
            raise ValueError(f"{chip.name} has no hard multipliers")
        self.chip, self.word, self.stages, self.name = chip, word, stages, name
        self.prime, self.binary, self.dsp, self.riding = prime, binary, dsp, riding
        self.a, self.b = Signal(word, name=f"{name}_a"), Signal(word, name=f"{name}_b")
        self.field, self.double = Signal(name=f"{name}_field"), Signal(name=f"{name}_double")
        self.ride = Signal(word if riding else 0, name=f"{name}_ride")
        self.p = Signal(2 * word + 1, name=f"{name}_p", reset_less=True)

    def place(self, m: Module) -> None:
        """Add the logic to `m`."""
        integer, carry_less = self._products(m)
        late = self.stages - 1
        double = delay(m, self.double, late, f"{self.name}_double")
        prime = Mux(double, Cat(Const(0, 1), integer), Cat(integer, Const(0, 1)))
        binary: Value = masked(carry_less, ~double)
        if self.riding:
            ride = delay(m, self.ride, late, f"{self.name}_ride")
            binary ^= Cat(*(Cat(bit, Const(0, 1)) for bit in ride))
        if self.prime and self.binary:
            m.d.sync += self.p.eq(Mux(self.field, binary, prime))
        else:
            m.d.sync += self.p.eq(prime if self.prime else binary)

    def _products(self, m: Module) -> tuple[Value, Value]:
        """(integer, carry-less) in the last stage; 0 for what is not wanted."""
        integer: Value = Const(0, 2 * self.word)
        carry_less: Value = Const(0, 2 * self.word - 1)
        if self.prime and self.chip.kind == "cells":
            columns = [*partial_products(m, self.a, self.b, self.name), []]
            return reduce_tree(m, self.chip, columns, self.stages, self.name, pure=self.binary)
        limit = 0.0
        if self.prime:
            name = f"{self.name}_integer"
            limit = booth.slowest_stage(self.word, self.stages)
            if self.dsp:
                limit = blocks.slowest_stage(self.stages)
                integer = blocks.product(m, self.chip, self.a, self.b, self.stages, name)
            else:
                integer = booth.product(m, self.a, self.b, self.stages, name)
        if self.binary:
            name = f"{self.name}_carryless"
            carry_less = carryless.product(m, self.chip, self.a, self.b, self.stages, name, limit)
        return integer, carry_less
