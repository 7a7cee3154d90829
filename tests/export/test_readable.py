"""What a reader of an emitted text finds: names that mean something, a preface, programs."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator

import pytest

from modmul import multipliers, processors
from modmul.design import Design
from modmul.export.hdl import emit
from modmul.processors.curve import PrimeCurve
from modmul.processors.engine.instructions import disassemble
from modmul.spec import Spec
from modmul.system import on_bus

_emitted = functools.cache(emit)
_DECLARED = re.compile(
    r"^ *(?:\(\*.*?\*\) *)?(?:(?:in|out)put )?(?:reg|wire)(?: \[[^\]]*\])? (\w+)", re.MULTILINE
)


def _curve(protection: str) -> PrimeCurve:
    design = Spec.from_options(
        {
            "architecture": "curve",
            "multiplier": "cios",
            "width": 32,
            "target": "ecp5",
            "verification": False,
            "protection": protection,
        }
    ).design
    assert isinstance(design, PrimeCurve)
    return design


@pytest.fixture(scope="module")
def curve() -> PrimeCurve:
    return _curve("none")


@pytest.fixture(scope="module", params=["none", "full"])
def engine(request: pytest.FixtureRequest) -> str:
    """The text of an engine, without or with protection."""
    return _emitted(_curve(request.param)).verilog


def _modules(verilog: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each module."""
    for body in re.split(r"^module ", verilog, flags=re.MULTILINE)[1:]:
        yield body.split(maxsplit=1)[0], body.partition("\nendmodule")[0]


def _numbered(verilog: str) -> Iterator[str]:
    """Yield names that are another name of their module with a number from 2 on behind it."""
    for module, body in _modules(verilog):
        names = set(_DECLARED.findall(body))
        for name in sorted(names):
            match = re.fullmatch(r"(\w+?)_(\d+)", name)
            series = match and f"{match[1]}_1" in names  # such as sum_0, sum_1, sum_2
            if match and match[1] in names and int(match[2]) > 1 and not series:
                yield f"{module}: {name}"


def test_a_number_in_want_of_a_name_is_found() -> None:
    text = "module m (\n  input wire a,\n  output reg [3:0] a_2\n);\n  wire b_2;\nendmodule\n"
    assert list(_numbered(text)) == ["m: a_2"]


def _examples() -> Iterator[Design]:
    for registry in (multipliers.REGISTRY, processors.REGISTRY):
        for kind in registry.values():
            yield from itertools.islice(kind.examples(), 2)


@pytest.mark.long
def test_no_name_of_any_design_ends_in_a_number_for_want_of_a_name() -> None:
    assert not [name for design in _examples() for name in _numbered(_emitted(design).verilog)]


def test_no_name_of_an_engine_ends_in_a_number_for_want_of_a_name(engine: str) -> None:
    assert not list(_numbered(engine))


def test_no_name_is_one_of_amaranth(engine: str) -> None:
    names = set(_DECLARED.findall(engine))
    assert not [name for name in names if name == "port" or re.search("signature|signal", name)]


def test_wires_at_equal_pins_are_named_after_their_instances(engine: str) -> None:
    """And a note on a name with a wildcard is not one on an expression that feeds it."""
    core = engine.partition("\nendmodule")[0]
    names = set(_DECLARED.findall(core))
    assert {f"{stream}_gate_fills" for stream in ("operand", "scalar", "random")} <= names
    assert "fills" not in names
    feeding = re.findall(r"^  wire.* read_\w+_(?:enable|next) =.*", core, re.MULTILINE)
    assert not any("//" in line for line in feeding)


def test_first_and_last_of_a_packet_of_many_beats(engine: str) -> None:
    ports = engine.partition("\n);")[0]
    for port in ("operand_first", "random_first", "result_first"):
        assert re.search(rf"{port}, +// the first beat of its packet$", ports, re.MULTILINE), port


def test_codes_of_instructions_stand_beside_their_decoders(curve: PrimeCurve) -> None:
    verilog = " ".join(_emitted(curve).verilog.replace("//", "").split())
    for signal, module in (("arriving_word_op", "core"), ("waiting_op", "sequencer")):
        assert re.search(rf"01000 MUL, 01001 SQR,.*?(wire|reg) \[4:0\] {signal}\b", verilog), module


