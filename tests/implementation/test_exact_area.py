"""LUTs, flip-flops, DSP blocks and LUT levels of small designs, to the cell.

Synthesis is deterministic, so a figure that moves was moved by a change: of an architecture, of a
part, of the options of synthesis, or of the version of pyosys.  Where it is meant, the new figures,
which the message shows, go into the table, and the change log tells what got better or worse."""

from __future__ import annotations

from typing import Any

import pytest

from modmul.implementation.implement import implement_chip
from modmul.spec import Spec

Figures = tuple[int, int, int, int]
# Architecture, target, width, other keys; LUTs, flip-flops, DSP blocks, LUT levels: the bare core.
DESIGNS: tuple[tuple[str, str, int, dict[str, Any], Figures], ...] = (
    ("fpmm", "ecp5", 30, {"word": 12, "tile": "6x6"}, (260, 534, 9, 2)),
    ("fpmm", "xc7", 32, {}, (210, 604, 10, 2)),
    ("fips", "ecp5", 32, {"word": 8}, (616, 241, 0, 9)),
    ("fips", "xc7", 32, {"word": 8, "field": "prime"}, (417, 235, 0, 8)),
    ("interleaved", "ecp5", 12, {}, (100, 53, 0, 5)),
    ("interleaved-redundant", "xc7", 12, {}, (219, 166, 0, 5)),
    ("montgomery-radix2", "ecp5", 16, {}, (120, 74, 0, 5)),
    ("montgomery-2csa", "ecp5", 12, {"adder-word": 8}, (132, 113, 0, 3)),
    ("montgomery-1csa", "xc7", 16, {}, (187, 158, 0, 3)),
    ("scs-mm-1", "ecp5", 16, {}, (184, 130, 0, 3)),
    ("scs-mm-2", "xc7", 16, {}, (151, 95, 0, 3)),
    ("mscs-mm", "ecp5", 16, {}, (160, 119, 0, 7)),
    ("scs-mm-new", "xc7", 16, {}, (198, 137, 0, 4)),
    ("fcs-mm-1", "ecp5", 16, {}, (200, 131, 0, 4)),
    ("fcs-mm-2", "xc7", 16, {}, (201, 165, 0, 3)),
    ("fcs-mmm42", "ecp5", 16, {}, (317, 185, 0, 5)),
    ("montgomery-lookahead", "ecp5", 12, {}, (194, 301, 0, 3)),
    ("three-pass", "xc7", 12, {}, (291, 106, 0, 8)),
    ("array-mux4", "xc7", 16, {}, (372, 67, 0, 9)),
    ("array-booth", "ecp5", 12, {}, (301, 51, 0, 15)),
    ("tree-dadda", "ecp5", 12, {}, (351, 51, 0, 7)),
    ("inferred", "xc7", 24, {}, (2, 20, 2, 2)),
)


# Synthesis for a chip of Xilinx takes ten times as long as for an ECP5.
QUICK = ("fpmm-ecp5", "interleaved-ecp5", "montgomery-radix2-ecp5", "scs-mm-1-ecp5",
         "tree-dadda-ecp5", "inferred-xc7")  # fmt: skip


@pytest.mark.parametrize(
    ("architecture", "target", "width", "others", "figures"),
    [
        pytest.param(*design, marks=() if name in QUICK else pytest.mark.long, id=name)
        for design, name in ((design, f"{design[0]}-{design[1]}") for design in DESIGNS)
    ],
)  # fmt: skip
@pytest.mark.short("fpmm-ecp5", "interleaved-ecp5", "montgomery-radix2-ecp5", "scs-mm-1-ecp5")
def test_area_is_what_it_was(
    architecture: str, target: str, width: int, others: dict[str, Any], figures: Figures
) -> None:
    options = {"architecture": architecture, "target": target, "width": width, "interface": "core"}
    result = implement_chip(Spec.from_options({**options, **others}), route=False)
    assert result.levels is not None
    assert (result.lut, result.ff, result.dsp, result.levels.lut_levels) == figures
