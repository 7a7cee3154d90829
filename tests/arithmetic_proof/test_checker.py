"""What the checker believes: the semantics of cells, beside Verilator on random circuits; and the
words and facts of certificates, beside numbers."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from modmul.arithmetic_proof.checker import Check, Refused, check
from modmul.arithmetic_proof.checker.circuit import Circuit
from modmul.arithmetic_proof.checker.operations import Operations
from modmul.arithmetic_proof.checker.words import (
    BITWISE,
    Polynomial,
    Signal,
    Words,
    as_int,
    bits_of,
)
from modmul.arithmetic_proof.proof import prove_text
from modmul.export import hdl
from modmul.export.check import in_verilator
from modmul.spec import Spec
from modmul.timing_proof.netlist import flat_text
from modmul.toolchain.cache import Cache

CYCLES, EXPRESSIONS = 60, 150
INPUTS = {"a": 7, "b": 5, "c": 9, "d": 1}
# Of two signals x and y, a bit s, and a narrow signal n.
OPERATIONS = """
x + y;x - y;x * y;x & y;x | y;x ^ y;~x;s ? x : y;x == y;x != y;x < y;x <= y;x > y;x >= y;&x;|x;!x
x && y;x || y;x << n;x >> n;$signed(x) >>> n;$signed(x) + $signed(y);$signed(x) * $signed(y)
$signed(x) - $signed(y);$signed(x) < $signed(y);$signed(x) >= $signed(y);-x;{x, y};{y, s, x};x
$signed(x) == $signed(y);&{x, y};~^x;x + 3'd5;12'd77 - y;x == 4'd9;{3{s}} & x;$signed(x)
"""
EVERY = [each for line in OPERATIONS.strip().splitlines() for each in line.split(";")]
CELLS = frozenset(
    "$add $sub $mul $and $or $xor $not $mux $eq $ne $lt $le $gt $ge $reduce_and $reduce_or "
    "$reduce_bool $logic_not $logic_and $logic_or $shl $shr $sshr $dff $mem_v2".split()
)


def random_circuit(seed: int) -> tuple[str, dict[str, int]]:
    """A module in Verilog, and the widths of its outputs."""
    rng = random.Random(seed)
    widths, lines, wires = dict(INPUTS), list[str](), dict[str, int]()
    for place in range(EXPRESSIONS):
        name, width = f"o{place}", rng.randint(1, 12)
        x, y = rng.choices(list(widths), k=2)
        s, n = f"{rng.choice(list(widths))}[0]", "b[2:0]"
        text = EVERY[place % len(EVERY)] if place < 2 * len(EVERY) else rng.choice(EVERY)
        names = {"x": x, "y": y, "s": s, "n": n}
        text = re.sub(r"\b[xysn]\b", lambda found, names=names: names[found[0]], text)
        kind = rng.randrange(8)
        wires[name] = widths[name] = width
        if kind == 0:
            lines.append(f"reg [{width - 1}:0] {name}_r; assign {name} = {name}_r;")
            lines.append(
                f"always @(posedge clk) if ({y}) {name}_r <= {text}; else {name}_r <= {x};"
            )
        elif kind == 1:
            lines.append(f"reg [{width - 1}:0] {name}_m [0:3]; assign {name} = {name}_m[b[1:0]];")
            lines.append(f"always @(posedge clk) if ({s}) {name}_m[a[1:0]] <= {text};")
        else:
            lines.append(f"assign {name} = {text};")
    ports = [f"input [{width - 1}:0] {name}" for name, width in INPUTS.items()]
    ports += [f"output [{width - 1}:0] {name}" for name, width in wires.items()]
    body = "\n  ".join(lines)
    return f"module dut (input clk, {', '.join(ports)});\n  {body}\nendmodule\n", wires


def bench(wires: Mapping[str, int], stimuli: list[dict[str, int]]) -> str:
    """Prints all outputs before each edge."""
    total = sum(INPUTS.values())
    words = []
    for each in stimuli:
        value = 0
        for name, width in INPUTS.items():
            value = value << width | each[name]
        words.append(f"{total}'d{value}")
    loads = " ".join(f"stimuli[{i}] = {word};" for i, word in enumerate(words))
    connections = ", ".join(f".{name}({name})" for name in (*INPUTS, *wires))
    return f"""
