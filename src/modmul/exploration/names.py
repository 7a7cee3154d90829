"""Names the figures in a record, for conditions, queries and the page: their places, types and
meanings.

A query has a column for each name of `names`; structures are read with a dot (fmax_mhz.usable).
Every key of a spec is a name too, with _ for - (latency_reduction), unless the record has that
name for something else (dsp: blocks used, not the key of that name): then it is spec.dsp.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import inspect

from modmul import designs
from modmul.exploration.record import Record
from modmul.parameters import parameters
from modmul.spec.keys import COMMON, MULTIPLIER

# For each short name its possible places in a record; the first place that is not None counts.
SHORT: dict[str, tuple[str, ...]] = {
    "lut": ("chip.lut",),
    "ff": ("chip.ff", "silicon.flip_flops"),
    "dsp": ("chip.dsp",),
    "ram_bits": ("chip.ram_bits",),
    "ram_blocks": ("chip.ram_blocks",),
    "cells": ("chip.cells", "silicon.cells"),
    "cycles": ("cycles",),
    "by_mode": ("chip.by_mode", "silicon.by_mode"),
    "fmax_mhz": ("chip.fmax_mhz",),
    "estimated_mhz": ("chip.estimated_mhz",),
    "routed": ("chip.routed",),
    "usable": ("chip.usable",),
    "critical_path": ("chip.critical_path",),
    "cell_path": ("silicon.critical_path",),
    "levels": ("chip.levels",),
    "estimate": ("chip.estimate",),
    "adapter": ("chip.adapter",),
    "cell_adapter": ("silicon.adapter",),
}
_WHOLE = ("cycles", "chip", "silicon")  # fields of a record that the short names replace
_UNSEEN = ("shape",)


def names() -> Iterator[str]:
    """Yield every name that a path can begin with: fields of a record, and short names."""
    for name in Record.__struct_fields__:
        if name == _WHOLE[0]:
            yield from SHORT
        elif name not in (*_WHOLE, *_UNSEEN):
            yield name


def find(record: Record, path: str) -> Any:
    """Return the value of a name, perhaps with a path after a dot; None if there is none."""
    first, dot, rest = path.partition(".")
    for place in SHORT.get(first, (first,)):
        value: Any = record
        for part in (place + dot + rest).split("."):
            value = value.get(part) if isinstance(value, Mapping) else getattr(value, part, None)
        if value is not None:
            return value
    return None


def figure(record: Record, name: str) -> float | None:
    """Return the number of that name (time.per_product); None if there is none."""
    value = find(record, name)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if number else None


def plain(record: Record) -> dict[str, Any]:
    """Return a record by its short names, as in JSON."""
    return dict(msgspec.to_builtins({name: find(record, name) for name in names()}))


# The meanings of names that are not clear by themselves.
_MEANINGS = {
    "area.value": "of the core alone; LUT equivalents: lut + dsp * area.luts_per_dsp + ram_blocks "
    "* area.luts_per_ram; in a cell library the area of its cells",
    "area.luts_per_ram": "what a block RAM counts in LUT equivalents: LUTs of the device over its "
    "block RAMs",
    "area.luts_per_dsp": "what a DSP counts in LUT equivalents: LUTs of the device over its DSPs",
    "lut": "of the core alone; what interface stream adds is adapter.lut",
    "timing": "as declared: constant, or data-dependent",
    "timing_proved": "whether constant time is proved on the Verilog; null where it is not "
    "declared",
    "time.kind": "usable: routed, within the limits of the chip; estimated: nothing was routed; "
    "critical path: of cells",
    "time.period": "of the clock that time.kind names, at which all of time is",
    "fmax_mhz.median": "routed clock, whatever the limits of the chip",
    "fmax_mhz.usable": "the smaller of fmax_mhz.median and the limits of the chip: designs are "
    "compared at this clock",
    "fmax_mhz.verified": "false: a limit decides fmax_mhz.usable that nobody read in its source",
    "estimated_mhz.mhz": "where nothing was routed: of the estimated delay, within the limits of "
    "the chip",
    "estimated_mhz.low": "the error band, as wide as that of the designs that were measured",
    "routed.mhz": "fmax_mhz.median, at which all of routed is",
    "usable.mhz": "fmax_mhz.usable, at which all of usable is",
    "forecast.mhz": "of the routed clock, before any limit of the chip",
}


class KnownName(msgspec.Struct, frozen=True):
    """A name of a record, described for people.  type: of DuckDB.  what: its meaning, if the name
    is not clear by itself."""

    type: str
    what: str | None


@functools.cache
def described() -> dict[str, KnownName]:
    """Return all names; of a structure, all its parts."""
    record = inspect.type_info(Record)
    parts = dict(part for name in names() for part in _parts(name, _member(record, name)))
    parts |= {name: spec_types()[key] for name, key in flattened().items()}
    return {name: KnownName(kind, _MEANINGS.get(name)) for name, kind in parts.items()}


def _parts(name: str, kind: inspect.Type) -> Iterator[tuple[str, str]]:
    kind = _present(kind)
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield from _parts(f"{name}.{field.encode_name}", field.type)
    elif name == "spec":
        yield name, "STRUCT"
    else:
        yield name, "STRUCT[]" if (text := _sql_type(kind)).startswith("STRUCT") else text


@functools.cache
def columns() -> dict[str, str]:
    """Return DuckDB's type of every name of `names`."""
    record = inspect.type_info(Record)
    types = {name: _sql_type(_member(record, name)) for name in names()}
    return types | {"spec": _struct(spec_types())}


