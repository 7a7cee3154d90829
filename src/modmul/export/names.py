"""Gives a design in RTLIL text plain names: identifiers that need no escapes.

Attributes that only record an origin are dropped as well, and the ports of the top module are put
in order."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from modmul.export.keywords import KEYWORDS

_PLAIN = re.compile(r"[A-Za-z](_?[A-Za-z0-9])*")
# The numbers that Amaranth appends to the names of further signals of the same name.
_NUMBERS = re.compile(r"\$\d+")
# A string, or a public identifier: a backslash and all characters up to white space.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\\(\S+)')
_NOISE = re.compile(r"^ *attribute \\(src|generator|top|amaranth\.\S+|enum_\S+) .*\n", re.MULTILINE)
_MODULE = re.compile(r"^module \\(\S+)$", re.MULTILINE)
_CELL = re.compile(r"( +cell) (\S+) \\(\S+)\n")
_PIN = re.compile(r"( {4,}connect) \\(\S+)( .*\n)")
_CELL_BODY = re.compile(r"^ +cell (\S+) .*\n(?: {4}.*\n)+", re.MULTILINE)
_EMPTY = re.compile(r"^( +connect \S+) \{ +\}$", re.MULTILINE)
_OPTION = re.compile(r" *(attribute|parameter) ")
# A cell of a memory names the memory in a string with an escaped backslash.
_MEMORY = re.compile(r'( +parameter \\MEMID ")\\\\(\S+)("\n)')
_NAMED = re.compile(r"^ *(?:wire|cell|memory) .* (\\\S+)$", re.MULTILINE)
_PORT = re.compile(r"^(  wire width \d+ (?:input|output)) \d+  \\(\S+)$", re.MULTILINE)


def identifier(text: str) -> str:
    """Return `text` as a plain name: letters, digits and single underscores between them, no
    keyword."""
    name = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", text)).strip("_")
    return name if _is_plain(name) else f"m_{name}".rstrip("_")


def _is_plain(name: str) -> bool:
    return _PLAIN.fullmatch(name) is not None and name not in KEYWORDS


def plain(rtlil: str, ports: Sequence[str]) -> str:
    """Return the same design with plain names in every module, without attributes of origin.  A
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
    """Return the names of wires, cells and memories in every module, in the order of the source."""
    starts = [match.start() for match in _MODULE.finditer(rtlil)] + [len(rtlil)]
    bodies = [rtlil[a:b] for a, b in itertools.pairwise(starts)]
    return {_MODULE.match(body)[1]: _NAMED.findall(body) for body in bodies}  # type: ignore[index]


def _without_empty(cell: re.Match[str]) -> str:
    """Return a cell whose pins all have bits; but a reduction of no bits stays, since AND of
    nothing is true."""
    if not _EMPTY.search(cell[0]):
        return cell[0]
    if cell[1].startswith("\\"):
        return _EMPTY.sub(r"\1 1'z", cell[0])
    if "B_WIDTH" not in cell[0]:  # an operation with one operand
        return cell[0]
    return _EMPTY.sub(r"\1 1'0", re.sub(r"([AB]_WIDTH) 0\n", r"\1 1\n", cell[0]))


def _table(old: Iterable[str]) -> dict[str, str]:
    """Return a plain name for each name, all different; plain names stay."""
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


def _tokens(text: str) -> list[str]:
    return [match[1] for match in _TOKEN.finditer(text) if match[1]]


def _local(body: str) -> list[str]:
    """Return the names that belong to the module `body` alone: wires, cells, memories."""
    locals_: list[str] = []
    for line in body.splitlines(keepends=True)[1:]:
        if _OPTION.match(line):
            continue
        cell, pin = _CELL.fullmatch(line), _PIN.fullmatch(line)
        locals_ += [cell[3]] if cell else _tokens(pin[3] if pin else line)
    return locals_


def _renamed(
    body: str, modules: dict[str, str], local: dict[str, str], tables: dict[str, dict[str, str]]
) -> str:
    def names(text: str) -> str:
        return _TOKEN.sub(lambda m: f"\\{local[m[1]]}" if m[1] else m[0], text)

    lines = body.splitlines(keepends=True)
    first = _MODULE.sub(lambda m: f"module \\{modules[m[1]]}", lines[0])
    done, pins = [first], {}
    for line in lines[1:]:
        cell, pin = _CELL.fullmatch(line), _PIN.fullmatch(line)
        if memory := _MEMORY.fullmatch(line):
            done.append(f"{memory[1]}\\\\{local[memory[2]]}{memory[3]}")
        elif _OPTION.match(line):
            done.append(line)
        elif cell:
            kind = cell[2].removeprefix("\\")
            pins = tables.get(kind, {})
            kind = f"\\{modules[kind]}" if kind in modules else cell[2]
            done.append(f"{cell[1]} {kind} \\{local[cell[3]]}\n")
        elif pin:
            done.append(f"{pin[1]} \\{pins.get(pin[2], pin[2])}{names(pin[3])}")
        else:
            done.append(names(line))
    return "".join(done)
