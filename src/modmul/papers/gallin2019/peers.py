"""The compared designs that are built here, and `fios-array`, an architecture of ours, for the one
chip on which all of them are routed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from modmul.multipliers import Multiplier
from modmul.multipliers.cios import Cios
from modmul.multipliers.fios import Fios
from modmul.multipliers.fios_array import FiosArray
from modmul.papers.gallin2019.compared import BUILT, Label

ONE_CHIP = "ecp5"

# Besides those of Table III on chips that are targets here: what was printed for one that is not.
OTHERS: Mapping[Label, Callable[[str], Multiplier]] = {
    ("MAS1", 256): lambda target: Cios(width=256, target=target),
    ("MAS2", 256): lambda target: Fios(width=256, target=target),
    # Not in the paper: what has been published since, of both widths.
    ("fios-array", 128): lambda target: FiosArray(width=128, target=target),
    ("fios-array", 256): lambda target: FiosArray(width=256, target=target),
}


def built_peers() -> dict[Label, Multiplier]:
    """The multipliers that are built here, by their name (in print, if it is there) and width."""
    table = {label: entry.make(ONE_CHIP) for label, entry in BUILT.items()}
    return {**table, **{label: make(ONE_CHIP) for label, make in OTHERS.items()}}
