"""Gives the figures in a record short names: columns of queries, names in conditions, keys of the
page.

A record holds the result of `implement` whole; this module says where each name is found in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from modmul.exploration.record import Record

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


def places(name: str) -> tuple[str, ...]:
    """Return the paths in a record at which a name is looked up."""
    return SHORT.get(name, (name,))


def find(record: Record, name: str) -> Any:
    """Return the value of a name in a record (one of `names`, perhaps with a path after a dot);
    None if there is none."""
    first, dot, rest = name.partition(".")
    for place in places(first):
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


def plain(record: Record, chosen: Iterable[str] | None = None) -> dict[str, Any]:
    """Return a record by its short names (all, or those chosen), as in JSON."""
    return dict(msgspec.to_builtins({name: find(record, name) for name in chosen or names()}))
