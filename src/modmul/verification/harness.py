"""The Verilog around a design. It gives every design the same ports, so that one driver serves all.

Inputs that the design does not have are left open; outputs that it does not have are constant."""

from __future__ import annotations

from modmul.design import Interface
from modmul.export.ports import ports
from modmul.multipliers.contract import Multiplier

TOP = "modmul_harness"


def harness(multiplier: Multiplier, module: str, interface: Interface) -> str:
    """The Verilog of module TOP, which holds one instance, `dut`, of `module`."""
    present = {port.name for port in ports(multiplier, interface)}
    declared = [
        f"  {direction} {f'[{width - 1}:0] ' if width > 1 else ''}{name}"
        for name, direction, width in _ports(multiplier)
    ]
    connected = [f"    .{name}({name})" for name, _, _ in _ports(multiplier) if name in present]
    constant = [
        f"  assign {name} = {int(name.endswith('_ready'))};"
        for name, direction, _ in _ports(multiplier)
        if direction == "output" and name not in present
    ]
    lines = [
        f"module {TOP} (",
        ",\n".join(declared),
        ");",
        *constant,
        f"  {module} dut (",
        ",\n".join(connected),
        "  );",
        "endmodule",
        "",
    ]
    return "\n".join(lines)


def _ports(multiplier: Multiplier) -> list[tuple[str, str, int]]:
    """Return (name, direction, bits) of every port."""
    beat, result = multiplier.beat, multiplier.result_beat
    return [
        ("clk", "input", 1),
        ("rst", "input", 1),
        ("modulus_valid", "input", 1),
        ("modulus_ready", "output", 1),
        ("modulus_first", "input", 1),
        ("modulus_last", "input", 1),
        ("modulus_data", "input", multiplier.modulus_beat),
        ("operand_valid", "input", 1),
        ("operand_ready", "output", 1),
        ("operand_first", "input", 1),
        ("operand_last", "input", 1),
        ("operand_a", "input", beat),
        ("operand_b", "input", beat),
        ("operand_a_carry", "input", beat),
        ("operand_b_carry", "input", beat),
        ("operand_square", "input", 1),
        ("operand_add", "input", 1),
        ("operand_subtract", "input", 1),
        ("result_valid", "output", 1),
        ("result_ready", "input", 1),
        ("result_first", "output", 1),
        ("result_last", "output", 1),
        ("result_data", "output", result),
        ("result_carry", "output", result),
        ("result_fault", "output", 1),
    ]
