"""What an architecture declares of its multipliers: what they compute, how operands travel, how
long it takes.  What follows from that, for all of them alike, is in `contract.Multiplier`."""

from __future__ import annotations

import abc
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

from modmul import targets
from modmul.arithmetic.moduli import Field
from modmul.design import Design
from modmul.forecast import Forecast, fabric
from modmul.multipliers.operations import MULTIPLY, SQUARE
from modmul.multipliers.ranges import Bound, Moduli, OperandRange
from modmul.operation import Cycles, Mode, Number, Time
from modmul.parameters import parameter
from modmul.targets import Target

if TYPE_CHECKING:
    from amaranth.lib import wiring

# The form of a number in a stream.  binary: the number itself.  carry-save: a pair (sum vector,
# carry vector), whose sum is the number.  digits: signed digits, the lowest first, whose weighted
# sum is the number; each has bounds, and a number has many such forms; not used so far.
Form = Literal["binary", "carry-save", "digits"]
Operand = Number


class ConstantPart(NamedTuple):
    """`width` bits of N from `low` on; or -1/N mod 2^width."""

    of: Literal["modulus", "inverse"]
    width: int
    low: int = 0


class Constant(NamedTuple):
    """One beat that is loaded with a modulus.  parts: what it means for any N, the lowest bits
    first; (): not said."""

    name: str
    value: int
    parts: tuple[ConstantPart, ...] = ()


def words_of_modulus(names: str, words: Sequence[int], width: int) -> list[Constant]:
    """The beats of N in words of `width` bits.  names: with {} for the number of the word."""
    return [
        Constant(names.format(place), word, (ConstantPart("modulus", width, place * width),))
        for place, word in enumerate(words)
    ]


def inverse_of_modulus(name: str, modulus: int, width: int) -> Constant:
    """The beat of -1/N mod 2^width, of an odd N."""
    value = -pow(modulus, -1, 1 << width) % (1 << width)
    return Constant(name, value, (ConstantPart("inverse", width),))


