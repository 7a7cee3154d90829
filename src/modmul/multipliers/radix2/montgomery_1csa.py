"""Montgomery multiplication with one carry-save adder and a table of four words in lookup tables.

(S, C) <- (S + C + T[2*x_i + q]) / 2 for the n bits of X, lowest first; T = 0, M, Y, Y + M, and
q = S_0 ^ C_0 ^ (x_i & Y_0).  S and C fit n bits, words of T n + 1, S + C < 2M.  X, Y < M, and so is
the result; R = 2^n.

The table is a memory with one port: on FPGAs distributed RAM, a lookup table or half of one for
each bit.  All that is written there comes from P, the register of the result, which moves by a word
of w bits: 0 after a reset, M when its words have come, Y with every product, and Y + M, made in a
pass over an adder of w bits.  P keeps Y + M in the loop, which tells Y_0, since M is odd.
After the loop: P = S; P = P + C; P = P - M; P = P + M if it has become negative, or + 0.  What is
added comes out of S, word by word: C and M get there by a step of the row that adds them to 0,
which halves them.  The bit that it drops is kept for C, and is 1 for M.

`table = "registers"`: M and Y in registers and a row of four-to-one multiplexers, for chips
without distributed RAM.

Cost: 1 row of full adders, the table, registers X, S, C, P; the word adder and its selects.
Cycles: load, n, unload (amanor2005's n + 3 without a cycle to start), and what it leaves out:
ceil((n+1)/w) + 3 for the table, and 4 * (ceil((n+1)/w) + 1) for the end; on ecp5 each of the five
passes takes one cycle more if there are more than 8 words, as in `montgomery_2csa`.
Source: amanor2005; q in a flip-flop, made from the row a cycle before, is not in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.arithmetic.words import ceil_div, to_words
from modmul.blocks.accumulator import Accumulator
from modmul.blocks.carry_save import carry_save_add, masked, select4
from modmul.blocks.memory import SimpleDualPort
from modmul.blocks.sequencer import PhaseSequencer
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.core import core_of
from modmul.multipliers.facts import words_of_modulus
from modmul.multipliers.radix2 import words
from modmul.multipliers.radix2.family import BitSerialCore, control, serial_flip_flops
from modmul.multipliers.radix2.montgomery_2csa import Montgomery2Csa
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter

CONVERT = ("sum", "carry", "reduce", "correct")


@dataclass(frozen=True, kw_only=True)
class Montgomery1Csa(Montgomery2Csa):
    """Parameters: width, the word of the adder, where the table is."""

    name = "montgomery-1csa"
    summary = "radix-2 Montgomery, one carry-save row and the table 0, M, Y, Y+M"

    table: str = parameter(
        "ram",
        "where the table 0, M, Y, Y+M is kept: in distributed RAM, or in registers",
        choices=("ram", "registers"),
    )

    @property
    def core_title(self) -> str:
        return f"{super().core_title}{'-registers' if self.table == 'registers' else ''}"

    @property
    def modulus_beats(self) -> int:
        """The number of words of the adder in n + 1 bits."""
        return ceil_div(self.width + 1, self.adder_word)

    @property
    def modulus_beat(self) -> int:
        return min(self.adder_word, self.width)

    def constants(self, modulus: int) -> list[Constant]:
        stored = to_words(modulus, self.modulus_beat, self.modulus_beats)
        return words_of_modulus("modulus, word {}", stored, self.modulus_beat)

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        table, convert = self.pass_cycles + 2, len(CONVERT) * self.pass_cycles
        return constant_cycles(
            {"load": 1, "table": table, "loop": self.width, "convert": convert, "unload": 1}
        )

    def compute(self, a: int, b: int, modulus: int) -> int:
        table = (0, modulus, b, b + modulus)
        s = c = 0
        for i in range(self.width):
            x = a >> i & 1
            q = (s ^ c ^ (x & b)) & 1
            s, c = words.carry_save_add(s, c, table[2 * x + q])
            s, c = s >> 1, c >> 1
        p = s + c - modulus
        p += modulus if p < 0 else 0
        return p

    def core_forecast(self) -> Forecast:
        """One row, the loads of X and P, the choice of a word (in two steps with one more
        register), and the table.

        Calibrated from 32 to 1024 bits, the clock to 256: LUTs within 5 %, flip-flops 2 %, clock 11
        %."""
        chip, k, word = fabric(self.chip), self.width, self.adder_word
        in_ram = self.table == "ram"
        table, bits = (
            chip.memory(4, k + 1, ports=1) if in_ram else (chip.by_lut_inputs(2, 1) * k, 0)
        )
        return chip.forecast(
            lut=chip.by_lut_inputs(4.65, 4.6) * k
            + chip.by_lut_inputs(4.35, 3.3) * word
            + chip.by_lut_inputs(65, 57)
            + table,
            ff=(3 if in_ram else 5) * k
            + serial_flip_flops(k + 1, word, rings=1)
            + word * self.two_steps
            + 32,
            levels=2.1 if self.two_steps else chip.by_lut_inputs(2.5, 3.4),
            ram_bits=bits,
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        registers = ((3, 1), (5, 3), (8, 32), (33, 17))
        return [
            *super().examples(),
            *(cls(width=width, adder_word=word, table="registers") for width, word in registers),
        ]


@core_of(Montgomery1Csa)
class Core(BitSerialCore):
    """{theory}

    Phases: `fetch` (M / 2 into S), `table` (P = Y + M; Y is written in its first cycle), `store`
    (Y + M is written), `loop`, and the passes of the end.

    The address of the table is (x_i, q), two flip-flops: 0 after a reset and to move C, 1 to write
    and fetch M, 2 and 3 to write.  The next q is x_(i+1) & Y_0, which is `early`, and in the loop
    bit 0 of what S and C will be: bits 1 of the row's sum and carry.
    Operands are taken in every idle cycle, so that `valid` is in no path; the last ones count.

    Here n = {width}, w = {adder_word}."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        **control(
            in_fetch="M is read from the table, and comes into S, halved",
            in_table="P = Y + M; in the first cycle Y goes into the table",
            in_store="Y + M, which is P, becomes part of the table; S and C become 0",
            in_loop="an iteration in each cycle",
            in_sum="P = S; then S gets C, halved",
            in_carry="P = P + C; then S gets M, halved",
            in_reduce="P = ~P + M, which is ~(P - M)",
            in_correct="P = ~P, which is P - M again, + M if that is negative",
        ),
        "operands": {
            "x_reg": "X; bit 0 is the next bit of it",
            "x_waits": "X is not shifted, from the load to the end of in_table",
            "scanning": "next_bit is a bit of X",
            "next_bit": "x_i of the next cycle; 0 outside the loop",
            "beat_taken": "P takes a word of M",
            "last_beat_taken": "P takes the last one",
        },
        "table: 0, M, Y, Y + M": {
            "multiplier_bit": "x_i; with the quotient it chooses the word, also outside the loop",
            "quotient": "q",
            "early": "q of the next cycle; in the loop without the row's part of it: next_bit*Y_0",
            "table_writes": "P is written",
            "read_data": "word of the table",
            "table_word": "word of the table",
            "modulus_loaded": "P is M",
            "modulus_reg": "M",
            "y_reg": "Y",
        },
        "loop: the row": {
            "s_reg": "S; in the loop S + C is below 2M",
            "c_reg": "C",
            "takes_row": "S and C get the sum of the row, halved",
            "clears": "C becomes 0",
            "clears_s": "S becomes 0",
            "row_sum": "S + C + word of the table: sum bits",
            "row_carry": "carries; bit j has the weight 2^(j+1)",
        },
        "passes of P over an adder of {adder_word} bits": {
            "s_word": "word of S that is fetched, else 0",
            "s_bit_below": "top bit of the word of S before, for 2*S",
            "c_bit_dropped": "bit 0 of C, which S has lost",
            "invert_p": "the left operand is ~P",
            "add_twice_s": "M is added, as 2*S + 1, or in in_carry C, as 2*S + c_bit_dropped",
            **Accumulator.NOTES,
        },
    }

    def phases(self) -> dict[str, int | None]:
        parameters = self.parameters
        passes = parameters.pass_cycles
        return {
            **{"fetch": 1, "table": passes, "store": 1, "loop": parameters.width},
            **dict.fromkeys(CONVERT, passes),
        }

    def datapath(self, m: Module, control: PhaseSequencer) -> None:
        parameters, active = self.parameters, control.active
        n, word = parameters.width, parameters.adder_word
        s = Signal(n, name="s_reg", reset_less=True)
        c = Signal(n, name="c_reg", reset_less=True)
        cleared, passes = parameters.table == "ram", ("table", *CONVERT)
        adder = Accumulator(
            m, control, passes, n + 1, word, cleared=cleared, two_steps=parameters.two_steps
        )
        select = Signal(name="multiplier_bit")
        early = Signal(name="early")
        quotient = Signal(name="quotient")
        self._scan(m, control, adder, select, early)
        loads = self._load(m, control, adder)
        entry = self._table(m, control, adder, (select, quotient), loads)
        row = carry_save_add(m, parameters.chip, s, c, entry, "row")
        m.d.sync += quotient.eq(((row.sum[1] ^ row.carry[1]) & active["loop"]) ^ early)
        moves, clears, clears_s = self._moments(m, control, adder)
        with m.If(moves):
            m.d.sync += [s.eq(row.sum[1:]), c.eq(row.carry[1:])]
        with m.If(clears):
            m.d.sync += c.eq(0)
        with m.If(clears_s):
            m.d.sync += s.eq(0)
        self._passes(m, control, adder, s, c[0])
        m.d.comb += self.result.p.data.eq(adder.value)

    def _moments(
        self, m: Module, control: PhaseSequencer, adder: Accumulator
    ) -> tuple[Signal, Signal, Signal]:
        """Flags: S and C take the row's sum, both become 0, S becomes 0.  They are
        flip-flops, set a cycle before, since each drives all bits of a register.

        Both are 0 before `fetch`, also in the first cycle after a reset, and before the loop."""
        active, enters, last = control.active, control.enters, control.last
        turn = active["sum"] | active["carry"]  # S moves on to C / 2, then to M / 2
        moves = Signal(name="takes_row")
        clears, clears_s = (Signal(init=1, name=name) for name in ("clears", "clears_s"))
        both = last[CONVERT[-1]] | enters["store"]
        read = adder.adder.read
        if adder.adder.two_steps:
            picked = turn & read[-1]
        elif len(read) > 1:
            picked = turn & read[-2]
        else:
            picked = enters["sum"] | enters["carry"]
        m.d.sync += [
            moves.eq(
                self.load
                | enters["loop"]
                | (active["loop"] & ~last["loop"])
                | (turn & adder.adder.final)
            ),
            clears.eq(both),
            clears_s.eq(both | picked),
        ]
        return moves, clears, clears_s

    def _scan(
        self, m: Module, control: PhaseSequencer, adder: Accumulator, select: Signal, early: Signal
    ) -> None:
        """Shift X, and drive the two flip-flops of the address, a cycle before they are used."""
        active = control.active
        x = Signal(self.parameters.width, name="x_reg", reset_less=True)
        scanning, bit = Signal(name="scanning"), Signal(name="next_bit")
        m.d.comb += [scanning.eq(active["store"] | active["loop"]), bit.eq(x[0] & scanning)]
        m.d.sync += select.eq(active["fetch"] | active["table"] | bit)
        m.d.comb += early.eq(
            ~(active["fetch"] | scanning | active["sum"]) | (bit & ~adder.value[0])
        )
        waits = Signal(name="x_waits")  # X stays until it is scanned; later it may shift on
        m.d.sync += waits.eq(control.enters["fetch"] | (waits & ~control.last["table"]))
        with m.If(~waits):
            m.d.sync += x.eq(x[1:])
        with m.If(control.idle):
            m.d.sync += x.eq(self.operand.p.a)

    def _load(self, m: Module, control: PhaseSequencer, adder: Accumulator) -> Signal:
        """Let P take words of a modulus, or Y; return a flag that is high with the last word."""
        word = adder.adder.word
        taken, loads = Signal(name="beat_taken"), Signal(name="last_beat_taken")
        m.d.comb += [
            taken.eq(self.modulus.valid & self.modulus.ready),
            loads.eq(taken & self.modulus.p.last),
        ]
        with m.If(taken):
            m.d.sync += self.reloading.eq(~self.modulus.p.last)
        with m.If(control.idle):
            m.d.sync += adder.value.eq(self.operand.p.b)
        with m.If(taken):
            beat = self.modulus.p.data
            filled = Cat(beat, Const(0, word - len(beat)))
            m.d.sync += adder.value.eq(Cat(adder.value[word:], filled))
        return loads

    def _table(
        self,
        m: Module,
        control: PhaseSequencer,
        adder: Accumulator,
        address: tuple[Value, Value],
        loads: Value,
    ) -> Value:
        """The word at the address, which is (x_i, q).  loads: P is M in the next cycle."""
        bits, value = self.parameters.width + 1, adder.value
        if self.parameters.table == "registers":
            modulus = Signal(bits - 1, name="modulus_reg", reset_less=True)
            y = Signal(bits - 1, name="y_reg", reset_less=True)
            loaded = Signal(name="modulus_loaded")
            m.d.sync += loaded.eq(loads)
            with m.If(loaded):
                m.d.sync += modulus.eq(value)
            with m.If(control.active["table"] & adder.begins):  # P is Y
                m.d.sync += y.eq(value)
            entry = Signal(bits, name="table_word")
            m.d.comb += entry.eq(select4(*address, (Const(0, 1), modulus, y, value[:bits])))
            return entry
        table = SimpleDualPort(self.parameters.chip, bits, 4, "distributed", 0)
        m.submodules.lookup = table
        # 0 is written in the first cycle after a reset.
        writes = Signal(init=1, name="table_writes")
        high, low = address
        m.d.sync += writes.eq(loads | control.enters["table"] | control.enters["store"])
        m.d.comb += [
            table.read_address.eq(Cat(low, high)),
            table.write_address.eq(Cat(low, high)),
            table.write_enable.eq(writes),
            table.write_data.eq(value),
        ]
        return table.read_data

    def _passes(
        self, m: Module, control: PhaseSequencer, adder: Accumulator, s: Value, low: Value
    ) -> None:
        """Make P = S, then P + C with C = 2 * S + low; in all other passes M = 2 * S + 1 is added.

        P - M is made as ~N with N = ~P + M, so that only the bits of P, which need no selection,
        are inverted; N < 0 where P >= M."""
        active, word = control.active, adder.adder.word
        picked = adder.adder.word_in_turn(s, "s_word")
        below = Signal(name="s_bit_below", reset_less=True)
        dropped = Signal(name="c_bit_dropped", reset_less=True)
        m.d.sync += below.eq(picked[-1])
        with m.If(adder.last):
            m.d.sync += dropped.eq(low)
        doubled = Cat(below | (adder.first & (dropped | ~active["carry"])), picked[:-1])
        whole, twice = Signal(name="add_s"), Signal(name="add_twice_s")
        inverted = Signal(name="invert_p")
        m.d.comb += [
            whole.eq(active["sum"]),
            twice.eq(~(active["sum"] | (active["correct"] & adder.negative))),
            inverted.eq(active["reduce"] | active["correct"]),
            adder.adder.left.eq(
                masked(adder.value[:word], ~active["sum"]) ^ inverted.replicate(word)
            ),
            adder.adder.right.eq(masked(picked, whole) | masked(doubled, twice)),
        ]
