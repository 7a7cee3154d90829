"""Writes times and sizes of files in the unit that suits them, and numbers of cycles."""

from __future__ import annotations

_SECONDS = ("fs", "ps", "ns", "us", "ms", "s")


def time_words(value: float, unit: str) -> str:
    """Return a time with three digits, in seconds or the fraction of a second that suits it; in
    another unit, of a cell library, as it is."""
    if unit not in _SECONDS:
        return f"{value:,.4g} {unit}" if value < 1000 else f"{value:,.0f} {unit}"
    place = _SECONDS.index(unit)
    while float(f"{value:.3g}") >= 1000 and place + 1 < len(_SECONDS):
        value, place = value / 1000, place + 1
    while value and float(f"{value:.3g}") < 1 and place > 0:
        value, place = value * 1000, place - 1
    return f"{float(f'{value:.3g}'):,g} {_SECONDS[place]}"


def size_words(count: int) -> str:
    """Return a number of bytes with three digits, in the unit that suits it."""
    size, units = float(count), ["bytes", "kB", "MB", "GB", "TB"]
    while float(f"{size:.3g}") >= 1000 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return f"{float(f'{size:.3g}'):g} {units[0]}"


def cycle_words(cycles: float) -> str:
    """Return a number of cycles whole, and a mean with at most two digits after the point."""
    return f"{cycles:.2f}".rstrip("0").rstrip(".")
