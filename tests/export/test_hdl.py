"""The emitted Verilog: names, ports, attributes, the same bytes every time."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory

from modmul.errors import SpecError
from modmul.export import hdl, names
from modmul.export.hdl import emit
from modmul.export.ports import ports
from modmul.multipliers import Multiplier, find
from modmul.multipliers.interleaved import Interleaved
from modmul.multipliers.signature import core_signature
from modmul.targets.primitives import open_pins

DESIGNS = [Interleaved(width=8), find("fpmm")(width=30, word=8, tile="4x4")]


@pytest.mark.parametrize("multiplier", DESIGNS, ids=lambda m: m.name)
@pytest.mark.parametrize("interface", ["core", "stream"])
def test_modules_have_the_documented_ports_in_order(multiplier: Multiplier, interface: str) -> None:
    hdl = emit(multiplier)
    base = names.identifier(multiplier.title)
    assert (hdl.core, hdl.stream) == (f"{base}_core", f"{base}_stream")
    module = hdl.core if interface == "core" else hdl.stream
    body = re.search(rf"^module {module} \((.*?)^\);", hdl.verilog, re.M | re.S)
    assert body is not None
    line = re.compile(
        r"^(?:  // (.*)\n)?  (input|output) (?:wire|reg) (?:\[(\d+):0\] )?(\w+),?(?: *// (.*))?$",
        re.MULTILINE,
    )
    declared = [
        (direction, int(high or 0) + 1, name, meaning or above)
        for above, direction, high, name, meaning in line.findall(body[1])
    ]
    wanted = ports(multiplier, interface)
    assert [entry[:3] for entry in declared] == [(p.direction, p.width, p.name) for p in wanted]
    said = hdl.remarks[module].ports
    for (*_, meaning), port in zip(declared, wanted, strict=True):
        assert meaning in (port.meaning, "not used") or said, port.name
    assert bool(re.search(r"input wire result_ready,", body[1])) == (interface == "stream")


@pytest.mark.parametrize("multiplier", DESIGNS, ids=lambda m: m.name)
def test_text_is_plain(multiplier: Multiplier) -> None:
    """No escaped names, no path, no trace of where it came from; all modules begin alike."""
    hdl = emit(multiplier)
    for word in ("\\", "$", "src =", "generator", "modmul/", "Yosys", ".py", ".cc", "top ="):
        assert word not in hdl.verilog, word
    modules = re.findall(r"^module (\w+)", hdl.verilog, re.MULTILINE)
    base = names.identifier(multiplier.title)
    assert modules and all(module.startswith(f"{base}_") for module in modules)
    assert len(set(modules)) == len(modules)
    assert max(map(len, hdl.verilog.splitlines())) < 400


@pytest.mark.parametrize(("name", "beginning"), [("left unit", "left_unit_"), ("soft", "soft_")])
def test_a_name_begins_all_module_names(name: str, beginning: str) -> None:
    """Also a keyword: none of the modules has it for its name."""
    hdl = emit(Interleaved(width=8), name=name)
    modules = re.findall(r"^module (\w+)", hdl.verilog, re.MULTILINE)
    assert modules and all(module.startswith(beginning) for module in modules)


def test_bytes_do_not_depend_on_hash_seed_or_directory(tmp_path: Path) -> None:
    script = (
        "from modmul.export.hdl import emit; from modmul.multipliers import find;"
        "print(emit(find('fpmm')(width=30, word=8, tile='4x4')).verilog)"
    )
    environment = os.environ | {"PYTHONHASHSEED": "0" if hash("a") % 2 else "1"}  # not this one's
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, check=True, text=True
    )
    assert done.stdout == f"{emit(DESIGNS[1]).verilog}\n"


def test_a_text_without_its_comments_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "flags", SimpleNamespace(optimize=2))  # python -OO
    with pytest.raises(SpecError, match="PYTHONOPTIMIZE = 2: must be at most 1: without docstr"):
        emit(DESIGNS[0])


@dataclass(frozen=True, kw_only=True)
class _Odd(Interleaved):
    """With what an emitter could spoil."""

    def create(self) -> wiring.Component:
        return _OddCore(self)


class _OddCore(wiring.Component):
    def __init__(self, parameters: Interleaved):
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        kept = Signal(8, name="kept", attrs={"keep": 1})
        primitive = Signal(8, name="a$b.c")
        twin = Signal(8, name="a_b_c")
        keyword = Signal(8, name="before")
        m.submodules["sub.module"] = memory = Memory(
            shape=8, depth=4, init=[1, 2, 3, 4], attrs={"ram_style": "distributed"}
        )
        port = memory.read_port(domain="comb")
        m.submodules.hard = Instance(
            "HARD_BLOCK",
            p_MODE='a "quoted" \\thing',
            p_COUNT=3,
            i_A=self.operand.p.a,
            i_CLK=ClockSignal(),
            o_P=primitive,
            a_LOC="here",
            **open_pins("CE", "CARRY"),
        )
        m.d.sync += [kept.eq(self.operand.p.b), keyword.eq(kept), twin.eq(primitive ^ keyword)]
        m.d.comb += [
            self.operand.ready.eq(Const(1)),
            self.modulus.ready.eq(Const(1)),
            port.addr.eq(twin),
            self.result.p.data.eq(port.data ^ twin),
            self.result.valid.eq((self.operand.p.a == twin) & (kept != 0) & (twin > 0)),
        ]
        return m


def test_attributes_and_primitives_pass() -> None:
    text = emit(_Odd(width=8)).verilog
    assert re.search(r'\(\* ram_style = "distributed" \*\)\s+reg \[7:0\] \w+ \[0:3\];', text)
    assert re.search(r"\(\* keep = 1 \*\)\s+reg \[7:0\] kept", text)
    assert re.search(r'\(\* LOC = "here" \*\)\s+HARD_BLOCK #\(', text)
    assert '.MODE("a \\"quoted\\" \\\\thing")' in text
    assert re.search(r"\.COUNT\(3\)", text)
    assert re.search(r"\.A\(operand_a\)", text) and ".CLK(clk)" in text
    assert {"a_b_c", "hard_a_b_c"} <= set(re.findall(r"\w+", text)), "two names must not be one"
    said_nothing = re.sub(r"//.*", "", text)
    assert re.search(r"reg \[7:0\] m_before\b", text)
    assert not re.search(r"\bbefore\b", said_nothing)
    assert re.search(r"\.CE\(\)", text) and re.search(r"\.CARRY\(\)", text)


@dataclass(frozen=True, kw_only=True)
class _Empty(Interleaved):
    """Values of no bits, as the operands of everything."""

    def create(self) -> wiring.Component:
        return _EmptyCore(self)


class _EmptyCore(wiring.Component):
    def __init__(self, parameters: Interleaved):
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        none, a = Signal(0), self.operand.p.a
        m.d.comb += [
            self.operand.ready.eq(Cat().all()),
            self.modulus.ready.eq(Cat().any()),
            self.result.p.data.eq(Cat(none.all(), none.any(), none.xor(), none == 0, a != none)),
            self.result.p.first.eq(a > none),
            self.result.p.last.eq(a + none == a),
        ]
        return m


def test_values_of_no_bits_mean_what_they_mean() -> None:
    """An AND of nothing is true, an OR of nothing false."""
    hdl = emit(_Empty(width=8))
    core = hdl.verilog.partition(f"module {hdl.core} (")[2].partition("\nendmodule")[0]
    assigned = dict(re.findall(r"^  assign (.*) = (.*);$", core, re.MULTILINE))
    assert (assigned["operand_ready"], assigned["modulus_ready"]) == ("1'b1", "1'b0")
    assert assigned["result_data"] == "{3'd0, |operand_a, 4'd9}"
    assert assigned["result_first"] == "operand_a > 8'd0"


def test_a_port_cannot_be_a_keyword() -> None:
    text = "attribute \\top 1\nmodule \\x\n  wire width 1 input 1  \\final\nend\n"
    with pytest.raises(ValueError, match="final: no name for a port"):
        names.plain(text, ["final"])


def test_only_chips_are_asked_for_a_kind_of_ram() -> None:
    for target in ("generic", "ecp5"):
        text = emit(find("fips")(width=8, word=4, target=target)).verilog
        assert ("ram_style" in text) == (target == "ecp5")
        assert ("syn_ramstyle" in text) == (target == "ecp5")


@pytest.mark.parametrize(
    ("width", "count"), [(20, 7), pytest.param(95, 11, marks=pytest.mark.long)]
)
def test_a_text_has_its_top_first_and_leaves_in_the_order_of_numbers(
    width: int, count: int
) -> None:
    hdl = emit(find("tree-dadda")(width=width))
    modules = re.findall(r"^module (\w+)", hdl.verilog, re.MULTILINE)
    assert modules[:3] == [hdl.stream, f"{hdl.stream}_adapter", hdl.core]
    levels = [
        int(number) for number in re.findall(rf"dadda_level_{width}_(\d+)", " ".join(modules))
    ]
    assert levels == list(range(count))
    assert len(re.findall(rf"^// As \w+dadda_level_{width}_\d+,?\s", hdl.verilog, re.M)) >= 3


def test_the_head_has_parameters_once_and_the_modules_with_their_instances() -> None:
    head = emit(find("three-pass")(width=16)).verilog.partition("`default_nettype")[0]
    assert head.count("width = 16") == head.count("architecture = three-pass") == 1
    tree = [line[5:] for line in head.splitlines() if line.startswith("//     ")]
    assert tree[tree.index("  core") :] == [
        "  core",
        "    core_chain_adder (5 instances)",
        "    core_digit_diagonal_8",
        "    core_mux_chain_16 (2 instances)",
        "      core_mux_row_s0c0 (2 instances)",
        "      core_mux_row_6_s2c0",
        "      core_mux_row (4 instances)",
    ]


def test_identifier() -> None:
    for given, wanted in {
        "F44D": "F44D",
        "a$b.c": "a_b_c",
        "1x": "m_1x",
        "__": "m",
        "a__b_": "a_b",
        "ü-8": "m_8",
        "final": "m_final",
        "Final": "Final",
        "before": "m_before",
        "reg": "m_reg",
    }.items():
        assert names.identifier(given) == wanted


def test_a_text_is_kept_until_something_is_patched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of equal designs, not of others; what was changed is in the text afterwards."""
    first = emit(Interleaved(width=3))
    assert emit(Interleaved(width=3)) is first
    assert emit(Interleaved(width=4)).verilog != first.verilog
    monkeypatch.setattr(Interleaved, "summary", "another multiplier")
    assert "another multiplier" in emit(Interleaved(width=3)).verilog
    monkeypatch.undo()
    assert emit(Interleaved(width=3)) == first


