"""Finely integrated operand scanning (FIOS) on two DSP blocks.

    T <- 0
    for i in 0 .. s-1:
        for j in 0 .. s-1:
            u_j <- word j of T + a_i*B
            if j = 0:  q <- u_0*N' mod 2^w
            t_(j-1) <- word j of U + q*N            the word t_-1 is 0

One loop makes both rows, word by word, so that a step takes about s clocks and not 2s.  The first
DSP block makes a_i*b_j, the second q*n_j the time later that q needs; it makes u_0*N', too, before
the products of its row.  Behind each block are two adders of w bits with carries of their own, as
in `cios`: low_j + high_(j-1), a word of a_i*B or q*N, then that and t_j or u_j.  A row ends with a
product of 0, whose clock adds the last high half.  Words of U wait in a memory for q, those of T
for the next step.

Bounds: T < B + N <= R after every step, so that a row's last word leaves no carry; U < 2^w * R; the
result is below 2N for operands below 2N, 4N < R = 2^(w*s), and no subtraction is made.

Cost: two DSP blocks with r registers each; max(s + r + 1, 2r + 6) clocks for each of s words of A.

Sources: Koc, Acar, Kaliski, 1996 (FIOS); gallin2019, Table III, lists a unit that is as small (MAS2
of Massolino et al.), of which it tells two DSP blocks and 312 cycles at 256 bits.  Schedule and
datapath are reconstructed: they are ours.  With words of 17 bits 312 is s*(s + 3) + 8, and with
r = 2 this one begins a product every s*(s + 3) clocks, too.

That unit adds and subtracts modulo N, too; so does this one with `adder`, on the same memories and
adders, in two steps: the first makes B + A or B + ~A and, of a sum, 2*N + ~U; the second 2*N or 0
and ~U, as the carry of the first says, which makes a step max(s + r + 3, 2r + 6) clocks.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Mux, Signal, Value

from modmul.blocks.delay import DelayLine
from modmul.blocks.word_chain import chained_sum, row, row_notes, sum_notes
from modmul.forecast import Forecast, fabric
from modmul.multipliers.core import core_of
from modmul.multipliers.operand_scanning import StepByStep
from modmul.multipliers.scanning_core import OPERAND_NOTES, ScanningCore, power
from modmul.targets.primitives import ZERO


@dataclass(frozen=True, kw_only=True)
class Fios(StepByStep):
    """See the docstring of the module."""

    name = "fios"
    summary = "Montgomery multiplication word by word (FIOS) on two DSP blocks"
    sources = ("gallin2019",)

    @property
    def quotient(self) -> int:
        """Clocks of a step until u_0*N' enters the second block, when u_0 is known."""
        return self.dsp_registers + 2

    @property
    def second(self) -> int:
        """Clocks of a step until q*n_0 enters, when q is known."""
        return self.quotient + self.dsp_registers

    @property
    def step(self) -> int:
        """Clocks of a step.  The second block makes s + 1 products and one of 0, and waits for q;
        t_0, which its second product makes, is read 4 clocks after that product has entered."""
        return max(self.words + self.dsp_registers + 1, self.second + 4)

    @property
    def sum_step(self) -> int:
        """Clocks of a step of a sum.  Its second step needs the carry of the first, which is kept 3
        clocks after the block has given the product of 0, and enters with n_0."""
        return max(self.step, self.words + self.dsp_registers + 3)

    def sum_passes(self, operation: str) -> tuple[int, int]:
        """Two steps of two passes each, which follow each other like the two rows of a product."""
        return self.sum_step + self.second, 2 * self.sum_step

    def core_forecast(self) -> Forecast:
        """Count five memories, four adders of a word, what chooses a factor of the second DSP
        block; with sums, also what inverts words of T and U and replaces a_i by 1."""
        chip, w, s = fabric(self.chip), self.word_bits, self.words
        memories = [chip.memory(depth, w) for depth in (s, s, s + 1, s, 2 * self.dsp_registers)]
        counters = 5 * (s - 1).bit_length()
        sums = (
            (chip.by_lut_inputs(3, 2.5) * w + 11, 5 * self.dsp_registers + 8)
            if self.adder
            else (0, 0)
        )
        lut, ff = sums[0] + sum(cells for cells, _ in memories), sums[1]
        return chip.forecast(
            lut=lut + chip.by_lut_inputs(5, 4) * w + 2 * counters + 30,
            ff=ff + chip.by_lut_inputs(8, 10.5) * w + counters + 65,
            levels=chip.by_lut_inputs(2, 3.3),
            carry=w + 1,
            dsp=2,
        )


