"""A driver in C99 for a design behind its registers: one header, one source."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from modmul.arithmetic.words import to_words
from modmul.errors import SpecError, refusal
from modmul.export import names
from modmul.export.hdl import heading
from modmul.export.testbench import templates
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import abbreviated
from modmul.processors.engine.instructions import FLAGS
from modmul.processors.packets import Chance
from modmul.spec import Spec
from modmul.spec.keys import LONGEST_NAME
from modmul.system import loadables, operations
from modmul.system.channels import WORD
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.registers import RegisterMap
from modmul.system.selftest import selftest

FOLDER = "driver"
_WHAT = {
    "_selftest.c": "self-test with known answers, in C99",
    "_random.c": "source of random numbers, yours to write in a copy: does not compile",
    ".h": "driver in C99, header",
    ".c": "driver in C99, source",
}
_QUIET = 1000  # polls that a wait may take beyond the cycles of operation and transfer
_COLUMNS = 100
_TRAILING = re.compile(r"(?P<code>\s*\S.*?)\s*/\* (?P<comment>[^*]*) \*/$")
_BREAK = re.compile(r"(?<=,) (?=\S)| (?=(?:&&|\|\||\?|:|\||\+|\*|=) )")
# Functions and variables that other files see; `static` ones are indented or begin with that word.
_EXTERNAL = re.compile(r"^(?!static|typedef)[a-z].*?\b(\w+)(?:\(| = \{)", re.MULTILINE)


def driver(spec: Spec, regs: RegisterMap, name: str) -> dict[str, str]:
    """The texts by their file names: header and source; for a processor also a self-test,
    and, if it draws random numbers, the beginning of the function that gives them.  name: of the
    design and its banks, since a driver is the same for all buses."""
    design, file = spec.design, name.lower()
    told_lines = heading(design, {"architecture": design.name} | design.options, " *").rstrip("\n")
    channels = {channel.name: channel for channel in regs.channels}
    context = {
        "header": f"/*\n{told_lines}\n */\n",
        "title": spec.title,
        "regs": regs,
        "file": file,
        "p": file,
        "P": file.upper(),
        "multiplies": isinstance(design, Multiplier),
        "loads": isinstance(design, Multiplier) and design.modulus_at == "run time",
        "carry": "a_carry" in regs.window,
        "out_carry": "result_carry" in regs.window,
        "lengths": isinstance(design, Multiplier) and design.lengths is not None,
        "operand": channels["operand"],
        "result": regs.result,
        "modulus": channels.get("modulus"),
        "bank_pitch": regs.unit * len(regs.result.lanes),
        "own": _own(spec, regs),
        "own_name": _named(spec),
        "patience": _patience(spec, regs),
        "draws": False,
    }
    texts = dict[str, str]()
    environment = templates("modmul.system")
    if not isinstance(design, Multiplier):
        context |= _of_processor(spec, regs, file)
        functions = operations.functions(spec, operations.known(spec), file)
        texts["_selftest.c"] = selftest(spec, regs, functions)
        if context["draws"]:
            texts["_random.c"] = environment.get_template("driver_random.c.j2").render(context)
    own = {f".{end}": environment.get_template(f"driver.{end}.j2").render(context) for end in "hc"}
    texts = own | texts
    if spec.name is not None:
        _check_external_names("".join(texts.values()), file)
    return {f"{FOLDER}/{file}{end}": _folded(text) for end, text in texts.items()}


def what(file: str) -> str:
    return next(meaning for end, meaning in _WHAT.items() if file.endswith(end))


def _of_processor(spec: Spec, regs: RegisterMap, file: str) -> dict[str, Any]:
    """What the templates need in addition for a processor."""
    (stream,) = (stream for stream in spec.design.streams if stream.name == "modulus")
    every = operations.known(spec)
    functions = operations.functions(spec, every, file)
    return {
        "functions": functions,
        "signing": operations.signing_functions(functions),
        "loads": loadables.loads(spec, regs, functions),
        "draws": any(
            isinstance(number.source, Chance) for entry in every for number in entry.packets.numbers
        ),
        "kind": operations.kind(spec.processor),
        "what": f"a {operations.kind(spec.processor)}",
        "room": operations.room(spec, every),
        "own": spec.load is not None,
        "secret": stream.secret,
        "status_bits": min(FLAGS + (spec.design.protection == "full"), regs.result.bits),
    }


def loadable(spec: Spec) -> str:
    """What the spec loads (a key, a curve or a modulus) as C, for the driver of a design
    that may have been built without it.  Raises SpecError for a multiplier and for no load."""
    if spec.load is None:
        allowed = "a modulus, a curve or a key"
        raise SpecError("modulus", None, allowed, f"modulus: {allowed} must be given")
    processor, file = spec.processor, names.identifier(spec.title).lower()
    regs = register_map(processor, longest(replace(spec, modulus=None, curve=None)))
    functions = operations.functions(spec, operations.known(spec), file)
    if spec.curve:
        name = operations.called(spec.curve.name)
    else:
        name = f"{operations.kind(processor)}_{abbreviated(spec.load.modulus)}"
    text = loadables.loadable(processor, regs, spec.load, functions, f"{file}_{name}").text
    return f'#include "{file}.h"\n\n{_folded(text)}'


def packed(regs: RegisterMap, channel: str, beats: list[dict[str, int]]) -> list[int]:
    """A packet as words, for a channel with one window."""
    (each,) = (each for each in regs.channels if each.name == channel)
    (lane,) = each.lanes
    return to_words(lane.packed(beats), WORD, each.words_of(len(beats)))


def _own(spec: Spec, regs: RegisterMap) -> dict[str, Any] | None:
    """What the templates need to load the spec's modulus; None without one, or for a fixed
    one."""
    design = spec.design
    if spec.load is None or design.modulus_at != "run time":
        return None
    if not isinstance(design, Multiplier):
        return {}
    beats = design.load(spec.load.modulus, spec.load.field)["modulus"]
    setting = spec.setting
    operand = setting.beats if setting is not None else 0
    return {"words": packed(regs, "modulus", beats), "beats": len(beats), "operand": operand}


def _named(spec: Spec) -> str | None:
    shown = str(spec.curve.name if spec.curve else spec.modulus)
    return shown if len(shown) <= 40 else None


def _patience(spec: Spec, regs: RegisterMap) -> int:
    """The polls after which no answer will come; a poll takes at least one cycle."""
    moved = max(channel.beats * (channel.shifts + 4) for channel in regs.channels)
    computed = max(spec.design.latency(mode).maximum for mode in spec.modes)
    return int(_QUIET + 2 * computed + 4 * moved)


# ---- the lines of C texts -----------------------------------------------------------------------


def _folded(text: str) -> str:
    """The text with lines of at most 100 columns, as far as its names let it."""
    return "".join(f"{line}\n" for long in text.splitlines() for line in _lines(long))


def _lines(line: str) -> Iterator[str]:
    if len(line) <= _COLUMNS:
        yield line
        return
    indent = " " * (len(line) - len(line.lstrip()))
    if re.match(r"\s*(/\*|\*) ", line):
        yield from _comment(line, indent)
    elif trailing := _TRAILING.match(line):
        yield from _comment(f"{indent}/* {trailing['comment']} */", indent)
        yield from _lines(trailing["code"])
    else:
        further = indent + " " * (8 if line.endswith("{") else 4)
        while len(line) > _COLUMNS and (place := _place(line)):
            yield line[:place].rstrip()
            line = further + line[place:].lstrip()
        yield line


def _comment(line: str, indent: str) -> list[str]:
    """Fold a comment, or a line in one."""
    begun = f"{indent}{' ' * line.lstrip().startswith('/*')}* "
    return textwrap.wrap(
        line,
        _COLUMNS,
        initial_indent="",
        subsequent_indent=begun,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _place(line: str) -> int:
    """Where a line of code is broken: as late as possible in as few parentheses as possible;
    0 if it cannot be broken."""
    places = [match.start() for match in _BREAK.finditer(line, 0, _COLUMNS + 1)]
    places = [place for place in places if line[:place].strip()]
    late = [place for place in places if place > _COLUMNS // 2] or places
    return min(late, key=lambda place: (_depth(line[:place]), -place), default=0)


def _depth(text: str) -> int:
    return text.count("(") - text.count(")")


def _check_external_names(source: str, name: str) -> None:
    """Raise SpecError if external names of a C source, which begin with `name`, have the same first
    31 letters: a compiler need not tell such apart (C99, 5.2.4.1)."""
    externals = sorted({*_EXTERNAL.findall(source)})
    pairs = max(itertools.pairwise(externals), key=lambda pair: _alike(*pair))
    if (alike := _alike(*pairs)) >= LONGEST_NAME:
        allowed = f"at most {LONGEST_NAME - 1 - alike + len(name)} letters for this driver"
        why = f"C may take {' and '.join(pairs)} for the same"
        raise refusal("name", name, allowed, why)


def _alike(one: str, other: str) -> int:
    """How many first letters are the same."""
    return sum(1 for _ in itertools.takewhile(bool, map(str.__eq__, one, other)))
