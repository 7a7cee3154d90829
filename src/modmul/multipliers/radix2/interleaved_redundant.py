"""Interleaved multiplication with one carry-save adder and a table: a*b mod M, any M of full width.

(S, C) <- CSA(2*(S mod 2^n), 2*(C mod 2^n), E) for the n bits of X, highest first.  What S and C
hold from bit n on is not doubled but replaced, one step later, by its residue: its digit t <= 3 and
the next bit x of X choose E = T[2t+x] = (t*2^(n+1) + x*Y) mod M.  S has n + 1 bits, C n + 2, E n;
S + C < 9M.  2^(n-1) <= M < 2^n, even or odd; X, Y < M, and so is the result.

Words 2, 4 and 6 depend on M alone and are loaded with it, as is M - T[2].  Before the loop, words
3, 5 and 7 are made: T[2t+1] = T[2t-1] - (M - T[2]), + M if that is negative.  After it, P = S + C,
P = P - 8M, and three times P = 2P - 8M, or 2P + 8M where P is negative: eight times the remainder,
as in division without restoring; then + 8M if it is negative.  All these are passes over one adder
of w bits, and all take their time whatever the operands are.

`early_lookup`: t is that of S and C in their registers, and its word is added one step later still:
T[2t+x] = (t*2^(n+2) + x*Y) mod M.  So the path is max(FA, table) in place of FA, table.  The digit
of the last step goes into the end, P = S + C + t*2^(n+1) < 21M, which has one pass more.

Cost: 1 row of full adders, a memory of 11 words of n bits (a 16 x 1 RAM a column), registers X, S,
C, E, P; the word adder and its selects.  Cycles: load, start (the first look-up), n, unload, which
are amanor2005's n + 3; and what it leaves out: 6 passes for the table and 6 for the end, each of
ceil((n+4)/w) + 1 (with early look-up 6 and 7, of ceil((n+5)/w) + 1), on ecp5 one more each if
there are more than 8 words, as in `montgomery_2csa`.
Source: amanor2005, with details reconstructed; early look-up is not in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.blocks.accumulator import Accumulator, Term
from modmul.blocks.carry_save import carry_save_add, masked
from modmul.blocks.memory import SimpleDualPort
from modmul.blocks.sequencer import PhaseSequencer
from modmul.blocks.word_serial import in_two_steps, serial_cycles
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.core import core_of
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import (
    ADDER_WORD_HELP,
    BitSerialCore,
    Reduced,
    control,
    serial_flip_flops,
)
from modmul.multipliers.ranges import Moduli, OperandRange
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter

TABLE = tuple(f"{step}_{word}" for word in (3, 5, 7) for step in ("subtract", "correct"))
# Words of the memory: the table, then M at 8, M - T[2] at 10.  Beat k of a modulus, counted from
# 1, goes to 2k.
WORDS = 11


@dataclass(frozen=True, kw_only=True)
class InterleavedRedundant(Reduced):
    """Parameters: width, the word of the adder, when the table is read."""

    name = "interleaved-redundant"
    summary = "interleaved multiplication, one carry-save row and a table of eight words"
    sources = ("amanor2005",)
    montgomery_factor = 1
    even_moduli = True

    adder_word: int = parameter(32, ADDER_WORD_HELP, minimum=1, maximum=4096)
    early_lookup: bool = parameter(
        False, "read the table while the adders work, and use what it gives a step later"
    )

    @property
    def taken(self) -> Moduli:
        return Moduli(1 << (self.width - 1), self.width, odd=False)

    def operand_range(self, modulus: int) -> OperandRange:
        """X is used bit by bit: it may be any number."""
        return OperandRange(1 << self.width, modulus)

    @property
    def core_title(self) -> str:
        return f"{super().core_title}{'-early' if self.early_lookup else ''}"

    @property
    def top(self) -> int:
        """The end subtracts or adds 2^top * M, ..., M."""
        return 4 if self.early_lookup else 3

    @property
    def adder_bits(self) -> int:
        """Bits of the adder of P, which is between -2^top * M and 2^top * M."""
        return self.width + self.top + 1

    @property
    def convert(self) -> tuple[str, ...]:
        """The names of the passes of the end."""
        return ("sum", *(f"reduce_{j}" for j in range(self.top, -1, -1)), "correct_result")

    @property
    def two_steps(self) -> bool:
        """Whether the words of an addition are picked in two cycles."""
        return in_two_steps(self.chip, self.adder_bits, self.adder_word)

    @property
    def pass_cycles(self) -> int:
        return serial_cycles(self.adder_bits, self.adder_word, self.two_steps)

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        table, convert = (len(passes) * self.pass_cycles for passes in (TABLE, self.convert))
        return constant_cycles(
            {
                "load": 1,
                "table": table,
                "start": 1,
                "loop": self.width,
                "convert": convert,
                "unload": 1,
            }
        )

    def residue(self, digit: int, modulus: int) -> int:
        """The residue mod M that replaces digit t of S and C."""
        return (digit << (self.width + (2 if self.early_lookup else 1))) % modulus

    def constants(self, modulus: int) -> list[Constant]:
        table = [Constant(f"table word {2 * t}", self.residue(t, modulus)) for t in (1, 2, 3)]
        complement = modulus - self.residue(1, modulus)
        return [*table, Constant("modulus", modulus), Constant("complement of word 2", complement)]

    def compute(self, a: int, b: int, modulus: int) -> int:
        n, low = self.width, (1 << self.width) - 1
        table = [(self.residue(t, modulus) + x * b) % modulus for t in range(4) for x in (0, 1)]
        s = c = t = 0
        e = table[a >> (n - 1)]
        for i in range(n - 2, -2, -1):
            before = (s >> n) + (c >> n)
            s, c = words.carry_save_add((s & low) << 1, (c & low) << 1, e)
            t = before if self.early_lookup else (s >> n) + (c >> n)
            e = table[2 * t + (a >> i & 1 if i >= 0 else 0)]
        p = s + c + (t << (n + 1) if self.early_lookup else 0)
        p -= modulus << self.top
        for j in range(self.top - 1, -1, -1):
            p += modulus << j if p < 0 else -(modulus << j)
        p += modulus if p < 0 else 0
        return p

    @property
    def notes(self) -> tuple[str, ...]:
        return ("The modulus must have its top bit set; it may be even.",)

    def core_forecast(self) -> Forecast:
        """A row and the selects, the accumulator, and the table, a memory of eleven words; five
        words of registers more if words are picked in two steps.

        Calibrated from 32 to 1024 bits, the clock to 256: LUTs within 6 %, flip-flops 5 %, clock 7
        %."""
        chip, k = fabric(self.chip), self.width
        memory, bits = chip.memory(WORDS, k)
        return chip.forecast(
            lut=chip.by_lut_inputs(7.05, 6.8) * k
            + 2 * self.adder_word
            + chip.by_lut_inputs(126, 70)
            + memory,
            ff=4 * k
            + serial_flip_flops(self.adder_bits, self.adder_word, rings=3)
            + 5 * self.adder_word * self.two_steps
            + 42,
            levels=1.6 if self.two_steps else chip.by_lut_inputs(2.7, 3.6),
            ram_bits=bits,
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        sizes = ((3, 1), (4, 32), (6, 5), (9, 1), (10, 5), (33, 7))
        early = ((3, 1), (5, 3), (8, 32), (10, 5), (33, 32))
        return [
            *(cls(width=width, adder_word=word) for width, word in sizes),
            *(cls(width=width, adder_word=word, early_lookup=True) for width, word in early),
        ]


@core_of(InterleavedRedundant)
class Core(BitSerialCore):
    """{theory}

    The accumulator P holds Y, then the odd words of the table, then 2^top * P.

    The memory holds word 0 = 0, which is written again with every product, the other seven, M and
    M - T[2].  What a pass adds is read into E in the last cycle before it.  The read address is an
    OR of the digit and of what the passes read: S and C are 0 when a pass needs it.
    Operands are taken in every idle cycle, so that `valid` is in no path; the last ones count.

    Here n = {width}, w = {adder_word}."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        **control(
            **{
                "in_subtract_*": "P = P - 2^{top}*(M - T[2]); P is 2^{top} times the odd word "
                "before",
                "in_correct_[0-9]": "P = P + 2^{top}*M if P < 0: 2^{top} times the next odd word",
                "in_start": "the first word for the loop is read",
                "in_loop": "an iteration in each cycle",
                "in_sum": "P = S + C; with early look-up the last digit is a part of S",
                "in_reduce_*": "first P - 2^{top}*M, then 2*P - 2^{top}*M, or + if P is negative",
                "in_correct_result": "P = P + 2^{top}*M if it is negative: 2^{top} times the "
                "result",
            }
        ),
        "operands": {
            "x_reg": "X; its top bit is the next bit of it",
        },
        "table: eight words, M and M - T[2]": {
            "beat": "number of the next beat of a modulus, from 1; it goes to word 2*beat",
            "beat_taken": "a beat of a modulus is written",
            "store": "P / 2^{top}, an odd word of the table, is written",
            "write_enable": "a beat of a modulus, P, or 0 into word 0 is written",
            "write_data": "from the stream, or from P, or 0",
            "write_address": "see beat and store",
            "scanning": "the words that are read are for the loop, not for a pass",
            "read_complement": "the word for the next pass is M - T[2], not M",
            "digit": "t, what S + C have from bit {width} on: the word of t and x replaces it",
            "last_digit": "t of the iteration before",
            "read_address": "2*t + x for the loop; for a pass that of M, 8, or of M - T[2], 10",
            "read_data": "word of the table",
        },
        "loop: the row": {
            "e_reg": "E, the word that was read",
            "s_reg": "S, whose bits from {width} on are replaced by E",
            "c_reg": "C, likewise",
            "row_sum": "2*S + 2*C + E, without these bits: sum bits",
            "row_carry": "carries; bit j has the weight 2^(j+1)",
        },
        "passes of P over an adder of {adder_word} bits": {
            "s_read": "one-hot: which word of S is fetched, in in_sum",
            "c_read": "one-hot: which word of C is fetched, in in_sum",
            "e_read": "one-hot: which word of 2^{top}*E is fetched, in all other passes",
            "s_word": "word of S, else 0",
            "c_word": "word of C, else 0",
            "e_word": "word of 2^{top}*E, else 0",
            "subtracting": "a pass that subtracts, whatever P is",
            "keeping": "a pass with P as left operand",
            "reducing": "a pass with 2*P as left operand",
            "correcting": "a pass that adds 0 if P is not negative",
            **Accumulator.NOTES,
        },
    }

    def phases(self) -> dict[str, int | None]:
        parameters = self.parameters
        table, convert = (
            dict.fromkeys(names, parameters.pass_cycles) for names in (TABLE, parameters.convert)
        )
        return {**table, "start": 1, "loop": parameters.width, **convert}

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        parameters, operand = self.parameters, self.operand.p
        n, top = parameters.width, parameters.top
        looping, starting = control.active["loop"], control.active["start"]
        self.table = table = SimpleDualPort(parameters.chip, n, WORDS, "distributed", 0)
        m.submodules.lookup = table
        x = Signal(n, name="x_reg", reset_less=True)
        s = Signal(n + 1, name="s_reg", reset_less=True)
        c = Signal(n + 2, name="c_reg", reset_less=True)
        e = Signal(n, name="e_reg", reset_less=True)
        double_s, double_c = Cat(Const(0, 1), s[:n]), Cat(Const(0, 1), c[:n])
        row = carry_save_add(m, parameters.chip, double_s, double_c, e, "row")
        digit = Signal(2, name="digit")
        look = (s, c) if parameters.early_lookup else row
        m.d.comb += digit.eq(self._digit(look[0][n], look[1][n], look[1][n + 1]))
        m.d.sync += e.eq(table.read_data)
        with m.If(looping):
            m.d.sync += [s.eq(row.sum), c.eq(row.carry)]
        with m.If(starting | looping):
            m.d.sync += x.eq(Cat(Const(0, 1), x))
        with m.If(control.idle):
            m.d.sync += x.eq(operand.a)
        summand: Value = s
        if parameters.early_lookup:
            late = Signal(2, name="last_digit", reset_less=True)
            with m.If(looping):
                m.d.sync += late.eq(digit)
            summand = Cat(s, late)
        adder = self._adder(m, control, summand, c, e)
        summed = control.active["sum"] & adder.adder.final
        with m.If(control.idle | summed):
            m.d.sync += [s.eq(0), c.eq(0)]
        with m.If(control.idle):
            m.d.sync += adder.value.eq(Cat(Const(0, top), operand.b))
        m.d.comb += self.result.p.data.eq(adder.value[top:])
        self._read(m, control, adder, digit, x[-1])
        self._write(m, control, adder)

    def _read(
        self, m: Module, control: PhaseSequencer, adder: Accumulator, digit: Value, bit: Value
    ) -> None:
        """Drive the read address: digit and bit, or the word for the next pass.  Flip-flops hold
        the latter while idle, and from the last but one cycle of a pass on, since E may change
        after that."""
        active = control.active
        scanning = Signal(name="scanning")
        complement = Signal(init=1, name="read_complement")
        m.d.sync += scanning.eq(control.enters["start"] | (scanning & ~control.last["loop"]))
        with m.If(adder.adder.final):
            m.d.sync += complement.eq(
                active["correct_3"] | active["correct_5"] | active["correct_result"]
            )
        m.d.comb += self.table.read_address.eq(
            Cat(bit & scanning, digit[0] | complement, digit[1], ~scanning)
        )

    @staticmethod
    def _digit(s: Value, c: Value, c_above: Value) -> Value:
        """s + c + 2 * c_above; s is 0 where c_above is 1."""
        return Cat(s ^ c, (s & c) | c_above)

    def _adder(
        self, m: Module, control: PhaseSequencer, s: Value, c: Value, e: Value
    ) -> Accumulator:
        """The adder with its passes: all but the sum take 2^top * E."""
        parameters = self.parameters
        passes, top = (*TABLE, *parameters.convert), f"reduce_{parameters.top}"
        bits, word = parameters.adder_bits, parameters.adder_word
        adder = Accumulator(m, control, passes, bits, word, two_steps=parameters.two_steps)
        reduce, correct = parameters.convert[2:-1], (*TABLE[1::2], "correct_result")
        of_memory = tuple(name for name in passes if name != "sum")
        kept = (name for name in of_memory if name not in reduce)
        less = adder.during("subtracting", *TABLE[::2], top)
        m.d.comb += [
            adder.keep.eq(adder.during("keeping", *kept)),
            adder.double.eq(adder.during("reducing", *reduce)),
            adder.subtract.eq(less | (adder.double & ~adder.negative)),
            adder.enable.eq(~adder.during("correcting", *correct) | adder.negative),
        ]
        word = Cat(Const(0, parameters.top), e)
        adder.operands(
            left={"s": Term(s, ("sum",))},
            right={"c": Term(c, ("sum",)), "e": Term(word, of_memory)},
        )
        return adder

    def _write(self, m: Module, control: PhaseSequencer, adder: Accumulator) -> None:
        """Write words of a modulus while idle; each odd word in the cycle after its last pass,
        before the accumulator moves on; word 0 repeatedly while word 3 is made."""
        n, top, table = self.parameters.width, self.parameters.top, self.table
        taken, beat = Signal(name="beat_taken"), Signal(3, init=1, name="beat")
        stores = (*TABLE[::2], "start")  # of words 1, 3, 5, 7
        store = Signal(name="store")
        _, three, five, seven = (control.active[name] for name in stores)
        m.d.sync += store.eq(Cat(control.enters[name] for name in stores).any())
        m.d.comb += [
            taken.eq(self.modulus.valid & self.modulus.ready),
            self.reloading.eq(beat != 1),
            table.write_enable.eq(taken | store | control.active[TABLE[1]]),
            table.write_data.eq(
                masked(self.modulus.p.data, control.idle)
                | masked(adder.value[top : top + n], store)
            ),
            table.write_address.eq(
                Cat(store, three | seven, five | seven)
                | masked(Cat(Const(0, 1), beat), control.idle)
            ),
        ]
        with m.If(taken):
            m.d.sync += beat.eq(beat + 1)
            with m.If(self.modulus.p.last):
                m.d.sync += beat.eq(1)
