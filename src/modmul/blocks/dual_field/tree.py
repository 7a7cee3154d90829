"""The compressor tree: rows of full adders that turn columns of bits into two rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.blocks.delay import delay
from modmul.blocks.dual_field import final_adder
from modmul.blocks.dual_field.columns import Columns, registered
from modmul.blocks.dual_field.pipeline import LogicStep, cut
from modmul.blocks.dual_field.plan import BitAdder, Level, plan
from modmul.targets import Target

ADDER = LogicStep(1.0)  # a full adder: the unit of delay here


def reduce_tree(
    m: Module, chip: Target, columns: Columns, stages: int, name: str, *, pure: bool
) -> tuple[Value, Value]:
    """The sum of the bits by weight, and the XOR of each column: if the bits are partial
    products, these are the integer and the carry-less product.

    Both are as wide as there are columns (a carry out of them is lost), and are there in the last
    of `stages` pipeline stages, before any register behind it.  pure: the XORs are wanted; else
    they are 0."""
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
        steps = [ADDER] * len(levels) + final_adder.steps(chip, width)
        self.last = stages - 1
        times = cut(steps, stages, last=ADDER.delay)
        for number, level in enumerate(levels):
            self._tap(level, times[number], number)
            self._add(level, f"{name}_level{number}")
            for stage in range(times[number], times[number + 1]):
                self._register(f"{name}_stage{stage}")
        rows = [self._row(0), self._row(1)]
        total = final_adder.add(m, chip, rows[0], rows[1], times[len(levels) :], f"{name}_final")
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
        """Place the adders of one level: the k-th adders of all columns of a class are one row."""
        rows: dict[tuple[bool, int], list[BitAdder]] = defaultdict(list)
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
        self, source: Columns, adders: Sequence[BitAdder], name: str
    ) -> tuple[Signal, Signal]:
        """Take the inputs out of `source` and return (sums, carries)."""
        row = self.chip.adder_row(len(adders), name)
        taken = [[source[a.column].pop(0) for _ in range(a.size)] for a in adders]
        for k, port in enumerate((row.a, row.b, row.c)):
            bits = [inputs[k] if k < len(inputs) else Const(0, 1) for inputs in taken]
            self.m.d.comb += port.eq(Cat(bits))
        row.place(self.m)
        return row.sum, row.carry

    def _register(self, name: str) -> None:
        """Delay all bits by a cycle, with a register for each row of them."""
        self.pure = registered(self.m, self.pure, f"{name}_pure")
        self.mixed = registered(self.m, self.mixed, f"{name}_mixed")
