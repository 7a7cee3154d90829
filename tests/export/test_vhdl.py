"""Designs in VHDL: GHDL accepts and simulates them, and they are the circuits of the Verilog."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from equal import equal
from modmul import multipliers
from modmul.design import Design
from modmul.errors import SpecError, ToolFailed
from modmul.export import hdl
from modmul.export.contents import Contents, name_of
from modmul.export.deliver import put
from modmul.export.ports import ports
from modmul.export.verilog.expressions import (
    Binary,
    BitLiteral,
    Concatenation,
    Conditional,
    Expression,
    Name,
    Repeated,
    Unary,
)
from modmul.export.vhdl.expressions import Printer
from modmul.export.vhdl.names import Names
from modmul.multipliers import Multiplier
from modmul.spec import Spec
from modmul.system.build import build
from modmul.system.check import check
from modmul.toolchain import ghdl

with_ghdl = pytest.mark.skipif(not ghdl.installed(), reason="GHDL is not installed: no VHDL")
EXAMPLES = [next(iter(architecture.examples())) for architecture in multipliers.REGISTRY.values()]
SHORT = [
    pytest.param(multiplier, marks=pytest.mark.long if place % 6 else ())
    for place, multiplier in enumerate(EXAMPLES)
]
PROCESSORS = [
    {"architecture": "exponentiation", "width": 16},
    {"architecture": "curve", "width": 24, "multiplier": "fpmm"},
    {"architecture": "rsa", "width": 32},
    {"architecture": "kummer", "width": 24},
    {"architecture": "binary-curve", "width": 24},
]
# GHDL names the wires at pins `<instance>_<pin>`, also where a signal has that name.
_INSTANCE = re.compile(r"^  (\w+) : entity work", re.MULTILINE)
_ARRAY = re.compile(r"^( *reg .*\[0:)(\d+)\];", re.MULTILINE)


def title(design: Any) -> str:
    return "-".join(map(str, design.values())) if isinstance(design, dict) else design.title


def is_accepted(design: Design, folder: Path) -> None:
    text = folder / "design.vhd"
    text.write_text(hdl.emit(design, vhdl=True).vhdl)
    for standard in ghdl.STANDARDS:
        (folder / standard).mkdir()
        ghdl.analyse([text], standard, folder / standard)


@with_ghdl
@pytest.mark.parametrize("multiplier", SHORT, ids=title)
def test_ghdl_accepts_every_architecture(multiplier: Multiplier, tmp_path: Path) -> None:
    is_accepted(multiplier, tmp_path)


@with_ghdl
@pytest.mark.parametrize(
    "options",
    [PROCESSORS[0], *(pytest.param(each, marks=pytest.mark.long) for each in PROCESSORS[1:])],
    ids=title,
)
def test_ghdl_accepts_every_processor(options: dict[str, Any], tmp_path: Path) -> None:
    is_accepted(Spec.from_options(options).design, tmp_path)


def bench(
    options: dict[str, Any], folder: Path, count: int, change: tuple[str, str] = ("", "")
) -> str:
    """What the testbench says of the first operations of a design in VHDL, in which a text was
    replaced by another one."""
    spec = Spec.from_options(options)
    contents = Contents.of(spec, name_of(spec), language="vhdl")
    places, texts = contents.places.vhdl, contents.texts()
    assert places is not None
    assert change[0] in texts[places.design]
    texts[places.design] = texts[places.design].replace(*change)
    put(texts, folder)
    sources = [folder / file for file in places.simulated]
    generics = {"COUNT": count, "STEPS": folder / places.steps}
    output = ghdl.simulate(sources, f"{contents.name}_tb", generics)
    return "\n".join(line for line in output.splitlines() if line.startswith(("PASS", "FAIL")))


@with_ghdl
@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"architecture": "fpmm", "width": 24}, 60),
        ({"architecture": "fips", "width": 6, "word": 2}, 60),
        ({"architecture": "three-pass", "width": 16, "interface": "core"}, 60),
        pytest.param({"architecture": "exponentiation", "width": 16}, 4, marks=pytest.mark.long),
        pytest.param(PROCESSORS[1], 4, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_the_testbench_passes(options: dict[str, Any], count: int, tmp_path: Path) -> None:
    what = "operations" if options in PROCESSORS else "products"
    assert bench(options, tmp_path, count) == f"PASS {count} {what}"


@with_ghdl
@pytest.mark.parametrize(
    ("change"),
    [
        ("mac_a_reg * mac_b_reg", "mac_a_reg * (mac_b_reg + 1)"),  # results
        ("result_last <= phase(0);", "result_last <= phase(1);"),  # packets
        ("result_valid <= last_period_at23;", "result_valid <= last_period_at23 and phase(0);"),
    ],
    ids=("results", "packets", "lost"),
)
def test_the_testbench_finds_faults(change: tuple[str, str], tmp_path: Path) -> None:
    options = {"architecture": "fpmm", "width": 24}
    assert bench(options, tmp_path, 20, change).startswith("FAIL")


def synthesised(text: str, top: str, folder: Path) -> str:
    """The VHDL as Verilog, by GHDL."""
    (folder / "design.vhd").write_text(_INSTANCE.sub(r"  \1_instance : entity work", text))
    command = ["ghdl", "--synth", "--std=93", "--out=verilog", "design.vhd", "-e", top]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.replace("\\", "")


# Those that the solver decides.
PROVED = ("interleaved", "fpmm", "montgomery-lookahead", "gf2m-serial", "scs-mm-new")


@with_ghdl
@pytest.mark.parametrize(
    "name", [PROVED[0], *(pytest.param(name, marks=pytest.mark.long) for name in PROVED[1:])]
)
def test_the_vhdl_is_the_circuit_of_the_verilog(name: str, tmp_path: Path) -> None:
    """Proved for all inputs in all cycles.  Arrays have one word for each address in VHDL: those
    of the Verilog get as many."""
    multiplier = next(iter(multipliers.find(name).examples()))
    verilog, vhdl = hdl.emit(multiplier, "usual"), hdl.emit(multiplier, "other", vhdl=True)
    usual = verilog.simulated.replace("(* keep_hierarchy = 1 *)", "")
    usual = _ARRAY.sub(lambda m: f"{m[1]}{(1 << int(m[2]).bit_length()) - 1}];", usual)
    other, own = synthesised(vhdl.vhdl, vhdl.core, tmp_path), ports(multiplier, "core")
    assert equal((usual, verilog.core, own), (other, vhdl.core, own), {}, tmp_path)
    before, begin, core = vhdl.vhdl.partition(f"architecture rtl of {vhdl.core} is")
    core = core.replace(" and ", " or ")
    assert core not in vhdl.vhdl
    wrong = f"{before}{begin}{core}"
    other = synthesised(wrong, vhdl.core, tmp_path)
    assert not equal((usual, verilog.core, own), (other, vhdl.core, own), {}, tmp_path)


# ---- what is delivered --------------------------------------------------------------------------

SMALL = {"architecture": "interleaved", "width": 8}


@pytest.mark.parametrize("language", ["vhdl", "both"])
def test_a_delivery(language: str, tmp_path: Path) -> None:
    """Its lists name its files, GHDL ran its testbench, and it can be made again."""
    result = build(Spec.from_options(SMALL), tmp_path / "d", language=language)
    files = {file.name for file in result.files}
    lists = sorted(file for file in files if file.endswith(".f"))
    assert len(lists) == (2 if language == "vhdl" else 4)
    for each in lists:
        ends = (".vhd",) if language == "vhdl" or "_vhdl_" in each else (".v",)
        listed = (tmp_path / "d" / each).read_text().split()
        assert listed
        assert files.issuperset(listed)
        assert all(file.endswith(ends) for file in listed)
    assert any(file.endswith(".v") for file in files) == (language == "both")
    verdict = result.checked["ghdl"]
    assert verdict is None or verdict.startswith("PASS ")
    assert (verdict is None) == (not ghdl.installed())
    description = json.loads((tmp_path / "d" / f"{result.name}.json").read_text())
    assert description["spec"]["language"] == language
    assert check(tmp_path / "d").passed


def test_files_that_were_not_simulated_say_so_but_lists(tmp_path: Path) -> None:
    build(Spec.from_options(SMALL), tmp_path / "d", language="vhdl", simulate=False)
    marked = {
        file.name: "NOT VERIFIED" in file.read_text().partition("\n")[0]
        for file in (tmp_path / "d").rglob("*.*")
        if file.suffix in (".vhd", ".txt", ".f")
    }
    assert all(mark != name.endswith(".f") for name, mark in marked.items())
    assert len(marked) == 5


def test_without_ghdl_a_delivery_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "ghdl" else which(name))
    result = build(Spec.from_options(SMALL), tmp_path / "d", language="vhdl")
    assert result.checked["ghdl"] is None
    sheet = (tmp_path / "d" / f"{result.name}.md").read_text()
    assert "GHDL, of the VHDL | not installed" in sheet


@pytest.mark.parametrize(
    ("options", "choices", "why"),
    [
        (SMALL, {"language": "vhdl-2008"}, "verilog, vhdl, both"),
        (SMALL, {"language": "vhdl", "bus": "axi4lite"}, "on a bus"),
        (SMALL, {"language": "both", "packages": ["fusesoc"]}, "packages"),
        (SMALL, {"language": "vhdl", "reset": "async"}, "asynchronous reset"),
        (SMALL | {"target": "cells"}, {"language": "vhdl"}, "standard cells"),
    ],
)
def test_what_has_no_vhdl_is_refused(
    options: dict[str, Any], choices: dict[str, Any], why: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError, match=why):
        build(Spec.from_options(options), tmp_path / "d", **choices)


# ---- names and expressions ----------------------------------------------------------------------


def test_names_that_vhdl_cannot_tell_apart_get_numbers() -> None:
    names = Names(["DEPTH"], ["depth", "Depth", "signal", "resize", "count"])
    assert names.known == {
        "DEPTH": "DEPTH",
        "depth": "depth_2",
        "Depth": "Depth_3",
        "signal": "signal_2",
        "resize": "resize_2",
        "count": "count",
    }


A, B = Name(8, "a", 0, 8), Name(8, "b", 0, 8)
C, D = Name(1, "c", 0, 1), Name(1, "d", 0, 1)
FOUR = BitLiteral(8, "00000100")
EXTENDED = Concatenation(8, (BitLiteral(7, "0000000"), C))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Binary(1, "&", C, Unary(1, "!", D)), "c and not d"),
        (Binary(1, "|", Binary(1, "&", C, D), C), "(c and d) or c"),
        (Binary(8, "+", A, FOUR), "a + 4"),
        (Binary(8, "-", Binary(8, "+", A, B), B), "a + b - b"),
        (Binary(8, "-", A, Binary(8, "+", A, B)), "a - (a + b)"),
        (Binary(9, "+", A, B), "resize(a, 9) + b"),
        (
            Binary(8, "+", A, Concatenation(8, (BitLiteral(7, "0000000"), C))),
            "a + to_unsigned(c, 1)",
        ),
        (Binary(16, "*", A, B), "a * b"),
        (Binary(8, "*", A, B), "resize(a * b, 8)"),
        (Binary(1, "==", A, FOUR), "to_std_logic(a = 4)"),
        (Binary(1, "<", A, B, signed=True), "to_std_logic(signed(a) < signed(b))"),
        (Unary(1, "^", A), "xor_reduce(a)"),
        (Binary(1, ">>", C, A), "shift_right(to_unsigned(c, 1), to_index(a))(0)"),
        (Repeated(8, C), "copies(c, 8)"),
        (Concatenation(10, (C, A, D)), "c & a & d"),
        (Conditional(8, Binary(1, "==", C, D), A, B), "choose(c = d, a, b)"),
        (Name(1, "a", 3, 8), "a(3)"),
        (Name(3, "a", 3, 8), "a(5 downto 3)"),
        (BitLiteral(8, "1x0xxxxx"), '"1-0-----"'),
        (BitLiteral(16, "1010101111001101"), 'x"abcd"'),
    ],
)
def test_an_expression(value: Expression, text: str) -> None:
    printer = Printer({name: name for name in "abcd"}, (), {})
    assert printer.of(value).text == text


def test_several_signals_are_not_assigned_at_once() -> None:
    printer = Printer({name: name for name in "abcd"}, (), {})
    with pytest.raises(ValueError, match="several signals"):
        printer.target(Concatenation(2, (C, D)))


@with_ghdl
def test_ghdl_refuses_what_is_no_vhdl(tmp_path: Path) -> None:
    text = tmp_path / "wrong.vhd"
    text.write_text("entity wrong is port (a : in bits); end entity;\n")
    with pytest.raises(ToolFailed, match="bits"):
        ghdl.analyse([text], "93", tmp_path)
