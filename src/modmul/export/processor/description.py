"""Describes an emitted processor as plain JSON values, which the datasheet shows."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from modmul.errors import SpecError
from modmul.export import description as shared
from modmul.export import keys, points
from modmul.export.hdl import Hdl
from modmul.export.ports import ports, reset_of
from modmul.export.processor.dialogue import dialogues
from modmul.operation import Mode, OperandRule
from modmul.processors import Load, Processor
from modmul.processors.packets import OperandBits
from modmul.spec import Spec
from modmul.timing_proof.certificate import Certificate
from modmul.version import __version__


def describe(
    spec: Spec,
    hdl: Hdl,
    name: str,
    simulated: Mapping[str, str | None] | None = None,
    proof: Certificate | None = None,
    measured: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The description without the list of files.  Entries and arguments have the same names
    as those of multipliers if they mean the same.  Cycle counts are [smallest, largest]."""
    processor, described = spec.processor, dialogues(spec)
    module_ports = ports(processor, "stream", hdl.pins)
    return {
        "name": name,
        "modmul": __version__,
        "role": processor.role,
        "spec": spec.options(),
        "summary": processor.summary,
        "sources": list(processor.sources),
        "modules": {"top": hdl.stream, "core": None, "stream": hdl.stream},
        "ports": {"stream": [shared.plain_port(port) for port in module_ports]},
        "reset": shared.plain_reset(reset_of(module_ports)),
        **shared.plain_enable(module_ports),
        "streams": _streams(spec),
        "operations": {
            name: _operation(spec, name) | {"dialogue": described.get(name)}
            for name in processor.offered
        },
        "multiplier": {
            "title": processor.multiplier.title,
            "summary": processor.multiplier.summary,
            "notes": list(processor.multiplier.notes),
        },
        "moduli": processor.multiplier.moduli,
        "keys": processor.key_text,
        "fields": list(processor.fields_built),
        "notes": list(processor.notes),
        "timing": shared.timing(processor, proof),
        "timing_proof": proof.delivered if proof else None,
        "secrets": list(processor.secrets),
        "leaks": list(processor.leaks),
        "copies": processor.copies,
        "slots": processor.slots,
        "terms": _terms(spec),
        "cycles": {mode.name: _cycles(processor, mode) for mode in spec.modes},
        "constants": _constants(spec),
        **shared.found(spec, hdl, simulated, measured),
    }


def _streams(spec: Spec) -> dict[str, Any]:
    """The streams.  beats: of the longest packet, None if the operation decides.  own: with
    the spec's modulus.  meaning, secret: of the payload."""
    processor, loaded, own = spec.processor, {}, {}
    large = _large(processor)
    if large is not None:
        loaded = processor.load(*large)
    if spec.load is not None:
        own = processor.load(*spec.load)
    return {
        stream.name: {
            "direction": stream.direction,
            "meaning": stream.meaning,
            "secret": stream.secret,
            "bits": sum(bits for bits, _ in stream.members.values()),
            "beats": len(loaded[stream.name]) if stream.name in loaded else None,
            "own": len(own[stream.name]) if stream.name in own else None,
        }
        for stream in processor.streams
    }


def _terms(spec: Spec) -> dict[str, str]:
    meanings = spec.processor.terms
    used = dict.fromkeys(term for mode in spec.modes for term in spec.processor.cycles(mode))
    return {term: meanings[term] for term in used}


def _large(processor: Processor, operation: str | None = None) -> Load | None:
    """A modulus of full length in the first field, or the longest curve or key, that allows
    this operation."""
    if processor.takes_curves:
        every = (
            load
            for load in points.edge_loads(processor)
            if operation is None or operation in processor.operations_on(load)
        )
        return next(every, None)
    if processor.takes_keys:
        keyed = (
            load
            for load in keys.edge_loads(processor)
            if operation is None or operation in processor.operations_on(load)
        )
        return next(keyed, None)
    top = 1 << processor.multiplier.modulus_bits
    for modulus in (top - 1, top - 3, top - 5):
        with contextlib.suppress(SpecError):
            load = Load(modulus, processor.fields_built[0])
            processor.load(*load)
            return load
    return None


def _operation(spec: Spec, name: str) -> dict[str, Any]:
    """Operands and results.  below: for the spec's modulus, None without one and if the
    length is the bound.  longest: the most bits.  streams: those that transfer the operand."""
    processor = spec.processor
    known = spec.load is not None and name in processor.operations_on(spec.load)
    load = spec.load if known else _large(processor, name)
    streams: dict[str, dict[str, None]] = {}
    if load is None:
        rules = tuple(OperandRule(operand, "", None) for operand in processor.operands[name])
    else:
        mode = processor.mode(name, load)
        rules = processor.operand_rules(mode, load.modulus)
        for number in processor.packets(mode, load).numbers:
            if isinstance(number.source, OperandBits):
                streams.setdefault(number.source.operand, {})[number.stream] = None
    return {
        "operands": [
            {
                "name": rule.name,
                "meaning": rule.meaning,
                "least": hex(rule.least),
                "below": hex(rule.below) if known and rule.below is not None else None,
                "length_is_public": rule.sized,
                "longest": rule.longest,
                "streams": list(streams.get(rule.name, ())),
            }
            for rule in rules
        ],
        "results": list(processor.results[name]),
    }


def _cycles(processor: Processor, mode: Mode) -> dict[str, Any]:
    """The cycles of one mode as for multipliers, with `length`, the bits of the exponent or
    scalar."""
    terms, latency = processor.cycles(mode), processor.latency(mode)
    interval = processor.interval(mode)
    return {
        "mode": {
            "operation": mode.operation,
            "field": mode.field,
            "words": mode.words,
            "length": mode.length,
            "curve": None if mode.curve is None else mode.curve.name,
        },
        "terms": {term: shared.span(count) for term, count in terms.items()},
        "latency": shared.span(latency),
        "mean": shared.mean(processor, mode),
        "interval": shared.span(interval),
        "per_product": processor.cycles_per_product(mode),
        "eight": processor.cycles_for(8, mode),
    }


def _constants(spec: Spec) -> list[dict[str, str]] | None:
    """The beats that load the spec's modulus, in order; None without one."""
    if spec.load is None:
        return None
    loaded = spec.processor.constants(*spec.load)
    return [{"name": word.name, "value": hex(word.value)} for word in loaded]
