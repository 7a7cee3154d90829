"""Dadda's tree over the partial products of two numbers: its wiring, and its levels as parts.

Bits are numbered: i*k + j is the partial product x_i*y_j, behind these come sum and carry of each
adder.  A partial product is formed in the level that adds it: look-up tables take in its gate.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple, TypeVar

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from modmul.blocks.arrays.unit_cells import (
    FULL_ADDER,
    GATE,
    HALF_ADDER,
    full_adders,
    half_adders,
)
from modmul.blocks.dual_field.plan import plan
from modmul.blocks.part import Part
from modmul.targets import Target

ROWS = 32  # rows in a part: Amaranth accepts no instance with more than 2^16 output bits
T = TypeVar("T")
Bits = tuple[int, ...]
Row = tuple[Bits, ...]  # a row of adders: the bits that each adder takes
Places = dict[int, tuple[Value, int]]  # which bit of which value each bit is, by its number


class Tree(NamedTuple):
    """levels: the rows of adders of each level; an adder is given as the bits that it takes, and
    those of three bits come first.  columns: what the levels leave, at most two bits of each weight
    from 2^0 to 2^(2k - 1)."""

    levels: tuple[tuple[Row, ...], ...]
    columns: tuple[Bits, ...]


@functools.lru_cache(maxsize=8)
def tree(width: int) -> Tree:
    """The tree for two operands of `width` bits, 3 or more.

    The adders with number n of every column are row n.  Every bit has a place in its column.  An
    adder takes the bits of the lowest places; its sum stays in the first of these places, and its
    carry goes to the second of them, in the next column.  So the bits that a row takes are slices
    of earlier rows."""
    columns: list[dict[int, int]] = [{} for _ in range(2 * width)]
    for j in range(width):
        for i in range(width):
            columns[i + j][len(columns[i + j])] = i * width + j
    levels, following = [], width * width
    for level in plan([len(column) for column in columns], pure=False):
        rows, count = defaultdict(list), Counter[int]()
        for column, size, _ in level.adders:
            places = sorted(columns[column])[:size]
            taken = tuple(columns[column].pop(place) for place in places)
            rows[count[column]].append((column, places, taken))
            count[column] += 1
        in_order = [sorted(rows[n], key=lambda adder: -len(adder[2])) for n in sorted(rows)]
        adders = [adder for row in in_order for adder in row]
        for number, (column, places, _) in enumerate(adders):
            columns[column][places[0]] = following + 2 * number
        for number, (column, places, _) in enumerate(adders):
            above = columns[column + 1]
            free = next(place for place in itertools.count(places[1]) if place not in above)
            above[free] = following + 2 * number + 1
        following += 2 * len(adders)
        levels.append(tuple(tuple(taken for *_, taken in row) for row in in_order))
    left = (tuple(column[place] for place in sorted(column)) for column in columns)
    return Tree(tuple(levels), tuple(left))


def reduced_product(m: Module, chip: Target, x: Value, y: Value) -> tuple[Value, Value, Value]:
    """Return (low, one, other) with x*y = low + 2^len(low) * (one + other), for x and y of equal
    width; one and other are equally wide.

    Each level is a part; a level of many rows is several."""
    width = len(x)
    columns = tree(width).columns
    places: Places = {}
    following = width * width
    for part in _parts(chip, width):
        out = part.use(m, f"level_{part.place}", x=x, y=y, bits=_gathered(places, part.taken))
        for n in range(part.adders):
            places[following], places[following + 1] = (out["sum"], n), (out["carry"], n)
            following += 2
        places |= {bit: (out["products"], n) for n, bit in enumerate(part.left)}
    heights = [len(column) for column in columns]
    low, high = heights.index(2), len(heights) - heights[::-1].index(2)
    rows = [Signal(high - low, name=f"tree_row_{n}") for n in range(2)]
    for n, row in enumerate(rows):
        m.d.comb += row.eq(_gathered(places, [column[n] for column in columns[low:high]]))
    return _gathered(places, [column[0] for column in columns[:low]]), rows[0], rows[1]


def _parts(chip: Target, width: int) -> Iterator[TreeLevel]:
    """The levels, cut into parts of at most ROWS rows."""
    levels, columns = tree(width)
    for number, rows in enumerate(levels):
        for start in range(0, len(rows), ROWS):
            place = str(number) + (f"_{start // ROWS}" if len(rows) > ROWS else "")
            last = number == len(levels) - 1 and start + ROWS >= len(rows)
            left = [bit for column in columns for bit in column if bit < width * width]
            yield TreeLevel(chip, width, place, rows[start : start + ROWS], left if last else [])


class TreeLevel(Part):
    """One level of Dadda's tree, or some of its rows: full and half adders, and the partial
    products that they take. `place` is the number of the level, and of the part of it; together
    with the width it determines the adders.

    Ports:

      `x`, `y`: the operands
      `bits`: the sums and carries of earlier levels that are added here
      `sum`, `carry`: those of each adder of this level
      `products`: in the last part, the partial products that no level adds
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "rows of full adders, from low weights to high ones": {
            "row_*_[abc]": "three bits for each adder: partial products, or some of `bits`",
            "row_*_sum": "of three bits of equal weight",
            "row_*_carry": "of twice that weight",
            "row_*": "",
        },
    }

    def __init__(
        self, chip: Target, width: int, place: str, rows: Sequence[Row], left: Sequence[int]
    ):
        self.chip, self.width, self.place = chip, width, place
        self.rows, self.left = rows, left
        self.adders = sum(map(len, rows))
        inputs = [bit for row in rows for group in _by_size(row) for port in group for bit in port]
        self.taken = [bit for bit in inputs if bit >= width * width]
        self.formed = len(inputs) - len(self.taken) + len(left)
        super().__init__(
            {"x": In(width), "y": In(width), "bits": In(len(self.taken))}
            | {"sum": Out(self.adders), "carry": Out(self.adders), "products": Out(len(left))}
        )

    @property
    def module(self) -> str:
        return f"dadda_level_{self.width}_{self.place}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        full = sum(len(adder) == 3 for row in self.rows for adder in row)
        return {FULL_ADDER: full, HALF_ADDER: self.adders - full, GATE: self.formed}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        sums: list[Value] = []
        carries: list[Value] = []
        place = {bit: n for n, bit in enumerate(self.taken)}
        for number, row in enumerate(self.rows):
            for group in _by_size(row):
                inputs = [self._port(bits, place) for bits in group]
                if len(group) == 3:
                    name = f"row_{number}"
                    added = full_adders(m, self.chip, inputs[0], inputs[1], inputs[2], name)
                else:
                    added = half_adders(inputs[0], inputs[1])
                sums.append(added[0])
                carries.append(added[1])
        m.d.comb += [
            self.sum.eq(Cat(sums)),
            self.carry.eq(Cat(carries)),
            self.products.eq(self._port(self.left, place)),
        ]
        return m

    def _port(self, bits: Sequence[int], place: Mapping[int, int]) -> Value:
        """These bits side by side, with the partial products among them.  place: the
        positions of the other bits in the port `bits`."""

        def step(lower: int, upper: int) -> str | None:
            if lower in place or upper in place:
                near = lower in place and upper in place and place[upper] == place[lower] + 1
                return "bits" if near else None
            (i, j), (p, q) = divmod(lower, self.width), divmod(upper, self.width)
            return {(1, 0): "x", (0, 1): "y"}.get((p - i, q - j))

        values: list[Value] = []
        for run, along in _runs(bits, step):
            if run[0] in place:
                values.append(self.bits[place[run[0]] : place[run[-1]] + 1])
                continue
            i, j = divmod(run[0], self.width)
            if along == "x":
                values.append(Mux(self.y[j], self.x[i : i + len(run)], 0))
            elif along == "y":
                values.append(Mux(self.x[i], self.y[j : j + len(run)], 0))
            else:
                values.append(self.x[i] & self.y[j])
        return Cat(values)


