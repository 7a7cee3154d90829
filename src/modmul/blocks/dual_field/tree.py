"""The compressor tree: rows of full adders that turn columns of bits into two rows."""

from __future__ import annotations

import functools
import operator
from collections import Counter, defaultdict
from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.blocks.carry_save import masked
from modmul.blocks.delay import delay
from modmul.blocks.dual_field import prefix_adder
from modmul.blocks.dual_field.pipeline import Step, cut
from modmul.blocks.dual_field.plan import Adder, Level, plan
from modmul.targets import Target

Columns = list[list[Value]]

ADDER_DELAY = 1.0  # of a full adder; all delays here are multiples of it


def reduce_tree(
    m: Module, chip: Target, columns: Columns, stages: int, name: str, *, pure: bool
) -> tuple[Value, Value]:
    """The sum of all bits in columns, and the XOR of each column: the integer and the carry-less
    product if the bits are partial products.  Both as wide as there are columns (a carry out of
    them is lost), in the last of `stages` pipeline stages, not in a register behind it.

    pure: the XORs are wanted (else they are zero).  Every column must have a bit at last."""
    return _Tree(m, chip, columns, stages, name, pure).outputs


class _Tree:
    def __init__(
        self, m: Module, chip: Target, columns: Columns, stages: int, name: str, pure: bool
    ):
        self.m, self.chip, self.name = m, chip, name
        width = len(columns)
        empty: Columns = [[] for _ in columns]
        self.pure, self.mixed = (columns, empty) if pure else (empty, columns)
        self.tapped: list[Value] = [Const(0, 1)] * width
        levels = plan([len(bits) for bits in columns], pure=pure)
        steps = [Step(ADDER_DELAY)] * len(levels) + prefix_adder.steps(chip, width)
        self.last = stages - 1
        times = cut(steps, stages, last=ADDER_DELAY)
        for number, level in enumerate(levels):
            self._tap(level, times[number], number)
            self._add(level, f"{name}_level{number}")
            for stage in range(times[number], times[number + 1]):
                self._register(f"{name}_stage{stage}")
        rows = [self._row(0), self._row(1)]
        total = prefix_adder.add(m, chip, rows[0], rows[1], times[len(levels) :], f"{name}_final")
        total = delay(m, total, self.last - times[-1], f"{name}_total")
        self.outputs = total, Cat(self.tapped)

    def _row(self, number: int) -> Signal:
        row = Signal(len(self.mixed), name=f"{self.name}_row{number}")
        bits = [bits[number] if len(bits) > number else Const(0, 1) for bits in self.mixed]
        self.m.d.comb += row.eq(Cat(bits))
        return row

    def _tap(self, level: Level, stage: int, number: int) -> None:
        if not level.tapped:
            return
        tap = Signal(len(level.tapped), name=f"{self.name}_tap{number}")
        self.m.d.comb += tap.eq(Cat(self.pure[column][0] for column in level.tapped))
        late = delay(self.m, tap, self.last - stage, f"{self.name}_tap{number}")
        for k, column in enumerate(level.tapped):
            self.tapped[column] = late[k]
            self.mixed[column] = self.pure[column] + self.mixed[column]
            self.pure[column] = []

    def _add(self, level: Level, name: str) -> None:
        """One level: adder number k of every column of a class are one row."""
        rows: dict[tuple[bool, int], list[Adder]] = defaultdict(list)
        count: Counter[tuple[int, bool]] = Counter()
        for adder in level.adders:
            place = (adder.column, adder.pure)
            rows[adder.pure, count[place]].append(adder)
            count[place] += 1
        new_pure: Columns = [[] for _ in self.mixed]
        new_mixed: Columns = [[] for _ in self.mixed]
        for (pure, number), adders in rows.items():
            title = f"{name}_{'pure' if pure else 'mixed'}{number}"
            source, target = (self.pure, new_pure) if pure else (self.mixed, new_mixed)
            sums, carries = self._row_of_adders(source, adders, title)
            for k, adder in enumerate(adders):
                target[adder.column].append(sums[k])
                if adder.column + 1 < len(new_mixed):
                    new_mixed[adder.column + 1].append(carries[k])
        self.pure = [a + b for a, b in zip(self.pure, new_pure, strict=True)]
        self.mixed = [a + b for a, b in zip(self.mixed, new_mixed, strict=True)]

    def _row_of_adders(
        self, source: Columns, adders: Sequence[Adder], name: str
    ) -> tuple[Signal, Signal]:
        """Takes the inputs out of `source`; (sums, carries)."""
        row = self.chip.adder_row(len(adders), name)
        taken = [[source[a.column].pop(0) for _ in range(a.size)] for a in adders]
        for k, port in enumerate((row.a, row.b, row.c)):
            bits = [inputs[k] if k < len(inputs) else Const(0, 1) for inputs in taken]
            self.m.d.comb += port.eq(Cat(bits))
        row.place(self.m)
        return row.sum, row.carry

    def _register(self, name: str) -> None:
        """All bits one cycle later, a register for each row of them."""
        self.pure = registered_columns(self.m, self.pure, f"{name}_pure")
        self.mixed = registered_columns(self.m, self.mixed, f"{name}_mixed")


def partial_products(m: Module, a: Value, b: Value, name: str) -> Columns:
    """The AND of each bit of a with each of b, by weight."""
    columns: Columns = [[] for _ in range(len(a) + len(b) - 1)]
    for j in range(len(b)):
        row = Signal(len(a), name=f"{name}_product{j}")
        m.d.comb += row.eq(masked(a, b[j]))
        for i in range(len(a)):
            columns[i + j].append(row[i])
    return columns


def registered_columns(m: Module, columns: Columns, name: str) -> Columns:
    """All bits of `columns` one cycle later; bit k of every column is in the register `name`_k."""
    after: Columns = [[] for _ in columns]
    for k in range(max(map(len, columns))):
        places = [column for column, bits in enumerate(columns) if len(bits) > k]
        row = Signal(len(places), name=f"{name}_{k}", reset_less=True)
        m.d.sync += row.eq(Cat(columns[place][k] for place in places))
        for j, place in enumerate(places):
            after[place].append(row[j])
    return after


def xor(values: Sequence[Value]) -> Value:
    """The XOR of one or more values."""
    return functools.reduce(operator.xor, values)
