"""modmul list [NAME]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from modmul import catalogue
from modmul.catalogue.entries import (
    ArchitectureEntry,
    Catalogue,
    CurveEntry,
    JobEntry,
    Jobs,
    ParameterEntry,
    ProcessorEntry,
    TargetEntry,
)
from modmul.cli.common import Json
from modmul.cli.output import group, show, table

if TYPE_CHECKING:
    from rich.console import RenderableType


def list_verb(
    name: Annotated[str | None, Parameter(name="NAME")] = None,
    /,
    *,
    json: Json = False,
) -> int:
    """List jobs, architectures, processors, targets, moduli and curves, or describe the one called
    NAME.

    Args:
        name: jobs, or a job, an architecture, a processor, a target, a modulus or a curve
    """
    if name is None:
        everything = catalogue.list_designs()
        show(everything, lambda: _everything(everything), json)
    else:
        entry = catalogue.describe(name)
        show(entry, lambda: _one(entry), json)
    return 0


def _everything(known: Catalogue) -> RenderableType:
    architectures = table("Architectures", "name", "what", "sources", "timing (declared)")
    for entry in known.architectures:
        architectures.add_row(entry.name, entry.summary, ", ".join(entry.sources), entry.timing)
    processors = table("\nProcessors", "name", "what", "sources")
    for processor in known.processors:
        processors.add_row(processor.name, processor.summary, ", ".join(processor.sources))
    targets = table("\nTargets", "name", "what", "kind", "devices")
    for target in known.targets:
        devices = target.devices[0] if target.devices else "-"
        more = f" and {len(target.devices) - 1} more" if len(target.devices) > 1 else ""
        targets.add_row(target.name, target.summary, target.kind, devices + more)
    moduli = table("\nModuli", "name", "field", "bits", "what", "source")
    for modulus in known.moduli:
        moduli.add_row(
            modulus.name, modulus.field, str(modulus.bits), modulus.summary, modulus.source
        )
    curves = table("\nCurves", "name", "form", "bits", "also called", "source")
    for curve in known.curves:
        curves.add_row(
            curve.name, curve.form, str(curve.bits), ", ".join(curve.aliases) or "-", curve.source
        )
    return group(_jobs(known.jobs), "", architectures, processors, targets, moduli, curves)


def _jobs(jobs: list[JobEntry]) -> RenderableType:
    rows = table("Jobs, for `modmul build JOB --target TARGET`", "name", "what")
    for job in jobs:
        rows.add_row(job.name, job.summary)
    return rows


def _one(entry: catalogue.Entry) -> RenderableType:
    if isinstance(entry, Jobs):
        return _jobs(entry.jobs)
    if isinstance(entry, JobEntry):
        facts = table("", "key", "value")
        for key, value in entry.spec.items():
            facts.add_row(key, str(value))
        return group(f"{entry.name}: {entry.summary}\n", facts)
    if isinstance(entry, ArchitectureEntry):
        return _architecture(entry)
    if isinstance(entry, ProcessorEntry):
        return _processor(entry)
    if isinstance(entry, CurveEntry):
        return _curve(entry)
    facts = table("", "what", "value")
    facts.add_row("name", f"{entry.name}: {entry.summary}")
    if isinstance(entry, TargetEntry):
        facts.add_row("kind", entry.kind)
        if entry.libraries:
            facts.add_row("libraries", f"{', '.join(entry.libraries)}, or any Liberty file")
        for key, value in (entry.dsp or {}).items():
            facts.add_row(f"DSP {key.replace('_', ' ')}", str(value))
        facts.add_row("default word", f"{entry.word} bits")
        if not entry.libraries:
            facts.add_row("devices", ", ".join(entry.devices) or "none named")
            if entry.devices:
                facts.add_row("taken unless named", entry.devices[0])
            for family, chip in entry.families.items():
                facts.add_row(f"as {family}", chip or "the same")
            facts.add_row("place and route", entry.router or "none comes with this package")
        for limit in entry.limits:
            grade = f", grade {limit.speed}" if limit.speed else ""
            facts.add_row(
                f"limit of {limit.block}{grade}", f"{limit.mhz:g} MHz, {limit.named_source}"
            )
    else:
        rows = [
            ("bits", str(entry.bits)),
            ("polynomial", entry.polynomial),
            ("value", entry.value),
            ("field", entry.field),
            ("source", entry.source),
            ("also called", ", ".join(entry.aliases) or "-"),
        ]
        for row in ((label, value) for label, value in rows if value is not None):
            facts.add_row(*row)
        if entry.curve is not None:
            return group(facts, "", _curve(entry.curve))
    return facts


def _curve(curve: CurveEntry) -> RenderableType:
    facts = table("", "what", "value")
    facts.add_row("curve", f"{curve.name}: {curve.summary}")
    facts.add_row("form", f"{curve.form}, {curve.equation}")
    facts.add_row("bits", str(curve.bits))
    facts.add_row("modulus", curve.modulus)
    for name, value in curve.coefficients.items():
        facts.add_row(name, value)
    facts.add_row("base point", "\n".join(curve.base))
    facts.add_row("its order", curve.order)
    facts.add_row("cofactor", curve.cofactor)
    facts.add_row("source", curve.source or "made for small designs and tests")
    facts.add_row("also called", ", ".join(curve.aliases) or "-")
    return facts


def _architecture(architecture: ArchitectureEntry) -> RenderableType:
    facts = table("", "what", "value")
    facts.add_row("name", f"{architecture.name}: {architecture.summary}")
    facts.add_row("kind", architecture.kind)
    facts.add_row("fields", ", ".join(architecture.fields))
    facts.add_row(
        "modulus",
        "at run time" if architecture.modulus_at == "run time" else architecture.modulus_at,
    )
    facts.add_row("timing (declared)", architecture.timing)
    facts.add_row("sources", ", ".join(architecture.sources) or "-")
    return group(facts, _parameters(architecture.parameters))


def _processor(processor: ProcessorEntry) -> RenderableType:
    facts = table("", "what", "value")
    facts.add_row("name", f"{processor.name}: {processor.summary}")
    for operation, operands in processor.operands.items():
        facts.add_row(
            "operation",
            f"{operation}: {', '.join(operands)} -> {', '.join(processor.results[operation])}",
        )
    facts.add_row(
        "multiplier",
        f"one of {', '.join(processor.multipliers)}; its parameters are keys of the spec, too",
    )
    facts.add_row("sources", ", ".join(processor.sources) or "-")
    return group(facts, _parameters(processor.parameters))


def _parameters(entries: list[ParameterEntry]) -> RenderableType:
    parameters = table("\nParameters", "key", "default", "allowed", "what")
    for entry in entries:
        default = "derived" if entry.default is None else str(entry.default)
        parameters.add_row(entry.name, default, entry.allowed, entry.help)
    return parameters
