"""Unit cells of emitted products, against the cell counts of alkhaleel2006 (Table II) and Dadda."""

from __future__ import annotations

import pytest

from modmul.blocks.arrays.unit_cells import FULL_ADDER, GATE, HALF_ADDER, MUX2, XOR
from modmul.implementation.unit_cells import count
from modmul.multipliers import find


@pytest.mark.parametrize("k", [8, 36])
def test_5_counter(k: int) -> None:
    counted = count(find("array-5counter")(width=k))
    rows = counted.of("counter_cells", "counter_edge", "counter_start")
    ends = counted.of("vector_row", "chain_adder")
    assert counted.instances("counter_edge") == k - 2
    assert rows[GATE] == k * k
    # k(k+1)/2 cells of two adders; none on the diagonal, one less beside it
    assert rows[FULL_ADDER] + rows[HALF_ADDER] == k * (k + 1) - 2 * k - (k - 1)
    # the formula 13(k^2 + 3k - 2) has as many beyond the cells
    assert ends[FULL_ADDER] + ends[HALF_ADDER] == 2 * (k - 1)


@pytest.mark.parametrize("k", [8, 13])
def test_booth(k: int) -> None:
    counted = count(find("array-booth")(width=k))
    rows, cells = k // 2 + 1, counted.of("first_booth_row", "booth_row")
    assert counted.instances("first_booth_row") + counted.instances("booth_row") == rows
    recoders = {XOR: 2 * rows, GATE: rows}
    assert cells[XOR] - recoders[XOR] == rows * (k + 1)  # one for each cell A
    # its multiplexer and its gate; at both ends of a row there is a gate for the multiplexer
    assert cells[MUX2] + 2 * rows == rows * (k + 1)
    assert cells[GATE] - recoders[GATE] - 2 * rows == rows * (k + 1)
    # its adder, but for the first row and the highest column; two more in each cell B
    assert cells[FULL_ADDER] == (rows - 1) * (k + 2)
    assert cells[HALF_ADDER] == 2


@pytest.mark.parametrize("k", [8, 13])
def test_dadda(k: int) -> None:
    """Dadda, 1965: the fewest adders that reduce k^2 bits to two numbers."""
    counted = count(find("tree-dadda")(width=k))
    tree = counted.of("dadda_level")
    wanted = {FULL_ADDER: k * k - 4 * k + 3, HALF_ADDER: k - 1, GATE: k * k}
    assert tree == wanted
    assert counted.of("chain_adder") == {FULL_ADDER: 2 * k - 2}