@functools.cache
def spec_types() -> dict[str, str]:
    """Return all keys of specifications, of any architecture, with their types in DuckDB."""
    types = dict.fromkeys((*COMMON, MULTIPLIER), "VARCHAR")
    for architecture in designs.REGISTRY.values():
        for key, parameter in parameters(architecture).items():
            types[key] = {bool: "BOOLEAN", int: "BIGINT", str: "VARCHAR"}[parameter.kind]
    return types


@functools.cache
def flattened() -> dict[str, str]:
    """Return the keys of a spec that are names by themselves, by that name."""
    return {name: key for key in spec_types() if (name := key.replace("-", "_")) not in columns()}


def sql_table() -> tuple[str, str]:
    """Return the SQL for a table of the records whose JSON texts are $1, and its parameter $2."""
    keys = ", ".join(f'spec."{key}" AS {name}' for name, key in flattened().items())
    parsed = "SELECT from_json(unnest($1::VARCHAR[]), $2) AS record"
    return f"SELECT *, {keys} FROM (SELECT record.* FROM ({parsed}))", json.dumps(columns())


_PLAIN = {
    inspect.BoolType: "BOOLEAN",
    inspect.IntType: "BIGINT",
    inspect.FloatType: "DOUBLE",
    inspect.StrType: "VARCHAR",
    inspect.LiteralType: "VARCHAR",
}


def _sql_type(kind: inspect.Type) -> str:
    kind = _present(kind)
    if isinstance(kind, inspect.StructType):
        return _struct({field.encode_name: _sql_type(field.type) for field in kind.fields})
    if isinstance(kind, inspect.VarTupleType | inspect.ListType):
        return f"{_sql_type(kind.item_type)}[]"
    if isinstance(kind, inspect.TupleType):
        return f"{_sql_type(kind.item_types[0])}[]"
    if isinstance(kind, inspect.DictType) and not isinstance(kind.value_type, inspect.AnyType):
        return f"MAP({_sql_type(kind.key_type)}, {_sql_type(kind.value_type)})"
    return _PLAIN.get(type(kind), "JSON")


def _struct(members: dict[str, str]) -> str:
    return "STRUCT(" + ", ".join(f'"{name}" {kind}' for name, kind in members.items()) + ")"


def _member(kind: inspect.Type, name: str) -> inspect.Type:
    """Return the type at the first place of a name in a record."""
    for part in SHORT.get(name, (name,))[0].split("."):
        kind = _present(kind)
        assert isinstance(kind, inspect.StructType)
        kind = next(field.type for field in kind.fields if field.encode_name == part)
    return kind


def _present(kind: inspect.Type) -> inspect.Type:
    """Return the type of a figure that is not None."""
    if not isinstance(kind, inspect.UnionType):
        return kind
    return next(part for part in kind.types if not isinstance(part, inspect.NoneType))
