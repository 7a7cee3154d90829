"""The self-checking testbench that goes out with the HDL, in Verilog-2005."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jinja2

from modmul.export.hdl import Hdl, header
from modmul.export.ports import ports
from modmul.export.vectors import SHOWN, Plan
from modmul.multipliers.contract import Cycles, Mode, Multiplier
from modmul.multipliers.streamed import traffic
from modmul.spec import Spec


@functools.cache
def templates() -> jinja2.Environment:
    """The templates of this room."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("modmul.export"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def latency(spec: Spec, mode: Mode) -> Cycles:
    """First operand beat in to last result beat out of the module that `spec` asks for, when the
    core is ready at once."""
    low, mean, high = spec.multiplier.latency(mode)
    if spec.interface == "core":
        return Cycles(low, mean, high)
    extra = traffic(spec.multiplier).added_latency(spec.multiplier.at(mode).beats)
    return Cycles(low + extra, mean + extra, high + extra)


class Kind(NamedTuple):
    """Products of one mode."""

    mode: Mode
    beats: int
    latency: Cycles
    interval: int


def _kinds(spec: Spec, plan: Plan) -> list[Kind]:
    """The modes of the products, in the order in which they come first."""
    multiplier = spec.multiplier
    return [
        Kind(mode, multiplier.at(mode).beats, latency(spec, mode), multiplier.interval(mode).maximum)
        for mode in dict.fromkeys(product.mode for product in plan.products)
    ]


def testbench(spec: Spec, hdl: Hdl, name: str, plan: Plan, files: list[str]) -> str:
    """Modules `<name>_tb`, and `<name>_check`, which has the clock as its only port.

    files: the names that are simulated together with it, said in its header."""
    multiplier, kinds = spec.multiplier, _kinds(spec, plan)
    longest, span = max(kind.interval for kind in kinds), max(kind.latency.maximum for kind in kinds)
    constant = all(multiplier.interval(kind.mode).minimum == kind.interval for kind in kinds)
    found, stream = ports(multiplier, spec.interface), spec.interface == "stream"
    fields = [p for p in found if p.field not in (None, "valid", "ready", "first", "last")]
    beats = max(kind.beats for kind in kinds)
    places = {kind.mode: place for place, kind in enumerate(kinds)}
    return (
        templates()
        .get_template("testbench.v.j2")
        .render(
            header=header(multiplier, "//"),
            name=name,
            dut=hdl.stream if stream else hdl.core,
            stream=stream,
            files=files,
            ports=found,
            operand_fields=[p.field for p in fields if p.stream == "operand"],
            result_fields=[p.field for p in fields if p.stream == "result"],
            kinds=kinds if len(kinds) > 1 else [],
            kind_of=[places[product.mode] for product in plan.products],
            beats=beats,
            beat=multiplier.beat,
            result_beat=multiplier.result_beat,
            modulus_beat=multiplier.modulus_beat,
            load_beats=max(map(len, plan.loads), default=0),
            slots=multiplier.slots,
            latency=kinds[0].latency,
            longest=span,
            wait=longest,
            interval=longest if constant else 0,
            timeout=_timeout(multiplier, plan, span, longest),
            items=plan.items,
            traced=SHOWN,
            products=plan.products,
            loads=[_packed(load, multiplier.modulus_beat) for load in plan.loads],
            load_lengths=[len(load) for load in plan.loads],
            bits_of=lambda field: 1 if field == "square" else beats * multiplier.beat,
            hex=lambda value, bits: f"{bits}'h{value:x}",
        )
    )


def _packed(beats: list[int], bits: int) -> int:
    """Beats as one number, the first in its lowest bits."""
    return sum(value << (bits * j) for j, value in enumerate(beats))


def _timeout(multiplier: Multiplier, plan: Plan, span: int, interval: int) -> int:
    """Cycles that the whole plan cannot take."""
    beats = multiplier.beats + max(map(len, plan.loads), default=0)
    return sum(item.gap + span + interval + 8 * beats + 8 for item in plan.items) + 1000
