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

# multiply: a product.  square: in GF(p), or in GF(2^m) with doubled products that are made zero.
# skip: a square in GF(2^m) without these.  spread: the same, with a[j]^2 from wires beside an MN.
Kind = Literal["multiply", "square", "skip", "spread"]


class Column(NamedTuple):
    """The numbers of products of one column, without Q and R.  late: 1 if m[c-1]*n[1] is issued
    with R of column c - 1; it is not counted in mn."""

    ab: int
    mn: int
    late: int


class Totals(NamedTuple):
    """bundles: clocks in which products are issued, or could be.  ahead: the most products that are
    added one column, and two columns, ahead of the accumulator at the same time."""

    bundles: int
    ahead: tuple[int, int]


@dataclass(frozen=True)
class Schedule:
    """multipliers: 1 or 2.  lookahead: columns, 0 to 2; with two multipliers and 0, one multiplier
    makes AB and the other everything else.  bypass: Q takes the sum from the adder, not from the
    accumulator. stages: clocks of one product."""

    multipliers: int
    lookahead: int
    bypass: bool
    stages: int

    @property
    def paired(self) -> bool:
        """Whether each of the two sums has its own multiplier, as in the paper's drawing."""
        return self.multipliers == 2 and self.lookahead == 0

    @property
    def late(self) -> bool:
        """Whether the second multiplier makes m[c]*n[1] while the first makes R."""
        return self.multipliers == 2 and self.lookahead > 0

    @property
    def addend_register(self) -> bool:
        """Whether products wait one clock between multiplier and adder: in a long pipeline, the
        choice of their place would otherwise be on the longest path."""
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
        """Clocks until the first columns are ready."""
        return self.lookahead + 1

    def unknown(self, ahead: int) -> int:
        """How many of the last MN products, in the column that is so far ahead, are assumed
        to wait for quotient words.  (At the last front column it is in truth one fewer.)"""
        return ahead - self.late

    def column(self, words: int, c: int, kind: Kind) -> Column:
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
    """Goes through the columns and counts; a column is the numbers of AB and MN that are left."""

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
        """Fill the free multipliers of some clocks with products of the next columns."""
        for free in slots:
            for place in range(self.schedule.lookahead):
                if c + 1 + place < len(self.left):
                    count = min(free, self._available(c + 1 + place, c))
                    ab, mn = self.left[c + 1 + place]
                    self.left[c + 1 + place] = [max(0, ab - count), mn - max(0, count - ab)]
                    taken[place] += count
                    free -= count

    def _available(self, d: int, c: int) -> int:
        """How many products of column d can be made in column c, with quotients below
        m[c]."""
        ab, mn = self.left[d]
        known = mn - self.schedule.unknown(d - c) if c < self.words else mn
        if d >= self.words:
            return max(0, min(ab + max(0, known), ab + mn - 1))
        return ab + max(0, known)
