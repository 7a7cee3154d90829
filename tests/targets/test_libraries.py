"""Cell libraries: what their files say, which cells do what, which libraries are refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modmul.errors import SpecError
from modmul.targets import libraries
from modmul.targets.libraries import NAMED, NamedLibrary, liberty
from modmul.targets.libraries.functions import truth_table
from modmul.targets.libraries.library import LookupTable
from modmul.targets.libraries.roles import recognise

NORMALISED = NAMED["normalised"].path
INSTALLED = [library.name for library in NAMED.values() if library.path.is_file()]

# kuang2016, Table II: area (A_FA), delay (T_FA; none is given for registers)
TABLE_II = {
    "FA": (1.00, 1.00),
    "REG": (0.88, None),
    "NAND2": (0.16, 0.12),
    "NOR2": (0.16, 0.16),
    "NAND3": (0.20, 0.20),
    "NOR3": (0.20, 0.32),
    "AND2": (0.20, 0.34),
    "XOR2": (0.32, 0.34),
    "XOR3": (0.68, 0.93),
    "MUXI2": (0.32, 0.23),
    "MUX2": (0.36, 0.45),
    "MUX3": (0.72, 0.63),
    "MUX4": (0.96, 0.71),
}


@pytest.mark.parametrize(
    ("expression", "table"),
    [
        ("A", 0b1010),
        ("!A", 0b0101),
        ("A'", 0b0101),
        ("A B", 0b1000),
        ("A*B", 0b1000),
        ("A&B", 0b1000),
        ("(A+B)'", 0b0001),
        ("A|B", 0b1110),
        ("A^B", 0b0110),
        ("!A B + A !B", 0b0110),
        ("A ^ B & A", 0b0010),  # (A ^ B) & A
        ("A + B A", 0b1010),
        ("!(A B)", 0b0111),
        ("A & 1", 0b1010),
        ("0", 0),
    ],
)
def test_truth_tables(expression: str, table: int) -> None:
    assert truth_table(expression, ("A", "B")) == table


@pytest.mark.parametrize("expression", ["", "A &", "(A", "A)", "A ? B", "C", "A ! B ^"])
def test_what_is_no_function(expression: str) -> None:
    with pytest.raises(ValueError):
        truth_table(expression, ("A", "B"))


def test_a_table_is_linear_between_and_beyond_its_entries() -> None:
    table = LookupTable((0.0, 2.0), (1.0, 3.0), ((10.0, 20.0), (14.0, 28.0)))
    assert table.at(0.0, 1.0) == 10 and table.at(2.0, 3.0) == 28
    assert table.at(1.0, 2.0) == (10 + 20 + 14 + 28) / 4
    assert table.at(0.0, 4.0) == 25 and table.at(-1.0, 1.0) == 8
    assert LookupTable((0.0,), (0.0,), ((7.0,),)).at(3.0, 5.0) == 7


def test_normalised_is_table_ii() -> None:
    library = liberty.read(NORMALISED)
    assert (library.area_unit, library.time_unit, library.constant) == ("A_FA", "T_FA", True)
    for name, (area, delay) in TABLE_II.items():
        cell = library.cells[name]
        assert cell.area == area, name
        assert str(cell.source).startswith("kuang2016"), name
        arcs = [arc for pin in cell.outputs() for arc in pin.arcs]
        wanted = {delay or 0.0}
        assert {t.at(0, 0) for arc in arcs for t in (arc.rise, arc.fall) if t} == wanted, name
        related = {arc.related for arc in arcs}
        assert related == ({"CK"} if name == "REG" else set(cell.inputs()))
    for name in library.cells.keys() - TABLE_II.keys() - {"CFA"}:
        assert str(library.cells[name].source).startswith("ours"), name


def test_configurable_cell_is_a_full_adder_a_nand_and_an_inverting_multiplexer() -> None:
    library = liberty.read(NORMALISED)
    area = {name: cell.area for name, cell in library.cells.items()}
    assert area["CFA"] == pytest.approx(area["FA"] + area["NAND2"] + area["MUXI2"])
    delay = {
        (pin.name, arc.related): arc.rise.at(0, 0)
        for pin in library.cells["CFA"].outputs()
        for arc in pin.arcs
        if arc.rise
    }
    assert delay["S", "A"] == delay["CO", "XN"] == delay["S", "F"] == 1.0
    # by way of the neighbour, too, it takes as long as a full adder
    assert delay["GN", "A"] + delay["S", "GIN"] == pytest.approx(1.0)


@pytest.mark.parametrize("name", INSTALLED)
def test_adders_and_flip_flops_are_found(name: str) -> None:
    roles = recognise(liberty.read(NAMED[name].path))
    assert roles.full_adder.cell.name in ("FA", "FAX1")
    assert roles.half_adder is not None and roles.half_adder.cell.name in ("HA", "HAX1")
    assert roles.flip_flop.cell.name in ("REG", "DFFPOSX1") and not roles.flip_flop.ties
    assert (roles.configurable is not None) == (name == "normalised")
    gates = {cell.name for cell in roles.gates}
    assert not gates & {"FA", "FAX1", "HA", "LATCH", "TBUFX1", "PADINC", "DFFSR"}
    assert len(gates) >= 15 and roles.buffers


def edited(tmp_path: Path, drop: str | None = None, **changes: str) -> Path:
    """The normalised library without a cell, or with some text replaced."""
    text = NORMALISED.read_text()
    for cell in drop.split() if drop else ():
        text = re.sub(rf"  cell \({cell}\) \{{.*?\n  \}}\n", "", text, flags=re.DOTALL)
        assert f"cell ({cell})" not in text
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "changed.lib"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("drop", "says"),
    [
        ("FA", "full adder"),
        ("REG", "D flip-flop"),
        ("REG FA", "D flip-flop .* and a full adder"),
        ("INV", "an inverter"),
        ("BUF", "a buffer"),
    ],
)
def test_a_library_without_what_is_needed_is_refused(tmp_path: Path, drop: str, says: str) -> None:
    with pytest.raises(SpecError, match=says) as caught:
        recognise(liberty.read(edited(tmp_path, drop)))
    assert caught.value.key == "library" and caught.value.allowed


def test_set_and_reset_of_a_flip_flop_are_tied_off(tmp_path: Path) -> None:
    path = edited(
        tmp_path,
        **{
            'clocked_on : "CK"; }': 'clocked_on : "CK"; clear : "!R"; preset : "P"; }\n'
            "    pin (R) { direction : input; capacitance : 0; }\n"
            "    pin (P) { direction : input; capacitance : 0; }"
        },
    )
    assert recognise(liberty.read(path)).flip_flop.ties == {"R": 1, "P": 0}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('clocked_on : "CK"', 'clocked_on : "!CK"'),
        ('next_state : "D"', 'next_state : "!D"'),
        ('next_state : "D"', 'next_state : "D & E"'),
        ('function : "IQ"', 'function : "IQN"'),
    ],
)
def test_other_flip_flops_are_not_taken(tmp_path: Path, old: str, new: str) -> None:
    with pytest.raises(SpecError, match="D flip-flop"):
        recognise(liberty.read(edited(tmp_path, **{old: new})))


def test_cells_not_to_be_used_are_not(tmp_path: Path) -> None:
    path = edited(tmp_path, **{"cell (XOR3) {": "cell (XOR3) {\n    dont_use : true;"})
    names = {cell.name for cell in recognise(liberty.read(path)).gates}
    assert "XOR3" not in names and "XOR2" in names


@pytest.mark.parametrize(
    ("library", "says"),
    [
        ("osu081", "no such library: must be one of normalised, osu018"),
        ("nowhere/x.lib", "no such file"),
        (".", "directory"),
        ("", "directory"),
    ],
)
def test_what_is_no_library(library: str, says: str) -> None:
    with pytest.raises(SpecError, match=says) as caught:
        libraries.locate(library)
    assert caught.value.key == "library"


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = NamedLibrary("osu018", Path("/nowhere/x.lib"), "qflow-tech-osu018", "")
    monkeypatch.setitem(NAMED, "osu018", gone)
    with pytest.raises(SpecError, match="Debian's package qflow-tech-osu018") as caught:
        libraries.locate("osu018")
    assert "normalised" in str(caught.value.allowed)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("module x; endmodule", "is not a Liberty file"),
        ("library (x) { cell (y) {", "is not a Liberty file"),
        ('library (x) { time_unit : "1 fortnight"; }', "time_unit 1 fortnight"),
        ('library (x) { time_unit : "1ns"; }', "D flip-flop"),
    ],
)
def test_files_that_are_no_libraries(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "x.lib"
    path.write_text(text)
    with pytest.raises(SpecError, match=says):
        recognise(liberty.read(path))


def test_units_and_orders_of_a_file(tmp_path: Path) -> None:
    """Picoseconds become nanoseconds; a table may have loads before slopes."""
    path = tmp_path / "x.lib"
    path.write_text(
        """library (x) { time_unit : "1ps"; capacitive_load_unit (1, ff);
        lu_table_template (t) { variable_1 : total_output_net_capacitance;
          variable_2 : input_net_transition; index_1 ("1, 2"); index_2 ("10, 20"); }
        cell (INV) { area : 2; pin (A) { direction : input; capacitance : 3; }
          pin (Y) { direction : output; function : "A'"; max_capacitance : 50;
            timing () { related_pin : "A"; timing_sense : negative_unate;
              cell_rise (t) { index_2 ("10, 30"); values ("100, 200", "300, 400"); } } } } }"""
    )
    cell = liberty.read(path).cells["INV"]
    assert cell.pins["A"].load == (3.0, 3.0) and cell.pins["Y"].limit == 50
    (arc,) = cell.pins["Y"].arcs
    table = arc.rise
    assert table is not None and table.slopes == (0.01, 0.03) and table.loads == (1.0, 2.0)
    assert table.at(0.03, 1.0) == pytest.approx(0.2)
    assert table.at(0.01, 2.0) == pytest.approx(0.3)
    assert arc.fall is None


@pytest.mark.parametrize("kind", ["cell", "pin"])
def test_a_name_that_would_be_read_as_verilog_is_refused(tmp_path: Path, kind: str) -> None:
    """Names go into files of Yosys, one of which can start programs."""
    text = libraries.locate(libraries.DEFAULT).read_text()
    name = "X (); endmodule module y; wire _TECHMAP_DO_ = `exec -- touch owned`; X"
    changed = re.sub(rf"\b{kind} *\([^)]*\)", f'{kind} ("{name}")', text, count=1)
    assert changed != text
    file = tmp_path / "hostile.lib"
    file.write_text(changed)
    with pytest.raises(SpecError, match="a cell or pin has the name"):
        liberty.read(file)
