"""Where the products of a column stand: one cursor for each column that is being worked on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from amaranth.hdl import Const, Module, Mux, Signal, Value


@dataclass(frozen=True)
class Shape:
    """words: of the longest operand.  squares: products may be squares.  binary: how those of
    GF(2^m) are made, "zero", "skip" or "spread".  late: see Schedule."""

    words: int
    squares: bool
    binary: str
    late: bool

    @property
    def bits(self) -> int:
        """Of an index of a word."""
        return max(1, (self.words - 1).bit_length())

    @property
    def column_bits(self) -> int:
        """Of the number of a column, two beyond the last one included."""
        return (2 * self.words + 4).bit_length()


@dataclass(frozen=True)
class Choice:
    """The length and the kind of the products: last = words in use - 1; square and binary, 1 bit
    each."""

    last: Value
    square: Value
    binary: Value


class Cursor:
    """The products of a column that are left: first `ab` of them, a[j]*b[k], j counting up and k
    down, then `mn` of them, m[j]*n[k], beginning with m[low]*n[high].

    front: the column makes a quotient word.  middle: half the column's number."""

    FIELDS = ("j", "k", "low", "high", "middle", "ab", "mn", "front")

    def __init__(self, shape: Shape, **values: Value):
        self.shape = shape
        self.j, self.k, self.low, self.high = (values[name] for name in ("j", "k", "low", "high"))
        self.middle, self.front = values["middle"], values["front"]
        self.ab, self.mn = values["ab"], values["mn"]

    @classmethod
    def signals(cls, shape: Shape, name: str) -> Self:
        """A cursor of signals."""
        widths = dict.fromkeys(cls.FIELDS, shape.bits)
        widths |= {"ab": shape.words.bit_length(), "mn": shape.words.bit_length(), "front": 1}
        return cls(shape, **{
            field: Signal(bits, name=f"{name}_{field}") for field, bits in widths.items()
        })  # fmt: skip

    @classmethod
    def of_column(cls, m: Module, shape: Shape, d: Value, choice: Choice, name: str) -> Self:
        """The cursor at the beginning of column `d`; empty if there is no such column."""
        found = cls.signals(shape, name)
        last, bits = choice.last, shape.column_bits
        exists, beyond = Signal(name=f"{name}_exists"), Signal(bits, name=f"{name}_beyond")
        pairs = Signal(shape.words.bit_length(), name=f"{name}_pairs")
        alone = Signal(name=f"{name}_alone")  # a square in GF(2^m) with no doubled product
        m.d.comb += [
            exists.eq(d <= (last << 1)),
            found.front.eq(d <= last),
            beyond.eq(d - last),
            found.low.eq(Mux(found.front, 0, beyond)),
            found.high.eq(Mux(found.front, d, last)),
            found.middle.eq(d >> 1),
            pairs.eq(found.high - found.low + 1),
        ]
        late = ((d != 0) & (beyond == 1)) | ((d != 0) & found.front) if shape.late else Const(0)
        m.d.comb += found.mn.eq(Mux(exists, pairs - found.front - late, 0))
        ab: Value = pairs
        if shape.squares:
            ab = Mux(choice.square, (d >> 1) - found.low + 1, pairs)
        if shape.squares and shape.binary in ("skip", "spread"):
            m.d.comb += alone.eq(choice.square & choice.binary)
            ab = Mux(alone, d == 0 if shape.binary == "spread" else ~d[0], ab)
        start = alone & (shape.binary == "skip")
        m.d.comb += [
            found.ab.eq(Mux(exists, ab, 0)),
            found.j.eq(Mux(start & (found.ab != 0), found.middle, found.low)),
            found.k.eq(Mux(start & (found.ab != 0), found.middle, found.high)),
        ]
        return found

    def set_to(self, other: Cursor) -> list[object]:
        """Assignments of every field."""
        return [getattr(self, name).eq(getattr(other, name)) for name in self.FIELDS]

    def parts(self) -> tuple[Cursor, Cursor]:
        """The AB products alone, and the MN products alone."""
        values = {name: getattr(self, name) for name in self.FIELDS}
        only_mn = values | {"ab": Const(0, len(self.ab)), "j": self.low, "k": self.high}
        return (
            Cursor(self.shape, **values | {"mn": Const(0, len(self.mn))}),
            Cursor(self.shape, **only_mn),
        )

    @property
    def some(self) -> Value:
        """Whether a product is left."""
        return self.ab.any() | self.mn.any()

    @property
    def several(self) -> Value:
        """Whether at least two are."""
        return self.ab[1:].any() | self.mn[1:].any() | (self.ab.any() & self.mn.any())

    def taken(self, m: Module, enable: Value, name: str) -> Cursor:
        """The cursor after its next product was taken, if `enable`."""
        after = Cursor.signals(self.shape, name)
        is_ab, turns = Signal(name=f"{name}_is_ab"), Signal(name=f"{name}_turns")
        m.d.comb += [
            *after.set_to(self),
            is_ab.eq(self.ab.any()),
            turns.eq(self.ab == 1),
        ]
        with m.If(enable):
            m.d.comb += [
                after.ab.eq(self.ab - is_ab),
                after.mn.eq(self.mn - ~is_ab),
                after.j.eq(Mux(turns, self.low, self.j + 1)),
                after.k.eq(Mux(turns, self.high, self.k - 1)),
            ]
        return after
