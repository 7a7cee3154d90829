"""The writer of Verilog: what it writes is what it was given, and can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modmul import multipliers
from modmul.errors import ToolFailed
from modmul.export import hdl, names
from modmul.export.ports import ports
from modmul.export.remarks import Remarks
from modmul.export.verilog import writer
from modmul.export.verilog.expressions import Binary, Concatenation, Name, Unary
from modmul.multipliers import Multiplier
from modmul.toolchain import yosys

EXAMPLES = [next(iter(one.examples())) for one in multipliers.REGISTRY.values()]
_READY = """
hierarchy -check -top {top}
proc
setattr -mod -unset keep_hierarchy *
flatten
memory_map
opt_clean
rename {top} {name}
design -stash {name}
"""


def _written(multiplier: Multiplier, folder: Path) -> tuple[str, str, dict[str, dict[str, str]]]:
    """A core as RTLIL without processes, as Verilog, and what is called how in that."""
    said = dict[str, Remarks]()
    given = hdl._rtlil(multiplier.create(), ports(multiplier, "core"), "unit", {}, said)
    (folder / "design.il").write_text(given)
    yosys.run(f"read_rtlil design.il\n{hdl._SCRIPT}", folder)
    rtlil, known = (folder / "written.il").read_text(), names.sources(given)
    verilog = writer.verilog(rtlil, known, said, {"unit": {}})
    return rtlil, verilog, writer.plain_names(rtlil, known, said, ["unit"])


def _as_in_verilog(rtlil: str, found: dict[str, dict[str, str]]) -> str:
    """The same RTLIL with the names of the Verilog; those that it has not get others."""
    parts = re.split(r"(?m)^(?=(?:attribute .*\n)*module )", rtlil)
    head = "".join(part for part in parts if "module \\" not in part)
    bodies = {re.search(r"^module \\(\S+)", p, re.M)[1]: p for p in parts if "module \\" in p}  # type: ignore[index]
    tables = {}
    for module, body in bodies.items():
        local = dict.fromkeys(names._local(body))
        known = {old[1:]: new for old, new in found[module].items() if old.startswith("\\")}
        tables[module] = {
            old: known.get(old, f"unused_{place}") for place, old in enumerate(local)
        }
    same = {module: module for module in bodies}
    return head + "".join(
        names._renamed(body, same, tables[module], tables) for module, body in bodies.items()
    )


@pytest.mark.parametrize("multiplier", EXAMPLES, ids=lambda one: one.name)
def test_the_text_is_equivalent_to_what_it_was_made_from(
    multiplier: Multiplier, tmp_path: Path
) -> None:
    """Formally, register by register: Yosys' equiv."""
    log = _proof(multiplier, *_written(multiplier, tmp_path), tmp_path)
    proved = re.search(r"Of those cells (\d+) are proven and (\d+) are unproven", log)
    assert proved is not None and int(proved[1]) > multiplier.width and proved[2] == "0"


def test_another_circuit_is_not_equivalent(tmp_path: Path) -> None:
    multiplier = multipliers.find("interleaved")(width=4)
    rtlil, verilog, found = _written(multiplier, tmp_path)
    other = verilog.replace("if (total_1[6])", "if (total_1[5])")
    assert other != verilog
    with pytest.raises(ToolFailed, match="unproven"):
        _proof(multiplier, rtlil, other, found, tmp_path)


def test_long_lines_are_broken_where_the_same_stands_twice() -> None:
    """Every comma and operator is there, and nothing twice."""
    same, long = Unary(1, "!", Name(1, "a", 0, 1)), Name(8, "b" * 90, 0, 8)
    both = Concatenation(10, (same, long, same))
    joined = "".join("".join(both.lines("assign c = ", ";", "  ")).split())
    assert joined == f"assignc={{!a,{long.name},!a}};"
    chain = Binary(8, "|", Binary(8, "|", long, Name(8, "d", 0, 8)), long)
    words = " ".join(line.strip() for line in chain.lines("assign c = ", ";", "  "))
    assert words == f"assign c = {long.name} | d | {long.name};"


def test_names_that_differ_stay_different() -> None:
    names_of = ["a.b$1", "a_b$1", "a..b$1", "a.b", "a_b"]
    lines = "".join(f"  wire width 1 \\{name}\n" for name in names_of)
    text = names.plain(f"module \\top\n{lines}end\n", [])
    assert len(set(re.findall(r"\\(\S+)$", text, re.M)) - {"top"}) == len(names_of)


def _proof(
    multiplier: Multiplier,
    rtlil: str,
    verilog: str,
    found: dict[str, dict[str, str]],
    tmp_path: Path,
) -> str:
    """What Yosys says.  ToolFailed where the two are not proved equivalent."""
    (tmp_path / "gold.il").write_text(_as_in_verilog(rtlil, found))
    (tmp_path / "gate.v").write_text(verilog)
    models = [f"read_verilog -lib {file}" for file in multiplier.chip.model_files]
    script = [
        *models, "read_rtlil gold.il", _READY.format(top="unit", name="gold"),
        *models, "read_verilog gate.v", _READY.format(top="unit", name="gate"),
        "design -copy-from gold -as gold gold", "design -copy-from gate -as gate gate",
        "equiv_make gold gate equiv", "hierarchy -top equiv", "opt_clean",
        "equiv_simple -nogroup", "equiv_simple -seq 2", "equiv_status -assert",
    ]  # fmt: skip
    return yosys.run("\n".join(script), tmp_path)
