"""Describes an emitted design as plain JSON values, which the datasheet shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from modmul import targets
from modmul.blocks.core_timing import CoreTiming
from modmul.design import Design
from modmul.export.bounds import arithmetic
from modmul.export.constants import constants
from modmul.export.hdl import Hdl
from modmul.export.ports import Port, enable_of, is_asynchronous, is_low, ports, reset_of
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.setting import Setting, least
from modmul.multipliers.streamed import core_timing
from modmul.operation import Cycles, Mode
from modmul.spec import Spec
from modmul.targets import Limit
from modmul.timing_proof.certificate import Certificate
from modmul.toolchain import icarus
from modmul.toolchain.versions import version
from modmul.version import __version__

TOOLS = ("amaranth", "pyosys", "verilator")
# The fields of the record of `implement` that are not elsewhere in the description.
_MEASURED = (
    *("target", "device", "library", "lut", "ff", "dsp", "ram_bits", "ram_blocks", "area"),
    *("fmax_mhz", "estimate", "estimated_mhz", "critical_path", "adapter", "tools"),
)
_EIGHT = 8
_LENGTHS = 256  # the most lengths of which all cycles are listed


def describe(
    spec: Spec,
    hdl: Hdl,
    name: str,
    simulated: Mapping[str, str | None] | None = None,
    proof: Certificate | None = None,
    measured: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The description without the list of files.  Cycle counts are [smallest, largest].

    simulated: the verdict of each simulator; None if nothing was simulated.  proof: of the timing
    of the module that the spec asks for; None if there is none.  measured: the record of
    `implement` as plain values; None if nothing was measured."""
    multiplier, around = spec.multiplier, core_timing(spec.multiplier)
    own = ports(multiplier, spec.interface, hdl.pins)
    return {
        "name": name,
        "modmul": __version__,
        "spec": spec.options(),
        "summary": multiplier.summary,
        "sources": list(multiplier.sources),
        "modules": {"top": hdl.top(spec.interface), "core": hdl.core, "stream": hdl.stream},
        "ports": {
            interface: [plain_port(port) for port in ports(multiplier, interface, hdl.pins)]
            for interface in ("core", "stream")
        },
        "reset": plain_reset(reset_of(own)),
        **plain_enable(own),
        "streams": _streams(spec),
        "arithmetic": arithmetic(spec),
        "timing": timing(multiplier, proof),
        "timing_proof": proof.delivered if proof else None,
        "arithmetic_proof": None,
        "leaks": list(multiplier.leaks),
        "reload": multiplier.reload if multiplier.modulus_at == "run time" else None,
        "drop_latency": multiplier.drop_latency if multiplier.reload == "flushes" else None,
        "slots": multiplier.slots,
        "choices": _choices(spec),
        "cycles": {mode.name: _cycles(multiplier, mode, around) for mode in spec.modes},
        "cycles_by_length": _cycles_by_length(multiplier, around),
        "constants": _constants(spec),
        **found(spec, hdl, simulated, measured),
    }


