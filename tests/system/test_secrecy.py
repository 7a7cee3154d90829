"""Constant time and unreadable inputs are proved of designs of every form on a bus, and faults that
let a secret out are found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bus_systems import FORMS, System, system_of_form
from modmul.system import buses, secrecy, text
from modmul.timing_proof.certificate import Certificate, prove
from modmul.toolchain.cache import Cache


def certificate(
    device: System, bus: str, folder: Path, fault: tuple[str, str] | None = None
) -> Certificate:
    """Of the text with a fault in one place."""
    module, verilog = text.on_bus(device.spec.design, device.written, device.regs, bus)
    if fault is not None:
        verilog, changed = re.subn(*fault, verilog, flags=re.M)
        assert changed == 1
    subject = secrecy.subject(device.spec.design, device.written, device.regs, bus, module, verilog)
    return prove(subject, Cache(folder))


CASES = [
    pytest.param(form, bus, marks=() if at % 4 == place else pytest.mark.long)
    for at, form in enumerate(FORMS)
    for place, bus in enumerate(buses.REGISTERED)
]


@pytest.mark.parametrize(("form", "bus"), CASES)
@pytest.mark.short("one beat-native", "processor-axi4lite")
def test_no_secret_gets_out(form: str, bus: str, tmp_path: Path) -> None:
    proof = certificate(system_of_form(form), bus, tmp_path)
    assert proof.claim == "constant"
    assert proof.proved, proof.verdict
    assert proof.method == "structural taint, by what is accessed"
    shell = buses.REGISTRY[bus]
    assert proof.secrets == shell.data[:1]
    assert shell.data[1] not in proof.controls
    assert "irq" in proof.controls


@pytest.mark.parametrize(
    ("bus", "fault"),
    [
        ("native", (r"(assign rdata = read_register)", r"\1 | operand_beat_a[31:0]")),
        ("native", (r"(error <= en & !is_possible)", r"\1 | wdata[0]")),
        (
            "native",
            (
                r"if \(writes & at_enables & wstrb\[0\]\)",
                "if (writes & at_a_window & wstrb[0])",
            ),
        ),
        ("native", (r"(assign irq = .*);", r"\1 | read_result[0];")),
        ("axi4lite", (r"(s_axi_awready = aw_started & !aw_full)", r"\1 & !native_wdata[0]")),
        ("axi4lite", (r"( response = native_error)", r"\1 | native_rdata[0]")),
    ],
    ids=["operand readable", "error", "enables", "interrupt", "ready", "response"],
)
@pytest.mark.short("operand readable")
def test_injected_faults_are_found(bus: str, fault: tuple[str, str], tmp_path: Path) -> None:
    proof = certificate(system_of_form("one beat"), bus, tmp_path, fault)
    assert not proof.proved and proof.path
