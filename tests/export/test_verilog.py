"""The writer of Verilog: what it writes is what it was given, and can be read."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Cat, ClockDomain, Fragment, Module, Mux, Signal
from amaranth.lib.memory import Memory

from modmul import multipliers
from modmul.errors import ToolFailed
from modmul.export import hdl, names, remarks
from modmul.export.elaboration import rtlil_of
from modmul.export.ports import ports
from modmul.export.remarks import Remarks
from modmul.export.verilog import writer
from modmul.export.verilog.expressions import (
    Binary,
    BitLiteral,
    Concatenation,
    Conditional,
    Expression,
    MemoryWord,
    Name,
    Repeated,
    Unary,
    statement,
)
from modmul.export.verilog.naming import Naming
from modmul.export.verilog.operations import chosen
from modmul.multipliers import Multiplier
from modmul.targets import models
from modmul.targets.models import Model
from modmul.toolchain import scratch, yosys

EXAMPLES = [  # of every sixth architecture, and of all others in the long run
    pytest.param(next(iter(architecture.examples())), marks=pytest.mark.long if place % 6 else ())
    for place, architecture in enumerate(multipliers.REGISTRY.values())
]
# Modules with parameters, and such that are used several times; loops.
ALIKE = [
    multipliers.find("three-pass")(width=8),
    pytest.param(multipliers.find("three-pass")(width=12), marks=pytest.mark.long),
    pytest.param(multipliers.find("three-pass")(width=12, partitions=3), marks=pytest.mark.long),
    pytest.param(multipliers.find("array-5counter")(width=7), marks=pytest.mark.long),
    pytest.param(multipliers.find("three-pass")(width=16), marks=pytest.mark.long),
    pytest.param(multipliers.find("three-pass")(width=18, partitions=3), marks=pytest.mark.long),
    pytest.param(multipliers.find("array-5counter")(width=10), marks=pytest.mark.long),
]
_READY = """
hierarchy -check -top {top}
proc
setattr -mod -unset keep_hierarchy *
flatten
memory_collect
opt_clean
rename {top} {name}
write_json {name}.json
memory_map
opt_clean
design -stash {name}
"""


class _Both(NamedTuple):
    """A design as RTLIL without processes, as Verilog, and what is called how in that."""

    rtlil: str
    verilog: str
    new_names: dict[str, dict[str, str]]


def _both(given: str, said: dict[str, Remarks], folder: Path) -> _Both:
    """The design `unit` from Amaranth.  said: the remarks on its modules."""
    (folder / "design.il").write_text(given)
    yosys.run(f"read_rtlil design.il\n{hdl._SCRIPT}{hdl._WRITE}", folder)
    given_to_writer, known = (folder / "written.il").read_text(), names.order(given)
    verilog = writer.verilog(given_to_writer, known, said, {"unit": {}}).text
    written = writer._design(given_to_writer, known, said, ["unit"])
    called = {netlist.name: Naming(netlist).names for netlist in written.netlists}
    new_names = {old: called[new] for old, (new, _) in written.became.items()}
    return _Both(given_to_writer, verilog, new_names)


def _written(multiplier: Multiplier, folder: Path) -> _Both:
    """A core."""
    said = dict[str, Remarks]()
    return _both(
        rtlil_of(multiplier.create(), ports(multiplier, "core"), "unit", {}, said), said, folder
    )


def _as_in_verilog(rtlil: str, new_names: dict[str, dict[str, str]]) -> str:
    """The same RTLIL with the names of the Verilog; those that it has not get others."""
    parts = re.split(r"(?m)^(?=(?:attribute .*\n)*module )", rtlil)
    head = "".join(part for part in parts if "module \\" not in part)
    bodies = {re.search(r"^module \\(\S+)", p, re.M)[1]: p for p in parts if "module \\" in p}  # type: ignore[index]
    tables = {}
    for module, body in bodies.items():
        local = dict.fromkeys(names._local(body))
        known = {old[1:]: new for old, new in new_names[module].items() if old.startswith("\\")}
        tables[module] = {old: known.get(old, f"unused_{place}") for place, old in enumerate(local)}
    same = {module: module for module in bodies}
    return head + "".join(
        names._renamed(body, same, tables[module], tables) for module, body in bodies.items()
    )


@pytest.mark.parametrize("multiplier", EXAMPLES + ALIKE, ids=lambda multiplier: multiplier.title)
def test_the_text_is_equivalent_to_what_it_was_made_from(
    multiplier: Multiplier, tmp_path: Path
) -> None:
    """Formally, register by register: Yosys' equiv."""
    log = _proof(_written(multiplier, tmp_path), tmp_path, models.read(multiplier.chip.models))
    proved = re.search(r"Of those cells (\d+) are proven and (\d+) are unproven", log)
    assert proved is not None and int(proved[1]) > multiplier.width and proved[2] == "0"


