"""Whether two modules are the same circuit but for their pins, proved by a solver on their text."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from modmul.export.ports import Port
from modmul.toolchain import yosys
from prover import ABC

_SCRIPT = """read_verilog -formal {files}
hierarchy -top both
proc
memory_map
flatten -noscopeinfo
async2sync
opt -fast
setundef -undriven -zero
setundef -zero
techmap
simplemap
dffunmap
aigmap
opt_clean
write_aiger -I -B -zinit both.aig
"""


def equal(
    usual: tuple[str, str, Sequence[Port]],
    other: tuple[str, str, Sequence[Port]],
    pins: Mapping[str, str],
    folder: Path,
    *,
    more: str = "",
    usual_pins: Mapping[str, str] | None = None,
    when: str = "1'b1",
) -> bool:
    """Whether all outputs of two modules are the same in all cycles, from the start.  usual, other:
    text, name of the module, ports; equal ports are joined.  pins: what is at those of the other
    one that differ.  usual_pins: the same of the usual one.  more: Verilog beside the instances.
    when: the cycles that are compared."""
    (folder / "usual.v").write_text(usual[0])
    (folder / "other.v").write_text(other[0])
    (folder / "both.v").write_text(_both(usual, other, usual_pins or {}, pins, more, when))
    yosys.run(_SCRIPT.format(files="usual.v other.v both.v"), folder)
    command = [ABC, "-c", "read_aiger both.aig; fold; strash; scorr; dprove"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    verdict = {"are equivalent": True, "UNSATISFIABLE": True, "are not equivalent": False}
    answers = {answer for said, answer in verdict.items() if said in done.stdout}
    assert len(answers) == 1, done.stdout
    return answers.pop()


def _both(
    usual: tuple[str, str, Sequence[Port]],
    other: tuple[str, str, Sequence[Port]],
    usual_pins: Mapping[str, str],
    pins: Mapping[str, str],
    more: str,
    when: str,
) -> str:
    """The module `both`: its inputs are those of the usual module, besides those that `more`
    declares."""
    inputs = [port for port in usual[2] if port.direction == "input"]
    outputs = [port for port in usual[2] if port.direction == "output"]
    lines = [f"module both ({', '.join(f'input [{p.width - 1}:0] {p.name}' for p in inputs)});"]
    lines += [f"  wire [{p.width - 1}:0] a_{p.name}, b_{p.name};" for p in outputs]
    lines.append(more)
    for begin, (_, module, ports) in (("a", usual), ("b", other)):
        joined = {p.name: p.name if p.direction == "input" else f"{begin}_{p.name}" for p in ports}
        joined |= pins if begin == "b" else usual_pins
        pinned = ", ".join(f".{name}({joined[name]})" for name in (port.name for port in ports))
        lines.append(f"  {module} {begin} ({pinned});")
    same = " && ".join(f"a_{p.name} == b_{p.name}" for p in outputs)
    return "\n".join([*lines, f"  always @* assert (!({when}) || {same});", "endmodule", ""])
