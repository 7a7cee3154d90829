"""The three designs of the paper, by the names of its tables, and what is measured of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.papers.amanor2005.engines import WAYS, private_operation
from modmul.papers.implemented import cells, routed
from modmul.papers.needs import Measuring, Need, Needs
from modmul.papers.records import Figures
from modmul.papers.simulated import schedules
from modmul.spec import Spec
from modmul.verification.observed import ProductSchedule

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
NARROW = 256  # bits up to which all seeds are taken, and above which three of eight
Key = tuple[str, int]  # name of a design and width


def spec(name: str, width: int, target: str = "generic") -> Spec:
    return Spec.from_options(
        {"architecture": ARCHITECTURES[name], "width": width, "target": target, "interface": "core"}
    )


def design(name: str, width: int, target: str = "generic") -> Multiplier:
    return spec(name, width, target).multiplier


def counted_cycles(width: int) -> int:
    """What the paper's times are made with: n, and three for loading, starting and finishing."""
    return width + 3


def is_montgomery(name: str) -> bool:
    """Whether operands must be taken into the Montgomery domain, and results out of it."""
    return name.startswith("montgomery")


class Measured(NamedTuple):
    """ecp5: placed and routed; xc7: counted; cycles: simulated; xcve: counted, the paper's family;
    engines: private operations of RSA, simulated, by name and way.  What was not measured is
    missing."""

    cycles: Mapping[Key, ProductSchedule]
    ecp5: Mapping[Key, ImplementResult]
    xc7: Mapping[Key, ImplementResult]
    xcve: Mapping[Key, ImplementResult]
    engines: Mapping[tuple[str, str], int] = {}


def needs(printed: Figures, run: Measuring) -> Measured:
    """All designs are simulated, counted and routed, the narrow ones first."""
    keys = [(name, width) for width in WIDTHS for name in NAMES]
    simulated: dict[Key, Need[ProductSchedule]] = {}
    for width in WIDTHS:
        simulated |= schedules({(name, width): design(name, width) for name in NAMES})

    def route(name: str, width: int) -> Need[ImplementResult]:
        seeds = run.seeds_of(8 if width <= NARROW else 3)
        return routed(spec(name, width, "ecp5"), seeds, f"{name}, {width} bits")

    def counted(target: str) -> Needs[Key, ImplementResult]:
        counts = {key: cells(spec(*key, target)) for key in keys}
        return Needs(f"count cells, {target}", counts)

    powers = {
        (name, method): private_operation(partial(design, name, target="ecp5"), method)
        for name in NAMES
        for method in WAYS
    }
    return Measured(
        cycles=Needs("simulate", simulated),
        ecp5=Needs("place and route", {key: route(*key) for key in keys}, lambda _: run.seeds > 0),
        xc7=counted("xc7"),
        xcve=counted(PAPERS_TARGET),
        engines=Needs("simulate private operations", powers),
    )
