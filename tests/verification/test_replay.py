"""Files of failing cases: what a simulation cannot be given is refused, and why is said."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from modmul.errors import SpecError
from modmul.spec import Spec
from modmul.verification import plan, replay
from modmul.verification.verdict import Verdict

SPECS = [
    {"architecture": "interleaved", "modulus": 0x1F3},
    {"architecture": "fips", "modulus": "b163", "word": 32},
    {"architecture": "fcs-mm-1", "width": 12},
    {"architecture": "array-mux", "width": 8},
]
DEEP = 10_000
ABSENT = object()


def case(tmp_path: Path, number: int, options: dict[str, Any]) -> Path:
    """The batch of a plan, as `verify` writes it."""
    spec = Spec.from_options(options)
    tasks = list(plan.tasks(spec.multiplier, 200, [(0, "core"), (1, "stream")]))
    request = plan.request(spec.multiplier, spec.setting, 5, tasks[number % len(tasks)])
    path = tmp_path / f"case{number}.json"
    replay.write(path, spec, False, request, Verdict(), 7)
    read = replay.read(path)
    assert (read.spec, read.drive, read.power_up) == (spec, request.drive, 7)
    assert read.request(request.design).encode() == request.encode()
    return path


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(options, marks=pytest.mark.long)
        if options["architecture"] in ("fips", "fcs-mm-1")
        else options
        for options in SPECS
    ],
    ids=lambda options: options["architecture"],
)
def test_what_is_written_is_read_again(options: dict[str, Any], tmp_path: Path) -> None:
    for number in range(24):
        case(tmp_path, number, options)


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        (["format"], 3, "format"),
        (["format"], ABSENT, "format"),
        (["spec"], [], "spec"),
        (["spec", "width"], 1e300, "width"),
        (["spec", "architecture"], [], "architecture"),
        (["spec", "device"], 5, "device"),
        (["spec", "modulus"], "@/etc/hostname", "spec.modulus names a file"),
        (["spec", "modulus"], " @/etc/hostname", "spec.modulus names a file"),
        (["spec", "curve"], "@/etc/hostname", "spec.curve names a file"),
        (["spec", "library_"], "x", "no such key"),
        (["netlist"], "yes", "netlist"),
        (["seed"], -1, "seed"),
        (["seed"], 2**64, "seed"),
        (["seed"], 1.5, "seed"),
        (["power_up"], None, "power_up"),
        (["drive"], {}, "drive"),
        (["drive", "interface"], "bus", "interface"),
        (["drive", "beat_stall"], 256, "pauses"),
        (["drive", "hold"], True, "bare core"),
        (["runs"], [], "runs"),
        (["runs"], {"a": 1}, "runs"),
        (["runs", 0, "modulus"], "-0x5", "modulus"),
        (["runs", 0, "modulus"], "0x" + "f" * 5000, "modulus"),
        (["runs", 0, "modulus"], "0x3ff", "modulus"),
        (["runs", 0, "mode", "words"], 3, "words = 3"),
        (["runs", 0, "mode", "field"], "binary", "field = binary"),
        (["runs", 0, "gap"], 10**9, "gap"),
        (["runs", 0, "products"], None, "products"),
        (["runs", 0, "products", 0, "a"], ["0x1", "0x2"], "binary"),
        (["runs", 0, "products", 0, "a"], "0xfff", "operand is not below"),
        (["runs", 0, "products", 0, "b"], 5, "b"),
        (["runs", 0, "products", 0, "gap"], -1, "gap"),
        (["runs", 0, "products", 0, "operation"], "square", "no operation 'square'"),
        (["runs", 0, "products", 0, "operation"], "x" * 5000, "no operation"),
        (["runs", 0, "products", 0, "operation"], ABSENT, "operation"),
    ],
)
def test_every_value_is_checked(
    place: list[str | int], value: Any, why: str, tmp_path: Path
) -> None:
    path = case(tmp_path, 0, SPECS[0])
    record = json.loads(path.read_text())
    inner = record
    for key in place[:-1]:
        inner = inner[key]
    if value is ABSENT:
        del inner[place[-1]]
    else:
        inner[place[-1]] = copy.deepcopy(value)
    path.write_text(json.dumps(record))
    with pytest.raises(SpecError, match=why) as caught:
        replay.read(path)
    message = caught.value.message
    assert caught.value.key == "replay" and message.startswith(f"replay = {path}: must be a file")
    assert len(message) < len(str(path)) + 500


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "null",
        "{",
        "[" * DEEP + "]" * DEEP,
        '{"a":' * DEEP + "1" + "}" * DEEP,
        "9" * 5000,
        '{"format": ' + "9" * 5000 + "}",
        "NaN",
        b"\xff\xfe",
        b"\0" * 10,
    ],
)
def test_what_is_no_case(content: str | bytes, tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SpecError, match="must be a file that `modmul verify` wrote"):
        replay.read(path)
