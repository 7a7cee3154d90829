"""`build`: everything needed to put a design into a project, in one directory."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from modmul.errors import CheckFailed
from modmul.export import addition, blocks, check, datasheet, hdl, names, secrecy
from modmul.export.addition import Addition
from modmul.export.deliver import check_own, check_places, deliver, put, sealed, sha
from modmul.export.description import clock_limit
from modmul.export.hdl import Hdl
from modmul.export.kit import Kit, kit
from modmul.export.layout import Layout, layout
from modmul.export.testbench import templates
from modmul.spec import Spec
from modmul.targets import libraries
from modmul.targets.libraries import liberty, roles
from modmul.timing_proof import certificate
from modmul.timing_proof.certificate import Certificate
from modmul.toolchain import icarus, scratch
from modmul.toolchain.cache import Cache
from modmul.toolchain.directories import check_writable
from modmul.toolchain.progress import Report, silent

_PERIOD_NS = 10.0  # where no limit is known: a round figure to be replaced
_STEPS = 5
_PICTURE, _BLOCKS = "_timing.svg", "_blocks.svg"
_TOLD = (".md", ".html", _BLOCKS, _PICTURE, ".json")  # written last
_FILES = "## Files\n"
_UNCHECKED = "NOT VERIFIED: built with --no-check, without the simulation of the testbench"
# How a comment begins and ends, by kind of file; the others say it in their text.
_COMMENTS = (
    dict.fromkeys((".v", ".f", ".vlt", ".rdl"), ("//", ""))
    | dict.fromkeys((".sdc", ".xdc", ".ucf", ".lpf", ".tcl", ".py", ".core"), ("#", ""))
    | dict.fromkeys((".c", ".h"), ("/*", " */"))
    | {".xml": ("<!--", " -->")}
)


class DeliveredFile(msgspec.Struct, frozen=True):
    """One file written.  name: below the directory.  size: bytes."""

    name: str
    what: str
    size: int
    sha256: str


class BuildResult(msgspec.Struct, frozen=True):
    """What `build` wrote.  top: the module that the spec asks for, `core` or `stream`.

    checked: by simulator, what the emitted testbench printed and how much of it was run;
    None: not installed.  Empty if it was not simulated.  timing_proof: of the top module.
    advice: a choice of parameters that is far better on this chip, by forecast; else empty."""

    name: str
    directory: str
    top: str
    core: str | None
    stream: str
    files: list[DeliveredFile]
    checked: dict[str, str | None]
    timing_proof: Certificate
    advice: str = ""


def build(
    spec: Spec,
    directory: Path | None = None,
    *,
    simulate: bool = True,
    measure: Callable[[], Mapping[str, Any]] | None = None,
    add: addition.Maker | None = None,
    cache: Cache | None = None,
    progress: Report = silent,
) -> BuildResult:
    """Write `spec` as HDL with testbench, constraints, datasheet and description to `directory`.

    directory None: one with the name of the design, in the current one; it must be new, empty or
    an earlier delivery.
    The testbench is simulated before anything is written there, unless `simulate` is False, which
    every file then says; files appear all complete, or not at all.
    measure: gives the record of `implement`, as plain values, for the first page of the datasheet;
    None: it has no area and no clock.  add: makes what is delivered besides.
    The same spec, choices and tools give the same bytes, whatever is in a cache.  Constant time is
    proved on the emitted text, or datasheet and description say by which way a secret gets out.
    CheckFailed if the testbench fails (it names a directory with the files), SpecError if the
    directory or library will not do, ToolFailed, ToolMissing."""
    name = names.identifier(spec.design.title)
    if directory is None:
        directory = Path(name)
        check_own(directory)
    _check(spec, directory, [f"{name}{end}" for end in _TOLD if simulate or end != _PICTURE])
    progress("build", 0, _STEPS)
    emitted, role = hdl.emit(spec.design), kit(spec)
    places = layout(spec.design, emitted, name)
    added = add(spec, emitted, role, name, places) if add else Addition()
    texts = _texts(spec, emitted, role, places, name, added)
    progress("build", 1, _STEPS)
    cache, claim = cache or Cache(), secrecy.subject(spec.design, emitted, spec.interface)
    proof = certificate.prove(claim, cache)
    progress("build", 2, _STEPS)
    checked, others, picture = _Checked({}, {}, None)
    if simulate:
        check_places(texts, directory)
        checked, others, picture = _checked(role, texts, places, name, cache, added)
    else:
        texts = {file: _marked(file, text) for file, text in texts.items()}
    progress("build", 4, _STEPS)
    measured = measure() if measure else None
    description = role.describe(emitted, name, checked, proof, measured)
    what = _what(spec, emitted, places, name) | added.what
    drawn = {f"{name}{_BLOCKS}": blocks.draw(description, emitted.verilog)}
    drawn |= {f"{name}{_PICTURE}": picture} if picture is not None else {}
    description |= {**added.described, **({"simulated_besides": others} if others else {})}
    texts |= _datasheet(role, description, name, drawn, what, added.section)
    if added.top is not None:
        description["modules"] = description["modules"] | {"top": added.top}
    texts[f"{name}.json"] = _json(description, texts, what)
    deliver(texts, directory)
    progress("build", _STEPS, _STEPS)
    files = [DeliveredFile(file, what[file], len(text.encode()), sha(text))
             for file, text in texts.items()]  # fmt: skip
    return BuildResult(
        name, str(directory), **description["modules"], files=files, checked=checked | others,
        timing_proof=proof, advice=spec.design.advice,
    )  # fmt: skip


def _check(spec: Spec, directory: Path, files: list[str]) -> None:
    """Before any work: SpecError for a directory, with these names in it, or a library that will
    not do."""
    check_writable(directory)
    check_places(dict.fromkeys(files), directory)
    if spec.library is not None:
        roles.recognise(liberty.read(libraries.locate(spec.library)))


def _texts(
    spec: Spec, emitted: Hdl, role: Kit, places: Layout, name: str, added: Addition
) -> dict[str, str]:
    """Everything that is there before a simulation: the design and what is for other tools."""
    texts = _design(emitted, role, places, name) | places.lists(spec.design)
    texts[places.design] += added.verilog
    return texts | _constraints(spec, emitted, name, added.top) | added.files


def _design(emitted: Hdl, role: Kit, places: Layout, name: str) -> dict[str, str]:
    """The files that are simulated together."""
    texts = {places.design: emitted.verilog}
    for file, model in (places.parts | places.models).items():
        texts[file] = model.read_text(encoding="utf-8")
    bench = role.testbench(emitted, name, places.simulation)
    return texts | {places.testbench: bench}


def _json(description: dict[str, Any], texts: Mapping[str, str], what: Mapping[str, str]) -> str:
    """The description, with every file and its digest."""
    files = {file: {"what": what[file], "sha256": sha(text)} for file, text in texts.items()}
    return sealed(description | {"files": files})


def _marked(file: str, text: str) -> str:
    """`text` with a line that says that nothing was simulated, first where that can be."""
    begin, end = _COMMENTS[Path(file).suffix]
    mark = f"{begin} {_UNCHECKED if begin != '<!--' else _UNCHECKED.replace('--', '')}{end}\n"
    if text.startswith(("<?xml", "CAPI=")):  # which has to be the first line
        first, _, rest = text.partition("\n")
        return f"{first}\n{mark}{rest}"
    return mark + text


def _checked(
    role: Kit,
    texts: Mapping[str, str],
    places: Layout,
    name: str,
    cache: Cache,
    added: Addition,
) -> _Checked:
    """What simulators say of all testbenches."""
    with scratch.folder() as folder:
        put(texts, folder)
        sources = [folder / file for file in places.simulated]
        try:
            checked, picture = _simulated(role, sources, name, cache)
            others: dict[str, str | None] = {}
            for bench in added.benches:
                others |= addition.simulated(bench, folder, cache)
            return _Checked(checked, others, picture)
        except CheckFailed as error:
            copy = tempfile.mkdtemp(prefix=f"modmul-{name[:60]}-")
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            where = f"the files are in {copy}, nothing was delivered"
            raise CheckFailed(f"{error}\n{where}") from None


class _Checked(NamedTuple):
    """The verdicts by simulator, of the design and of what is added, and the timing diagram, if
    there is one."""

    own: dict[str, str | None]
    others: dict[str, str | None]
    picture: str | None


def _simulated(
    role: Kit, sources: list[Path], name: str, cache: Cache
) -> tuple[dict[str, str | None], str | None]:
    count, what = role.count, role.what
    output = check.in_verilator(sources, f"{name}_check", count, cache, what=what)
    checked: dict[str, str | None] = {"verilator": check.verdict(output, "Verilator", count, what)}
    checked["icarus"] = None
    if icarus.installed():
        checked["icarus"] = check.in_icarus(
            sources,
            f"{name}_tb",
            cache,
            products=count,
            cycles=check.cycles_of(output),
            beat=role.beat,
            what=what,
        )
    return checked, role.picture(output)


def _what(spec: Spec, emitted: Hdl, places: Layout, name: str) -> dict[str, str]:
    """Every file of the delivery, with what it is."""
    rows = "rows of full adders: part of the design; to be mapped onto cells of the library"
    what = dict.fromkeys(places.parts, rows)
    what |= dict.fromkeys(places.models, "simulation model of a primitive of the chip")
    several = "s" * (len(emitted.modules) > 1)
    named = " and ".join(f"`{module}`" for module in emitted.modules.values())
    what[places.design] = f"the design: module{several} {named}"
    what[places.testbench] = f"self-checking testbench, top module `{name}_tb`"
    what[places.synthesis] = "files of the design, one a line: for synthesis"
    what[places.simulation] = "files to simulate: design, models, testbench"
    what[places.lint] = "rules for `verilator --lint-only -Wall`, each with its reason"
    for kind in spec.design.chip.constraints:
        what[f"{name}.{kind}"] = f"timing constraints, {kind.upper()}"
    return what | {
        f"{name}.md": "this datasheet",
        f"{name}.html": "this datasheet as one page",
        f"{name}{_BLOCKS}": "the block diagram",
        f"{name}{_PICTURE}": "the timing diagram",
        f"{name}.json": "the same for programs, with the SHA-256 of every other file",
    }


def _constraints(spec: Spec, emitted: Hdl, name: str, top: str | None) -> dict[str, str]:
    """Constraint files of the target's kinds.  top: the module, None for that of the spec."""
    limit = clock_limit(spec, emitted)
    if limit is None:
        period = _PERIOD_NS
        why = "# The period is only a place for yours: no limit of the chip is known."
    else:
        period = 1000 / limit.mhz
        why = (
            f"# The clock asked for is the limit of {limit.block}: put your own.\n"
            f"# Source: {limit.named_source}"
        )
    return {
        f"{name}.{kind}": templates()
        .get_template(f"constraints.{kind}.j2")
        .render(
            header=hdl.header(spec.design, "#"),
            top=top or emitted.top(spec.interface),
            why=why,
            period=period,
        )
        for kind in spec.design.chip.constraints
    }


def _datasheet(
    role: Kit,
    description: dict[str, Any],
    name: str,
    drawn: dict[str, str],
    what: dict[str, str],
    section: str,
) -> dict[str, str]:
    """The sheet, its page and its diagrams: `drawn`; without a simulation there is none of the
    timing.  section: one more, before that of the files."""
    blocks_file, timing = f"{name}{_BLOCKS}", f"{name}{_PICTURE}"
    if timing not in drawn:
        del what[timing]
    sheet = role.sheet(description, timing if timing in drawn else None, what, blocks_file)
    sheet = sheet.replace(_FILES, f"{section}{_FILES}", 1)
    return {**drawn, f"{name}.md": sheet, f"{name}.html": datasheet.html(sheet, name, drawn)}