@core_of(Fios)
class Core(ScanningCore):
    """{theory}

    Here w = {word_bits} and s = {words}; a step takes {step} clocks."""

    parameters: Fios

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        p = self.parameters
        steps = {
            "starts": "a step begins: products of the next word of A enter from the next clock on",
            "starts_d[0-9]*": "starts, so many clocks ago",
            "row_1": "a_i*b_j enters the first block",
            "row_1_ends": "0 enters the first block, for the last word of U",
            "pause_[0-9]*": f"nothing enters the first block, so that a step has {p.step} "
            f"clocks{self._longer}",
            "step": "i",
            "last_step": "i = s - 1",
            "index_1": "j of row 1",
            "word_ends_1": "j = s - 1",
            "row_2": "q*n_j enters the second block",
            "row_2_ends": "0 enters the second block, for the last word of T",
            "first_of_row_2": "q*n_0 enters; the block keeps q",
            "index_2": "j of row 2",
            "word_ends_2": "j = s - 1",
            "last_row_2": "row 2 is of the last step: it makes the result",
        }
        if self.adds:
            steps |= {"quotient": "u_0*N' enters the second block"}
        else:
            late = p.quotient + 1
            steps |= {f"starts_d{late}": f"a step began {late} clocks ago: u_0*N' enters"}
        return {
            "steps and rows": steps,
            **OPERAND_NOTES,
            "first block: a_i*b_j": {
                "nothing_1": "0 enters in the place of a_i",
                "product_b_a_reg": "a_i, or 0",
                "product_b_b_reg": "b_j",
                "product_b_product": "",
                "product_b_[mp]_reg": "their product, behind registers of the block",
                "product_b": "their product, out of the block",
                "product_b_block": "",
            },
            "memory of T: words wait for the next step": {
                "t_word": "t_j",
                "row_1_word_d[0-9]*": "a_i*b_j entered so many clocks ago; with the last of "
                "these, t_j is read",
                "t_read_address": "of t_j",
                "makes_t_word": "the product that enters in this clock makes a word of T",
                "makes_t_word_d[0-9]*": "makes_t_word, so many clocks ago; with the last of "
                "these, the word is stored",
                "t_write_address": "of that word",
                "memory_t": "",
            },
            "words of U = T + a_i*B": {
                "active_1": "a_i*b_j or the 0 behind the row enters",
                "active_1_d[0-9]*": "active_1, so many clocks ago",
                "ends_1_d[0-9]*": "row_1_ends, so many clocks ago",
                **row_notes("row_b", "word j of a_i*B"),
                "nothing_added": "no t_j belongs to what enters: in the first step, and to the 0",
                "nothing_added_d[0-9]*": "nothing_added, so many clocks ago",
                "t_in": "t_j, or 0",
                **sum_notes("u", "u_j"),
            },
            "memory of U: words wait for q": {
                "u_kept": "the product that enters in this clock makes a word of U",
                "u_kept_d[0-9]*": "u_kept, so many clocks ago; with the last of these, the word "
                "is stored",
                "u_write_address": "of that word",
                "u_read_address": "of u_j",
                "memory_u_u_word": "u_j, when q*n_j has passed the second block",
                "u_late": "",
                "memory_u": "",
            },
            "second block: q = u_0*N' mod 2^w, then q*n_j": {
                "factor": "u_0, then q, as it leaves the block",
                "product_n_a_reg": "u_0; q, from its first product to the last one; 0",
                "product_n_b_reg": "N'; n_j",
                "product_n_product": "",
                "product_n_[mp]_reg": "their product, behind registers of the block",
                "product_n": "their product, out of the block",
                "product_n_block": "",
            },
            "words of U + q*N: t_(j-1) is word j, and word 0 is 0": {
                "active_2": "q*n_j or the 0 behind the row enters",
                "active_2_d[0-9]*": "active_2, so many clocks ago",
                "ends_2_d[0-9]*": "row_2_ends, so many clocks ago",
                **row_notes("row_n", "word j of q*N"),
                **sum_notes("t_sum", "word j of U + q*N"),
            },
            "result": {
                "result_word": "the product that enters in this clock makes a word of the result",
                "result_word_d[0-9]*": "result_word, so many clocks ago",
                "result_ends": "the product that enters makes the last word of the result",
                "result_ends_d[0-9]*": "result_ends, so many clocks ago",
                "result_before": "a word of the result left in the clock before",
            },
            "sums": {
                "summing": "a + b or a - b is computed",
                "subtracting": "a - b is",
                "last_pass": "in its second step",
                "last_step_or_pass": "last_step; in a sum last_pass",
                "a_added": "to the product that enters, a_j is added, not t_j",
                "a_added_d[0-9]*": "a_added, so many clocks ago",
                "inverted_1": "to the product that enters, this word is added inverted",
                "inverted_1_d[0-9]*": "inverted_1, so many clocks ago",
                "summing_2": "row 2 is of a sum",
                "inverts_2": "words of U are inverted in row 2",
                "inverted_2": "to the product that enters, ~u_j is added",
                "inverted_2_d[0-9]*": "inverted_2, so many clocks ago",
                "two": "2N is added, not 0",
                "pass_ends": "the product that enters makes the carry of the first step",
                "pass_ends_d[0-9]*": "pass_ends, so many clocks ago; with the last of these, two "
                "takes the carry",
            },
        }

    @property
    def _longer(self) -> str:
        """What the note on the clocks of a step adds about sums."""
        return f", one of a sum {self.parameters.sum_step}" * self.adds

    # ---- control ------------------------------------------------------------------------------

    def control(self) -> None:
        """Let a token go through row 1, its end and pauses, s times, in a sum twice.  Row 2 begins
        when q is known."""
        m, p, s = self.m, self.parameters, self.words
        self.step, self.index = Signal(range(s), name="step"), Signal(range(s), name="index_1")
        self.row_1, self.row_1_ends = Signal(name="row_1"), Signal(name="row_1_ends")
        pauses = [Signal(name=f"pause_{k}") for k in range(p.step - s - 1)]
        begin = Signal(name="product_begins")
        word_ends = self.named(self.index == s - 1, "word_ends_1")
        self.last_step = self.named(self.step == s - 1, "last_step")
        self.subtracting = Signal(name="subtracting")
        step_ends, done = self.after(self.row_1_ends, pauses), self.last_step
        next_word: Value = step_ends
        if self.adds:
            late = [Signal(name=f"pause_{p.step - s - 1 + k}") for k in range(p.sum_step - p.step)]
            sum_ends = self.after(step_ends & self.summing, late)
            step_ends = self.without_sums(step_ends) | sum_ends
            done = Signal(name="last_step_or_pass")  # settles long before a step ends
            m.d.sync += done.eq(self.either(self.last_step, self.last_pass))
            self.sums(begin, sum_ends)
            first_pass = self.summing & ~self.last_pass & self.row_1
            self.added_a = self.flag(first_pass, "a_added")(p.dsp_registers)
            next_word = self.without_sums(step_ends) | self.added_a
        starts = self.named(begin | step_ends & ~done, "starts")
        m.d.sync += [
            self.row_1.eq(starts | self.row_1 & ~word_ends),
            self.row_1_ends.eq(self.row_1 & word_ends),
        ]
        with m.If(self.row_1):
            m.d.sync += self.index.eq(Mux(word_ends, 0, self.index + 1))
        with m.If(next_word):
            m.d.sync += self.step.eq(Mux(self.last_step, 0, self.step + 1))
        self._second_row(DelayLine(m, starts, "starts", reset=True), done)
        in_use = self.row_2 | self.row_2_ends
        self.handshake(begin, step_ends & done, in_use)
        if self.adds:
            with m.If(begin):
                m.d.sync += self.subtracting.eq(self.operand.p.subtract)

    def _second_row(self, starts: DelayLine, last: Value) -> None:
        """Control row 2.  last: the step is the last one."""
        m, p, s = self.m, self.parameters, self.words
        self.summing_2, self.inverts_2 = Signal(name="summing_2"), Signal(name="inverts_2")
        self.two = Signal(name="two")
        self.index_2 = Signal(range(s), name="index_2")
        self.row_2, self.row_2_ends = Signal(name="row_2"), Signal(name="row_2_ends")
        self.first_2 = self.named(self.row_2 & (self.index_2 == 0), "first_of_row_2")
        self.last_row = Signal(name="last_row_2")  # row 2 of the last step
        word_ends = self.named(self.index_2 == s - 1, "word_ends_2")
        self.quotient = self.quotient_at(starts, p.quotient + 1)
        m.d.sync += [
            self.row_2.eq(starts(p.second) | self.row_2 & ~word_ends),
            self.row_2_ends.eq(self.row_2 & word_ends),
        ]
        with m.If(self.row_2):
            m.d.sync += self.index_2.eq(Mux(word_ends, 0, self.index_2 + 1))
        with m.If(starts(p.second) if self.adds else self.first_2):
            m.d.sync += self.last_row.eq(last)
            if self.adds:
                inverts = self.summing & (self.last_pass | ~self.subtracting)
                m.d.sync += [self.summing_2.eq(self.summing), self.inverts_2.eq(inverts)]
                with m.If(~self.last_pass):
                    m.d.sync += self.two.eq(~self.subtracting)
        self.last_of_row_2 = self.row_2 & word_ends

    # ---- datapath -----------------------------------------------------------------------------

    def datapath(self) -> None:
        s = self.words
        b = self.memory("b", "operand b", s, self.operands[1], self.index)
        a = self.memory("a", "operand a", s, self.operands[0], self.step)
        n_address = self.named(Mux(self.quotient, s, self.index_2), "n_address")
        n = self.memory("n", "the modulus, and N' behind it", s + 1, self.modulus_words, n_address)
        t, t_kept = Signal(self.word_bits, name="t"), Signal(name="t_kept")
        self._row_2(n, self._row_1(a, b, t, t_kept), t, t_kept)

    def _row_1(self, a: Signal, b: Signal, t: Signal, t_kept: Signal) -> Value:
        """The words of U = T + a_i * B."""
        m, p, s, registers = self.m, self.parameters, self.words, self.parameters.dsp_registers
        product = p.chip.multiplier(registers, "product_b").place(
            m, self.either(a, ~self.last_pass), b, a_clear=self.named(~self.row_1, "nothing_1")
        )
        read = self.flag(self.row_1, "row_1_word")(registers)
        words_of_t = self.queue("t", "words of T", power(s), t, t_kept, read, full=s)
        first_step = self.without_sums(self.step == 0)
        none = self.flag(self.row_1_ends | first_step, "nothing_added")(registers)
        if self.adds:
            inverts = self.flag(self.subtracting & ~self.last_pass, "inverted_1")(registers)
            words_of_t = Mux(self.added_a, a, words_of_t) ^ inverts.replicate(self.word_bits)
        t_in = self.cleared(words_of_t, none, "t_in")
        ends = (self.row_1 | self.row_1_ends, self.row_1_ends)
        return self._sum(
            product,
            t_in,
            ("row_b", "u"),
            *(self.flag(end, name) for end, name in zip(ends, ("active_1", "ends_1"), strict=True)),
        )

    def _row_2(self, n: Signal, u: Value, t: Signal, t_kept: Signal) -> None:
        """Make the words of T = (U + q * N) / 2^w, and the result."""
        m, p, registers = self.m, self.parameters, self.parameters.dsp_registers
        quotient = Signal(self.word_bits, name="quotient_word")
        by_q: Value = quotient
        if self.adds:  # 2N or nothing: in a - b nothing at first; in the last pass by the carry
            by_q = Mux(self.summing_2, Cat(ZERO, self.two), quotient)
            over = self.flag(self.row_2_ends & self.summing_2 & ~self.last_row, "pass_ends")
            with m.If(over(registers + 2)):
                m.d.sync += self.two.eq(t[0])
        factor = self.named(Mux(self.quotient, u, by_q), "factor")
        product = p.chip.multiplier(registers, "product_n").place(
            m, factor, n, self.quotient | self.first_2, self.named(self.row_2_ends, "nothing_2")
        )
        m.d.comb += quotient.eq(product[: self.word_bits])
        active = self.flag(self.row_2 | self.row_2_ends, "active_2")
        ends_2 = self.flag(self.row_2_ends, "ends_2")
        kept = self.flag(self.row_1 | self.row_1_ends, "u_kept")(registers + 2)
        depth = power(2 * registers)
        words_of_u = self.queue("u", "words of U", depth, u, kept, active(registers), full=0)
        u_late = Signal(self.word_bits, name="u_late", reset_less=True)
        if self.adds:
            inverts = self.flag(self.row_2 & self.inverts_2, "inverted_2")(registers)
            words_of_u ^= inverts.replicate(self.word_bits)
        m.d.sync += u_late.eq(words_of_u)
        total = self._sum(product, u_late, ("row_n", "t_sum"), active, ends_2)
        is_word: Value = (self.row_2 & ~self.first_2) | self.row_2_ends
        last = ends_2(registers + 2)
        if self.adds:
            is_word = Mux(self.summing_2, self.row_2, is_word)
            ends_sum = Mux(self.summing_2, self.last_of_row_2, self.row_2_ends)
            last = self.flag(ends_sum, "result_ends")(registers + 2)
        is_kept = self.flag(is_word, "makes_t_word")
        m.d.comb += [t.eq(total), t_kept.eq(is_kept(registers + 2))]
        valid = self.flag(is_word & self.last_row, "result_word")(registers + 2)
        self.results(total, valid, last)

    def _sum(
        self,
        product: Value,
        added: Value,
        names: tuple[str, str],
        active: DelayLine,
        ends: DelayLine,
    ) -> Signal:
        """The words of a row, made from its products, plus the words `added`."""
        m, registers = self.m, self.parameters.dsp_registers
        first = (active(registers), ends(registers))
        words = row(m, product, self.word_bits, names[0], *first)
        return chained_sum(m, words, added, names[1], active(registers + 1), ends(registers + 1))
