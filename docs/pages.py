"""Pages made from the registries: one for each architecture, one each for targets and moduli.

`python docs/pages.py` writes the papers in the README, the list in architectures.md, the list in
modules.md, which comes from the docstrings of the modules, and the sizes of spaces in
exploration.md."""

import ast
import inspect
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import modmul
from modmul import catalogue, multipliers, processors
from modmul.catalogue.entries import (
    ArchitectureEntry,
    ModulusEntry,
    ParameterEntry,
    ProcessorEntry,
    TargetEntry,
)
from modmul.exploration import shipped
from modmul.exploration.grid import grid
from modmul.exploration.space import read_space
from modmul.literature import REFERENCES
from modmul.papers.registry import KEYS
from modmul.processors.engine.instructions import instruction_set
from modmul.targets import libraries
from modmul.targets.libraries import liberty
from modmul.toolchain import files

README = Path(__file__).parents[1] / "README.md"
ARCHITECTURES = Path(__file__).parent / "architectures.md"
MODULES = Path(__file__).parent / "modules.md"
EXPLORATION = Path(__file__).parent / "exploration.md"
_PACKAGE = Path(modmul.__file__).parent
_ARCHITECTURES = "<!-- from the registry -->\n", "<!-- end -->\n"
_PAPERS = "<!-- papers -->\n", "<!-- end of papers -->\n"
_SPACES = "<!-- spaces -->\n", "<!-- end of spaces -->\n"
_LISTED = "<!-- modules -->\n", "<!-- end of modules -->\n"


def readme(text: str) -> str:
    """The README with the present list of papers."""
    return between(text, _PAPERS, _references())


def architectures(text: str) -> str:
    """The page with the present list of architectures."""
    return between(text, _ARCHITECTURES, _architectures())


def modules(text: str) -> str:
    """The page with the present list of modules."""
    return between(text, _LISTED, _modules())


def exploration(text: str) -> str:
    """The page with the present sizes of the shipped spaces."""
    spaces = [read_space(name) for name in shipped()]
    rows = [
        (f"`{space.name}`", space.summary, str(len(grid(space).points)), str(space.budget))
        for space in spaces
    ]
    return between(text, _SPACES, _table(("space", "what", "points", "budget"), rows))


def between(text: str, marks: tuple[str, str], lines: Iterable[str]) -> str:
    """`text` with `lines` between two marks in place of what stands there."""
    begin, end = marks
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return before + begin + "".join(f"{line}\n" for line in lines) + end + after


def _modules() -> Iterable[str]:
    """Every file of the package with the first paragraph of its docstring, folder by folder."""
    folders = sorted({path.parent for path in _PACKAGE.rglob("*.py")})
    for folder in folders:
        name = folder.relative_to(_PACKAGE.parent).as_posix()
        yield from (f"## `{name}/`", "")
        if told := _told(folder / "__init__.py"):
            yield from (told, "")
        files = sorted(path for path in folder.glob("*.py") if path.stem != "__init__")
        yield from (f"- `{path.name}`: {_told(path)}" for path in files)
        yield from [""] * bool(files)