module bench (input clk);
  reg [{total - 1}:0] stimuli [0:{len(stimuli) - 1}];
  reg [15:0] count;
  wire [{total - 1}:0] now = stimuli[count];
  {" ".join(f"wire [{width - 1}:0] {name};" for name, width in INPUTS.items())}
  assign {{{", ".join(INPUTS)}}} = now;
  {" ".join(f"wire [{width - 1}:0] {name};" for name, width in wires.items())}
  dut dut (.clk(clk), {connections});
  initial begin count = 0; {loads} end
  always @(posedge clk) begin
    $display("OUT {" ".join("%0d" for _ in wires)}", {", ".join(wires)});
    count <= count + 1;
    if (count == {len(stimuli) - 1}) begin $display("PASS {len(stimuli)} cycles"); $finish; end
  end
endmodule
"""


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.short("0")
def test_cells_are_those_of_verilator(seed: int, tmp_path: Path) -> None:
    text, wires = random_circuit(seed)
    rng = random.Random(f"stimuli {seed}")
    stimuli = [{n: rng.getrandbits(w) for n, w in INPUTS.items()} for _ in range(CYCLES)]
    (tmp_path / "dut.v").write_text(text)
    (tmp_path / "bench.v").write_text(bench(wires, stimuli))
    files = [tmp_path / "dut.v", tmp_path / "bench.v"]
    output = in_verilator(files, "bench", CYCLES, Cache(), what="cycles")
    expected = [line.split()[1:] for line in output.splitlines() if line.startswith("OUT ")]
    module = json.loads(flat_text(text, "dut"))["modules"]["dut"]
    assert {cell["type"] for cell in module["cells"].values()} >= CELLS
    circuit = Circuit(module, Operations(Words()), {}, {})
    known = 0
    for inputs, values in zip(stimuli, expected, strict=True):
        circuit.settle({name: bits_of(inputs[name], width) for name, width in INPUTS.items()})
        for name, value in zip(wires, values, strict=True):
            for place, bit in enumerate(circuit.on(circuit.ports[name])):
                if bit < 2:
                    known += 1
                    assert bit == int(value) >> place & 1, (name, place)
        circuit.clock()
    assert (
        known > CYCLES * sum(wires.values()) // 2
    )  # others depend on what registers held at first


def evaluated(polynomial: Polynomial, values: Mapping[int, int]) -> int:
    total = 0
    for monomial, coefficient in polynomial.items():
        for variable in monomial:
            coefficient *= values[variable]
        total += coefficient
    return total


class Numbers:
    """Values of all variables of a checked certificate."""

    def __init__(self, checked: Check, rng: random.Random):
        words, self.values = checked.words, dict[int, int]()
        self.words = words
        modulus, bits = checked.facts.modulus, checked.claim["inverse"]
        n = rng.randrange(3, words.high[modulus] + 1) | 1
        limit = checked.claim["operand_limit"][0] * n
        given = {modulus: n, checked.a: rng.randrange(limit), checked.b: rng.randrange(limit)}
        if bits:
            given[checked.facts.products[1][0][1]] = -pow(n, -1, 1 << bits) % (1 << bits)
        made = {m[0]: w for w in words.words for m in w.polynomial if len(m) == 1}
        for x in sorted(words.low, key=lambda x: (x < 0, x)):
            if x in given:
                value = given[x]
            elif x in words.names:
                value = evaluated(words.names[x], self.values)
            elif x in words.floor_of:
                word, shift = words.floor_of[x]
                value = evaluated(words.words[word].polynomial, self.values) >> shift
            elif made[x].operation:
                value = self.bitwise(made[x].operation, made[x].operands)
            else:
                value = rng.randint(words.low[x], words.high[x])
            self.values[x] = value

    def number(self, signal: Signal) -> int:
        total = 0
        for place, bit in enumerate(signal):
            word, low = (bit >> 16) - 1, bit & 0xFFFF
            if bit > 1:
                bit = evaluated(self.words.words[word].polynomial, self.values) >> low & 1
            total |= bit << place
        return total

    def bitwise(self, operation: str, operands: Any) -> int:
        numbers = [self.number(each) for each in operands]
        columns = [[n >> i & 1 for n in numbers] for i in range(len(operands[0]))]
        return sum(BITWISE[operation](*column) << i for i, column in enumerate(columns))


@pytest.mark.parametrize("architecture", ["cios", "scs-mm-1", "montgomery-radix2"])
def test_words_and_facts_hold_for_numbers(architecture: str) -> None:
    """Also what a word is bit by bit, and the results of operations."""
    multiplier = Spec.from_options({"architecture": architecture, "width": 16}).multiplier
    text, top = hdl.emit(multiplier).verilog, hdl.emit(multiplier).core
    proof = prove_text(multiplier, {"design.v": text}, top, 60)
    assert proof.proved, proof.missing
    module = json.loads(flat_text(text, top))["modules"][top]
    checked = Check(json.loads(proof.certificate), module)
    words, setting = checked.words, multiplier.over
    for seed in range(20):
        numbers = Numbers(checked, random.Random(seed))
        values = numbers.values
        for x, value in values.items():
            assert words.low[x] <= value <= words.high[x]
        for facts, right in ((words.at_most, int.__le__), (checked.facts.known, int.__eq__)):
            for x, (polynomial, shift) in facts.items():
                assert right(values[x] << shift, evaluated(polynomial, values))
        for word in words.words:
            value = evaluated(word.polynomial, values)
            assert word.low <= value <= word.high
            if word.operation:
                assert value == numbers.bitwise(word.operation, word.operands)
        for (name, *operands), out in checked.operations.results.items():
            if name in BITWISE:
                assert numbers.number(out) == numbers.bitwise(str(name), operands)
        a, b = values[checked.a], values[checked.b]
        golden = setting(values[checked.facts.modulus]).compute(a, b)
        assert numbers.number(checked.result) == golden
    assert len(words.low) > 200


# ---- attempts to make it accept what is wrong ----------------------------------------------------


@pytest.fixture(scope="module")
def cios() -> tuple[str, Any]:
    """A certificate, and the module that it is of."""
    multiplier = Spec.from_options({"architecture": "cios", "width": 16}).multiplier
    text, top = hdl.emit(multiplier).verilog, hdl.emit(multiplier).core
    proof = prove_text(multiplier, {"design.v": text}, top, 60)
    return proof.certificate, json.loads(flat_text(text, top))["modules"][top]


def test_it_refuses_what_is_rounded(cios: tuple[str, Any]) -> None:
    members = json.loads(cios[0])
    next(item for item in members["items"] if item[0] == "residue")[2].append([0.5])
    with pytest.raises(Refused, match="no integer"):
        check(members, cios[1])


def test_it_refuses_bits_below_a_word(cios: tuple[str, Any]) -> None:
    """A negative place would be the code of a constant."""
    members = json.loads(cios[0])
    next(item for item in members["items"] if item[0] == "result")[3][2] = -1
    with pytest.raises(Refused, match="no bits of a word"):
        check(members, cios[1])


def test_a_constant_bit_decides_for_no_other_operand() -> None:
    words = Words()
    words.free(0, 3)
    two = words.fitting(0, 2)
    operations = Operations(words)
    operations.enter("any", [(1, *two)], (1,), False)
    operations.enter("all", [(0, *two)], (0,), False)
    assert operations.reduced("any", two) is None and operations.reduced("all", two) is None


def test_it_refuses_nets_with_several_drivers(cios: tuple[str, Any]) -> None:
    module = copy.deepcopy(cios[1])
    [*_, last] = (cell for cell in module["cells"].values() if cell["type"] == "$add")
    module["cells"]["second"] = last
    with pytest.raises(Refused, match="several drivers"):
        check(json.loads(cios[0]), module)


@pytest.mark.parametrize(
    "body",
    [
        "assign y = clk ? a : 4'd0;",
        "reg [3:0] r; always @(negedge clk) r <= 4'd3; assign y = r;",
        "reg [3:0] r; always @(posedge a[0]) r <= 4'd3; assign y = r;",
        "reg [3:0] r; always @* if (a[0]) r = 4'd3; assign y = r;",
        "reg [3:0] m [0:1]; always @* if (a[0]) m[0] = 4'd3; assign y = m[0];",
        "reg [3:0] m [0:1]; always @(negedge clk) m[0] <= 4'd3; assign y = m[0];",
        "wire [3:0] z; assign y = z & 4'd3;",
        "assign y = {a, 1'b1} / {a, 1'b1};",
        "reg [3:0] r = 4'd3; always @(posedge clk) r <= r; assign y = r;",
        "assign y = 4'bx;",
        "assign y = a[0] ? 4'd3 : 4'bz;",
    ],
)
def test_what_it_does_not_know_is_unknown(body: str) -> None:
    """Other clocks, latches, undriven nets, initial values, undefined and floating values."""
    text = f"module dut (input clk, input rst, input [3:0] a, output [3:0] y);\n{body}\nendmodule\n"
    module = json.loads(flat_text(text, "dut"))["modules"]["dut"]
    try:
        circuit = Circuit(module, Operations(Words()), {}, {})
        for _ in range(3):
            circuit.settle({"rst": (0,)})
            circuit.clock()
        assert as_int(circuit.on(circuit.ports["y"])) is None
    except (Refused, KeyError):  # the checker refuses both
        pass
