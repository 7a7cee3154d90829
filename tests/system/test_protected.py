"""A protected multiplier on a bus: its registers report a fault, and results are 0."""

from __future__ import annotations

from pathlib import Path

from bus_systems import system_of_form
from modmul.system.script import Script

BUS = "apb4"


def broken(text: str) -> str:
    """One of the two cores gets other operands."""
    before, copy_1, after = text.partition("_core_copy copy_1 (")
    assert copy_1
    return before + copy_1 + after.replace(".operand_b(", ".operand_b(~", 1)


def test_registers_report_a_fault(tmp_path: Path) -> None:
    system = system_of_form("protected")
    setting = system.spec.multiplier.over(0xFFFFD)
    script = Script(system.regs)
    script.poll("status", wiping=0)
    script.read("status", fault=0)
    script.load({"modulus": [{"data": value} for value in setting.loads]})
    script.packet(script.regs.channels[-2], {"a": 3, "b": 5}, setting.beats)
    script.poll("status", result=1)
    script.read("status", fault=1, result=1)
    script.read("events", fault=1, error=0)
    script.expect("result", 0, 1)
    script.write("control", wipe=1)
    script.poll("status", wiping=0)
    script.read("status", fault=0)
    assert system.passes(system.run(BUS, tmp_path, script.accesses, broken), script.accesses)