class _State(NamedTuple):
    """A bit of a register or of a word in a memory.  init: its value at power-up, x if it has
    none."""

    bit: object
    init: str


def _at_power_up(name: str, folder: Path) -> dict[tuple[str, int], _State]:
    """The state of a flat module that Yosys wrote as JSON, by the names of wires and words, and
    places in them."""
    module = json.loads((folder / f"{name}.json").read_text())["modules"][name]
    nets, cells = module["netnames"], module["cells"]
    inits, states = dict[int, str](), dict[tuple[str, int], _State]()
    for net in nets.values():
        inits |= zip(net["bits"], reversed(net["attributes"].get("init", "")), strict=False)
    registers = set[int]()
    for cell, content in cells.items():
        if content["type"] == "$dff":
            registers |= set(content["connections"]["Q"])
        elif content["type"] == "$mem_v2":
            width, init = int(content["parameters"]["WIDTH"], 2), content["parameters"]["INIT"]
            for place, value in enumerate(reversed(init)):
                word = f"{cell}[{place // width}]"
                states[word, place % width] = _State((cell, place), value)
    return states | {
        (wire, place): _State(bit, inits.get(bit, "x"))
        for wire, net in nets.items()
        for place, bit in enumerate(net["bits"])
        if bit in registers
    }


def test_another_circuit_is_not_equivalent(tmp_path: Path) -> None:
    multiplier = multipliers.find("interleaved")(width=4)
    _refuted(_written(multiplier, tmp_path), "if (total_1[6])", "if (total_1[5])", tmp_path)


@pytest.mark.long  # by default another circuit without parameters
def test_another_row_of_many_is_not_equivalent(tmp_path: Path) -> None:
    multiplier = multipliers.find("three-pass")(width=12, partitions=3)
    old, new = "(sum_in[WIDTH-8:0] & carry_in)", "(sum_in[WIDTH-8:0] | carry_in)"
    _refuted(_written(multiplier, tmp_path), old, new, tmp_path)


# Depth and width.  Yosys writes 32 bits in decimal if the highest one is 0.
@pytest.mark.parametrize("domain", ["comb", "sync"])
@pytest.mark.parametrize("shape", [(4, 8), (2, 16), (32, 1), (1, 32), (4, 9)], ids=str)
def test_memories_of_every_shape_keep_their_contents(
    shape: tuple[int, int], domain: str, tmp_path: Path
) -> None:
    depth, width = shape
    m, rng = Module(), random.Random(depth)
    places = range(max(2, depth))
    a, b, go, data = Signal(places), Signal(places), Signal(), Signal(width)
    outs = {f"q{count}": Signal(width) for count in range(4)}
    for count, out in enumerate(outs.values()):
        high = (count & 1) << width - 1
        init = [rng.getrandbits(width) >> 1 | high for _ in range(depth)]
        m.submodules[f"memory{count}"] = memory = Memory(shape=width, depth=depth, init=init)
        read = memory.read_port(domain=domain)
        m.d.comb += [read.addr.eq(a), out.eq(read.data)]
        if count > 1:
            write = memory.write_port()
            m.d.comb += [write.addr.eq(b), write.en.eq(go), write.data.eq(data)]
    sync = m.domains.sync = ClockDomain("sync")
    both = _made(m, tmp_path, clk=sync.clk, rst=sync.rst, a=a, b=b, go=go, data=data, **outs)
    _proof(both, tmp_path)


