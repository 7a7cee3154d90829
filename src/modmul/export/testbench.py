"""The self-checking testbench that goes out with the HDL, in Verilog-2005."""

from __future__ import annotations

import functools

import jinja2

from modmul.export.hdl import Hdl, header
from modmul.export.ports import ports
from modmul.export.vectors import SHOWN, Plan
from modmul.multipliers.contract import Cycles, Multiplier
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


def latency(spec: Spec) -> Cycles:
    """First operand beat in to last result beat out of the module that `spec` asks for, when the
    core is ready at once: all its modes together."""
    every = [spec.multiplier.latency(mode) for mode in spec.multiplier.modes]
    extra = traffic(spec.multiplier).adapter_latency if spec.interface == "stream" else 0
    mean = sum(one.mean for one in every) / len(every)
    low, high = min(one.minimum for one in every), max(one.maximum for one in every)
    return Cycles(low + extra, mean + extra, high + extra)


def testbench(spec: Spec, hdl: Hdl, name: str, plan: Plan, files: list[str]) -> str:
    """Modules `<name>_tb`, and `<name>_check`, which has the clock as its only port.

    files: the names that are simulated together with it, said in its header."""
    multiplier = spec.multiplier
    intervals = [multiplier.interval(mode) for mode in multiplier.modes]
    longest = max(one.maximum for one in intervals)
    constant = len({bound for one in intervals for bound in (one.minimum, one.maximum)}) == 1
    found, stream = ports(multiplier, spec.interface), spec.interface == "stream"
    fields = [p for p in found if p.field not in (None, "valid", "ready", "first", "last")]
    span = latency(spec)
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
            beats=multiplier.beats,
            beat=multiplier.beat,
            result_beat=multiplier.result_beat,
            modulus_beat=multiplier.modulus_beat,
            load_beats=len(plan.loads[0]) if plan.loads else 0,
            slots=multiplier.slots,
            latency=span,
            wait=longest,
            interval=longest if constant else 0,
            timeout=_timeout(multiplier, plan, span.maximum, longest),
            items=plan.items,
            traced=SHOWN,
            products=plan.products,
            loads=[_packed(load, multiplier.modulus_beat) for load in plan.loads],
            hex=lambda value, bits: f"{bits}'h{value:x}",
        )
    )


def _packed(beats: list[int], bits: int) -> int:
    """Beats as one number, the first in its lowest bits."""
    return sum(value << (bits * j) for j, value in enumerate(beats))


def _timeout(multiplier: Multiplier, plan: Plan, span: int, interval: int) -> int:
    """Cycles that the whole plan cannot take."""
    beats = multiplier.beats + (len(plan.loads[0]) if plan.loads else 0)
    return sum(item.gap + span + interval + 8 * beats + 8 for item in plan.items) + 1000
