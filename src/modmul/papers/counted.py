"""Bare cores as cells of a family of chips, several side by side, as figures for tables."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from modmul.implementation.implement import implement_chip
from modmul.papers.kept import kept
from modmul.papers.side_by_side import each
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report
from modmul.toolchain.steps import IMPLEMENTED, Step

COUNTED = Step("paper-counted", __name__, IMPLEMENTED)


class Counted(NamedTuple):
    """Cells of a bare core after synthesis.  ram_blocks: of block RAM.  levels: LUTs in series,
    None where the target does not tell."""

    lut: int
    ff: int
    dsp: int
    ram_blocks: int
    levels: int | None = None


def count_cells(
    specs: Collection[Spec], *, jobs: int, cache: Cache, progress: Report
) -> list[Counted | None]:
    """Count the cells of specs, each for its own target, in their order; None as of `kept`.

    Most of the time is reading the family's cell library."""

    def one(spec: Spec) -> Counted | None:
        def make() -> Counted:
            result = implement_chip(spec, cache=cache)
            levels = result.levels.lut_levels if result.levels else None
            return Counted(result.lut, result.ff, result.dsp, result.ram_blocks, levels)

        step = COUNTED.of(type(spec.multiplier))
        return kept(cache, step, {"spec": spec.options()}, Counted, make)

    return each(one, specs, jobs=jobs, progress=progress, what="count cells")
