"""modmul list [NAME]."""

from __future__ import annotations

from typing import Annotated

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
from modmul.cli.output import RenderableType, facts, group, show, table


def list_verb(
    name: Annotated[str | None, Parameter(name="NAME")] = None, /, *, json: Json = False
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
        listing = table("", "key", "value")
        for key, value in entry.spec.items():
            listing.add_row(key, str(value))
        return group(f"{entry.name}: {entry.summary}\n", listing)
    if isinstance(entry, ArchitectureEntry):
        return _architecture(entry)
    if isinstance(entry, ProcessorEntry):
        return _processor(entry)
    if isinstance(entry, CurveEntry):
        return _curve(entry)
    if isinstance(entry, TargetEntry):
        return _target(entry)
    modulus = facts(
        "",
        ("name", f"{entry.name}: {entry.summary}"),
        ("bits", entry.bits),
        ("polynomial", entry.polynomial),
        ("value", entry.value),
        ("field", entry.field),
        ("source", entry.source),
        ("also called", ", ".join(entry.aliases) or "-"),
    )
    return modulus if entry.curve is None else group(modulus, "", _curve(entry.curve))


def _target(target: TargetEntry) -> RenderableType:
    known = [(f"DSP {key.replace('_', ' ')}", value) for key, value in (target.dsp or {}).items()]
    if target.libraries:
        known.insert(0, ("libraries", f"{', '.join(target.libraries)}, or any Liberty file"))
    known.append(("default word", f"{target.word} bits"))
    if not target.libraries:
        known += [
            ("devices", ", ".join(target.devices) or "none named"),
            ("taken unless named", target.devices[0] if target.devices else None),
            *((f"as {family}", chip or "the same") for family, chip in target.families.items()),
            ("place and route", target.router or "none comes with this package"),
        ]
    for limit in target.limits:
        grade = f", grade {limit.speed}" if limit.speed else ""
        known.append((f"limit of {limit.block}{grade}", f"{limit.mhz:g} MHz, {limit.named_source}"))
    return facts("", ("name", f"{target.name}: {target.summary}"), ("kind", target.kind), *known)


def _curve(curve: CurveEntry) -> RenderableType:
    return facts(
        "",
        ("curve", f"{curve.name}: {curve.summary}"),
        ("form", f"{curve.form}, {curve.equation}"),
        ("bits", curve.bits),
        ("modulus", curve.modulus),
        *curve.coefficients.items(),
        ("base point", "\n".join(curve.base)),
        ("its order", curve.order),
        ("cofactor", curve.cofactor),
        ("source", curve.source or "made for small designs and tests"),
        ("also called", ", ".join(curve.aliases) or "-"),
    )


def _architecture(architecture: ArchitectureEntry) -> RenderableType:
    at = architecture.modulus_at
    about = facts(
        "",
        ("name", f"{architecture.name}: {architecture.summary}"),
        ("kind", architecture.kind),
        ("fields", ", ".join(architecture.fields)),
        ("modulus", "at run time" if at == "run time" else at),
        ("timing (declared)", architecture.timing),
        ("sources", ", ".join(architecture.sources) or "-"),
    )
    return group(about, _parameters(architecture.parameters))


def _processor(processor: ProcessorEntry) -> RenderableType:
    operations = [
        f"{name}: {', '.join(operands)} -> {', '.join(processor.results[name])}"
        for name, operands in processor.operands.items()
    ]
    multipliers = ", ".join(processor.multipliers)
    about = facts(
        "",
        ("name", f"{processor.name}: {processor.summary}"),
        *(("operation", operation) for operation in operations),
        ("multiplier", f"one of {multipliers}; its parameters are keys of the spec, too"),
        ("sources", ", ".join(processor.sources) or "-"),
    )
    return group(about, _parameters(processor.parameters))


def _parameters(entries: list[ParameterEntry]) -> RenderableType:
    parameters = table("\nParameters", "key", "default", "allowed", "what")
    for entry in entries:
        default = "derived" if entry.default is None else str(entry.default)
        parameters.add_row(entry.name, default, entry.allowed, entry.help)
    return parameters
