"""Modules that are alike are one module in the text, and regular slices a loop."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Fragment, Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modmul import multipliers
from modmul.design import Design
from modmul.export import hdl, names, remarks
from modmul.export.structure import Memory, Structure
from modmul.export.verilog import writer
from modmul.export.verilog.expressions import BitLiteral, Concatenation, Name
from modmul.export.verilog.loops import block, loop
from modmul.export.verilog.sizes import Formula, fitted
from modmul.processors.rsa import Rsa
from modmul.toolchain import scratch, yosys


class _Difference(wiring.Component):
    """The bits of a ^ b from bit {low} up, a and b of {width} bits."""

    def __init__(self, width: int, low: int = 1):
        self.width, self.low = width, low
        super().__init__({"a": In(width), "b": In(width), "sum": Out(width - low)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.sum.eq((self.a ^ self.b)[self.low :])
        return m


class _Memory(wiring.Component):
    """A register of {width} bits{said}."""

    def __init__(self, width: int, said: str = ""):
        self.width, self._said = width, said
        super().__init__({"d": In(width), "q": Out(width)})

    @property
    def said(self) -> str:
        """What is in it."""
        return self._said

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.sync += self.q.eq(self.d)
        return m


def _text(parts: Mapping[str, tuple[Any, ...]]) -> str:
    """A design of these, by the names of instances: each with its output and inputs."""
    m = Module()
    domain = ClockDomain("sync", reset_less=True)
    m.domains.sync = domain
    given: dict[str, Signal] = {"clk": domain.clk}
    for name, (part, output, *inputs) in parts.items():
        m.submodules[name] = part
        for pin in filter(None, inputs):
            signal = getattr(part, pin)
            given[f"{name}_{pin}"] = outside = Signal(len(signal), name=f"{name}_{pin}")
            m.d.comb += signal.eq(outside)
        given[f"{name}_{output}"] = result = Signal(
            len(getattr(part, output)), name=f"{name}_{output}"
        )
        m.d.comb += result.eq(getattr(part, output))
    fragment = Fragment.get(m, None)
    said = dict(remarks.above(fragment, "unit"))
    said = {names.identifier(name): remark for name, remark in said.items()}
    ports = {name: (signal, None) for name, signal in given.items()}
    plain = names.plain(
        rtlil.convert(fragment, name="unit", ports=ports, emit_src=False), list(given)
    )
    with scratch.folder() as work:
        (work / "design.il").write_text(plain)
        yosys.run(f"read_rtlil design.il\n{hdl._SCRIPT}{hdl._WRITE}", work)
        written = (work / "written.il").read_text()
    return writer.verilog(written, names.order(plain), said, {"unit": {}}).text


def _modules(text: str) -> list[str]:
    return re.findall(r"^module (.*) \($", text, re.MULTILINE)


def test_what_differs_in_widths_alone_is_one_module_with_a_parameter() -> None:
    parts = {f"add_{width}": (_Difference(width), "sum", "a", "b") for width in (9, 3, 5)}
    text = _text(parts)
    assert _modules(text) == ["unit", "unit_add #(parameter WIDTH = 3)"]
    for width in (3, 5, 9):
        assert f"  unit_add #(.WIDTH({width})) add_{width} (" in text
    assert "// The bits of a ^ b from bit 1 up, a and b of WIDTH bits." in text
    assert "input wire [WIDTH-1:0] a" in text and "output wire [WIDTH-2:0] sum" in text
    assert "= a ^ b;" in text and re.search(r"^  assign sum = \w+\[WIDTH-1:1\];$", text, re.M)


def test_what_no_formula_of_a_parameter_gives_stays_apart() -> None:
    """Of 3, 5 and 9 bits, from bits 1, 2 and 1 on."""
    given = {3: 1, 5: 2, 9: 1}
    parts = {f"add_{w}": (_Difference(w, low), "sum", "a", "b") for w, low in given.items()}
    assert _modules(_text(parts)) == ["unit", "unit_add_3", "unit_add_5", "unit_add_9"]


def test_what_is_the_same_is_one_module() -> None:
    text = _text({f"held_{n}": (_Memory(4), "q", "d", "") for n in range(3)})
    assert _modules(text) == ["unit", "unit_held"]
    assert len(re.findall(r"^  unit_held held_\d \($", text, re.MULTILINE)) == 3


def test_names_without_numbers_give_way_to_that_of_the_class() -> None:
    text = _text({name: (_Memory(4), "q", "d", "") for name in ("first", "last")})
    assert _modules(text) == ["unit", "unit_memory"]


def test_what_differs_in_its_comment_is_one_module() -> None:
    parts = {
        "held_0": (_Memory(4), "q", "d", ""),
        "held_1": (_Memory(4, ", for something else"), "q", "d", ""),
    }
    assert _modules(_text(parts)) == ["unit", "unit_held"]


def test_registers_of_several_widths_are_one_module() -> None:
    parts = {f"held_{n}": (_Memory(width), "q", "d", "") for n, width in enumerate((4, 7, 7))}
    text = _text(parts)
    assert _modules(text) == ["unit", "unit_held_memory #(parameter WIDTH = 4)"]
    assert "output reg [WIDTH-1:0] q = {WIDTH{1'b0}}" in text


class _Ram(wiring.Component):
    """{depth} words of {width} bits, with addresses of {address} bits."""

    def __init__(self, width: int, depth: int):
        self.width, self.depth = width, depth
        self.address = bits = (depth - 1).bit_length()
        self.holds = f"{depth} words"
        super().__init__({"at": In(bits), "write": In(1), "d": In(width), "q": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.ram = ram = memory.Memory(shape=self.width, depth=self.depth, init=[])
        write, read = ram.write_port(), ram.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(self.at),
            write.en.eq(self.write),
            write.data.eq(self.d),
            read.addr.eq(self.at),
            self.q.eq(read.data),
        ]
        return m


def test_memories_of_several_sizes_are_one_module() -> None:
    rams = [_Ram(8, 16), _Ram(5, 30), _Ram(8, 9)]
    text = _text({f"ram_{n}": (ram, "q", "at", "write", "d") for n, ram in enumerate(rams)})
    (_, declared) = _modules(text)
    assert re.findall(r"parameter (\w+)", declared) == ["WIDTH", "DEPTH", "ADDRESS"]
    assert "reg [WIDTH-1:0] ram [0:DEPTH-1];" in text and "ram[ram_index] = {WIDTH{1'b0}};" in text
    assert "#(.WIDTH(5), .DEPTH(30), .ADDRESS(5)) ram_1 (" in text and "// 30 words\n" in text
    (unit, *_) = [body for _, body in sorted(Structure(text).units.items()) if body.children]
    assert set(Structure(text).memories(unit.name)) == {Memory(16, 8), Memory(30, 5), Memory(9, 8)}


def test_a_size_is_its_formula() -> None:
    width = Formula("WIDTH", 1, 0, 8)
    assert (f"{width}", f"{width - 5}", f"{2 * 3 + width}") == ("WIDTH", "WIDTH-5", "WIDTH+6")
    assert int(width - 5) == 3 and width - 5 != 3 and width - 5 == Formula("WIDTH", 1, -5, 20)
    assert f"{Formula('i', 4, 3, 2)}" == "4*i+3" and int(Formula("i", 4, 3, 2)) == 11
    assert width - width == 0 and type(width - width) is int
    assert f"{Formula('W', 2, 4, 3) // 2}" == "W+2" and f"{10 - width}" == "-WIDTH+10"
    with pytest.raises(ValueError, match="no formula"):
        Formula("W", 1, 4, 3) // 2
    assert fitted([2, 3, 5], [7, 10, 16]) == (3, 1)
    assert fitted([2, 3, 5], [7, 10, 15]) is None and fitted([2, 4], [1, 2]) is None


def test_only_zeros_can_be_as_many_as_a_formula_says() -> None:
    assert BitLiteral(Formula("W", 1, 0, 4), "0000").text == "{W{1'b0}}"
    assert BitLiteral(Formula("W", 1, -1, 5), "0000").text == "{(W-1){1'b0}}"
    with pytest.raises(ValueError, match="not understood"):
        _ = BitLiteral(Formula("W", 1, 0, 4), "0001").text


def _slices(count: int, step: int, start: int = 0, width: int = 1) -> list[Name]:
    return [Name(width, "words", start + step * k, 999) for k in range(count)]


def test_slices_at_regular_distances_are_a_loop() -> None:
    pairs = [
        part for k in range(40) for part in (Name(2, "words", 5 * k + 1, 999), BitLiteral(1, "1"))
    ]
    value = Concatenation(120, tuple(reversed(pairs)))
    statement = loop(Name(120, "target", 0, 120), value)
    assert statement is not None
    assert block([statement], "i", "for_40") == [
        "  genvar i;",
        "  generate",
        "    for (i = 0; i < 40; i = i + 1) begin : for_40",
        "      assign target[3*i+2:3*i] = {1'b1, words[5*i+2:5*i+1]};",
        "    end",
        "  endgenerate",
    ]


def test_what_is_irregular_or_short_is_no_loop() -> None:
    target = Name(40, "target", 0, 40)
    wrong = _slices(40, 3)
    wrong[17] = Name(1, "words", 0, 999)
    for parts in (wrong, _slices(6, 3), _slices(20, 0)):
        assert loop(target, Concatenation(len(parts), tuple(parts[::-1]))) is None


@pytest.mark.parametrize(
    "design",
    [
        multipliers.find("fios-array")(width=6, word=2, dsp_registers=2),
        Rsa(multiplier=multipliers.find("fpmm")(width=32), units=2),
    ],
    ids=lambda design: design.name,
)
def test_every_instance_connects_all_ports(design: Design) -> None:
    """Also where several modules became one whose ports had other names."""
    text = hdl.emit(design).verilog
    ports = {
        name: set(re.findall(r"^  \w+ (?:wire|reg) (?:\[.*?\] )?(\w+)", head, re.MULTILINE))
        for name, head in re.findall(
            r"^module (\w+) (?:#\([^\n]*\) )?\((.*?)^\);", text, re.MULTILINE | re.DOTALL
        )
    }
    found = 0
    for name, pins in re.findall(
        r"^  (\w+) (?:#\([^\n]+\) )?\w+ \(\n(.*?)^  \);", text, re.MULTILINE | re.DOTALL
    ):
        if name in ports:
            assert set(re.findall(r"\.(\w+)\(", pins)) == ports[name], name
            found += 1
    assert found > 10


@pytest.mark.long  # by default of small parts, and test_hdl.py has an array
def test_the_pieces_of_a_design_are_there_once() -> None:
    """The memories of fips, the chains and rows of an array, the slices of a cascade."""
    fips = hdl.emit(multipliers.find("fips")(width=64, target="ecp5")).verilog
    assert len(re.findall(r"^  \w+_ram \w+ \($", fips, re.MULTILINE)) == 6
    assert len(re.findall(r"^module \w+_ram\b", fips, re.MULTILINE)) == 1
    ports = re.findall(r"^  (?:input|output) .*$", fips, re.MULTILINE)
    assert max(map(len, ports)) <= 100  # longer notes stand above
    array = hdl.emit(multipliers.find("three-pass")(width=32)).verilog
    rows = [module for module in _modules(array) if "mux_row" in module]
    assert len(rows) == 3 and sum("parameter WIDTH" in row for row in rows) == 2
    assert ".x_r(x_even)" in array and re.search(r"^ +assign nibbles\[4\*i", array, re.MULTILINE)
    cascade = hdl.emit(multipliers.find("fpmm")(width=256, target="xc7")).verilog
    assert re.search(r"_product_mac mac_1 \((?s:.*?)\.link_out\(link_1\)", cascade)
    assert re.search(r"_product_mac mac_3 \((?s:.*?)\.link_out\(\)", cascade)
