"""modmul program [NAME | FILE]."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from modmul import inputs, multipliers
from modmul.cli.common import Json, Whole, no_effect
from modmul.cli.output import RenderableType, facts, rows, show, table
from modmul.errors import SpecError
from modmul.processors.engine import figures, library, report, stored
from modmul.processors.engine.assembler import assemble
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.program import Program
from modmul.processors.engine.text import about, parse, summary
from modmul.toolchain import files

_SHOWN = "multiplier width multipliers_ ports adder words picture"  # options about one program


@no_effect(
    beside={"figures_": f"name {_SHOWN}", "json": "words"},
    without=dict.fromkeys(_SHOWN.split(), "name"),
)
def program_verb(
    name: Annotated[str | None, Parameter(name="NAME")] = None,
    /,
    *,
    multiplier: str | None = None,
    width: Whole | None = None,
    multipliers_: Annotated[Whole, Parameter(name="--multipliers")] = 1,
    ports: Whole = 1,
    adder: Whole = 5,
    words: bool = False,
    picture: Path | None = None,
    figures_: Annotated[bool, Parameter(name="--figures")] = False,
    json: Json = False,
) -> int:
    """Show a program of the engine: its schedule, its cycles, its bounds, and where secrets go.

    Args:
        name: a program that comes with modmul, or the path of a text file with a program of yours,
            as docs/engine.md describes; without it, all names
        multiplier: architecture of the multipliers, of constant time (default: fpmm, or fips if the
            modulus is a polynomial)
        width: bits of the modulus (default: the program's)
        multipliers_: how many multipliers, 1 or 2
        ports: read ports, each with an adder, 1 or 2
        adder: cycles from operands to the first beat of a sum
        words: also print the words, in assembler
        picture: draw the schedule into this .svg file
        figures_: print periods and total cycles of all programs, beside the required ones
    """
    if figures_:
        programs = figures.rows()
        show(programs, lambda: _figures(programs), json)
        return 0 if all(row.kept for row in programs) else 1
    if name is None:
        texts = {key: library.text(entry) for key, entry in library.entries().items()}
        show([[key, about(text)] for key, text in texts.items()], lambda: _names(texts), json)
        return 0
    program, usual, on = _read(name)
    below = multipliers.find(multiplier or on)(width=width or usual)
    engine = Engine(below, multipliers=multipliers_, ports=ports, adder=adder)
    image = assemble(program, engine, stored.schedule)
    if picture is not None:
        files.write(picture, report.svg(image))
    result = report.report(image)
    show(result, lambda: _text(result, program.text, words), json)
    return 0


def _read(name: str) -> tuple[Program, int, str]:
    """Return a program of the library or of a file, with the width and the multiplier that it is
    for."""
    if name.removesuffix(library.TWICE) in library.entries():
        entry = library.entry(name)
        return library.find(name), entry.width, entry.multiplier
    path = Path(name)
    if not os.path.isfile(name):  # also where no file can have this name
        library.entry(name)  # refuses it, with names that are near
    try:
        text = inputs.read(path)
    except ValueError as error:
        raise SpecError("program", name, "a text file", f"{name}: {error}") from None
    program = parse(path.stem, text)
    if "binary" in program.fields.values():
        return program, 1 + (program.degree or 255), "fips"
    return program, program.prime.bit_length() if program.prime else 256, "fpmm"


def _names(texts: dict[str, str]) -> RenderableType:
    listing = table("Programs; with -twice behind the name two at once", "name", "what")
    for name, text in texts.items():
        listing.add_row(name, summary(text))
    return listing


def _text(shown: report.ProgramFigures, text: str, words: bool) -> list[RenderableType]:
    each = [
        f"{cycles} for each of {name}" for name, cycles in shown.cycles.items() if name != "fixed"
    ]
    values = (
        f"below {shown.largest} N; products need R / N of {shown.slack}, there is "
        f"{shown.slack_there}"
    )
    about = facts(
        f"{shown.program} on {shown.multiplier}",
        ("cycles", " + ".join([str(shown.cycles["fixed"]), *each])),
        ("words, registers", f"{shown.words}, {shown.registers}"),
        ("inputs", ", ".join(shown.inputs)),
        ("secret", ", ".join(shown.secrets) or "none"),
        ("outputs", ", ".join(shown.outputs) or "the status"),
        ("time", f"{shown.timing}, computed from what is secret"),
        ("values", "reduced by the adder" if shown.reducing else values),
    )
    loops = rows(
        "\nLoops",
        shown.loops,
        {
            "line": lambda loop: loop.line,
            "times": lambda loop: loop.count,
            "products": lambda loop: loop.products,
            "others": lambda loop: loop.others,
            "cycles a pass": lambda loop: loop.period,
            "stages": lambda loop: loop.stages,
            "slots": lambda loop: loop.slots,
            "port": lambda loop: loop.port,
            "adder": lambda loop: loop.adder,
            "chain": lambda loop: loop.chain,
            "multiplier use": lambda loop: f"{loop.use:.1%}",
            "port use": lambda loop: f"{loop.port_use:.1%}",
            "bound that it meets": lambda loop: loop.met,
        },
    )
    parts: list[RenderableType] = ["\n" + text, about, loops, "\n" + shown.picture]
    return [*parts, "\n" + shown.listing] if words else parts


def _figures(programs: list[figures.Row]) -> RenderableType:
    return rows(
        "Cycles a bit and scalar, and of a whole operation, beside what was required",
        programs,
        {
            "program": lambda row: row.program,
            "multiplier": lambda row: row.multiplier,
            "products": lambda row: row.products,
            "others": lambda row: row.others,
            "least": lambda row: row.least,
            "period": lambda row: row.period,
            "each": lambda row: f"{row.each:g}",
            "required": lambda row: row.required,
            "use": lambda row: f"{row.use:.1%}",
            "bound that it meets": lambda row: row.met,
            "total": lambda row: row.total,
            "required (thousand)": lambda row: row.required_total,
        },
    )
