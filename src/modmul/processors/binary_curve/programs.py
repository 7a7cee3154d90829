"""The programs of a processor for binary curves: which there are, and which one does an
operation."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.processors.binary_curve.operations import POINT_CHECK, POINT_MULTIPLY
from modmul.processors.binary_curve.schemes import TASKS
from modmul.processors.curve.schemes.task import Sources
from modmul.processors.engine import blinding, library
from modmul.processors.engine.curve_processor import INVERT
from modmul.processors.engine.program import Program
from modmul.processors.engine.program_set import CurveProgramSet
from modmul.processors.engine.text import parse

_LIBRARY = {POINT_MULTIPLY: "ladder-binary", POINT_CHECK: "on-binary", INVERT: "inverse-binary"}


@dataclass(frozen=True, kw_only=True)
class BinaryCurvePrograms(CurveProgramSet):
    """The programs of one processor.  verification, schemes, blinding: parameters of the processor.
    degree: of all polynomials, or None for any."""

    verification: bool
    schemes: bool
    blinding: int
    degree: int | None

    def operations(self, form: str | None) -> tuple[str, ...]:
        if form is None:
            return (INVERT,)
        tasks = (
            task.name
            for task in TASKS.values()
            if self.schemes and (self.verification or not task.public)
        )
        return (POINT_MULTIPLY, POINT_CHECK, *tasks, INVERT)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map(self.name, self.operations("binary")))

    def name(self, operation: str) -> str:
        return TASKS[operation].program if operation in TASKS else _LIBRARY[operation]

    def written(self, name: str) -> Program:
        own = next((task for task in TASKS.values() if task.program == name), None)
        text = self._points(name) if own is None else own.text(self._sources, "")
        if self.degree is not None:
            text = library.of_degree(text, self.degree)
        return parse(name, self.plain(text))

    @property
    def _sources(self) -> Sources:
        return Sources(
            self._text,
            self.engine.wide,
            self.engine.multiplier.width,
            self.blinding,
            self.engine.protected,
        )

    def _points(self, name: str) -> str:
        """The text of a program of the library, with a blinded scalar if `blinding` says
        so."""
        text, file = self._text(name), library.entry(name).file
        if self.blinding and file in blinding.FILES:
            return blinding.blinded(file, text, self.blinding)
        return text

    @staticmethod
    def _text(name: str) -> str:
        return library.text(library.entry(name))
