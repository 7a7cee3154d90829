"""PeakRDL's own register block, from our SystemRDL, answers 10,000 random accesses as ours does;
and faults in ours, or in what is said of it, show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bus_systems import FORMS, System, system
from modmul.export import check
from modmul.system import rdl
from modmul.toolchain.cache import Cache
from regblock import bench, peakrdl_verilog, random_accesses

pytest.importorskip("peakrdl_regblock", reason="needs the extra modmul[regs]: make registers")


def run(
    device: System, folder: Path, count: int, fault: tuple[str, str] | None = None
) -> list[str]:
    """What the comparison prints, for the text with a fault in one place."""
    top, verilog = device.verilog("native")
    if fault is not None:
        verilog, changed = re.subn(*fault, verilog, flags=re.M)
        assert changed == 1
    (folder / "design.v").write_text(verilog)
    (folder / "bench.v").write_text(bench(device, top, random_accesses(device, count, 25)))
    sources = [
        folder / "design.v",
        peakrdl_verilog(device, folder),
        folder / "bench.v",
    ]
    return check._compile_and_run(sources, "both_check", folder, Cache()).splitlines()


@pytest.fixture(scope="module")
def multiplier() -> System:
    return system(FORMS["one beat"])


@pytest.mark.parametrize("form", ["one beat", "modes", "processor"])
def test_ten_thousand_accesses(form: str, tmp_path: Path) -> None:
    """With pauses; products, some of them in banks, or operations among them."""
    output = run(system(FORMS[form]), tmp_path, 10_000)
    assert "PASS 0 differences" in output, output
    (regs,) = (line for line in output if "refused" in line)
    reads, writes, refused, others = map(int, re.findall(r"\d+", regs))
    assert reads + writes >= 10_000
    assert min(reads, writes, refused, others) > 1000


@pytest.mark.parametrize(
    "fault",
    [
        (r"( & wstrb\[1\])\) begin", r") begin"),
        (r"(at_enables = .*) == 5'd7\)", r"\1 == 5'd9)"),
        (r"(at_b_window = .*)3'd3\)", r"\g<1>3'd5)"),
        (r"(select_a & !busy) \? strobes", r"\1 ? 4'd15"),
        (r"(assign rdata = read_register)", r"\1 | ({32{at_a_window}} & operand.beat_a[31:0])"),
    ],
    ids=[
        "strobe ignored",
        "address off by one",
        "window off by one",
        "strobe of a window ignored",
        "secret readable",
    ],
)
def test_faults_in_our_block_show(
    multiplier: System, fault: tuple[str, str], tmp_path: Path
) -> None:
    assert any(line.startswith("FAIL") for line in run(multiplier, tmp_path, 1000, fault))


def test_a_fault_in_the_description_shows(
    multiplier: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Software's clearing before hardware's setting: an event gets lost."""
    said = rdl._PROPERTIES["clear"]
    assert "precedence = hw;" in said
    monkeypatch.setitem(rdl._PROPERTIES, "clear", said.replace("precedence = hw;", ""))
    assert any(line.startswith("FAIL") for line in run(multiplier, tmp_path, 10_000))
