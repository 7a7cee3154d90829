"""Faults strike the bit, the cycle and the time that they name, and effects are told apart."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from modmul.arithmetic.keys import Key
from modmul.cli import main
from modmul.errors import SpecError
from modmul.export import hdl
from modmul.export.ports import Port
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work
from modmul.verification import faults
from modmul.verification.faults import files
from modmul.verification.faults.pair import Pair
from modmul.verification.faults.sites import STREAM, Sites, struck
from modmul.verification.processors.replay import PlainKey, key_of, plain_key
from modmul.verification.simulation.subjects import subject
from modmul.verification.streams import (
    Exchange,
    Offer,
    StreamDesign,
    StreamSession,
    compile_streams,
)

# Keeps a beat in a register and in a word of a memory, and returns both nine cycles later.
ECHO = """
module echo(input clk, input rst, input in_valid, output in_ready, input [7:0] in_data,
            output out_valid, input out_ready, output [7:0] out_register, output [7:0] out_memory);
  reg [3:0] left;
  reg [7:0] register;
  reg [1:0] where;
  reg [7:0] memory [4:7];
  assign in_ready = left == 0;
  assign out_valid = left == 1;
  assign out_register = register;
  assign out_memory = memory[{1'b1, where}];
  always @(posedge clk) begin
    if (in_valid & in_ready) begin
      register <= in_data;
      memory[{1'b1, in_data[1:0]}] <= in_data;
      where <= in_data[1:0];
      left <= 10;
    end else if (left > 1 | out_ready & out_valid)
      left <= left - 1;
    if (rst) left <= 0;
  end
endmodule
"""
VALUE = 0b1010_0101


def _port(name: str, width: int = 1, *, out: bool = False) -> Port:
    stream, _, field = name.partition("_")
    return Port(name, width, "output" if out else "input", "", stream, field)


PORTS = (
    Port("clk", 1, "input", ""),
    Port("rst", 1, "input", ""),
    _port("in_valid"),
    _port("in_ready", out=True),
    _port("in_data", 8),
    _port("out_valid", out=True),
    _port("out_ready"),
    _port("out_register", 8, out=True),
    _port("out_memory", 8, out=True),
)


@pytest.fixture(scope="module")
def echo() -> tuple[StreamSession, Sites]:
    design, sites = struck(StreamDesign(ECHO, "echo", PORTS))
    with compile_streams([design], Cache()).start() as session:
        yield session, sites


def _site(sites: Sites, name: str) -> int:
    end = sites.places[-1].base + sites.places[-1].size
    return next(site for site in range(end) if str(sites.bit(site)) == name)


# In cycle 0 the beat is taken, in cycle 10 it comes back; a fault acts one cycle after its beat.
@pytest.mark.parametrize(
    ("name", "action", "span", "cycle", "cycles", "register", "memory"),
    [
        ("register[3]", 0, 1, 4, 1, VALUE ^ 8, VALUE),
        ("register[6]", 0, 2, 4, 1, VALUE ^ 0xC0, VALUE),
        ("register[7]", 0, 2, 4, 1, VALUE ^ 0x80, VALUE),  # no bit of another register
        ("register[0]", 0, 1, 20, 1, VALUE, VALUE),  # too late
        ("register[0]", 0, 1, 4, 2, VALUE, VALUE),  # flipped twice
        ("register[0]", 1, 8, 4, 1, 0, VALUE),
        ("register[1]", 2, 1, 4, 1, VALUE | 2, VALUE),
        ("memory[5][3]", 0, 1, 4, 1, VALUE, VALUE ^ 8),
        ("memory[5][2]", 0, 2, 4, 1, VALUE, VALUE ^ 0b1100),
        ("memory[6][3]", 0, 1, 4, 1, VALUE, VALUE),
    ],
)
def test_a_fault_strikes_what_it_names(
    echo: tuple[StreamSession, Sites],
    name: str,
    action: int,
    span: int,
    cycle: int,
    cycles: int,
    register: int,
    memory: int,
) -> None:
    session, sites = echo
    fault = faults.Fault("flip", action, _site(sites, name), span, cycle, cycles)
    exchange = Exchange({"in": [Offer({"data": VALUE})]}, {"out": 1})
    outcome = session.strike(0, exchange, STREAM, fault.cycle, fault.beat)
    assert outcome.beats["out"] == [{"register": register, "memory": memory}]


def test_a_held_register_skips_an_update(echo: tuple[StreamSession, Sites]) -> None:
    session, sites = echo
    for action, cycles in ((0, 10), (3, 11)):  # 0: nothing that lasts
        fault = faults.Fault("skip", action, _site(sites, "left[0]"), 4 * (action > 0), 3, 1)
        exchange = Exchange({"in": [Offer({"data": VALUE})]}, {"out": 1})
        outcome = session.strike(0, exchange, STREAM, fault.cycle, fault.beat)
        assert outcome.cycles["out"][0] - outcome.cycles["in"][0] == cycles


def test_every_stored_bit_is_a_site(echo: tuple[StreamSession, Sites]) -> None:
    _, sites = echo
    sizes = {place.name: (place.storage, place.size) for place in sites.places}
    assert sizes == {
        "left": ("flip-flop", 4),
        "where": ("flip-flop", 2),
        "register": ("flip-flop", 8),
        "memory": ("memory", 32),
    }


def test_a_campaign_counts_each_fault_once_and_repeats() -> None:
    options = {"architecture": "montgomery-radix2", "width": 8, "modulus": "0xef"}
    results = [
        faults.inject(Spec.from_options(options), 160, faults.KINDS, 3, Work(jobs=jobs))
        for jobs in (1, 2)
    ]
    assert results[0] == results[1]
    rows = {(row.kind, row.storage): row for row in results[0].effects}
    assert sum(row.faults for row in rows.values()) == 160
    assert all(sum(row.counts.values()) == row.faults for row in rows.values())
    flips = rows["flip", "flip-flop"].counts
    assert flips["silent"] > 0  # without redundancy, most registers hold a part of the result
    assert flips["harmless"] > 0
    assert flips["refused"] == 0  # the design has no output that could tell
    assert results[0].cases[0].results[0] != results[0].cases[0].results[1]


def test_a_case_runs_again_from_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"architecture": "montgomery-radix2", "width": 8}  # the modulus is a random one
    result = faults.inject(Spec.from_options(options), 60, faults.KINDS, 3, Work(jobs=1))
    paths = files.write(tmp_path, result)
    assert len(paths) == len(result.cases) > 4
    for path, case in list(zip(paths, result.cases, strict=True))[:2]:
        again = files.run_again(path, Work(jobs=1))
        assert (again.cases, again.spec, again.faults) == ((case,), result.spec, 1)
    assert main(["verify", "--replay", str(paths[0])]) == 1
    assert str(paths[0]) in capsys.readouterr().out
    record = json.loads(paths[0].read_text())
    record["fault"]["cycle"] = 10_000  # after the last result
    paths[0].write_text(json.dumps(record))
    assert main(["verify", "--replay", str(paths[0])]) == 0
    for key, value, reason in (
        ("bit", "nothing[3]", "bit = 'nothing.3.': must be a register or memory"),
        ("operation", "double", "operation = 'double'"),
        ("operands", [{"a": "0x1"}] * 2, "b"),
        ("cycle", "0", "Expected `int`, got `str`"),
        ("cycle", 1 << 32, "Expected `int` <"),
        ("span", 0, "Expected `int` >= 1"),
        ("action", 4, "Expected `int` <= 3"),
    ):
        paths[0].write_text(json.dumps(record | {"fault": record["fault"] | {key: value}}))
        with pytest.raises(SpecError, match=f"must be a file that `modmul verify`.*{reason}"):
            files.run_again(paths[0], Work(jobs=1))
    paths[0].write_text(json.dumps(record | {"spec": record["spec"] | {"modulus": "@file"}}))
    with pytest.raises(SpecError, match="spec.modulus names a file"):
        files.run_again(paths[0], Work(jobs=1))


def test_the_key_of_a_processor_is_in_the_file(tmp_path: Path) -> None:
    result = faults.FaultsResult({}, plain_key(Key(65521, 65537)), "", 1, 0, (), ())
    record = msgspec.json.encode(result.key)
    assert key_of(msgspec.json.decode(record, type=PlainKey)) == Key(65521, 65537)


def test_a_bit_is_found_by_its_name(echo: tuple[StreamSession, Sites]) -> None:
    _, sites = echo
    for site in range(sites.places[-1].base + sites.places[-1].size):
        assert sites.site(str(sites.bit(site))) == site
    for bit in ("register[8]", "register", "memory[3][0]", "memory[5][8]", "memory[5]", "other[0]"):
        with pytest.raises(SpecError, match="must be a register or memory of the emitted Verilog"):
            sites.site(bit)


# Reads the words of a memory with initial values, one after the other.
KEPT = """
module kept(input clk, input rst, input in_valid, output in_ready, input [1:0] in_data,
            output reg out_valid, input out_ready, output reg [7:0] out_data);
  reg [7:0] memory [0:3];
  initial begin
    memory[0] = 17;
    memory[1] = 34;
    memory[2] = 51;
    memory[3] = 68;
  end
  assign in_ready = !out_valid | out_ready;
  always @(posedge clk) begin
    if (in_ready) out_valid <= in_valid;
    if (in_ready) out_data <= memory[in_data];
    if (rst) out_valid <= 0;
  end
endmodule
"""


def test_memories_have_their_contents_until_a_fault() -> None:
    ports = (
        *PORTS[:2],
        _port("in_valid"),
        _port("in_ready", out=True),
        _port("in_data", 2),
        _port("out_valid", out=True),
        _port("out_ready"),
        _port("out_data", 8, out=True),
    )
    design, _ = struck(StreamDesign(KEPT, "kept", ports))
    simulator = compile_streams([design], Cache())
    inputs = {"in": [Offer({"data": address}) for address in range(4)]}
    for seed in range(1, 9):  # of the values of registers before the reset
        with simulator.start(seed=seed) as session:
            outcome = session.keep(0, Exchange(inputs, {"out": 4}))
            assert [beat["data"] for beat in outcome.beats["out"]] == [17, 34, 51, 68]


@pytest.mark.parametrize("name", ["montgomery-radix2", "cios"])
def test_a_run_from_a_moment_on_is_as_the_whole_run(name: str) -> None:
    spec = Spec.from_options({"architecture": name, "width": 16, "modulus": "0xffef"})
    design, sites = struck(StreamDesign.of(spec.design, "stream", hdl.emit(spec.design)))
    operation, rng = subject(spec, "multiply"), random.Random(name)
    requests = operation.read({"a": 77, "b": 8191}), operation.read({"a": 4099, "b": 65518})
    came_back = Counter[bool]()
    with compile_streams([design], Cache()).start() as session:
        pair = Pair.of(operation, requests).with_results(session)
        bits = [place.base + bit for place in sites.places for bit in range(place.size)]
        for site in rng.sample(bits, 60):
            fault = faults.Fault("flip", 0, site, 1, rng.randrange(pair.ends), 1)
            outcome = fault.strike(session, pair)
            late = Offer(fault.beat, gap=fault.cycle)
            whole = replace(pair.exchange, inputs={**pair.exchange.inputs, STREAM: [late]})
            expected = session.keep(0, whole)
            assert outcome.beats == expected.beats and outcome.status == expected.status
            assert all(
                (outcome.cycles[each] == expected.cycles[each]).all() for each in outcome.beats
            )
            came_back[outcome.beats["result"] == list(pair.right_beats)] += 1
    assert min(came_back.values()) > 5 and len(came_back) == 2
