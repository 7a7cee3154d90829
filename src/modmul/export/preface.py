"""Writes the first comment in the Verilog of a design: its function, its times, its modules."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections import Counter
from collections.abc import Iterator

from modmul.design import Design
from modmul.export.remarks import COLUMNS, plain
from modmul.export.structure import Structure
from modmul.multipliers import streamed
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.operations import ADD, SUBTRACT
from modmul.operation import Cycles, Mode, OperandRule
from modmul.parameters import parameters
from modmul.processors.contract import Processor

_RESETS = (
    "After a reset no valid, no ready and no result depends on what memories and registers that "
    "it does not set held; initial values, where there are any, are for simulation and for the "
    "configuration of FPGAs."
)
_DELAYED = "x_d1, x_d2 and so on are registers: x, so many cycles later."
_MADE = (
    "Names that end in _next, _enable, _sum and _part belong to expressions without a name of "
    "their own: what x becomes at the clock edge, when it does, a sum before it is cut to the "
    "width of x, and a part of the expression for x."
)
_BEAT = (
    "A beat is what a stream carries in one cycle.  It is taken at the rising edge of clk at which "
    "valid and ready are high."
)


def preface(design: Design, core: str, stream: str, verilog: str) -> str:
    """core, stream: names of modules, the same for a processor."""
    lines = [
        *(
            _multiplier(design, core, stream)
            if isinstance(design, Multiplier)
            else _processor(design, stream)
        )
    ]
    delayed = _DELAYED if re.search(r"^  reg .*\b\w+_d1\b", verilog, re.MULTILINE) else ""
    made = _MADE if re.search(r"^  wire .*_(next|enable|sum|part) =", verilog, re.MULTILINE) else ""
    for text in filter(None, (_BEAT, _RESETS, delayed, made)):
        lines += [*_wrapped(text), ""]
    lines += ["Parameters:", *parameter_lines(design), ""]
    first = f"{stream.removesuffix('_stream')}_"
    lines.append(f"Modules; each name begins with {first}:")
    lines += [f"  {line.replace(first, '')}" for line in _tree(stream, Structure(verilog))]
    return "".join(f"// {line}".rstrip() + "\n" for line in lines) + "\n"


def _multiplier(multiplier: Multiplier, core: str, stream: str) -> Iterator[str]:
    for text in (
        computes(multiplier),
        f"Top module: {stream}, each stream of which may pause anywhere.  {core} is the core in "
        f"it, which never stalls.",
        timing(multiplier, multiplier.latency(), "Core"),
        timing(
            multiplier,
            streamed.latency(multiplier),
            "With the adapter, if nobody pauses",
            ", and those in which the operand waits for the core to be ready",
        ),
        _shorter(multiplier),
    ):
        yield from (*_wrapped(text), "") if text else ()


def _processor(processor: Design, top: str) -> Iterator[str]:
    assert isinstance(processor, Processor)
    about = processor.theory.split("\n\n")[0]
    moduli = f"Moduli N are loaded at run time: {processor.multiplier.moduli}."
    for text in (about, f"{moduli}  Top module: {top}, each stream of which may pause anywhere."):
        yield from (*_wrapped(text), "")
    yield "Operations: operands with their ranges -> results."
    modes = {mode.operation: mode for mode in reversed(processor.modes)}
    for name in processor.offered:
        ranges = (
            ", ".join(_ranges(processor, modes[name]))
            if name in modes
            else (", ".join(processor.operands[name]))
        )
        text = f"{name}: {ranges} -> {', '.join(processor.results[name])}"
        yield from textwrap.wrap(
            text, COLUMNS, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False
        )
    yield ""
    pace = "; the time depends on the operands" if processor.timing != "constant" else ""
    yield from _wrapped(
        "Cycles from the first beat of the command to the last beat of the result, both counted, "
        f"if no stream pauses{pace}."
    )
    widest = max(len(mode.name) for mode in processor.modes)
    for mode in processor.modes:
        yield f"  {mode.name:{widest}}  {_span(processor.latency(mode))}"
    yield ""


def _ranges(processor: Processor, mode: Mode) -> Iterator[str]:
    """The operands of an operation, with their ranges under a modulus of full length, or the
    one of the mode's curve."""
    curve = mode.curve
    modulus = curve.prime if curve else (1 << processor.width) - 1
    for limit, rules in itertools.groupby(
        processor.operand_rules(mode, modulus), lambda rule: _limit(rule, mode, modulus)
    ):
        yield f"{', '.join(rule.name for rule in rules)} {limit}"


def _limit(rule: OperandRule, mode: Mode, modulus: int) -> str:
    from_one = "from 1 and " * (rule.least == 1)
    if rule.below is None:
        return f"{from_one}of up to {rule.longest} bits"
    if rule.below == modulus:
        return f"{from_one}below N"
    if mode.curve is not None and rule.below == mode.curve.order:
        return f"{from_one}below the order"
    bits = (rule.below - 1).bit_length()
    return f"{from_one}{'below' if rule.below == 1 << bits else 'of at most'} " + (
        f"2^{bits}" if rule.below == 1 << bits else f"{bits} bits"
    )


