"""implement in the cells of a library: areas, constants, buffers, records, cache."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from modmul import targets
from modmul.errors import SpecError
from modmul.implementation import buffers, cell_synthesis
from modmul.implementation.implement import implement
from modmul.implementation.result import CellsResult
from modmul.spec import Spec
from modmul.targets.libraries import NAMED
from modmul.toolchain.cache import Cache

CELLS = targets.find("cells")
needs_osu018 = pytest.mark.skipif(
    not NAMED["osu018"].path.is_file(), reason="qflow-tech-osu018 is missing"
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


def spec(**options: Any) -> Spec:
    return Spec.from_options({"architecture": "scs-mm-1", "width": 8, "target": "cells", **options})


def implemented(wanted: Spec, cache: Cache) -> CellsResult:
    result = implement(wanted, cache=cache)
    assert isinstance(result, CellsResult)
    return result


def mapped(verilog: str, folder: Path, library: str = "normalised") -> Counter[str]:
    """The cells that a module `top` becomes."""
    shelf = cell_synthesis.open_library(library)
    cell_synthesis.synthesise(verilog, "top", CELLS, shelf, folder)
    netlist = json.loads((folder / cell_synthesis.NETLIST).read_text())
    cells = netlist["modules"]["top"]["cells"].values()
    return Counter(cell["type"] for cell in cells if cell["type"] != "$scopeinfo")


def row(a: str, b: str, c: str, width: int = 6) -> str:
    """A row of adders with some inputs replaced."""
    return f"""module top(input [{width - 1}:0] a, b, c, output [{width - 1}:0] sum, carry);
      modmul_adder_row #(.WIDTH({width})) row(.a({a}), .b({b}), .c({c}), .sum(sum), .carry(carry));
      endmodule"""


def test_a_row_has_one_full_adder_a_bit(tmp_path: Path) -> None:
    assert mapped(row("a", "b", "c", 12), tmp_path) == {"FA": 12}


@pytest.mark.parametrize(
    ("inputs", "cells"),
    [
        (("a", "b", "6'd0"), {"HA": 6}),
        (("6'd0", "b", "c"), {"HA": 6}),
        (("a", "6'd0", "c"), {"HA": 6}),
        (("a", "6'd0", "6'd0"), {}),
        (("a", "b", "6'd5"), {"HA": 4, "XNOR2": 2, "OR2": 2}),
        (("a", "6'd63", "6'd0"), {"INV": 6}),
        (("{a[5:3], 3'd0}", "b", "{3'd0, c[2:0]}"), {"HA": 6}),
    ],
)
def test_adders_with_constant_inputs(
    tmp_path: Path, inputs: tuple[str, str, str], cells: dict[str, int]
) -> None:
    got = mapped(row(*inputs), tmp_path)
    if "OR2" in cells:  # which gates an OR becomes is ABC's choice
        assert got["HA"] == cells["HA"] and got["FA"] == 0
    else:
        assert got == cells


def test_a_library_without_half_adders_has_gates_instead(tmp_path: Path) -> None:
    library = tmp_path / "x.lib"
    text = NAMED["normalised"].path.read_text()
    start = text.index("  cell (HA)")
    library.write_text(text[:start] + text[text.index("  cell (FA)") :])
    got = mapped(row("a", "b", "6'd0"), tmp_path, str(library))
    assert got["FA"] == got["HA"] == 0 and got.total() >= 12


def test_a_constant_that_shows_only_behind_other_adders(tmp_path: Path) -> None:
    text = """module top(input [3:0] a, b, output [3:0] sum, carry);
      wire [3:0] s, c;
      modmul_adder_row #(.WIDTH(4)) one(.a(a), .b(4'd0), .c(4'd0), .sum(s), .carry(c));
      modmul_adder_row #(.WIDTH(4)) two(.a(s), .b(b), .c(c), .sum(sum), .carry(carry));
      endmodule"""
    assert mapped(text, tmp_path) == {"HA": 4}


def test_multiplexers_enables_and_resets_become_cells(tmp_path: Path) -> None:
    text = """module top(input clk, rst, en, input [1:0] s, input [3:0] a, b, c, d,
        output reg [3:0] q, output reg [3:0] held);
      always @(posedge clk) begin
        q <= s[1] ? (s[0] ? d : c) : (s[0] ? b : a);
        if (rst) held <= 0; else if (en) held <= a;
      end
      endmodule"""
    got = mapped(text, tmp_path)
    assert got["REG"] == 8
    shelf = cell_synthesis.open_library("normalised")
    assert set(got) <= {cell.name for cell in shelf.roles.gates} | {"REG"}


def test_result_adds_up(cache: Cache) -> None:
    result = implemented(spec(interface="core"), cache)
    library = cell_synthesis.open_library("normalised").library
    area = sum(library.cells[kind].area * count for kind, count in result.cells.items())
    assert result.area.value == pytest.approx(area) and result.area.unit == "A_FA"
    # two rows of k bits and a few more; where one input is constant, a half adder
    assert 2 * 8 <= result.cells["FA"] + result.cells["HA"] <= 2 * 10
    assert result.flip_flops == result.cells["REG"]
    path = result.critical_path
    assert path is not None and path.unit == "T_FA" and path.value > 2
    assert path.value == pytest.approx(sum(stage.delay for stage in path.stages) + path.setup)
    cycles = spec().multiplier.latency().mean
    assert result.latency is not None and result.per_product is not None
    assert result.latency.value == pytest.approx(path.value * cycles)
    assert result.area_time is not None and result.area_time.unit == "A_FA T_FA"
    assert result.area_time.value == pytest.approx(result.per_product.value * area, rel=1e-6)
    assert result.adapter is None and "no loads" in result.library.delay_model
    record = msgspec.to_builtins(result)
    assert {"area", "critical_path", "cells", "library", "tools"} <= set(record)
    assert record["critical_path"]["from"] == path.start
    assert record["spec"]["library"] == "normalised"


def test_found_again_without_synthesis(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    first = implemented(spec(), cache)
    assert first.adapter is not None and first.adapter.area.value > 0
    monkeypatch.setattr(cell_synthesis, "synthesise", lambda *_: pytest.fail("mapped again"))
    assert implemented(spec(), cache) == first


def test_another_library_in_the_same_file_is_another_result(cache: Cache, tmp_path: Path) -> None:
    library = tmp_path / "my.lib"
    text = NAMED["normalised"].path.read_text()
    library.write_text(text)
    original = implemented(spec(interface="core", library=str(library)), cache)
    assert original.area == implemented(spec(interface="core"), cache).area
    start = text.index("cell (REG)")
    library.write_text(text[:start] + text[start:].replace("area : 0.88", "area : 1.88", 1))
    other = implemented(spec(interface="core", library=str(library)), cache)
    assert other.area.value == pytest.approx(original.area.value + original.flip_flops)


def test_a_library_that_will_not_do_is_refused(cache: Cache, tmp_path: Path) -> None:
    library = tmp_path / "my.lib"
    library.write_text('library (bare) { time_unit : "1ns"; }')
    with pytest.raises(SpecError, match="bare: lacks a D flip-flop"):
        implement(spec(library=str(library)), cache=cache)


@needs_osu018
def test_real_tables_have_real_units(cache: Cache) -> None:
    result = implemented(spec(interface="core", library="osu018"), cache)
    assert result.area.unit == "um^2" and 5e3 < result.area.value < 5e4
    assert result.critical_path is not None and result.critical_path.unit == "ns"
    assert 0.5 < result.critical_path.value < 5 and result.critical_path.setup > 0
    assert result.cells["FAX1"] >= 15 and "loads" in result.library.delay_model


@needs_osu018
def test_buffer_trees(tmp_path: Path) -> None:
    """One select line of 300 multiplexers: no net but the clock drives more than FANOUT pins."""
    text = """module top(input clk, s, input [299:0] a, b, output reg [299:0] q);
      reg select; always @(posedge clk) begin select <= s; q <= select ? a : b; end endmodule"""
    shelf = cell_synthesis.open_library("osu018")
    cell_synthesis.synthesise(text, "top", CELLS, shelf, tmp_path)
    module = json.loads((tmp_path / cell_synthesis.NETLIST).read_text())["modules"]["top"]
    drives: Counter[int] = Counter()
    driver: dict[int, dict[str, Any]] = {}
    for cell in module["cells"].values():
        for pin, (bit,) in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                drives[bit] += 1
            else:
                assert bit not in driver
                driver[bit] = cell
    (clock,) = module["ports"]["clk"]["bits"]
    assert drives.pop(clock) == 301
    assert max(drives.values()) <= buffers.FANOUT
    buffer = buffers.best_buffer(shelf.roles).name
    used = [cell for cell in driver.values() if cell["type"] == buffer]
    assert len(used) >= 300 // buffers.FANOUT
    roots = set()
    for cell in used:  # every buffer hangs, perhaps by others, on the register of the select line
        while cell["type"] == buffer:
            cell = driver[cell["connections"]["A"][0]]
        roots.add(cell["type"])
    assert roots <= {"DFFPOSX1", *(gate.name for gate in shelf.roles.gates)}


def test_no_buffers_where_delays_do_not_depend_on_loads(tmp_path: Path) -> None:
    text = """module top(input clk, s, input [99:0] a, b, output reg [99:0] q);
      reg select; always @(posedge clk) begin select <= s; q <= select ? a : b; end endmodule"""
    assert mapped(text, tmp_path)["BUF"] == 0
