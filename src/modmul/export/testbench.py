"""The self-checking testbench that goes out with the HDL, in Verilog-2005."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jinja2

from modmul.export.hdl import Hdl, header
from modmul.export.ports import ports
from modmul.export.turns import SHOWN
from modmul.export.vectors import Plan
from modmul.multipliers.contract import Cycles, Mode
from modmul.multipliers.streamed import traffic
from modmul.spec import Spec


@functools.cache
def templates(package: str = "modmul.export") -> jinja2.Environment:
    """The templates of a room."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package),
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
    """Products of one mode.  interval: cycles, at most; steady: always as many."""

    mode: Mode
    beats: int
    latency: Cycles
    interval: int
    steady: bool


def _kinds(spec: Spec, plan: Plan) -> list[Kind]:
    """The modes of the products, in the order in which they come first."""
    found = []
    for mode in dict.fromkeys(product.mode for product in plan.products):
        shortest, _, longest = spec.multiplier.interval(mode)
        beats = spec.multiplier.at(mode).beats
        found.append(Kind(mode, beats, latency(spec, mode), longest, shortest == longest))
    return found


def testbench(spec: Spec, hdl: Hdl, name: str, plan: Plan, files: str) -> str:
    """Modules `<name>_tb`, and `<name>_check`, which has the clock as its only port.

    files: the list of files to simulate, named in its header."""
    multiplier, stream = spec.multiplier, spec.interface == "stream"
    found = ports(multiplier, spec.interface)
    fields = [p for p in found if p.field not in (None, "valid", "ready", "first", "last")]
    return (
        templates()
        .get_template("testbench.v.j2")
        .render(
            header=header(multiplier, "//"),
            name=name,
            dut=hdl.top(spec.interface),
            stream=stream,
            files=files,
            ports=found,
            operand_fields=[p.field for p in fields if p.stream == "operand"],
            result_fields=[p.field for p in fields if p.stream == "result"],
            beat=multiplier.beat,
            result_beat=multiplier.result_beat,
            modulus_beat=multiplier.modulus_beat,
            slots=multiplier.slots,
            items=plan.items,
            traced=SHOWN,
            products=plan.products,
            loads=[_packed(load, multiplier.modulus_beat) for load in plan.loads],
            load_lengths=[len(load) for load in plan.loads],
            hex=lambda value, bits: f"{bits}'h{value:x}",
            **_figures(spec, plan),
        )
    )


def _figures(spec: Spec, plan: Plan) -> dict[str, Any]:
    """Beats and cycles.  kinds: empty where all products are of one; kind_of: their places in it.
    latency: of the first kind, longest: of all; interval: 0 where it is not always the same."""
    kinds = _kinds(spec, plan)
    places = {kind.mode: place for place, kind in enumerate(kinds)}
    beats, wait = max(kind.beats for kind in kinds), max(kind.interval for kind in kinds)
    longest = max(kind.latency.maximum for kind in kinds)
    load_beats = max(map(len, plan.loads), default=0)
    return {
        "kinds": kinds if len(kinds) > 1 else [],
        "kind_of": [places[product.mode] for product in plan.products],
        "beats": beats,
        "load_beats": load_beats,
        "bits_of": lambda field: 1 if field == "square" else beats * spec.multiplier.beat,
        "latency": kinds[0].latency,
        "longest": longest,
        "wait": wait,
        "hold": plan.hold,
        "interval": wait if all(kind.steady for kind in kinds) else 0,
        "timeout": _timeout(plan, longest + 2 * wait, beats + load_beats),
    }


def _packed(beats: list[int], bits: int) -> int:
    """Beats as one number, the first in its lowest bits."""
    return sum(value << (bits * j) for j, value in enumerate(beats))


def _timeout(plan: Plan, cycles: int, beats: int) -> int:
    """Cycles that the whole plan cannot take.  cycles, beats: of one product, at most."""
    held = plan.hold * sum(item.hold for item in plan.items)
    return sum(item.gap + cycles + 8 * beats + 8 for item in plan.items) + held + 1000
