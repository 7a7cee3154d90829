"""The three designs of the paper, by the names of its tables, and what is measured of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.papers.amanor2005.engines import WAYS, private_operation
from modmul.papers.implemented import cells, routed
from modmul.papers.needs import Measuring
from modmul.papers.records import Figures
from modmul.papers.simulated import schedules
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
NARROW = 256  # bits up to which all seeds are taken, and above which three in eight
Key = tuple[str, int]  # name of a design and width


def spec(name: str, width: int, target: str = "generic") -> Spec:
    """The bare core of that name and width."""
    return Spec.from_options(
        {"architecture": ARCHITECTURES[name], "width": width, "target": target, "interface": "core"}
    )


def design(name: str, width: int, target: str = "generic") -> Multiplier:
    """The multiplier of that name and width."""
    return spec(name, width, target).multiplier


def counted_cycles(width: int) -> int:
    """What the paper's times are made with: n, and three for loading, starting and finishing."""
    return width + 3


def is_montgomery(name: str) -> bool:
    """Whether operands must be taken into the Montgomery domain, and results out of it."""
    return name.startswith("montgomery")


class Measured(NamedTuple):
    """ecp5: placed and routed; xc7: counted; cycles: latency, simulated; xcve: counted, the
    paper's family; engines: private operations of RSA, simulated, by name and way.  What was not
    measured is missing.  widths: all of the tables."""

    ecp5: Mapping[Key, ImplementResult]
    xc7: Mapping[Key, ImplementResult]
    cycles: Mapping[Key, int]
    xcve: Mapping[Key, ImplementResult]
    engines: Mapping[tuple[str, str], int] = {}
    widths: Sequence[int] = WIDTHS


def seeds_of(width: int, seeds: int) -> int:
    """8 seeds up to 256 bits and 3 above, or in that proportion."""
    return seeds if width <= NARROW else ceil_div(3 * seeds, 8)


def measure(printed: Figures, run: Measuring) -> Measured:
    """Simulate, count and route all designs, the narrow ones first."""
    keys = [(name, width) for width in WIDTHS for name in NAMES]
    of_width = ([(name, width) for name in NAMES] for width in WIDTHS)
    simulated = ((keys, schedules([design(*key) for key in keys])) for keys in of_width)
    observed = run.each("simulate", simulated)
    routes = {
        key: routed(spec(*key, "ecp5"), seeds_of(key[1], run.seeds), f"{key[0]}, {key[1]} bits")
        for key in (keys if run.seeds else ())
    }
    counts = [
        run.fill(f"count cells, {target}", {key: cells(spec(*key, target)) for key in keys})
        for target in ("xc7", PAPERS_TARGET)
    ]
    powers = {(name, method): private_operation(partial(design, name, target="ecp5"), method)
              for name in NAMES for method in WAYS}  # fmt: skip
    return Measured(
        ecp5=run.fill("place and route", routes),
        xc7=counts[0],
        cycles={key: schedule.latency for key, schedule in observed.items()},
        xcve=counts[1],
        engines=run.fill("simulate private operations", powers),
    )
