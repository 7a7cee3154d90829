"""`inferred` with hard multipliers and without, on every target that has them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modmul import targets
from modmul.errors import SpecError
from modmul.export.hdl import emit
from modmul.implementation import area, synthesis
from modmul.multipliers import find

WIDTH = 6
HARD = [name for name, target in targets.REGISTRY.items() if target.hard_multiplier]
BOTH = """
module both(input [5:0] a, b, c, d, output [11:0] hard, soft);
  hard_core one(.clk(1'b0), .rst(1'b0), .operand_valid(1'b1), .operand_a(a), .operand_b(b),
    .result_data(hard));
  soft_core two(.clk(1'b0), .rst(1'b0), .operand_valid(1'b1), .operand_a(c), .operand_b(d),
    .result_data(soft));
endmodule
"""


@pytest.mark.parametrize("name", HARD)
@pytest.mark.short("ecp5")  # each takes seconds
def test_only_the_marked_product_is_made_of_look_up_tables(name: str, tmp_path: Path) -> None:
    inferred, chip = find("inferred"), targets.find(name)
    texts = [
        emit(inferred(width=WIDTH, registers=False, target=name, dsp=dsp), title).verilog
        for title, dsp in (("hard", True), ("soft", False))
    ]
    netlist = synthesis.synthesise("".join([*texts, BOTH]), "both", chip, tmp_path)
    cells = area.measure(netlist, "both", chip)
    assert cells.dsp == 1
    assert cells.lut > WIDTH * WIDTH


@pytest.mark.parametrize("registers", [True, False])
def test_the_wire_of_the_product_is_marked(registers: bool) -> None:
    inferred = find("inferred")
    text = emit(inferred(width=WIDTH, registers=registers, dsp=False)).verilog
    (product,) = re.findall(r"assign (\w+) = \w+ \* \w+;", text)
    marked = re.findall(r'\(\* use_dsp = "no" \*\) output wire \[11:0\] (\w+)', text)
    assert marked == [product]
    other = emit(inferred(width=WIDTH, registers=registers, dsp=True)).verilog
    assert "use_dsp" not in re.sub(r"//.*", "", other)


def test_a_target_without_hard_multipliers() -> None:
    inferred = find("inferred")
    with pytest.raises(SpecError, match="cells has no hard multipliers"):
        inferred(target="cells", dsp=True)
    assert inferred(target="cells").title == inferred(target="cells", dsp=False).title
    assert inferred(dsp=True).title == inferred().title != inferred(dsp=False).title
