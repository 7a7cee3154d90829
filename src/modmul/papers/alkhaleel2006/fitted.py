"""The modular multiplier in chips of different size: how many partitions it takes."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from modmul.errors import SpecError
from modmul.implementation import fit
from modmul.papers.alkhaleel2006.designs import ROUTED, modular
from modmul.papers.needs import Need
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import IMPLEMENTED, Step

FIT = Step("paper-fit", __name__, IMPLEMENTED)


class Fitted(NamedTuple):
    """The fewest partitions of the modular multiplier that fit a chip; None: no number does.
    share: of its LUTs; tried: what else was synthesised, for people."""

    partitions: int | None
    lut: int
    share: float
    tried: str


def fitted(width: int, chip: str) -> Need[Fitted]:
    """The modular multiplier of a width in a chip."""
    spec = modular(1).spec(width, ROUTED)
    return Need(
        FIT.of(type(spec.multiplier)), {"spec": spec.options(), "chip": chip}, Fitted,
        lambda run: _search(width, chip, run.cache),
    )  # fmt: skip


def _search(width: int, chip: str, cache: Cache) -> Fitted:
    spec = dataclasses.replace(modular(1).spec(width, ROUTED), device=chip)
    try:
        tried = fit.smallest_partitions(spec, cache=cache).tried
    except SpecError as error:
        return Fitted(None, 0, 0.0, str(error))
    best = min((try_ for try_ in tried if try_.fits), key=lambda try_: try_.partitions)
    others = [f"P = {t.partitions}: {100 * t.share:.1f} %" for t in tried if t is not best]
    return Fitted(best.partitions, best.lut, best.share, ", ".join(others))
