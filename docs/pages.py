"""Pages made from the registries and the command line: one for each architecture and processor,
and the verbs, targets, moduli and modules.

`python docs/pages.py` writes the papers in the README, the list in architectures.md and the sizes
of spaces in exploration.md."""

import ast
import contextlib
import inspect
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import modmul
from modmul import catalogue, literature, multipliers, processors
from modmul.catalogue.entries import (
    ArchitectureEntry,
    ModulusEntry,
    ParameterEntry,
    ProcessorEntry,
    TargetEntry,
)
from modmul.cli.application import application
from modmul.cli.options import choice_of
from modmul.cli.verbs import EXAMPLES, EXIT_CODES, OF_A_SPEC, VERBS
from modmul.errors import SpecError
from modmul.exploration import shipped
from modmul.exploration.grid import grid
from modmul.exploration.space import read_space
from modmul.multipliers import Multiplier
from modmul.papers.registry import KEYS
from modmul.processors.engine.instructions import instruction_set
from modmul.targets import libraries
from modmul.targets.libraries import liberty
from modmul.toolchain import files

README = Path(__file__).parents[1] / "README.md"
ARCHITECTURES = Path(__file__).parent / "architectures.md"
EXPLORATION = Path(__file__).parent / "exploration.md"
FIGURES = Path(__file__).with_name("measured.json")
WIDTHS = 128, 256, 1024  # of the cycles on the page of an architecture
_PACKAGE = Path(modmul.__file__).parent
_ARCHITECTURES = "<!-- from the registry -->\n", "<!-- end -->\n"
_PAPERS = "<!-- papers -->\n", "<!-- end of papers -->\n"
_SPACES = "<!-- spaces -->\n", "<!-- end of spaces -->\n"


def readme(text: str) -> str:
    """The README with the present list of papers."""
    return between(text, _PAPERS, _references())


def architectures(text: str) -> str:
    """The page with the present list of architectures."""
    return between(text, _ARCHITECTURES, _architectures())


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


def _menu(kind: str, entries: Sequence[ArchitectureEntry | ProcessorEntry]) -> str:
    """A page that lists the pages of all entries."""
    rows = [(f"[`{entry.name}`]({entry.name}.md)", entry.summary) for entry in entries]
    toctree = [
        "```{toctree}",
        ":hidden:",
        "",
        *(f"{e.name} <{e.name}>" for e in entries),
        "```",
        "",
    ]
    return "\n".join([f"# Each {kind}", "", *_table(("name", "what"), rows), "", *toctree])


def _modules() -> str:
    """Every file of the package with the first paragraph of its docstring, folder by folder."""
    lines = [
        "# Every module",
        "",
        "The files of the package, with the first sentences of each.",
        "",
    ]
    for folder in sorted({path.parent for path in _PACKAGE.rglob("*.py")}):
        lines += [f"## `{folder.relative_to(_PACKAGE.parent).as_posix()}/`", ""]
        if summary := _docstring(folder / "__init__.py"):
            lines += [summary, ""]
        files = sorted(path for path in folder.glob("*.py") if path.stem != "__init__")
        lines += [*(f"- `{path.name}`: {_docstring(path)}" for path in files), ""]
    return "\n".join(lines)