def test_vectors_from_block_ram_are_one_port(curve: PrimeCurve) -> None:
    verilog = _emitted(curve).verilog
    assert re.search(r"^  input wire \[4:0\] fetched_word_op,", verilog, re.MULTILINE)
    bits = curve.programs.build.rom_word - 1
    assert re.search(rf"^  output wire \[{bits}:0\] read_data$", verilog, re.MULTILINE)


def test_a_processor_begins_with_what_it_computes(curve: PrimeCurve) -> None:
    verilog = _emitted(curve).verilog
    preface = verilog.partition("`default_nettype")[0]
    told = " ".join(preface.replace("//", "").split())
    assert "point-multiply: scalar" in told and "x, y below N ->" in told
    for mode in curve.modes:
        assert f"{mode.name} {curve.latency(mode).maximum} " in told
    assert re.search(r"^//   formulas = ladder +how points are multiplied", preface, re.MULTILINE)
    assert re.search(r"^//   multiplier = cios ", preface, re.MULTILINE)
    assert re.search(r"^//     sequencer$", preface, re.MULTILINE)


def test_the_program_is_listed_at_its_memory(curve: PrimeCurve) -> None:
    build, verilog = curve.programs.build, _emitted(curve).verilog
    head = next(
        above
        for above, module in zip(
            re.split(r"^module .*$", verilog, flags=re.MULTILINE),
            re.findall(r"^module (\w+)", verilog, re.MULTILINE),
            strict=False,
        )
        if module.endswith("_store")
    )
    listed = re.findall(r"^// +(\d+)  ([A-Z]+'? .*)$", head, re.MULTILINE)
    assert [int(address) for address, _ in listed] == list(range(len(build.rom)))
    words = [word for image in build.images for word in image.words]
    for (_, text), line in zip(listed, disassemble(words).splitlines(), strict=False):
        assert text.startswith(line)
    image = build.images[0]
    named = {str(op) for op in image.program.operations() if op.op in ("MUL", "SQR")}
    told = [text.partition("  ")[2] for _, text in listed[: len(image.words)]]
    assert named == {line.rpartition("  ")[2] for line in told if re.search(r"<- (MUL|SQR) ", line)}
    assert re.search(r"MUL 8, SQR 9", head)


_SIGNAL = re.compile(r"^  (?:\(\*.*?\*\) *)?(?:reg|wire)(?: \[[^\]]*\])? (\w+)")


def _signals(body: str) -> Iterator[tuple[str, str]]:
    """Yield each signal that a module declares inside, with the comment on it."""
    lines = body.splitlines()
    for before, line in itertools.pairwise(lines):
        if match := _SIGNAL.match(line):
            _, found, comment = line.partition("//")
            above = before.strip()
            if not found and above.startswith("//") and not above.startswith("// ----"):
                comment = above.removeprefix("//")
            yield match[1], comment.strip()


def _badly_explained(verilog: str) -> Iterator[str]:
    """Yield modules with more than ten signals of which fewer than half are explained, and signals
    whose comment only repeats their name."""
    for module, body in _modules(verilog):
        signals = list(_signals(body))
        explained = sum(bool(comment) for _, comment in signals)
        if len(signals) > 10 and 2 * explained < len(signals):
            yield f"{module}: {explained} of {len(signals)} signals are explained"
        for name, comment in signals:
            words = {*re.findall(r"[a-z]{2,}", comment.lower())} - {"the", "a", "of", "is"}
            if words and words <= {*name.lower().split("_")} | {name.lower()}:
                yield f"{module}: {name}: {comment}"


def test_what_is_explained_badly_is_found() -> None:
    wires = "".join(f"  wire [3:0] w{place};\n" for place in range(7))
    noted = "".join(f"  // why\n  reg r{place};\n" for place in range(4))
    named = "  reg late_sum;  // the late sum\n"
    assert list(_badly_explained(f"module m (\n);\n{wires}{noted}endmodule\n")) == [
        "m: 4 of 11 signals are explained"
    ]
    assert list(_badly_explained(f"module m (\n);\n{named}endmodule\n")) == [
        "m: late_sum: the late sum"
    ]


