"""The delivered testbench in the hands of its reader: what it says, writes and advises."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from modmul.export import hdl, vectors
from modmul.export import testbench as writer
from modmul.export.steps import HOW
from modmul.export.vectors import VectorPlan, VectorStep
from modmul.spec import Spec
from modmul.toolchain import icarus

needs_icarus = pytest.mark.skipif(not icarus.installed(), reason="Icarus Verilog is not installed")

SPECS: dict[str, dict[str, Any]] = {
    "stream": {"architecture": "interleaved", "width": 8},
    "core": {"architecture": "interleaved", "width": 8, "interface": "core"},
    "one modulus": {"architecture": "interleaved", "modulus": 251},
    "long numbers": {"architecture": "fpmm", "width": 160, "word": 16},
    "no modulus": {"architecture": "array-mux", "width": 8},
    "modes": {"architecture": "fips", "width": 12, "word": 4},
    "carry-save": {"architecture": "fcs-mm-2", "width": 16},
}


def written(spec: Spec) -> tuple[str, str, VectorPlan]:
    """The design, its testbench and the plan."""
    emitted, planned = hdl.emit(spec.multiplier), vectors.plan(spec)
    return emitted.verilog, writer.testbench(spec, emitted, "x", planned, "x_sim.f"), planned


QUICK = ("stream", "long numbers", "modes", "carry-save")


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in SPECS],
)
def bench(request: pytest.FixtureRequest) -> tuple[str, str, VectorPlan]:
    return written(Spec.from_options(SPECS[request.param]))


Bench = tuple[str, str, VectorPlan]


def test_the_text_says_the_plan(bench: Bench) -> None:
    """Its calls, read back: every step with how it is offered, idle cycles and numbers."""
    _, text, planned = bench
    head, body = text.split("  initial begin : plan\n")
    steps: list[VectorStep] = []
    hows: list[str] = []
    for line in re.findall(r"^    (offered.*|`(?:modulus|product)\(.*)", body, re.MULTILINE):
        task, number, *more = re.findall(r"[A-Za-z0-9_|' ]+", line.replace(", ", ","))
        assert int(number) == sum(step.load == (task == "modulus") for step in steps)
        if task == "offered":
            hows += [more[1]] * (int(more[0]) + 1 - int(number))
            continue
        load = task == "modulus"
        if load:
            assert int(more[0]) == len(hows)
        how, idle = (more[1], more[2]) if load else (hows[int(number)], more[0])
        chosen = {name: name.upper() in how.split(" | ") for name in HOW}
        steps.append(VectorStep(load=load, idle=int(idle), **chosen))
    assert steps == planned.steps
    numbers = [int(number, 16) for number in re.findall(r"\d+'h([0-9a-f]+)", body)]
    assert len(numbers) < 7 * len(steps)
    for product in planned.products:
        given = [*product.operand.values(), *product.result.values()]
        place = numbers.index(given[0])
        while numbers[place : place + len(given)] != given:
            place = numbers.index(given[0], place + 1)
    assert "32'h" not in re.sub(r"reg \[31:0\] noise = .*", "", head)


def test_comments_count_as_the_plan_does(bench: Bench) -> None:
    """Every step is in one group, and the groups are in order."""
    _, text, planned = bench
    steps, products = 0, 0
    for line in re.findall(r"^    // (Steps? .*)$", text, re.MULTILINE):
        first, *last = map(int, re.match(r"Steps? (\d+)(?: to (\d+))?", line).groups("-1"))  # type: ignore[union-attr]
        assert first == steps
        steps = max(first, *last) + 1
        if own := re.search(r", products? (\d+)", line):
            assert int(own[1]) == products
            products += steps - first
    assert (steps, products) == (len(planned.steps), len(planned.products))
    assert len(re.findall(r"^    // Modulus \d+: ", text, re.MULTILINE)) == len(planned.loads)


def test_every_name_of_a_step_is_explained(bench: Bench) -> None:
    _, text, planned = bench
    used = {name.upper() for step in planned.steps for name in HOW if getattr(step, name)}
    explained = dict(re.findall(r"^  localparam ([A-Z_]+) = (\d+);  // .{20}", text, re.MULTILINE))
    assert used <= set(explained)
    values = [int(explained[name]) for name in used]
    assert len(set(values)) == len(used) and all(value.bit_count() == 1 for value in values)


def test_operands_and_a_modulus_are_offered_together() -> None:
    """What should come out is known for either order, and differs."""
    spec = Spec.from_options({"architecture": "montgomery-1csa", "width": 16})
    multiplier, planned = spec.multiplier, vectors.plan(spec)
    products, modulus, met = iter(planned.products), -1, 0
    for step in planned.steps:
        if step.load:
            modulus += 1
            continue
        product = next(products)
        assert (product.earlier is not None) == step.with_modulus
        if product.earlier is None:
            continue
        old, new = (planned.settings[place].modulus for place in (modulus - 1, modulus))
        for result, divisor in ((product.earlier, old), (product.result, new)):
            assert max(product.a, product.b) < multiplier.operand_bound(divisor)
            scaled = result["data"] * multiplier.montgomery_factor
            assert scaled % divisor == product.a * product.b % divisor
        met += product.earlier != product.result
    assert met >= 10


def test_a_bare_core_is_given_one_after_the_other() -> None:
    planned = vectors.plan(Spec.from_options(SPECS["core"]))
    assert not any(step.with_modulus or step.pauses or step.hold for step in planned.steps)


# ---- in Icarus -----------------------------------------------------------------------------------


def run(bench: Bench, folder: Path, *arguments: str, change: tuple[str, str] = ("", "")) -> str:
    """What is printed by the command that stands in the header."""
    design, text, _ = bench
    assert change[0] in text
    (folder / "x.v").write_text(design)
    (folder / "x_tb.v").write_text(text.replace(*change) if change[0] else text)
    (folder / "x_sim.f").write_text("x.v\nx_tb.v\n")
    (command,) = re.findall(r"^//   \$ (iverilog .*)$", text, re.MULTILINE)
    done = subprocess.run(
        f"{command} {' '.join(arguments)}",
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout


@needs_icarus
def test_the_command_of_the_header_and_a_waveform_on_request(bench: Bench, tmp_path: Path) -> None:
    assert run(bench, tmp_path, "+products=3").endswith("PASS 3 products\n")
    assert not list(tmp_path.glob("*.vcd"))
    assert "PASS 3 products" in run(bench, tmp_path, "+products=3", "+dump")
    assert "PASS 3 products" in run(bench, tmp_path, "+products=3", "+dump=other.vcd")
    for name in ("x.vcd", "other.vcd"):
        text = (tmp_path / name).read_text()
        assert "$scope module dut" in text and re.search(r"\$var \w+ +\d+ \S+ result_data", text)


@needs_icarus
def test_no_input_is_ever_unknown(bench: Bench, tmp_path: Path) -> None:
    inputs = re.findall(r"^  reg  (?:\[\d+:0\] )?(\w+) = [01];$", bench[1], re.MULTILINE)
    traced = re.findall(r"^TRACE .*", run(bench, tmp_path, "+trace", "+products=3"), re.MULTILINE)
    assert len(inputs) >= 5 and len(traced) > 3
    for line in traced:
        values = dict(pair.split("=") for pair in line.split()[2:])
        assert not [name for name in inputs if name in values and re.search("[xz]", values[name])]


@needs_icarus
@pytest.mark.parametrize(
    "name",
    ["stream", *(pytest.param(name, marks=pytest.mark.long) for name in ("long numbers", "modes"))],
)
def test_a_failure_says_where_and_what_to_do(name: str, tmp_path: Path) -> None:
    """One wrong bit in product 11: its step, modulus and cycle; the advice shows it again."""
    bench = written(Spec.from_options(SPECS[name]))
    width = re.search(r"  wire (\[\d+:0\]) result_data;", bench[1])
    assert width is not None
    wrong = f"  wire {width[1]} inner;\n  assign result_data = inner ^ (received == 11 && !place);"
    spoiled = bench[1].replace(".result_data(result_data)", ".result_data(inner)")
    spoiled = spoiled.replace(width[0], f"{width[0]}\n{wrong}")
    design, _, planned = bench
    said = run((design, spoiled, planned), tmp_path)
    number = [place for place, step in enumerate(planned.steps) if not step.load][11]
    modulus = sum(step.load for step in planned.steps[:number]) - 1
    match = re.search(
        rf"^cycle (\d+): product 11 \(step {number}, modulus {modulus}\), beat 0: "
        r"result_data is (\w+), should be (\w+)$",
        said,
        re.MULTILINE,
    )
    assert match is not None, said
    assert int(match[2], 16) ^ int(match[3], 16) == 1
    count = len(planned.products)
    assert f"FAIL 1 errors, {count} of {count} products" in said
    advice = re.search(r"run with (.*), and look at (\w+) where `cycle` is (\d+)\.", said)
    assert advice is not None and advice.groups()[1:] == ("result_data", match[1])
    assert "Search x_tb.v for product(11, ...)" in said and "`product(11," in spoiled
    again = run((design, spoiled, planned), tmp_path, *advice[1].split())
    assert match[0] in again and (tmp_path / "x.vcd").exists()


@needs_icarus
@pytest.mark.parametrize(
    ("port", "text"),
    [
        ("operand_ready", r"operand_ready, which is 0: beat 0 of product 0 is offered"),
        ("modulus_ready", r"modulus_ready, which is 0: beat 0 of modulus 0 is offered"),
        ("result_valid", r"result_valid, which is 0: beat 0 of product 0; its operands went in"),
    ],
)
def test_where_nothing_moves_it_says_what_it_waits_for(
    port: str, text: str, tmp_path: Path
) -> None:
    bench = written(Spec.from_options(SPECS["stream"]))
    sees = "1'b0" if port == "operand_ready" else "operand_valid"
    stuck = bench[1].replace(f".{port}({port})", f".{port}()")
    stuck = stuck.replace(".operand_valid(operand_valid)", f".operand_valid({sees})")
    stuck = stuck.replace(f"  wire {port};", f"  wire {port} = 1'b0;")
    said = run((bench[0], stuck, bench[2]), tmp_path)
    assert re.search(text, said), said
    assert f"look at {port} where" in said and "FAIL" in said
    cycle = re.search(r"^(\d+) cycles$", said, re.MULTILINE)
    assert cycle is not None and int(cycle[1]) < 2 * 1200  # not only at the end of everything