def parameter_lines(design: Design) -> list[str]:
    """The architecture and its parameters, one on each line, with their meanings."""
    meanings = {f"architecture = {design.name}": f"the kind of {design.role}"}
    if isinstance(design, Processor):
        meanings[f"multiplier = {design.multiplier.name}"] = "the kind of its multipliers"
    helps = {
        name: parameter.help
        for kind in reversed(design.classes)
        for name, parameter in parameters(kind).items()
    }
    meanings |= {
        f"{name} = {plain(value)}": "if true: " * (value is False) + helps[name]
        for name, value in design.options.items()
        if value is not None and name != "multiplier"
    }
    widest = max(map(len, meanings))
    lines = []
    for name, help in meanings.items():
        start = f"  {name:{widest}}  "
        lines += textwrap.wrap(
            help, COLUMNS, initial_indent=start, subsequent_indent=" " * len(start)
        )
    return lines


def computes(multiplier: Multiplier) -> str:
    """The formula, and the ranges of operands and results."""
    factor, unit = multiplier.montgomery_factor, multiplier.modulus_bits
    if multiplier.kind == "plain":
        return f"Computes a*b; a and b are below {multiplier.operand_limit.formula}."
    power = f"2^{factor.bit_length() - 1}" if factor and factor > 1 else ""
    if multiplier.field_in_use == "binary":
        power = power.replace("2", "x", 1)
    formula = f"a*b/R mod N, R = {power}" if power else "a*b mod N"
    bounds = [limit.formula for limit in (multiplier.operand_limit, multiplier.result_limit)]
    longest = " at the longest length" if multiplier.lengths else ""
    odd = "odd, " if multiplier.taken.odd else ""
    sums = "; or a + b, a - b mod N" if ADD in multiplier.operations else ""
    return (
        f"Computes {formula}{longest}{sums}; N: {odd}at most {unit} bits.  Operands are below "
        f"{bounds[0]}, results below {bounds[1]}."
    )


def timing(multiplier: Multiplier, latency: Cycles, where: str, more: str = "") -> str:
    """Latency and interval in words; for a core with a choice, those of its longest product.

    more: the end of the sentence about the latency."""
    slots, interval = multiplier.slots, _span(multiplier.interval())
    data = "" if multiplier.timing == "constant" else ", depending on the operands,"
    pace = f"A new product every {'cycle' if interval == '1' else f'{interval} cycles'}."
    if slots > 1:
        pace = f"{slots} products in flight; each slot takes a new one every {interval} cycles."
    return (
        f"{where}: {_span(latency)} cycles{data} from the first beat of an operand to the last of "
        f"its result, both counted{more}.  {pace}"
    )


def _shorter(multiplier: Multiplier) -> str:
    """Say to which products these times apply, if not all products take the same."""
    if ADD in multiplier.operations:
        times = [
            f"{label} {_span(multiplier.latency(mode))} and {_span(multiplier.interval(mode))}"
            for label, mode in (("a + b", Mode(ADD)), ("a - b", Mode(SUBTRACT)))
        ]
        return f"Both are the times of a product; those of {times[0]}, of {times[1]} cycles."
    longest = multiplier.latency().maximum
    if len({multiplier.latency(mode) for mode in multiplier.modes}) == 1:
        return ""
    if longest != multiplier.worst("latency"):
        return "Other lengths, fields and squares take other times."
    kind = "multiplication" if multiplier.squares else "product"
    others = ["shorter ones take fewer cycles"] * bool(multiplier.lengths)
    others += ["squares as many or fewer"] * multiplier.squares
    of = " of operands of the longest length" if multiplier.lengths else ""
    return f"Both are the times of a {kind}{of}; {', '.join(others)}."


def _span(cycles: Cycles) -> str:
    low, high = cycles.minimum, cycles.maximum
    return str(low) if low == high else f"{low} to {high}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), COLUMNS, break_on_hyphens=False)


def _tree(top: str, structure: Structure) -> Iterator[str]:
    """A line for each module below `top`; modules whose names differ only in numbers share
    one."""
    yield from _branch(top, 1, structure, 0)


def _branch(module: str, count: int, structure: Structure, depth: int) -> Iterator[str]:
    times = f" ({count} instances)" if count > 1 else ""
    yield f"{'  ' * depth}{module}{times}"
    inside = _inside(module, structure)
    kinds: dict[str, list[str]] = {}
    for inner in inside:
        kinds.setdefault(re.sub(r"\d+", "", inner), []).append(inner)
    for alike in kinds.values():
        if len(alike) > 2 and not any(_inside(name, structure) for name in alike):
            instances = sum(inside[name] for name in alike)
            alike.sort(key=lambda name: [int(number) for number in re.findall(r"\d+", name)])
            more = f"{len(alike)} modules, {instances} instances"
            yield f"{'  ' * (depth + 1)}{alike[0]} to {alike[-1]} ({more})"
            continue
        for kind in alike:
            yield from _branch(kind, inside[kind], structure, depth + 1)


def _inside(module: str, structure: Structure) -> Counter[str]:
    """The modules of the text that a module uses, with the number of their instances."""
    used = (kind for _, kind in structure.units[module].children)
    return Counter(kind for kind in used if kind in structure.units)
