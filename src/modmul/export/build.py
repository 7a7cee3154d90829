"""`build`: everything needed to put a multiplier into one's own design, in one directory."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from modmul.export import check, datasheet, hdl, names
from modmul.export.description import describe
from modmul.export.hdl import Hdl
from modmul.export.protocol import diagram
from modmul.export.testbench import templates, testbench
from modmul.export.vectors import Plan, plan
from modmul.spec import Spec
from modmul.targets import libraries
from modmul.targets.libraries import liberty, roles
from modmul.toolchain import icarus
from modmul.toolchain.cache import Cache
from modmul.toolchain.directories import check_writable
from modmul.toolchain.progress import Report, silent

_PERIOD_NS = 10.0  # where no limit is known: a round figure to be replaced
_STEPS = 4


class File(msgspec.Struct, frozen=True):
    """One file written.  size: bytes."""

    name: str
    what: str
    size: int
    sha256: str


class BuildResult(msgspec.Struct, frozen=True):
    """What `build` wrote.  top: the module that the spec asks for, `core` or `stream`.

    checked: what the emitted testbench printed, by simulator; None: not installed."""

    name: str
    directory: str
    top: str
    core: str
    stream: str
    files: list[File]
    checked: dict[str, str | None]


def build(
    spec: Spec, directory: Path, *, cache: Cache | None = None, progress: Report = silent
) -> BuildResult:
    """Write `spec` as HDL with testbench, constraints, datasheet and description to `directory`.

    The testbench is simulated before anything is written there; files appear all complete, or not
    at all.  The same spec gives the same bytes.  CheckFailed if the testbench fails, SpecError
    if the directory cannot be written or the library will not do, ToolFailed, ToolMissing."""
    check_writable(directory)
    if spec.library is not None:
        roles.recognise(liberty.read(libraries.locate(spec.library)))
    name = names.identifier(spec.multiplier.title)
    progress("build", 0, _STEPS)
    emitted, planned = hdl.emit(spec.multiplier), plan(spec)
    texts = _design(spec, emitted, planned, name)
    progress("build", 1, _STEPS)
    with tempfile.TemporaryDirectory(prefix="modmul-") as folder:
        sources = _put(texts, Path(folder))
        output = check.in_verilator(sources, f"{name}_check", cache or Cache())
        progress("build", 2, _STEPS)
        checked = {
            "verilator": check.verdict(output, "Verilator"),
            "icarus": check.in_icarus(sources, f"{name}_tb") if icarus.installed() else None,
        }
    progress("build", 3, _STEPS)
    what = _what(spec, emitted, name, list(texts))
    description = describe(spec, emitted, name)
    texts |= _constraints(spec, description, name)
    texts |= _datasheet(description, name, diagram(spec, planned, output), what)
    description["files"] = {
        file: {"what": what[file], "sha256": _sha(texts[file])} for file in texts
    }
    texts[f"{name}.json"] = json.dumps(description, indent=2) + "\n"
    _write(texts, directory)
    progress("build", _STEPS, _STEPS)
    files = [File(file, what[file], len(text.encode()), _sha(text)) for file, text in texts.items()]
    top = description["modules"]["top"]
    return BuildResult(name, str(directory), top, emitted.core, emitted.stream, files, checked)


def _design(spec: Spec, emitted: Hdl, planned: Plan, name: str) -> dict[str, str]:
    """The files that are simulated together."""
    texts = {f"{name}.v": emitted.verilog}
    for model in emitted.models:
        texts[f"{model.stem}_sim.v"] = model.read_text(encoding="utf-8")
    files = [*texts, f"{name}_tb.v"]
    return texts | {files[-1]: testbench(spec, emitted, name, planned, files)}


def _what(spec: Spec, emitted: Hdl, name: str, design: list[str]) -> dict[str, str]:
    """Every file, and what it is."""
    models = "simulation models of the chip's primitives"
    if spec.multiplier.chip.kind == "cells":
        models = "rows of full adders: part of the design; to be mapped onto cells of the library"
    what = dict.fromkeys(design, models)
    what[f"{name}.v"] = f"the design: modules `{emitted.core}` and `{emitted.stream}`"
    what[f"{name}_tb.v"] = f"self-checking testbench, top module `{name}_tb`"
    for kind in spec.multiplier.chip.constraints:
        what[f"{name}.{kind}"] = f"timing constraints, {kind.upper()}"
    return what | {
        f"{name}.md": "this datasheet",
        f"{name}.html": "this datasheet as one page",
        f"{name}_timing.svg": "the timing diagram",
        f"{name}.json": "the same for programs, with the SHA-256 of every other file",
    }


def _constraints(spec: Spec, description: dict[str, Any], name: str) -> dict[str, str]:
    """Constraint files of the target's kinds."""
    clock = description["clock"]
    if clock["mhz"] is None:
        period = _PERIOD_NS
        why = "# The period is only a place for yours: no limit of the chip is known."
    else:
        period = 1000 / clock["mhz"]
        doubt = "" if clock["verified"] else "; not verified"
        why = (
            f"# The clock asked for is the limit of {clock['limited_by']}: put your own.\n"
            f"# Source: {clock['source']}{doubt}"
        )
    return {
        f"{name}.{kind}": templates()
        .get_template(f"constraints.{kind}.j2")
        .render(
            header=hdl.header(spec.multiplier, "#"),
            top=description["modules"]["top"],
            why=why,
            period=period,
        )
        for kind in spec.multiplier.chip.constraints
    }


def _datasheet(
    description: dict[str, Any], name: str, svg: str, what: dict[str, str]
) -> dict[str, str]:
    picture = f"{name}_timing.svg"
    sheet = datasheet.markdown(description, picture, what)
    page = datasheet.html(sheet, name, picture, svg)
    return {picture: svg, f"{name}.md": sheet, f"{name}.html": page}


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _put(texts: dict[str, str], folder: Path) -> list[Path]:
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    return [folder / file for file in texts]


def _write(texts: dict[str, str], directory: Path) -> None:
    """All files, complete, under temporary names beside their place; then renamed."""
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".modmul-", dir=directory) as folder:
        for source in _put(texts, Path(folder)):
            os.replace(source, directory / source.name)
