"""The circuits of the paper and of the tables beside it, and what is counted of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from modmul.arithmetic import moduli
from modmul.arithmetic.words import ceil_div
from modmul.multipliers.fips import Fips
from modmul.operation import Mode
from modmul.papers.simulated import Stimulus

WORD = 32
BITS = 1024
WORDS = BITS // WORD
DEGREES = (163, 233, 283, 571)  # of the NIST polynomials
WIDTHS = (128, 256, 512, 1024, 2048, 4096)
WORD_SIZES = (8, 16, 32, 64)
SQUARES = ("zero", "skip", "spread")
OVERHEAD = 4  # clocks of the paper besides one for each product


class ControllerKind(NamedTuple):
    """A way to issue the word products.  options: of the architecture."""

    label: str
    options: Mapping[str, Any]

    @property
    def multipliers(self) -> int:
        return int(self.options.get("multipliers", 1))


ONE, TWO = "single_bypass", "balanced_bypass_look2"
ONE_DEFAULT, TWO_DEFAULT = "filled_no_bypass_look1", "balanced_no_bypass_look2"
DRAWN = "paired_bypass"
CONTROLLERS = {
    ONE: ControllerKind("one, as drawn", {"lookahead": 0, "bypass": True}),
    ONE_DEFAULT: ControllerKind("one, no bypass, looks 1 column ahead (default)", {}),
    "single_no_bypass": ControllerKind("one, no bypass, waits for quotients", {"lookahead": 0}),
    "stages3": ControllerKind("one, default, word products of 3 clocks", {"stages": 3}),
    DRAWN: ControllerKind("two, as drawn", {"multipliers": 2, "lookahead": 0, "bypass": True}),
    TWO: ControllerKind("two, looks 2 columns ahead", {"multipliers": 2, "bypass": True}),
    "balanced_bypass_look1": ControllerKind(
        "two, looks 1 column ahead", {"multipliers": 2, "lookahead": 1, "bypass": True}
    ),
    TWO_DEFAULT: ControllerKind(
        "two, no bypass, looks 2 columns ahead (default)", {"multipliers": 2}
    ),
}


class SimulatedCircuit(NamedTuple):
    """A circuit, and everything that is to be counted of it."""

    multiplier: Fips
    loads: Sequence[Stimulus]


def design(controller: str, width: int = BITS, **options: Any) -> Fips:
    return Fips(width=width, word=WORD, **{**CONTROLLERS[controller].options, **options})


def modes(words: int, *fields: str) -> list[Mode]:
    """Product and square of that many words, in each field."""
    both = []
    for field in fields:
        mode = Mode(field="binary" if field == "binary" else "prime", words=words)
        both += [mode, mode.square()]
    return both


def words_of(degree: int) -> int:
    """Words of a polynomial of that degree: it has one coefficient more."""
    return degree // WORD + 1


def with_squares(controller: str, squares: str) -> str:
    """Name of a circuit with one of SQUARES."""
    return controller if squares == "skip" else f"{controller} {squares}"


def of_word(word: int) -> str:
    """Name of the circuit with that word width."""
    return ONE_DEFAULT if word == WORD else f"{ONE_DEFAULT} {word}"


def clocks(multiplier: Fips, mode: Mode) -> int:
    """What the paper counts of a product, as declared."""
    return multiplier.cycles(mode)["multiplication"].maximum


def left_out(multiplier: Fips, mode: Mode) -> int:
    """Declared clocks that the paper does not count: loading, subtraction, unloading."""
    terms = multiplier.cycles(mode).items()
    return sum(term.maximum for name, term in terms if name != "multiplication")


def subjects(rows: Sequence[int]) -> dict[str, SimulatedCircuit]:
    """All circuits that are simulated, by name.  rows: words of an operand, of Table 1."""
    longest = max(rows) * WORD
    fields = [Stimulus(mode) for words in rows for mode in modes(words, "prime", "binary")]
    fixed = [Stimulus(mode) for mode in modes(WORDS, "prime")]
    circuits = {
        ONE: SimulatedCircuit(design(ONE, longest), [*fields, *_polynomials()]),
        TWO: SimulatedCircuit(design(TWO, longest), [*fields, *_polynomials()]),
        ONE_DEFAULT: SimulatedCircuit(
            design(ONE_DEFAULT, max(WIDTHS)), [*_widths(WORD), *_polynomials()]
        ),
        TWO_DEFAULT: SimulatedCircuit(design(TWO_DEFAULT), [*fixed, *_polynomials()]),
    }
    for name in CONTROLLERS.keys() - circuits.keys():
        circuits[name] = SimulatedCircuit(design(name), fixed)
    for controller in (ONE, TWO):
        for squares in ("zero", "spread"):
            circuits[with_squares(controller, squares)] = SimulatedCircuit(
                design(controller, binary_square=squares), _polynomials()
            )
    for word in WORD_SIZES:
        if word != WORD:
            circuits[of_word(word)] = SimulatedCircuit(
                Fips(width=max(WIDTHS), word=word), _widths(word)
            )
    return circuits


def _polynomials() -> list[Stimulus]:
    """Product and square modulo each of the NIST polynomials."""
    return [
        Stimulus(mode, moduli.parse(f"b{degree}").value)
        for degree in DEGREES
        for mode in modes(words_of(degree), "binary")
    ]


def _widths(word: int) -> list[Stimulus]:
    """Product and square in both fields, moduli of WIDTHS bits."""
    return [
        Stimulus(mode) for bits in WIDTHS for mode in modes(ceil_div(bits, word), "prime", "binary")
    ]
