"""Buses under somebody else's masters, in Icarus and in Verilator: cocotbext-axi, which reads and
writes at the same time, cocotbext-wishbone and cocotbext-apb; and faults that they find."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from bus_systems import FORMS, System, system
from modmul.system import buses
from modmul.toolchain import icarus, verilator

pytestmark = pytest.mark.skipif(not os.environ.get("SOC"), reason="takes long: make soc")
HERE = Path(__file__).parents[1] / "soc"
MODULES = {
    "axi4lite": "axi4lite_cocotb",
    "axi4lite64": "axi4lite_cocotb",
    "wishbone": "registers_cocotb",
    "apb4": "registers_cocotb",
}
_IN_REGISTERS = {
    "strobe ignored": (r"( & wstrb\[1\])\) begin", r") begin"),
    "address off by one": (r"(at_enables = .*) == 5'd7\)", r"\1 == 5'd9)"),
    "secret readable": (
        r"(assign rdata = read_register)",
        r"\1 | ({32{at_a_window}} & operand.window_a.ram[0])",
    ),
}
_AXI4LITE = _IN_REGISTERS | {
    "dropped valid": (r"end else if \(s_axi_bready\) begin", "end else begin"),
    "answer lost": (r"(write_waits = .*) & !s_axi_bvalid;", r"\1;"),
    "dropped answer": (
        r"if \(write_done(\) begin\s+s_axi_bvalid)",
        r"if (write_done & !native_error\1",
    ),
}
FAULTS = {
    "axi4lite": _AXI4LITE
    | {
        "address of the other": (r"(assign native_addr = )native_we \?", r"\1write_waits ?"),
        "both at once": (r"(assign read_begins = .*) & !native_we;", r"\1;"),
    },
    "axi4lite64": _AXI4LITE
    | {
        "address of the other": (r"(access_address = )native_we \?", r"\1write_waits ?"),
        "both at once": (r"(assign read_begins = .*) & !write_begins;", r"\1;"),
        "between the halves": (r" \| second_write \| second_read\);", ");"),
        "halves exchanged": (r"read_upper = second_read \|", "read_upper = !second_read |"),
        "error of a half lost": (r"native_error \| first_error", "native_error"),
    },
    "wishbone": _IN_REGISTERS
    | {
        "dropped answer": (r"(assign wb_err_o = )", r"\1 1'b0 & "),
        "doubled answer": (r"asked <= native_en;", "asked <= 1'b0;"),
    },
    "apb4": _IN_REGISTERS
    | {
        "dropped answer": (r"ack <= en;", "ack <= en & is_possible;"),
        "doubled answer": (r"(assign native_en = psel) & !penable;", r"\1;"),
    },
}


@pytest.fixture(autouse=True)
def _test_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cocotb imports is found where `sys.path` says."""
    monkeypatch.syspath_prepend(str(HERE))


@pytest.fixture(scope="module")
def device() -> System:
    return system(FORMS["one beat"])


def failures(
    device: System,
    bus: str,
    folder: Path,
    fault: tuple[str, str] | None = None,
    simulator: str = "icarus",
) -> int:
    """How many of the two tests fail on the text, with a fault in one place."""
    pytest.importorskip(f"cocotbext.{re.sub('4.*', '', bus)}")
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    top, verilog = device.verilog(bus)
    if fault is not None:
        verilog, count = re.subn(*fault, verilog, flags=re.M)
        assert count == 1
    (folder / "design.v").write_text(verilog + around(device, bus, top))
    runner = get_runner(simulator)
    runner.build(
        sources=[folder / "design.v"],
        hdl_toplevel="host",
        build_dir=folder / "build",
        timescale=("1ns", "1ps"),
        build_args=["-Wno-fatal"] if simulator == "verilator" else [],
    )
    with contextlib.suppress(SystemExit):  # of a run with failures
        runner.test(
            hdl_toplevel="host",
            test_module=MODULES[bus],
            build_dir=folder / "build",
            test_dir=folder,
            results_xml=str(folder / "results.xml"),
            extra_env={"REGISTERS": json.dumps(registers(device, bus))},
        )
    tests, failed = get_results(folder / "results.xml")
    assert tests == 2
    return int(failed)


def around(device: System, bus: str, top: str) -> str:
    """A module whose registers drive the inputs: in Icarus a net forgets what is put on it before
    the simulation begins."""
    ports = buses.REGISTRY[bus].ports(device.regs.address_bits)
    kinds = {"input": "reg", "output": "wire"}
    lines = [
        f"  {kinds[port.direction]} [{port.width - 1}:0] {port.name}"
        f"{' = 0' if port.direction == 'input' else ''};"
        for port in ports
    ]
    pins = ", ".join(f".{port.name}({port.name})" for port in ports)
    return "\n".join(["", "module host;", *lines, f"  {top} dut ({pins});", "endmodule", ""])


def registers(device: System, bus: str) -> dict[str, object]:
    """What the tests of cocotb have to know of them."""
    regs = device.regs
    fields = ("beats", "first", "last")
    return {name: regs.by_name[name].address for name in ("status", "enables", "id")} | {
        "bus": bus,
        "wiping": regs.bits("status", "wiping").mask,
        "nothing": regs.unit - 4,
        "id_value": regs.by_name["id"].value,
        "version_value": regs.by_name["version"].value,
        "window": regs.window["a"].address,
        "every": sum(bits.mask for bits in regs.by_name["enables"].fields),
        "send": regs.by_name["operand_send"].address,
        "sent": sum(1 << regs.bits("operand_send", name).low for name in fields),
    }


@pytest.mark.parametrize("bus", FAULTS)
def test_in_icarus(device: System, bus: str, tmp_path: Path) -> None:
    if not icarus.installed():
        pytest.skip("needs Icarus Verilog")
    assert failures(device, bus, tmp_path) == 0


@pytest.mark.parametrize("bus", FAULTS)
def test_in_verilator(
    device: System, bus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which("perl") or not shutil.which("make") or not shutil.which("g++"):
        pytest.skip("needs perl, make and g++")
    monkeypatch.setenv("VERILATOR_ROOT", str(verilator.root()))
    monkeypatch.setenv("PATH", f"{verilator.root() / 'bin'}:{os.environ['PATH']}")
    assert failures(device, bus, tmp_path, simulator="verilator") == 0


@pytest.mark.parametrize(
    ("bus", "name"), [(bus, name) for bus, faults in FAULTS.items() for name in faults]
)
def test_injected_faults_are_found(device: System, bus: str, name: str, tmp_path: Path) -> None:
    if not icarus.installed():
        pytest.skip("needs Icarus Verilog")
    assert failures(device, bus, tmp_path, FAULTS[bus][name]) > 0
