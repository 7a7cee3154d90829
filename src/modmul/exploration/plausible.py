"""Checks whether the contents of a file can be a record at all, since anybody may have written
it."""

from __future__ import annotations

from collections.abc import Iterator

from modmul.arithmetic import moduli
from modmul.exploration.names import find, spec_types
from modmul.exploration.record import Record

_PYTHON = {"BIGINT": int, "BOOLEAN": bool, "VARCHAR": str}
_WHOLE = range(-(1 << 63), 1 << 63)  # the values of a BIGINT
_LARGEST = 1e15  # the largest figure; products of several such figures are still finite
_COUNTS = ("width", "slots", "seeds", "products", "lut", "ff", "dsp", "ram_bits", "ram_blocks")
_TIMES = ("period", "latency", "per_product", "eight")


def objection(record: Record) -> str | None:
    """Say why this cannot be a record of any version of this program; None if it can.

    The values of a spec have the types of their keys, and its modulus is not in a file.  Counts and
    the area are not negative, times are above 0, and no figure is above 10^15."""
    for name, value in record.spec.items():
        kind = spec_types().get(name)
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
    """Yield the figures that others follow from: name, value, and whether it must be above 0."""
    for name in _COUNTS:
        value = find(record, name)
        if value is not None:
            yield name, value, name == "width"
    if record.area is not None:
        yield "area.value", record.area.value, False
    for name in _TIMES if record.time is not None else ():
        yield f"time.{name}", getattr(record.time, name), True
