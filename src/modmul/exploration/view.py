"""The short names of the figures in a record: columns of queries, names in conditions, keys of the
page.

A record holds the result of `implement` whole; here is where in it each name is found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from modmul.exploration.record import Record

# By short name, where it stands in a record: the first place that has something.
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
    "routed": ("chip.routed",),
    "usable": ("chip.usable",),
    "critical_path": ("chip.critical_path",),
    "cell_path": ("silicon.critical_path",),
    "levels": ("chip.levels",),
    "estimate": ("chip.estimate",),
    "adapter": ("chip.adapter",),
    "cell_adapter": ("silicon.adapter",),
}
_WHOLE = ("cycles", "chip", "silicon")  # fields of a record in whose place the short names stand
_UNSEEN = ("shape",)


def names() -> Iterator[str]:
    """Every name at the beginning of one, in order: fields of a record, and short names."""
    for name in Record.__struct_fields__:
        if name == _WHOLE[0]:
            yield from SHORT
        elif name not in (*_WHOLE, *_UNSEEN):
            yield name


def places(name: str) -> tuple[str, ...]:
    """The members of a record in which a name is looked up."""
    return SHORT.get(name, (name,))


def find(record: Record, name: str) -> Any:
    """What the record has under one of `names`; None if it has nothing."""
    for place in places(name):
        value: Any = record
        for part in place.split("."):
            value = None if value is None else getattr(value, part)
        if value is not None:
            return value
    return None


def plain(record: Record) -> dict[str, Any]:
    """A record by its short names, as JSON has it."""
    return dict(msgspec.to_builtins({name: find(record, name) for name in names()}))
