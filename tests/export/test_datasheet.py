"""The first page of a datasheet, its diagrams, and what it says of measurements."""

from __future__ import annotations

import functools
import itertools
import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from modmul.cli import main
from modmul.export import blocks, datasheet, first_page, hdl, names, waves
from modmul.export.description import clock_limit, describe
from modmul.export.structure import Memory, Structure
from modmul.implementation.implement import implement_chip
from modmul.spec import Spec
from modmul.toolchain import icarus

SPECS: dict[str, dict[str, Any]] = {
    "fpmm": {"modulus": "p192", "target": "ecp5"},
    "core": {"architecture": "interleaved", "width": 8, "interface": "core"},
    "dual": {"architecture": "fips", "modulus": "x^9+x^4+1", "width": 16, "word": 4},
    "plain": {"architecture": "array-booth", "width": 9},
}
MEASURED: dict[str, Any] = {
    "target": "ecp5",
    "device": "LFE5U-85F-8BG756",
    "lut": 604,
    "ff": 1333,
    "dsp": 9,
    "ram_bits": 0,
    "ram_blocks": 0,
    "estimate": None,
    "tools": {},
    "fmax_mhz": {
        "median": 301.3,
        "best": 310.5,
        "usable": 225.0,
        "limited_by": "MULT18X18D: 225 MHz",
        "seeds": [{"seed": 1, "mhz": 292.1}, {"seed": 2, "mhz": 310.5}],
        "verified": False,
    },
    "adapter": {"lut": 361, "ff": 59, "ram_bits": 0, "mhz_with_core": 206.48},
    "cells": {"LUT4": 1},
}


@functools.cache
def emitted_of(key: str) -> hdl.Hdl:
    """Emitted once: what is tested here begins after it."""
    return hdl.emit(Spec.from_options(SPECS[key]).multiplier)


def described(key: str, **given: Any) -> tuple[dict[str, Any], hdl.Hdl]:
    spec, emitted = Spec.from_options(SPECS[key]), emitted_of(key)
    name = names.identifier(spec.multiplier.title)
    return describe(spec, emitted, name, **given), emitted


@pytest.fixture(scope="module", params=SPECS)
def design(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any], hdl.Hdl]:
    return (request.param, *described(request.param))


Design = tuple[str, dict[str, Any], hdl.Hdl]


def rows(description: dict[str, Any]) -> dict[str, str]:
    """The first page, by what it is about."""
    sheet = datasheet.markdown(description, None, {})
    return dict(re.findall(r"^\| \*\*(.+)\*\* \| (.*) \|$", sheet.partition("##")[0], re.MULTILINE))


def test_the_first_page_comes_before_the_parameters(design: Design) -> None:
    _, description, _ = design
    sheet = datasheet.markdown(description, None, {}, "blocks.svg")
    places = [
        sheet.index(f"\n{part}\n")
        for part in (
            "![Block diagram](blocks.svg)",
            "## Instantiation",
            "## Cycles",
            "## Parameters",
            "## Ports",
            "## Protocol",
            "## Ranges",
            "## Timing and secrets",
            "## Files",
        )
    ]
    assert places == sorted(places)


def test_what_the_first_page_says() -> None:
    first = rows(described("fpmm")[0])
    assert first["Operands"] == "0 <= a, b < 2 * N"
    assert first["To get a * b mod N"].startswith("multiply the result once more, by R^2")
    assert "`modmul implement`" in first["Area and clock"]
    core = rows(described("core")[0])
    assert "To get a * b mod N" not in core and "the adapter" not in core["Latency"]
    assert "degree below m" in rows(described("dual")[0])["Operands"]
    assert "Modulus" not in rows(described("plain")[0])