def _docstring(path: Path) -> str:
    """The first paragraph of a file's docstring as Markdown, in which a*b*c is no emphasis."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return re.sub(r"(?<=[\w)\]])\*(?=[\w(\[])", r"\\*", " ".join(text.split("\n\n")[0].split()))


def _verbs() -> str:
    """The help of every verb, with the options that all architectures share."""
    lines = ["# Verbs", "", f"`modmul VERB --help` prints the same. {EXIT_CODES}", ""]
    lines += _table(("verb", "what"), [(f"[`{v}`](#modmul-{v})", t) for v, t in VERBS.items()])
    for verb in VERBS:
        choice = choice_of([verb, "--help"]) if verb in OF_A_SPEC else None
        text = application(verb, choice).generate_docs(output_format="markdown")
        _, section = text.split(f"## modmul {verb}\n", 1)
        body = section.partition("\n## ")[0].replace("```console", "```text").strip()
        lines += [
            "",
            f"## modmul {verb}",
            "",
            *(f"    {line}" for line in EXAMPLES[verb]),
            "",
            body,
        ]
    return "\n".join([*lines, ""])


def _references(keys: Iterable[str] = KEYS) -> Iterable[str]:
    """The papers, as one cites them."""
    for key in keys:
        paper = literature.REFERENCES[key]
        source = paper.source
        if paper.doi:
            source = source.replace(paper.doi, f"[{paper.doi}](https://doi.org/{paper.doi})")
        yield f"- `{key}`: *{paper.title}*, {source}."


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
    lists = {"architecture": everything.architectures, "processor": everything.processors}
    pages |= {f"each-{kind}.md": _menu(kind, entries) for kind, entries in lists.items()}
    pages["verbs.md"] = _verbs()
    pages["modules.md"] = _modules()
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
    default, *others = _instances(entry.name)
    same_width = [each for each in others if each.width == default.width]
    bounds = [("operands below", default.operand_limit.formula)]
    bounds += [("results below", default.result_limit.formula)]
    facts = [
        ("product", entry.kind),
        ("fields", ", ".join(entry.fields)),
        ("modulus", f"{entry.modulus_at}; {default.moduli}"),
        *(bounds if default.kind == "modular" else []),
        *([("R", f"2^{factor.bit_length() - 1}")] if (factor := default.montgomery_factor) else []),
        ("time (default parameters)", entry.timing),
    ]
    sources = [*_references(key for key in entry.sources if key in literature.REFERENCES)]
    return "\n".join(
        [
            f"# Architecture `{entry.name}`",
            "",
            _sentence(entry.summary),
            "",
            "## Algorithm",
            "",
            "```text",
            inspect.getdoc(inspect.getmodule(multipliers.find(entry.name))) or "",
            "```",
            "",
            "## Bounds",
            "",
            f"With the default parameters, of which the width is {default.width}:",
            "",
            *_table(("", ""), facts),
            "",
            "## Cycles",
            "",
            "The bare core on an ECP5, other parameters at their defaults. LUT, FF and DSP are "
            "estimates by a formula.",
            "",
            *_table(_CYCLES, map(_cycles, others if same_width else [default, *others])),
            "",
            *_figures(entry.name),
            "## Source",
            "",
            *(sources or ["This project."]),
            "",
            "## Parameters",
            "",
            "Keys of a specification, options of the command line, arguments of the class.",
            "",
            *_parameters(entry.parameters),
            "",
        ]
    )


_CYCLES = "width", "latency", "initiation interval", "slots", "LUT", "FF", "DSP"


def _instances(name: str) -> Iterator[Multiplier]:
    """The architecture on an ECP5: at its default width, then at each of `WIDTHS` that it takes."""
    architecture = multipliers.find(name)
    default = architecture(target="ecp5")
    yield default
    for width in WIDTHS if default.fixed_modulus is None else ():
        with contextlib.suppress(SpecError):
            yield architecture(width=width, target="ecp5")


def _figures(name: str) -> Iterator[str]:
    """The measured designs of an architecture, of all tables of the pages."""
    rows = [row for row in json.loads(FIGURES.read_text()) if row["spec"]["architecture"] == name]
    measured = [row for row in rows if row.get("lut") and row["spec"].get("target")]
    if not measured:
        return
    yield from ("## Figures", "")
    yield "Measured with Yosys and, where there is f_max, nextpnr. *Core*: without stream wrapper."
    yield ""
    cells = [
        (
            row["spec"]["target"],
            row["label"].replace("`", ""),
            "core and stream wrapper" if "checked_per_second" in row else "core",
            *(f"{row[key]:,}" if key in row else "-" for key in ("lut", "ff", "dsp")),
            f"{row['usable_mhz']:.0f} MHz" if row.get("usable_mhz") else "-",
        )
        for row in measured
    ]
    yield from _table(("chip", "design", "of", "LUT", "FF", "DSP", "f_max"), cells)
    yield ""


def _cycles(multiplier: Multiplier) -> Sequence[str]:
    latency, area = multiplier.latency(), multiplier.forecast()
    cycles = sorted({latency.minimum, latency.maximum})
    figures = (area.lut, area.ff, area.dsp)
    return [
        str(multiplier.width),
        " to ".join(f"{each:,.0f}" for each in cycles),
        f"{multiplier.cycles_per_product():,.4g}",
        str(multiplier.slots),
        *(f"{each:,.0f}" for each in figures),
    ]


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
    files.write(EXPLORATION, exploration(EXPLORATION.read_text()))
