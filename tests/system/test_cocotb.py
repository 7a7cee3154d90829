"""AXI4-Lite under somebody else's master, which reads and writes at the same time: cocotbext-axi,
in Icarus; and faults that only show then."""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path

import pytest

from bus_systems import FORMS, System, system
from modmul.toolchain import icarus

pytestmark = pytest.mark.skipif(not os.environ.get("SOC"), reason="takes long: make soc")
HERE = Path(__file__).parents[1] / "soc"


@pytest.fixture(autouse=True)
def _test_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cocotb imports is found where `sys.path` says."""
    monkeypatch.syspath_prepend(str(HERE))


@pytest.fixture(scope="module")
def one() -> System:
    return system(FORMS["one beat"])


def failures(one: System, folder: Path, fault: tuple[str, str] | None = None) -> int:
    """How many of the two tests fail on the text, with a fault in one place."""
    pytest.importorskip("cocotbext.axi")
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    if not icarus.installed():
        pytest.skip("needs Icarus Verilog")
    top, verilog = one.verilog("axi4lite")
    if fault is not None:
        verilog, count = re.subn(*fault, verilog, flags=re.M)
        assert count == 1
    (folder / "design.v").write_text(verilog)
    told = one.told
    registers = {name: told.by_name[name].address for name in ("status", "enables", "id")}
    registers |= {"wiping": told.bits("status", "wiping").mask, "nothing": told.unit - 4,
                  "id_value": told.by_name["id"].value,
                  "every": sum(bits.mask for bits in told.by_name["enables"].fields)}  # fmt: skip
    runner = get_runner("icarus")
    runner.build(sources=[folder / "design.v"], hdl_toplevel=top, build_dir=folder / "build",
                 timescale=("1ns", "1ps"))  # fmt: skip
    with contextlib.suppress(SystemExit):  # of a run with failures
        runner.test(
            hdl_toplevel=top, test_module="axi4lite_cocotb", build_dir=folder / "build",
            test_dir=folder, results_xml=str(folder / "results.xml"),
            extra_env={"REGISTERS": json.dumps(registers)},
        )  # fmt: skip
    tests, failed = get_results(folder / "results.xml")
    assert tests == 2
    return int(failed)


def test_reads_and_writes_side_by_side(one: System, tmp_path: Path) -> None:
    assert failures(one, tmp_path) == 0


@pytest.mark.parametrize(
    "fault",
    [
        (r"end else if \(s_axi_bready\) begin", "end else begin"),
        (r"(assign native_addr = )native_we \?", r"\1write_waits ?"),
        (r"(wire read_begins = .*) & !native_we;", r"\1;"),
        (r"( & wstrb\[1\])\) begin", r") begin"),
        (r"(wire write_waits = .*) & !s_axi_bvalid;", r"\1;"),
    ],
    ids=["dropped valid", "address of the other", "both at once", "strobe ignored", "answer lost"],
)  # fmt: skip
def test_planted_faults_are_found(one: System, fault: tuple[str, str], tmp_path: Path) -> None:
    assert failures(one, tmp_path, fault) > 0
