"""How readable the emitted Verilog is, in figures.

python -m benchmarks.readability [FILE ...]: two rows of a Markdown table for each of five designs,
as Yosys' `write_verilog` puts it and as it is emitted, or a row for each Verilog file. Of the names
declared: how many are generated (`n_12_`, `_12_`), how many are another one with a number behind
it, and how many are made of operators or helper words (`a_and_b`, `any_x`, `x_term`); besides the
lines, those of comments for each module, the longest line that is more than one number, and blocks
that begin with `always` for each module."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from modmul.design import Design
from modmul.export import hdl
from modmul.spec import Spec
from modmul.toolchain import scratch, yosys

DESIGNS: tuple[dict[str, Any], ...] = (
    {"architecture": "fpmm", "target": "ecp5", "modulus": "p256"},
    {"architecture": "fpmm", "target": "xc7", "width": 1024},
    {"architecture": "scs-mm-1", "target": "xc7", "width": 1024},
    {"architecture": "fips", "target": "ecp5", "width": 2048},
    {"architecture": "three-pass", "target": "xc7", "width": 256},
)
_DECLARES = re.compile(r"^ *(?:\(\*.*\*\) *)?(?:input|output|wire|reg)\b")
_NO_NAMES = re.compile(r"\(\*.*?\*\)|//.*$| = .*$|\[[^\]]*\]|\b(?:input|output|wire|reg)\b")
_GENERATED = re.compile(r"(?:n_\d+_|_\d+_)")
_OPERATOR = re.compile(
    r"\w+_(?:and|or|xor|plus|minus)_\w+|\w+_is_(?:not_)?\d+|(?:any|all|not)_\w+"
    r"|\w+_(?:term|choice|match|mismatch|difference|part)(?:_\d+)?"
)
_BY_YOSYS = "opt_clean -purge\nwrite_verilog -renameprefix n design.v"
_LITERAL = re.compile(r"\d+'[bdh][0-9a-fx]+")


class Figures(NamedTuple):
    """Of one text.  longest: characters of the longest line that is more than one literal."""

    lines: int
    modules: int
    names: int
    generated: int
    numbered: int
    operators: int
    comments: int
    longest: int
    always: int


def figures(verilog: str) -> Figures:
    """Count in a text."""
    lines = verilog.splitlines()
    names, generated, numbered, operators = 0, 0, 0, 0
    for body in re.split(r"^module ", verilog, flags=re.MULTILINE)[1:]:
        declared = dict.fromkeys(_names(body.splitlines()))
        names += len(declared)
        automatic = {name for name in declared if _GENERATED.fullmatch(name)}
        generated += len(automatic)
        operators += sum(_OPERATOR.fullmatch(name) is not None for name in declared)
        numbered += sum(_is_numbered(name, declared) for name in declared if name not in automatic)
    return Figures(
        len(lines),
        sum(line.startswith("module ") for line in lines),
        names,
        generated,
        numbered,
        operators,
        sum(line.lstrip().startswith("//") for line in lines),
        max(len(line) for line in lines if len(_LITERAL.sub("", line)) > 4),
        sum(line.lstrip().startswith("always ") for line in lines),
    )


def by_yosys(design: Design) -> str:
    """The same design as the text that Yosys writes."""
    _, written = hdl.words(list(hdl.components(design).values()), {}, {})
    with scratch.folder() as work:
        (work / "design.il").write_text(written)
        yosys.run(f"read_rtlil design.il\n{_BY_YOSYS}\n", work)
        return (work / "design.v").read_text()


def _names(lines: list[str]) -> list[str]:
    """The names that a module declares."""
    names = []
    for line in lines:
        if _DECLARES.match(line):
            names += re.findall(r"\w+", _NO_NAMES.sub("", line))
    return names


def _is_numbered(name: str, declared: dict[str, None]) -> bool:
    """Whether it is another name of the module with a number behind it."""
    match = re.fullmatch(r"(\w+?)_\d+", name)
    return match is not None and match[1] in declared


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.readability", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="Verilog (default: five designs)")
    given = parser.parse_args()
    texts = [(file.name, file.read_text()) for file in given.files]
    if not texts:
        for multiplier in (Spec.from_options(options).multiplier for options in DESIGNS):
            texts.append((f"{multiplier.title}, Yosys", by_yosys(multiplier)))
            texts.append((f"{multiplier.title}, emitted", hdl.emit(multiplier).verilog))
    print(
        "| design | lines | names | generated | numbered | operators | comments/module "
        "| longest line | always/module |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for title, text in texts:
        count = figures(text)
        print(
            f"| {title} | {count.lines} | {count.names} | {count.generated / count.names:.0%} "
            f"| {count.numbered} | {count.operators} | {count.comments / count.modules:.1f} "
            f"| {count.longest} | {count.always / count.modules:.1f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