def test_garbage_is_collected_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seldom while a text is made; afterwards, also after an error, as the program that asked for
    it wants.  A program without collection stays without."""
    before, seen = gc.get_threshold(), list[int]()

    def refused(*_: object) -> None:
        seen.append(gc.get_threshold()[0])
        raise ValueError("no words")

    monkeypatch.setattr(hdl, "words", refused)
    try:
        for often in (700, 10**6, 0):
            gc.set_threshold(often, 9, 8)
            with pytest.raises(ValueError, match="no words"):
                hdl.verilog_of([])
            assert gc.get_threshold() == (often, 9, 8)
    finally:
        gc.set_threshold(*before)
    assert seen == [50_000, 10**6, 0]


def _missing(multiplier: Multiplier) -> set[str]:
    """The modules that are used and not there where Amaranth converts a core by itself."""
    core = multiplier.create()
    values = [Value.cast(value) for _, _, value in core.signature.flatten(core)]
    ports = [value for value in values if isinstance(value, Signal)]  # else a constant
    converted = rtlil.convert(core, ports=ports)
    used = re.findall(r"^ *cell \\(\S+)", converted, re.MULTILINE)
    return set(used).difference(re.findall(r"^module \\(\S+)", converted, re.MULTILINE))


def test_amaranth_converts_all_but_rows_by_itself() -> None:
    """As the README says."""
    whole = ("montgomery-radix2", "fips", "pseudo-mersenne", "inferred")
    for name in (*whole, "three-pass", "array-mux"):
        assert bool(_missing(find(name).examples()[0])) is (name not in whole), name
