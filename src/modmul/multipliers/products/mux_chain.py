"""One of the two carry-save chains of the radix-4 multiplexer-based array: a band of its rows."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Value
from amaranth.lib.wiring import In, Out

from modmul.blocks.arrays.rows import MuxRow
from modmul.blocks.part import Part
from modmul.targets import Target


class MuxChain(Part):
    """One of the two carry-save chains of the array: the sum over its rows t = 0 to {last} of 4^t *
    (x_r[t]*Y + y_r[t]*X), as two numbers, `sum` + `carry`. A row takes only the bits of X and Y
    below {below}; where both of its bits are 1 it takes X + Y, without the carries.

    `x`, `y` and `s` are X, Y and X + Y. Row t stands two columns above row t - 1, so the two lowest
    bits of each row's sum are final, and the lowest one of its carry; all others go into the next
    row. {empty}

    {folded}"""

    kept = False
    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "rows": {
            "row_*_sum": "row t: sums, from weight 4^t up; the two lowest are final",
            "row_*_carry": "row t: carries, from weight 2*4^t up; the lowest one is final",
            "row_*": "",
        },
    }

    def __init__(self, chip: Target, width: int, rows: int, partitions: int):
        """width: bits of the operands, even.  rows: H, the rows of the band that is built, which is
        the last of `partitions` bands."""
        self.chip, self.width, self.rows, self.partitions = chip, width, rows, partitions
        self._before = (partitions - 1) * rows  # rows of the bands before it
        self._columns = [min(2 * (self._before + t), width - 2) for t in range(rows)]
        highest = max(self._columns)
        later = width if partitions > 1 else 0
        operands = {name: In(highest) for name in "xys"}
        operands |= {f"{name}_later": In(later and highest) for name in "xys"}
        sums, carries = max(0, 2 * self._before - 4), max(0, 2 * self._before - 7)
        out = self._widths(sums, carries)
        super().__init__(
            {"x_r": In(rows), "y_r": In(rows)}
            | operands
            | {"sum_back": In(sums), "carry_back": In(carries)}
            | {"sum": Out(2 * rows + out[0]), "carry": Out(2 * rows + out[1])}
        )

    def _widths(self, total: int, carry: int) -> tuple[int, int]:
        """The bits of sum and carry above those that are final."""
        for columns in self._columns:
            if columns:
                total, carry = columns, max(total, carry)
            total, carry = max(0, total - 2), max(0, carry - 1)
        return total, carry

    @property
    def module(self) -> str:
        return f"mux_chain_{self.width}" + f"_p{self.partitions}" * (self.partitions > 1)

    @property
    def last(self) -> int:
        return self.rows - 1

    @property
    def below(self) -> str:
        return "bit 2t" if self.partitions == 1 else f"bit 2({self.rows}q + t) in band q"

    @property
    def empty(self) -> str:
        """The sentence on row 0, if it has no columns."""
        return "Row 0 has no columns." if self.partitions == 1 else ""

    @property
    def folded(self) -> str:
        """The sentences on partitions, if there are several."""
        if self.partitions == 1:
            return ""
        block = 2 * self.rows
        return (
            f"The rows of {self.partitions} bands are these, one band after the other. So that a "
            f"row has the columns of its band alone, columns are masked outside, in blocks of "
            f"{block}: x, y and s have block b from band b on, x_later, y_later and s_later from "
            f"the band behind it on. Row t takes the 2t lowest columns of each block from the "
            f"former, the others from the latter. sum_back and carry_back are what the band before "
            f"left for the columns of this one; both are 0 in the first band."
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        total: Value = self.sum_back
        carry: Value = self.carry_back
        low_sum: list[Value] = []
        low_carry: list[Value] = []
        for t, columns in enumerate(self._columns):
            if columns:
                x, y, s = (self._operand(name, t, columns) for name in "xys")
                row = MuxRow(self.chip, columns, len(total), len(carry)).use(
                    m,
                    f"row_{t}",
                    x_r=self.x_r[t],
                    y_r=self.y_r[t],
                    x=x,
                    y=y,
                    s=s,
                    sum_in=total,
                    carry_in=carry,
                )
                total, carry = row["sum"], row["carry"]
            # Two columns are finished; a carry stands one column above the adder that made it.
            low_sum.append(resized(total, 2))
            low_carry += [Const(0, 1), resized(carry, 1)]
            total, carry = total[2:], carry[1:]
        m.d.comb += [self.sum.eq(Cat(*low_sum, total)), self.carry.eq(Cat(*low_carry, carry))]
        return m

    def _operand(self, name: str, row: int, columns: int) -> Value:
        """The columns of an operand for a row: in block q of 2H columns, the 2*row lowest
        from band q on, the others in later bands only."""
        now, later = getattr(self, name), getattr(self, f"{name}_later")
        if self.partitions == 1:
            return now[:columns]
        size = 2 * self.rows
        parts: list[Value] = []
        for low in range(0, columns, size):
            middle, high = low + 2 * row, low + size
            parts += [now[low:middle], later[middle:high]]
        return Cat(*parts)[:columns]


def resized(value: Value, width: int) -> Value:
    """The low bits of `value`, extended by zeros."""
    return Cat(value[:width], Const(0, max(0, width - len(value))))
