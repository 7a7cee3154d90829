"""A driver in C99 for a design behind its registers: one header, one source."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from modmul.arithmetic.words import to_words
from modmul.errors import SpecError
from modmul.export import names
from modmul.export.hdl import heading
from modmul.export.testbench import templates
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import abbreviated
from modmul.processors.engine.instructions import FLAGS
from modmul.processors.packets import Chance
from modmul.spec import Spec
from modmul.system import c_text, loadables, operations
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
        c_text.check_external_names("".join(texts.values()), file)
    return {f"{FOLDER}/{file}{end}": c_text.folded(text) for end, text in texts.items()}


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
    return f'#include "{file}.h"\n\n{c_text.folded(text)}'


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
