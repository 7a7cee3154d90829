"""What an architecture declares of its multipliers: what they compute, how operands travel, how
long it takes.  What follows from that, for all of them alike, is in `contract.Multiplier`."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

from modmul import targets
from modmul.arithmetic.moduli import Field
from modmul.design import Cycles, Design, Mode, Number, Time
from modmul.multipliers.operations import MULTIPLY, SQUARE
from modmul.multipliers.ranges import Bound, Moduli, OperandRange
from modmul.parameters import parameter
from modmul.targets import Target

if TYPE_CHECKING:
    from amaranth.lib import wiring

# How a number travels.  binary: as it is.  carry-save: a pair (sum vector, carry vector) whose sum
# it is.  digits: signed digits, the lowest first, whose weighted sum it is; bounds are told of
# each, and one number has many such forms.  No architecture has digits yet.
Form = Literal["binary", "carry-save", "digits"]
Operand = Number


class Constant(NamedTuple):
    """One beat loaded together with a modulus."""

    name: str
    value: int


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

    @property
    def modulus_bits(self) -> int:
        """Bits of the largest modulus at the length in use."""
        return self.width

    @property
    def fixed_modulus(self) -> int | None:
        """The one modulus that it is made for, where `modulus_at` is "fixed"; else None.

        Such an architecture has a dataclass field `modulus: int` with a default, which is no
        parameter: the spec's key `modulus` sets it.  `width` is its length."""
        return None

    @property
    def taken(self) -> Moduli:
        """The moduli that it takes, in the field and at the length in use."""
        return Moduli(3, self.modulus_bits, odd=not self.even_moduli, field=self.field_in_use)

    @property
    def moduli(self) -> str:
        """The moduli that `check_modulus` takes, in words; N is the modulus."""
        if self.kind == "plain":
            return "none"
        if self.fixed_modulus is not None:
            return f"N = {self.fixed_modulus:#x} alone"
        group = {"prime": "GF(p): ", "binary": "GF(2^m): "} if len(self.fields) > 1 else {}
        longest = [self.in_field(field) for field in self.fields_built]
        return "; ".join(group.get(each.field_in_use, "") + each.taken.words for each in longest)

    def taken_in(self, mode: Mode) -> Moduli:
        """The moduli that it takes in that field, with so many words in use."""
        return self.at(mode).taken

    def beats_in(self, mode: Mode) -> int:
        """Beats of one operand (and of one result) with so many words in use."""
        return self.at(mode).beats

    # ---- what can be chosen at run time -------------------------------------------------------
    # `shortest_mode` and `at` are for an architecture to override; others ask `Multiplier.over`.

    @property
    def fields_built(self) -> tuple[Field, ...]:
        """The fields, of all in `fields`, that this multiplier computes in."""
        return self.fields

    @property
    def squares(self) -> bool:
        """Whether a product can be declared a square, which is an operation of its own then."""
        return False

    @property
    def operations(self) -> tuple[str, ...]:
        """What can be asked for with every pair of operands, see `operations.py`; "multiply" is the
        first."""
        return (MULTIPLY, SQUARE) if self.squares else (MULTIPLY,)

    @property
    def lengths(self) -> tuple[int, int] | None:
        """Fewest and most words in use, if they are loaded with the modulus."""
        return None

    @property
    def mode_header_beats(self) -> int:
        """The first beats of a modulus that choose field and words in use, low bits first: bit 0 is
        1 for GF(2^m), above it is the number of words less 1; 0 where there is no choice."""
        return 0

    def shortest_mode(self, modulus: int, field: Field = "prime") -> Mode:
        """The mode of a modulus: its field, and the fewest words that take it."""
        return Mode()

    @property
    def field_in_use(self) -> Field:
        """The field in which it computes."""
        return "prime"

    def at(self, mode: Mode) -> Self:
        """This multiplier with field and words in use chosen as in `mode`: from it come R, bounds,
        constants, beats, cycles and the golden model.

        Before the choice these are for the first of `fields_built` and all words."""
        return self

    def in_field(self, field: Field) -> Self:
        """The multiplier with that field chosen, and with all words."""
        return self.at(Mode(field=field, words=self.lengths[1] if self.lengths else None))

    # ---- what it computes ---------------------------------------------------------------------

    @property
    def chip(self) -> Target:
        return targets.find(self.target)

    @property
    @abc.abstractmethod
    def radix(self) -> int:
        """The digit base: 2, 4, 2^w."""

    @property
    @abc.abstractmethod
    def montgomery_factor(self) -> int | None:
        """R of a*b/R mod N, prime to every N that is taken; 1 for interleaved multipliers, None for
        plain products.  All of today are powers of 2: docs/contracts.md says what uses that."""

    # Properties where they depend on the parameters.
    operand_form: ClassVar[Form] = "binary"
    result_form: ClassVar[Form] = "binary"

    @property
    @abc.abstractmethod
    def operand_limit(self) -> Bound:
        """Operands must be below this."""

    @property
    @abc.abstractmethod
    def result_limit(self) -> Bound:
        """Results are below this, for operands below their bound."""

    def operand_bound(self, modulus: int) -> int:
        """`operand_limit` for that modulus."""
        return self.operand_limit.at(modulus)

    def result_bound(self, modulus: int) -> int:
        """`result_limit` for that modulus."""
        return self.result_limit.at(modulus)

    def operand_range(self, modulus: int) -> OperandRange:
        """Which operands it takes under that modulus: what the proof in its docstring needs, which
        may be more than values below `operand_limit`."""
        bound = self.operand_bound(modulus)
        return OperandRange(bound, bound)

    @abc.abstractmethod
    def constants(self, modulus: int) -> list[Constant]:
        """The beats (of `modulus_beat` bits) that load a modulus, in order."""

    @abc.abstractmethod
    def compute(self, a: Any, b: Any, modulus: int) -> Any:
        """Golden model: bit-exact result of the hardware.  Operands and result are numbers, pairs
        (see `Operand`) where the form is carry-save."""

    def computed(self, operation: str, a: Any, b: Any, modulus: int) -> Any:
        """The same of an operation; of a square, whose `b` is not looked at, a times a."""
        return self.compute(a, a if operation == SQUARE else b, modulus)

    def value_of(self, operand: Operand) -> int:
        """The number that an operand or result stands for, whatever its form; overridden where that
        is digits, to weigh them."""
        return operand if isinstance(operand, int) else sum(operand)

    # ---- how it travels -----------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def beat(self) -> int:
        """Bits of one operand in one beat of the operand stream."""

    @property
    @abc.abstractmethod
    def beats(self) -> int:
        """Beats of one operand (and of one result)."""

    @property
    def result_beat(self) -> int:
        """Bits in one beat of the result stream."""
        return self.beat

    @property
    def modulus_beat(self) -> int:
        """Bits in one beat of the modulus stream."""
        return self.beat

    # ---- how long it takes --------------------------------------------------------------------

    # What a new modulus does to products in flight in the bare core: it "stalls" (the core takes no
    # modulus) until none of them needs the old one, or it "flushes" them, so that no result comes.
    reload: ClassVar[Literal["stalls", "flushes"]] = "stalls"
    # If it flushes: cycles from the first beat of a modulus to the last in which a beat of a result
    # from before can still come.  A result that is whole by then counts; the last beats
    # of one that is not never come.
    drop_latency: ClassVar[int] = 0

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The public choices there are, at the full length and at the shortest."""
        return (Mode(),)

    @abc.abstractmethod
    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        """Named terms that add up to the latency."""

    def latency(self, mode: Mode = Mode()) -> Cycles:
        """First operand beat in to last result beat out at the bare core, both cycles counted."""
        return super().latency(mode)

    def latency_of(self, a: Operand, b: Operand, modulus: int) -> int:
        """Latency of the product of these operands, exactly; the golden model of the timing.

        Overridden where timing is data-dependent."""
        return self.latency().maximum

    @abc.abstractmethod
    def interval(self, mode: Mode = Mode()) -> Cycles:
        """Cycles between the starts of two products of one slot."""

    @property
    def issue_slot_period(self) -> int:
        """Cycles from one chance to begin a product to the next, where slots come in turn; 1: a
        product begins in any cycle in which a slot is free."""
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

    def create(self) -> wiring.Component:
        """The bare core: a component with the signature `core_signature(self)`.  Default: `core`,
        made of these parameters."""
        return type(self).core(self)

    @property
    def title(self) -> str:
        """Short name of this design for tables, such as F44D."""
        return f"{self.name}-{self.width}"


def titled(first: str, *more: tuple[bool, str], target: str) -> str:
    """A title: what comes first, then whatever differs from the usual (whether it does, and how it
    is told), at last the target."""
    told = (*more, (target != "generic", target))
    return "-".join([first, *(text for differs, text in told if differs)])
