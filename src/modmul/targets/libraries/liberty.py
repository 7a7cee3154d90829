"""Reading a Liberty file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from modmul.errors import SpecError
from modmul.targets.libraries import syntax
from modmul.targets.libraries.library import (
    FlipFlop,
    Library,
    LibraryArc,
    LibraryCell,
    LookupTable,
    Pin,
)
from modmul.targets.libraries.syntax import Group

# Names go into scripts of Yosys and ABC: no character that could end a name there is allowed.
_NAME = re.compile(r"[A-Za-z0-9_$.\[\]<>:/-]+")
_PICOSECONDS = {"fs": 1e-3, "ps": 1.0, "ns": 1e3, "us": 1e6}


def read(path: Path) -> Library:
    """The library in a Liberty file.  Raises SpecError("library", ...) if it is none."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise _refuse(path, f"cannot be read: {error.strerror or error}") from None
    if not re.search(r"\blibrary\s*\(", text):
        raise _refuse(path, "is not a Liberty file: no `library (...)` in it")
    try:
        (group,) = (group for group in syntax.parse(text) if group.kind == "library")
        return _library(group)
    except (ValueError, LookupError, RecursionError) as error:
        reason = str(error).splitlines()[0][:100] if str(error) else type(error).__name__
        raise _refuse(path, f"is not a Liberty file: {reason}") from None


def _refuse(path: Path, reason: str) -> SpecError:
    allowed = "a Liberty file of standard cells"
    message = f"library = {path}: {reason}; must be {allowed}"
    return SpecError("library", str(path), allowed, message)


def _library(group: Group) -> Library:
    unit = re.fullmatch(r"([\d.]+)\s*([a-z]+)", _text(group, "time_unit") or "1ns")
    if unit is None or unit[2] not in _PICOSECONDS:
        raise ValueError(f"time_unit {_text(group, 'time_unit')}")
    scale = float(unit[1]) * _PICOSECONDS[unit[2]] / _PICOSECONDS["ns"]
    templates = {template.arguments[0]: template for template in group.of_kind("lu_table_template")}
    load = _number(group, "default_input_pin_cap", 0.0)
    cells = [_cell(cell, templates, scale, load) for cell in group.of_kind("cell")]
    return Library(
        name=group.arguments[0],
        area_unit=_text(group, "modmul_area_unit") or "um^2",
        time_unit=_text(group, "modmul_time_unit") or "ns",
        cells={cell.name: cell for cell in cells},
    )


def _cell(group: Group, templates: Mapping[str, Group], scale: float, load: float) -> LibraryCell:
    pins = [
        _pin(pin, str(name), templates, scale, load)
        for pin in group.of_kind("pin")
        for name in pin.arguments
    ]
    flip_flops = group.of_kind("ff")
    barred = any(_text(group, key) == "true" for key in _BARRED) or any(
        _text(pin, "is_pad") == "true" for pin in group.of_kind("pin")
    )
    return LibraryCell(
        name=_name(group.arguments[0]),
        area=_number(group, "area", 0.0),
        pins={_name(pin.name): pin for pin in pins},
        flip_flop=_flip_flop(flip_flops[0]) if len(flip_flops) == 1 else None,
        sequential=any(group.of_kind(kind) for kind in _SEQUENTIAL),
        usable=not barred and not any(group.of_kind(kind) for kind in ("bus", "bundle")),
        source=_text(group, "modmul_source"),
    )


def _name(text: str) -> str:
    """The name of a cell or a pin.  Raises ValueError if it is not a valid name."""
    if not _NAME.fullmatch(text):
        raise ValueError(f"a cell or pin has the name {text!r}")
    return text


_BARRED = ("dont_use", "dont_touch", "pad_cell", "is_macro_cell")
_SEQUENTIAL = ("ff", "latch", "ff_bank", "latch_bank", "statetable")


