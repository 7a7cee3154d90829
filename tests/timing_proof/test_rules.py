"""Small circuits: what is reached, and what is not."""

from __future__ import annotations

import re

import pytest

from modmul.timing_proof.certificate import Boundary, ProofSubject, leak
from modmul.timing_proof.graph import everything
from modmul.timing_proof.netlist import FlatNetlist, NetlistCell, flat
from modmul.timing_proof.propagation import CycleCase, reached
from modmul.timing_proof.rules import edges

HEAD = """module top (input clk, rst, go, input [7:0] secret, open,
  output {kind} valid, output [7:0] data);
"""
# By name: how `valid` is made, and whether a secret is in it.
CIRCUITS = {
    "nothing": ("reg", "always @(posedge clk) valid <= go;", False),
    "enable": ("reg", "always @(posedge clk) if (secret[3]) valid <= go;", True),
    "synchronous reset": ("reg", "always @(posedge clk) valid <= secret == 7 ? 0 : go;", True),
    "asynchronous reset": (
        "reg",
        "always @(posedge clk, posedge secret[0]) if (secret[0]) valid <= 0; else valid <= go;",
        True,
    ),
    "clock": ("reg", "always @(posedge secret[1]) valid <= go;", True),
    "select": ("", "assign valid = secret[2] ? go : open[0];", True),
    "data side": ("", "assign valid = go ? secret[0] : open[0];", True),
    "other bit of a select": (
        "",
        "wire [1:0] both = go ? {secret[0], open[0]} : {open[1], go}; assign valid = both[0];",
        False,
    ),
    "carry": ("", "wire [8:0] sum = secret + open; assign valid = sum[8];", True),
    "below the carry": (
        "",
        "wire [8:0] sum = {secret[4:0], 3'b0} + open; assign valid = sum[2];",
        False,
    ),
    "lowest bit of the carry": (
        "",
        "wire [8:0] sum = {secret[4:0], 3'b0} + open; assign valid = sum[3];",
        True,
    ),
    "product": ("", "wire [15:0] p = {secret, 2'b0} * open; assign valid = p[1];", False),
    "high product": ("", "wire [15:0] p = {secret, 2'b0} * open; assign valid = p[7];", True),
    "comparison": ("", "assign valid = secret < open;", True),
    "reduction": ("", "assign valid = &{secret, go};", True),
    "shift": ("", "wire [7:0] moved = open >> secret[2:0]; assign valid = moved[0];", True),
    "same bit": ("", "wire [7:0] mixed = secret & open; assign valid = mixed[5];", True),
    "sign": (
        "",
        "wire signed [3:0] s = secret[3:0]; wire signed [7:0] w = s; assign valid = w[7];",
        True,
    ),
    "constant": ("", "assign valid = secret[0] & 1'b0 | go;", False),
    "column": (
        "reg",
        "reg [9:0] ram [0:3]; reg [9:0] word; always @(posedge clk) begin "
        "if (go) ram[open[1:0]] <= {secret, open[7], go}; word <= ram[open[3:2]]; "
        "valid <= word[1]; end",
        False,
    ),
    "secret column": (
        "reg",
        "reg [9:0] ram [0:3]; always @(posedge clk) begin "
        "if (go) ram[open[1:0]] <= {secret, open[7], go}; valid <= ram[open[3:2]][2]; end",
        True,
    ),
    "write address": (
        "reg",
        "reg [3:0] ram [0:3]; always @(posedge clk) begin "
        "if (go) ram[secret[1:0]] <= open[3:0]; valid <= ram[open[3:2]][0]; end",
        True,
    ),
    "read address": (
        "reg",
        "reg [3:0] ram [0:3]; always @(posedge clk) begin "
        "if (go) ram[open[1:0]] <= open[3:0]; valid <= ram[secret[3:2]][0]; end",
        True,
    ),
    "write enable": (
        "reg",
        "reg [3:0] ram [0:3]; always @(posedge clk) begin "
        "if (secret[0]) ram[open[1:0]] <= open[3:0]; valid <= ram[open[3:2]][0]; end",
        True,
    ),
    "through state": (
        "reg",
        "reg [7:0] kept; reg [1:0] state; always @(posedge clk) begin "
        "kept <= {kept[6:0], secret[7]}; state <= kept[7] + state; valid <= state[1]; end",
        True,
    ),
    "hard block": (
        "",
        "wire [7:0] out; hard block (.c(clk), .a(secret), .y(out)); assign valid = out[0];",
        True,
    ),
    "hard block beside": (
        "",
        "wire [7:0] out; hard block (.c(clk), .a(open), .y(out)); assign valid = out[0];",
        False,
    ),
}
HARD = "module hard(input c, input [7:0] a, output [7:0] y); endmodule"
BOUNDARY = Boundary(("secret",), ("valid",))


def netlist(kind: str, body: str) -> tuple[FlatNetlist, ProofSubject]:
    verilog = f"{HEAD.format(kind=kind)}\n{body}\nassign data = secret;\nendmodule\n"
    return flat(verilog, "top", [HARD]), ProofSubject(verilog, "top", "constant", BOUNDARY)


@pytest.mark.parametrize("name", CIRCUITS)
def test_a_secret_is_found_where_there_is_one(name: str) -> None:
    kind, body, tainted = CIRCUITS[name]
    path = leak(*netlist(kind, body))
    assert bool(path) == tainted, path
    if tainted:
        assert re.fullmatch(r"secret\[\d\]", path[0]) and path[-1] == "valid"


def test_the_path_names_what_is_between() -> None:
    assert leak(*netlist("reg", CIRCUITS["through state"][1])) in (
        ["secret[7]", *(f"kept[{i}]" for i in range(8)), f"state[{bit}]", "valid"] for bit in (0, 1)
    )


def test_a_cell_of_unknown_type_taints_all_its_outputs() -> None:
    """Whatever its ports: known directions, or none."""
    for directions in ({"P": "input", "Q": "input", "R": "output"}, {}):
        cell = NetlistCell(
            "one", "SURPRISE", {}, directions, {"P": [2], "Q": [3, "1"], "R": [4, 5]}
        )
        assert list(edges(cell, {})) == list(everything(cell, {}))
        tainted = reached(FlatNetlist({}, [cell], {}, ""), [CycleCase([3])], edges)
        assert {4, 5} <= set(tainted) and ((2 in tainted) == (not directions))
