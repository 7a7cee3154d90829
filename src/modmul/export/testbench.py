"""Writes the self-checking testbench that is delivered with the HDL, in Verilog-2005."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jinja2

from modmul.export.hdl import Hdl, header
from modmul.export.ports import ENABLE, Port, ports, reset_of
from modmul.export.processor.plan import Offered, TestbenchPlan
from modmul.export.steps import Writer, flags, kind_name
from modmul.export.turns import SHOWN
from modmul.export.vectors import VectorPlan
from modmul.multipliers import streamed
from modmul.multipliers.operations import OPERATIONS
from modmul.operation import Cycles, Job, Mode
from modmul.spec import Spec

_QUIET = 2000  # with so many cycles without a beat, besides the longest operation, it is stuck


@functools.cache
def templates(package: str = "modmul.export") -> jinja2.Environment:
    """The templates of a package, and those of this one."""
    packages = dict.fromkeys((package, "modmul.export"))
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(each) for each in packages]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def latency(spec: Spec, mode: Mode) -> Cycles:
    """The cycles from the first operand beat to the last result beat of the module that
    `spec` asks for, if the core is ready at once."""
    if spec.interface == "core":
        return spec.multiplier.latency(mode)
    return streamed.latency(spec.multiplier, mode)


def testbench(spec: Spec, hdl: Hdl, name: str, plan: VectorPlan | TestbenchPlan, files: str) -> str:
    """Modules `<name>_tb`, and `<name>_check`, which has the clock as its only port.

    files: the list of files to simulate, named in its header."""
    module_ports = ports(spec.design, spec.interface, hdl.pins)
    if isinstance(plan, TestbenchPlan):
        template, own = "processor_tb.v.j2", _of_processor(spec, plan, module_ports)
    else:
        template, own = "testbench.v.j2", _of_multiplier(spec, plan, module_ports)
    return (
        templates()
        .get_template(template)
        .render(
            header=header(spec.design, "//"),
            name=name,
            dut=hdl.top(spec.interface),
            files=files,
            ports=module_ports,
            reset=reset_of(module_ports).name,
            reset_low=hdl.pins.reset_low,
            enable=ENABLE if hdl.pins.clock_enable else None,
            **own,
        )
    )


# ---- of a multiplier --------------------------------------------------------------------------


class Kind(NamedTuple):
    """The products of one mode.  interval: the most cycles.  steady: whether the interval is always
    the same."""

    name: str
    beats: int
    latency: Cycles
    interval: int
    steady: bool


def _kinds(spec: Spec, plan: VectorPlan) -> list[Kind]:
    kinds = []
    for mode in dict.fromkeys(product.mode for product in plan.products):
        shortest, _, longest = spec.multiplier.interval(mode)
        beats = spec.multiplier.beats_in(mode)
        steady = shortest == longest
        kinds.append(Kind(kind_name(mode), beats, latency(spec, mode), longest, steady))
    return kinds


def _of_multiplier(spec: Spec, plan: VectorPlan, module_ports: tuple[Port, ...]) -> dict[str, Any]:
    multiplier = spec.multiplier
    fields = [
        p for p in module_ports if p.stream and p.field not in ("valid", "ready", "first", "last")
    ]
    results = [p.field for p in fields if p.stream == "result" and p.field != "fault"]
    figures = _figures(spec, plan)
    return {
        "stream": spec.interface == "stream",
        "operand_fields": [p.field for p in fields if p.stream == "operand"],
        "declared": multiplier.operations[1:],
        "result_fields": results,
        "protected": multiplier.protection != "none",
        "expected": ["result", "result_carry"][: len(results)],
        "beat": multiplier.beat,
        "result_beat": multiplier.result_beat,
        "modulus_beat": multiplier.modulus_beat,
        "slots": multiplier.slots,
        "waits": multiplier.slots > 1 or multiplier.issue_slot_period > 1,
        "how": flags(plan, spec.interface),
        "alone": sum(step.alone for step in plan.steps),
        "full_speed": sum(step.full_speed for step in plan.steps),
        "products": len(plan.products),
        "moduli": len(plan.loads),
        "meets": any(step.with_modulus for step in plan.steps),
        "traced": SHOWN,
        "plan": _written(spec, plan, fields, figures),
        **figures,
    }


def patience(spec: Spec, plan: VectorPlan | TestbenchPlan) -> int:
    """The cycles without a beat after which something is stuck."""
    if isinstance(plan, TestbenchPlan):
        return max(operation.cycles.maximum for operation in plan.operations) + _QUIET
    figures: dict[str, int] = _figures(spec, plan)
    return figures["patience"]


def _figures(spec: Spec, plan: VectorPlan) -> dict[str, Any]:
    """Beats and cycles.  kinds: empty if all products are of one kind.  latency: of the
    first kind.  longest: of all.  interval: 0 if it is not always the same."""
    kinds = _kinds(spec, plan)
    beats, wait = max(kind.beats for kind in kinds), max(kind.interval for kind in kinds)
    longest = max(kind.latency.maximum for kind in kinds)
    load_beats = max(map(len, plan.loads), default=0)
    each = longest + 2 * wait + 8 * (beats + load_beats) + 8
    idle = [step.idle for step in plan.steps]
    held = 2 * plan.hold * sum(step.hold for step in plan.steps)
    return {
        "kinds": kinds if len(kinds) > 1 else [],
        "beats": beats,
        "load_beats": load_beats,
        "bits_of": lambda field: 1 if field in OPERATIONS else beats * spec.multiplier.beat,
        "latency": kinds[0].latency,
        "longest": longest,
        "wait": wait,
        "hold": plan.hold,
        "interval": wait if all(kind.steady for kind in kinds) else 0,
        "patience": 1000 + each + wait + max(idle) + plan.hold,
        "timeout": 1000 + each * len(idle) + sum(idle) + held,
    }


def _written(
    spec: Spec, plan: VectorPlan, fields: list[Port], figures: dict[str, Any]
) -> list[str]:
    multiplier = spec.multiplier
    widths = {"modulus": figures["load_beats"] * multiplier.modulus_beat}
    for port in fields:
        if port.stream == "operand":
            widths[str(port.field)] = figures["bits_of"](port.field)
        elif port.stream == "result" and port.field != "fault":
            widths[f"result_{port.field}"] = figures["beats"] * multiplier.result_beat
    loads = [_packed(load, multiplier.modulus_beat) for load in plan.loads]
    return list(Writer(spec, plan, loads, widths, bool(figures["kinds"])).lines())


def _packed(beats: list[int], bits: int) -> int:
    """Beats as one number, the first in its lowest bits."""
    return sum(value << (bits * j) for j, value in enumerate(beats))


# ---- of a processor ---------------------------------------------------------------------------


def _of_processor(
    spec: Spec, plan: TestbenchPlan, module_ports: tuple[Port, ...]
) -> dict[str, Any]:
    streams = [_stream(stream.name, module_ports, plan) for stream in spec.processor.streams]
    return {
        "inputs": [stream for stream in streams if stream["name"] != "result"],
        "result": next(stream for stream in streams if stream["name"] == "result"),
        "request": plan.request,
        "plan": plan,
        "said": [_said(operation.job) for operation in plan.operations],
        "patience": patience(spec, plan),
    }


def _stream(name: str, module_ports: tuple[Port, ...], plan: TestbenchPlan) -> dict[str, Any]:
    """A stream of the testbench: its fields, highest bits first, and its beats packed."""
    fields = [port for port in module_ports if port.stream == name]
    payload = [port for port in fields if port.field not in ("valid", "ready")][::-1]
    beats = plan.results if name == "result" else plan.inputs[name]
    return {
        "name": name,
        "fields": payload,
        "width": sum(port.width for port in payload),
        "beats": [joined(members(beat), payload) for beat in beats],
        "offered": beats,
    }


def members(offered: Offered) -> dict[str, int]:
    """The fields of a beat by their names."""
    return {**offered.beat, "first": int(offered.first), "last": int(offered.last)}


def joined(beat: Mapping[str, int], payload: Sequence[Port]) -> int:
    """The fields of a beat as one number, the first of `payload` in its highest bits."""
    value = 0
    for port in payload:
        value = value << port.width | beat[str(port.field)]
    return value


def _said(job: Job) -> str:
    shown, mode = f"{job.modulus:#x}", job.mode.name
    return f"{mode}, N = {shown if len(shown) <= 40 else f'{shown[:40]}...'}"
