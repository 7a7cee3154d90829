"""What a module of a paper declares: which measurements it needs, its tables and its pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from modmul.literature import REFERENCES
from modmul.papers.needs import Measuring
from modmul.papers.records import AT_USABLE, Figures, Paper, Picture, Table
from modmul.papers.transcribed import transcribed

M = TypeVar("M", bound=Iterable[Any])


def _none(printed: Figures, measured: Any) -> Sequence[Picture]:
    return ()


@dataclass(frozen=True)
class Definition(Generic[M]):
    """One paper.  M: a tuple of what is measured for it.

    key: of its figures and reference.  needs: declared in the place of their results.  tables,
    pictures: from printed and measured figures.  widest: bits that have to be asked for, so that
    all of it is measured; None: it always is."""

    key: str
    needs: Callable[[Figures, Measuring], M]
    tables: Sequence[Callable[[Figures, M], Table]]
    pictures: Callable[[Figures, M], Sequence[Picture]] = _none
    widest: int | None = None

    def figures(self) -> dict[str, Any]:
        """All figures of the paper, as transcribed."""
        return transcribed(self.key)

    def assemble(self, printed: Figures, measured: M) -> Paper:
        """The record, from printed and measured figures.  Its notes stand beside the former."""
        reference = REFERENCES[self.key]
        notes = (note.format(AT_USABLE=AT_USABLE) for note in printed["meta"]["notes"])
        return Paper(
            self.key,
            reference.title,
            reference.source,
            tuple(notes),
            tuple(table(printed, measured) for table in self.tables),
            tuple(self.pictures(printed, measured)),
        )

    def paper(self, run: Measuring) -> Paper:
        """All tables and pictures, measured (see `papers`)."""
        return self.assemble(self.figures(), self.measured(run))

    def measured(self, run: Measuring) -> M:
        """The results of all needs, as far as they are there and may be measured."""
        declared = self.needs(self.figures(), run)
        for needs in declared:
            run.fill(needs)
        return declared
