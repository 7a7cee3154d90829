"""Which cells of a library are adders, flip-flops and buffers: told by their functions alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from modmul.errors import SpecError
from modmul.targets.libraries.functions import names, truth_table
from modmul.targets.libraries.library import Library, LibraryCell

INPUTS = 6  # the most inputs of a usable cell: ABC maps to no gate with more
_FULL = ("A^B^C", "(A&B)|(A&C)|(B&C)")
_HALF = ("A^B", "A&B")
_THIRD = "((F&!X)|(!F&!G))"
_CONFIGURABLE = (f"A^B^{_THIRD}", f"((A^B)&{_THIRD})|(F&A&B)", "!(A&B)")


@dataclass(frozen=True)
class Role:
    """A cell with a certain role.  pins: its pins by the names used here.

    ties: inputs that are held at a constant."""

    cell: LibraryCell
    pins: dict[str, str] = field(hash=False)
    ties: dict[str, int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Roles:
    """The smallest cell of each kind in a library.

    flip_flop: d, clock, q (rising edge, nothing else).  full_adder: a, b, c, sum, carry.
    half_adder: a, b, sum, carry.  configurable: one bit of a configurable row: a, b, xn, full,
    generate_in, sum, carry, generate (x and both generates inverted). gates: cells with one output
    for technology mapping.  buffers: those of them that are buffers."""

    flip_flop: Role
    full_adder: Role
    half_adder: Role | None
    configurable: Role | None
    gates: tuple[LibraryCell, ...]
    buffers: tuple[LibraryCell, ...]


def recognise(library: Library) -> Roles:
    """The cells that a design needs.  Raises SpecError("library", ...), naming the
    missing."""
    usable = sorted(
        (cell for cell in library.cells.values() if cell.usable),
        key=lambda cell: (cell.area, cell.name),
    )
    logic = [cell for cell in usable if _is_logic(cell)]
    gates = tuple(cell for cell in logic if _is_gate(cell))
    flip_flop = next((role for cell in usable for role in _flip_flop(cell)), None)
    full = _first(logic, ("a", "b", "c"), _FULL, ("sum", "carry"))
    missing = _missing_gates(gates)
    if full is None:
        missing.insert(0, "a full adder (one cell with outputs a^b^c and the majority)")
    if flip_flop is None:
        missing.insert(0, "a D flip-flop for the rising edge whose set and reset can be tied off")
    if flip_flop is None or full is None or missing:
        allowed = "a library with D flip-flops, full adders, inverters, buffers and simple gates"
        message = f"library = {library.name}: lacks {' and '.join(missing)}; must be {allowed}"
        raise SpecError("library", library.name, allowed, message)
    return Roles(
        flip_flop=flip_flop,
        full_adder=full,
        half_adder=_first(logic, ("a", "b"), _HALF, ("sum", "carry")),
        configurable=_configurable(logic),
        gates=gates,
        buffers=tuple(cell for cell in gates if _table(cell) == 0b10),
    )


def _is_logic(cell: LibraryCell) -> bool:
    """Whether every output is a function of at most INPUTS inputs."""
    outputs, inputs = cell.outputs(), cell.inputs()
    if cell.sequential or not outputs or len(inputs) > INPUTS:
        return False
    if len(inputs) + len(outputs) < len(cell.pins):
        return False
    try:
        for pin in outputs:
            if pin.function is None or pin.three_state:
                return False
            truth_table(pin.function, inputs)
    except ValueError:  # the function reads something else than the inputs
        return False
    return True


def _is_gate(cell: LibraryCell) -> bool:
    """Whether ABC can use the cell: one output, at least one input, plain names."""
    plain = all(re.fullmatch(r"\w+", name) for name in (cell.name, *cell.pins))
    return len(cell.outputs()) == 1 and bool(cell.inputs()) and plain


def _table(cell: LibraryCell) -> int | None:
    """The truth table of a cell with one input, None for other cells."""
    inputs = cell.inputs()
    return truth_table(str(cell.outputs()[0].function), inputs) if len(inputs) == 1 else None


def _missing_gates(gates: Sequence[LibraryCell]) -> list[str]:
    gate_tables = {_table(cell) for cell in gates}
    twos = {
        truth_table(str(cell.outputs()[0].function), cell.inputs())
        for cell in gates
        if len(cell.inputs()) == 2
    }
    missing = [] if 0b01 in gate_tables else ["an inverter"]
    missing += [] if 0b10 in gate_tables else ["a buffer"]
    return missing + ([] if twos & {0x1, 0x7, 0x8, 0xE} else ["a NAND, NOR, AND or OR gate"])


def _first(
    cells: Sequence[LibraryCell],
    inputs: Sequence[str],
    functions: Sequence[str],
    outputs: Sequence[str],
) -> Role | None:
    """The first cell with exactly these functions of its inputs, which must be symmetric."""
    order = [name.upper() for name in inputs]
    tables = [truth_table(function, order) for function in functions]
    for cell in cells:
        pins = cell.inputs()
        if len(pins) != len(inputs) or len(cell.outputs()) != len(outputs):
            continue
        pin_names = {truth_table(str(pin.function), pins): pin.name for pin in cell.outputs()}
        if set(pin_names) == set(tables):
            role = dict(zip(inputs, pins, strict=True))
            outs = zip(outputs, tables, strict=True)
            return Role(cell, role | {out: pin_names[table] for out, table in outs})
    return None


def _configurable(cells: Sequence[LibraryCell]) -> Role | None:
    order = ("a", "b", "xn", "full", "generate_in")
    tables = [truth_table(function, "ABXFG") for function in _CONFIGURABLE]
    for cell in cells:
        if len(cell.inputs()) != 5 or len(cell.outputs()) != 3:
            continue
        for pins in itertools.permutations(cell.inputs()):
            pin_names = {truth_table(str(pin.function), pins): pin.name for pin in cell.outputs()}
            if set(pin_names) == set(tables):
                outs = zip(("sum", "carry", "generate"), tables, strict=True)
                role = dict(zip(order, pins, strict=True))
                return Role(cell, role | {out: pin_names[table] for out, table in outs})
    return None


def _flip_flop(cell: LibraryCell) -> Iterator[Role]:
    """The cell as a plain flip-flop: next state a pin, clock a pin, set and reset tied off."""
    ff = cell.flip_flop
    if ff is None:
        return
    inputs = set(cell.inputs())
    q = [pin.name for pin in cell.outputs() if (pin.function or "").strip("() ") == ff.state]
    controls = [control for control in (ff.clear, ff.preset) if control]
    data, clock = names(ff.next_state), names(ff.clocked_on)
    used = {name for control in controls for name in names(control)}
    if not q or len(data) != 1 or len(clock) != 1 or inputs != {*data, *clock, *used}:
        return
    if truth_table(ff.next_state, data) != 0b10 or truth_table(ff.clocked_on, clock) != 0b10:
        return
    ties = {}
    for control in controls:
        pins = names(control)
        if len(pins) != 1:
            return
        ties[pins[0]] = 0 if truth_table(control, pins) == 0b10 else 1
    yield Role(cell, {"d": data[0], "clock": clock[0], "q": q[0]}, ties)
