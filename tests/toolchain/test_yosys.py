"""The Yosys runner: log, errors with the end of the log, time limit, missing wheel."""

import os
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil
import pytest

import loaded_yosys
from modmul.errors import ToolFailed, ToolMissing
from modmul.toolchain import versions, yosys

COUNTER = """
module counter(input clk, output reg [7:0] q);
  always @(posedge clk) q <= q + 1;
endmodule
"""


@pytest.fixture(autouse=True)
def _as_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yosys, "run", loaded_yosys.as_always)


def test_runs_every_command_and_returns_the_log(tmp_path: Path) -> None:
    (tmp_path / "counter.v").write_text(COUNTER)
    script = "# a comment\n\nread_verilog counter.v\nsynth_ecp5 -json out.json\nstat"
    log = yosys.run(script, tmp_path)
    assert "TRELLIS_FF" in log
    assert (tmp_path / "out.json").stat().st_size > 1000


def test_an_error_ends_only_the_child_and_shows_the_end_of_the_log(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="No such command: no_such_pass"):
        yosys.run("log before\nno_such_pass\nlog after", tmp_path)
    with pytest.raises(ToolFailed, match="missing.v"):
        yosys.run("read_verilog missing.v", tmp_path)


def test_time_limit_ends_the_whole_family_of_processes(tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(ToolFailed, match="within 1.5 s"):
        yosys.run(f"log started\nexec -- sleep 47.{os.getpid()}", tmp_path, timeout=1.5)
    assert time.monotonic() - start < 20
    end = time.monotonic() + 2.0
    while running(f"47.{os.getpid()}"):
        assert time.monotonic() < end
        time.sleep(0.02)


def running(word: str) -> bool:
    """Whether a process has this word in its command line."""
    commands = (process.info["cmdline"] for process in psutil.process_iter(["cmdline"]))
    return any(word in (command or ()) for command in commands)


def test_missing_wheel_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    versions.version.cache_clear()
    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(ToolMissing, match="pyosys"):
        yosys.run("log", tmp_path)


def test_what_other_tests_run_is_the_same(tmp_path: Path) -> None:
    """Files and what the log says, one script after another; and a script that fails."""
    script = "read_verilog counter.v\nsynth_ecp5 -json out.json\nstat"

    def results(name: str, run: Any) -> tuple[bytes, list[str]]:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "counter.v").write_text(COUNTER)
        log = run(script, folder)
        said = [line for line in log.splitlines() if "DFF" in line]
        return (folder / "out.json").read_bytes(), said

    with loaded_yosys.LoadedYosys() as loaded:
        usual = results("usual", loaded_yosys.as_always)
        assert usual[1] and usual == results("first", loaded.run) == results("second", loaded.run)
        with pytest.raises(ToolFailed, match="No such command: no_such_pass"):
            loaded.run("no_such_pass", tmp_path)