def _by_size(row: Row) -> list[list[Bits]]:
    """The bits on each port of the row's adders of three bits, and of its adders of two."""
    groups = [[adder for adder in row if len(adder) == size] for size in (3, 2)]
    return [list(zip(*group, strict=True)) for group in groups if group]


def _gathered(places: Places, bits: Iterable[int]) -> Value:
    """These bits side by side."""

    def step(lower: tuple[Value, int], upper: tuple[Value, int]) -> str | None:
        return "up" if upper[0] is lower[0] and upper[1] == lower[1] + 1 else None

    runs = _runs((places[bit] for bit in bits), step)
    return Cat(run[0][0][run[0][1] : run[-1][1] + 1] for run, _ in runs)


def _runs(
    items: Iterable[T], step: Callable[[T, T], str | None]
) -> Iterator[tuple[list[T], str | None]]:
    """Runs of neighbours, each with the step from one item to the next (None for a single
    item).

    Tens of thousands of single bits take every tool minutes; slices, and products of a bit and a
    slice, do not."""
    run: list[T] = []
    along = None
    for item in items:
        now = step(run[-1], item) if run else None
        if run and (now is None or along not in (None, now)):
            yield run, along
            run, now = [], None
        run.append(item)
        along = now
    if run:
        yield run, along