@pytest.mark.parametrize("target", ["ecp5", "xc7", "xc6s"])
@pytest.mark.short("xc7")
def test_the_limit_is_that_of_the_slowest_block_that_synthesis_leaves(target: str) -> None:
    """Block RAM is no instance in the text, only an attribute of a memory."""
    spec = Spec.from_options(
        {"architecture": "fpmm", "width": 32, "word": 8, "storage": "block", "target": target}
    )
    result = implement_chip(spec, route=False)
    assert result.ram_blocks and result.dsp
    said = clock_limit(spec, hdl.emit(spec.design))
    assert said is not None and said.mhz == result.limits[0].mhz


def test_the_limit_of_blocks_that_synthesis_infers_is_known() -> None:
    """`cios` has one multiplication, no instance: on an Artix-7 it becomes a DSP48E1."""
    spec = Spec.from_options({"architecture": "cios", "width": 64, "target": "xc7"})
    said = clock_limit(spec, hdl.emit(spec.design))
    assert said is not None and (said.block, said.mhz) == ("DSP48E1", 464.25)


def test_no_command_is_recommended_that_cannot_work() -> None:
    """Nothing routes an Artix-7 here: `implement` measures its area, but no clock."""
    for target, routed in (("ecp5", True), ("xc7", False), ("xcup", False)):
        spec = Spec.from_options({"architecture": "fpmm", "width": 32, "word": 8, "target": target})
        sheet = datasheet.markdown(describe(spec, hdl.emit(spec.multiplier), "a"), None, {})
        (limit,) = re.findall("^.* is the limit of the slowest hard block .*$", sheet, re.MULTILINE)
        assert ("`modmul implement` measures that" in limit) == routed
        assert ("modmul has no router for" in sheet) == (not routed)


def test_a_design_that_does_not_fit_is_not_to_be_implemented() -> None:
    """`implement` would refuse it: the datasheet names the chips that are large enough."""
    spec = Spec.from_options(
        {"architecture": "array-iterative", "width": 64, "target": "xc7", "device": "XC7A35T"}
    )
    wide = Spec.from_options(
        {"architecture": "array-iterative", "width": 128, "target": "xc7", "device": "XC7A35T"}
    )
    for one, fits in ((spec, True), (wide, False)):
        said = first_page.measured({"measured": None, "spec": one.options()})
        assert ("`modmul implement`" in said) == fits
        assert ("too small, the design needs" in said) == (not fits)


MONTGOMERY = [
    {"architecture": "montgomery-lookahead", "width": 16},
    {"architecture": "montgomery-lookahead", "width": 16, "lookahead": 2},
    {"architecture": "fcs-mm-2", "width": 16, "form": "binary"},
    {"architecture": "scs-mm-1", "width": 16},
    {"architecture": "fpmm", "width": 16, "word": 8, "tile": "4x4"},
    {"architecture": "montgomery-1csa", "width": 16},
]


