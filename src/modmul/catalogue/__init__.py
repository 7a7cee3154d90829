"""Lists the architectures, processors, targets, moduli and curves that there are, and makes the
JSON schema of specifications.

A design is imported only when it is listed.  The list of everything is cached under the content of
the whole package, so that the next call need not import all designs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from modmul import multipliers, processors, targets
from modmul.arithmetic import curves, moduli
from modmul.arithmetic.curves import Curve
from modmul.catalogue.entries import (
    ArchitectureEntry,
    Catalogue,
    CurveEntry,
    JobEntry,
    Jobs,
    ModulusEntry,
    ParameterEntry,
    ProcessorEntry,
    TargetEntry,
)
from modmul.design import Design
from modmul.errors import SpecError, quoted, suggestion
from modmul.multipliers import Multiplier
from modmul.parameters import Parameter, parameters
from modmul.spec import files
from modmul.spec.keys import (
    COMMON,
    CURVE,
    DEFAULT_ARCHITECTURE,
    DEFAULT_MULTIPLIER,
    DELIVERY,
    KEY_BITS,
    KEY_BITS_TEXT,
    LONGEST_NAME,
    MULTIPLIER,
    SUMMARY,
    takes_curves,
    takes_keys,
)
from modmul.targets import Target, libraries
from modmul.targets.families import families
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

if TYPE_CHECKING:
    from modmul.processors import Processor

LISTED = Step("catalogue")


def list_designs() -> Catalogue:
    """All architectures, processors, targets, named moduli, and curves of standards."""
    cache = Cache()
    kept = cache.get(LISTED, {})
    if kept is not None:
        return msgspec.convert(kept, Catalogue)
    catalogue = _looked_up()
    cache.put(LISTED, {}, msgspec.to_builtins(catalogue))
    return catalogue


def _looked_up() -> Catalogue:
    return Catalogue(
        [architecture(entry) for entry in multipliers.REGISTRY.values()],
        [processor(entry) for entry in processors.REGISTRY.values()],
        [target(entry) for entry in targets.REGISTRY.values()],
        [modulus(entry) for entry in moduli.MODULI],
        [curve(entry) for entry in curves.every() if entry.source],
        list_jobs().jobs,
    )


def list_jobs() -> Jobs:
    """The specifications that come with the package."""
    return Jobs([job(name) for name in files.job_names()])


JOBS = "jobs"  # the word that lists these alone
Entry = (
    ArchitectureEntry | ProcessorEntry | TargetEntry | ModulusEntry | CurveEntry | JobEntry | Jobs
)


def describe(name: str) -> Entry:
    """What has that name, or all jobs; SpecError with the nearest if nothing has."""
    if name == JOBS:
        return list_jobs()
    if name in multipliers.REGISTRY:
        return architecture(multipliers.REGISTRY[name])
    if name in processors.REGISTRY:
        return processor(processors.REGISTRY[name])
    if (chips := _family(name)) in targets.REGISTRY:
        return target(targets.REGISTRY[chips])
    standard = (known.name for known in curves.every() if known.source)
    names = [
        *multipliers.NAMES,
        *processors.NAMES,
        *targets.NAMES,
        *moduli.NAMES,
        *standard,
        *files.job_names(),
        JOBS,
    ]
    names = list(dict.fromkeys(names))
    try:
        return modulus(moduli.find(name), name)
    except SpecError:
        if (known_curve := curves.known(name)) is not None:
            return curve(known_curve)
        if files.is_job(Path(name)):
            return job(name.lower())
        hint = suggestion(name, names)
        allowed = f"{JOBS}, or a job, an architecture, a processor, a target, a modulus or a curve"
        message = f"name = {quoted(name)}: must be {allowed} of `modmul list`{hint}"
        raise SpecError("name", name, allowed, message) from None


def _family(name: str) -> str:
    """The target that a name means, if it means one."""
    try:
        return targets.canonical(name)
    except SpecError:
        return name


def architecture(entry: type[Multiplier]) -> ArchitectureEntry:
    return ArchitectureEntry(
        entry.name,
        entry.role,
        entry.summary,
        list(entry.sources),
        entry.kind,
        entry().timing,
        list(entry().fields),
        entry.modulus_at,
        _listed(entry.operands),
        [_parameter(parameter) for parameter in parameters(entry).values()],
    )


def _parameter(parameter: Parameter) -> ParameterEntry:
    choices = None if parameter.choices is None else list(parameter.choices)
    return ParameterEntry(
        parameter.name,
        parameter.help,
        parameter.default,
        parameter.minimum,
        parameter.maximum,
        choices,
        parameter.allowed(),
    )


def processor(entry: type[Processor]) -> ProcessorEntry:
    return ProcessorEntry(
        entry.name,
        entry.role,
        entry.summary,
        list(entry.sources),
        list(entry.operands),
        _listed(entry.operands),
        _listed(entry.results),
        _below(entry),
        [_parameter(parameter) for parameter in parameters(entry).values()],
    )


def _listed(names: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {name: list(words) for name, words in names.items()}


def _below(entry: type[Processor]) -> list[str]:
    """Multipliers that it can be built on."""
    return [name for name, other in multipliers.REGISTRY.items() if entry.takes(other)]


def target(entry: Target) -> TargetEntry:
    return TargetEntry(
        entry.name,
        entry.summary,
        entry.kind,
        entry.word,
        None if entry.dsp is None else dataclasses.asdict(entry.dsp),
        [device.name for device in entry.devices],
        list(entry.limits),
        entry.router,
        list(libraries.NAMED) if entry.takes_library else [],
        families(entry.name),
    )


def modulus(entry: moduli.Modulus, called: str | None = None) -> ModulusEntry:
    """A named modulus.  called: by one of its names."""
    same = curves.known(called or entry.name) if entry.field == "prime" else None
    return ModulusEntry(
        str(entry.name),
        entry.field,
        entry.bits,
        hex(entry.value),
        entry.source,
        entry.summary,
        list(entry.aliases),
        entry.notation if entry.field == "binary" else None,
        None if same is None else curve(same),
    )


def curve(entry: Curve) -> CurveEntry:
    return CurveEntry(
        entry.name,
        entry.form,
        entry.bits,
        entry.source,
        entry.summary,
        list(entry.aliases),
        entry.equation,
        hex(entry.prime),
        {name: hex(value) for name, value in entry.coefficients.items()},
        list(map(hex, entry.base)),
        hex(entry.order),
        hex(entry.cofactor),
    )


def job(name: str) -> JobEntry:
    keys = files.keys_of(Path(name))
    summary = keys.pop(SUMMARY)
    return JobEntry(name, summary, keys)


def _curves() -> dict[str, Any]:
    """The key `curve` of processors that take them."""
    names = [name for known in curves.every() for name in (known.name, *known.aliases)]
    return {CURVE: {"enum": names, "description": "the curve, in the place of the modulus"}}


def schema() -> dict[str, Any]:
    """JSON schema (draft 2020-12) of a specification: one alternative for each architecture, of
    processors one for each multiplier that they are built on."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modmul specification",
        "type": "object",
        "oneOf": [
            *(_alternative(entry) for entry in multipliers.REGISTRY.values()),
            *(
                _alternative(entry, multipliers.find(below))
                for entry in processors.REGISTRY.values()
                for below in _below(entry)
            ),
        ],
    }


