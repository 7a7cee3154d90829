"""Draws the protocol of an emitted module, as a timing diagram of the first products of its own
testbench."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.arithmetic.words import to_words
from modmul.errors import CheckFailed
from modmul.export import waves
from modmul.export.ports import Port, ports
from modmul.export.turns import SHOWN
from modmul.export.vectors import VectorPlan
from modmul.multipliers.operations import OPERATIONS
from modmul.spec import Spec


def diagram(spec: Spec, plan: VectorPlan, output: str) -> str:
    """SVG of the first modulus and the first products.

    output: the text that the testbench printed.  Every beat is labelled with its place and compared
    with the plan.  Raises CheckFailed if the simulation shows another value."""
    cycles, values = waves.parse(output)
    streamed = [port for port in ports(spec.multiplier, spec.interface) if port.stream]
    rows, ends = [], {}
    for stream in dict.fromkeys(port.stream for port in streamed):
        own = [port for port in streamed if port.stream == stream]
        beats, counted = _beats(own, values, len(cycles))
        ends[stream] = counted
        for port in own:
            bus = port.field not in ("valid", "ready", "first", "last", "fault", *OPERATIONS)
            if bus:
                rows.append(waves.Wave(port.name, labels=_labels(spec, plan, port, beats, values)))
            else:
                rows.append(waves.Wave(port.name, bits=_bits(port, beats, values[port.name])))
    length = spec.multiplier.beats_in(plan.products[0].mode)
    first, last = ends["operand"][0], ends["result"][length - 1]
    text = f"first beat in to last beat out: {last - first + 1} cycles"
    title = f"Timing of {spec.title}: a modulus and {SHOWN} products"
    return waves.draw(rows, [waves.Span(first, last, text)], title, keep=(first, last))


def _beats(
    own: Sequence[Port], values: dict[str, list[int]], count: int
) -> tuple[list[int | None], list[int]]:
    """The number of the beat offered in each cycle, and the cycles in which beats are
    transferred."""
    names = {port.field: port.name for port in own}
    valid = values[names["valid"]]
    ready = values[names["ready"]] if "ready" in names else [1] * count
    offered: list[int | None] = []
    accepted: list[int] = []
    for i in range(count):
        offered.append(len(accepted) if valid[i] else None)
        if valid[i] and ready[i]:
            accepted.append(i)
    return offered, accepted


def _bits(port: Port, beats: Sequence[int | None], values: list[int]) -> list[bool]:
    """The bits as simulated; while no beat is offered, only those of the handshake count."""
    if port.field in ("valid", "ready"):
        return [bool(value) for value in values]
    return [bool(value) and beat is not None for value, beat in zip(values, beats, strict=True)]


def _labels(
    spec: Spec,
    plan: VectorPlan,
    port: Port,
    beats: Sequence[int | None],
    values: dict[str, list[int]],
) -> list[str | None]:
    """Labels such as a1.0: operand a of the second product, beat 0."""
    assert port.field is not None
    if port.stream == "modulus":
        numbers, letter = plan.loads, "N"
    else:
        operand = port.stream == "operand"
        numbers = [
            to_words(
                (product.operand if operand else product.result)[port.field],
                port.width,
                spec.multiplier.beats_in(product.mode),
            )
            for product in plan.products
        ]
        letters = {"data": "r", "carry": "rc"}
        letter = port.field.replace("_carry", "c") if operand else letters[port.field]
    places = [(packet, at) for packet, words in enumerate(numbers) for at in range(len(words))]
    labels: list[str | None] = []
    for beat, value in zip(beats, values[port.name], strict=True):
        if beat is None:
            labels.append(None)
            continue
        packet, place = places[beat]
        if value != numbers[packet][place]:
            raise CheckFailed(f"{port.name}: {letter}{packet}.{place} is {value:#x} in simulation")
        labels.append(f"{letter}{packet}" + (f".{place}" if len(numbers[packet]) > 1 else ""))
    return labels
