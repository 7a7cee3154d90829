"""Faults of whole streams, put between testbench and design: the delivered testbench fails."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from modmul.errors import CheckFailed
from modmul.export import check, hdl, vectors
from modmul.export import testbench as writer
from modmul.spec import Spec
from modmul.toolchain import icarus

pytestmark = pytest.mark.skipif(not icarus.installed(), reason="Icarus Verilog is not installed")

SPECS: dict[str, dict[str, Any]] = {
    "any modulus": {"architecture": "interleaved", "width": 8},
    "one modulus": {"architecture": "interleaved", "modulus": 251},
    "one modulus, several beats": {
        "architecture": "montgomery-lookahead",
        "modulus": 251,
        "stream_word": 4,
    },
}

# Statements and connections that take the place of a connection of the same port.  `inner_PORT`
# is the design's own output.
LATE = "always @(posedge clk) late_{0} <= inner_{0};\n  assign {0} = late_{0};"
RESULTS = ("result_valid", "result_first", "result_last", "result_data")
FAULTS: dict[str, dict[str, str]] = {
    "a cycle later": {port: LATE.format(port) for port in RESULTS},
    "two results change places": {
        "result_data": "assign result_data = received == 5 ? slice_data(6, place) :"
        " received == 6 ? slice_data(5, place) : inner_result_data;"
    },
    "an unknown bit": {"result_data": "assign result_data = inner_result_data | 1'bx;"},
    "an unknown last": {"result_last": "assign result_last = inner_result_last & 1'bx;"},
    "no first": {"result_first": "assign result_first = 1'b0;"},
    "no last": {"result_last": "assign result_last = 1'b0;"},
    "first in every beat": {"result_first": "assign result_first = 1'b1;"},
    "a result is lost": {
        "result_valid": "assign result_valid = inner_result_valid && received != 7;"
    },
    "the first modulus holds for ever": {
        "modulus_ready": "assign modulus_ready = inner_modulus_ready || loaded != 0;"
    },
}
ONE_BEAT = {"first in every beat"}  # is right where there is one beat


QUICK = {("one modulus, several beats", "core")}  # with every fault


@pytest.mark.parametrize(
    ("options", "interface"),
    [
        pytest.param(
            options,
            interface,
            id=f"{name}-{interface}",
            marks=() if (name, interface) in QUICK else pytest.mark.long,
        )
        for name, options in SPECS.items()
        for interface in ("core", "stream")
    ],
)
def test_the_testbench_fails(options: dict[str, Any], interface: str, tmp_path: Path) -> None:
    spec = Spec.from_options({**options, "interface": interface})
    emitted = hdl.emit(spec.multiplier)
    planned = vectors.plan(spec)
    text, count = writer.testbench(spec, emitted, "x", planned, "x.f"), len(planned.products)
    assert run(emitted.verilog, text, count, tmp_path) is None
    passed = []
    for name, changes in FAULTS.items():
        if spec.multiplier.beats == 1 and name in ONE_BEAT:
            continue
        if interface == "stream" and name == "a cycle later":
            continue  # it would lose results, and products wait for the core
        said = run(emitted.verilog, spoiled(text, changes), count, tmp_path)
        if said is None or not re.search("should be|FAIL|first|is x", said):
            passed.append(name)
    assert passed == []


def run(design: str, text: str, count: int, folder: Path) -> str | None:
    """What the testbench complains of."""
    sources = [folder / "x.v", folder / "x_tb.v"]
    for source, content in zip(sources, (design, text), strict=True):
        source.write_text(content)
    try:
        check.verdict(icarus.simulate(sources, "x_tb"), "Icarus Verilog", count)
    except CheckFailed as error:
        return str(error)
    return None


def spoiled(text: str, changes: dict[str, str]) -> str:
    """The testbench with statements between the ports of the design and what it sees of them."""
    for port, statement in changes.items():
        declared = re.search(rf"  wire (\[\d+:0\] )?{port};\n", text)
        assert declared is not None, port
        width = declared[1] or ""
        inner = f"  wire {width}inner_{port};\n  reg {width}late_{port} = 0;\n"
        text = text.replace(declared[0], f"{declared[0]}{inner}")
        text = text.replace(f".{port}({port})", f".{port}(inner_{port})")
        if port == "modulus_ready":  # and the design does not see the others
            text = text.replace(
                ".modulus_valid(modulus_valid)", ".modulus_valid(modulus_valid && loaded == 0)"
            )
        text = text.replace("  initial begin\n", f"  {statement}\n\n  initial begin\n", 1)
    return text
