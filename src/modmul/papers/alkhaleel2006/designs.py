"""The multipliers of the tables: the paper's schemes, others beside them, and the modular one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from modmul import targets
from modmul.multipliers import Multiplier
from modmul.spec import Spec

WIDTHS = (16, 32, 64, 128)  # of Table IV
TARGETS = ("xc4v", "xc7", "ecp5")
ROUTED = "ecp5"  # the one that has a router
CHIP = "xc4v"  # the paper's family
CHIP_OF_TABLE_5 = "xc2vp"
LARGEST = "XC2VP100"  # of the chips in Table V that have the paper's design
WIDTHS_OF_TABLE_5 = (128, 256)
FOLDED_WIDTH = 128
PARTITIONS = (1, 2, 4, 8, 16)
FITTED = ("LFE5U-25F", "LFE5U-45F", "LFE5U-85F")  # chips of ECP5


class Circuit(NamedTuple):
    """A circuit of any width.  options: of the architecture, besides width and target."""

    label: str
    architecture: str
    options: tuple[tuple[str, Any], ...] = ()

    def multiplier(self, width: int, target: str = "generic") -> Multiplier:
        """The bare core of that width."""
        return self.spec(width, target).multiplier

    def spec(self, width: int, target: str) -> Spec:
        """The circuit as a spec."""
        common = {"architecture": self.architecture, "width": width, "target": target}
        chip = {"device": LARGEST} if target == CHIP_OF_TABLE_5 else {}
        return Spec.from_options({**common, **chip, "interface": "core", **dict(self.options)})


ITERATIVE = Circuit("array-iterative", "array-iterative")
RIPPLE = Circuit("array-iterative, ripple", "array-iterative", (("carries", "ripple"),))
FIVE_COUNTER = Circuit("array-5counter", "array-5counter")
BOOTH = Circuit("array-booth", "array-booth")
MUX = Circuit("array-mux", "array-mux")
MUX4 = Circuit("array-mux4", "array-mux4")
DADDA = Circuit("tree-dadda", "tree-dadda")
INFERRED = Circuit("inferred, no DSP", "inferred", (("dsp", False),))
HARD = Circuit("inferred, DSP", "inferred", (("dsp", True),))

SCHEMES = {  # of the paper, by the names of its Table II
    "iterative": ITERATIVE,
    "five_counter": FIVE_COUNTER,
    "booth": BOOTH,
    "mux": MUX,
    "mux4": MUX4,
}
PRODUCTS = (ITERATIVE, RIPPLE, FIVE_COUNTER, BOOTH, MUX, MUX4, DADDA, INFERRED, HARD)


def select(design: Circuit) -> Circuit | None:
    """The circuit with final adders as published; None where there is no choice."""
    if design not in (MUX, MUX4):
        return None
    options = (*design.options, ("adders", "carry-select"))
    return Circuit(f"{design.label}, carry-select", design.architecture, options)


def folded(partitions: int) -> Circuit:
    """The radix-4 array with that many partitions."""
    if partitions == 1:
        return MUX4
    options = (("partitions", partitions),)
    return Circuit(f"array-mux4, P = {partitions}", "array-mux4", options)


def modular(partitions: int) -> Circuit:
    """The modular multiplier around it."""
    return Circuit(f"three-pass, P = {partitions}", "three-pass", (("partitions", partitions),))


def partitions(figures: Mapping[str, Any]) -> dict[int, int]:
    """How many at each width of Table III."""
    return {row["k"]: figures["model"]["partitions"][str(row["k"])] for row in figures["table_3"]}


def is_there(design: Circuit, target: str) -> bool:
    """Whether the target has what the design takes."""
    return design != HARD or targets.find(target).dsp is not None