def found(
    spec: Spec,
    hdl: Hdl,
    simulated: Mapping[str, str | None] | None,
    measured: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What ends every description: whether registers have initial values, the clock, area
    and clock as they were measured, named as `implement --json` names them, the verdicts of
    simulators, and the versions of the tools."""
    versions: dict[str, str | None] = {tool: version(tool) for tool in TOOLS}
    return {
        "initial_values": spec.design.chip.initial_values and not hdl.without_initial_values,
        "clock": clock(spec, hdl),
        "measured": measured and _measured(measured),
        "simulated": dict(simulated) if simulated else None,
        "tools": versions | ({"icarus": icarus.version()} if simulated else {}),
    }


def _measured(measured: Mapping[str, Any]) -> dict[str, Any]:
    """What a description says of a record; the design on its bus is one of its own."""
    figures = {key: measured[key] for key in _MEASURED if key in measured}
    return figures | ({"on_bus": _measured(measured["on_bus"])} if "on_bus" in measured else {})


def timing(multiplier: Design, proof: Certificate | None) -> str:
    """The declared timing; "constant" only if that is proved."""
    if multiplier.timing != "constant" or (proof is not None and proof.proved):
        return multiplier.timing
    return "no proof was made" if proof is None else proof.verdict


def plain_port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name,
        "width": port.width,
        "direction": port.direction,
        "meaning": port.meaning,
    }


def plain_reset(port: Port) -> dict[str, Any]:
    kind = "asynchronous" if is_asynchronous(port) else "synchronous"
    return {"port": port.name, "level": "low" if is_low(port) else "high", "kind": kind}


def plain_enable(module_ports: tuple[Port, ...]) -> dict[str, Any]:
    port = enable_of(module_ports)
    return {} if port is None else {"clock_enable": port.name}


def _streams(spec: Spec) -> dict[str, Any]:
    """The sizes of streams.  beats: with all words in use.  shortest: with the fewest.  own:
    with the spec's modulus, None without one."""
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
    """The choices at run time.  squares, operations: for each product.  beats: the number of
    first beats of a modulus that choose field and words in use.  lengths: the fewest and the most
    words.  own: the choice for the spec's modulus."""
    multiplier = spec.multiplier
    own = {"field": spec.mode.field, "words": spec.mode.words} if spec.mode else None
    return {
        "fields": list(multiplier.fields_built),
        "lengths": list(multiplier.lengths) if multiplier.lengths else None,
        "squares": multiplier.squares,
        "operations": list(multiplier.operations),
        "beats": multiplier.mode_header_beats,
        "own": own,
    }


def _cycles(multiplier: Multiplier, mode: Mode, around: CoreTiming) -> dict[str, Any]:
    """The cycles of a mode.  terms, latency, interval: [smallest, largest].  mean: of each,
    for random operands.  adapter: the cycles that the elastic adapter adds to the latency if nobody
    pauses.  next_slot: from the start of a product to that of the next one, in another slot."""
    terms, latency = multiplier.cycles(mode), multiplier.latency(mode)
    interval, slots = multiplier.interval(mode), multiplier.slots
    turn = multiplier.issue_slot_period
    return {
        "mode": {"operation": mode.operation, "field": mode.field, "words": mode.words},
        "terms": {term: span(count) for term, count in terms.items()},
        "latency": span(latency),
        "mean": mean(multiplier, mode),
        "adapter": around.added_latency(multiplier.beats_in(mode)),
        "interval": span(interval),
        "next_slot": turn if turn > 1 else interval.mean / slots,
        "per_product": multiplier.cycles_per_product(mode),
        "eight": multiplier.cycles_for(_EIGHT, mode),
    }


def _cycles_by_length(multiplier: Multiplier, around: CoreTiming) -> list[dict[str, Any]] | None:
    """Return, for each operation and field, the largest latency and interval at every length, and
    the cycles that the adapter adds.  from: the words of the first length.  None if there are more
    than `_LENGTHS` lengths."""
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


def mean(design: Design, mode: Mode) -> dict[str, Any]:
    terms = design.cycles(mode).items()
    return {
        "terms": {term: round(count.mean, 2) for term, count in terms},
        "latency": round(design.latency(mode).mean, 2),
        "interval": round(design.interval(mode).mean, 2),
    }


def _constants(spec: Spec) -> Any:
    """As `modmul constants` prints them; None without a modulus."""
    if spec.modulus is None or spec.multiplier.montgomery_factor is None:
        return None
    return msgspec.to_builtins(constants(spec))


def clock_limit(spec: Spec, hdl: Hdl) -> Limit | None:
    """The limit of the slowest hard block in the design; None if none is known.

    Blocks are instances in the text, or what synthesis infers: as many as the estimate says."""
    chip, size = spec.design.chip, spec.design.forecast()
    cells = {limit.block for limit in chip.limits if re.search(rf"\b{limit.block}\b", hdl.verilog)}
    cells |= chip.hard_blocks(dsp=size.dsp > 0, block_ram=size.ram_bits > 0)
    limits = targets.limits(chip, targets.find_device(chip, spec.device), cells)
    return limits[0] if limits else None


def clock(spec: Spec, hdl: Hdl) -> dict[str, Any]:
    """The clock of the constraints: the limit of the slowest hard block, if known."""
    limit = clock_limit(spec, hdl)
    if limit is None:
        return {"mhz": None, "limited_by": None, "source": None, "verified": None}
    return {
        "mhz": limit.mhz,
        "limited_by": limit.block,
        "source": limit.source,
        "verified": limit.verified,
    }
