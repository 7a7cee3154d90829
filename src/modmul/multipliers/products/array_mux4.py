"""The radix-4 multiplexer-based array: two bits of both operands a row.

With h = k/2 and X_i, Y_i the 2i low bits of the operands, P = D + E + 2*O:
    E = sum over i of 4^i (x_2i Y_i + y_2i X_i), without the carries of X + Y
    O = the same with x_(2i+1), y_(2i+1) in the place of x_2i, y_2i
    D = sum over i of 16^i D_i; D_i, four bits, has the products inside pair i and those carries
E and O are two carry-save chains side by side, even_chain and odd_chain, of h - 1 rows, i = 1 to
h - 1, with 2i columns each: half as deep as an array that takes one bit a row.  Four additions
finish: E, O, E + 2*O, and D on top.

Folded: the rows are cut into `partitions` bands of H = ceil(h/partitions).  The last band, the
widest, is built; it works off all bands in turn.  Column j keeps operand bit j in every band; row t
masks the columns that its row of this band does not have; behind a band 2H columns of each chain
are finished and kept, and the others come back 2H columns lower.  Of the pairs counted below p
partitions build about (2p-1)/p^2.

Phases: prepare (X + Y into a register), bands, sum (the final additions); with prep or sum_clock
off that work is done in the same clock as a band.

Cost: k(k-2)/2 pairs of a multiplexer and an adder (alkhaleel2006 counts 8.5k^2 + 219k gates,
21k^2 + 487k transistors).

Source: alkhaleel2006, sections IV and V, equations 11 to 16; cells and control are only drawn
there.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple, Self

from modmul.arithmetic.words import ceil_div
from modmul.blocks.arrays.adders import ADDERS, ADDERS_HELP
from modmul.errors import SpecError
from modmul.forecast import Logic, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.products.family import FLAT, Array, PlainProduct
from modmul.multipliers.products.folding import FoldedArray
from modmul.multipliers.products.golden import full_adders, mux4
from modmul.parameters import BOTH, parameter


class Vectors(NamedTuple):
    """The inputs of the final additions, the chains as pairs: product = E + 2*O + D."""

    even_sum: int
    even_carry: int
    odd_sum: int
    odd_carry: int
    diagonal: int


@dataclass(frozen=True, kw_only=True)
class ArrayMux4(PlainProduct):
    """Parameters: width, registers, final adders, partitions, which phases have their own clock."""

    width: int = parameter(32, "bits of each operand", minimum=4, maximum=2048)
    partitions: int = parameter(
        1,
        "folds the array: it is built as one of so many bands of rows, which computes all bands "
        "one after the other; 1: not folded",
        minimum=1,
        maximum=1024,
    )
    prep: bool | None = parameter(
        None,
        "compute X + Y in a clock of its own (default: only if partitions is above 1)",
        choices=BOTH,
    )
    sum_clock: bool | None = parameter(
        None,
        "do the final additions in a clock of their own (default: only if partitions is above 1)",
        choices=BOTH,
    )
    adders: str = parameter("chain", ADDERS_HELP, choices=ADDERS)

    name = "array-mux4"
    summary = "plain product: radix-4 multiplexer-based array, whole or folded into partitions"
    sources = ("alkhaleel2006",)
    even_operands = True
    radix = 4

    def check(self) -> None:
        super().check()
        check_partitions(self.width, self.partitions)
        several = self.clocks > 1
        if several and not self.registers:
            message = f"registers = false: a product takes {self.clocks} clocks, which needs them"
            raise SpecError("registers", False, "true", message)

    @property
    def core_title(self) -> str:
        name = super().core_title + ("" if self.adders == "chain" else "-select")
        return name + fold_title(self.partitions, self.prepares, self.sums)

    @property
    def theory(self) -> str:
        """The docstring of the module, without folding and phases in a design that has none."""
        left_out = ("Folded:",) * (self.partitions == 1) + ("Phases:",) * (self.clocks == 1)
        paragraphs = super().theory.split("\n\n")
        return "\n\n".join(text for text in paragraphs if not text.startswith(left_out))

    @property
    def prepares(self) -> bool:
        """Whether X + Y has a clock of its own."""
        return self.partitions > 1 if self.prep is None else self.prep

    @property
    def sums(self) -> bool:
        """Whether the final additions have a clock of their own."""
        return self.partitions > 1 if self.sum_clock is None else self.sum_clock

    @property
    def phases(self) -> dict[str, int]:
        lengths = {"prepare": int(self.prepares), "bands": self.partitions, "sum": int(self.sums)}
        return {name: count for name, count in lengths.items() if count}

    @property
    def rows(self) -> int:
        """H, the number of rows of a band."""
        return ceil_div(self.width // 2, self.partitions)

    def columns(self, row: int) -> int:
        """The columns of each chain in a row of the band that is built."""
        return min(2 * ((self.partitions - 1) * self.rows + row), self.width - 2)

    @property
    def pairs(self) -> int:
        """The pairs of a multiplexer and an adder that are built: the columns of both chains."""
        return 2 * sum(self.columns(row) for row in range(self.rows))

    @property
    def possible_partitions(self) -> list[int]:
        """The values that `partitions` can have with the other parameters, fewest first."""
        counts = possible_partitions(self.width)
        return counts if self.registers else [count for count in counts if count == 1]

    def folded(self, partitions: int) -> Self:
        return dataclasses.replace(self, partitions=partitions)

    def vectors(self, a: int, b: int) -> Vectors:
        """The inputs of the final additions, the same for any number of partitions."""
        s, even, odd, diagonal = a + b, (0, 0), (0, 0), 0
        for i in range(self.width // 2):
            below = (1 << 2 * i) - 1
            x_0, x_1, y_0, y_1 = (v >> 2 * i + bit & 1 for v in (a, b) for bit in (0, 1))
            operands = a & below, b & below, s & below
            even = _add_row(even, mux4(x_0, y_0, *operands), 2 * i)
            odd = _add_row(odd, mux4(x_1, y_1, *operands), 2 * i)
            diagonal |= digit(x_0, x_1, y_0, y_1, s >> 2 * i) << 4 * i
        return Vectors(*even, *odd, diagonal)

    def compute(self, a: int, b: int, modulus: int = 0) -> int:
        v = self.vectors(a, b)
        return v.even_sum + v.even_carry + 2 * (v.odd_sum + v.odd_carry) + v.diagonal

    def logic(self) -> Logic:
        """Four LUTs, or three of six inputs, for each pair of a multiplexer and a full adder.

        Folded, the masks, the chains' registers and the sum come on top, 16 LUTs and 18 registers
        a bit; the slowest clock is that of a band, or that of the four additions.

        Calibrated from 8 to 512 bits: LUTs within 6 %, flip-flops 5 %, clock 11 %."""
        chip, k, several = fabric(self.chip), self.width, self.partitions > 1
        lut = (
            chip.by_lut_inputs(4, 3) * self.pairs
            + 36
            + (16 if several else chip.by_lut_inputs(2.5, 0)) * k
        )
        lut += 27 * k - 94 if self.adders == "carry-select" else 0
        if not several:
            clocks = k * self.prepares + 7 * k * self.sums
            levels = chip.by_lut_inputs(0.35 * k + 6.6, 0.415 * k + 5)
            return Logic(lut, clocks, levels=levels, carry=1.45 * k, broadcast=False)
        ff = 14 * k - 4.6 * k / self.partitions - 10
        band, final = self.rows + 3, (5, 2 * k)
        if not self.sums:
            return Logic(lut, ff, levels=band + final[0], carry=final[1])
        if band > final[0] + 0.04 * final[1]:
            return Logic(lut, ff, levels=band)
        return Logic(lut, ff, levels=final[0], carry=final[1])

    @classmethod
    def examples(cls) -> list[Multiplier]:
        folded = [(4, 2), (6, 3), (8, 2), (10, 3), (12, 6)]
        flags = [(prep, clock) for prep in BOTH for clock in BOTH]
        return [
            *super().examples(),
            cls(width=6, adders="carry-select"),
            *(cls(width=width, partitions=count) for width, count in folded),
            *(cls(width=6, partitions=1, prep=p, sum_clock=c) for p, c in flags[:-1]),
            *(cls(width=10, partitions=3, prep=p, sum_clock=c) for p, c in flags[1:]),
        ]

    def array(self) -> Array:
        return FoldedArray(self)


def digit(x_0: int, x_1: int, y_0: int, y_1: int, s: int) -> int:
    """The diagonal of one pair, cells 2 to 4, which is at most 12.  s: X + Y from bit 2i up.

    A carry into a column of X + Y matters where both bits are 1; there it is the bit of the sum."""
    low, high, s_0, s_1 = x_0 & y_0, x_1 & y_1, s & 1, s >> 1 & 1
    crossed = mux4(x_1, y_1, x_0, y_0, s_0)
    return low + (low & s_0) + 2 * crossed + 4 * (high + (high & s_1))


def _add_row(chain: tuple[int, int], addend: int, weight: int) -> tuple[int, int]:
    """A chain after a row of full adders from column `weight` up; lower ones are
    finished."""
    low = (1 << weight) - 1
    total, carry = full_adders(chain[0] >> weight, chain[1] >> weight, addend)
    return total << weight | chain[0] & low, carry << weight | chain[1] & low


def possible_partitions(width: int) -> list[int]:
    """The numbers P of partitions whose bands are all needed: ceil(h/ceil(h/P)) = P,
    h = width/2.

    Widths of more than FLAT bits must have more than one partition."""
    h = width // 2
    counts = sorted({ceil_div(h, rows) for rows in range(1, h + 1)})
    return [count for count in counts if count > 1 or width <= FLAT]


def check_partitions(width: int, partitions: int) -> None:
    """Raise SpecError with the nearest possible number unless all `partitions` bands are needed."""
    possible = possible_partitions(width)
    if partitions in possible:
        return
    nearest = min(possible, key=lambda count: (abs(count - partitions), count))
    reason = f"bands would be left without rows at width = {width}"
    if partitions == 1:
        reason = f"a whole array has at most {FLAT} bits, not {width}"
    message = f"partitions = {partitions}: {reason}; nearest: {nearest}"
    raise SpecError("partitions", partitions, f"such as {nearest}", message)


def fold_title(partitions: int, prepares: bool, sums: bool) -> str:
    """The part of a title for partitions and unusual phases, such as -p4 or -p4-nosum."""
    usual = partitions > 1
    fold = f"-p{partitions}" if usual else ""
    if prepares != usual:
        fold += "-prep" if prepares else "-noprep"
    if sums != usual:
        fold += "-sum" if sums else "-nosum"
    return fold