def test_lanes_are_written_by_their_own_enables(tmp_path: Path) -> None:
    """One by an input, one never, one always."""
    m, sync = Module(), ClockDomain("sync")
    m.domains.sync = sync
    m.submodules.memory = memory = Memory(shape=24, depth=4, init=[])
    read, write = memory.read_port(domain="comb"), memory.write_port(granularity=8)
    a, b, go, data = Signal(2), Signal(2), Signal(), Signal(24)
    m.d.comb += [read.addr.eq(a), write.addr.eq(b), write.data.eq(data)]
    m.d.comb += write.en.eq(Cat(go, 0, 1))
    ports = {"clk": sync.clk, "rst": sync.rst, "a": a, "b": b, "go": go, "data": data}
    both = _made(m, tmp_path, **ports, q=read.data)
    _proof(both, tmp_path)
    assert re.findall(r"memory\[b\](\[.*?\]) <=", both.verilog) == ["[7:0]", "[23:16]"]


def test_lost_values_at_power_up_are_found(tmp_path: Path) -> None:
    m = Module()
    a, b, go, value = Signal(2), Signal(2), Signal(), Signal(32, name="value", init=5)
    m.submodules.rom = rom = Memory(shape=8, depth=4, init=[7, 0, 1, 2])
    m.submodules.ram = ram = Memory(shape=8, depth=4, init=[7, 0, 1, 2])
    read, again, write = rom.read_port(domain="comb"), ram.read_port(), ram.write_port()
    m.d.sync += value.eq(value + 3)
    m.d.comb += [read.addr.eq(a), again.addr.eq(a), write.addr.eq(b), write.en.eq(go)]
    sync, outs = ClockDomain("sync"), {"q0": read.data, "q1": again.data, "q2": value}
    m.domains.sync = sync
    both = _made(m, tmp_path, clk=sync.clk, rst=sync.rst, a=a, b=b, go=go, **outs)
    _proof(both, tmp_path)
    words = ("rom[0] = 8'd7;", "rom[1] = 8'd0;", "ram[2] = 8'd1;", "ram[1] = 8'd0;")
    for lost in (*words, " = 32'd5"):
        _refuted(both, lost, "", tmp_path)


@pytest.mark.parametrize("domain", ["comb", "sync"])
def test_a_memory_may_have_32_read_ports(domain: str, tmp_path: Path) -> None:
    m, sync = Module(), ClockDomain("sync")
    m.domains.sync = sync
    m.submodules.rom = rom = Memory(shape=1, depth=2, init=[0, 1])
    reads = [rom.read_port(domain=domain) for _ in range(32)]
    places, out = [Signal() for _ in reads], Signal(32)
    m.d.comb += [read.addr.eq(place) for read, place in zip(reads, places, strict=True)]
    m.d.comb += out.eq(Cat(read.data for read in reads))
    inputs = {f"a{count}": place for count, place in enumerate(places)}
    _proof(_made(m, tmp_path, clk=sync.clk, rst=sync.rst, **inputs, out=out), tmp_path)


@pytest.mark.parametrize(
    ("written", "bits"),
    [("5", f"{5:032b}"), ("3's101", "101"), ("4'x", "xxxx"), ("4'1x0z", "1x0z"), ("0'", "")],
)
def test_constants_are_read_in_each_form_of_yosys(written: str, bits: str) -> None:
    text = f"module \\top\n  wire width {len(bits)} \\a\n  connect \\a {written}\nend\n"
    (module,) = writer.rtlil.read(text)
    assert "".join(chunk.bits for chunk in module.connections[0][1]) == bits


