"""modmul program [NAME | FILE]."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from modmul import inputs, multipliers
from modmul.cli.common import Json, Whole, no_effect
from modmul.cli.output import show, table
from modmul.errors import SpecError
from modmul.processors.engine import figures, library, report, stored
from modmul.processors.engine.assembler import assemble
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.program import Program
from modmul.processors.engine.text import about, parse, summary
from modmul.toolchain import files

if TYPE_CHECKING:
    from rich.console import RenderableType


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
        rows = figures.rows()
        show(rows, lambda: _figures(rows), json)
        return 0 if all(row.kept for row in rows) else 1
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


def _text(figures: report.ProgramFigures, text: str, words: bool) -> list[RenderableType]:
    facts = table(f"{figures.program} on {figures.multiplier}", "what", "value")
    each = [
        f"{cycles} for each of {name}" for name, cycles in figures.cycles.items() if name != "fixed"
    ]
    rows = {
        "cycles": " + ".join([str(figures.cycles["fixed"]), *each]),
        "words, registers": f"{figures.words}, {figures.registers}",
        "inputs": ", ".join(figures.inputs),
        "secret": ", ".join(figures.secrets) or "none",
        "outputs": ", ".join(figures.outputs) or "the status",
        "time": f"{figures.timing}, computed from what is secret",
        "values": f"below {figures.largest} N; products need R / N of {figures.slack}, there is "
        f"{figures.slack_there}"
        if not figures.reducing
        else "reduced by the adder",
    }
    for label, value in rows.items():
        facts.add_row(label, value)
    loops = table(
        "\nLoops",
        "line",
        "times",
        "products",
        "others",
        "cycles a pass",
        "stages",
        "slots",
        "port",
        "adder",
        "chain",
        "multiplier use",
        "port use",
        "bound that it meets",
    )
    for loop in figures.loops:
        loops.add_row(
            str(loop.line),
            str(loop.count),
            str(loop.products),
            str(loop.others),
            str(loop.period),
            str(loop.stages),
            str(loop.slots),
            str(loop.port),
            str(loop.adder),
            str(loop.chain),
            f"{loop.use:.1%}",
            f"{loop.port_use:.1%}",
            loop.met,
        )
    parts: list[RenderableType] = ["\n" + text, facts, loops, "\n" + figures.picture]
    return [*parts, "\n" + figures.listing] if words else parts


def _figures(rows: list[figures.Row]) -> RenderableType:
    listing = table(
        "Cycles a bit and scalar, and of a whole operation, beside what was required",
        "program",
        "multiplier",
        "products",
        "others",
        "least",
        "period",
        "each",
        "required",
        "use",
        "bound that it meets",
        "total",
        "required (thousand)",
    )
    for row in rows:
        listing.add_row(
            row.program,
            row.multiplier,
            str(row.products),
            str(row.others),
            str(row.least),
            str(row.period),
            f"{row.each:g}",
            "-" if row.required is None else str(row.required),
            f"{row.use:.1%}",
            row.met,
            str(row.total),
            "-" if row.required_total is None else str(row.required_total),
        )
    return listing
