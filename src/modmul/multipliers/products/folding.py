"""The hardware of the radix-4 multiplexer-based array: one band of rows, and what folds it.

Vectors of a chain stand from the lowest column of the current band up: its first row is at column
0 of the window, each row two columns higher.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.blocks.arrays.adders import finish
from modmul.blocks.arrays.diagonal import Diagonal4
from modmul.blocks.carry_save import masked
from modmul.blocks.one_hot import any_of, choose
from modmul.blocks.part import wire
from modmul.multipliers.products.family import Array
from modmul.multipliers.products.mux_chain import MuxChain, resized

BLOCK = 4  # bits of a block of the published final adders
PREPARE_BLOCK = 2  # bits of a block of the published adder of X + Y


class Chain(NamedTuple):
    """A carry-save chain: the vectors of its sums and of its carries."""

    sum: Value
    carry: Value


class FoldedArray(Array):
    """`partitions` clocks of bands, one before them to prepare and one after them to sum, if the
    parameters say so.  With one partition and neither, the array is combinational."""

    @property
    def notes(self) -> dict[str, dict[str, str]]:
        band = ", of the current band" * (self.parameters.partitions > 1)
        return {
            "the multiplier: X*Y = D + E + 2*O": {
                "band_begins": "the first band of rows is worked off",
                "from_band_*": "this band of rows is worked off, or a later one",
                "band_*": "this band of rows is worked off",
                "operand_adder_sum": "X + Y, with the carry out, which is not read",
                "operand_adder_*_sum": f"up to {PREPARE_BLOCK} bits of X + Y, and the carry out "
                f"of them",
                "operand_sum_reg": "X + Y",
                "operand_adder*": "",
                "[xys]_of_band": "the bits of X, Y or X + Y of this band's rows",
                "[xys]_*_from_*": "columns of X, Y or X + Y, 0 before the band in the name",
                "diagonal_nibbles": f"D{band}",
                "diagonal": "",
                "even_chain_sum": f"E = even_chain_sum + even_chain_carry{band}",
                "even_chain_carry": "",
                "even_chain": "",
                "odd_chain_sum": f"O = odd_chain_sum + odd_chain_carry{band}",
                "odd_chain_carry": "",
                "odd_chain": "",
                "*_back": "what the band before left for the columns of this one, else 0",
                "*_kept": "finished columns of the bands, the latest on top",
                "*_rest": "columns that no further band works on",
                "even_total_a": "E is this plus even_total_b",
                "even_total_b": "",
                "even_total_sum": "E",
                "even_total_*_sum": f"up to {BLOCK} bits of E, and the carry out of them",
                "even_total*": "",
                "odd_total_a": "O is this plus odd_total_b",
                "odd_total_b": "",
                "odd_total_sum": "O",
                "odd_total_*_sum": f"up to {BLOCK} bits of O, and the carry out of them",
                "odd_total*": "",
                "chains_total_sum": "E + 2*O",
                "chains_total_*_sum": f"up to {BLOCK} bits of E + 2*O, and the carry out of them",
                "chains_total*": "",
                "final_adder_b": "D",
                "final_adder_sum": "D + E + 2*O, the product; the bits above it are not read",
                "final_adder_*_sum": f"up to {BLOCK} bits of D + E + 2*O, and the carry out of "
                f"them",
                "final_adder*": "",
            },
        }

    def control(self, m: Module) -> None:
        p = self.parameters
        before = self.start
        if p.prepares:
            before = Signal(name="band_begins")
            m.d.sync += before.eq(self.start)
        self.band: list[Value] = [before]  # one-hot: which band is worked off
        # from_band[q]: in band q or a later one
        self.from_band: list[Value] = [Const(1, 1)]
        for q in range(1, p.partitions):
            now, later = Signal(name=f"band_{q}"), Signal(name=f"from_band_{q}")
            m.d.sync += now.eq(self.band[-1])
            self.band.append(now)
            self.from_band.append(later)
        for q in range(1, p.partitions):
            stays = self.from_band[q] & ~self.band[-1]
            m.d.sync += self.from_band[q].eq(self.band[q - 1] | stays)
        m.d.comb += self.free.eq(self.band[-1])
        if p.sums:
            m.d.sync += self.done.eq(self.band[-1])
        else:
            m.d.comb += self.done.eq(self.band[-1])

    def datapath(self, m: Module) -> Value:
        p = self.parameters
        s = self._operand_sum(m)
        names = dict(zip("xys", (self.a, self.b, s), strict=True))
        # 2H bits of each operand, for this band
        bits = {n: wire(m, self._of_band(value), f"{n}_of_band") for n, value in names.items()}
        nibbles = Diagonal4(self.chip, p.rows).use(m, "diagonal", **bits)
        operands = {n: self._by_band(m, value, n) for n, value in names.items()}
        even, odd = (
            self._chain(m, self._selects(m, bits, name, first), operands, name)
            for first, name in enumerate(("even", "odd"))
        )
        diagonal = self._kept(m, nibbles["nibbles"], "diagonal")
        return self._sum(m, even, odd, diagonal)

    def _operand_sum(self, m: Module) -> Value:
        p, k = self.parameters, self.width
        s = finish(m, p.adders, self.a, self.b, PREPARE_BLOCK, "operand_adder")[:k]
        if not p.prepares:
            return s
        held = Signal(k, name="operand_sum_reg", reset_less=True)
        with m.If(self.start):
            m.d.sync += held.eq(s)
        return held

    def _of_band(self, value: Value) -> Value:
        """The bits of `value` that belong to the rows of the current band."""
        size = 2 * self.parameters.rows
        words = [value[q * size : (q + 1) * size] for q in range(len(self.band))]
        return words[0] if len(words) == 1 else choose(Cat(self.band), words)

    def _by_band(self, m: Module, value: Value, name: str) -> list[tuple[Value, Value]]:
        """An operand in blocks of 2H columns, each block in two forms: for the rows that
        have all columns of the block while they work in it, and for the other rows, one band
        later."""
        size, count = 2 * self.parameters.rows, len(self.band)
        bands = []
        for q in range(count):
            block = value[q * size : (q + 1) * size]
            forms = []
            for first in (q, q + 1):
                form = Signal(len(block), name=f"{name}_{q}_from_{first}")
                if first == 0:
                    m.d.comb += form.eq(block)
                elif first < count:
                    m.d.comb += form.eq(masked(block, self.from_band[first]))
                forms.append(form)
            bands.append((forms[0], forms[1]))
        return bands

    def _selects(self, m: Module, bits: Mapping[str, Value], name: str, first: int) -> list[Value]:
        """The bits of x and y that choose in the rows of a chain."""
        return [wire(m, Cat(list(bits[n])[first::2]), f"{n}_{name}") for n in "xy"]

    def _chain(
        self,
        m: Module,
        selects: Sequence[Value],
        operands: Mapping[str, Sequence[tuple[Value, Value]]],
        name: str,
    ) -> Chain:
        """One chain after all rows of the band, with all its columns after the last band."""
        p = self.parameters
        chain = MuxChain(self.chip, self.width, p.rows, p.partitions)
        window = self._window(m, name)
        inputs = dict(zip(("x_r", "y_r"), selects, strict=True))
        for n, blocks in operands.items():
            now, later = (Cat(block[form] for block in blocks) for form in (0, 1))
            inputs |= {n: now[: len(getattr(chain, n))]}
            inputs |= {f"{n}_later": later[: len(getattr(chain, f"{n}_later"))]}
        back = {"sum_back": window.sum, "carry_back": window.carry}
        out = chain.use(m, f"{name}_chain", **back, **inputs)
        low = 2 * p.rows
        self._feed_back(m, window, Chain(out["sum"][low:], out["carry"][low:]), name)
        return Chain(
            self._whole(m, out["sum"][:low], out["sum"][low:], f"{name}_sum"),
            self._whole(m, out["carry"][:low], out["carry"][low:], f"{name}_carry"),
        )

    def _window(self, m: Module, name: str) -> Chain:
        """The registers for what comes back after a band; without bits if there is one
        band."""
        rows_before = (len(self.band) - 1) * self.parameters.rows
        sums, carries = max(0, 2 * rows_before - 4), max(0, 2 * rows_before - 7)
        return Chain(
            Signal(sums, name=f"{name}_sum_back"), Signal(carries, name=f"{name}_carry_back")
        )

    def _feed_back(self, m: Module, window: Chain, out: Chain, name: str) -> None:
        """Bring the upper columns back; the window is empty whenever a first band begins."""
        if len(self.band) == 1:
            return
        stays = ~self.start if self.parameters.prepares else any_of(self.band[:-1])
        for register, value in zip(window, out, strict=True):
            m.d.sync += register.eq(masked(resized(value, len(register)), stays))

    def _whole(self, m: Module, low: Value, high: Value, name: str) -> Value:
        """All columns of a vector after the last band: those finished in each, and the
        rest."""
        rest = high
        if self.parameters.sums and len(high):
            rest = Signal(len(high), name=f"{name}_rest", reset_less=True)
            m.d.sync += rest.eq(high)
        return Cat(self._kept(m, low, name), rest)

    def _kept(self, m: Module, value: Value, name: str) -> Value:
        """`value` of all bands, the first band lowest, after the last band."""
        size, count = len(value), len(self.band)
        kept = count if self.parameters.sums else count - 1
        register = Signal(size * kept, name=f"{name}_kept", reset_less=True)
        whole = Cat(register, value)
        if kept:
            m.d.sync += register.eq(whole[size:])
        return register if self.parameters.sums else whole

    def _sum(self, m: Module, even: Chain, odd: Chain, diagonal: Value) -> Value:
        """The product by way of E, O and E + 2*O; carries out of 2k bits are lost."""
        p, size = self.parameters, 2 * self.width

        def add(a: Value, b: Value, name: str) -> Value:
            return finish(m, p.adders, a[:size], b[:size], BLOCK, name)[:size]

        e = add(even.sum, even.carry, "even_total")
        o = add(odd.sum, odd.carry, "odd_total")
        both = add(e, Cat(Const(0, 1), o), "chains_total")
        return add(both, diagonal, "final_adder")
