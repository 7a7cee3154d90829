"""Multiplication in one field GF(2^m): digit by digit, and a square in one clock.

The polynomial f = x^m + ... + 1 is a parameter of the circuit, so what stands above x^(m-1) comes
back by wires and a few XORs: x^m = f - x^m.  Digits of d bits of b are taken, the highest first:

    r <- r*x^d + a*b_i mod f, for the ceil(m/d) digits b_i of b

A square is linear: coefficient i goes to 2*i, and is reduced.  Operands and results are of degree
below m; nothing is loaded, R is 1.
Cost: d*m ANDs and as many XORs, some m more for each term of f, and as many again for the square;
ceil(m/d) clocks a product, one a square, and the beats of an operand before and of a result after
that, which overlap with the next product.
Sources: ours, after E. D. Mastrovito, VLSI designs for multiplication over finite fields GF(2^m),
1988, and L. Song, K. K. Parhi, Low-energy digit-serial/parallel finite field multipliers, 1998.
"""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import ClassVar, Literal

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.arithmetic import binary
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.words import ceil_div
from modmul.errors import SpecError
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.core import BareCore, core_of
from modmul.multipliers.facts import abbreviated
from modmul.multipliers.ranges import Bound, Moduli
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter

USUAL = 1 << 163 | 1 << 7 | 1 << 6 | 1 << 3 | 1  # the polynomial of K-163 and B-163
_FEW = 5  # a title lists the terms of a polynomial if there are fewer


