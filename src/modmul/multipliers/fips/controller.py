"""Issues the word products of a schedule, one bundle a clock, for any number of words in use."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.multipliers.fips.cursor import Choice, Cursor, Shape, Span
from modmul.multipliers.fips.schedule import Schedule


class Lane:
    """What one multiplier is to do, from registers; in idle clocks `valid` is low.

    mn: m[j]*n[k], else a[j]*b[k]; double: twice that; quotient: V*n0'.  fresh: m[j] comes from the
    multiplier in the very clock that needs it; forward: one clock later, when the memory does not
    have it yet.  ahead: columns that the product lies ahead of the accumulator.  ride: the square
    of a[middle] comes with the product."""

    def __init__(self, shape: Shape, name: str):
        self.valid, self.mn = Signal(name=f"{name}_valid"), Signal(name=f"{name}_mn")
        self.quotient = Signal(name=f"{name}_quotient")
        self.j, self.k = Signal(shape.bits, name=f"{name}_j"), Signal(shape.bits, name=f"{name}_k")
        self.double = Signal(name=f"{name}_double")
        self.fresh, self.forward = Signal(name=f"{name}_fresh"), Signal(name=f"{name}_forward")
        self.ahead = Signal(2, name=f"{name}_ahead")
        self.ride = Signal(name=f"{name}_ride")
        self.middle = Signal(shape.bits, name=f"{name}_middle")

    def signals(self) -> list[Signal]:
        """All of them."""
        return list(vars(self).values())


class Controller:
    """start: begin a product; looked at while `idle`.  choice: what it is, from the next clock on
    until `idle` is high again (the first column is the same for all).  The first bundle is issued
    `schedule.fill` + 2 clocks later.

    lanes: what the multipliers are to do.  For the whole bundle, from registers like these: last,
    the column is complete with it; rear, it makes a result word; finish, in the clock after the
    last bundle."""

    def __init__(self, m: Module, schedule: Schedule, shape: Shape, start: Value, choice: Choice):
        self.m, self.schedule, self.shape, self.choice = m, schedule, shape, choice
        self.idle = Signal(init=1, name="idle")
        self.lanes = [Lane(shape, f"lane_{i}") for i in range(schedule.multipliers)]
        self.last = Signal(name="column_last")
        self.rear = Signal(name="column_rear")
        self.finish = Signal(name="finish")
        names = ("run", "wait", "make_quotient", "gap", "reduce")
        self.run, self.wait, self.q, self.gap, self.r = (Signal(name=one) for one in names)
        count = schedule.lookahead + 1
        self.cursors = [Cursor.signals(shape, f"column_{i}") for i in range(count)]
        self.fresh = Cursor.signals(shape, "fresh")  # the next column but these
        self.span = Span(shape, "span")  # what the one after that multiplies
        self.column = Signal(shape.column_bits, name="column")
        self.next_column = Signal(shape.column_bits, name="next_column", init=1)
        self.after_r = Signal(name="after_reduce")
        self.newest = Signal(shape.bits, name="newest")
        self.advance = Signal(name="advance")
        self.filling = Signal(schedule.fill, name="filling")  # of the cursors, with their columns
        self.working = Signal(name="working")  # bundles are issued
        issued = [Lane(shape, f"issue_{i}") for i in range(schedule.multipliers)]
        left = self._issue_paired(issued) if schedule.paired else self._issue_free(issued)
        self._walk(start, left)
        self._register(issued)

    # ---- what is issued -----------------------------------------------------------------------

    def _issue_free(self, issued: list[Lane]) -> list[Cursor]:
        """Every multiplier takes what comes next; the cursors afterwards."""
        m, cursors = self.m, list(self.cursors)
        for i, lane in enumerate(issued):
            fixed = self.q | self.r if i == 0 else self.r
            if i == 0:
                self._quotient(lane)
            elif self.schedule.late:
                self._late(lane)
            busy = fixed
            for place, cursor in enumerate(cursors):
                chosen = Signal(name=f"take_{i}_{place}")
                able = cursor.some & self.run if place == 0 else self._available(cursor, place)
                m.d.comb += chosen.eq(able & ~busy & self.working)
                self._put(lane, cursor, place, chosen)
                cursors[place] = cursor.taken(m, chosen, f"after_{i}_{place}")
                busy = busy | chosen
        return cursors

    def _issue_paired(self, issued: list[Lane]) -> list[Cursor]:
        """The first multiplier makes AB, the second MN and the quotient words."""
        m, left = self.m, []
        self._quotient(issued[1])
        for i, part in enumerate(self.cursors[0].parts(m)):
            chosen = Signal(name=f"take_{i}")
            m.d.comb += chosen.eq(part.some & self.run)
            self._put(issued[i], part, 0, chosen)
            left.append(part.taken(m, chosen, f"after_{i}"))
        merged = Cursor.signals(self.shape, "after")
        ab, mn = left
        m.d.comb += merged.set_to(ab)[: len(Cursor.FIELDS) - 3]
        m.d.comb += [merged.mn.eq(mn.mn), merged.low.eq(mn.j), merged.high.eq(mn.k)]
        merged.count(m)
        return [merged]

    def _available(self, cursor: Cursor, ahead: int) -> Value:
        """Whether its next product can be made now, `ahead` columns before its own: the quotient
        words below that of the present column are known; the last product of a rear column
        stays."""
        unknown = self.schedule.unknown(ahead)
        never = unknown >= (1 << len(cursor.mn)) - 1  # so few words are there
        enough: Value = Const(0, 1) if never else cursor.mn > unknown
        known = cursor.is_ab | ~self.cursors[0].front | enough
        return known & Mux(cursor.front, cursor.some, cursor.several)

    def _put(self, lane: Lane, cursor: Cursor, place: int, chosen: Value) -> None:
        m, is_mn = self.m, ~cursor.is_ab
        with m.If(chosen):
            m.d.comb += [
                lane.valid.eq(1),
                lane.mn.eq(is_mn),
                lane.j.eq(cursor.j),
                lane.k.eq(cursor.k),
                lane.double.eq(self.choice.square & ~is_mn & (cursor.j != cursor.k)),
                lane.forward.eq(is_mn & self.after_r & (cursor.j == self.newest)),
                lane.ahead.eq(place),
            ]
            if self.shape.binary == "spread":
                first = is_mn & (cursor.j == cursor.low) & (cursor.low[0] == cursor.high[0])
                m.d.comb += [
                    lane.ride.eq(first & self.choice.square & self.choice.binary),
                    lane.middle.eq(cursor.middle),
                ]

    def _quotient(self, lane: Lane) -> None:
        """Q and R."""
        with self.m.If(self.q | self.r):
            self.m.d.comb += [
                lane.valid.eq(1),
                lane.quotient.eq(self.q),
                lane.mn.eq(1),
                lane.fresh.eq(self.r),
            ]

    def _late(self, lane: Lane) -> None:
        """m[c]*n[1], with R of column c."""
        with self.m.If(self.r):
            self.m.d.comb += [
                lane.valid.eq(self.choice.last.any()),
                lane.mn.eq(1),
                lane.fresh.eq(1),
                lane.k.eq(1),
                lane.ahead.eq(1),
            ]
            if self.shape.binary == "spread":  # with two words it is all there is of column 2
                alone = (self.choice.last == 1) & (self.column == 1)
                self.m.d.comb += [
                    lane.ride.eq(alone & self.choice.square & self.choice.binary),
                    lane.middle.eq(1),
                ]

    # ---- from column to column ----------------------------------------------------------------

    def _walk(self, start: Value, left: list[Cursor]) -> None:
        m, schedule, present = self.m, self.schedule, self.cursors[0]
        ends, complete = Signal(name="run_ends"), Signal(name="complete")
        final = Signal(name="final")
        counter = Signal(range(max(2, schedule.waits, schedule.gaps)), name="counter")
        m.d.comb += [
            ends.eq(self.run & (~present.several if len(self.lanes) == 1 else ~left[0].some)),
            complete.eq(self.r | (ends & ~present.front)),
            final.eq(self.column == self.choice.last << 1),
            self.advance.eq(complete & ~final),
        ]
        m.d.sync += [self.after_r.eq(self.r), counter.eq(counter - 1)]
        settle = [self.wait.eq(1), counter.eq(schedule.waits - 1)]
        settle = settle if schedule.waits else [self.q.eq(1)]
        with m.If(ends & present.front):
            m.d.sync += [self.run.eq(0), *settle]
        with m.If(self.wait & (counter == 0)):
            m.d.sync += [self.wait.eq(0), self.q.eq(1)]
        with m.If(self.q):
            m.d.sync += self.q.eq(0)
            with_gap = [self.gap.eq(1), counter.eq(schedule.gaps - 1)]
            m.d.sync += with_gap if schedule.gaps else [self.r.eq(1)]
        with m.If(self.gap & (counter == 0)):
            m.d.sync += [self.gap.eq(0), self.r.eq(1)]
        with m.If(self.r):
            m.d.sync += [self.r.eq(0), self.newest.eq(self.column)]
        with m.If(self.advance):
            m.d.sync += self.run.eq(1)
            if schedule.lookahead:
                following = self.cursors[1]
                with m.If(following.front & ~following.some):
                    m.d.sync += [self.run.eq(0), *settle]
        with m.If(complete & final):
            m.d.sync += [self.run.eq(0), self.idle.eq(1), self.working.eq(0)]
        with m.If(start & self.idle):
            m.d.sync += self.idle.eq(0)
        m.d.sync += self.filling.eq(Cat(start & self.idle, self.filling[:-1]))
        with m.If(self.filling[-1]):
            m.d.sync += [self.run.eq(1), self.working.eq(1)]
        self._move(left, self.advance | self.filling.any() | (start & self.idle), complete & final)
        m.d.sync += [
            self.last.eq(complete),
            self.rear.eq(~present.front),
            self.finish.eq(self.last & self.idle),
        ]

    def _move(self, left: list[Cursor], move: Value, rewind: Value) -> None:
        """The cursors: as `left`, or one column further; in the end, before the first column."""
        m = self.m
        behind = Cursor.of_column(m, self.span, self.choice, "behind_fresh")
        span = Span.of_column(m, self.shape, self.next_column, self.choice.last, "next_span")
        for cursor, after in zip(self.cursors, left, strict=True):
            m.d.sync += cursor.set_to(after)
        with m.If(move):
            for cursor, after in zip(self.cursors, [*left[1:], self.fresh], strict=True):
                m.d.sync += cursor.set_to(after)
            m.d.sync += [
                *self.fresh.set_to(behind),
                *self.span.set_to(span),
                self.next_column.eq(self.next_column + 1),
            ]
        with m.If(self.advance):
            m.d.sync += self.column.eq(self.column + 1)
        with m.If(rewind):
            m.d.sync += [*self.span.rewind(), self.column.eq(0), self.next_column.eq(1)]

    def _register(self, issued: list[Lane]) -> None:
        for lane, issue in zip(self.lanes, issued, strict=True):
            for register, wire in zip(lane.signals(), issue.signals(), strict=True):
                self.m.d.sync += register.eq(wire)
