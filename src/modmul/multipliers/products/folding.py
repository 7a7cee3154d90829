"""The hardware of the radix-4 multiplexer-based array: one band of rows, and what folds it.

Vectors of a chain stand from the lowest column of the current band up: its first row is at column
0 of the window, each row two columns higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.blocks.arrays.adders import finish
from modmul.blocks.arrays.diagonal import Diagonal4
from modmul.blocks.arrays.rows import MuxRow
from modmul.blocks.carry_save import masked
from modmul.blocks.one_hot import any_of, choose
from modmul.blocks.part import wire
from modmul.multipliers.products.family import Array

BLOCK = 4  # bits of a block of the published final adders
PREPARE_BLOCK = 2  # the same of the adder of X + Y


class Chain(NamedTuple):
    """A carry-save chain: sums and carries, of as many bits as there can be."""

    sum: Value
    carry: Value


class FoldedArray(Array):
    """`partitions` clocks of bands, one before them to prepare and one behind them to sum, if the
    parameters say so.  With one partition and neither, it is combinational."""

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
        # 2H bits of each, for this band
        bits = {n: wire(m, self._of_band(value), f"{n}_of_band") for n, value in names.items()}
        nibbles = Diagonal4(self.chip, p.rows).use(m, "diagonal", **bits)
        operands = [self._by_band(m, value, n) for n, value in names.items()]
        selects = [[list(bits[n])[first::2] for n in "xy"] for first in (0, 1)]
        even = self._chain(m, selects[0], operands, "even")
        odd = self._chain(m, selects[1], operands, "odd")
        diagonal = self._kept(m, nibbles["nibbles"], "diagonal_kept")
        return self._sum(m, even, odd, diagonal)

    def _operand_sum(self, m: Module) -> Value:
        p, k = self.parameters, self.width
        s = finish(m, p.adders, self.a, self.b, PREPARE_BLOCK, "operand_sum")[:k]
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
        """The columns of an operand, cut into blocks of 2H: each as rows see it that have all
        columns of a block before they work in it, and as the others see it, one band later."""
        size, count = 2 * self.parameters.rows, len(self.band)
        found = []
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
            found.append((forms[0], forms[1]))
        return found

    def _row_operand(self, blocks: Sequence[tuple[Value, Value]], row: int, columns: int) -> Value:
        """What row `row` of the band sees of an operand: in block q the 2*row lowest columns in
        bands from q on, the others in bands behind it."""
        parts: list[Value] = []
        for now, later in blocks:
            parts += [now[: 2 * row], later[2 * row :]]
        return Cat(*parts)[:columns]

    def _chain(
        self,
        m: Module,
        selects: Sequence[Sequence[Value]],
        operands: Sequence[Sequence[tuple[Value, Value]]],
        name: str,
    ) -> Chain:
        """One chain through the rows of the band; all its columns behind the last band."""
        p = self.parameters
        total, carry = window = self._window(m, name)
        low_sum: list[Value] = []
        low_carry: list[Value] = []
        for t in range(p.rows):
            columns = p.columns(t)
            if columns:
                x, y, s = (self._row_operand(blocks, t, columns) for blocks in operands)
                bit = 2 * t + (name == "odd")  # of the band, whose operand bits choose
                row = MuxRow(self.chip, columns, len(total), len(carry)).use(
                    m, f"row_bit_{bit}", x_r=selects[0][t], y_r=selects[1][t],
                    x=x, y=y, s=s, sum_in=total, carry_in=carry,
                )  # fmt: skip
                total, carry = row["sum"], row["carry"]
            # Two columns are finished; a carry stands one column above the adder that made it.
            low_sum.append(_resized(total, 2))
            low_carry += [Const(0, 1), _resized(carry, 1)]
            total, carry = total[2:], carry[1:]
        self._feed_back(m, window, Chain(total, carry), name)
        return Chain(
            self._whole(m, Cat(low_sum), total, f"{name}_sum"),
            self._whole(m, Cat(low_carry), carry, f"{name}_carry"),
        )

    def _window(self, m: Module, name: str) -> Chain:
        """Registers for what comes back behind a band; nothing where there is one band."""
        rows_before = (len(self.band) - 1) * self.parameters.rows
        sums, carries = max(0, 2 * rows_before - 4), max(0, 2 * rows_before - 7)
        return Chain(
            Signal(sums, name=f"{name}_sum_back"), Signal(carries, name=f"{name}_carry_back")
        )

    def _feed_back(self, m: Module, window: Chain, out: Chain, name: str) -> None:
        """The window is empty whenever a first band begins."""
        if len(self.band) == 1:
            return
        stays = ~self.start if self.parameters.prepares else any_of(self.band[:-1])
        for register, value in zip(window, out, strict=True):
            m.d.sync += register.eq(masked(_resized(value, len(register)), stays))

    def _whole(self, m: Module, low: Value, high: Value, name: str) -> Value:
        """All columns of a vector behind the last band: those finished in each, and the rest."""
        rest = high
        if self.parameters.sums and len(high):
            rest = Signal(len(high), name=f"{name}_rest", reset_less=True)
            m.d.sync += rest.eq(high)
        return Cat(self._kept(m, low, name), rest)

    def _kept(self, m: Module, value: Value, name: str) -> Value:
        """`value` of every band, the first one lowest, behind the last band."""
        size, count = len(value), len(self.band)
        kept = count if self.parameters.sums else count - 1
        register = Signal(size * kept, name=f"{name}_kept", reset_less=True)
        whole = Cat(register, value)
        if kept:
            m.d.sync += register.eq(whole[size:])
        return register if self.parameters.sums else whole

    def _sum(self, m: Module, even: Chain, odd: Chain, diagonal: Value) -> Value:
        """E, O, E + 2*O and the product; carries out of 2k bits are lost."""
        p, size = self.parameters, 2 * self.width

        def add(a: Value, b: Value, name: str) -> Value:
            return finish(m, p.adders, a[:size], b[:size], BLOCK, name)[:size]

        e = add(even.sum, even.carry, "even_total")
        o = add(odd.sum, odd.carry, "odd_total")
        both = add(e, Cat(Const(0, 1), o), "chains_total")
        return add(both, diagonal, "final_adder")


def _resized(value: Value, width: int) -> Value:
    """The low bits of `value`, zeros above it."""
    return Cat(value[:width], Const(0, max(0, width - len(value))))
