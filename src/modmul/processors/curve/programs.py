"""The programs of a processor for curves: which there are, and which one does an operation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from modmul.arithmetic.curves import Curve
from modmul.processors.curve import checks, edwards
from modmul.processors.curve.operations import (
    DOUBLE_MULTIPLY,
    EXPONENTIATE,
    POINT_ADD,
    POINT_CHECK,
    POINT_MULTIPLY,
    X_MULTIPLY,
    Lost,
)
from modmul.processors.curve.schemes import TASKS, Sources, texts
from modmul.processors.engine import blinding, library
from modmul.processors.engine.batches import SUFFIXES, batch, several
from modmul.processors.engine.curve_processor import INVERT
from modmul.processors.engine.program import Program
from modmul.processors.engine.program_set import CurveProgramSet
from modmul.processors.engine.text import parse

LADDER, X_ONLY, COMPLETE = "ladder", "x-only", "complete"
ALL, NONE = "all", "none"  # forms of curves, schemes
COFACTOR = "ecdsa-cofactor"  # ecdsa, also where the order is much shorter than the prime
_ON_EDWARDS = {POINT_ADD: "add-edwards", POINT_CHECK: "on-edwards"}
_ANYWHERE = {
    X_MULTIPLY: "x",
    POINT_ADD: "add",
    POINT_CHECK: "on-curve",
    INVERT: "inverse",
    EXPONENTIATE: "power-ladder",
}
# The operations on curves of a form, the headline first.
_OPERATIONS = {
    "weierstrass": (POINT_MULTIPLY, DOUBLE_MULTIPLY, POINT_ADD, POINT_CHECK),
    "montgomery": (X_MULTIPLY,),
    "edwards": (POINT_MULTIPLY, DOUBLE_MULTIPLY, POINT_ADD, POINT_CHECK),
}
# How many multiplications fit into the registers at the same time, by form or formulas.
_AT_ONCE = {LADDER: 4, X_ONLY: 4, COMPLETE: 1, "montgomery": 4, "edwards": 2}
_LADDERS = {LADDER: "ladder", X_ONLY: "ladder-x"}  # by formulas

# The scalars for which each ladder is not defined.
_LOST = {"ladder": Lost((0, 1, -2, -1), beginnings=True), "ladder-x": Lost((0, -1))}
# Tasks by the names of their programs, with the variant.
_OF_TASKS = {
    f"{task.program}{kind}": (task, kind) for task in TASKS.values() for kind in task.variants
}


@dataclass(frozen=True, kw_only=True)
class PrimeCurvePrograms(CurveProgramSet):
    """The programs of one processor.  Its fields are parameters of the processor."""

    formulas: str
    forms: str
    verification: bool
    schemes: str
    blinding: int
    batch: int
    powers: bool

    def operations(self, form: str | None) -> tuple[str, ...]:
        if form is None:
            return (INVERT, EXPONENTIATE) if self.powers else (INVERT,)
        if self.forms not in (ALL, form):
            return (INVERT,)
        left_out = set() if self.verification else {DOUBLE_MULTIPLY, POINT_ADD}
        headline, *others = (each for each in _OPERATIONS[form] if each not in left_out)
        times = min(
            self.batch,
            _AT_ONCE[form if form != "weierstrass" else self.formulas],
            2 if self.blinding else self.batch,
        )
        batches = (headline + SUFFIXES[times],) if times > 1 else ()
        tasks = (
            task.name
            for task in TASKS.values()
            if task.form == form
            and self.schemes.removesuffix("-cofactor") in (ALL, task.scheme)
            and (self.verification or not task.public)
        )
        return (headline, *batches, *others, *tasks, INVERT)

    @cached_property
    def names(self) -> tuple[str, ...]:
        every = [
            name
            for form in _OPERATIONS
            for operation in self.operations(form)
            for name in self._doing(operation, form)
        ]
        every += [name for op in self.operations(None) for name in self._doing(op, "")]
        return tuple(dict.fromkeys(every))

    def _doing(self, operation: str, form: str) -> tuple[str, ...]:
        """The programs for an operation on all curves of a form ("": without a curve)."""
        alone, count = batch(operation)
        if count > 1 and alone == POINT_MULTIPLY and self.formulas == X_ONLY:
            return (f"ladder{SUFFIXES[count]}",)  # has fewer products; a batch fills the slots
        if count > 1:
            return tuple(f"{each}{SUFFIXES[count]}" for each in self._doing(alone, form))
        if form == "edwards" and operation == POINT_MULTIPLY:
            return "twisted", "edwards"
        if form == "edwards" and operation == DOUBLE_MULTIPLY:
            return "double-twisted", "double-edwards"
        if operation == POINT_MULTIPLY and self.formulas in _LADDERS:
            return (_LADDERS[self.formulas],)
        if operation in TASKS:
            return TASKS[operation].programs
        if operation in (POINT_MULTIPLY, DOUBLE_MULTIPLY):
            file = "complete" if operation == POINT_MULTIPLY else "double"
            return f"{file}-3", f"{file}0", file
        return (
            (_ON_EDWARDS.get(operation) if form == "edwards" else None) or _ANYWHERE[operation],
        )

    def lost(self, operation: str) -> Lost:
        """The scalars for which a multiplication may answer `exceptional`."""
        alone, count = batch(operation)
        if alone != POINT_MULTIPLY:
            return Lost()
        program, *_ = self._doing(operation, "weierstrass")
        return _LOST.get(program.removesuffix(SUFFIXES.get(count, "")), Lost())

    def name(self, operation: str, curve: Curve | None) -> str:
        """The program for an operation; of several the one for the `a` of this curve."""
        every = self._doing(operation, "" if curve is None else curve.form)
        if len(every) == 1 or curve is None:
            return every[0]
        return every[_kind(curve)]

    def steps(self, operation: str, curve: Curve | None) -> int:
        """The passes of loops with a counter: the bits of the scalar, or, for a blinded
        scalar, those of the number of which a random multiple is added."""
        if curve is None:
            return 0
        blind = self.blinding and batch(operation).name in (POINT_MULTIPLY, *TASKS)
        return annihilator(curve).bit_length() if blind else curve.scalar_bits

    def written(self, name: str) -> Program:
        alone, count = batch(name)
        return parse(name, several(self._text(alone), count))

    def _text(self, name: str) -> str:
        """The text of a program, blinded if `blinding` says so, and with 1 for every random
        number unless `randomise` is set."""
        if name in _OF_TASKS:
            task, kind = _OF_TASKS[name]
            sources = Sources(
                lambda part: library.text(library.entry(part)),
                self.engine.wide,
                self.engine.multiplier.width,
                self.blinding,
                self.engine.protected,
            )
            text = task.text(sources, kind)
            if self.schemes == COFACTOR:  # the order may be much smaller than the prime
                text = text.replace(" near\n", "\n").replace(texts.SAME_NONCE, "")
            return self.plain(text)
        told = library.entry(name)
        text = library.text(told)
        if name in edwards.PROGRAMS:
            text = edwards.for_any_square(text)
        if self.engine.protected and told.file in checks.TEXTS:
            text = checks.TEXTS[told.file](text)
        if self.blinding and told.file in blinding.FILES:
            text = blinding.blinded(told.file, text, self.blinding)
        return self.plain(text)


def annihilator(curve: Curve) -> int:
    """A multiple of the order of every point that may be multiplied, not shorter than a
    scalar: on an Edwards curve the number of all points or twice that, else the order of the base
    point."""
    if curve.form != "edwards":
        return curve.order
    return curve.size << max(0, curve.scalar_bits - curve.size.bit_length())


def _kind(curve: Curve) -> int:
    """The place of the program for this curve among those for different `a`."""
    if curve.form == "edwards":
        return int(not edwards.is_twisted(curve))
    return {curve.prime - 3: 0, 0: 1}.get(curve.a, 2)
