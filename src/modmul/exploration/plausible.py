"""Checks whether the contents of a file can be a record at all, since anybody may have written the
file."""

from __future__ import annotations

from collections.abc import Iterator

from modmul.arithmetic import moduli
from modmul.exploration import schema, view
from modmul.exploration.record import Record

_PYTHON = {"BIGINT": int, "BOOLEAN": bool, "VARCHAR": str}
_WHOLE = range(-(1 << 63), 1 << 63)  # what a BIGINT holds
_LARGEST = 1e15  # of a figure, so that products of some are numbers too
_COUNTS = ("width", "slots", "seeds", "products", "lut", "ff", "dsp", "ram_bits", "ram_blocks")
_TIMES = ("period", "latency", "per_product", "eight")


def objection(record: Record) -> str | None:
    """Why it cannot be a record of this program, of whatever version; None if it can.

    Specs hold plain values of the types of their keys and name no file for the modulus; counts and
    the area are not negative, times above 0, none of them beyond 10^15."""
    for name, value in record.spec.items():
        kind = schema.spec_types().get(name)
        right = (_PYTHON[kind],) if kind else tuple(_PYTHON.values())
        if value is not None and type(value) not in right:
            return f"spec.{name} is no {' or '.join(kind.__name__ for kind in right)}"
        if isinstance(value, int) and value not in _WHOLE:
            return f"spec.{name} has more than 64 bits"
    for key in ("modulus", "curve"):
        if moduli.in_a_file(str(record.spec.get(key))):
            return f"spec.{key} names a file"
    for name, figure, positive in _figures(record):
        if figure > _LARGEST or figure < 0 or (positive and figure == 0):
            return f"{name} = {figure:g}"
    return None


def _figures(record: Record) -> Iterator[tuple[str, float, bool]]:
    """Figures that others are made of; whether each must be above 0."""
    for name in _COUNTS:
        value = view.find(record, name)
        if value is not None:
            yield name, value, name == "width"
    if record.area is not None:
        yield "area.value", record.area.value, False
    for name in _TIMES if record.time is not None else ():
        yield f"time.{name}", getattr(record.time, name), True
