"""`build` without a check, with a bounded one, and interrupted."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from modmul.cli import main
from modmul.errors import CheckFailed
from modmul.export import build as export_build
from modmul.export import check
from modmul.export.build import BuildResult, build
from modmul.multipliers import find
from modmul.spec import Spec
from modmul.toolchain import child, icarus
from modmul.toolchain.cache import Cache

SMALL = {"architecture": "interleaved", "width": 8}
needs_icarus = pytest.mark.skipif(not icarus.installed(), reason="Icarus Verilog is not installed")


@pytest.fixture(scope="module")
def unchecked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BuildResult]:
    folder = tmp_path_factory.mktemp("unchecked")
    return folder, build(Spec.from_options(SMALL), folder, simulate=False)


def test_every_file_says_that_nothing_was_simulated(unchecked: tuple[Path, BuildResult]) -> None:
    folder, result = unchecked
    assert result.checked == {}
    for file in result.files:
        text = (folder / file.name).read_text()
        if file.name.endswith(".json"):
            assert json.loads(text)["simulated"] is None
        elif file.name.endswith((".md", ".html")):
            assert "Not simulated" in text and "no timing diagram" in text
        elif not file.name.endswith("_blocks.svg"):
            assert "NOT VERIFIED: built with --no-check" in text.splitlines()[0], file
    assert not any(file.name.endswith("_timing.svg") for file in result.files)


def test_the_option_reaches_the_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = ["--architecture", "interleaved", "--width", "8", "-o", str(tmp_path)]
    assert main(["build", *options, "--no-check"]) == 0
    assert "not simulated (--no-check)" in capsys.readouterr().out


def test_a_design_is_described_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    describe, calls = export_build.of_multiplier, []

    def counted(*given: Any) -> dict[str, Any]:
        calls.append(given)
        return describe(*given)

    monkeypatch.setattr(export_build, "of_multiplier", counted)
    build(Spec.from_options(SMALL), tmp_path, simulate=False)
    assert len(calls) == 1


@needs_icarus
def test_the_description_says_what_ran_where(tmp_path: Path) -> None:
    result = build(Spec.from_options(SMALL), tmp_path)
    description = json.loads((tmp_path / f"{result.name}.json").read_text())
    assert description["simulated"] == result.checked
    assert description["tools"]["icarus"] == icarus.version() is not None
    sheet = (tmp_path / f"{result.name}.md").read_text()
    for verdict in result.checked.values():
        assert f"| {verdict} |" in sheet


CYCLES = [4000 * count // 252 for count in range(1, 253)]


def simulated(folder: Path, events: int, patch: pytest.MonkeyPatch, **named: Any) -> str:
    """The line about Icarus with a budget of so many events."""
    patch.setattr(check, "_EVENTS", events)
    options = {"cycles": CYCLES, "beat": 8} | named
    sources = [folder / "interleaved_8.v", folder / "sim" / "interleaved_8_tb.v"]
    return check.some_in_icarus(sources, "interleaved_8_tb", **options)


@needs_icarus
def test_icarus_does_a_fixed_amount_of_work(
    unchecked: tuple[Path, BuildResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All products, the first ones, or none; the same in every run, and whatever the clock says."""
    folder, _ = unchecked
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    assert simulated(folder, 30_000_000, monkeypatch) == "PASS 252 products"
    some = simulated(folder, 10_000, monkeypatch)
    assert some == simulated(folder, 10_000, monkeypatch)
    assert some.startswith("PASS ") and "the first of 252" in some
    assert int(some.split()[1]) < 252
    none = simulated(folder, 30_000_000, monkeypatch, cycles=[10**12])
    assert none.startswith("not run")


