"""Derives the columns of a record in DuckDB from the types of its fields.

Every name of `view` is a column; structures are read with a dot (fmax_mhz.usable).  Every key of a
spec is a column too, with _ for - (latency_reduction), unless the record has that name for
something else (dsp: blocks used, not the key of that name): then it is spec."dsp".
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator

import msgspec
from msgspec import inspect

from modmul import designs
from modmul.exploration import view
from modmul.exploration.record import Record
from modmul.parameters import parameters
from modmul.spec.keys import COMMON, MULTIPLIER

_PLAIN = (
    (inspect.BoolType, "BOOLEAN"),
    (inspect.IntType, "BIGINT"),
    (inspect.FloatType, "DOUBLE"),
    (inspect.StrType, "VARCHAR"),
    (inspect.LiteralType, "VARCHAR"),
)


@functools.cache
def columns() -> dict[str, str]:
    """Return the type of every column, by its name in the files."""
    types = {name: sql_type(_type(name)) for name in view.names()}
    return types | {"spec": _struct(spec_types())}


@functools.cache
def spec_types() -> dict[str, str]:
    """Return all keys of specifications, of any architecture, with their types."""
    types = dict.fromkeys((*COMMON, MULTIPLIER), "VARCHAR")
    for architecture in designs.REGISTRY.values():
        for key, parameter in parameters(architecture).items():
            types[key] = {bool: "BOOLEAN", int: "BIGINT", str: "VARCHAR"}[parameter.kind]
    return types


@functools.cache
def flattened() -> dict[str, str]:
    """Return the keys of a spec that have a column, by the name of their column."""
    return {name: key for key in spec_types() if (name := key.replace("-", "_")) not in columns()}


@functools.cache
def names() -> tuple[str, ...]:
    """Return all names with which an expression in a condition or a query may begin."""
    return (*columns(), *flattened())


def shape() -> str:
    """Return the types of a record as JSON, for `table`."""
    return json.dumps(columns())


def table() -> str:
    """Return the SQL for a table of the records whose JSON texts are $1, with the keys of specs as
    columns.  $2: `shape`.  A figure that a record does not have, or has in another type, is
    NULL."""
    keys = ", ".join(f'spec."{key}" AS {name}' for name, key in flattened().items())
    parsed = "SELECT from_json(unnest($1::VARCHAR[]), $2) AS record"
    return f"SELECT *, {keys} FROM (SELECT record.* FROM ({parsed}))"


def sql_type(kind: inspect.Type) -> str:
    """Return DuckDB's type for a type of msgspec."""
    for python, sql in _PLAIN:
        if isinstance(kind, python):
            return sql
    if isinstance(kind, inspect.UnionType):
        (part,) = (part for part in kind.types if not isinstance(part, inspect.NoneType))
        return sql_type(part)
    if isinstance(kind, inspect.StructType):
        return _struct({field.encode_name: sql_type(field.type) for field in kind.fields})
    if isinstance(kind, inspect.VarTupleType | inspect.ListType):
        return f"{sql_type(kind.item_type)}[]"
    if isinstance(kind, inspect.TupleType):
        return f"{sql_type(kind.item_types[0])}[]"
    if isinstance(kind, inspect.DictType) and not isinstance(kind.value_type, inspect.AnyType):
        return f"MAP({sql_type(kind.key_type)}, {sql_type(kind.value_type)})"
    return "JSON"


def _struct(members: dict[str, str]) -> str:
    return "STRUCT(" + ", ".join(f'"{name}" {kind}' for name, kind in members.items()) + ")"


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
    """A name of a record, described for people.  what: its meaning, if the name is not clear by
    itself."""

    type: str
    what: str | None


def explained() -> dict[str, KnownName]:
    """Return all names with their types and meanings."""
    return {name: KnownName(kind, _MEANINGS.get(name)) for name, kind in described().items()}


def described() -> dict[str, str]:
    """Return all names with their types; of a structure, all its parts."""
    described_names = dict(part for name in view.names() for part in _parts(name, _type(name)))
    return described_names | {name: spec_types()[key] for name, key in flattened().items()}


def _parts(name: str, kind: inspect.Type) -> Iterator[tuple[str, str]]:
    kind = _present(kind)
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield from _parts(f"{name}.{field.encode_name}", field.type)
    else:
        yield name, "STRUCT" if name == "spec" else _short(sql_type(kind))


def _type(name: str) -> inspect.Type:
    """Return the type of a name of `view`."""
    kind = _of_record()
    for part in view.places(name)[0].split("."):
        kind = _present(kind)
        assert isinstance(kind, inspect.StructType)
        kind = next(field.type for field in kind.fields if field.encode_name == part)
    return kind


@functools.cache
def _of_record() -> inspect.Type:
    return inspect.type_info(Record)


def _present(kind: inspect.Type) -> inspect.Type:
    """Return the type of a figure that is not None."""
    if not isinstance(kind, inspect.UnionType):
        return kind
    return next(part for part in kind.types if not isinstance(part, inspect.NoneType))


def _short(kind: str) -> str:
    return "STRUCT[]" if kind.startswith("STRUCT") else kind