@dataclass(frozen=True, kw_only=True)
class MultiplierFacts(Design):
    """See the docstring of the module; an architecture derives from `contract.Multiplier`."""

    kind: ClassVar[Literal["modular", "plain"]] = "modular"
    fields: ClassVar[tuple[Field, ...]] = ("prime",)
    even_moduli: ClassVar[bool] = False

    width: int = parameter(128, "bits of the modulus", minimum=2, maximum=4096)
    target: str = parameter(
        "generic", "chip family the pipeline is made for", choices=targets.NAMES
    )
    protection: str = parameter(
        "none",
        "against faults such as a flipped bit: none; full: no wrong result leaves unseen",
        choices=("none", "full"),
    )

    @property
    def modulus_bits(self) -> int:
        """Bits of the largest modulus at the length in use."""
        return self.width

    @property
    def fixed_modulus(self) -> int | None:
        """The only modulus, if `modulus_at` is "fixed"; else None.

        Such an architecture has a dataclass field `modulus: int` with a default.  It is no
        parameter: the spec's key `modulus` sets it, and `width` is its length."""
        return None

    @property
    def taken(self) -> Moduli:
        """The moduli that it accepts, in the field and at the length in use."""
        return Moduli(3, self.modulus_bits, odd=not self.even_moduli, field=self.field_in_use)

    @property
    def moduli(self) -> str:
        """The moduli that `check_modulus` accepts, as a text; N is the modulus."""
        if self.kind == "plain":
            return "none"
        if self.fixed_modulus is not None:
            return f"N = {self.fixed_modulus:#x} alone"
        group = {"prime": "GF(p): ", "binary": "GF(2^m): "} if len(self.fields) > 1 else {}
        longest = [self.in_field(field) for field in self.fields_built]
        return "; ".join(group.get(each.field_in_use, "") + each.taken.words for each in longest)

    def taken_in(self, mode: Mode) -> Moduli:
        """In the field and with the words in use of the mode."""
        return self.at(mode).taken

    def beats_in(self, mode: Mode) -> int:
        """Beats of one operand (and of one result), with the words in use of the mode."""
        return self.at(mode).beats

    # ---- what can be chosen at run time -------------------------------------------------------
    # An architecture may override `shortest_mode` and `at`; other code calls `Multiplier.over`.

    @property
    def fields_built(self) -> tuple[Field, ...]:
        return self.fields

    @property
    def squares(self) -> bool:
        """Whether a product can be declared a square, which is then an operation of its own."""
        return False

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations that can be chosen with every pair of operands (see `operations.py`),
        "multiply" first."""
        return (MULTIPLY, SQUARE) if self.squares else (MULTIPLY,)

    @property
    def lengths(self) -> tuple[int, int] | None:
        """The fewest and the most words in use, if they are loaded with the modulus; else None."""
        return None

    @property
    def mode_header_beats(self) -> int:
        """The number of beats in front of a modulus that choose field and words in use, low bits
        first; 0 without a choice.  Bit 0 is 1 for GF(2^m), the bits above it are the number of
        words less 1."""
        return 0

    def shortest_mode(self, modulus: int, field: Field = "prime") -> Mode:
        """The mode of a modulus: its field, and the fewest words that hold it."""
        return Mode()

    @property
    def field_in_use(self) -> Field:
        return "prime"

    def at(self, mode: Mode) -> Self:
        """This multiplier with field and words in use as in `mode`: they decide R, bounds,
        constants, beats, cycles and the golden model.

        Without a choice these are for the first of `fields_built` and all words."""
        return self

    def in_field(self, field: Field) -> Self:
        """The multiplier with that field, and with all words."""
        return self.at(Mode(field=field, words=self.lengths[1] if self.lengths else None))

    # ---- what it computes ---------------------------------------------------------------------

    @property
    def chip(self) -> Target:
        return targets.find(self.target)

    @property
    @abc.abstractmethod
    def radix(self) -> int:
        """The digit base, such as 2, 4 or 2^w."""

    @property
    @abc.abstractmethod
    def montgomery_factor(self) -> int | None:
        """R of a*b/R mod N, prime to every accepted N; 1 for interleaved multipliers, None for
        plain products.  So far all are powers of 2: docs/contracts.md says where that is used."""

    # Overridden by properties if they depend on the parameters.
    operand_form: ClassVar[Form] = "binary"
    result_form: ClassVar[Form] = "binary"

    @property
    @abc.abstractmethod
    def operand_limit(self) -> Bound:
        """The limit below which operands must be."""

    @property
    @abc.abstractmethod
    def result_limit(self) -> Bound:
        """The limit below which results are if the operands are below theirs."""

    def operand_bound(self, modulus: int) -> int:
        """`operand_limit` for that modulus."""
        return self.operand_limit.at(modulus)

    def result_bound(self, modulus: int) -> int:
        """`result_limit` for that modulus."""
        return self.result_limit.at(modulus)

    def operand_range(self, modulus: int) -> OperandRange:
        """Which operands it accepts under that modulus, by the proof in its docstring; these
        may be more than the values below `operand_limit`."""
        bound = self.operand_bound(modulus)
        return OperandRange(bound, bound)

    @abc.abstractmethod
    def constants(self, modulus: int) -> list[Constant]:
        """The beats (of `modulus_beat` bits) that load a modulus, in order."""

    @abc.abstractmethod
    def compute(self, a: Any, b: Any, modulus: int) -> Any:
        """The bit-exact result of the hardware (golden model).  Operands and result are
        numbers, or pairs (see `Operand`) if the form is carry-save."""

    def computed(self, operation: str, a: Any, b: Any, modulus: int) -> Any:
        """Bit-exact; a square ignores `b`."""
        return self.compute(a, a if operation == SQUARE else b, modulus)

    def value_of(self, operand: Operand) -> int:
        """The number that an operand or result stands for in its form; overridden for
        digits, which have weights."""
        return operand if isinstance(operand, int) else sum(operand)

    # ---- how it travels -----------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def beat(self) -> int:
        """Bits of one operand in one beat of the operand stream."""

    @property
    @abc.abstractmethod
    def beats(self) -> int:
        """The number of beats of one operand (and of one result)."""

    @property
    def result_beat(self) -> int:
        return self.beat

    @property
    def modulus_beat(self) -> int:
        return self.beat

    # ---- how long it takes --------------------------------------------------------------------

    # What a new modulus does to products in flight in the bare core.  "stalls": the core accepts
    # no modulus until no product needs the old one.  "flushes": the products are dropped.
    reload: ClassVar[Literal["stalls", "flushes"]] = "stalls"
    # If it flushes: cycles from the first beat of a modulus to the last cycle in which a beat of an
    # earlier result can still come.  Results that are complete by then count; the last beats of
    # the others never come.
    drop_latency: ClassVar[int] = 0

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes, with their public choices, at the full and at the shortest length."""
        return (Mode(),)

    @abc.abstractmethod
    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """Named terms that add up to the latency."""

    def latency(self, mode: Mode = Mode()) -> Cycles:
        """The cycles from first operand beat to last result beat, both counted; bare
        core."""
        return super().latency(mode)

    def latency_of(self, a: Operand, b: Operand, modulus: int) -> int:
        """The exact latency of the product of these operands (golden model of the timing).

        Overridden if the timing is data-dependent."""
        return self.latency().maximum

    @abc.abstractmethod
    def interval(self, mode: Mode = Mode()) -> Cycles:
        """The cycles between the starts of two products in one slot."""

    @property
    def issue_slot_period(self) -> int:
        """Cycles between two cycles in which a product can begin, if slots come in turn, the first
        cycle after a reset being one of them; 1: a product can begin in any cycle in which a slot
        is free."""
        return 1

    def worst(self, what: Time) -> int:
        """The largest latency or interval of all modes."""
        return max(int(self.time(what, mode).maximum) for mode in self.modes)

    def cycles_per_product(self, mode: Mode = Mode()) -> float:
        return super().cycles_per_product(mode)

    def cycles_for(self, count: int, mode: Mode = Mode()) -> int:
        return super().cycles_for(count, mode)

    # ---- the hardware -------------------------------------------------------------------------

    core: ClassVar[type[wiring.Component]]  # see `core.core_of`

    @abc.abstractmethod
    def core_forecast(self) -> Forecast:
        """Forecast area and clock of the bare core, unprotected."""

    def forecast(self) -> Forecast:
        """Twice the core with protection, and the comparison of the results.

        Calibrated on ecp5 at 256 bits (cios, fpmm, montgomery-radix2): LUTs within 5 %."""
        core = self.core_forecast()
        if self.protection == "none":
            return core
        compared = round(fabric(self.chip).by_lut_inputs(1, 0.6) * self.result_beat) + 10
        lut, ff, dsp, ram_bits = (2 * each for each in core[:4])
        return Forecast(lut + compared, ff + 1, dsp, ram_bits, core.mhz)

    def create_core(self) -> wiring.Component:
        """The bare core, unprotected: a component with the signature `core_signature(self)`.
        Default: `core`, made of these parameters."""
        return type(self).core(self)

    @property
    def title(self) -> str:
        return self.core_title + ("" if self.protection == "none" else "-protected")

    @property
    def core_title(self) -> str:
        return f"{self.name}-{self.width}"


def abbreviated(number: int) -> str:
    """The hexadecimal digits of a number for a title.  Where there are more than 16, they
    are the first 16 of its SHA-256."""
    digits = f"{number:x}"
    return digits if len(digits) <= 16 else hashlib.sha256(digits.encode()).hexdigest()[:16]


def titled(first: str, *more: tuple[bool, str], target: str) -> str:
    """A title: `first`, then each text of `more` whose condition holds, at last the target
    if it is not "generic"."""
    told = (*more, (target != "generic", target))
    return "-".join([first, *(text for differs, text in told if differs)])
