"""The place of the products in a column: one cursor for each column that is being worked on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from amaranth.hdl import Const, Module, Mux, Signal, Value


@dataclass(frozen=True)
class Shape:
    """words: of the longest operand.  squares: products may be squares.  binary: how squares are
    made in GF(2^m), "zero", "skip" or "spread".  late: see Schedule."""

    words: int
    squares: bool
    binary: str
    late: bool

    @property
    def bits(self) -> int:
        """The number of bits of the index of a word."""
        return max(1, (self.words - 1).bit_length())

    @property
    def column_bits(self) -> int:
        """The number of bits of the number of a column, including two columns beyond the last
        one."""
        return (2 * self.words + 5).bit_length()


@dataclass(frozen=True)
class Choice:
    """The length and the kind of the products: last = words in use - 1; square and binary, 1 bit
    each."""

    last: Value
    square: Value
    binary: Value


class Cursor:
    """The products of a column that are left: first `ab` products a[j]*b[k], with j counting up and
    k down, then `mn` products m[j]*n[k], beginning with m[low]*n[high].

    front: the column makes a quotient word.  middle: half the column's number.  is_ab: the next
    product is an AB.  some, several: at least one or at least two products are left.  These flags
    come from registers, since every decision begins with them."""

    STARTS = ("low", "high", "middle", "front")  # fields that stay while products are taken
    COUNTS = ("j", "k", "ab", "mn")
    FLAGS = ("is_ab", "some", "several")

    def __init__(self, shape: Shape, **values: Value):
        self.shape = shape
        self.j, self.k, self.low, self.high = (values[name] for name in ("j", "k", "low", "high"))
        self.middle, self.front = values["middle"], values["front"]
        self.ab, self.mn, self.is_ab = values["ab"], values["mn"], values["is_ab"]
        self.some, self.several = values["some"], values["several"]

    @classmethod
    def signals(cls, shape: Shape, name: str, **given: Value) -> Self:
        """A cursor of new signals, except for the given fields."""
        widths = dict.fromkeys((*cls.COUNTS, *cls.STARTS), shape.bits)
        widths |= {"ab": shape.words.bit_length(), "mn": shape.words.bit_length()}
        widths |= dict.fromkeys(("front", *cls.FLAGS), 1)
        signals = {
            field: Signal(bits, name=f"{name}_{field}")
            for field, bits in widths.items()
            if field not in given
        }
        return cls(shape, **signals, **given)

    def changed(self, name: str, **given: Value) -> Self:
        """A cursor of the same column: new signals for counts and flags, except the given
        ones."""
        return self.signals(self.shape, name, **self._same(*self.STARTS), **given)

    def _same(self, *fields: str) -> dict[str, Value]:
        return {field: getattr(self, field) for field in fields}

    @classmethod
    def of_column(cls, m: Module, limits: ColumnRange, choice: Choice, name: str) -> Self:
        """The cursor at the beginning of a column; empty if there is no such column."""
        shape = limits.shape
        signals = cls.signals(
            shape, name, front=limits.front, low=limits.low, high=limits.high, middle=limits.middle
        )
        late = limits.late if shape.late else Const(0)
        ab: Value = limits.pairs
        start: Value = Const(0)
        if shape.squares:
            ab = Mux(choice.square, limits.middle - limits.low + 1, limits.pairs)
        if shape.squares and shape.binary in ("skip", "spread"):
            alone = Signal(name=f"{name}_alone")  # no doubled products
            m.d.comb += alone.eq(choice.square & choice.binary)
            ab = Mux(alone, limits.zero if shape.binary == "spread" else ~limits.odd, ab)
            if shape.binary == "skip":
                start = Signal(name=f"{name}_from_middle")
                m.d.comb += start.eq(alone & ~limits.odd)
        m.d.comb += [
            signals.mn.eq(Mux(limits.exists, limits.pairs - limits.front - late, 0)),
            signals.ab.eq(Mux(limits.exists, ab, 0)),
            signals.j.eq(Mux(start, limits.middle, limits.low)),
            signals.k.eq(Mux(start, limits.middle, limits.high)),
        ]
        signals.count(m)
        return signals

    def count(self, m: Module) -> None:
        """Drive is_ab, some and several from ab and mn."""
        ab, mn = self.ab, self.mn
        m.d.comb += [
            self.is_ab.eq(ab.any()),
            self.some.eq(ab.any() | mn.any()),
            self.several.eq(ab[1:].any() | mn[1:].any() | (ab.any() & mn.any())),
        ]

    def set_to(self, other: Cursor) -> list[object]:
        """Assignments of every field that is not the same signal."""
        fields = (*self.STARTS, *self.COUNTS, *self.FLAGS)
        pairs = [(getattr(self, name), getattr(other, name)) for name in fields]
        return [target.eq(value) for target, value in pairs if target is not value]

    def parts(self, m: Module, name: str) -> tuple[Cursor, Cursor]:
        """A cursor of the AB products only, and one of the MN products only."""
        none = Const(0, len(self.ab))
        ab = self.changed(f"{name}_ab_only", **self._same("j", "k", "ab"), mn=none)
        mn = self.changed(f"{name}_mn_only", j=self.low, k=self.high, mn=self.mn, ab=none)
        for part in (ab, mn):
            part.count(m)
        return ab, mn

    def taken(self, m: Module, enable: Value, name: str) -> Cursor:
        """The cursor after its next product has been taken, if `enable`."""
        after = self.changed(name)
        ab, mn = self.ab, self.mn
        turns, many = Signal(name=f"{name}_turns"), Signal(name=f"{name}_many")
        three = [ab[2:].any() | ab[:2].all(), mn[2:].any() | mn[:2].all()]
        m.d.comb += [
            *after.set_to(self),
            turns.eq(ab == 1),
            many.eq(three[0] | three[1] | (ab[1:].any() & mn.any()) | (ab.any() & mn[1:].any())),
        ]
        with m.If(enable):
            m.d.comb += [
                after.ab.eq(ab - self.is_ab),
                after.mn.eq(mn - ~self.is_ab),
                after.j.eq(Mux(turns, self.low, self.j + 1)),
                after.k.eq(Mux(turns, self.high, self.k - 1)),
                after.is_ab.eq(ab[1:].any()),
                after.some.eq(self.several),
                after.several.eq(many),
            ]
        return after


class ColumnRange:
    """The pairs of words that column `d` multiplies: from low to high, `pairs` of them.

    exists: d is one of the columns 0 to 2*last.  front: the column makes a quotient word.  middle:
    d / 2.  late: it has a product that is issued with the column before.  zero, odd: d is.

    The initial values are those of column 0."""

    FIRST: ClassVar[dict[str, int]] = {
        "low": 0,
        "high": 0,
        "middle": 0,
        "pairs": 1,
        "exists": 1,
        "front": 1,
        "late": 0,
        "zero": 1,
        "odd": 0,
    }

    def __init__(self, shape: Shape, name: str):
        def signal(field: str, bits: int = 1) -> Signal:
            return Signal(bits, name=f"{name}_{field}", init=self.FIRST[field])

        self.shape = shape
        self.low, self.high = signal("low", shape.bits), signal("high", shape.bits)
        self.middle = signal("middle", shape.bits)
        self.pairs = signal("pairs", shape.words.bit_length())
        self.exists, self.front, self.late = signal("exists"), signal("front"), signal("late")
        self.zero, self.odd = signal("zero"), signal("odd")

    def rewind(self) -> list[object]:
        """Assignments of every field for column 0."""
        return [getattr(self, name).eq(value) for name, value in self.FIRST.items()]

    @classmethod
    def of_column(cls, m: Module, shape: Shape, d: Value, last: Value, name: str) -> ColumnRange:
        limits = cls(shape, name)
        beyond = Signal(shape.column_bits, name=f"{name}_beyond")
        m.d.comb += [
            beyond.eq(d - last),
            limits.exists.eq(d <= (last << 1)),
            limits.front.eq(d <= last),
            limits.low.eq(Mux(limits.front, 0, beyond)),
            limits.high.eq(Mux(limits.front, d, last)),
            limits.middle.eq(d >> 1),
            limits.pairs.eq(limits.high - limits.low + 1),
            limits.late.eq((d != 0) & (limits.front | (beyond == 1))),
            limits.zero.eq(d == 0),
            limits.odd.eq(d[0]),
        ]
        return limits

    def set_to(self, other: ColumnRange) -> list[object]:
        """Assignments of every field."""
        return [getattr(self, name).eq(getattr(other, name)) for name in self.FIRST]