@dataclass(frozen=True)
class _Counting(Expression):
    """A name that counts how often it is written."""

    written: list[int] = field(default_factory=lambda: [0], compare=False)

    @property
    def text(self) -> str:
        self.written[0] += 1
        return "leaf"


@pytest.mark.parametrize("seed", range(30))
def test_no_part_of_a_deep_expression_is_written_many_times(seed: int) -> None:
    """Of each operator alone, then of all in any order.  Twice at each depth is 2^16 times."""
    rng, other, bit = random.Random(seed), Name(8, "other" * 6, 0, 8), Name(1, "bit", 0, 1)
    around = [
        *(lambda inner, o=o: Binary(8, o, inner, other) for o in ("+", "-", "*", "&", "<<")),
        *(lambda inner, o=o: Binary(8, o, other, inner) for o in ("+", "-", "*", "&", "<<")),
        lambda inner: Binary(8, "<", inner, other, signed=True),
        lambda inner: Unary(8, "~", inner),
        lambda inner: Conditional(8, bit, inner, other),
        lambda inner: Conditional(8, bit, other, inner),
        lambda inner: Conditional(8, inner, other, other),
        lambda inner: Concatenation(8, (other, inner)),
        lambda inner: Repeated(8, inner),
        lambda inner: MemoryWord(8, "memory", inner, 0, 8),
        lambda inner: chosen(inner, BitLiteral(1, "0"), other),
    ]
    kinds, depth = around[seed : seed + 1] or around, 16
    leaf = _Counting(8)
    value: Expression = leaf
    for _ in range(depth):
        value = rng.choice(kinds)(value)
    statement("assign value = ", value, ";", "  ")
    assert 0 < leaf.written[0] <= 4 * depth


def test_long_lines_are_broken_where_the_same_stands_twice() -> None:
    """Every comma and operator is there, and nothing twice."""
    same, long = Unary(1, "!", Name(1, "a", 0, 1)), Name(8, "b" * 90, 0, 8)
    both = Concatenation(10, (same, long, same))
    joined = "".join("".join(both.lines("assign c = ", ";", "  ")).split())
    assert joined == f"assignc={{!a,{long.name},!a}};"
    chain = Binary(8, "|", Binary(8, "|", long, Name(8, "d", 0, 8)), long)
    words = " ".join(line.strip() for line in chain.lines("assign c = ", ";", "  "))
    assert words == f"assign c = {long.name} | d | {long.name};"


def _made(module: Module, folder: Path, **ports: Signal) -> _Both:
    """A small design of its own."""
    fragment, given = Fragment.get(module, None), {n: (signal, None) for n, signal in ports.items()}
    said = dict(remarks.above(fragment, "unit"))
    converted = rtlil.convert(fragment, name="unit", ports=given, emit_src=False)
    return _both(names.plain(converted, list(ports)), said, folder)


def _text_of(module: Module, **ports: Signal) -> str:
    """A small design of its own, as text."""
    with scratch.folder() as work:
        return _made(module, work, **ports).verilog


def test_names_of_the_designer_are_read() -> None:
    """A name wins over the operation that it is, a vector over the slices that it is made of, the
    name of a register over others of it and over an output's."""
    m = Module()
    a, b, out, ready = Signal(4), Signal(4), Signal(8, name="out"), Signal()
    taken, state = Signal(name="taken"), Signal(name="state")
    both, again = Signal(8, name="both"), Signal(name="a_name_of_state")
    m.d.comb += [
        taken.eq(a[0] & b[0]),
        both.eq(Cat(a, b)),
        ready.eq(again & taken),
        again.eq(state),
    ]
    m.d.sync += [state.eq(again ^ (a[0] & b[0])), out.eq(both + Cat(a, b))]
    domain = ClockDomain("sync", reset_less=True)
    m.domains.sync = domain
    text = _text_of(m, clk=domain.clk, a=a, b=b, out=out, ready=ready)
    assert "wire taken = a[0] & b[0];" in text
    assert "state <= state ^ taken;" in text and "assign ready = state & taken;" in text
    assert "wire [7:0] both = {b, a};" in text and "out <= both + both;" in text
    assert "a_name_of_state" not in text


