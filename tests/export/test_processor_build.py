"""`build` of a processor: its testbench passes and sees faults, its files say the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from modmul.errors import CheckFailed
from modmul.export import blocks, check
from modmul.export.build import BuildResult, build
from modmul.export.datasheet import markdown
from modmul.export.hdl import Hdl, emit
from modmul.export.processor.description import describe
from modmul.export.processor.plan import plan
from modmul.processors.exponentiation import Exponentiation
from modmul.spec import Spec
from modmul.toolchain import icarus
from modmul.toolchain.cache import Cache

SPEC = Spec.from_options(
    {"architecture": "exponentiation", "multiplier": "fips", "word": 8, "modulus": 0xFFC5}
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[BuildResult, Path]:
    folder = tmp_path_factory.mktemp("built") / "design"
    return build(SPEC, folder), folder


def test_everything_is_there_and_says_the_same(built: tuple[BuildResult, Path]) -> None:
    result, folder = built
    assert result.core is None and result.top == result.stream
    assert result.timing_proof.proved
    described = json.loads((folder / f"{result.name}.json").read_text())
    assert described["role"] == "processor"
    assert described["operations"]["exponentiate"]["results"] == ["power"]
    assert (
        described["cycles"]["exponentiate-prime-2-16-bits"]["latency"]
        == [SPEC.processor.latency(SPEC.headline).maximum] * 2
    )
    loaded = SPEC.processor.load(0xFFC5)["modulus"]
    assert [int(constant["value"], 16) for constant in described["constants"]] == [
        beat["data"] for beat in loaded
    ]
    sheet = (folder / f"{result.name}.md").read_text()
    for words in ("Constant time", "exponentiate", "`command_bits`", "R^2 mod N[1]", "0xffc5"):
        assert words in sheet
    assert {file.name for file in result.files} == {
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()
    }
    assert Spec.from_file(folder / f"{result.name}.json") == SPEC


def test_the_testbench_says_when_each_operation_is_done(built: tuple[BuildResult, Path]) -> None:
    result, folder = built
    operations = plan(SPEC).operations
    listed = (folder / f"{result.name}_sim.f").read_text().split()
    sources, top = [folder / file for file in listed], f"{result.name}_check"
    output = check.in_verilator(sources, top, len(operations), Cache(), what="operations")
    done = check.cycles_of(output, len(operations))
    assert len(done) == len(operations) and done == sorted(done)
    assert done[0] >= operations[0].cycles.minimum
    (total,) = re.findall(r"^(\d+) cycles$", output, re.MULTILINE)
    assert done[-1] + 100 <= int(total) <= done[-1] + 102  # it waits for beats that must not come


def test_operands_are_said_without_a_modulus() -> None:
    spec = Spec(SPEC.processor)
    described = describe(spec, emit(spec.design), "power")
    base, exponent = described["operations"]["exponentiate"]["operands"]
    assert (base["below"], base["length_is_public"]) == (None, False)
    assert (exponent["length_is_public"], exponent["longest"]) == (True, 65535)
    assert (base["streams"], exponent["streams"]) == (["operand"], ["exponent"])
    sheet = markdown(described, None, {}, "blocks.svg")
    rows = {row.split(":")[0]: row for row in sheet.splitlines() if row.startswith("| ")}
    assert "as many bits as the command says, 65535 at most" in rows["| exponent"]
    assert "| `exponent` (secret) |" in rows["| exponent"]
    assert "below N" in rows["| base"] and "below N" not in rows["| exponent"]
    terms = described["cycles"]["exponentiate-prime-2-16-bits"]["terms"]
    assert described["terms"].keys() == terms.keys()
    assert "- enter: the base into the Montgomery domain" in sheet


def test_keys_and_nonces_are_named_with_the_secret_streams_that_they_go_over() -> None:
    """Every operand of every operation goes over a stream; those of signatures over secret ones."""
    spec = Spec.from_options({"architecture": "curve", "multiplier": "fpmm", "width": 64})
    described = describe(spec, Hdl("", {"stream": "curve"}, ()), "curve")  # its text says nothing
    over = {
        name: {operand["name"]: operand["streams"] for operand in operation["operands"]}
        for name, operation in described["operations"].items()
    }
    assert all(streams for operands in over.values() for streams in operands.values())
    assert over["ecdsa-sign"]["private"] == ["operand"]
    assert set(over["ecdsa-sign"]["nonce"]) == {"operand", "scalar"}
    secret = {name for name, stream in described["streams"].items() if stream["secret"]}
    assert secret == set(described["secrets"]) >= {"operand", "scalar", "random"}


def test_the_block_diagram_names_the_multiplier_and_both_memories() -> None:
    emitted = emit(SPEC.design)
    svg = blocks.draw(describe(SPEC, emitted, "power"), emitted.verilog)
    texts = re.findall(r'<text class="(?:name|soft)"[^>]*>([^<]*)<', svg)
    place = texts.index("multiplier")
    assert texts[place + 1] == SPEC.processor.multiplier.title
    assert "x0_memory, x1_memory" in texts
    streams = re.findall(r'<text class="title"[^>]*>([^<]*)<', svg)
    assert streams == ["modulus", "command", "operand", "exponent", "Processor", "result"]


def test_plan_has_every_field_and_both_speeds() -> None:
    planned = plan(SPEC)
    assert planned.full_speed * 2 == len(planned.operations)
    jobs = [operation.job for operation in planned.operations]
    assert {job.mode.field for job in jobs} == {"prime", "binary"}
    assert {job.modulus for job in jobs} > {0xFFC5}
    assert {job.mode.length for job in jobs} > {0, 16}
    assert planned.operations[-1].ends == len(planned.results)


# A fault in the design, and what the testbench says of it.
FAULTS = {
    "result": (r"squaring & present_bit \? ", "1'b1 ? ", "wrong beat"),
    "last": (r"assign result_last = (?=last_beat)", "assign result_last = 1'b0 & ", "wrong beat"),
    "nothing": (r"assign result_valid = (?=control)", "assign result_valid = 1'b0 & ", "moves"),
    "unknown": (r"assign result_valid = (?=control)", "assign result_valid = 1'bx ^ ", "unknown"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(built: tuple[BuildResult, Path], fault: str, tmp_path: Path) -> None:
    if not icarus.installed():
        pytest.skip("Icarus Verilog is not installed")
    result, folder = built
    pattern, wrong, said = FAULTS[fault]
    text, count = re.subn(pattern, wrong, (folder / f"{result.name}.v").read_text())
    assert count == 1
    (tmp_path / "faulty.v").write_text(text)
    sources = [tmp_path / "faulty.v", folder / "sim" / f"{result.name}_tb.v"]
    output = icarus.simulate(sources, f"{result.name}_tb", ["+operations=3"])
    assert "FAIL" in output and said in output and "PASS" not in output


def test_wrong_cycles_are_seen(
    built: tuple[BuildResult, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, folder = built
    bench = (folder / "sim" / f"{result.name}_tb.v").read_text()
    shorter = re.sub(r"(most\[\d+\]) = (\d+);", lambda m: f"{m[1]} = {int(m[2]) - 1};", bench)
    (tmp_path / "bench.v").write_text(shorter)
    sources = [folder / f"{result.name}.v", tmp_path / "bench.v"]
    with pytest.raises(CheckFailed, match="not the declared cycles"):
        check.in_verilator(
            sources,
            f"{result.name}_check",
            len(plan(SPEC).operations),
            Cache(tmp_path / "cache"),
            what="operations",
        )


@pytest.mark.parametrize(
    "processor", Exponentiation.examples(), ids=lambda processor: processor.title
)
def test_plans_of_all_forms_are_affordable(processor: object) -> None:
    planned = plan(Spec(processor))  # type: ignore[arg-type]
    assert sum(operation.cycles.maximum for operation in planned.operations) < 1_500_000
    assert len({tuple(operation.job.operands.values()) for operation in planned.operations}) > 4