def _flip_flop(group: Group) -> FlipFlop:
    state, _ = group.arguments
    keys = ("next_state", "clocked_on", "clear", "preset")
    return FlipFlop(state, *(_text(group, key) or "" for key in keys))


def _pin(group: Group, name: str, templates: Mapping[str, Group], scale: float, load: float) -> Pin:
    both = _number(group, "capacitance", load)
    limit = _number(group, "max_capacitance", 0.0)
    return Pin(
        name=name,
        direction=_text(group, "direction") or "internal",
        function=_text(group, "function"),
        load=(
            _number(group, "rise_capacitance", both),
            _number(group, "fall_capacitance", both),
        ),
        limit=limit or None,
        three_state=bool(_text(group, "three_state")),
        arcs=tuple(
            arc for timing in group.of_kind("timing") for arc in _arcs(timing, templates, scale)
        ),
    )


def _arcs(group: Group, templates: Mapping[str, Group], scale: float) -> Iterator[LibraryArc]:
    kind = _text(group, "timing_type") or "combinational"
    constraint = kind.startswith(("setup", "hold", "recovery", "removal"))
    suffix = "constraint" if constraint else "transition"
    tables = {
        name: _table(table, templates, scale)
        for name in ("cell_rise", "cell_fall", f"rise_{suffix}", f"fall_{suffix}")
        for table in group.of_kind(name)
    }
    rise, fall = (
        ("rise_constraint", "fall_constraint") if constraint else ("cell_rise", "cell_fall")
    )
    for related in (_text(group, "related_pin") or "").split():
        yield LibraryArc(
            related,
            kind,
            _text(group, "timing_sense") or "non_unate",
            tables.get(rise),
            tables.get(fall),
            tables.get("rise_transition"),
            tables.get("fall_transition"),
        )


_COLUMNS = ("total_output_net_capacitance", "related_pin_transition")


def _table(group: Group, templates: Mapping[str, Group], scale: float) -> LookupTable:
    """A table with slopes in rows, whichever way round the file has it."""
    template = templates.get(group.arguments[0]) if group.arguments else None
    values = [_numbers(row) for row in _listed(group, "values")]
    axes = []
    for k in (1, 2):
        variable = _text(template, f"variable_{k}") if template is not None else None
        if variable is not None:
            index = _listed(group, f"index_{k}")
            if template is not None and not index:
                index = _listed(template, f"index_{k}")
            factor = 1.0 if variable == _COLUMNS[0] else scale
            axes.append((variable, tuple(value * factor for value in _numbers(index[0]))))
    flat = [value * scale for row in values for value in row]
    if not axes:
        if len(flat) != 1:
            raise ValueError("a table without axes")
        return LookupTable((0.0,), (0.0,), ((flat[0],),))
    sizes = [len(axis) for _, axis in axes]
    if len(axes) == 1:
        axes.append(("", (0.0,)))
        sizes.append(1)
    if len(flat) != sizes[0] * sizes[1]:
        raise ValueError(f"{len(flat)} values in a table of {sizes[0]} x {sizes[1]}")
    rows = tuple(tuple(flat[i * sizes[1] : (i + 1) * sizes[1]]) for i in range(sizes[0]))
    if axes[0][0] in _COLUMNS:
        return LookupTable(axes[1][1], axes[0][1], tuple(zip(*rows, strict=True)))
    return LookupTable(axes[0][1], axes[1][1], rows)


def _text(group: Group, key: str) -> str | None:
    """The first value of an attribute, None without any."""
    for value in group.values.get(key, ()):
        return value.strip() if isinstance(value, str) else " ".join(value)
    return None


def _number(group: Group, key: str, default: float) -> float:
    text = _text(group, key)
    return default if text is None else float(text)


def _listed(group: Group, key: str) -> list[str]:
    """The strings of an attribute that is a list, such as the rows of a table."""
    for value in group.values.get(key, ()):
        return [value] if isinstance(value, str) else value
    return []


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.replace("\\", " ").replace(",", " ").split())