def test_fields_of_a_struct_have_ports_and_wires_of_their_own() -> None:
    text = hdl.emit(multipliers.find("fpmm")(width=30, word=8, tile="4x4")).verilog
    assert "_payload[" not in text and not re.search(r"put .*_payload\b", text)
    for name in ("first", "last", "a", "b"):
        assert re.search(rf"^  input wire (\[7:0\] )?source_{name},", text, re.MULTILINE)
    assert "partly_sent <= !core_operand_last;" in text


def test_short_expressions_stand_where_they_are_read_and_sums_in_one() -> None:
    m = Module()
    a, b, c = Signal(4), Signal(4), Signal()
    sum, low, high, gated = Signal(5), Signal(4), Signal(4), Signal(4)
    m.d.comb += [
        sum.eq(a + b + c),
        low.eq(Mux(a[0] & b[0], a, b)),
        high.eq(Mux(a[0] & b[0], b, Mux(a[1] & c, a, 0))),
        gated.eq(Mux(a[0], b, a & c.replicate(4))),
    ]
    text = _text_of(m, a=a, b=b, c=c, sum=sum, low=low, high=high, gated=gated)
    assert "assign sum = a + b + {4'd0, c};" in text
    assert "assign low = a[0] & b[0] ? a : b;" in text
    assert "assign high = a[0] & b[0] ? b : a[1] & c ? a : 4'd0;" in text
    assert "assign gated = a[0] ? b : c ? a : 4'd0;" in text
    assert "wire" not in text.partition(");")[2]


def test_a_reduction_beside_an_operator_stands_in_brackets() -> None:
    a, b = Name(1, "a", 0, 1), Name(4, "b", 0, 4)
    some = Unary(1, "|", b)
    assert Binary(1, "|", a, some).text == "a | (|b)"
    assert Unary(1, "!", some).text == "!(|b)" and some.text == "|b"


def test_equal_logic_has_one_name_whatever_comes_first_in_it() -> None:
    m = Module()
    a, b, c, out = Signal(4), Signal(4), Signal(4), Signal(4)
    both = Signal(4, name="both")
    m.d.comb += [both.eq(a & b), out.eq((b & a) + (both ^ c))]
    text = _text_of(m, a=a, b=b, c=c, out=out)
    assert "wire [3:0] both = a & b;" in text and "assign out = both + (both ^ c);" in text


def test_a_wire_in_pieces_is_one_assignment_of_what_is_inside() -> None:
    """Yosys lets inner sums read the output; in the text the output reads the sums."""
    m = Module()
    a, b, c, out = Signal(4), Signal(4), Signal(4), Signal(8)
    first, upper = Signal(6, name="first"), Signal(4, name="first_upper")
    second, high = Signal(7, name="second"), Signal(4, name="second_upper")
    m.d.comb += [
        upper.eq(a[2:] + b),
        first.eq(Cat(a[:2], upper)),
        high.eq(first[3:] + c),
        second.eq(Cat(first[:3], high)),
        out.eq(second),
    ]
    text = _text_of(m, a=a, b=b, c=c, out=out)
    assert "wire [5:0] first = {{2'd0, a[3:2]} + b, a[1:0]};" in text
    assert "assign out = {1'b0, {1'b0, first[5:3]} + c, first[2:0]};" in text


def test_pieces_that_depend_on_each_other_stay_apart() -> None:
    m = Module()
    a, out = Signal(3), Signal(3)
    m.d.comb += [
        out[0].eq(a[0]),
        out[1].eq((out[0] & a[1]) ^ (a[0] | a[2])),
        out[2].eq((out[1] & a[2]) ^ (out[1] | a[0])),
    ]
    text = _text_of(m, a=a, out=out)
    assert "assign out[2] = (out[1] & a[2]) ^ (out[1] | a[0]);" in text


