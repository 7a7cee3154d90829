"""Finely integrated operand scanning (FIOS) on an array of elements with one DSP block each.

Element i does the step of the word a_i: with T from the element before it,

    v_0 <- word 0 of T + a_i*B;  q <- v_0*N' mod 2^w;  T <- (T + a_i*B + q*N) / 2^w

and passes words of T and of B on, one every two clocks.  Its DSP block adds up P <- a_i*b_j + P/2^w
and then P <- q*n_j + P.  The low word of P is one of a_i*B + q*N; an adder of w bits behind the
block adds t_j.  In a DSP48E, and what follows it, P is the block's own post-adder with its shift by
17 bits: no carry is in the fabric but that of t_j.  The head of a product, a_i*b_0 for v_0 and
v_0*N' for q, enters while the chain of the product before it is in the block; for that P/2^w is
kept a clock longer, in the block's register C.  So a_i*b_0 is made twice, and nothing waits for q.

With as many elements as words a product passes once (expanded); with fewer it goes round (folded).

Bounds: P < 2^(2w+1); T < B + N <= R after every step, so that its last word leaves no carry; the
result is below 2N for operands below 2N, 4N < R = 2^(w*s), and no subtraction is made.

Cost: one DSP block an element; 2s products, the head's two and one of 0: 2s + 3 clocks a round (a
few more for short numbers).  An element begins 10 or 14 clocks after the one before it (2 or 3
registers to P; one more where the block has no adder).

Sources: Koc, Acar, Kaliski, 1996 (FIOS).  The array, its head and its chain are ours, after what is
published of such arrays (one product in 20, found by simulation to be 21 cycles with 8 DSP blocks
at 128 bits, words of 17 bits).
"""

from __future__ import annotations

from dataclasses import dataclass

from modmul.errors import SpecError, refusal
from modmul.forecast import Forecast, fabric
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.fios_array.core import Core
from modmul.multipliers.fios_array.plan import ArrayTiming, plan
from modmul.multipliers.operand_scanning import OperandScanning
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter


@dataclass(frozen=True, kw_only=True)
class FiosArray(OperandScanning):
    """See the docstring of the module."""

    name = "fios-array"
    summary = "Montgomery multiplication word by word (FIOS) on an array, a DSP block per element"

    elements: int | None = parameter(
        None,
        "processing elements, each with a DSP block (default: one for each word)",
        minimum=1,
        maximum=2049,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.elements is None:
            object.__setattr__(self, "elements", self.words)

    def check(self) -> None:
        super().check()
        dsp = self.chip.dsp
        assert dsp is not None
        if dsp.accumulator is not None and dsp.cell is not None:
            self._check_block(dsp.cell, dsp.narrow)
        if self.elements is not None and self.elements > self.words:
            allowed = f"at most {self.words}, one for each word"
            raise refusal("elements", self.elements, allowed)

    def _check_block(self, cell: str, shift: int) -> None:
        """Raise SpecError if the block cannot add its own sum shifted by a word; blocks shift by
        one number of bits only, and some not even that."""
        if self.chip.no_shifted_sum:
            message = (
                f"target = {self.target}: an element needs a {cell} of its own that adds its "
                f"shifted sum, now or a clock later; {self.chip.no_shifted_sum}"
            )
            raise SpecError("target", self.target, "another target", message)
        if self.word_bits != shift and self.width + 1 >= shift:
            message = (
                f"word = {self.word_bits}: a {cell} shifts its sum by {shift} bits; must be {shift}"
            )
            raise SpecError("word", self.word_bits, str(shift), message)

    @property
    def count(self) -> int:
        assert self.elements is not None
        return self.elements

    @property
    def sum_latency(self) -> int:
        """Clocks until P contains a product; one more if its register is in fabric."""
        assert self.chip.dsp is not None
        return self.chip.dsp.latency(self.dsp_registers)

    @property
    def plan(self) -> ArrayTiming:
        return plan(self.words, self.count, self.sum_latency)

    @property
    def core_title(self) -> str:
        """The short name, with the number of elements if the array is folded."""
        folded = f"-e{self.count}" if self.count != self.words else ""
        return super().core_title.replace(f"-{self.width}", f"-{self.width}{folded}", 1)

    @property
    def slots(self) -> int:
        """The products that go round at once; 1 for an expanded array, which they pass through."""
        return self.plan.passing if self.plan.rounds > 1 else 1

    @property
    def issue_slot_period(self) -> int:
        return self.plan.period

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """The head of the first step; the rounds before the last; the way to the element of the
        last step; that step until the first word of the result; its words."""
        p = self.plan
        terms = {
            "load": 1,
            "head": p.head,
            "rounds": (p.rounds - 1) * p.passing * p.period,
            "elements": p.start(p.last(self.words, self.count)),
            "last step": p.first_result,
            "unload": self.words,
        }
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.plan.rounds * self.slots * self.plan.period)

    def cycles_for(self, count: int, mode: Mode = Mode()) -> int:
        """Products begin in consecutive periods."""
        turns, rest = divmod(count - 1, self.slots)
        return self.interval().maximum * turns + self.plan.period * rest + self.latency().maximum

    def core_forecast(self) -> Forecast:
        """Each element: four memories, the adder of P if the block has none, and that of t_j."""
        chip, w, s, dsp = fabric(self.chip), self.word_bits, self.words, self.chip.dsp
        assert dsp is not None
        inside = dsp.accumulator is not None and dsp.cell is not None
        depth = self.plan.rounds << (self.plan.passing - 1).bit_length() + 1
        memories = [chip.memory(depth_of, w) for depth_of in (s, s, s + 1, depth)]
        element = sum(lut for lut, _ in memories) + chip.by_lut_inputs(4, 3) * w + 40
        element += 0 if inside else chip.by_lut_inputs(6, 5) * w
        # Registers of P, of P/2^w a clock later, of q and of the sum; addresses and flags.
        ff = (2 if inside else 5 if s > 3 else 4) * w + 12 * (s - 1).bit_length() + 25
        return chip.forecast(
            lut=element * self.count + chip.memory(s, w)[0] + 40,
            ff=ff * self.count + 30,
            levels=chip.by_lut_inputs(3, 3.6),
            carry=w + 1 if inside else 2 * w + 1,
            dsp=self.count,
        )

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """Expanded and folded, a last round of all elements and of some; both depths of blocks, P
        in the block and in fabric (ecp5)."""
        return [
            cls(width=2),
            cls(width=6, word=2, dsp_registers=2),
            cls(width=6, word=2, elements=1),
            cls(width=10, word=2, elements=2, dsp_registers=2),
            cls(width=14, word=2),
            cls(width=14, word=2, elements=3),
            cls(width=20, word=3, elements=4),
            cls(width=33, target="xc7"),
            cls(width=33, target="ecp5", elements=1),
        ]

    def create_core(self) -> Core:
        return Core(self, self.plan, self.sum_latency)
