"""Coarsely integrated operand scanning (CIOS) on one DSP block.

    T <- 0
    for i in 0 .. s-1:
        U <- T + a_i*B                  row 1: words u_0 .. u_s
        q <- u_0*N' mod 2^w
        T <- (U + q*N) / 2^w            row 2: words t_0 .. t_(s-1); the lowest word is 0

A word product enters the DSP block in nearly every clock: those of row 1, that of q among them as
soon as u_0 is there, those of row 2.  Behind the block two adders of w bits with carries of their
own make words: low_j + high_(j-1) is a word of a_i*B or q*N, and with t_j or u_j added it is one of
U or T.  A row ends with a product of 0, whose clock adds the last high half.  T and U share a
memory of s words, written as one is made and read as the other is.

Bounds: T < B + N <= R after every step, so that a row's last word leaves no carry; U < 2^w * R; the
result is below 2N for operands below 2N, 4N < R = 2^(w*s), and no subtraction is made.

Cost: one DSP block; 2s + 3 clocks for each of s words of A, s*(2s + 3) for a product, once s is
more than twice the registers in the block (a pause fills what is missing).

Sources: Koc, Acar, Kaliski, 1996 (CIOS); gallin2019, Table III, lists a unit that is as small
(MAS1 of Massolino et al.), of which it tells one DSP block and 583 cycles at 256 bits.  Schedule
and datapath are reconstructed: they are ours.  With words of 17 bits 583 is s*(2s + 4) + 7.

That unit adds and subtracts modulo N, too; so does this one with `adder`, on the same memories and
adders: a sum is one row 1, 1*B and A, and one or two rows 2, 0*N or 2*N and the row before.  The
words of A, or of the row before, come inverted where they are subtracted.  A row, with its carry,
takes s + r + 3 clocks with r registers in the block; it decides what the last one adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

from amaranth.hdl import Cat, Mux, Signal, Value

from modmul.blocks.delay import DelayLine, delay
from modmul.blocks.word_chain import chained_sum, row, row_notes, sum_notes
from modmul.forecast import Forecast, fabric
from modmul.multipliers.core import core_of
from modmul.multipliers.operand_scanning import StepByStep
from modmul.multipliers.operations import ADD
from modmul.multipliers.scanning_core import OPERAND_NOTES, ScanningCore, power
from modmul.targets.primitives import ZERO


class Plan(NamedTuple):
    """The times within a step over one word of A, in clocks from the product a_i*b_0 on.

    quotient: u_0*N' enters.  second: q*n_0 enters, and the others follow.  clocks: the next step
    begins.  wait: clocks between the two rows.  pause: clocks behind the second row.  depth: words
    of T and U in their memory."""

    quotient: int
    second: int
    clocks: int
    wait: int
    pause: int
    depth: int


def plan(words: int, registers: int) -> Plan:
    """The times of a step of `words` words on a block with `registers` registers.

    A word of T or U can be read three clocks after the product that made it has entered; it is read
    when the product to which it is added enters."""
    quotient = registers + 2
    first = [j + (j >= quotient) for j in range(words + 1)]  # the row's last product is 0
    second = max(
        first[-1] + 1, quotient + registers + 1, *(at + 3 - j for j, at in enumerate(first))
    )
    last = second + words
    ready = [second + j + 1 + 3 - at for j, at in enumerate(first[:-1])]  # t_j comes with n_(j+1)
    clocks = max(last + 1, *ready)
    full = second > first[-1] + 2  # u_s is written before u_0 is read
    return Plan(quotient, second, clocks, second - first[-1] - 1, clocks - last - 1, words + full)


@dataclass(frozen=True, kw_only=True)
class Cios(StepByStep):
    """See the docstring of the module."""

    name = "cios"
    summary = "Montgomery multiplication word by word (CIOS) on one DSP block: the smallest"
    sources = ("gallin2019",)

    @cached_property
    def plan(self) -> Plan:
        """The times within a step."""
        return plan(self.words, self.dsp_registers)

    @property
    def step(self) -> int:
        return self.plan.clocks

    @property
    def second(self) -> int:
        return self.plan.second

    def sum_passes(self, operation: str) -> tuple[int, int]:
        """A pass ends with a product of 0, which brings its carry; then the next pass begins."""
        again = self.words + 1 + self.dsp_registers + 2
        before = again * (2 if operation == ADD else 1)
        return before, before + self.words + 1 + self.plan.pause

    def core_forecast(self) -> Forecast:
        """Count four memories, two adders of a word and what chooses the factors of the DSP block;
        with sums, also what inverts a word."""
        chip, w = fabric(self.chip), self.word_bits
        memories = [
            chip.memory(depth, w) for depth in (self.words,) * 2 + (self.words + 1, self.plan.depth)
        ]
        counters = 4 * (self.words - 1).bit_length()
        sums = (w + 20, 3 * self.dsp_registers + 4) if self.adder else (0, 0)
        lut, ff = sums[0] + sum(cells for cells, _ in memories), sums[1]
        return chip.forecast(
            lut=lut + chip.by_lut_inputs(5, 3) * w + 2 * counters + 30,
            ff=ff + 5 * w + counters + 55,
            levels=chip.by_lut_inputs(2.6, 3.2),
            carry=w + 1,
            dsp=1,
        )


@core_of(Cios)
class Core(ScanningCore):
    """{theory}

    Here w = {word_bits} and s = {words}; a step takes {step} clocks."""

    parameters: Cios

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "steps and rows": {
            "starts": "a step begins: a word of A",
            "starts_d[0-9]*": "it began so many clocks ago",
            "quotient": "u_0*N' enters; row 1 stands still",
            "row_1": "products of a_i with words of B enter",
            "row_1_goes_on": "likewise, in this clock",
            "row_1_ends": "a product of 0 enters, for the last word of U",
            "row_1_over": "likewise, in this clock",
            "row_2": "products of q with words of N enter",
            "row_2_ends": "a product of 0 enters, for the last word of T",
            "wait_[0-9]*": "nothing enters between the rows",
            "pause_[0-9]*": "nothing enters behind row 2",
            "step": "i, the word of A",
            "index": "j, the word of B or N",
            "index_next": "j in the next clock",
            "word_ends": "it is the last one",
            "last_step": "so is i",
        },
        **OPERAND_NOTES,
        "DSP block": {
            "x": "a_i, q or u_0",
            "y": "b_j, n_j or N'",
            "nothing": "no product enters",
            "q": "the quotient of this step",
            "quotient_d[0-9]*": "u_0*N' entered so many clocks ago",
        },
        "words of a_i*B or q*N: low half of a product, high half of the one before": {
            **row_notes("product_row", "word j of a_i*B or q*N"),
            "active": "a product of a row entered",
            "active_d[0-9]*": "so many clocks ago",
            "row_ends": "a product of 0 entered",
            "row_ends_d[0-9]*": "so many clocks ago",
        },
        "words of U or T: the word of the row and that of T or U before": {
            **sum_notes("total", "word j of U; of U + q*N, which is 0 for j = 0, else t_(j-1)"),
            "t_or_u": "the word that is added: t_j, 0 in the first step; u_j",
            "nothing_added": "it is 0",
            "nothing_added_d[0-9]*": "so many clocks ago",
            "word_kept": "the word that the product in this clock makes is kept in the memory of "
            "T and U",
            "word_kept_d[0-9]*": "so many clocks ago",
            "word_read": "a word is read from there",
            "word_read_d[0-9]*": "so many clocks ago",
            "t_word": "word of the memory of T and U",
            "t_write_address": "where the next one is written",
            "t_read_address": "where the next one is read",
        },
        "result": {
            "result_word": "the product in this clock makes a word of the result",
            "result_word_d[0-9]*": "so many clocks ago",
            "result_ends": "the last one",
            "result_ends_d[0-9]*": "so many clocks ago",
            "result_before": "a word of it was there in the clock before",
        },
        "sums": {
            "summing": "a + b or a - b is computed",
            "last_pass": "its last row is",
            "by_q": "words are multiplied by q: in row 2, and in all rows of a sum",
            "pass_ends": "a row of a sum ends, and is not the last",
            "a_added": "words of A are added, not those of T",
            "inverted": "the words that are added are inverted",
        },
    }

    def control(self) -> None:
        """Let a token go through row 1, its end, waits, row 2, its end and pauses, s times.  In a
        sum it goes through row 1, and once or twice through row 2, each when the carry of the pass
        is known."""
        m, plan, s = self.m, self.parameters.plan, self.words
        self.step, self.index = Signal(range(s), name="step"), Signal(range(s), name="index")
        row_1, row_1_ends = Signal(name="row_1"), Signal(name="row_1_ends")
        self.row_2, self.row_2_ends = Signal(name="row_2"), Signal(name="row_2_ends")
        begin = Signal(name="product_begins")
        word_ends = self.named(self.index == s - 1, "word_ends")
        self.last_step = self.named(self.step == s - 1, "last_step")
        pauses = [Signal(name=f"pause_{k}") for k in range(plan.pause)]
        ends, done = self.row_2_ends, self.last_step
        if self.adds:
            ends, done = self._passes(begin, row_1_ends)
        step_ends = self.after(ends, pauses)
        starts = self.named(begin | step_ends & ~done, "starts")
        since = DelayLine(m, starts, "starts", reset=True)
        self.quotient = self.quotient_at(since, plan.quotient + 1)
        self.row_1 = self.named(row_1 & ~self.quotient, "row_1_goes_on")
        self.row_1_ends = self.named(row_1_ends & ~self.quotient, "row_1_over")
        waits = [Signal(name=f"wait_{k}") for k in range(plan.wait)]
        row_2_starts = self.after(self.without_sums(self.row_1_ends), waits)
        if self.adds:
            row_2_starts |= self.goes_on
        row_2_next = row_2_starts | self.row_2 & ~word_ends
        m.d.sync += [
            row_1.eq(starts | row_1 & ~(word_ends & self.row_1)),
            row_1_ends.eq(self.row_1 & word_ends | row_1_ends & self.quotient),
            self.row_2.eq(row_2_next),
            self.row_2_ends.eq(self.row_2 & word_ends),
        ]
        self.by_q = self.row_2
        if self.adds:
            operand = self.operand.p
            self.by_q = Signal(name="by_q")  # in a sum row 1, too
            begins = operand.add | operand.subtract
            m.d.sync += self.by_q.eq(Mux(begin, begins, row_2_next | self.summing))
        self._addresses(word_ends, step_ends, since)
        self.handshake(begin, step_ends & done)

    def _passes(self, begin: Signal, row_1_ends: Signal) -> tuple[Value, Signal]:
        """Let a sum go on to its next pass.  Return whether its last pass, or row 2, ends, and
        whether that ends all."""
        self.sums(begin, self.row_2_ends, self.operand.p.subtract)
        goes_on = self.summing & (row_1_ends | self.row_2_ends & ~self.last_pass)
        self.goes_on = self.flag(goes_on, "pass_ends")(self.parameters.dsp_registers + 2)
        done = Signal(name="last_step_or_sum")  # settles long before a step ends
        self.m.d.sync += done.eq(self.last_step | self.summing)
        return self.row_2_ends & (self.last_pass | ~self.summing), done

    def _addresses(self, word_ends: Signal, step_ends: Value, since: DelayLine) -> None:
        """Choose the words that come next: of B and N after each product, of A after each step.
        since: the start of a step."""
        m, s = self.m, self.words
        following = Signal(range(s), name="index_next")
        with m.If(self.row_1 | self.row_2):
            m.d.comb += following.eq(Mux(word_ends, 0, self.index + 1))
        with m.Else():
            m.d.comb += following.eq(self.index)
        # The address of N' or n_j has its own register: the memory is on the longest path.
        self.n_address = Signal(range(s + 1), name="n_address")
        n_next = Mux(since(self.parameters.plan.quotient), s, following)
        m.d.sync += [self.index.eq(following), self.n_address.eq(n_next)]
        next_word = step_ends
        if self.adds:  # a is read with the words of the first pass, late enough to be added
            a_added = self.flag(self.summing & self.row_1, "a_added")
            self.added_a = a_added(self.parameters.dsp_registers)
            next_word = step_ends & ~self.summing | self.added_a
        with m.If(next_word):
            m.d.sync += self.step.eq(Mux(self.last_step, 0, self.step + 1))

    def datapath(self) -> None:
        m, s, w, registers = self.m, self.words, self.word_bits, self.parameters.dsp_registers
        b = self.memory("b", "operand b", s, self.operands[1], self.index)
        a = self.memory("a", "operand a", s, self.operands[0], self.step)
        n = self.memory(
            "n", "the modulus, and N' behind it", s + 1, self.modulus_words, self.n_address
        )
        q, total = Signal(w, name="q", reset_less=True), Signal(w, name="u_0")
        x = self.named(Mux(self.quotient, total, Mux(self.by_q, q, a)), "x")
        y = self.named(Mux(self.row_1, b, n), "y")
        nothing = self.named(~(self.row_1 | self.row_2 | self.quotient), "nothing")
        block = self.parameters.chip.multiplier(registers, "product")
        product = block.place(m, x, y, a_clear=nothing)
        if self.adds:
            self._factor_of_sums(q, total)
        with m.If(delay(m, self.quotient, registers, "quotient", reset=True)):
            m.d.sync += q.eq(product[:w])

        over = self.row_1_ends | self.row_2_ends
        ends = self.flag(over, "row_ends")
        active = self.flag(self.row_1 | self.row_2 | over, "active")
        words = row(m, product, w, "product_row", active(registers), ends(registers))
        behind = (active(registers + 1), ends(registers + 1))
        m.d.comb += total.eq(chained_sum(m, words, self._added(total, a), "total", *behind))
        out, last = (self.row_2 & (self.index != 0)) | self.row_2_ends, self.row_2_ends
        out &= self.last_step
        if self.adds:
            out = self.either(out, self.row_2 & self.last_pass)
            last = self.either(last, self.row_2 & (self.index == s - 1))
        valid = self.flag(out, "result_word")(registers + 2)
        self.results(total, valid, self.flag(last, "result_ends")(registers + 2))

    def _factor_of_sums(self, q: Signal, total: Signal) -> None:
        """Set q of a sum: 1 in row 1, then 2; in the last pass only if the one before gave a
        carry."""
        with self.m.If(self.free):
            self.m.d.sync += q.eq(1)
        with self.m.If(self.goes_on):
            self.m.d.sync += q.eq(Cat(ZERO, total[0] | ~self.last_pass))

    def _added(self, total: Signal, a: Signal) -> Signal:
        """The register of t_j or u_j, read from the memory of both, which holds as many
        words as T when a step begins.  In a sum return a_j or ~a_j, then u_j or ~u_j."""
        p, registers = self.parameters, self.parameters.dsp_registers
        again = self.row_2 & (self.index != 0)  # the lowest word of row 2 is 0
        kept, reads = (
            self.row_1 | self.row_1_ends | again | self.row_2_ends,
            self.row_1 | self.row_2 | self.row_2_ends,
        )
        none = self.row_1_ends | (self.row_1 & (self.step == 0))
        if self.adds:
            in_row = self.row_1 | self.row_2
            kept, reads = self.either(kept, in_row), self.either(reads, in_row)
            none = self.either(none, self.row_1_ends | self.row_2_ends)
        write = self.flag(kept, "word_kept")(registers + 2)
        read = self.flag(reads, "word_read")(registers)
        depth, words = power(p.plan.depth), self.words
        word = self.queue("t", "words of T and U", depth, total, write, read, full=words)
        if self.adds:
            inverts = self.flag(self.summing & (self.row_2 | self.last_pass), "inverted")(registers)
            word = Mux(self.added_a, a, word) ^ inverts.replicate(self.word_bits)
        return self.cleared(word, self.flag(none, "nothing_added")(registers), "t_or_u")
