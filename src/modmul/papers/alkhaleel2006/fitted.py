"""The modular multiplier in chips of different size: how many partitions it takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from modmul.errors import SpecError
from modmul.implementation import fit
from modmul.papers.alkhaleel2006.designs import FITTED, ROUTED, modular
from modmul.papers.kept import found, kept, known
from modmul.papers.side_by_side import each
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report
from modmul.toolchain.steps import IMPLEMENTED, Step

FIT = Step("paper-fit", __name__, IMPLEMENTED)
FITTED_TO = 128  # bits up to which it is tried


class Fitted(NamedTuple):
    """The fewest partitions of the modular multiplier that fit a chip; None: no number does.
    share: of its LUTs; tried: what else was synthesised, for people."""

    partitions: int | None
    lut: int
    share: float
    tried: str


def fill(
    widths: Sequence[int], widest: int | None, jobs: int, cache: Cache, progress: Report
) -> dict[tuple[int, str], Fitted]:
    """Up to `widest` bits (None: FITTED_TO); of wider ones what the cache has."""
    limit = FITTED_TO if widest is None else widest
    places = [(width, chip) for width in widths for chip in FITTED]
    due = [one for one in places if one[0] <= limit]
    new = each(lambda one: _fit(one, cache), due, jobs=jobs, progress=progress, what="fill chips")
    fitted = known(due, new)
    for one in places:
        if one not in fitted and (old := found(cache, *_place(one), Fitted)):
            fitted[one] = old
    return fitted


def _place(one: tuple[int, str]) -> tuple[Step, dict[str, object]]:
    """Where it is kept."""
    spec = modular(1).spec(one[0], ROUTED)
    return FIT.of(type(spec.multiplier)), {"spec": spec.options(), "chip": one[1]}


def _fit(one: tuple[int, str], cache: Cache) -> Fitted | None:
    return kept(cache, *_place(one), Fitted, lambda: _search(one, cache))


def _search(one: tuple[int, str], cache: Cache) -> Fitted:
    width, chip = one
    spec = dataclasses.replace(modular(1).spec(width, ROUTED), device=chip)
    try:
        tried = fit.smallest_partitions(spec, cache=cache).tried
    except SpecError as error:
        return Fitted(None, 0, 0.0, str(error))
    best = min((try_ for try_ in tried if try_.fits), key=lambda try_: try_.partitions)
    others = [f"P = {t.partitions}: {100 * t.share:.1f} %" for t in tried if t is not best]
    return Fitted(best.partitions, best.lut, best.share, ", ".join(others))
