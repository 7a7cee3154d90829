"""A product of two words on several hard multipliers, their products added in fabric."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.arithmetic.words import ceil_div
from modmul.blocks.delay import delay
from modmul.targets.description import Target
from modmul.targets.primitives import MacConfig


class WideProduct:
    """The product of two words, unsigned, in every cycle, `stages` (1 or more) cycles later.

    Words are cut into pieces for the chip's multipliers.  Products of pieces that do not overlap
    are put side by side in rows, and the rows are added in pairs.  Up to three stages are registers
    of the multipliers; the others are behind the additions, the last ones first.  name: of the
    product."""

    def __init__(self, m: Module, chip: Target, word: int, stages: int, name: str):
        self.m, self.chip, self.word, self.name = m, chip, word, name
        self.size = min(chip.tile)
        self.registers = min(3, stages)
        self.behind = stages - self.registers

    @property
    def pieces(self) -> int:
        """The number of pieces of a word."""
        return ceil_div(self.word, self.size)

    def place(self, left: Value, right: Value) -> Value:
        """Add the logic to the module and return the product of 2 * word bits."""
        rows = [Cat(row) for row in self._rows(left, right)]
        levels = (len(rows) - 1).bit_length()
        spare = max(0, self.behind - levels)
        for level in range(levels):
            registered = levels - level <= self.behind
            rows = [
                self._add(rows[k : k + 2], f"{self.name}_sum_{level}_{k // 2}", registered)
                for k in range(0, len(rows), 2)
            ]
        whole = rows[0][: 2 * self.word]
        return delay(self.m, whole, spare, self.name)

    def _add(self, pair: list[Value], name: str, registered: bool) -> Value:
        if len(pair) == 1:
            return delay(self.m, pair[0], int(registered), name)
        total = Signal(min(2 * self.word, max(map(len, pair)) + 1), name=name, reset_less=True)
        self.m.d["sync" if registered else "comb"] += total.eq(pair[0] + pair[1])
        return total

    def _rows(self, left: Value, right: Value) -> list[list[Value]]:
        """Rows of products of pieces that do not overlap, with zeros between them."""
        rows: list[list[Value]] = []
        ends: list[int] = []
        places = [(h, g) for h in range(self.pieces) for g in range(self.pieces)]
        for h, g in sorted(places, key=lambda place: (sum(place), place)):
            start = self.size * (h + g)
            product = self._multiply(self._piece(left, h), self._piece(right, g), f"{h}_{g}")
            row = next((k for k, end in enumerate(ends) if end <= start), len(rows))
            if row == len(rows):
                rows.append([])
                ends.append(0)
            rows[row] += [Const(0, start - ends[row]), product]
            ends[row] = start + len(product)
        return rows

    def _piece(self, value: Value, place: int) -> Value:
        return value[place * self.size : min(self.word, (place + 1) * self.size)]

    def _multiply(self, a: Value, b: Value, place: str) -> Value:
        """A product by its own block; synthesis alone would make narrow ones of LUTs."""
        name, chip = f"{self.name}_{place}", self.chip
        if chip.mac_block is None or chip.multiplier_block is not None:
            return chip.multiplier(self.registers, name).place(self.m, a, b)
        product = Signal(len(a) + len(b), name=name)
        config = MacConfig(len(a), len(b), len(product), registers=self.registers, last=True)
        self.m.submodules[f"{name}_block"] = block = chip.mac(config)
        self.m.d.comb += [block.a.eq(a), block.b.eq(b), product.eq(block.p)]
        return product


def product_notes(name: str, left: str, right: str) -> dict[str, str]:
    """Notes on the signals of a `WideProduct` of that name.  left, right: its factors."""
    return {
        f"{name}_left": left,
        f"{name}_right": right,
        f"{name}_*_a_reg": f"a piece of {left}, as wide as a hard multiplier takes",
        f"{name}_*_b_reg": f"a piece of {right}, likewise",
        f"{name}_*_product": "",
        f"{name}_*_[mp]_reg": "their product, behind registers of the multiplier",
        f"{name}_*_block": "",
        f"{name}_sum_*": "products of pieces, added at their weights",
        f"{name}_[0-9]*": "the product of two pieces",
        f"{name}_d[0-9]*": "the whole product, so many cycles later",
    }
