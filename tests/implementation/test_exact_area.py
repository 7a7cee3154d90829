"""LUTs, flip-flops, DSP blocks and LUT levels of small designs, to the cell.

Synthesis is deterministic, so a figure that moves was moved by a change: of an architecture, of a
part, of the options of synthesis, or of the version of pyosys.  Where it is meant, the new figures,
which the message shows, go into the table, and the change log tells what got better or worse."""

from __future__ import annotations

from typing import Any

import pytest

from modmul import designs
from modmul.implementation.implement import implement_chip
from modmul.processors import Processor
from modmul.spec import Spec

Figures = tuple[int, int, int, int]
# Architecture, target, width (None: that of the modulus), other keys; LUTs, flip-flops, DSP blocks,
# LUT levels: of the bare core, or of the processor.
DESIGNS: tuple[tuple[str, str, int | None, dict[str, Any], Figures], ...] = (
    ("fpmm", "ecp5", 30, {"word": 12, "tile": "6x6"}, (260, 534, 9, 2)),
    ("fpmm", "xc7", 32, {}, (210, 604, 10, 2)),
    ("fips", "ecp5", 32, {"word": 8}, (622, 241, 0, 9)),
    ("fips", "xc7", 32, {"word": 8, "field": "prime"}, (418, 235, 0, 8)),
    ("interleaved", "ecp5", 12, {}, (100, 53, 0, 5)),
    ("interleaved-redundant", "xc7", 12, {}, (221, 166, 0, 5)),
    ("montgomery-radix2", "ecp5", 16, {}, (120, 74, 0, 5)),
    ("montgomery-2csa", "ecp5", 12, {"adder-word": 8}, (132, 113, 0, 3)),
    ("montgomery-1csa", "xc7", 16, {}, (187, 158, 0, 4)),
    ("scs-mm-1", "ecp5", 16, {}, (184, 130, 0, 3)),
    ("scs-mm-2", "xc7", 16, {}, (151, 95, 0, 4)),
    ("mscs-mm", "ecp5", 16, {}, (161, 119, 0, 7)),
    ("scs-mm-new", "xc7", 16, {}, (196, 137, 0, 5)),
    ("fcs-mm-1", "ecp5", 16, {}, (201, 131, 0, 4)),
    ("fcs-mm-2", "xc7", 16, {}, (200, 165, 0, 4)),
    ("fcs-mmm42", "ecp5", 16, {}, (314, 185, 0, 5)),
    ("montgomery-lookahead", "ecp5", 12, {}, (194, 301, 0, 3)),
    ("three-pass", "xc7", 12, {}, (291, 106, 0, 8)),
    ("array-mux4", "xc7", 16, {}, (372, 67, 0, 9)),
    ("array-booth", "ecp5", 12, {}, (301, 51, 0, 15)),
    ("tree-dadda", "ecp5", 12, {}, (351, 51, 0, 7)),
    ("inferred", "xc7", 24, {}, (2, 20, 2, 2)),
    ("cios", "ecp5", 32, {}, (212, 154, 1, 3)),
    ("fios", "ecp5", 32, {}, (242, 218, 2, 3)),
    ("fios-array", "ecp5", 32, {}, (570, 262, 2, 4)),
    ("orup", "ecp5", 32, {}, (654, 430, 9, 4)),
    ("iddmm", "ecp5", 32, {"word": 16}, (447, 235, 2, 8)),
    ("systolic-cios", "ecp5", 24, {}, (307, 199, 3, 7)),
    ("pseudo-mersenne", "ecp5", 61, {"modulus": hex(2**61 - 1)}, (961, 434, 16, 4)),
    ("gf2m-serial", "ecp5", None, {"modulus": "x^17+x^3+1", "digit": 4}, (126, 100, 0, 4)),
    ("exponentiation", "ecp5", 16, {"multiplier": "fips", "word": 8}, (833, 293, 0, 9)),
)


@pytest.mark.parametrize(
    ("architecture", "target", "width", "others", "figures"),
    [pytest.param(*design, id=f"{design[0]}-{design[1]}") for design in DESIGNS],
)
@pytest.mark.short("fpmm-ecp5", "interleaved-ecp5")  # with DSP blocks and RAM, and without
def test_area_is_what_it_was(
    architecture: str, target: str, width: int | None, others: dict[str, Any], figures: Figures
) -> None:
    interface = None if issubclass(designs.find(architecture), Processor) else "core"
    options = {"architecture": architecture, "target": target, "interface": interface}
    spec = Spec.from_options({**options, "width": width, **others})
    result = implement_chip(spec, route=False)
    assert result.levels is not None
    assert (result.lut, result.ff, result.dsp, result.levels.lut_levels) == figures