def _told(path: Path) -> str:
    """The first paragraph of a file's docstring as Markdown, in which a*b*c is no emphasis."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return re.sub(r"(?<=[\w)\]])\*(?=[\w(\[])", r"\\*", " ".join(text.split("\n\n")[0].split()))


def _references() -> Iterable[str]:
    """The papers, as one cites them."""
    for key in KEYS:
        told = REFERENCES[key]
        where = told.source
        if told.doi:
            where = where.replace(told.doi, f"[{told.doi}](https://doi.org/{told.doi})")
        yield f"- `{key}`: *{told.title}*, {where}."


def _architectures() -> Iterable[str]:
    rows = [
        (f"`{entry.name}`", entry.summary, ", ".join(entry.sources) or "ours", entry.timing)
        for entry in catalogue.list_designs().architectures
    ]
    return _table(("architecture", "what", "source", "time, by default"), rows)


def write(folder: Path) -> None:
    """Write all pages, touching only what changed, so that Sphinx need not read it again."""
    folder.mkdir(exist_ok=True)
    everything = catalogue.list_designs()
    pages = {f"{entry.name}.md": _architecture(entry) for entry in everything.architectures}
    pages |= {f"{entry.name}.md": _processor(entry) for entry in everything.processors}
    pages["targets.md"] = _targets(everything.targets)
    pages["moduli.md"] = _moduli(everything.moduli)
    pages["normalised.md"] = _normalised()
    pages["instructions.md"] = instructions()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            files.write(path, text)
    for path in folder.glob("*.md"):
        if path.name not in pages:
            path.unlink()


def _architecture(entry: ArchitectureEntry) -> str:
    module = inspect.getmodule(multipliers.find(entry.name))
    facts = [
        ("kind", entry.kind),
        ("fields", ", ".join(entry.fields)),
        ("modulus", entry.modulus_at),
        ("timing (default parameters)", entry.timing),
        ("sources", ", ".join(entry.sources) or "none"),
    ]
    return "\n".join(
        [
            f"# Architecture `{entry.name}`",
            "",
            _sentence(entry.summary),
            "",
            "```text",
            inspect.getdoc(module) or "",
            "```",
            "",
            *_table(("", ""), facts),
            "",
            "## Parameters",
            "",
            "Keys of a specification, options of the command line, arguments of the class.",
            "",
            *_parameters(entry.parameters),
            "",
        ]
    )


def _processor(entry: ProcessorEntry) -> str:
    module = inspect.getmodule(processors.find(entry.name))
    facts = [
        ("operations", ", ".join(entry.operations)),
        ("sources", ", ".join(entry.sources) or "none"),
    ]
    return "\n".join(
        [
            f"# Processor `{entry.name}`",
            "",
            _sentence(entry.summary),
            "",
            "```text",
            inspect.getdoc(module) or "",
            "```",
            "",
            *_table(("", ""), facts),
            "",
            "## Parameters",
            "",
            "Besides `multiplier`; arguments of the class.",
            "",
            *_parameters(entry.parameters),
            "",
        ]
    )


def _parameters(entries: Sequence[ParameterEntry]) -> list[str]:
    rows = [
        (f"`{p.name}`", "derived" if p.default is None else f"`{p.default}`", p.allowed, p.help)
        for p in entries
    ]
    return _table(("key", "default", "allowed", "what"), rows)


def _targets(entries: Sequence[TargetEntry]) -> str:
    lines = ["# Targets", ""]
    for entry in entries:
        lines += [f"## `{entry.name}`", "", _sentence(entry.summary), ""]
        rows = [(key.replace("_", " "), str(value)) for key, value in (entry.dsp or {}).items()]
        if rows:
            lines += [*_table(("DSP block", ""), rows), ""]
        limits = [
            (limit.block, f"{limit.mhz:g}", limit.named_source, "yes" if limit.verified else "no")
            for limit in entry.limits
        ]
        if limits:
            lines += [*_table(("limit of", "MHz", "source", "verified"), limits), ""]
    return "\n".join(lines)


def _moduli(entries: Sequence[ModulusEntry]) -> str:
    rows = [
        (f"`{m.name}`", str(m.bits), m.summary, m.source, ", ".join(m.aliases)) for m in entries
    ]
    return "\n".join(
        ["# Named moduli", "", *_table(("name", "bits", "what", "source", "also called"), rows), ""]
    )


def _normalised() -> str:
    library = liberty.read(libraries.locate(libraries.DEFAULT))
    rows = []
    for cell in library.cells.values():
        arcs = [arc for pin in cell.outputs() for arc in pin.arcs]
        delays = sorted({arc.rise.at(0.0, 0.0) for arc in arcs if arc.rise})
        text = ", ".join(f"{delay:.2f}" for delay in delays)
        rows.append((f"`{cell.name}`", f"{cell.area:.2f}", text, str(cell.source)))
    return "\n".join(
        [
            "# The library `normalised`",
            "",
            *_table(("cell", "area (A_FA)", "delay (T_FA)", "source"), rows),
            "",
        ]
    )


def instructions() -> str:
    """The instruction set of the engine."""
    isa = instruction_set()
    fields = [
        (f"`{name}`", f"{field.low + field.bits - 1}:{field.low}", field.text)
        for name, field in sorted(isa.fields.items(), key=lambda each: -each[1].low)
    ]
    lines = [
        "# Instructions of the engine",
        "",
        f"A word has {isa.word} bits; there are {isa.registers} registers.",
        "",
        *_table(("field", "bits", "what"), fields),
        "",
    ]
    for name, op in isa.op.items():
        rows = [
            ("code", str(op.code)),
            ("unit", op.unit),
            ("written as", f"`{name} {', '.join(op.operands)}`" if op.operands else name),
            ("result", f"`{op.value}`" if op.value else "none"),
            ("timing", op.timing),
            ("flow of information", ", ".join(op.flow) or "none"),
        ]
        lines += [f"## {name}", "", op.text, "", *_table(("", ""), rows), ""]
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    cells = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in cells]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


if __name__ == "__main__":
    files.write(README, readme(README.read_text()))
    files.write(ARCHITECTURES, architectures(ARCHITECTURES.read_text()))
    files.write(MODULES, modules(MODULES.read_text()))
    files.write(EXPLORATION, exploration(EXPLORATION.read_text()))
