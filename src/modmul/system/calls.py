"""What a call of the driver moves over the bus, and about how long it takes a small CPU.

The costs were measured on PicoRV32 (rv32im, -Os) on AXI4-Lite in simulation, with drivers of a few
designs; `tests/system` compares what follows from them with what these designs take there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from modmul.multipliers.contract import Multiplier
from modmul.multipliers.streamed import added_latency
from modmul.processors import Processor
from modmul.processors.packets import Packets
from modmul.spec import Spec
from modmul.system.channels import WORD
from modmul.system.registers import RegisterMap

CPU = "PicoRV32 (rv32im, `-Os`, AXI4-Lite)"


class Cost(NamedTuple):
    """Cycles that the CPU needs for a call, for a word it writes, and for one it reads."""

    call: int
    written: float
    read: float


_PRODUCT = Cost(325, 29.5, 33)
_BY = Cost(265, 29.5, 33)
_CHAINED = Cost(160, 0, 0)
_OPERATION = Cost(8200, 555, 306)


class Call(NamedTuple):
    """One function of the driver.  written, read: words of operands and results that move over the
    bus.  core: cycles of the design, from its first beat to its last.  cpu: cycles of the whole
    call, roughly."""

    name: str
    written: int
    read: int
    core: int
    cpu: int


def calls(spec: Spec, register_map: RegisterMap) -> list[Call]:
    """The costs of the driver's functions, with what the spec loads; none for a processor
    whose spec loads nothing."""
    if isinstance(spec.design, Multiplier):
        return list(_products(spec.design, spec, register_map))
    return list(_operations(spec.processor, spec, register_map))


def added(described: Mapping[str, Any], spec: Spec, register_map: RegisterMap) -> dict[str, Any]:
    """The description of a bus together with the costs of calls."""
    every = [call._asdict() for call in calls(spec, register_map)]
    return {**described, "bus": {**described["bus"], "calls": every}}


def _call(name: str, written: int, read: int, core: int, cost: Cost) -> Call:
    about = core + cost.call + cost.written * written + cost.read * read
    return Call(name, written, read, core, round(about))


def _products(design: Multiplier, spec: Spec, register_map: RegisterMap) -> Iterator[Call]:
    mode = spec.headline
    core = design.latency(mode).maximum + added_latency(design, mode)
    beats = design.beats_in(mode)
    operand, result = register_map.channels[-2], register_map.result
    each = operand.words_of(beats) * (len(operand.lanes) // 2)
    read = result.words_of(beats) * len(result.lanes)
    yield _call("multiply", 2 * each, read, core, _PRODUCT)
    yield _call("multiply_by", each, read, core, _BY)
    if register_map.chained:
        yield _call("start with a_result, wait", 0, 0, core, _CHAINED)
    if register_map.banks:
        yield _call("start with banks, wait", 0, 0, core, _CHAINED)


def _operations(processor: Processor, spec: Spec, register_map: RegisterMap) -> Iterator[Call]:
    load = spec.load
    for operation in () if load is None else processor.operations_on(load):
        assert load is not None
        mode = processor.mode(operation, load)
        packets = processor.packets(mode, load)
        core = processor.latency(mode).maximum
        written = _written(packets, mode.length or 0)
        read = register_map.result.words_of(packets.beats)
        yield _call(operation, written, read, int(core), _OPERATION)


def _written(packets: Packets, length: int) -> int:
    """The words that one operation writes: all numbers, and the command."""
    bits = sum(
        -(-length // number.highest) * number.highest if number.highest else number.size
        for number in packets.numbers
    )
    return 1 + -(-bits // WORD)
