"""Issues the word products of a schedule, one bundle a clock, for any number of words in use."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.multipliers.fips.cursor import Choice, ColumnRange, Cursor, Shape
from modmul.multipliers.fips.schedule import Schedule


class Lane:
    """What one multiplier has to do, from registers; `valid` is low in idle clocks.

    mn: m[j]*n[k], else a[j]*b[k].  double: twice that product.  quotient: V*n0'.  left_is_product:
    m[j] leaves the multiplier in the same clock that needs it; left_is_latest: it left one clock
    before, and is not yet in the memory.  ahead: by how many columns the product is ahead of the
    accumulator. ride: the square of a[middle] is added to the product in the same cycle."""

    def __init__(self, shape: Shape, name: str):
        self.valid, self.mn = Signal(name=f"{name}_valid"), Signal(name=f"{name}_mn")
        self.quotient = Signal(name=f"{name}_quotient")
        self.j, self.k = Signal(shape.bits, name=f"{name}_j"), Signal(shape.bits, name=f"{name}_k")
        self.double = Signal(name=f"{name}_double")
        self.left_is_product = Signal(name=f"{name}_left_is_product")
        self.left_is_latest = Signal(name=f"{name}_left_is_latest")
        self.ahead = Signal(2, name=f"{name}_ahead")
        self.ride = Signal(name=f"{name}_ride")
        self.middle = Signal(shape.bits, name=f"{name}_middle")

    def signals(self) -> list[Signal]:
        return list(vars(self).values())


class Controller:
    """start: begins a product; only while `idle`.  choice: its kind and length, from the next clock
    on until `idle` is high again (the first column is the same for all).  The first bundle is
    issued `schedule.fill` + 2 clocks later.

    lanes: what the multipliers have to do.  For the whole bundle, also from registers: ends, the
    column is complete with it; rear, the column makes a result word; finish, in the clock after the
    last bundle."""

    def __init__(self, m: Module, schedule: Schedule, shape: Shape, start: Value, choice: Choice):
        self.m, self.schedule, self.shape, self.choice = m, schedule, shape, choice
        self.idle = Signal(init=1, name="idle")
        self.lanes = [Lane(shape, f"lane_{i}") for i in range(schedule.multipliers)]
        self.ends = Signal(name="column_ends")
        self.rear = Signal(name="column_is_rear")
        self.finish = Signal(name="finish")
        names = ("run", "wait_for_sum", "make_quotient", "wait_for_quotient", "reduce")
        self.run, self.wait, self.q, self.gap, self.r = (Signal(name=name) for name in names)
        count = schedule.lookahead + 1
        self.cursors = [Cursor.signals(shape, f"column_{i}") for i in range(count + 1)]
        self.limits = ColumnRange(shape, "limits")  # the range of the column behind the cursors
        self.column = Signal(shape.column_bits, name="column_0_index")
        self.next_index = Signal(shape.column_bits, name="limits_next_index", init=1)
        maker = self.lanes[1 if schedule.paired else 0]
        self.after_r = maker.left_is_product  # the clock after R is issued
        self.newest = Signal(shape.bits, name="newest")
        self.advance = Signal(name="advance")
        self.filling = Signal(schedule.fill, name="filling")  # cursors are set to their columns
        self.working = Signal(name="working")  # bundles are issued
        issued = [Lane(shape, f"issue_{i}") for i in range(schedule.multipliers)]
        left = self._issue_paired(issued) if schedule.paired else self._issue_free(issued)
        self._walk(start, left)
        self._register(issued)

    # ---- what is issued -----------------------------------------------------------------------

    def _after(self, place: int, number: int) -> str:
        """The name of a cursor after the multiplier of that number has taken its product."""
        return f"column_{place}_after" + (f"_lane_{number}" if len(self.lanes) > 1 else "")

    def _issue_free(self, issued: list[Lane]) -> list[Cursor]:
        """Give every multiplier the next product, and return the cursors after that."""
        m, cursors = self.m, self.cursors[:-1]
        for i, lane in enumerate(issued):
            busy, taken = (self.q | self.r if i == 0 else self.r), []
            if i == 0:
                self._quotient(lane)
            elif self.schedule.late:
                self._late(lane)
            for place, cursor in enumerate(cursors):
                chosen = Signal(name=f"lane_{i}_takes_column_{place}")
                if place:
                    able = self.working & ~busy & self._available(cursor, place)
                else:
                    able = self.run & cursor.some
                m.d.comb += chosen.eq(able)
                self._put(lane, cursor, place, chosen)
                cursors[place] = cursor.taken(m, chosen, self._after(place, i))
                busy = busy | chosen
                taken.append(chosen)
            self._use(lane, Cat(taken).any())
        return cursors

    def _issue_paired(self, issued: list[Lane]) -> list[Cursor]:
        """Let the first multiplier make AB, the second MN and quotient words; return the cursor
        after."""
        m, present, left = self.m, self.cursors[0], []
        self._quotient(issued[1])
        for i, part in enumerate(present.parts(m, "column_0")):
            chosen = Signal(name=f"lane_{i}_takes_column_0")
            m.d.comb += chosen.eq(self.run & part.some)
            self._put(issued[i], part, 0, chosen)
            left.append(part.taken(m, chosen, self._after(0, i)))
            self._use(issued[i], chosen)
        ab, mn = left
        merged = present.changed("column_0_after", j=ab.j, k=ab.k, ab=ab.ab, mn=mn.mn)
        merged.low, merged.high = mn.j, mn.k
        merged.count(m)
        return [merged]

    def _available(self, cursor: Cursor, ahead: int) -> Value:
        """Whether the next product of `cursor` can be made now, `ahead` columns before its
        own: the quotient words below that of the present column are known; the last product of a
        rear column stays."""
        unknown = self.schedule.unknown(ahead)
        never = unknown >= (1 << len(cursor.mn)) - 1  # so few words are there
        enough: Value = Const(0, 1) if never else cursor.mn > unknown
        known = cursor.is_ab | ~self.cursors[0].front | enough
        return known & Mux(cursor.front, cursor.some, cursor.several)

    def _use(self, lane: Lane, taken: Value) -> None:
        """Drive whether there is something to multiply: a product taken, Q, R, or a late
        product."""
        m = self.m
        m.d.comb += lane.valid.eq(taken | lane.quotient | lane.left_is_product)

    def _put(self, lane: Lane, cursor: Cursor, place: int, chosen: Value) -> None:
        m, is_mn = self.m, ~cursor.is_ab
        with m.If(chosen):
            m.d.comb += [
                lane.mn.eq(is_mn),
                lane.j.eq(cursor.j),
                lane.k.eq(cursor.k),
                lane.double.eq(self.choice.square & ~is_mn & (cursor.j != cursor.k)),
                lane.left_is_latest.eq(is_mn & self.after_r & (cursor.j == self.newest)),
                lane.ahead.eq(place),
            ]
            if self.shape.binary == "spread":
                first = is_mn & (cursor.j == cursor.low) & (cursor.low[0] == cursor.high[0])
                m.d.comb += [
                    lane.ride.eq(first & self.choice.square & self.choice.binary),
                    lane.middle.eq(cursor.middle),
                ]

    def _quotient(self, lane: Lane) -> None:
        lane.quotient, lane.left_is_product = self.q, self.r
        self.m.d.comb += lane.mn.eq(self.r)

    def _late(self, lane: Lane) -> None:
        """Let the lane make m[c]*n[1] together with R of column c."""
        several = Signal(name="several_words")
        self.m.d.comb += [
            several.eq(self.choice.last.any()),
            lane.mn.eq(self.r),
            lane.left_is_product.eq(self.r & several),
            lane.k.eq(self.r),
            lane.ahead.eq(self.r),
        ]
        if self.shape.binary == "spread":  # with two words it is the only product of column 2
            alone = (self.choice.last == 1) & (self.column == 1)
            self.m.d.comb += [
                lane.ride.eq(self.r & alone & self.choice.square & self.choice.binary),
                lane.middle.eq(self.r),
            ]

    # ---- from column to column ----------------------------------------------------------------

    def _walk(self, start: Value, left: list[Cursor]) -> None:
        m, schedule, present = self.m, self.schedule, self.cursors[0]
        ends, complete = Signal(name="run_ends"), Signal(name="complete")
        final, done = Signal(name="last_column"), Signal(name="product_done")
        front_ends, shift = Signal(name="front_ends"), Signal(name="columns_shift")
        m.d.comb += [
            ends.eq(self.run & (~present.several if len(self.lanes) == 1 else ~left[0].some)),
            front_ends.eq(ends & present.front),
            complete.eq(self.r | (ends & ~present.front)),
            final.eq(self.column == self.choice.last << 1),
            self.advance.eq(complete & ~final),
            done.eq(complete & final),
            shift.eq(self.advance | start | self.filling.any()),
        ]
        spent = Signal(name="next_column_is_spent")
        following = self.cursors[1]
        m.d.comb += spent.eq(following.front & ~following.some if schedule.lookahead else 0)
        with m.If(self.advance):
            m.d.sync += self.run.eq(~spent)
        with m.If(front_ends | done):
            m.d.sync += self.run.eq(0)
        with m.If(self.filling[-1]):
            m.d.sync += self.run.eq(1)
        self._finish_front(front_ends | (self.advance & spent))
        with m.If(self.r):
            m.d.sync += self.newest.eq(self.column)
        m.d.sync += [
            self.working.eq(self.filling[-1] | (self.working & ~done)),
            self.idle.eq(done | (self.idle & ~start)),
            self.filling.eq(Cat(start, self.filling[:-1])),
        ]
        self._move(left, shift, done)
        m.d.sync += [
            self.ends.eq(complete),
            self.rear.eq(~present.front),
            self.finish.eq(self.ends & self.idle),
        ]

    def _finish_front(self, summed: Value) -> None:
        """End a front column, whose last product is `summed`: wait, Q, gap, R."""
        m, waits, gaps = self.m, self.schedule.waits, self.schedule.gaps
        longest = max(waits, gaps)
        counter = Signal(range(max(longest, 1)), name="waits_left")
        over = counter == 0 if longest > 1 else Const(1, 1)
        quotient, reduce = summed, self.q
        if waits:
            m.d.sync += self.wait.eq(summed | (self.wait & ~over))
            quotient = self.wait & over
        if gaps:
            m.d.sync += self.gap.eq(self.q | (self.gap & ~over))
            reduce = self.gap & over
        m.d.sync += [self.q.eq(quotient), self.r.eq(reduce)]
        if longest > 1:
            m.d.sync += counter.eq(counter - 1)
            for begins, count in ((summed, waits), (self.q, gaps)):
                if count:
                    with m.If(begins):
                        m.d.sync += counter.eq(count - 1)

    def _move(self, left: list[Cursor], shift: Value, rewind: Value) -> None:
        """Set the cursors to `left`, or one column further; at the end, before the first column."""
        m, newest = self.m, self.cursors[-1]
        entering = Cursor.of_column(m, self.limits, self.choice, f"column_{len(left)}_next")
        limits = ColumnRange.of_column(
            m, self.shape, self.next_index, self.choice.last, "limits_next"
        )
        for cursor, after in zip(self.cursors, left, strict=False):
            m.d.sync += cursor.set_to(after)
        with m.If(shift):
            for cursor, after in zip(self.cursors, [*left[1:], newest, entering], strict=True):
                m.d.sync += cursor.set_to(after)
            m.d.sync += [*self.limits.set_to(limits), self.next_index.eq(self.next_index + 1)]
        with m.If(self.advance):
            m.d.sync += self.column.eq(self.column + 1)
        with m.If(rewind):
            m.d.sync += [*self.limits.rewind(), self.column.eq(0), self.next_index.eq(1)]

    def _register(self, issued: list[Lane]) -> None:
        for lane, issue in zip(self.lanes, issued, strict=True):
            for register, wire in zip(lane.signals(), issue.signals(), strict=True):
                self.m.d.sync += register.eq(wire)
