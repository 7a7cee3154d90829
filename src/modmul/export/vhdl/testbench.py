"""Writes the self-checking testbench in VHDL-93, and the file of the steps that it takes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from modmul.export.hdl import Hdl, header
from modmul.export.ports import ENABLE, Port, ports, reset_of
from modmul.export.processor.plan import Offered, TestbenchPlan
from modmul.export.testbench import joined, latency, members, patience, templates
from modmul.export.vectors import Product, VectorPlan
from modmul.spec import Spec

_SEED = 1993
_WORK = 100_000_000_000  # cycles times characters
_PAUSE = 4  # the most cycles of a pause at random
_HANDSHAKE = ("valid", "ready")


@dataclass
class Step:
    """One beat.  beat: its fields.  flag: whether an operation begins or ends with it.  pause:
    cycles before it.  first, second: of a beat that goes in, beats of results and of the other
    stream before it; of one that comes out, the least and the most cycles."""

    beat: dict[str, int]
    flag: bool = False
    pause: int = 0
    first: int = 0
    second: int = 0


@dataclass
class Steps:
    """The steps of each stream.  gates: for each input stream, the one that it waits for."""

    streams: dict[str, list[Step]] = field(default_factory=dict)
    gates: dict[str, str] = field(default_factory=dict)
    request: str = ""


def testbench(
    spec: Spec, hdl: Hdl, name: str, plan: VectorPlan | TestbenchPlan, places: tuple[str, str]
) -> tuple[str, str]:
    """The entity `<name>_tb`, and its steps.

    places: the names of the file of the steps and of the list of files to simulate."""
    module_ports = ports(spec.design, spec.interface, hdl.pins)
    of_processor = isinstance(plan, TestbenchPlan)
    steps = of_operations(plan) if isinstance(plan, TestbenchPlan) else of_products(spec, plan)
    streams = [_stream(stream, steps, module_ports) for stream in steps.streams]
    file, files = places
    text = (
        templates()
        .get_template("testbench.vhd.j2")
        .render(
            header=header(spec.design, "--"),
            name=name,
            dut=hdl.top(spec.interface),
            steps=file,
            files=files,
            what="operations" if of_processor else "products",
            count=len(plan.operations if isinstance(plan, TestbenchPlan) else plan.products),
            first=_affordable(plan, len(hdl.vhdl)) if isinstance(plan, TestbenchPlan) else None,
            streams=streams,
            request=next(stream for stream in streams if stream["name"] == steps.request),
            gates=" and ".join(dict.fromkeys(steps.gates.values())),
            pins=list(_pins(streams, module_ports)),
            patience=patience(spec, plan),
            reset=reset_of(module_ports).name,
            reset_low=hdl.pins.reset_low,
            enable=ENABLE if hdl.pins.clock_enable else None,
        )
    )
    return text, "".join(_lines(streams))


def _affordable(plan: TestbenchPlan, size: int) -> int | None:
    """How many operations are run unless the user names another number, so that GHDL takes about a
    minute; None for all.  size: characters of the design."""
    cycles = itertools.accumulate(operation.cycles.maximum for operation in plan.operations)
    count = sum(sum_of_cycles * size <= _WORK for sum_of_cycles in cycles)
    return None if count == len(plan.operations) else max(1, count)


def _stream(name: str, steps: Steps, module_ports: Sequence[Port]) -> dict[str, Any]:
    """A stream of the testbench, with its fields, the highest bits first."""
    own = [port for port in module_ports if port.stream == name]
    payload = [port for port in own if port.field not in _HANDSHAKE][::-1]
    return {
        "name": name,
        "fields": payload,
        "width": sum(port.width for port in payload),
        "gate": steps.gates.get(name),
        "steps": steps.streams[name],
    }


def _pins(streams: Sequence[dict[str, Any]], every: Sequence[Port]) -> Iterator[tuple[str, str]]:
    """The ports of streams, each with what is connected to it."""
    for stream in streams:
        name, high = stream["name"], stream["width"]
        for port in every:
            if port.stream == name and port.field in _HANDSHAKE:
                yield port.name, f"{name}_{port.field}"
        for port in stream["fields"]:
            low = high - port.width
            place = f"{low}" if port.width == 1 else f"{high - 1} downto {low}"
            yield port.name, f"{name}_beat({place})"
            high = low


def _lines(streams: Sequence[dict[str, Any]]) -> Iterator[str]:
    for number, stream in enumerate(streams):
        for step in stream["steps"]:
            word = joined(step.beat, stream["fields"])
            digits = f"{word:0{-(-stream['width'] // 4)}x}"
            yield (f"{number} {int(step.flag)} {step.pause} {step.first} {step.second} {digits}\n")


# ---- of a multiplier --------------------------------------------------------------------------


def of_products(spec: Spec, plan: VectorPlan) -> Steps:
    """The steps of products.  One that is offered together with a modulus is offered behind it:
    which of them goes first is no matter of the plan."""
    chance, waits = random.Random(_SEED), spec.multiplier.slots > 1
    waits |= spec.multiplier.issue_slot_period > 1
    loads, operands, results = list[Step](), list[Step](), list[Step]()
    products = iter(plan.products)
    settings = iter(plan.loads)
    paused = spec.interface == "stream"
    for step in plan.steps:
        pauses = step.pauses and paused
        before = len(results) if step.after_all else 0
        if step.load:
            beats = _packet({"data": value} for value in next(settings))
            new = [Step(beat, first=before, second=len(operands)) for beat in beats]
            loads += new
        else:
            product = next(products)
            beats = _packet(_operand(spec, product))
            new = [Step(beat, first=before, second=len(loads)) for beat in beats]
            new[0].flag = True
            operands += new
            cycles = latency(spec, product.mode)
            most = cycles.maximum + spec.multiplier.interval(product.mode).maximum * waits
            answers = [Step(beat) for beat in _packet(_result(spec, product))]
            last = answers[-1]
            last.flag, last.first, last.second = True, cycles.minimum, most * step.alone
            answers[0].pause = plan.hold if step.hold else 0
            _pause(answers if pauses else [], chance)
            results += answers
        new[0].pause = step.idle
        _pause(new if pauses else [], chance)
    streams = {"modulus": loads, "operand": operands, "result": results}
    gates = {"modulus": "operand", "operand": "modulus"}
    if not loads:
        del streams["modulus"]
        gates = {"operand": "operand"}
    return Steps(streams, gates, "operand")


def _operand(spec: Spec, product: Product) -> Iterator[dict[str, int]]:
    beat, declared = spec.multiplier.beat, spec.multiplier.operations[1:]
    for place in range(spec.multiplier.beats_in(product.mode)):
        yield {
            name: value if name in declared else _part(value, beat, place)
            for name, value in product.operand.items()
        }


def _result(spec: Spec, product: Product) -> Iterator[dict[str, int]]:
    beat = spec.multiplier.result_beat
    for place in range(spec.multiplier.beats_in(product.mode)):
        parts = {name: _part(value, beat, place) for name, value in product.result.items()}
        yield parts | ({} if spec.multiplier.protection == "none" else {"fault": 0})


def _part(value: int, bits: int, place: int) -> int:
    return (value >> (bits * place)) & ((1 << bits) - 1)


def _packet(beats: Iterator[dict[str, int]]) -> list[dict[str, int]]:
    every = list(beats)
    return [
        {**beat, "first": int(place == 0), "last": int(place == len(every) - 1)}
        for place, beat in enumerate(every)
    ]


def _pause(steps: Sequence[Step], chance: random.Random) -> None:
    for step in steps:
        step.pause += chance.choice((0, 0, chance.randrange(1 + _PAUSE)))


# ---- of a processor ---------------------------------------------------------------------------


def of_operations(plan: TestbenchPlan) -> Steps:
    """The steps of operations, those behind the first `full_speed` with pauses on every
    stream."""
    chance = random.Random(_SEED)
    streams = {name: [_offered(beat) for beat in beats] for name, beats in plan.inputs.items()}
    streams["result"] = [Step(members(beat)) for beat in plan.results]
    for operation in plan.operations:
        streams[plan.request][operation.begins].flag = True
        streams["result"][operation.ends - 1].flag = True
    for operation in plan.operations[: plan.full_speed]:
        last = streams["result"][operation.ends - 1]
        last.first, last.second = operation.cycles.minimum, operation.cycles.maximum
    for steps in streams.values():  # everything comes twice
        _pause(steps[len(steps) // 2 :], chance)
    return Steps(streams, dict.fromkeys(plan.inputs, "modulus"), plan.request)


def _offered(offered: Offered) -> Step:
    return Step(members(offered), first=offered.results, second=offered.moduli)