@pytest.mark.parametrize(
    "options", MONTGOMERY, ids=lambda options: "-".join(map(str, options.values()))
)
@pytest.mark.short("montgomery-lookahead-16-2", "fcs-mm-2-16-binary", "scs-mm-1-16")
def test_how_often_the_modulus_is_to_be_subtracted(options: dict[str, Any]) -> None:
    """As often as it can be needed, which is more than once only where the datasheet says so."""
    spec = Spec.from_options(options)
    emitted = hdl.emit(spec.multiplier)
    said = rows(describe(spec, emitted, "a"))["To get a * b mod N"]
    counted = re.search(r"at most (\d+) times$", said)
    times = int(counted[1]) if counted else 1
    multiplier, most = spec.multiplier, 0
    assert (times > 1) == (options["architecture"] == "montgomery-lookahead")
    for modulus in (0xFFFF, 0x8001, 0xC003):
        assert multiplier.result_bound(modulus) <= (times + 1) * modulus
        square = pow(multiplier.montgomery_factor or 1, 2, modulus)
        top = multiplier.operand_bound(modulus) - 1
        for a, b in itertools.product((0, 1, modulus, modulus - 1, top, top - 1), repeat=2):
            once = multiplier.compute(a, b, modulus)
            result = multiplier.compute(once, square, modulus)
            assert (result - a * b) % modulus == 0
            most = max(most, once // modulus, result // modulus)
    assert most <= times


@pytest.mark.parametrize("key", ["fpmm", "core", "plain"])
def test_the_cycles_of_some_products_follow_from_the_first_page(key: str) -> None:
    multiplier = Spec.from_options(SPECS[key]).multiplier
    formula = re.search("k products: (.*) cycles", rows(described(key)[0])["Throughput"])
    assert formula is not None
    for k in (1, 2, 3, 8, 31):
        value = eval(formula[1].replace("div", "//").replace("mod", "%"), {"k": k})
        assert round(value) == multiplier.cycles_for(k)


def test_measured_figures_say_what_they_are_of() -> None:
    text = rows(described("fpmm", measured=MEASURED)[0])["Area and clock"]
    with_adapter = "965 LUT, 1392 FF, 9 DSP, usable clock 206.48 MHz (with the adapter)"
    core = "bare core: 604 LUT, 1333 FF, 9 DSP; usable clock 225 MHz"
    assert text.index(with_adapter) < text.index(core)
    assert "with 2 seeds: median 301.3" in text
    unrouted = MEASURED | {"fmax_mhz": None, "adapter": None}
    assert "no clock" in rows(described("fpmm", measured=unrouted)[0])["Area and clock"]
    figures = described("fpmm", measured=MEASURED)[0]["measured"]
    assert figures["fmax_mhz"] == MEASURED["fmax_mhz"] and "cells" not in figures


@pytest.mark.skipif(not icarus.installed(), reason="Icarus Verilog is not installed")
def test_the_instance_is_that_of_the_module(design: Design, tmp_path: Path) -> None:
    """It compiles, every port connected to a wire as wide."""
    _, description, emitted = design
    text = first_page.instance(description)
    for port in description["ports"][description["spec"]["interface"]]:
        assert re.search(rf"^  \.{port['name']} +\({port['name']}\)", text, re.MULTILINE)
    (tmp_path / "own.v").write_text(f"module own;\n{text}endmodule\n")
    (tmp_path / "design.v").write_text(emitted.simulated)
    run = subprocess.run(
        ["iverilog", "-g2005", "-Wall", "-s", "own", "-o", "own.vvp", "own.v", "design.v"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert not re.search(r"^own\.v.*(port|width|Port)", run.stderr, re.MULTILINE), run.stderr


def test_the_block_diagram_has_streams_and_parts(design: Design) -> None:
    key, description, emitted = design
    svg = blocks.draw(description, emitted.verilog)
    elements = ElementTree.fromstring(svg).iter()
    texts = [element.text for element in elements if element.tag.endswith("text")]
    assert any(text and text.startswith("operand: a") for text in texts)
    assert ("modulus" in texts) == (key != "plain")
    assert ("Elastic adapter" in texts) == (key != "core")
    assert "result" in texts and "prefers-color-scheme:dark" in svg
    if key == "fpmm":
        assert "9 \N{MULTIPLICATION SIGN} mult_17x17" in texts and "memory_a" in texts
        assert "1 \N{MULTIPLICATION SIGN} MULT18X18D" in texts
    if key == "plain":
        assert "5 \N{MULTIPLICATION SIGN} row" in texts


def test_of_many_parts_the_first_are_drawn() -> None:
    wanted = [f"name{letter}" for letter in "abcdefghijklmnop"]
    lines = "".join(f"  small_{name} {name} (\n    .x(x)\n  );\n" for name in wanted)
    small = "".join(f"module small_{name} (\n  input x\n);\nendmodule\n" for name in wanted)
    parts = blocks.of_module(Structure(f"module top (\n);\n{lines}endmodule\n{small}"), "top")
    assert len(parts) == 12 and parts[-1].name == "and 5 more"


def test_structure_of_a_text() -> None:
    emitted = described("fpmm")[1]
    structure = Structure(emitted.verilog)
    assert set(structure.units) == set(re.findall(r"^module (\w+)", emitted.verilog, re.MULTILINE))
    assert structure.cells(emitted.core) == Counter(MULT18X18D=9)
    assert set(structure.memories(emitted.core)) == {Memory(18, 34), Memory(6, 17)}
    assert structure.cells(emitted.stream) == structure.cells(emitted.core)


def test_a_long_timing_diagram_goes_on_below() -> None:
    labels = [f"x{cycle}" for cycle in range(90)]  # each of another kind: nothing is left out
    svg = waves.draw([waves.Wave("bus", labels=labels)], [waves.Span(3, 80, "arrow")], "long")
    picture = ElementTree.fromstring(svg)
    assert int(picture.attrib["width"]) <= 920
    texts = [element.text for element in picture.iter() if element.tag.endswith("text")]
    assert texts.count("bus") == 5 and [text for text in texts if text in labels] == labels
    assert svg.count('class="span"') == 5 and texts.count("arrow") == 1


def test_links_within_the_page_lead_somewhere(design: Design) -> None:
    _, description, emitted = design
    svg = blocks.draw(description, emitted.verilog)
    sheet = datasheet.markdown(description, None, {}, "blocks.svg")
    page = datasheet.html(sheet, "x", {"blocks.svg": svg})
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets and targets <= set(re.findall(r'<h2 id="([^"]+)"', page))
    assert svg.strip() in page


def test_what_is_measured_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`build --seeds` measures the design that it delivers; without, nothing is measured."""
    asked: list[tuple[int, str]] = []

    def implement(spec: Spec, *, seeds: int, **_: Any) -> dict[str, Any]:
        asked.append((seeds, spec.design.title))
        return MEASURED

    monkeypatch.setattr("modmul.implementation.implement.implement", implement)
    command = ["build", "--architecture", "interleaved", "--width", "8", "--no-check", "-o"]
    assert main([*command, str(tmp_path / "plain")]) == 0 and not asked
    assert main([*command, str(tmp_path / "measured"), "--seeds", "2"]) == 0
    assert asked == [(2, "interleaved-8")]
    for folder, has_figures in (("plain", False), ("measured", True)):
        measured = json.loads((tmp_path / folder / "interleaved_8.json").read_text())["measured"]
        sheet = (tmp_path / folder / "interleaved_8.md").read_text()
        assert (measured is not None) == has_figures == ("604 LUT" in sheet)
    assert main([*command, str(tmp_path / "none"), "--seeds", "0"]) == 2
    assert "seeds" in capsys.readouterr().err and not (tmp_path / "none").exists()


def test_a_fixed_modulus_is_said_once_and_a_pipeline_has_no_one_product_in_flight() -> None:
    spec = Spec.from_options({"architecture": "pseudo-mersenne", "modulus": 65521})
    emitted = hdl.emit(spec.multiplier)
    sheet = datasheet.markdown(describe(spec, emitted, "design"), None, {})
    assert "| **Modulus** | N = 0xfff1 alone; fixed |" in sheet
    assert "| a product every cycle; k products: 6 + 1 * (k - 1) cycles |" in sheet
    assert "A new product every cycle." in " ".join(emitted.verilog.replace("//", "").split())


def test_a_long_name_does_not_run_out_of_the_page() -> None:
    page = datasheet.html("# " + 12 * "long_name_" + "\n\ntext\n", "x", {})
    for rule in re.findall(r"^h1[^{]*{([^}]*)}", page, re.MULTILINE):
        assert "overflow-wrap: anywhere" in rule
    assert "h1" in page


@pytest.mark.parametrize(("key", "several"), [("fpmm", True), ("core", False)])
def test_eight_products_only_where_several_are_under_way(key: str, several: bool) -> None:
    description, _ = described(key)
    assert (description["slots"] > 1) == several
    sheet = datasheet.markdown(description, None, {})
    assert ("| eight independent products" in sheet) == several