@pytest.mark.parametrize(
    ("steps", "most"),
    [
        ([4] * 100 + [1_000_000] + [4] * 100, 100),  # a bus: one access waits for an operation
        ([4] * 100 + [20_000] + [4] * 100, 201),  # it fits
        ([50_000] * 9, 1),
    ],
)
def test_work_in_icarus_is_bounded_by_cycles(
    steps: list[int], most: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cycles, runs = list(itertools.accumulate(steps)), list[int]()

    def simulate(arguments: list[str]) -> icarus.IcarusRun:
        count = int(arguments[0].partition("=")[2])
        runs.append(400 * cycles[count - 1])
        return icarus.IcarusRun(f"PASS {count} accesses", runs[-1])

    (tmp_path / "x.v").write_text("module x;\nendmodule\n")
    monkeypatch.setattr(icarus, "compiled", lambda *_: contextlib.nullcontext(simulate))
    monkeypatch.setattr(check, "_EVENTS", 25_000_000)
    said = check.some_in_icarus([tmp_path / "x.v"], "x", cycles=cycles, beat=1, what="accesses")
    assert said.startswith(f"PASS {most} accesses")
    assert max(runs) <= 25_000_000 and sum(runs) <= 2 * max(*runs, 25_000_000)


@needs_icarus
def test_a_wrong_product_beyond_the_first_is_found(
    unchecked: tuple[Path, BuildResult], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder, _ = unchecked
    (tmp_path / "sim").mkdir()
    for name in ("interleaved_8.v", "sim/interleaved_8_tb.v"):
        text = (folder / name).read_text()
        (tmp_path / name).write_text(text.replace("= result;", "= result ^ (n == 3);"))
    with pytest.raises(CheckFailed, match="should be"):
        simulated(tmp_path, 30_000_000, monkeypatch)


@needs_icarus
def test_what_passed_in_this_icarus_is_not_run_again(
    unchecked: tuple[Path, BuildResult], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another text, more products or another Icarus are; a failure is not kept."""
    folder, runs, cache = unchecked[0], list[str](), Cache(tmp_path / "cache")
    run = check.some_in_icarus

    def counted(sources: list[Path], top: str, **amount: Any) -> str:
        runs.append(top)
        return run(sources, top, **amount)

    def again(folder: Path, products: int = 252) -> str:
        sources = [folder / name for name in ("interleaved_8.v", "sim/interleaved_8_tb.v")]
        cycles = CYCLES[:products]
        return check.in_icarus(sources, "interleaved_8_tb", cache, cycles=cycles, beat=8)

    monkeypatch.setattr(check, "some_in_icarus", counted)
    assert again(folder) == again(folder) == "PASS 252 products"
    assert len(runs) == 1
    assert again(folder, 20).startswith("PASS 20 products") and len(runs) == 2
    shutil.copytree(folder, tmp_path / "other")
    design = tmp_path / "other" / "interleaved_8.v"
    design.write_text(design.read_text() + "// edited\n")
    assert again(tmp_path / "other") == "PASS 252 products" and len(runs) == 3
    bench = tmp_path / "other" / "sim" / "interleaved_8_tb.v"
    wrong = re.sub(r"(`product\(3, .*, )(\d+'h\w+\);)", r"\g<1>1 ^ \2", bench.read_text())
    assert wrong != bench.read_text()
    bench.write_text(wrong)
    for expected in (4, 5):
        with pytest.raises(CheckFailed):
            again(tmp_path / "other")
        assert len(runs) == expected
    monkeypatch.setattr(icarus, "identity", lambda: {"iverilog": "another", "vvp": "one"})
    assert again(folder) == "PASS 252 products" and len(runs) == 6


@needs_icarus
def test_an_icarus_is_known_by_its_programs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The same version of another build is another one."""
    identity = icarus.identity()
    for name in identity:
        program = Path(str(shutil.which(name)))
        other = tmp_path / name
        other.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    other_identity = icarus.identity()
    assert identity.keys() == other_identity.keys() == {"iverilog", "vvp"}
    for name, said in identity.items():
        assert said != other_identity[name] and said.split()[1:] == other_identity[name].split()[1:]


@needs_icarus
@pytest.mark.parametrize("worded", ["5 thread events", "5 thread schedule events"])
def test_work_that_cannot_be_told_is_not_repeated(
    worded: str,
    unchecked: tuple[Path, BuildResult],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another version of vvp: none of its lines about events, or not all of them, are known."""
    run, runs = icarus._run, []

    def other(command: list[str], folder: Path) -> str:
        output = run(command, folder)
        if command[0] != "vvp":
            return output
        runs.append(command)
        before, after, _ = output.partition(icarus._AFTER)
        return f"{before}{after}\nEvent counts:\n    {worded}\n"

    monkeypatch.setattr(icarus, "_run", other)
    said = simulated(unchecked[0], 30_000_000, monkeypatch)
    assert said == "PASS 1 products, the first of 252: it does not tell how much work they are"
    assert len(runs) == 1


@pytest.mark.parametrize(
    "output",
    [
        "PASS 0 products",
        "PASS 8 products",
        "FAIL 1 errors\nPASS 9 products",
        "PASS 9 cycles",
        "",
        "PASS 9 products\nPASS 9 products",
        "PASS 9 products\nFAIL 1 errors",
        "PASS 9 products!",
    ],
)
def test_only_one_line_is_a_pass(output: str) -> None:
    assert check.verdict("TRACE 1\n5 cycles\nPASS 9 products", "x", 9) == "PASS 9 products"
    with pytest.raises(CheckFailed, match="fails in x"):
        check.verdict(output, "x", 9)


def test_size_counts_every_instance(tmp_path: Path) -> None:
    body = "  wire a;\n"
    text = f"module inner(x);\n{body}endmodule\nmodule top(x);\n  inner a (\n  );\n" + (
        "  inner #(\n  ) b (\n  );\nendmodule\n"
    )
    (tmp_path / "x.v").write_text(text)
    inner = check.expanded([tmp_path / "x.v"], "inner")
    assert inner == len("(x);\n") + len(body)
    assert check.expanded([tmp_path / "x.v"], "top") > 2 * inner + 30


# ---- interrupted --------------------------------------------------------------------------------


def test_a_child_ends_with_its_children() -> None:
    script = "sleep 1234.5 & echo $!; wait"
    with pytest.raises(child.TimedOut):
        child.run(["sh", "-c", script], timeout=0.5)
    left = subprocess.run(["pgrep", "-f", "^sleep 1234.5$"], capture_output=True, text=True)
    assert left.stdout == ""


def test_an_interrupt_after_the_end_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child has been waited for, and its group is gone."""
    communicate = subprocess.Popen.communicate

    def interrupted(self: Any, *given: Any, **named: Any) -> None:
        communicate(self, *given, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        child.run(["true"])


@needs_icarus
def test_an_interrupt_leaves_neither_files_nor_a_simulator(tmp_path: Path) -> None:
    """In the middle of Icarus' simulation, which a program in its place makes endless."""
    tools, scratch, out = (tmp_path / name for name in ("bin", "scratch", "out"))
    tools.mkdir(), scratch.mkdir()
    (tools / "vvp").write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 1000\n")
    (tools / "vvp").chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    running = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "modmul",
            "build",
            "--architecture",
            "interleaved",
            "--width",
            "8",
            "-o",
            str(out),
        ],
        env=os.environ
        | {
            "PATH": path,
            "TMPDIR": str(scratch),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    begun = time.monotonic()
    while not (tmp_path / "pid").exists() and time.monotonic() - begun < 120:
        assert running.poll() is None
        time.sleep(0.05)
    time.sleep(0.2)
    simulator = int((tmp_path / "pid").read_text())
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert (running.returncode, "interrupted" in said) == (130, True)
    with pytest.raises(ProcessLookupError):
        os.kill(simulator, 0)
    assert not out.exists() and list(scratch.iterdir()) == []


# ---- timing --------------------------------------------------------------------------------------


def test_constant_time_is_proved_in_what_is_delivered(tmp_path: Path) -> None:
    result = build(Spec.from_options(SMALL), tmp_path, simulate=False)
    description = json.loads((tmp_path / f"{result.name}.json").read_text())
    proof = description["timing_proof"]
    assert description["timing"] == proof["claim"] == "constant" and proof["proved"]
    assert proof["module"] == result.top and proof["path"] == []
    assert re.fullmatch("[0-9a-f]{64}", proof["netlist_sha256"])
    assert "seconds" not in proof  # the same bytes every time
    assert json.loads(json.dumps(result.timing_proof.delivered)) == proof
    sheet = (tmp_path / f"{result.name}.md").read_text()
    assert "Constant time:" in sheet and proof["netlist_sha256"] in sheet
    assert "A reset comes first." in sheet


def test_a_claim_that_is_not_proved_is_not_printed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An architecture whose time tells secrets, and says that it is constant."""
    monkeypatch.setattr(find("scs-mm-2"), "timing", "constant")
    options = {"architecture": "scs-mm-2", "width": 8}
    result = build(Spec.from_options(options), tmp_path, simulate=False)
    description = json.loads((tmp_path / f"{result.name}.json").read_text())
    proof = description["timing_proof"]
    assert not proof["proved"] and len(proof["path"]) > 2
    assert description["timing"].startswith(f"not proved: {proof['path'][0]} -> ")
    for end in (".md", ".html"):
        text = (tmp_path / f"{result.name}{end}").read_text()
        assert "Constant time" not in text and "not proved: " in text


def test_what_leaks_is_shown_with_a_way(tmp_path: Path) -> None:
    options = {"architecture": "scs-mm-2", "width": 8}
    result = build(Spec.from_options(options), tmp_path, simulate=False)
    description = json.loads((tmp_path / f"{result.name}.json").read_text())
    assert description["timing"] == "data-dependent"
    sheet = (tmp_path / f"{result.name}.md").read_text()
    assert all(f"`{name}`" in sheet for name in description["timing_proof"]["path"])
