"""One word product a cycle, integer or carry-less, in pipeline stages."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.carry_save import masked
from modmul.blocks.delay import delay
from modmul.blocks.dual_field import blocks, booth
from modmul.blocks.dual_field.booth import BoothMultiplier
from modmul.blocks.dual_field.carryless import CarrylessMultiplier, plan
from modmul.blocks.dual_field.columns import partial_products
from modmul.blocks.dual_field.pipeline import edges
from modmul.blocks.dual_field.tree import reduce_tree
from modmul.targets import Target


class DualFieldMultiplier(wiring.Component):
    """The word multiplier: p <- a * b of {word} bits, {late} after its operands,
    a new product in every cycle: {kinds}."""

    PORT_NOTES: ClassVar[dict[str, str]] = {
        "binary_field": "0: integers, 1: polynomials over GF(2); stays while products are inside",
        "double": "with a and b: p is twice their product{of_polynomials}",
        "ride": "with a and b: its square, bits with zeros between them, is added to polynomials",
    }

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
        doubles: bool = True,
        cancels: bool = True,
    ):
        """word: bits of a, b and ride; p has twice as many and one more.  stages: 1 or more. prime,
        binary: the fields that it is made for; the port `binary_field` exists if both are
        (`chooses`).  dsp: integer products come from the chip's hard multipliers.  riding, doubles:
        the ports `ride` and `double` exist.  cancels: `double` makes products in GF(2^m) 0.

        The circuit depends on what the chip adds with.  Cells of a library: one tree of full adders
        for both fields (see `tree`).  FPGAs: Booth's rows on carry chains, or hard multipliers,
        beside a tree of XORs for GF(2^m): the common tree takes more look-up tables (measured:
        ECP5, 32 bits, 3218 for 2367), since it leaves the carry chains unused.

        Raises ValueError without a field, for a word below 2 bits or stages below 1, or for dsp on
        a chip that has none."""
        if not (prime or binary):
            raise ValueError("a multiplier for no field: prime, binary or both")
        if word < 2 or stages < 1:
            raise ValueError(f"word = {word}, stages = {stages}: at least 2 and 1")
        if dsp and prime and not blocks.available(chip):
            raise ValueError(f"{chip.name} has no hard multipliers")
        self.chip, self.word, self._stages = chip, word, stages
        self.prime, self.binary, self._dsp = prime, binary, dsp
        self._cancels = cancels
        optional = {"binary_field": 1} if prime and binary else {}
        optional |= ({"double": 1} if doubles else {}) | ({"ride": word} if riding else {})
        inputs = {"a": word, "b": word, **optional}
        super().__init__(
            {name: In(bits) for name, bits in inputs.items()} | {"p": Out(2 * word + 1)}
        )

    @property
    def late(self) -> str:
        """The latency as a text, for the comment above the module."""
        return edges(self._stages)

    @property
    def of_polynomials(self) -> str:
        """What `double` does to polynomials, for a note; empty if there are none."""
        if not self.binary:
            return ""
        return "; 0 for polynomials" if self._cancels else "; not looked at for polynomials"

    @property
    def riding(self) -> bool:
        return "ride" in self.signature.members

    @property
    def doubles(self) -> bool:
        return "double" in self.signature.members

    @property
    def chooses(self) -> bool:
        """Whether the port `binary_field` exists."""
        return self.prime and self.binary

    @property
    def kinds(self) -> str:
        """The kinds of products, for the comment above the module."""
        kinds = ["of integers"] * self.prime
        kinds += ["of polynomials over GF(2), whose sums are XORs"] * self.binary
        return ", or ".join(kinds)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        integer, binary = self._products(m)
        late = self._stages - 1
        prime: Value = Cat(integer, Const(0, 1))
        if self.doubles:
            double = delay(m, self.double, late, "double")
            prime = Mux(double, Cat(Const(0, 1), integer), prime)
            binary = masked(binary, ~double) if self._cancels else binary
        if self.riding:
            ride = delay(m, self.ride, late, "ride")
            binary = binary ^ Cat(*(Cat(bit, Const(0, 1)) for bit in ride))
        product = Signal(len(self.p), name="product", reset_less=True)
        if self.chooses:
            m.d.sync += product.eq(Mux(self.binary_field, binary, prime))
        else:
            m.d.sync += product.eq(prime if self.prime else binary)
        m.d.comb += self.p.eq(product)
        return m

    def _products(self, m: Module) -> tuple[Value, Value]:
        """Return (integer, carry-less) in the last stage; 0 for the product that is not wanted."""
        a, b, chip, stages = self.a, self.b, self.chip, self._stages
        integer: Value = Const(0, 2 * self.word)
        carry_less: Value = Const(0, 2 * self.word - 1)
        if self.prime and not chip.carry_chains:
            columns = [*partial_products(m, a, b, "product"), []]
            return reduce_tree(m, chip, columns, stages, "tree", pure=self.binary)
        limit = 0.0
        if self.prime and self._dsp:
            limit = blocks.slowest_stage(stages)
            integer = blocks.product(m, chip, a, b, stages, "integer_product")
        elif self.prime:
            limit = booth.slowest_stage(self.word, stages)
            m.submodules.integer = booths = BoothMultiplier(self.word, stages)
            m.d.comb += [booths.a.eq(a), booths.b.eq(b)]
            integer = booths.p
        if self.binary:
            stages_of = plan(chip, self.word, stages, limit)
            m.submodules.carryless = xors = CarrylessMultiplier(self.word, stages_of)
            m.d.comb += [xors.a.eq(a), xors.b.eq(b)]
            carry_less = xors.p
        return integer, carry_less
