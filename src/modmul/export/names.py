"""Gives a design in RTLIL text plain names: identifiers that need no escapes.

Attributes that only record an origin are dropped as well, and the ports of the top module are put
in order."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from modmul.export.pins import USUAL, Pins
from modmul.spec.keywords import KEYWORDS

_PLAIN = re.compile(r"[A-Za-z](_?[A-Za-z0-9])*")
# The numbers that Amaranth appends to the names of further signals of the same name.
_NUMBERS = re.compile(r"\$\d+")
_NOISE = re.compile(r"^ *attribute \\(src|generator|top|amaranth\.\S+|enum_\S+) .*\n", re.MULTILINE)
_MODULE = re.compile(r"^module \\(\S+)$", re.MULTILINE)
_CELL_BODY = re.compile(r"^ +cell (\S+) .*\n(?: {4}.*\n)+", re.MULTILINE)
_EMPTY = re.compile(r"^( +connect \S+) \{ +\}$", re.MULTILINE)
_NAMED = re.compile(r"^ *(?:wire|cell|memory) (?:.* )?(\\\S+)$", re.MULTILINE)
_INSIDE = "    "  # the indent of the contents of a cell
_PORT = re.compile(r"^(  wire width \d+ (?:input|output)) \d+  \\(\S+)$", re.MULTILINE)


def identifier(text: str) -> str:
    """`text` as a plain name: letters, digits and single underscores between them, no
    keyword."""
    name = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", text)).strip("_")
    return name if _is_plain(name) else f"m_{name}".rstrip("_")


def of_delivery(
    title: str,
    bus: str | None = None,
    banks: int = 0,
    without_initial_values: bool = False,
    pins: Pins = USUAL,
) -> str:
    """The name of a delivery, with which the names of its files begin: the title of its
    design, the bus that it is on, or `core`, how many banks it has there, what is
    unusual about its clock and reset, and whether it has no initial values though its target allows
    them."""
    without = "no_initial_values" if without_initial_values else None
    parts = (title, bus, f"{banks}_banks" if banks else None, pins.suffix, without)
    return identifier("_".join(part for part in parts if part))


def _is_plain(name: str) -> bool:
    return _PLAIN.fullmatch(name) is not None and name not in KEYWORDS


def plain(rtlil: str, ports: Sequence[str]) -> str:
    """The same design with plain names in every module, without attributes of origin.  A
    name that is already used gets a number: name$12.

    rtlil: as Amaranth writes it, the top module first.  ports: those of the top module, in order.
    Names of chip primitives, of their pins, of parameters and attributes stay.  Values of no bits
    become z at the pins of primitives, which Yosys would drop, and one zero as operands.  Raises
    ValueError for a port whose name is not plain, since users would not know the new name."""
    if odd := [port for port in ports if not _is_plain(port)]:
        raise ValueError(f"{', '.join(odd)}: no name for a port in Verilog")
    rtlil = _CELL_BODY.sub(_without_empty, _NOISE.sub("", rtlil))
    starts = [match.start() for match in _MODULE.finditer(rtlil)] + [len(rtlil)]
    bodies = [rtlil[a:b] for a, b in itertools.pairwise(starts)]
    bodies[0] = _PORT.sub(lambda m: f"{m[1]} {ports.index(m[2]) + 1}  \\{m[2]}", bodies[0])
    modules = _table(_MODULE.findall(rtlil))
    tables = {name: _table(_local(body)) for name, body in zip(modules, bodies, strict=True)}
    head = rtlil[: starts[0]]
    return head + "".join(
        _renamed(body, modules, tables[name], tables)
        for name, body in zip(modules, bodies, strict=True)
    )


def order(rtlil: str) -> dict[str, list[str]]:
    """The names of wires, cells and memories in every module, in the order of the source."""
    starts = [match.start() for match in _MODULE.finditer(rtlil)] + [len(rtlil)]
    bodies = [rtlil[a:b] for a, b in itertools.pairwise(starts)]
    return {_MODULE.match(body)[1]: _NAMED.findall(body) for body in bodies}  # type: ignore[index]


def _without_empty(cell: re.Match[str]) -> str:
    """A cell whose pins all have bits; but a reduction of no bits stays, since AND of
    nothing is true."""
    if not _EMPTY.search(cell[0]):
        return cell[0]
    if cell[1].startswith("\\"):
        return _EMPTY.sub(r"\1 1'z", cell[0])
    if "B_WIDTH" not in cell[0]:  # an operation with one operand
        return cell[0]
    return _EMPTY.sub(r"\1 1'0", re.sub(r"([AB]_WIDTH) 0\n", r"\1 1\n", cell[0]))


def _table(old: Iterable[str]) -> dict[str, str]:
    """A plain name for each name, all different; plain names stay."""
    old = dict.fromkeys(old)
    new = {name: name for name in old if _is_plain(name)}
    used = set(new)
    for name in old:
        if name not in new:
            base = identifier(_NUMBERS.sub("", name)) + "".join(_NUMBERS.findall(name))
            numbered = (f"{base}${count}" for count in itertools.count(2))
            new[name] = next(n for n in itertools.chain((base,), numbered) if n not in used)
            used.add(new[name])
    return {name: new[name] for name in old}


def _local(body: str) -> list[str]:
    """The names that belong to the module `body` alone: wires, cells, memories."""
    return [name.removeprefix("\\") for name in _NAMED.findall(body)]


def _renamed(
    body: str, modules: dict[str, str], local: dict[str, str], tables: dict[str, dict[str, str]]
) -> str:
    """The module `body` with the names of `local`, and with those of `tables` for the pins
    of cells that are modules."""
    names, kinds = _escaped(local), _escaped(modules)
    pins: dict[str, str] = {}

    def named(text: str) -> str:
        return " ".join([names.get(word, word) for word in text.split(" ")])

    first, *lines = body.split("\n")
    done = [f"module {kinds[first.removeprefix('module ')]}"]
    for line in lines:
        match line.split(None, 2):
            case ["cell", kind, name]:
                pins = _escaped(tables.get(kind.removeprefix("\\"), {}))
                line = f"  cell {kinds.get(kind, kind)} {names.get(name, name)}"
            case ["connect", pin, signal] if line.startswith(_INSIDE):
                line = f"{_INSIDE}connect {pins.get(pin, pin)} {named(signal)}"
            case ["parameter", "\\MEMID", text]:
                memory = text.strip('"\\')  # a string, in which the backslash is escaped
                line = f'{_INSIDE}parameter \\MEMID "\\\\{local[memory]}"'
            case [] | ["attribute" | "parameter", *_]:
                pass
            case _:
                line = named(line)
        done.append(line)
    return "\n".join(done)


def _escaped(table: dict[str, str]) -> dict[str, str]:
    """A table of names as they stand in RTLIL, behind a backslash."""
    return {f"\\{old}": f"\\{new}" for old, new in table.items()}
