"""Dadda's tree over the partial products of two numbers: its wiring, and its levels as parts.

Bits are numbered: i*k + j is the partial product x_i*y_j, behind these come sum and carry of each
adder.  A partial product is formed in the level that adds it: look-up tables take in its gate.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Module, Signal, Value
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

LARGEST = 16384  # adders of a part: Amaranth takes no instance with more than 2^16 output bits
Bits = tuple[int, ...]
Places = dict[int, tuple[Value, int]]  # of bits, by number: which bit of which value they are


class Tree(NamedTuple):
    """levels: for each level its adders, as the two or three bits that each takes.
    columns: what is left: at most two bits of each weight from 2^0 to 2^(2k - 1)."""

    levels: tuple[tuple[Bits, ...], ...]
    columns: tuple[Bits, ...]


@functools.lru_cache(maxsize=8)
def tree(width: int) -> Tree:
    """The tree for two operands of `width` bits, 3 or more.

    Every bit of a column has a place in it.  An adder takes those of the lowest places, its sum
    stays in the first of them, its carry goes to the second one in the next column: so bits that
    are added side by side come mostly from neighbours, and levels are written as vectors."""
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
        adders = [adder for number in sorted(rows) for adder in rows[number]]
        for column, places, _ in adders:
            columns[column][places[0]] = following
            following += 2
        for bit, (column, places, _) in enumerate(adders, start=-len(adders)):
            above = columns[column + 1]
            free = next(place for place in itertools.count(places[1]) if place not in above)
            above[free] = following + 2 * bit + 1
        levels.append(tuple(taken for *_, taken in adders))
    left = (tuple(column[place] for place in sorted(column)) for column in columns)
    return Tree(tuple(levels), tuple(left))


def reduced_product(m: Module, chip: Target, x: Value, y: Value) -> tuple[Value, Value, Value]:
    """(low, one, other): x*y = low + 2^len(low) * (one + other), for x and y of equal width; one
    and other of as many bits as they have.  A part for each level, some for one of many adders."""
    width = len(x)
    columns = tree(width).columns
    places: Places = {}
    following = width * width
    for part in _parts(chip, width):
        out = part.use(m, f"level_{part.place}", x=x, y=y, bits=_gathered(places, part.taken))
        places |= _outputs(out["sum"], out["carry"], range(len(part.adders)), following)
        places |= {bit: (out["products"], n) for n, bit in enumerate(part.left)}
        following += 2 * len(part.adders)
    heights = [len(column) for column in columns]
    low, high = heights.index(2), len(heights) - heights[::-1].index(2)
    rows = [Signal(high - low, name=f"tree_row_{n}") for n in range(2)]
    for n, row in enumerate(rows):
        m.d.comb += row.eq(_gathered(places, [column[n] for column in columns[low:high]]))
    return _gathered(places, [column[0] for column in columns[:low]]), rows[0], rows[1]


def _parts(chip: Target, width: int) -> Iterator[TreeLevel]:
    """The levels, cut into parts of at most LARGEST adders."""
    levels, columns = tree(width)
    for number, adders in enumerate(levels):
        for start in range(0, len(adders), LARGEST):
            end = start + LARGEST
            place = str(number) + (f"_{start // LARGEST}" if len(adders) > LARGEST else "")
            last = number == len(levels) - 1 and end >= len(adders)
            left = [bit for column in columns for bit in column if bit < width * width]
            yield TreeLevel(chip, width, place, adders[start:end], left if last else ())


class TreeLevel(Part):
    """One level, or a part of it.  x, y: the operands.  bits: those of `taken`, from levels before.
    sum, carry: of each adder.  products: the partial products `left`, which no level adds.

    place: number of the level, and of the part; with the width it tells which adders these are."""

    def __init__(
        self, chip: Target, width: int, place: str, adders: Sequence[Bits], left: Sequence[int]
    ):
        self.chip, self.width, self.place = chip, width, place
        self.adders, self.left = adders, left
        inputs = [bits[port] for port in range(3) for bits in adders if len(bits) > port]
        formed = width * width
        self.formed = [bit for bit in inputs if bit < formed] + list(left)
        self.taken = [bit for bit in inputs if bit >= formed]
        super().__init__(
            {"x": In(width), "y": In(width), "bits": In(len(self.taken))}
            | {"sum": Out(len(adders)), "carry": Out(len(adders)), "products": Out(len(left))}
        )

    @property
    def module(self) -> str:
        return f"dadda_level_{self.width}_{self.place}"

    @property
    def unit_cells(self) -> Mapping[str, int]:
        full = len(self._of_size(3))
        return {FULL_ADDER: full, HALF_ADDER: len(self.adders) - full, GATE: len(self.formed)}

    def _of_size(self, size: int) -> list[int]:
        """The adders that take so many bits, by number."""
        return [number for number, bits in enumerate(self.adders) if len(bits) == size]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        product = Signal(len(self.formed), name="product")
        pairs = [divmod(bit, self.width) for bit in self.formed]
        x, y = _vector((self.x, i) for i, _ in pairs), _vector((self.y, j) for _, j in pairs)
        m.d.comb += product.eq(x & y)
        places: Places = {bit: (product, n) for n, bit in enumerate(self.formed)}
        places |= {bit: (self.bits, n) for n, bit in enumerate(self.taken)}
        found: Places = {}
        for size in (3, 2):
            if not (numbers := self._of_size(size)):
                continue
            ports = [
                _gathered(places, [self.adders[n][port] for n in numbers]) for port in range(size)
            ]
            if size == 3:
                added = full_adders(m, self.chip, ports[0], ports[1], ports[2], "adders")
            else:
                added = half_adders(ports[0], ports[1])
            found |= _outputs(*added, numbers, 0)
        m.d.comb += [
            self.sum.eq(_gathered(found, range(0, 2 * len(self.adders), 2))),
            self.carry.eq(_gathered(found, range(1, 2 * len(self.adders), 2))),
            self.products.eq(_gathered(places, self.left)),
        ]
        return m


def _outputs(sums: Value, carries: Value, adders: Iterable[int], first: int) -> Places:
    """Where the bits are that adders make; `first`: the number of the sum of adder 0."""
    found: Places = {}
    for n, adder in enumerate(adders):
        found[first + 2 * adder], found[first + 2 * adder + 1] = (sums, n), (carries, n)
    return found


def _gathered(places: Places, bits: Iterable[int]) -> Value:
    """These bits side by side."""
    return _vector(places[bit] for bit in bits)


def _vector(places: Iterable[tuple[Value, int]]) -> Value:
    """The same for places; neighbours are one slice, equal bits one replication: single bits by ten
    thousands take minutes to write."""
    return Cat(
        value[first].replicate(count) if same else value[first : first + count]
        for value, first, count, same in _runs(places)
    )


def _runs(places: Iterable[tuple[Value, int]]) -> Iterator[tuple[Value, int, int, bool]]:
    """(value, lowest place, number of bits, whether they are all that one)."""
    run: list[tuple[Value, int]] = []
    for value, place in places:
        if run:
            step = place - run[-1][1]
            fits = run[1][1] - run[0][1] == step if len(run) > 1 else step in (0, 1)
            if value is not run[0][0] or not fits:
                yield *run[0], len(run), len(run) > 1 and run[0] == run[1]
                run = []
        run.append((value, place))
    if run:
        yield *run[0], len(run), len(run) > 1 and run[0] == run[1]
