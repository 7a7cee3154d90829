"""The programs of a processor for Kummer surfaces."""

from __future__ import annotations

from dataclasses import dataclass

from modmul.processors.engine import library
from modmul.processors.engine.batches import SUFFIXES, batch, several
from modmul.processors.engine.curve_processor import INVERT
from modmul.processors.engine.program import Program
from modmul.processors.engine.program_set import CurveProgramSet
from modmul.processors.engine.text import parse
from modmul.processors.kummer.operations import (
    POINT_MULTIPLY,
    POINT_PAIR,
    WRAPPED,
    WRAPPED_PAIR,
)

PROGRAMS = {
    POINT_MULTIPLY: "surface",
    POINT_PAIR: f"surface{SUFFIXES[2]}",
    INVERT: "inverse",
    WRAPPED: "surface-wrapped",
    WRAPPED_PAIR: f"surface-wrapped{SUFFIXES[2]}",
}


@dataclass(frozen=True, kw_only=True)
class KummerPrograms(CurveProgramSet):
    """The programs of one processor.  Its fields are parameters of the processor."""

    batch: int
    wrapped: bool

    def operations(self, form: str | None) -> tuple[str, ...]:
        if form is None:
            return (INVERT,)
        single, pair = (WRAPPED, WRAPPED_PAIR) if self.wrapped else (POINT_MULTIPLY, POINT_PAIR)
        return (single, *([pair] if self.batch > 1 else []), INVERT)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(PROGRAMS[operation] for operation in self.operations("kummer"))

    def written(self, name: str) -> Program:
        """The program of this name, with 1 for each random number unless `randomise` is
        set."""
        alone, count = batch(name)
        text = library.text(library.entry(alone))
        if not self.randomise:
            text = text.replace("random lam, mu\n", "")
            text = text.replace("lam * r2", "one").replace("mu * r2", "one")
        return parse(name, several(text, count))
