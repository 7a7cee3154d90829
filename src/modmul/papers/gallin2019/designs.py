"""The designs of the paper, by its names: F44D is fast, 4 slots 4 cycles apart, distributed RAM."""

from __future__ import annotations

import re

from modmul.arithmetic.words import ceil_div
from modmul.multipliers.fpmm import Fpmm

WORD = 34  # all published results
Name = tuple[int, str]  # width of the modulus and name of a design
FIGURE4 = {"without": (128, "F45D"), "with": (128, "F44D")}  # latency reduction
ON_ECP5: tuple[Name, ...] = ((128, "F44D"), (256, "F28D"))  # the fastest of their width
_NAME = re.compile(r"(?P<variant>[FS])(?P<slots>\d)(?P<theta>\d)(?P<storage>[BD])")
_VARIANTS = {"F": "fast", "S": "small"}
_STORAGES = {"B": "block", "D": "distributed"}


def words(n_bits: int) -> int:
    """s, words per operand: 4P < 2^(s*w)."""
    return ceil_div(n_bits + 2, WORD)


def design(n_bits: int, name: str, target: str = "generic") -> Fpmm:
    """The multiplier of that name and width on a target.  Its second digit tells whether latency
    reduction is on (s cycles between slots) or off (s + 1)."""
    match = _NAME.fullmatch(name)
    assert match is not None, name
    return Fpmm(
        width=n_bits,
        word=WORD,
        slots=int(match["slots"]),
        variant=_VARIANTS[match["variant"]],
        storage=_STORAGES[match["storage"]],
        latency_reduction=int(match["theta"]) == words(n_bits),
        target=target,
    )


def figure1_design() -> Fpmm:
    """The smallest design with s = 2 words that hides its pipeline."""
    return Fpmm(width=2 * WORD - 2, word=WORD, target="generic")
