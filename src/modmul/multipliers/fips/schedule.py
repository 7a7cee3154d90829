"""Which word products are made when: the order of the columns, and how many clocks it takes.

Column c of finely integrated product scanning sums a[j]*b[c-j] (AB) and m[j]*n[c-j] (MN).  In a
front column (c < s) follow the quotient word m[c] = V*n0' (Q) and m[c]*n[0] (R), which clears the
lowest word of V.  A bundle is what is issued in one clock: up to one product for each multiplier.

    column c   RUN ... RUN   WAIT ... WAIT   Q   GAP ... GAP   R        rear columns: RUN alone
               its products  sum settles         quotient comes

With look-ahead, multipliers that are free in a column take products of the next one or two columns,
in their order: AB, then MN as far as their quotient words are known.  With two multipliers,
m[c]*n[1] of column c + 1 goes with R.  A rear column keeps one product, which carries the shift.

Source: dualfips, section 5 (controller of one multiplier, two as drawn); look-ahead is needed for
the clock counts published for two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

# multiply; the square in GF(p) (in GF(2^m): with its doubled products made zero); squares in
# GF(2^m) without them; and with a[j]^2 from wires beside an MN product
Kind = Literal["multiply", "square", "skip", "spread"]


class Column(NamedTuple):
    """Products of one column, without Q and R.  late: m[c-1]*n[1], issued with R of column c - 1;
    it is not among mn."""

    ab: int
    mn: int
    late: int


class Totals(NamedTuple):
    """bundles: clocks in which products are issued, or could be.  ahead: most products that are
    added one, and two, columns ahead of the accumulator at a time."""

    bundles: int
    ahead: tuple[int, int]


@dataclass(frozen=True)
class Schedule:
    """multipliers: 1 or 2.  lookahead: columns, 0 to 2; 0 with two multipliers: one for AB, one for
    all others.  bypass: Q takes the sum from the adder instead of the accumulator.
    stages: clocks of one product."""

    multipliers: int
    lookahead: int
    bypass: bool
    stages: int

    @property
    def paired(self) -> bool:
        """One multiplier for each sum, as in the paper's drawing."""
        return self.multipliers == 2 and self.lookahead == 0

    @property
    def late(self) -> bool:
        """Whether the second multiplier takes m[c]*n[1] while the first does R."""
        return self.multipliers == 2 and self.lookahead > 0

    @property
    def addend_register(self) -> bool:
        """Whether products wait one clock between multiplier and adder: in a long pipeline, the
        choice of their place would be part of the longest path."""
        return self.stages >= 4 and not self.bypass

    @property
    def added(self) -> int:
        """Clocks from the issue of a product to its addition."""
        return self.stages + 1 + self.addend_register

    @property
    def waits(self) -> int:
        """Clocks between the last product of a front column and Q."""
        return self.added - 1 - self.bypass

    @property
    def gaps(self) -> int:
        """Clocks between Q and R."""
        return self.stages - 1

    @property
    def fill(self) -> int:
        """Clocks until the first columns stand ready."""
        return self.lookahead + 1

    def unknown(self, ahead: int) -> int:
        """How many of the last MN products of the column that lies so far ahead are taken to wait
        for quotient words.  (At the last front column it is one fewer in truth.)"""
        return ahead - self.late

    def column(self, words: int, c: int, kind: Kind) -> Column:
        """Column c (0 to 2*words - 2) of operands of `words` words."""
        low, high = max(0, c - words + 1), min(c, words - 1)
        pairs = high - low + 1
        if kind == "multiply":
            ab = pairs
        elif kind == "square":
            ab = c // 2 - low + 1
        else:
            ab = int(c == 0 if kind == "spread" else c % 2 == 0)
        late = int(self.late and 1 <= c <= words)
        return Column(ab, (pairs if c >= words else c) - late, late)

    def totals(self, words: int, kind: Kind) -> Totals:
        """The clocks of one product of `words` words."""
        columns = [self.column(words, c, kind) for c in range(2 * words - 1)]
        if self.paired:
            runs = sum(max(column.ab, column.mn) for column in columns)
            return Totals(runs + words * (self.waits + self.gaps + 2), (0, 0))
        return _Walk(self, words, columns).totals()


class _Walk:
    """Goes through the columns and counts; a column is the numbers of its AB and MN left."""

    def __init__(self, schedule: Schedule, words: int, columns: list[Column]):
        self.schedule, self.words = schedule, words
        self.left = [[column.ab, column.mn] for column in columns]
        self.late = [column.late for column in columns]

    def totals(self) -> Totals:
        schedule, lanes = self.schedule, self.schedule.multipliers
        bundles, most = 0, [0, 0]
        for c, (ab, mn) in enumerate(self.left):
            front = c < self.words
            runs = -(-(ab + mn) // lanes)
            if not front:
                runs = max(1, runs)
            free = runs * lanes - ab - mn
            taken = [self.late[c + 1] if c + 1 < len(self.late) else 0, 0]
            self._ahead(c, [free], taken)
            if front:
                waits, gaps = [lanes] * schedule.waits, [lanes] * schedule.gaps
                self._ahead(c, [*waits, lanes - 1, *gaps], taken)
                runs += schedule.waits + schedule.gaps + 2
            bundles += runs
            most = [max(pair) for pair in zip(most, taken, strict=True)]
        return Totals(bundles, (most[0], most[1]))

    def _ahead(self, c: int, slots: list[int], taken: list[int]) -> None:
        """Fill the free multipliers of some clocks from the next columns."""
        for free in slots:
            for place in range(self.schedule.lookahead):
                if c + 1 + place < len(self.left):
                    count = min(free, self._available(c + 1 + place, c))
                    ab, mn = self.left[c + 1 + place]
                    self.left[c + 1 + place] = [max(0, ab - count), mn - max(0, count - ab)]
                    taken[place] += count
                    free -= count

    def _available(self, d: int, c: int) -> int:
        """Products of column d that can be made in column c: with quotient words below m[c]."""
        ab, mn = self.left[d]
        known = mn - self.schedule.unknown(d - c) if c < self.words else mn
        if d >= self.words:
            return max(0, min(ab + max(0, known), ab + mn - 1))
        return ab + max(0, known)
