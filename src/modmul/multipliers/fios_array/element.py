"""An element of the array, which computes one step of a product in each period."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import DelayLine
from modmul.blocks.memory import SimpleDualPort
from modmul.blocks.part import wire
from modmul.multipliers.fios_array.plan import (
    HEAD,
    HELD,
    HOLD,
    IDLE,
    QUOTIENT,
    STREAMED,
    TOP,
    ArrayTiming,
    Slot,
)
from modmul.targets import Target
from modmul.targets.primitives import Link, MacConfig


class Flag(NamedTuple):
    """A register, and the value that it will have in the next clock."""

    now: Signal
    following: Signal


class Element(wiring.Component):
    """An element of the array, which computes one step of a product, T <- (T + a_i*B + q*N) / 2^w,
    a word every two clocks.

    `phase` counts the clocks of its period of {period}. Words of B and T come from the element
    before it into memories of its own (`b_...`, `t_...`), wait there until they are used, and leave
    for the next element (`b_out`, `t_out`). New products enter the element that is `fresh`; from
    the factors of a product to its sum P are `latency` clocks."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "the period": {
            "phase": "the clock of it; 0: a_i*b_0 enters",
            "period_ends": "the last clock",
        },
        "what enters the DSP block: flip-flops, whose next values are decoded from phase": {
            "head": "a_i*b_0 of the product that follows, for v_0",
            "before_head": "head in the next clock",
            "quotient": "v_0*N' of the product that follows",
            "streamed": "a_i*b_j; b_j goes on to the next element",
            "held": "q*n_j",
            "top": "0, for the last word of T",
            "nothing": "0: no product",
            "of_n": "n_j or N', not b_j",
            "adds_1": "to this product, P is added",
            "adds_2": "to this product, P/2^w is added",
            "adds_3": "to this product, P/2^w is added as it was a clock earlier",
            "head_d[0-9]*": "head, so many clocks ago",
            "quotient_d[0-9]*": "quotient, so many clocks ago; with the last of these, q is in P",
            "held_d[0-9]*": "held, so many clocks ago",
            "top_d[0-9]*": "top, so many clocks ago",
            "adds_*_d[0-9]*": "likewise, so many clocks ago",
            "*_next": "in the next clock",
        },
        "products": {
            "active": "a product is in the element",
            "next_active": "one follows; its head comes first",
            "round": "of the product in the element",
            "tag": "",
            "next_round": "of the product that follows",
            "next_tag": "",
        },
        "factors": {
            "index_next": "j in the next clock",
            "b_address": "j; 0 for the head",
            "n_address": "j; behind the words of N for N'",
            "a_address": "round and tag of the product in the element, or that follows",
            "n_word": "n_j or N'",
            "a_word": "a_i",
            "memory_[abn]": "",
            "x": "the factor of a pair: a_i, v_0, q",
            "y": "b_j, n_j or N'",
            "q": "the quotient of this step",
        },
        "P: a_i*b_j + P/2^w, then q*n_j + P": {
            "p": "its low word is one of a_i*B + q*N, or v_0, or q, before T is added",
            "mac": "",
        },
        "words of T: those of P and of T before, added": {
            "t_index_read": "j of the word in P",
            "t_index_read_next": "in the next clock",
            "t_address": "j; 0 for the head",
            "t_word": "t_j",
            "memory_t": "",
            "enters_first_d[0-9]*": "enters_round was 0 so many clocks ago: T = 0, for a head",
            "is_first_d[0-9]*": "round was 0 so many clocks ago: T = 0, for what is no head",
            "t_added": "t_j, or 0: in the first step, and for the last word",
            "p_and_t": "the low word of P + t_j",
            "sum_word_sum": "the same + carry, its carry on top",
            "sum_word": "this word",
            "carry_out": "its carry",
            "carry": "that of the word before; v_0 is made without",
            "sum": "v_0, or a word of T",
            "t_made": "a word of T",
            "t_made_place": "its number: one less than j",
        },
    }

    PORT_NOTES: ClassVar[dict[str, str]] = {
        "enters": "with a head: it is of a product",
        "enters_round": "the round of this product",
        "enters_tag": "its tag",
        "active": "a product is in the element",
        "round": "its round",
        "tag": "its tag",
        "head_comes": "a head enters in the next clock",
        "b_write": "a word of B comes",
        "b_index": "its number",
        "t_write": "a word of T comes",
        "t_index": "its number",
        "a_write": "a word of A comes",
        "a_index": "its round and tag",
        "n_write": "a word of N comes, or N'",
        "n_index": "its number",
        "b_passes": "a word of B leaves",
        "b_place": "its number",
        "t_passes": "a word of T leaves",
        "t_place": "its number",
    }

    def __init__(
        self,
        plan: ArrayTiming,
        chip: Target,
        word: int,
        words: int,
        stages: tuple[int, int],
        number: int,
        product_bits: tuple[int, int],
    ):
        """stages: registers in the DSP block, and clocks until P.  number: of this element.
        product_bits: bits of a round and of a tag, which accompany a product and tell which word of
        A it needs."""
        self.plan, self.chip, self.word, self.words = plan, chip, word, words
        (self.registers, self.latency), self.number = stages, number
        self.product_bits = product_bits
        self.fresh = number == 0  # operands enter this element
        rounds, tags = product_bits
        index, store = range(words), 1 << rounds + tags
        super().__init__(
            {
                # a product whose head enters, and its round and tag
                "enters": In(1),
                "enters_round": In(rounds),
                "enters_tag": In(tags),
                "active": Out(1),
                "round": Out(rounds),
                "tag": Out(tags),
                "head_comes": Out(1),  # in the clock before it
                "phase": Out(range(plan.period), init=self._start),
                "b_write": In(1),
                "b_index": In(index),
                "b_in": In(word),
                "t_write": In(1),
                "t_index": In(index),
                "t_in": In(word),
                "a_write": In(1),
                "a_index": In(range(store)),
                "a_in": In(word),
                "n_write": In(1),
                "n_index": In(range(words + 1)),
                "n_in": In(word),
                "b_passes": Out(1),
                "b_place": Out(index),
                "b_out": Out(word),
                "t_passes": Out(1),
                "t_place": Out(index),
                "t_out": Out(word),
            }
        )

    @property
    def period(self) -> int:
        return self.plan.period

    @property
    def _start(self) -> int:
        """The phase after a reset: in the first element a head enters in the second cycle, so that
        operands are taken in the first; the other elements are behind it by the offsets."""
        return (self.plan.at(HEAD) - 1 - self.plan.start(self.number)) % self.period

    def elaborate(self, platform: object) -> Module:
        self.m = Module()
        self._phase()
        self._products()
        self._datapath()
        return self.m

    # ---- control ------------------------------------------------------------------------------

    def _phase(self) -> None:
        """Count the clock of the period; flags of its slots come from flip-flops."""
        m, period = self.m, self.period
        self.ends = Signal(name="period_ends")
        m.d.comb += self.ends.eq(self.phase == period - 1)
        m.d.sync += self.phase.eq(Mux(self.ends, 0, self.phase + 1))

    def _slot(self, name: str, chosen: Callable[[Slot], bool]) -> Flag:
        """A flip-flop that is high in the chosen slots."""
        return self._pulse(name, {at for at, slot in enumerate(self.plan.slots) if chosen(slot)})

    def _pulse(self, name: str, places: set[int]) -> Flag:
        """A flip-flop that is high in these clocks of the period."""
        flag, following = Signal(name=name, init=self._start in places), Signal(name=f"{name}_next")
        with self.m.Switch(self.phase):
            before = [(at - 1) % self.period for at in sorted(places)]
            if before:
                with self.m.Case(*before):
                    self.m.d.comb += following.eq(1)
        self.m.d.sync += flag.eq(following)
        return Flag(flag, following)

    def _counter(self, advance: Value, name: str) -> Flag:
        """The index of the word of a chain; it is 0 at the beginning of each."""
        done = sum(slot.kind == HELD for slot in self.plan.slots[: self._start]) % self.words
        count = Signal(range(self.words), name=name, init=done)
        following, last = Signal(range(self.words), name=f"{name}_next"), self.words - 1
        with self.m.If(advance):
            self.m.d.comb += following.eq(Mux(count == last, 0, count + 1))
        with self.m.Else():
            self.m.d.comb += following.eq(count)
        self.m.d.sync += count.eq(following)
        return Flag(count, following)

    def _address(self, following: Value, name: str) -> Signal:
        """A register for the address of a memory, so that its word is there early."""
        address = Signal(len(following), name=name)
        self.m.d.sync += address.eq(following)
        return address

    def _line(self, flag: Flag) -> DelayLine:
        return DelayLine(self.m, flag.now, flag.now.name, reset=True)

    def _before(self, line: DelayLine, flag: Flag, cycles: int) -> Value:
        """The flag `cycles` later, but one clock early."""
        return line(cycles - 1) if cycles else flag.following

    def _products(self) -> None:
        m = self.m
        self.head = self._slot("head", lambda slot: slot.kind == HEAD)
        before = self._pulse("before_head", {self.plan.at(HEAD) - 1})
        m.d.comb += self.head_comes.eq(before.now)
        following = Signal(name="next_active")
        rounds, tags = (
            Signal(bits, name=f"next_{name}", reset_less=True)
            for bits, name in zip(self.product_bits, ("round", "tag"), strict=True)
        )
        with m.If(self.head.now):
            m.d.sync += [
                following.eq(self.enters),
                rounds.eq(self.enters_round),
                tags.eq(self.enters_tag),
            ]
        current = Mux(self.ends, Cat(rounds, tags), Cat(self.round, self.tag))
        entering = Cat(self.enters_round, self.enters_tag)
        self.a_next = Mux(self.head.following, entering, current)
        with m.If(self.ends):
            m.d.sync += [self.active.eq(following), self.round.eq(rounds), self.tag.eq(tags)]

    # ---- memories -----------------------------------------------------------------------------

    def _memory(self, name: str, holds: str, depth: int, read: Value) -> Signal:
        """The word at `read`, in the same clock; the other ports are named after the
        memory."""
        m = self.m
        memory = SimpleDualPort(self.chip, self.word, depth, "distributed", 0, holds)
        m.submodules[f"memory_{name}"] = memory
        m.d.comb += [
            memory.write_enable.eq(getattr(self, f"{name}_write")),
            memory.write_address.eq(getattr(self, f"{name}_index")),
            memory.write_data.eq(getattr(self, f"{name}_in")),
            memory.read_address.eq(read),
        ]
        word = Signal(self.word, name=f"{name}_word")
        m.d.comb += word.eq(memory.read_data)
        return word

    # ---- datapath -----------------------------------------------------------------------------

    def _datapath(self) -> None:
        m, w, at = self.m, self.word, self.latency
        streamed = self._slot("streamed", lambda slot: slot.kind == STREAMED).now
        held = self._slot("held", lambda slot: slot.kind == HELD)
        top = self._slot("top", lambda slot: slot.kind == TOP)
        quotient = self._slot("quotient", lambda slot: slot.kind == QUOTIENT)
        of_n = self._slot("of_n", lambda slot: slot.kind in (HELD, QUOTIENT)).now
        nothing = self._slot("nothing", lambda slot: slot.kind in (TOP, IDLE, HOLD)).now
        index = self._counter(held.now, "index")
        b_next = Mux(self.head.following, 0, index.following)
        n_next = Mux(quotient.following, self.words, index.following)
        b = self._memory("b", "operand b", self.words, self._address(b_next, "b_address"))
        n = self._memory(
            "n", "the modulus, and N' behind it", self.words + 1, self._address(n_next, "n_address")
        )
        a = self._memory(
            "a",
            "words of operand a",
            1 << sum(self.product_bits),
            self._address(self.a_next, "a_address"),
        )
        q = Signal(w, name="q", reset_less=True)
        x, y = Signal(w, name="x"), Signal(w, name="y")
        m.d.comb += [
            x.eq(Mux(quotient.now, self.t_out, Mux(held.now, q, a))),
            y.eq(Mux(of_n, n, b)),
            self.b_passes.eq(streamed),
            self.b_place.eq(index.now),
            self.b_out.eq(b),
        ]
        p = self._block(x, y, nothing)
        with m.If(self._line(quotient)(at)):
            m.d.sync += q.eq(p[:w])
        self._sum(p[:w], (self.head, held, top))

    def _links(self) -> Iterable[tuple[Link, Callable[[Slot], bool]]]:
        """Each link with the slots in which it is added to a product."""
        w = self.word
        first = (HEAD, QUOTIENT, IDLE)
        yield Link("zero"), lambda to: to.kind in first or (to.kind, to.word) == (STREAMED, 0)
        yield Link("own"), lambda to: to.kind in (HELD, "hold")
        yield Link("own", w), lambda to: _shifts(to) and not to.late
        yield Link("own", w, 1), lambda to: _shifts(to) and to.late

    def _block(self, x: Value, y: Value, nothing: Value) -> Value:
        """P, `latency` clocks after its product has entered."""
        m, w = self.m, self.word
        links = [
            (link, chosen) for link, chosen in self._links() if any(map(chosen, self.plan.slots))
        ]
        config = MacConfig(
            a_width=w,
            b_width=w,
            p_width=2 * w + 1,
            steps=tuple(link for link, _ in links),
            registers=self.registers,
            last=True,
        )
        m.submodules.mac = mac = self.chip.mac(config)
        early = self.latency - 1 - self.chip.mac.step_register
        steps = [
            self._line(self._slot(f"adds_{k}", chosen))(early)
            for k, (_, chosen) in enumerate(links)
        ]
        p = Signal(2 * w + 1, name="p")
        m.d.comb += [
            mac.a.eq(x),
            mac.b.eq(y),
            mac.a_clear.eq(nothing),
            p.eq(mac.p),
            mac.step.eq(Cat(steps)),
        ]
        return p

    def _sum(self, low: Value, flags: tuple[Flag, Flag, Flag]) -> None:
        """Make v_0 = low word of a_i*b_0 + t_0, and the words of T: those of a_i*B + q*N and of T,
        added.

        flags: of the slots head, held and top; they are used `latency` clocks later."""
        m, w, at = self.m, self.word, self.latency
        lines = [self._line(flag) for flag in flags]
        head, held, top = (line(at) for line in lines)
        place = self._counter(held, "t_index_read")
        t_next = Mux(self._before(lines[0], flags[0], at), 0, place.following)
        added = self._added(self._address(t_next, "t_address"), head, top)
        total, carry = Signal(w, name="sum", reset_less=True), Signal(name="carry")
        word, out = Signal(w, name="sum_word"), Signal(name="carry_out")
        without_carry = wire(m, low + added, "p_and_t")
        m.d.comb += Cat(word, out).eq(without_carry + (carry & ~head))
        with m.If(head | held | top):
            m.d.sync += total.eq(word)
        with m.If(held | top):
            m.d.sync += carry.eq(out & ~top)
        passes, behind = Signal(name="t_made"), Signal(range(self.words), name="t_made_place")
        m.d.sync += passes.eq(held & (place.now != 0) | top)
        m.d.sync += behind.eq(Mux(top, self.words - 1, place.now - 1))
        m.d.comb += [self.t_out.eq(total), self.t_passes.eq(passes), self.t_place.eq(behind)]

    def _added(self, address: Value, head: Value, top: Value) -> Value:
        """The word of T at `address`; 0 in the first step and for the last word of a row."""
        m, w, at = self.m, self.word, self.latency
        if self.fresh and self.plan.rounds == 1:
            return Const(0, w)
        none = top
        if self.fresh:  # whether the product whose words are added is in its first step
            entering = DelayLine(m, self.enters_round == 0, "enters_first", reset=True)(at)
            current = DelayLine(m, self.round == 0, "is_first", reset=True)(at)
            none = top | Mux(head, entering, current)
        t = self._memory("t", "words of T", self.words, address)
        added = Signal(w, name="t_added")
        m.d.comb += added.eq(Mux(none, 0, t))
        return added


def _shifts(slot: Slot) -> bool:
    return slot.kind == TOP or (slot.kind == STREAMED and slot.word > 0)