@pytest.mark.long
def test_signals_of_all_designs_are_explained() -> None:
    assert not [
        line for design in _examples() for line in _badly_explained(_emitted(design).verilog)
    ]


def test_signals_of_an_engine_are_explained(engine: str) -> None:
    assert not list(_badly_explained(engine))


def test_signals_of_registers_on_a_bus_are_explained() -> None:
    spec = Spec.from_options({"architecture": "cios", "width": 32})
    _, written = on_bus.outermost(spec, _emitted(spec.design), "axi4lite", 0)
    assert not list(_badly_explained(written)) and not list(_numbered(written))
    states = "0 idle, 1 fetch, 2 load, 3 shift, 4 offer"
    assert re.search(rf"transfer_state = 3'd0; +// {states}", written)


@pytest.mark.parametrize("name", ["montgomery-lookahead", "cios", "interleaved", "fcs-mmm42"])
def test_signals_of_a_multiplier_are_explained(name: str) -> None:
    written = _emitted(multipliers.find(name)(width=64)).verilog
    assert not list(_badly_explained(written)) and not list(_numbered(written))


_WORD = re.compile(r"(?<!['\w\"])[A-Za-z_]\w*")
_BLOCK = re.compile(
    r"^  ([A-Z][A-Z0-9]+) (?:#\(.*?\) )?\w+ \(\n(.*?)\n  \);", re.MULTILINE | re.DOTALL
)
_FAMILIES = ("ecp5", "xc7", "xc4v", "xc5v", "xc6s", "xcup", "xc2vp")


def _equal_modules(verilog: str) -> Iterator[str]:
    """Yield pairs of modules that are the same but for names and comments."""
    known: dict[str, str] = {}
    for module, body in _modules(re.sub(r" *//.*", "", verilog)):
        names: dict[str, str] = {}
        plain = _WORD.sub(lambda word: names.setdefault(word[0], f"n{len(names)}"), body)  # noqa: B023
        if (first := known.setdefault(plain, module)) != module:
            yield f"{first}, {module}"


def _pins_again(verilog: str) -> Iterator[str]:
    """Yield hard blocks with many constant or open pins that stand in several places."""
    found = [
        kind
        for kind, pins in _BLOCK.findall(verilog)
        if len(re.findall(r"\((?:\d+'\w+)?\)", pins)) > 12
    ]
    yield from (kind for kind in set(found) if found.count(kind) > 1)


def test_equal_modules_and_repeated_pins_are_found() -> None:
    one = "module a (\n  input wire x\n);\n  assign x = 4'd3;\nendmodule\n"
    assert list(_equal_modules(one + one.replace("a (", "b (").replace("x", "y"))) == ["a, b"]
    assert not list(_equal_modules(one + one.replace("a (", "b (").replace("3", "4")))
    block = "  DSP48E1 block (\n    " + ", ".join(f".P{n}()" for n in range(13)) + "\n  );\n"
    assert list(_pins_again(block + block)) == ["DSP48E1"] and not list(_pins_again(block))


@pytest.mark.long
def test_no_two_modules_of_any_design_are_equal() -> None:
    assert not [pair for design in _examples() for pair in _equal_modules(_emitted(design).verilog)]


@pytest.mark.parametrize("bus", ["axi4lite", "wishbone"])
def test_no_two_modules_on_a_bus_are_equal(curve: PrimeCurve, bus: str) -> None:
    spec = Spec.from_options(
        {
            "architecture": "curve",
            "multiplier": "cios",
            "width": 32,
            "target": "ecp5",
            "verification": False,
        }
    )
    _, written = on_bus.outermost(spec, _emitted(curve), bus, 0)
    assert not list(_equal_modules(written))


@pytest.mark.parametrize("target", _FAMILIES)
def test_the_pins_of_a_hard_block_stand_once(target: str) -> None:
    options = {
        "architecture": "curve",
        "multiplier": "fpmm",
        "width": 256,
        "target": target,
        "verification": False,
        "schemes": "none",
    }
    written = _emitted(Spec.from_options(options).design).verilog
    assert _BLOCK.search(written)
    assert not list(_pins_again(written)) and not list(_equal_modules(written))
