"""modmul list [NAME]."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from rich.console import Group, RenderableType

from modmul import catalogue
from modmul.cli.common import Json
from modmul.cli.output import show, table


def list_verb(
    name: Annotated[
        str | None,
        Parameter(name="NAME", help="an architecture, a processor, a target, a modulus or a curve"),
    ] = None,
    /,
    *,
    json: Json = False,
) -> int:
    """What there is: architectures, processors, targets, moduli, curves; NAME: what is known of
    one."""
    if name is None:
        everything = catalogue.list_designs()
        show(everything, lambda: _everything(everything), json)
    else:
        one = catalogue.describe(name)
        show(one, lambda: _one(one), json)
    return 0


def _everything(found: catalogue.Catalogue) -> RenderableType:
    architectures = table("Architectures", "name", "what", "sources", "timing (declared)")
    for entry in found.architectures:
        architectures.add_row(entry.name, entry.summary, ", ".join(entry.sources), entry.timing)
    processors = table("\nProcessors", "name", "what", "sources")
    for processor in found.processors:
        processors.add_row(processor.name, processor.summary, ", ".join(processor.sources))
    targets = table("\nTargets", "name", "what", "kind", "devices")
    for target in found.targets:
        devices = target.devices[0] if target.devices else "-"
        more = f" and {len(target.devices) - 1} more" if len(target.devices) > 1 else ""
        targets.add_row(target.name, target.summary, target.kind, devices + more)
    moduli = table("\nModuli", "name", "field", "bits", "what", "source")
    for modulus in found.moduli:
        moduli.add_row(
            modulus.name, modulus.field, str(modulus.bits), modulus.summary, modulus.source
        )
    curves = table("\nCurves", "name", "form", "bits", "also called", "source")
    for curve in found.curves:
        curves.add_row(
            curve.name, curve.form, str(curve.bits), ", ".join(curve.aliases) or "-", curve.source
        )
    return Group(architectures, processors, targets, moduli, curves)


def _one(found: catalogue.Entry) -> RenderableType:
    if isinstance(found, catalogue.ArchitectureEntry):
        return _architecture(found)
    if isinstance(found, catalogue.ProcessorEntry):
        return _processor(found)
    if isinstance(found, catalogue.CurveEntry):
        return _curve(found)
    facts = table("", "what", "value")
    facts.add_row("name", f"{found.name}: {found.summary}")
    if isinstance(found, catalogue.TargetEntry):
        facts.add_row("kind", found.kind)
        if found.libraries:
            facts.add_row("libraries", f"{', '.join(found.libraries)}, or any Liberty file")
        for key, value in (found.dsp or {}).items():
            facts.add_row(f"DSP {key.replace('_', ' ')}", str(value))
        facts.add_row("default word", f"{found.word} bits")
        if not found.libraries:
            facts.add_row("devices", ", ".join(found.devices) or "none named")
            if found.devices:
                facts.add_row("taken unless named", found.devices[0])
            for family, chip in found.families.items():
                facts.add_row(f"as {family}", chip or "the same")
            facts.add_row("place and route", found.router or "none comes with this package")
        for limit in found.limits:
            grade = f", grade {limit.speed}" if limit.speed else ""
            facts.add_row(f"limit of {limit.block}{grade}",
                          f"{limit.mhz:g} MHz, {limit.named_source}")
    else:
        rows = [("bits", str(found.bits)), ("polynomial", found.polynomial), ("value", found.value),
                ("field", found.field), ("source", found.source),
                ("also called", ", ".join(found.aliases) or "-")]
        for row in ((what, value) for what, value in rows if value is not None):
            facts.add_row(*row)
        if found.curve is not None:
            return Group(facts, "", _curve(found.curve))
    return facts


def _curve(found: catalogue.CurveEntry) -> RenderableType:
    facts = table("", "what", "value")
    facts.add_row("curve", f"{found.name}: {found.summary}")
    facts.add_row("form", f"{found.form}, {found.equation}")
    facts.add_row("bits", str(found.bits))
    facts.add_row("modulus", found.modulus)
    for name, value in found.coefficients.items():
        facts.add_row(name, value)
    facts.add_row("base point", "\n".join(found.base))
    facts.add_row("its order", found.order)
    facts.add_row("cofactor", found.cofactor)
    facts.add_row("source", found.source or "made for small designs and tests")
    facts.add_row("also called", ", ".join(found.aliases) or "-")
    return facts


def _architecture(found: catalogue.ArchitectureEntry) -> RenderableType:
    facts = table("", "what", "value")
    facts.add_row("name", f"{found.name}: {found.summary}")
    facts.add_row("kind", found.kind)
    facts.add_row("fields", ", ".join(found.fields))
    facts.add_row("modulus", f"at {found.modulus_at}" if "run" in found.modulus_at
                  else found.modulus_at)
    facts.add_row("timing (declared)", found.timing)
    facts.add_row("sources", ", ".join(found.sources) or "-")
    return Group(facts, _parameters(found.parameters))


def _processor(found: catalogue.ProcessorEntry) -> RenderableType:
    facts = table("", "what", "value")
    facts.add_row("name", f"{found.name}: {found.summary}")
    for operation, operands in found.operands.items():
        facts.add_row("operation", f"{operation}: {', '.join(operands)} -> "
                      f"{', '.join(found.results[operation])}")
    facts.add_row("multiplier", f"one of {', '.join(found.multipliers)}; its parameters are keys "
                  "of the spec, too")
    facts.add_row("sources", ", ".join(found.sources) or "-")
    return Group(facts, _parameters(found.parameters))


def _parameters(entries: list[catalogue.ParameterEntry]) -> RenderableType:
    parameters = table("\nParameters", "key", "default", "allowed", "what")
    for entry in entries:
        default = "derived" if entry.default is None else str(entry.default)
        parameters.add_row(entry.name, default, entry.allowed, entry.help)
    return parameters
