"""The three designs of the paper, by the names of its tables."""

from __future__ import annotations

from typing import Any

from modmul.multipliers import Multiplier
from modmul.spec import Spec

WIDTHS = (32, 64, 128, 256, 512, 1024)
ARCHITECTURES = {
    "montgomery_two_csa": "montgomery-2csa",
    "montgomery_one_csa": "montgomery-1csa",
    "redundant_interleaved": "interleaved-redundant",
}
NAMES = tuple(ARCHITECTURES)
PAPERS_TARGET, PAPERS_CHIP = "xcve", "XCV2000E-6"
LABELS = {
    "montgomery_two_csa": "Montgomery, 2 CSA",
    "montgomery_one_csa": "Montgomery, 1 CSA",
    "redundant_interleaved": "redundant interleaved",
}
Key = tuple[str, int]  # name of a design and width


def options(name: str, width: int, target: str) -> dict[str, Any]:
    """Options of a spec of the bare core."""
    return {
        "architecture": ARCHITECTURES[name],
        "width": width,
        "target": target,
        "interface": "core",
    }


def design(name: str, width: int, target: str = "generic") -> Multiplier:
    """The multiplier of that name and width."""
    return Spec.from_options(options(name, width, target)).multiplier


def counted_cycles(width: int) -> int:
    """What the paper's times are made with: n, and three for loading, starting and finishing."""
    return width + 3


def is_montgomery(name: str) -> bool:
    """Whether operands must be taken into the Montgomery domain, and results out of it."""
    return name.startswith("montgomery")
