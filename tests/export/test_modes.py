"""What is emitted where field, length and operation are chosen at run time."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from modmul.arithmetic import moduli
from modmul.errors import CheckFailed
from modmul.export import check, datasheet, description, hdl, turns, vectors
from modmul.export import testbench as writer
from modmul.export.build import build
from modmul.export.hdl import Hdl
from modmul.export.ports import ports
from modmul.export.steps import kind_name
from modmul.operation import Mode
from modmul.spec import Spec
from modmul.toolchain import icarus
from modmul.toolchain.cache import Cache

SMALL: dict[str, Any] = {"width": 12, "word": 4}
needs_icarus = pytest.mark.skipif(not icarus.installed(), reason="Icarus Verilog is not installed")


def fips(**options: Any) -> Spec:
    return Spec.from_options({"architecture": "fips", **options})


@cache
def emitted() -> Hdl:
    return hdl.emit(fips(**SMALL).multiplier)


def simulate(spec: Spec, written: Hdl, folder: Path, change: tuple[str, str] | None = None) -> str:
    """What Icarus says of the testbench, in which one text may be changed."""
    planned = vectors.plan(spec)
    text = writer.testbench(spec, written, "x", planned, "x.f")
    if change is not None:
        assert re.search(change[0], text)
        text = re.sub(change[0], change[1], text)
    sources = [folder / "x.v", folder / "x_tb.v"]
    for source, content in zip(sources, (written.verilog, text), strict=True):
        source.write_text(content)
    output = icarus.simulate(sources, "x_tb")
    return check.verdict(output, "Icarus Verilog", len(planned.products))


# ---- the plan --------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", ["core", "stream"])
def test_both_fields_three_lengths_squares_and_products(interface: str) -> None:
    spec = fips(width=40, word=8, interface=interface)
    planned = vectors.plan(spec)
    wanted = {
        Mode(operation, field, words)
        for operation in ("multiply", "square")
        for field in ("prime", "binary")
        for words in (1, 3, 5)
    }
    assert {product.mode for product in planned.products} == wanted
    assert {len(load) for load in planned.loads} == {3, 5, 7}
    again = 7 if interface == "stream" else 0  # loaded in a row
    assert sum(step.load for step in planned.steps) == len(planned.loads) == 12 + again
    for product in planned.products:
        assert product.operand["square"] == (product.mode.operation == "square")
    squares = [product for product in planned.products if product.operand["square"]]
    assert any(
        product.operand["b"] not in (product.a, product.b) for product in squares
    )  # b is anything


def test_results_are_those_of_the_integers() -> None:
    """Every result times R is the product modulo N, in its field and length."""
    planned = vectors.plan(fips(width=12, word=4, field="prime"))
    products = iter(planned.products)
    turn = -1
    for step in planned.steps:
        if step.load:
            turn += 1
            continue
        product, modulus = next(products), planned.settings[turn].modulus
        b = product.a if product.operand["square"] else product.b
        assert product.mode.words is not None
        assert ((product.result["data"] << 4 * product.mode.words) - product.a * b) % modulus == 0
        assert product.result["data"] < modulus


def test_the_modulus_of_the_spec_comes_first_and_last_with_its_field_and_length() -> None:
    spec = fips(modulus="x^5+x^2+1", width=24, word=4)
    planned = vectors.plan(spec)
    assert planned.settings[0] == planned.settings[-1] == spec.setting
    assert planned.settings[0].modulus == 0b100101
    assert planned.loads[0] == planned.loads[-1]
    assert planned.loads[0][:3] == [0b11, 0b0101, 0b0010]  # GF(2^m), 2 words; N
    assert len({len(load) for load in planned.loads}) == 4  # 2 words, and 1, 3, 6
    assert planned.products[0].mode in (Mode(field="binary", words=2), Mode("square", "binary", 2))


def test_one_field_only_and_no_squares() -> None:
    planned = vectors.plan(fips(field="binary", squares=False, **SMALL))
    assert {product.mode for product in planned.products} == {
        Mode(field="binary", words=words) for words in (1, 2, 3)
    }
    assert all(set(product.operand) == {"a", "b"} for product in planned.products)


def test_a_length_that_no_modulus_fits_is_left_out() -> None:
    """Two bits, of which two are spare."""
    planned = vectors.plan(fips(width=6, word=2, subtraction=False, field="prime"))
    assert 1 not in {product.mode.words for product in planned.products}


def test_the_plan_of_long_operands_stays_small() -> None:
    """A product takes half a million cycles; what is printed cycle by cycle is short."""
    multiplier = (spec := fips(width=4096, word=8)).multiplier
    products = vectors.plan(spec).products
    cycles = [multiplier.latency(product.mode).maximum for product in products]
    assert sum(cycles) < 5_000_000 and sum(cycles[: turns.SHOWN]) < 50_000
    assert {product.mode.words for product in products} == {1, 256, 512}


# ---- the testbench ---------------------------------------------------------------------------


@needs_icarus
@pytest.mark.parametrize(
    "options",
    [
        {"interface": "core", "subtraction": False},
        pytest.param({"multipliers": 2, "stages": 4}, marks=pytest.mark.long),
        {"modulus": "x^5+x^2+1", "field": "binary", "lookahead": 0},
    ],
    ids=str,
)
def test_the_testbench_passes(options: dict[str, Any], tmp_path: Path) -> None:
    spec = fips(**SMALL | options)
    simulate(spec, hdl.emit(spec.multiplier), tmp_path)


FAULTS = {
    "a square is a product": (r"\.operand_square\(operand_square\)", ".operand_square(1'b0)"),
    "a product is a square": (r"\.operand_square\(operand_square\)", ".operand_square(1'b1)"),
    "the other field": (
        r"\.modulus_data\(modulus_data\)",
        ".modulus_data(modulus_data ^ modulus_first)",
    ),
    "one word less": (
        r"\.modulus_data\(modulus_data\)",
        ".modulus_data(modulus_data - {modulus_first & |modulus_data[3:1], 1'b0})",
    ),
    "late": (r"(kind_latency_min\[\w+\] = \d+);", r"\1 + 1;"),
    "early": (r"(kind_latency_max\[\w+\] = \d+);", r"\1 - 1;"),
    "interval": (r"(kind_interval\[\w+\] = \d+);", r"\1 + 1;"),
}


@needs_icarus
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.short("a square is a product", "the other field", "one word less", "late", "interval")
def test_the_testbench_fails(fault: str, tmp_path: Path) -> None:
    spec = fips(interface="core", **SMALL)
    with pytest.raises(CheckFailed, match="should be|first|FAIL"):
        simulate(spec, emitted(), tmp_path, FAULTS[fault])


@needs_icarus
@pytest.mark.parametrize("shortest", [True, False])
@pytest.mark.long
def test_the_adapter_adds_what_is_declared_for_each_length(shortest: bool, tmp_path: Path) -> None:
    """No product takes less, and those that come alone no more: each kind once at least.  Wrong
    figures of the shortest square, or of the longest product, are found."""
    spec = fips(interface="stream", **SMALL)
    planned = vectors.plan(spec)
    offered = [step for step in planned.steps if not step.load]
    pairs = list(zip(planned.products, offered, strict=True))
    kinds = {product.mode for product in planned.products}
    assert {product.mode for product, step in pairs if step.alone} == kinds
    simulate(spec, emitted(), tmp_path)
    most = max(kind.words or 0 for kind in kinds)
    kind = Mode("square", "prime", 1) if shortest else Mode("multiply", "prime", most)
    for end, by in (("min", "+ 1"), ("max", "- 1")):
        figure = rf"(kind_latency_{end}\[{kind_name(kind)}\] = \d+);"
        with pytest.raises(CheckFailed, match="latency|interval between"):
            simulate(spec, emitted(), tmp_path, (figure, rf"\1 {by};"))


# ---- sums ----------------------------------------------------------------------------------


def cios(**options: Any) -> Spec:
    adds = {"architecture": "cios", "width": 20, "word": 8, "adder": True}
    return Spec.from_options(adds | options)


@pytest.mark.parametrize("interface", ["core", "stream"])
def test_sums_and_products(interface: str) -> None:
    """All mixed, each of them alone, too; with what the integers say."""
    planned = vectors.plan(cios(interface=interface))
    offered = [step for step in planned.steps if not step.load]
    pairs = list(zip(planned.products, offered, strict=True))
    every = {Mode(), Mode("add"), Mode("subtract")}
    assert {product.mode for product, _ in pairs} == every
    assert {product.mode for product, step in pairs if step.alone} == every
    for product, _ in pairs:
        declared = {name for name in ("add", "subtract") if product.operand[name]}
        assert declared == {product.mode.operation} - {"multiply"}


SUMS = {
    "a sum is a product": (r"\.operand_add\(operand_add\)", ".operand_add(1'b0)"),
    "a difference is a sum": (
        r"\.operand_subtract\(operand_subtract\)",
        ".operand_subtract(operand_subtract && operand_a[0])",
    ),
    "late": (r"(kind_latency_min\[ADD_PRIME\] = \d+);", r"\1 + 1;"),
    "early": (r"(kind_latency_max\[SUBTRACT_PRIME\] = \d+);", r"\1 - 1;"),
    "interval": (r"(kind_interval\[ADD_PRIME\] = \d+);", r"\1 + 1;"),
}


@needs_icarus
def test_the_testbench_of_sums(tmp_path: Path) -> None:
    spec = cios(interface="core")
    written = hdl.emit(spec.multiplier)
    simulate(spec, written, tmp_path)
    for change in SUMS.values():
        with pytest.raises(CheckFailed, match="should be|first|FAIL"):
            simulate(spec, written, tmp_path, change)


def test_what_is_told_of_sums() -> None:
    declared = {port.name: port for port in ports(cios().multiplier, "core")}
    assert declared["operand_add"].width == declared["operand_subtract"].width == 1
    assert declared["operand_subtract"].meaning.startswith(
        "1: a - b modulo N; the same in all beats"
    )
    assert not declared["operand_add"].secret and declared["operand_a"].secret
    assert "operand_add" not in {port.name for port in ports(cios(adder=False).multiplier, "core")}
    written = hdl.emit(cios().multiplier)
    assert "R = 2^24; or a + b, a - b mod N; N: odd" in written.verilog
    said = description.describe(cios(), written, "x")
    assert said["choices"]["operations"] == ["multiply", "add", "subtract"]
    sheet = datasheet.markdown(said, "timing.svg", {})
    assert "Sums carry no factor 1/R" in sheet
    assert all(f"| {formula} | GF(p) |" in sheet for formula in ("a * b", "a + b", "a - b"))


# ---- ports, datasheet, description ------------------------------------------------------------


def test_the_port_that_declares_a_square() -> None:
    declared = {port.name: port for port in ports(fips(**SMALL).multiplier, "core")}
    assert declared["operand_square"].width == 1
    assert "b is not looked at; the same in all beats" in declared["operand_square"].meaning
    assert "choice of field and length" in declared["modulus_data"].meaning
    without = ports(fips(squares=False, **SMALL).multiplier, "core")
    assert "operand_square" not in {port.name for port in without}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Spec, dict[str, Any], str, str]:
    """A spec with a binary modulus: its description, datasheet and Verilog; simulated in
    Verilator alone, since other testbenches here are in Icarus."""
    folder = tmp_path_factory.mktemp("built")
    spec = fips(modulus="x^9+x^4+1", width=16, word=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(icarus, "installed", lambda: False)
        result = build(spec, folder, cache=Cache())
    assert result.checked["verilator"] == f"PASS {len(vectors.plan(spec).products)} products"
    svg = (folder / f"{result.name}_timing.svg").read_text()
    first = vectors.plan(spec).products[0].mode
    least = spec.multiplier.latency(first).minimum
    measured = re.search(r"first beat in to last beat out: (\d+) cycles", svg)
    assert measured is not None and int(measured[1]) >= least
    assert ">operand_square</text>" in svg and ">a0.2</text>" in svg and ">a0.3</text>" not in svg
    texts = [(folder / f"{result.name}{end}").read_text() for end in (".json", ".md", ".v")]
    return spec, json.loads(texts[0]), texts[1], texts[2]


Built = tuple[Spec, dict[str, Any], str, str]


def test_description_has_the_modes_of_the_modulus_first(built: Built) -> None:
    spec, described, _, _ = built
    names = list(described["cycles"])
    assert names[:2] == ["multiply-binary-3", "square-binary-3"]
    assert set(names[2:]) == {mode.name for mode in spec.multiplier.modes}
    for mode in spec.modes:
        entry, latency = described["cycles"][mode.name], spec.multiplier.latency(mode)
        assert entry["latency"] == [latency.minimum, latency.maximum]
        assert sum(low for low, _ in entry["terms"].values()) == latency.minimum
    assert described["cycles"]["multiply-prime-1"]["adapter"] == (
        described["cycles"]["multiply-prime-4"]["adapter"] - 3
    )
    assert described["choices"]["own"] == {"field": "binary", "words": 3}
    assert described["choices"]["lengths"] == [1, 4] and described["choices"]["squares"] is True
    assert described["streams"]["operand"] == {"beats": 4, "bits": 4, "shortest": 1, "own": 3}
    assert described["streams"]["modulus"] == {"beats": 6, "bits": 4, "shortest": 3, "own": 5}


def test_description_of_a_binary_modulus(built: Built) -> None:
    arithmetic = built[1]["arithmetic"]
    assert arithmetic["field"] == "binary" and int(arithmetic["montgomery_factor"], 16) == 1 << 12
    assert [entry["field"] for entry in arithmetic["ranges"]] == ["binary"]
    cases = [{"when": None, "below": "1 << m"}]
    below = {"formula": "2^m", "cases": cases, "value": hex(1 << 9)}
    assert arithmetic["operand_below"] == below
    assert arithmetic["chainable"] and arithmetic["word_exponent"] == 4
    assert [int(word["value"], 16) for word in built[1]["constants"]["words"]][:4] == [5, 1, 1, 2]


def test_datasheet_of_a_binary_modulus(built: Built) -> None:
    spec, described, sheet, _ = built
    assert "R = x^12." in sheet and "2^12" not in sheet
    assert "An operand takes 1 to 4 beats of 4 bits (as many as there are words in use, 3 " in sheet
    assert "A modulus takes 3 to 6 beats of 4 bits (5 with this modulus)" in sheet
    assert "For this modulus m = 9." in sheet and "degree below m" in sheet
    rows = re.findall(r"^\| (a \* [ab]) \| (GF\S+) \| (\d) \|(.*)$", sheet, re.MULTILINE)
    assert [row[2] for row in rows] == ["3", "3", *"4444", *"1111"]
    latency = spec.multiplier.latency(Mode("square", "binary", 3)).maximum
    assert rows[1][:2] == ("a * a", "GF(2^m)") and f" {latency} " in rows[1][3]
    assert "The first rows are for the field and length of x^9+x^4+1." in sheet
    assert all(note in sheet for note in described["arithmetic"]["notes"])
    assert "None" not in sheet and "{{" not in sheet and "{'" not in sheet
    for block in re.split(r"\n\n+", sheet):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        assert len({line.count("|") for line in lines}) <= 1, block


def test_what_is_chosen_at_run_time_is_no_option(built: Built) -> None:
    _, described, sheet, verilog = built
    assert "mode" not in described["spec"] and "mode =" not in verilog[:600]
    assert "| mode |" not in sheet and "Mode(" not in sheet + verilog


def test_datasheet_without_a_modulus_tells_both_fields() -> None:
    spec = fips(width=12, word=4, interface="core", subtraction=False)
    described = description.describe(spec, emitted(), "x")
    sheet = datasheet.markdown(described, "timing.svg", {})
    assert "R = 2^(4 s) (in GF(2^m) x^(4 s)) with s words in use." in sheet
    assert "| operands a, b in GF(p) | binary | 0 <= a, b < 2 * N |" in sheet
    assert "| result in GF(2^m) | binary | degree below m; as numbers, 0 <= result < 2^m |" in sheet
    assert "In GF(p), the result of leaving is at most N" in sheet
    assert "| modulus | (any) |" in sheet
    one_field = description.describe(fips(width=12, word=4, field="binary"), emitted(), "x")
    sheet = datasheet.markdown(one_field, "timing.svg", {})
    assert "R = x^(4 s) with s words in use." in sheet
    assert not re.findall(r"^\|.*GF\(p\)", sheet, re.MULTILINE)


def test_modes_of_a_spec() -> None:
    assert fips(width=64, word=16).modes == fips(width=64, word=16).multiplier.modes
    spec = fips(modulus="b163", width=256)
    assert spec.mode == Mode(field="binary", words=6)
    assert spec.modes[:2] == (spec.mode, spec.mode.square()) and len(spec.modes) == 10
    p256 = fips(modulus="p256")
    assert len(p256.modes) == 8 and set(p256.modes) == set(p256.multiplier.modes)
    assert Spec.from_options({"modulus": "p256"}).modes == (Mode(),)
    assert spec.setting is not None and spec.setting.beats == 6
    assert moduli.find("b163").bits == 164
