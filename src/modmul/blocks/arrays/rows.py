"""Rows of array multipliers, each a part.

Vectors of a row stand from its lowest column up; a carry belongs to the next higher column."""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Module, Value
from amaranth.lib.wiring import In, Out

from modmul.blocks.arrays.unit_cells import (
    FULL_ADDER,
    GATE,
    HALF_ADDER,
    MUX4,
    full_adders,
    gated,
    half_adders,
    mux4,
)
from modmul.blocks.part import Part
from modmul.targets import Target


class CarrySaveRow(Part):
    """Base class of rows of adders: `width` addends, `sums` and `carries` bits that come in.

    A column has a full adder where a sum and a carry come in, a half adder where one of them does,
    and a wire where none does.  carry: as many bits as there are adders."""

    kind: str

    def __init__(
        self, chip: Target, width: int, sums: int, carries: int, addend: Mapping[str, int]
    ):
        self.chip, self.width, self.sums, self.carries = chip, width, sums, carries
        ports = {name: In(bits) for name, bits in addend.items()}
        super().__init__(
            ports
            | {"sum_in": In(sums), "carry_in": In(carries)}
            | {"sum": Out(width), "carry": Out(max(sums, carries))}
        )

    @property
    def module(self) -> str:
        shape = "" if self.sums == self.carries == self.width else f"_s{self.sums}c{self.carries}"
        return f"{self.kind}_row_{self.width}{shape}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        full, adders = min(self.sums, self.carries), max(self.sums, self.carries)
        return {FULL_ADDER: full, HALF_ADDER: adders - full}

    def add(self, m: Module, addend: Value) -> None:
        """Drive `sum` and `carry` with addend + sum_in + carry_in, column by column."""
        full, adders = sorted((self.sums, self.carries))
        longer = self.sum_in if self.sums == adders else self.carry_in
        sums: list[Value] = []
        carries: list[Value] = []
        if full:
            outputs = full_adders(
                m, self.chip, addend[:full], self.sum_in[:full], self.carry_in[:full], "adders"
            )
            sums.append(outputs[0])
            carries.append(outputs[1])
        if adders > full:
            outputs = half_adders(addend[full:adders], longer[full:])
            sums.append(outputs[0])
            carries.append(outputs[1])
        m.d.comb += [self.sum.eq(Cat(*sums, addend[adders:])), self.carry.eq(Cat(*carries))]


class GatedRow(CarrySaveRow):
    """A row of the array: adds x * y_i to a carry-save pair, with a gate and an adder in each
    column. Port `y` is the bit y_i. Vectors stand from the lowest column of the row up; a carry
    belongs one column higher."""

    kind = "gated"

    def __init__(self, chip: Target, width: int, sums: int, carries: int):
        super().__init__(chip, width, sums, carries, {"x": width, "y": 1})

    @property
    def unit_cells(self) -> Mapping[str, int]:
        return {**super().unit_cells, GATE: self.width}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.add(m, gated(self.x, self.y))
        return m


class MuxRow(CarrySaveRow):
    """A row of the multiplexer-based array, of {width} columns: adds x_r*Y + y_r*X to a carry-save
    pair, where r is the bit of this row. Ports `x`, `y` and `s` are these columns of X, Y and X +
    Y. The carry of X + Y out of the highest of them is counted in the diagonal of the array.

    A column is a multiplexer of four (0, x, y, s) and an adder. The {sums} lowest columns get a bit
    of the row before's sum, and the {carries} lowest one of its carry. A column that gets both has
    a full adder, one that gets one of them a half adder, all others a wire. A row that gets fewer
    bits than its neighbours has the numbers in its name: s of sum bits, c of carry bits."""

    kind = "mux"

    def __init__(self, chip: Target, width: int, sums: int, carries: int):
        operands = {"x": width, "y": width, "s": width}
        super().__init__(chip, width, sums, carries, {"x_r": 1, "y_r": 1} | operands)

    @property
    def unit_cells(self) -> Mapping[str, int]:
        return {**super().unit_cells, MUX4: self.width}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.add(m, mux4(m, self.x_r, self.y_r, (self.x, self.y, self.s), "chosen"))
        return m


class RippleRow(Part):
    """A row of the array: adds x * y_i to a number of the same width by a carry-propagate adder,
    which has the same cells as a carry-save row, but their carries are connected along the row.
    Port `y` is the bit y_i."""

    def __init__(self, chip: Target, width: int):
        self.chip, self.width = chip, width
        super().__init__({"x": In(width), "y": In(1), "sum_in": In(width), "sum": Out(width + 1)})

    @property
    def module(self) -> str:
        return f"ripple_row_{self.width}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        return {FULL_ADDER: self.width, GATE: self.width}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.sum.eq(self.sum_in + gated(self.x, self.y))
        return m