@dataclass(frozen=True, kw_only=True)
class Gf2mSerial(Multiplier):
    """Parameters: the polynomial (the key `modulus`), from which the width follows, digit and
    word."""

    name = "gf2m-serial"
    summary = "one fixed field GF(2^m): some coefficients of an operand a clock, a square in one"
    radix = 2
    montgomery_factor = 1
    fields: ClassVar[tuple[Field, ...]] = ("binary",)
    modulus_at: ClassVar[Literal["run time", "fixed", "none"]] = "fixed"
    squares = True
    operand_limit = result_limit = Bound(1, "2^m")

    width: int = parameter(164, "coefficients of the polynomial, m + 1", minimum=3, maximum=1024)
    digit: int = parameter(
        16,
        "coefficients of an operand that are multiplied in a clock; all of them if it has fewer",
        minimum=1,
        maximum=64,
    )
    word: int | None = parameter(
        None,
        "bits of a beat (default: half of the polynomial, so that an operand has two beats)",
        minimum=1,
        maximum=1024,
    )
    modulus: int = USUAL

    def check(self) -> None:
        coefficients = self.modulus.bit_length()
        if coefficients != self.width:
            why = f"the polynomial has {coefficients} coefficients: leave width out"
            raise SpecError("width", self.width, str(coefficients), f"width = {self.width}: {why}")
        if not self.modulus & 1:
            allowed = "a polynomial with constant term 1"
            message = f"modulus = {self.modulus:#x}: must be {allowed}"
            raise SpecError("modulus", hex(self.modulus), allowed, message)

    @property
    def degree(self) -> int:
        """m, the degree of f."""
        return self.modulus.bit_length() - 1

    @property
    def exponents(self) -> tuple[int, ...]:
        """The exponents of the terms of f below x^m."""
        return tuple(i for i in range(self.degree) if self.modulus >> i & 1)

    @property
    def taken_at_once(self) -> int:
        return min(self.digit, self.degree)

    @property
    def steps(self) -> int:
        """The number of digits of an operand."""
        return ceil_div(self.degree, self.taken_at_once)

    # ---- facts --------------------------------------------------------------------------------

    @property
    def fixed_modulus(self) -> int:
        return self.modulus

    @property
    def taken(self) -> Moduli:
        return Moduli(self.modulus, self.width, field="binary")

    @property
    def field_in_use(self) -> Field:
        return "binary"

    def shortest_mode(self, modulus: int, field: Field = "binary") -> Mode:
        return Mode(field=field)

    @property
    def modes(self) -> tuple[Mode, ...]:
        mode = Mode(field="binary")
        return mode, mode.square()

    @property
    def core_title(self) -> str:
        terms = self.exponents[::-1]
        told = "-".join(map(str, terms)) if len(terms) < _FEW else abbreviated(self.modulus)
        parts = f"{self.name}-{self.degree}-{told}-d{self.taken_at_once}-w{self.beat}"
        return f"{parts}{self.chip.title_end}"

    @property
    def beat(self) -> int:
        return min(self.word or ceil_div(self.width, 2), self.width)

    @property
    def beats(self) -> int:
        return ceil_div(self.width, self.beat)

    def constants(self, modulus: int) -> list[Constant]:
        return []

    def compute(self, a: int, b: int, modulus: int) -> int:
        remainder, bits = 0, self.taken_at_once
        for place in reversed(range(self.steps)):
            row = binary.multiply(a, b >> place * bits & (1 << bits) - 1)
            remainder = binary.remainder(remainder << bits ^ row, modulus)
        return remainder

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        square = mode.operation == "square"
        terms = {
            "load": self.beats,
            "square" if square else "digits": 1 if square else self.steps,
            "unload": self.beats,
        }
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        """Cycles from a product to a square whose first beat comes directly behind the last beat of
        the product."""
        steps = 1 if mode.operation == "square" else self.steps
        return Cycles.constant(steps + self.beats - 1)

    def core_forecast(self) -> Forecast:
        """Rows of ANDs, their reduction, the square; registers of a product, of the beats before
        and behind.

        Calibrated at m = 17, 163 and 233, d = 4 to 32: LUTs within 10 %, flip-flops 2 %."""
        chip, m, d = fabric(self.chip), self.degree, self.taken_at_once
        words = self.beat * (3 * self.beats - 2)
        return chip.forecast(
            lut=m * (chip.by_lut_inputs(0.69, 0.635) * d + chip.by_lut_inputs(4.5, 1.8))
            + chip.by_lut_inputs(4, 25),
            ff=2 * m + self.steps * d + words + 11,
            levels=chip.by_lut_inputs(1, 0) + d.bit_length(),
            carry=0,
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Polynomials of all kinds at a few bits: with a term next to the highest, dense,
        shorter than a digit, with one beat and with many."""
        small = [(0b111, 1, 3), (0b1011, 2, 2), (0b11001, 3, 5), (0b101101, 5, 2), (0b110001, 2, 3)]
        designs = [cls(width=f.bit_length(), modulus=f, digit=d, word=w) for f, d, w in small]
        return [
            *designs,
            cls(width=18, modulus=0x20009, digit=4, word=9),
            cls(width=34, modulus=1 << 33 | 1 << 10 | 1, digit=8),
            cls(),
        ]


@core_of(Gf2mSerial)
class Core(BareCore):
    """{theory}

    Here m = {degree} and d = {taken_at_once}. A new product is taken as soon as its result cannot
    come before that of the product before it; `cycles_to_wait` counts the cycles until then."""

    parameters: Gf2mSerial

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "beats of operands": {
            "packet_open": "the other beats of an operand come now",
            "cycles_to_wait": "until the first beat of the next operand can be taken",
            "beat_taken": "a beat of an operand is stored",
            "a_early": "the beats of a before the last one",
            "b_early": "and those of b",
        },
        "a product": {
            "a_reg": "a",
            "b_reg": "b, shifted: its top {taken_at_once} bits are the next digit",
            "is_square": "a^2 is the result, not a*b",
            "digits_left": "digits that are still to be taken; of a square 1",
            "accumulator": "r",
            "row": "r*x^d + a*b_i, not reduced",
            "row_folded_*": "that, with what stood above x^(m-1) brought back once more; the last "
            "one is the next r",
            "square_folded_*": "likewise for a^2; the last one is the square",
        },
        "beats of the result": {
            "result_reg": "the result; its lowest beat leaves, and the others move down",
            "first_beat": "that is the first beat",
            "beats_left": "beats that are still to go",
        },
    }

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        p, stream = self.parameters, self.operand
        d = p.taken_at_once
        ends = self._taken()
        a, b = (self._whole(name, getattr(stream.p, name)) for name in "ab")
        a_reg = Signal(p.degree, name="a_reg", reset_less=True)
        b_reg = Signal(p.steps * d, name="b_reg", reset_less=True)
        r = Signal(p.degree, name="accumulator", reset_less=True)
        left = Signal(range(p.steps + 1), name="digits_left")
        square = Signal(name="is_square", reset_less=True)
        row = Signal(p.degree + d, name="row")
        squared = Signal(2 * p.degree - 1, name="squared")
        digit = b_reg[-d:]
        rows = [
            Cat(Const(0, place), a_reg & bit.replicate(p.degree)) for place, bit in enumerate(digit)
        ]
        between = [part for bit in a_reg for part in (bit, Const(0, 1))]
        m.d.comb += [
            row.eq(functools.reduce(operator.xor, rows, Cat(Const(0, d), r))),
            squared.eq(Cat(*between[:-1])),
        ]
        step, root = self._reduced(row, "row"), self._reduced(squared, "square")
        with m.If(left.any()):
            m.d.sync += [r.eq(step), b_reg.eq(Cat(Const(0, d), b_reg)), left.eq(left - 1)]
        with m.If(ends):
            m.d.sync += [
                a_reg.eq(a),
                b_reg.eq(b),
                r.eq(0),
                square.eq(stream.p.square),
                left.eq(Mux(stream.p.square, 1, p.steps)),
            ]
        self._result(left == 1, Mux(square, root, step))
        return m

    def _taken(self) -> Value:
        """Make the handshake; return whether the last beat of an operand is taken."""
        m, p, stream = self.m, self.parameters, self.operand
        opened, wait = Signal(name="packet_open"), Signal(range(p.steps + p.beats))
        wait.name = "cycles_to_wait"
        taken = Signal(name="beat_taken")
        m.d.comb += [stream.ready.eq(~wait.any() | opened), taken.eq(stream.valid & stream.ready)]
        with m.If(wait.any()):
            m.d.sync += wait.eq(wait - 1)
        with m.If(taken):
            m.d.sync += opened.eq(~stream.p.last)
            with m.If(~opened):
                m.d.sync += wait.eq(Mux(stream.p.square, p.beats - 1, p.steps + p.beats - 2))
        return taken & stream.p.last

    def _whole(self, name: str, beat: Value) -> Value:
        """An operand when its last beat is there."""
        m, p = self.m, self.parameters
        if p.beats == 1:
            return beat
        early = Signal(p.beat * (p.beats - 1), name=f"{name}_early", reset_less=True)
        whole = Cat(early, beat)
        m.d.sync += early.eq(whole[p.beat :])
        return whole

    def _reduced(self, value: Value, name: str) -> Value:
        m, p, count = self.m, self.parameters, 0
        while len(value) > p.degree:
            low, high = value[: p.degree], value[p.degree :]
            parts = [Cat(Const(0, place), high) for place in p.exponents]
            folded = functools.reduce(operator.xor, parts, low)
            length = max(p.degree, len(high) + p.exponents[-1])
            value = Signal(length, name=f"{name}_folded_{count}")
            m.d.comb += value.eq(folded)
            count += 1
        return value

    def _result(self, complete: Value, value: Value) -> None:
        """Output the beats of the result.  complete: it is whole in the next cycle."""
        m, p = self.m, self.parameters
        out = Signal(p.beat * p.beats, name="result_reg", reset_less=True)
        left, first = Signal(range(p.beats + 1), name="beats_left"), Signal(name="first_beat")
        m.d.sync += [first.eq(complete), out.eq(out[p.beat :])]
        with m.If(left.any()):
            m.d.sync += left.eq(left - 1)
        with m.If(complete):
            m.d.sync += [left.eq(p.beats), out.eq(value)]
        m.d.comb += [
            self.result.valid.eq(left.any()),
            self.result.p.first.eq(first),
            self.result.p.last.eq(left == 1),
            self.result.p.data.eq(out[: p.beat]),
        ]