def _delivery() -> dict[str, Any]:
    """The keys of a file that say how a design is delivered."""
    kinds = {str: "string", int: "integer", bool: "boolean"}
    text = "an option of this name of `modmul build`; other verbs without this option ignore it"
    return {key: {"type": kinds[kind], "description": text} for key, kind in DELIVERY.items()}


def _alternative(entry: type[Design], below: type[Multiplier] | None = None) -> dict[str, Any]:
    """below: the multiplier of a processor."""
    described = {key: {"description": text} for key, text in COMMON.items()}
    devices = [device.name for target in targets.REGISTRY.values() for device in target.devices]
    properties: dict[str, dict[str, Any]] = {
        "architecture": {"const": entry.name, **described["architecture"]},
        **({MULTIPLIER: {"const": below.name}} if below else {}),
        "modulus": {"type": ["string", "integer"], "minimum": 3, **described["modulus"]},
        **(_curves() if takes_curves(entry) else {}),
        **(
            {KEY_BITS: {"type": "integer", "minimum": 1, "description": KEY_BITS_TEXT}}
            if takes_keys(entry)
            else {}
        ),
        **{name: parameter.schema() for name, parameter in parameters(entry).items()},
        **{name: own.schema() for name, own in parameters(below or entry).items()},
        "device": {"enum": devices, **described["device"]},
        "library": {"type": "string", **described["library"]},
        "interface": {
            "enum": list(entry.interfaces[::-1]),
            "default": "stream",
            **described["interface"],
        },
        "name": {"type": "string", "maxLength": LONGEST_NAME, **described["name"]},
        SUMMARY: {"type": "string", "description": "what the design is for; nothing reads it"},
        **_delivery(),
    }
    if entry.modulus_at == "none":
        del properties["modulus"]
    required = [] if entry.name == DEFAULT_ARCHITECTURE else ["architecture"]
    if entry.modulus_at == "fixed":
        required.append("modulus")
    if below and below.name != DEFAULT_MULTIPLIER:
        required.append(MULTIPLIER)
    title = f"{entry.name} on {below.name}" if below else entry.name
    return {
        "title": title,
        "description": entry.summary,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
