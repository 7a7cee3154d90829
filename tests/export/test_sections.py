"""Notes of the designer in the emitted Verilog: sections, signals, ports, figures."""

from __future__ import annotations

import functools
import itertools
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import ClassVar

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory

from modmul import multipliers
from modmul.export.hdl import emit
from modmul.export.remarks import Remarks
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.interleaved import Interleaved
from modmul.multipliers.signature import core_signature


@dataclass(frozen=True, kw_only=True)
class _Noted(Interleaved):
    def create(self) -> wiring.Component:
        return _NotedCore(self)


class _NotedCore(wiring.Component):
    """Takes sums of {width} bits; {this} and {a, b} are no figures."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "words of {width} bits": {
            "sum_d[0-9]*": "the sum so many cycles ago",
            "total": "all of it",
            "words": "one word of {width} bits",
        },
        "result": {"difference": "never negative", "late": "a note " * 20 + "of many lines"},
    }
    PORT_NOTES: ClassVar[dict[str, str]] = {"operand_a": "below 2^{width}", "modulus_*": "unused"}

    def __init__(self, parameters: Interleaved):
        self.parameters = parameters
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.words = words = Memory(shape=8, depth=4, init=[])
        read, write = words.read_port(domain="comb"), words.write_port()
        total, difference, late, helper, open_end = (
            Signal(8, name=name) for name in ("total", "difference", "late", "helper", "open_end")
        )
        first, second = Signal(8, name="sum_d1"), Signal(8, name="sum_d2")
        m.d.comb += [
            total.eq(self.operand.p.a + self.operand.p.b + late),
            difference.eq(first ^ second ^ total),
            read.addr.eq(total),
            write.addr.eq(difference),
            write.data.eq(helper),
            write.en.eq(difference[7]),
            self.operand.ready.eq(helper[0]),
            self.result.p.data.eq(difference ^ read.data ^ open_end),
            self.result.valid.eq(difference[0]),
        ]
        m.d.sync += [
            first.eq(total),
            second.eq(first),
            late.eq(difference),
            helper.eq(second),
            open_end.eq(difference ^ 1),
        ]
        return m


@pytest.fixture(scope="module")
def core() -> str:
    emitted = emit(_Noted(width=8))
    start = emitted.verilog.index("// The bare core")
    return emitted.verilog[start:].partition("\nendmodule")[0] + "\nendmodule\n"


def test_sections_hold_what_was_named_in_that_order_with_its_notes(core: str) -> None:
    ahead, words, result = re.split(r"^  // ---- .*$", core, flags=re.M)[1:]
    titles = re.findall(r"^  // ---- (.*)$", core, re.M)
    assert titles[1:] == ["words of 8 bits", "result"]
    assert re.search(
        r"reg \[7:0\] sum_d1.*// the sum so many cycles ago\n"
        r".*reg \[7:0\] sum_d2.*// likewise\n",
        words,
    )
    assert "  // one word of 8 bits\n  reg [7:0] words [0:3];\n" in words
    assert re.search(r"^  wire \[7:0\] total.* // all of it$", words, re.M)
    assert "sum_d2 <= sum_d1;" in words and "late <= difference;" in result
    assert re.search(
        r"^  // a note .*\n(  // .*\n)*  // .*of many lines\n  reg \[7:0\] late", ahead, re.M
    )
    assert "wire [7:0] difference;" in ahead and "  assign difference = " in result


def test_what_is_not_named_goes_with_what_it_feeds_or_what_feeds_it(core: str) -> None:
    """`helper` feeds the memory, `open_end` nothing but a port."""
    _, words, result = re.split(r"^  // ---- .*$", core, flags=re.M)[1:]
    assert "helper <= sum_d2;" in words and "reg [7:0] open_end" in result
    assert "words[" in words and "assign result_data" in result


def test_figures_stand_in_comments_and_other_braces_stay(core: str) -> None:
    assert "// Takes sums of 8 bits; {this} and {a, b} are no figures." in core
    assert re.search(r"operand_a, +// below 2\^8$", core, re.M)
    assert len(re.findall(r"modulus_\w+,? +// unused$", core, re.M)) == 5


@pytest.mark.skipif(not shutil.which("iverilog"), reason="needs Icarus Verilog")
def test_nothing_is_read_before_it_is_declared(core: str, tmp_path: Path) -> None:
    (tmp_path / "core.v").write_text(core)
    subprocess.run(["iverilog", "-Wall", "-o", "core", "core.v"], cwd=tmp_path, check=True)


_emitted = functools.cache(emit)
_NAMED = re.compile(
    r"^ *(?:(?:reg|wire)(?: \[[^\]]+\])? |\w+ (?:#\([^\n]*\) )?(?=\w+ \($)|\) )(\w+)", re.M
)
_FEW = 1
_PORT = re.compile(r"^  (?:in|out)put (?:reg|wire)(?: \[[^\]]+\])? (\w+)", re.M)


_DECLARED = re.compile(
    r"^ *(?:\(\*.*?\*\) *)?(?:(?:in|out)put )?(?:reg|wire|integer)(?: \[\d+:0\])? (\w+)", re.M
)


def _too_early(verilog: str) -> Iterator[str]:
    """Names that stand in a module before they are declared there."""
    plain = re.sub(r"//.*", "", verilog)
    for body in re.split(r"^module ", plain, flags=re.M)[1:]:
        first: dict[str, int] = {}
        for match in re.finditer(r"(?<![.\w'])[a-zA-Z_]\w*", body):
            first.setdefault(match[0], match.start())
        for match in _DECLARED.finditer(body):
            if first[match[1]] < match.start(1):
                yield f"{body.split(maxsplit=1)[0]}: {match[1]}"


def test_a_name_that_is_used_too_early_is_found() -> None:
    text = "module m (\n  input wire a\n);\n  part one (.b(late));\n  wire [1:0] late;\nendmodule\n"
    assert list(_too_early(text)) == ["m: late"]


# By default of every sixth architecture: what decides about the order is common to all.
@pytest.mark.parametrize(
    ("kind", "count"),
    [
        pytest.param(
            kind,
            count,
            id=f"{kind.name}-{count}",
            marks=() if count and place % 6 == 0 else pytest.mark.long,
        )
        for count in (_FEW, None)
        for place, kind in enumerate(multipliers.REGISTRY.values())
    ],
)
def test_every_net_of_the_examples_is_declared_before_it_is_used(
    kind: type[Multiplier], count: int | None, tmp_path: Path
) -> None:
    """By reading, which finds all, and by Icarus, if it is there, which knows the language."""
    for multiplier in itertools.islice(kind.examples(), count):
        emitted = _emitted(multiplier)
        assert not list(_too_early(emitted.verilog)), multiplier.title
        if not shutil.which("iverilog"):
            continue
        (tmp_path / "text.v").write_text(emitted.simulated)
        command = ["iverilog", "-g2005", "-Wimplicit", "-t", "null", "text.v"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), multiplier.title


def _lost() -> Iterator[str]:
    """Names and patterns with a note that are nowhere in any example; several classes can have the
    same note.  Of an architecture as many examples are emitted as it takes to find all that the
    first few know."""
    lost: dict[str, bool] = {}
    for kind in multipliers.REGISTRY.values():
        for count, multiplier in enumerate(kind.examples()):
            if count >= _FEW and not any(lost.values()):
                break
            emitted = _emitted(multiplier)
            for body in re.split(r"^module ", emitted.verilog, flags=re.M)[1:]:
                said = emitted.remarks.get(body.split(maxsplit=1)[0], Remarks())
                plain = re.sub(r"\(\*.*?\*\) *", "", body)
                for declaration, notes in ((_NAMED, said.sections.values()), (_PORT, [said.ports])):
                    names = declaration.findall(plain) + _PORT.findall(plain)
                    for pattern, text in (item for note in notes for item in note.items()):
                        key = f"{pattern}: {re.sub('[0-9]+', '#', text)}"
                        exists = any(fnmatchcase(name, pattern) for name in names)
                        lost[key] = lost.get(key, True) and not exists
    return (key for key, nowhere in lost.items() if nowhere)


@pytest.mark.long
def test_every_name_in_notes_is_one_of_the_text() -> None:
    """In one of the examples at least: a note on what is not there is never read."""
    assert not list(_lost())


def test_a_name_that_is_nowhere_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Noted, "examples", classmethod(lambda cls: [cls(width=8)]))
    monkeypatch.setattr(multipliers, "REGISTRY", {"noted": _Noted})
    monkeypatch.setitem(_NotedCore.NOTES, "more", {"helper": "is", "help": "is not", "words": "is"})
    monkeypatch.setitem(_NotedCore.PORT_NOTES, "opera[mo]d_b", "is not")
    own = [loss for loss in _lost() if loss.endswith(": is not")]
    assert own == ["help: is not", "opera[mo]d_b: is not"]


def test_a_module_is_told_by_another_where_figures_alone_differ() -> None:
    """The slices of a cascade add other things; the levels of a tree have other numbers."""
    begin = re.compile(r"^// (?:As (\w+))?.*\n(?:(?://|\(\*).*\n)*module (\w+) \(", re.M)
    cascade = _emitted(multipliers.find("fpmm")(width=64, target="xc7"))
    others = {name: other for other, name in begin.findall(cascade.verilog)}
    slices = {name for name in others if "_product_mac" in name}
    assert len(slices) == 3 and others.keys() >= {cascade.core}
    assert all("mac" in others[name] for name in slices if others[name])
    assert {cascade.remarks[name].above for name in slices if not others[name]} == {
        cascade.remarks[name].above for name in slices
    }
    array = _emitted(multipliers.find("tree-dadda")(width=32))
    pairs = [pair for pair in begin.findall(array.verilog) if pair[0]]
    assert pairs
    assert all(array.remarks[name].common == array.remarks[other].common for name, other in pairs)
