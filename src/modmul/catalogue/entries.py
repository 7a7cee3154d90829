"""The entries of the catalogue: what is listed of a design, a target, a modulus, a curve."""

from __future__ import annotations

from typing import Any

import msgspec

from modmul.targets import Limit


class ParameterEntry(msgspec.Struct, frozen=True):
    """One parameter.  default: None if it follows from the others; allowed: in words."""

    name: str
    help: str
    default: int | bool | str | None
    minimum: int | None
    maximum: int | None
    choices: list[int | bool | str] | None
    allowed: str


class ArchitectureEntry(msgspec.Struct, frozen=True):
    """One architecture.  sources: keys of papers; timing and fields: for the default parameters.
    operations: the names of their operands, by their own."""

    name: str
    role: str
    summary: str
    sources: list[str]
    kind: str
    timing: str
    fields: list[str]
    modulus_at: str
    operations: dict[str, list[str]]
    parameters: list[ParameterEntry]


class TargetEntry(msgspec.Struct, frozen=True):
    """One chip family.  dsp: cell, widths (bits) and registers of its hard multiplier.
    libraries: names that the key `library` takes (any Liberty file is taken, too).
    families: names of product families that the key `target` takes for it, each with the chip that
    is meant where none is named; null: the first of the devices."""

    name: str
    summary: str
    kind: str
    word: int
    dsp: dict[str, Any] | None
    devices: list[str]
    limits: list[Limit]
    router: str | None
    libraries: list[str]
    families: dict[str, str | None]


class CurveEntry(msgspec.Struct, frozen=True):
    """One named curve, or Kummer surface.  form: weierstrass, montgomery, edwards or kummer; bits:
    of its prime; modulus: that one, hexadecimal; coefficients by their names in `equation`, of a
    surface its squared theta constants; base: coordinates of a point; order: of that."""

    name: str
    form: str
    bits: int
    source: str
    summary: str
    aliases: list[str]
    equation: str
    modulus: str
    coefficients: dict[str, str]
    base: list[str]
    order: str
    cofactor: str


class ModulusEntry(msgspec.Struct, frozen=True):
    """One named modulus.  field: prime or binary; value: hexadecimal.

    polynomial: in writing, None where the field is prime; bit i of the value is the coefficient of
    x^i, and `bits` is one more than the degree.  curve: the one that has the same name."""

    name: str
    field: str
    bits: int
    value: str
    source: str
    summary: str
    aliases: list[str]
    polynomial: str | None
    curve: CurveEntry | None


class ProcessorEntry(msgspec.Struct, frozen=True):
    """One processor.  Its parameters, besides those of the multiplier that it is built on, which is
    one of `multipliers`.  operands, results: names, by operation."""

    name: str
    role: str
    summary: str
    sources: list[str]
    operations: list[str]
    operands: dict[str, list[str]]
    results: dict[str, list[str]]
    multipliers: list[str]
    parameters: list[ParameterEntry]


class JobEntry(msgspec.Struct, frozen=True):
    """One job: a specification that comes with the package.  spec: its keys and values."""

    name: str
    summary: str
    spec: dict[str, int | bool | str]


class Jobs(msgspec.Struct, frozen=True):
    """Every job."""

    jobs: list[JobEntry]


class Catalogue(msgspec.Struct, frozen=True):
    """Everything that `modmul list` shows."""

    architectures: list[ArchitectureEntry]
    processors: list[ProcessorEntry]
    targets: list[TargetEntry]
    moduli: list[ModulusEntry]
    curves: list[CurveEntry]
    jobs: list[JobEntry]