def test_what_two_conditions_set_alike_is_written_once() -> None:
    """Three registers are; where less would stand twice, it does, and stays together."""
    m = Module()
    drop, go = Signal(), Signal()
    domain, many = ClockDomain("sync"), [Signal(4, name=f"count_{k}") for k in range(4)]
    m.domains.sync = domain
    with m.If(drop):
        m.d.sync += [counter.eq(0) for counter in many[:3]]
    with m.Elif(go):
        m.d.sync += [counter.eq(counter + 1) for counter in many]
    outs = {counter.name: counter for counter in many}
    text = _text_of(m, clk=domain.clk, rst=domain.rst, drop=drop, go=go, **outs)
    assert text.count("if (rst | drop) begin") == 1 and text.count("count_0 <= 4'd0;") == 1
    assert text.count("if (rst) begin") == 1 and text.count("count_3 <= 4'd0;") == 1


def test_numbers_are_decimal_as_long_as_people_read_them() -> None:
    assert BitLiteral(13, f"{4096:013b}").text == "13'd4096"
    assert BitLiteral(13, f"{4097:013b}").text == "13'h1001"


def test_names_that_differ_stay_different() -> None:
    names_of = ["a.b$1", "a_b$1", "a..b$1", "a.b", "a_b"]
    lines = "".join(f"  wire width 1 \\{name}\n" for name in names_of)
    text = names.plain(f"module \\top\n{lines}end\n", [])
    assert len(set(re.findall(r"\\(\S+)$", text, re.M)) - {"top"}) == len(names_of)


@pytest.mark.parametrize("odd", ["process $1", "connect \\a \\b", "wire upto 3 \\b"])
def test_rtlil_that_is_not_understood_is_refused(odd: str) -> None:
    with pytest.raises(ValueError, match="not understood"):
        writer.rtlil.read(f"module \\top\n  wire width 2 \\a\n  {odd}\nend\n")


def _refuted(both: _Both, old: str, new: str, tmp_path: Path) -> None:
    """Check that the proof fails for another text."""
    assert both.verilog.count(old) == 1
    with pytest.raises((ToolFailed, AssertionError), match="unproven|power-up"):
        _proof(both._replace(verilog=both.verilog.replace(old, new)), tmp_path)


def _proof(both: _Both, tmp_path: Path, library: Sequence[Model] = ()) -> str:
    """What Yosys says.  ToolFailed where the two are not proved equivalent; AssertionError where
    they do not start alike."""
    (tmp_path / "gold.il").write_text(_as_in_verilog(both.rtlil, both.new_names))
    (tmp_path / "gate.v").write_text(both.verilog)
    (tmp_path / "library.v").write_text("".join(model.text for model in library))
    read_library = "read_verilog -lib library.v"
    script = [
        read_library,
        "read_rtlil gold.il",
        _READY.format(top="unit", name="gold"),
        read_library,
        "read_verilog gate.v",
        _READY.format(top="unit", name="gate"),
        "design -copy-from gold -as gold gold",
        "design -copy-from gate -as gate gate",
        "equiv_make gold gate equiv",
        "hierarchy -top equiv",
        "opt_clean",
        "equiv_simple -nogroup",
        "equiv_simple -seq 2",
        "equiv_status -assert",
    ]
    log = yosys.run("\n".join(script), tmp_path)
    gold, gate = (_at_power_up(name, tmp_path) for name in ("gold", "gate"))
    compared = {place for place in gold if place in gate}
    assert {gold[place].bit for place in compared} == {state.bit for state in gold.values()}
    different = {place for place in compared if gold[place].init != gate[place].init}
    assert not different, f"not the same at power-up: {different}"
    return log
