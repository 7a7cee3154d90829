"""Rows of adder cells: the models, the cells of a library and the plain HDL compute the same.

Proved by Yosys' solver for all inputs of rows of five bits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module

from modmul import targets
from modmul.implementation import area, cell_synthesis
from modmul.targets import Target, models
from modmul.targets.libraries import NAMED
from modmul.targets.rows import AdderRow, ConfigurableRow
from modmul.toolchain import yosys

CELLS = targets.find("cells")
PLAIN = targets.find("generic")
WIDTH = 5
LIBRARIES = [
    pytest.param(
        library.name,
        marks=pytest.mark.skipif(
            not library.path.is_file(), reason=f"{library.package} is missing"
        ),
    )
    for library in NAMED.values()
]


def row(target: Target, configurable: bool, name: str) -> str:
    """RTLIL of a module that is one row."""
    kind = target.configurable_row if configurable else target.adder_row
    part: AdderRow | ConfigurableRow = kind(WIDTH, "row")
    m = Module()
    part.place(m)
    third = [part.x, part.full] if isinstance(part, ConfigurableRow) else [part.c]
    ports = [part.a, part.b, *third, part.sum, part.carry]
    return rtlil.convert(m, name=name, ports=ports, emit_src=False)


def prove(folder: Path, configurable: bool, commands: str) -> None:
    """That `commands` make a module `given` that equals the row in plain HDL."""
    (folder / "plain.il").write_text(row(PLAIN, configurable, "plain"))
    yosys.run(
        f"""{commands}
read_rtlil plain.il
proc
miter -equiv -flatten -make_outputs plain given miter
hierarchy -top miter
proc
flatten
opt
sat -verify -prove trigger 0 -show-inputs -show-outputs miter
""",
        folder,
    )


@pytest.mark.parametrize("configurable", [False, True])
def test_models_compute_what_the_plain_rows_do(tmp_path: Path, configurable: bool) -> None:
    (tmp_path / "given.il").write_text(row(CELLS, configurable, "given"))
    (tmp_path / "models.v").write_text(models.read(CELLS.models)[0].text)
    prove(
        tmp_path,
        configurable,
        "read_verilog models.v\nread_rtlil given.il\nhierarchy -check -top given\nflatten",
    )


@pytest.mark.parametrize("configurable", [False, True])
@pytest.mark.parametrize("name", LIBRARIES)
def test_cells_compute_what_the_plain_rows_do(
    tmp_path: Path, name: str, configurable: bool
) -> None:
    (tmp_path / "row.il").write_text(row(CELLS, configurable, "given"))
    yosys.run("read_rtlil row.il\nwrite_verilog row.v", tmp_path)
    shelf = cell_synthesis.open_library(name)
    text = (tmp_path / "row.v").read_text()
    cell_synthesis.synthesise(text, "given", CELLS, shelf, tmp_path)
    netlist = json.loads((tmp_path / cell_synthesis.NETLIST).read_text())
    kinds = area.count_cells(netlist, "given")
    roles = shelf.roles
    adder = roles.configurable if configurable and roles.configurable else roles.full_adder
    assert kinds[adder.cell.name] == WIDTH
    if not configurable:
        assert len(kinds) == 1  # nothing but full adders
    (tmp_path / "x.lib").write_bytes(shelf.text)
    prove(
        tmp_path,
        configurable,
        "read_liberty -ignore_miss_func -ignore_miss_dir -ignore_miss_data_latch x.lib\n"
        f"read_json {cell_synthesis.NETLIST}\nhierarchy -check -top given\nflatten",
    )
