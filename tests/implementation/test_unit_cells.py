"""Unit cells: counted in the emitted text, against formulas and against cells that were mapped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from modmul.blocks.arrays.unit_cells import (
    FULL_ADDER,
    GATE,
    HALF_ADDER,
    MUX2,
    MUX4,
    SIZES,
    XOR,
)
from modmul.export import hdl
from modmul.implementation import silicon
from modmul.implementation.unit_cells import UnitCells, count, count_in, size
from modmul.multipliers import find
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work

ADDERS = ("chain_adder", "first_block", "select_block", "prefix_adder", "ripple_row")


def counted(name: str, width: int, **options: Any) -> UnitCells:
    return count(find(name)(width=width, **options))


@pytest.mark.parametrize("k", (6, 9))
def test_iterative_array(k: int) -> None:
    """k^2 gates; row 0 adds to nothing, row 1 to one number, and k - 1 bits are left to add."""
    cells = counted("array-iterative", k)
    assert cells.cells == {FULL_ADDER: (k - 1) ** 2, HALF_ADDER: k - 1, GATE: k * k}
    assert cells.instances("chain_adder") == 1
    assert cells.gates == 12 * (k - 1) ** 2 + 5 * (k - 1) + k * k
    assert cells.transistors == 26 * (k - 1) ** 2 + 10 * (k - 1) + 4 * k * k
    ripple = counted("array-iterative", k, carries="ripple")
    assert ripple.cells == {FULL_ADDER: k * (k - 1), GATE: k * k}


def test_partial_products_and_multiplexers() -> None:
    """Each partial product has a gate; half of them, off the diagonal, a multiplexer."""
    k = 7
    assert counted("array-5counter", k).cells[GATE] == k * k
    assert counted("tree-dadda", k).cells[GATE] == k * k
    mux = counted("array-mux", k)
    assert mux.cells[MUX4] == k * (k - 1) // 2
    assert mux.of("diagonal") == {GATE: 3 * k}


def test_dadda_takes_the_least_adders() -> None:
    """k^2 - 4k + 3 full and k - 1 half adders, then two numbers of 2k - 2 bits."""
    k = 9
    cells = counted("tree-dadda", k)
    tree = cells.of("dadda_level")
    assert (tree[FULL_ADDER], tree[HALF_ADDER]) == (k * k - 4 * k + 3, k - 1)
    assert cells.of("chain_adder") == {FULL_ADDER: 2 * k - 2}


def test_radix_4_array_with_the_adders_of_the_paper() -> None:
    k = 8
    cells = counted("array-mux4", k, adders="carry-select")
    assert cells.cells[MUX4] == 2 * k * (k - 2) // 4 + k // 2  # two of cells 1, one of cells 3
    assert cells.of("digit_diagonal") == {FULL_ADDER: 4, HALF_ADDER: 8, MUX4: 4, GATE: 16}
    # X + Y in blocks of two bits; four additions of up to 2k bits in blocks of up to four
    wide = {part.part: part.instances for part in cells.parts if "block" in part.part}
    assert wide == {
        "first_block_2": 1,
        "select_block_2": k // 2 - 1 + 1,
        "first_block_4": 4,
        "select_block_4": 2 + 2 + 2 + 3,
    }
    block = next(part for part in cells.parts if part.part == "select_block_4")
    assert block.cells == {FULL_ADDER: 8, MUX2: 5}


def test_cells_of_the_main_partition() -> None:
    """Two rows of 8 and 10 columns in each chain, of three bands."""
    cells = counted("array-mux4", 12, partitions=3)
    diagonal = cells.of("digit_diagonal")
    assert diagonal[MUX4] == 2 and cells.cells[MUX4] - diagonal[MUX4] == 2 * (8 + 10)


def test_booth() -> None:
    """k/2 + 1 rows for an even number of bits."""
    k = 8
    cells = counted("array-booth", k)
    assert cells.cells[FULL_ADDER] == k // 2 * (k + 2) + cells.of("chain_adder")[FULL_ADDER]
    assert cells.cells[MUX2] == (k // 2 + 1) * (k - 1)
    assert cells.cells[XOR] == (k // 2 + 1) * (k + 3)


# Bits, and full adders with a constant input: in the Booth array no carries come into row 1, and
# the last digit of an operand of even length is never negative.
MAPPED = {
    "array-5counter": (8, 0),
    "array-booth": (8, 9),
    "array-mux4": (12, 0),
    "tree-dadda": (8, 0),
}


@pytest.mark.parametrize("name", MAPPED)
@pytest.mark.short("tree-dadda")
def test_full_adders_are_those_that_are_left_after_mapping(name: str, tmp_path: Path) -> None:
    """In a library of cells a row has one cell for each full adder; a constant input makes less of
    it, and it goes if nobody uses what it makes."""
    width, constant = MAPPED[name]
    spec = Spec.from_options(
        {"architecture": name, "width": width, "target": "cells", "interface": "core"}
    )
    cells = count(spec.multiplier)
    rows = {part.kind for part in cells.parts} - set(ADDERS)
    mapped = silicon.implement_cells(spec, work=Work(cache=Cache(tmp_path))).cells
    assert mapped["FA"] == cells.of(*rows)[FULL_ADDER] - constant > 10


def test_a_part_inside_a_modular_multiplier_counts_the_same() -> None:
    modular = find("three-pass")(width=8, product="array-mux4")
    assert count(modular).parts == counted("array-mux4", 8).parts


def test_what_has_no_such_parts_counts_nothing() -> None:
    assert count(find("interleaved")(width=8)) == UnitCells((), {}, 0, 0)
    with pytest.raises(ValueError, match="diagonal"):
        counted("array-iterative", 4).of("diagonal")


def test_every_mention_in_the_text_is_an_instance() -> None:
    """Instances of parts stand in the text as often as they are counted; each has one module."""
    written = hdl.emit(find("array-mux")(width=6, adders="carry-select"))
    cells = count_in(written)
    counted = {part.part: part.instances for part in cells.parts}
    assert {part.module for part in written.parts.values()} == counted.keys()
    assert any(".WIDTH(4)" in begun for begun in written.parts)  # one module for several widths
    for begun, part in written.parts.items():
        instances = re.findall(rf"^  {re.escape(begun)} \w+ \($", written.verilog, re.MULTILINE)
        assert len(instances) == counted[part.module]
        module = re.escape(begun.partition(" ")[0])
        assert len(re.findall(rf"^module {module}\b", written.verilog, re.MULTILINE)) == 1
    assert cells.gates == sum(part.instances * size(part.cells).gates for part in cells.parts)
    assert set(cells.cells) <= set(SIZES)
