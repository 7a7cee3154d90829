"""`build`: everything needed to put a design into a project, in one directory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from modmul.arithmetic_proof import certificate as of_products
from modmul.arithmetic_proof.proof import ArithmeticProof, prove_files
from modmul.export import secrecy
from modmul.export.addition import Addition
from modmul.export.contents import BLOCKS, PICTURE, Contents, Verdicts, name_of
from modmul.export.deliver import check_own, check_places, deliver, sealed, sha
from modmul.export.description import describe as of_multiplier
from modmul.export.layout import LANGUAGES
from modmul.export.pins import USUAL, Pins
from modmul.export.processor.description import describe as of_processor
from modmul.processors import Processor
from modmul.spec import Spec
from modmul.targets import libraries
from modmul.targets.libraries import liberty, roles
from modmul.timing_proof import certificate
from modmul.timing_proof.certificate import Certificate
from modmul.toolchain.cache import Cache
from modmul.toolchain.files import check_writable
from modmul.toolchain.progress import Report, silent

PROOF_SECONDS = 60  # for the proof of products
_STEPS = 6
_TOLD = (".md", ".html", BLOCKS, PICTURE, ".json")  # files about the design, written last
_CERTIFICATE = "certificate of the proof of products, for `modmul check-proof`"
_UNCHECKED = "NOT VERIFIED: built with --no-check, without the simulation of the testbench"
# The begin and end of a comment, by kind of file; other files say it in their text.
_COMMENTS = (
    dict.fromkeys((".v", ".f", ".vlt", ".rdl"), ("//", ""))
    | dict.fromkeys((".sdc", ".xdc", ".ucf", ".lpf", ".tcl", ".py", ".core"), ("#", ""))
    | dict.fromkeys((".c", ".h"), ("/*", " */"))
    | dict.fromkeys((".vhd", ".txt"), ("--", ""))
    | {".xml": ("<!--", " -->")}
)


class DeliveredFile(msgspec.Struct, frozen=True):
    """One file written.  name: below the directory.  size: bytes."""

    name: str
    what: str
    size: int
    sha256: str


class BuildResult(msgspec.Struct, frozen=True):
    """The record that `build` returns.  top: the module that the spec asks for, `core` or `stream`.

    checked: for each simulator, the verdict of the emitted testbench and how much of it was run, or
    None if it is not installed; empty if nothing was simulated.  timing_proof: of the top module.
    arithmetic_proof: of the products of the core, its certificate left out; None for a processor,
    for VHDL, and if nothing was simulated.  advice: parameters that are far better on this chip, by
    forecast; else empty."""

    name: str
    directory: str
    top: str
    core: str | None
    stream: str
    files: list[DeliveredFile]
    checked: dict[str, str | None]
    timing_proof: Certificate
    arithmetic_proof: ArithmeticProof | None
    advice: str = ""


def build(
    spec: Spec,
    directory: Path | None = None,
    *,
    name: str | None = None,
    bus: str | None = None,
    without_initial_values: bool = False,
    pins: Pins = USUAL,
    language: str = LANGUAGES[0],
    simulate: bool = True,
    measure: Callable[[], Mapping[str, Any]] | None = None,
    add: Callable[[Contents], Addition] | None = None,
    cache: Cache | None = None,
    progress: Report = silent,
) -> BuildResult:
    """Write `spec` as HDL with testbench, constraints, datasheet and description to `directory`.

    directory: None for a new one with the name of the delivery, in the current one.  It must be
    new, empty or an earlier delivery.  name: of the delivery, if it is not that of the design.
    bus: that `add` puts the design on.
    without_initial_values: see `hdl.emit`.  pins: of the outermost module.  language: one of
    `LANGUAGES`.  The testbench is
    simulated before anything is written there, unless `simulate` is False, which every file then
    says.  All files appear complete, or none.
    measure: returns the record of `implement`, as plain values, for the first page of the
    datasheet; None for a datasheet without area and clock.  add: makes an addition to the delivery.
    The same spec, choices and tools give the same bytes, with or without a cache, unless the proof
    of products ends by its limit of PROOF_SECONDS.  Constant time is proved on the emitted text;
    otherwise datasheet and description say how a secret gets out.
    Raises CheckFailed if the testbench fails (it names a directory with the files), SpecError if
    directory or library cannot be used, ToolFailed, ToolMissing."""
    name = name or name_of(spec)
    if directory is None:
        directory = Path(name)
        check_own(directory, {**spec.options(), "bus": bus})
    _check(spec, directory, [f"{name}{end}" for end in _TOLD if simulate or end != PICTURE])
    progress("build", 0, _STEPS)
    contents = Contents.of(
        spec, name, add, without_initial_values, bus=bus, pins=pins, language=language
    )
    texts = contents.texts()
    progress("build", 1, _STEPS)
    cache = cache or Cache()
    proof = prove(contents, cache)
    progress("build", 2, _STEPS)
    verdicts = Verdicts({}, {}, None)
    if simulate:
        check_places(contents.delivered(texts), directory)
        verdicts = contents.simulate(texts, cache, progress)
    progress("build", 4, _STEPS)
    products = prove_products(contents, texts, cache) if simulate else None
    progress("build", 5, _STEPS)
    measured = measure() if measure else None
    result = _delivered(contents, texts, verdicts, (proof, products), measured, directory)
    progress("build", _STEPS, _STEPS)
    return result


def prove(contents: Contents, cache: Cache) -> Certificate:
    spec = contents.spec
    return certificate.prove(secrecy.subject(spec.design, contents.emitted, spec.interface), cache)


def prove_products(
    contents: Contents, texts: Mapping[str, str], cache: Cache, seconds: int = PROOF_SECONDS
) -> ArithmeticProof | None:
    """Prove the products of a multiplier on the texts that are delivered; None for a processor, and
    for a delivery without Verilog."""
    spec, places = contents.spec, contents.places
    if isinstance(spec.design, Processor) or places.design not in contents.delivered(texts):
        return None
    files = {file: texts[file] for file in (*places.parts, *places.models, places.design)}
    return prove_files(spec.multiplier, files, contents.emitted.core, seconds, cache)


def completed(
    contents: Contents,
    texts: dict[str, str],
    verdicts: Verdicts,
    proofs: tuple[Certificate, ArithmeticProof | None],
    measured: Mapping[str, Any] | None,
    tools: Mapping[str, str | None] | None = None,
) -> tuple[dict[str, str], dict[str, Any]]:
    """The texts with the sheets and the description, and the latter as a record, without its
    own digest.  proofs: of the timing and of products.  tools: the versions that the description
    names (default: of those here)."""
    name, what, texts = contents.name, contents.what(), contents.delivered(texts)
    proof, products = proofs
    if not verdicts.own:
        vhdl = contents.places.vhdl
        lists = vhdl.lists() if vhdl else {}  # GHDL takes what is in them as arguments
        texts |= {file: _marked(file, text) for file, text in texts.items() if file not in lists}
    describe = of_processor if isinstance(contents.spec.design, Processor) else of_multiplier
    description = describe(contents.spec, contents.emitted, name, verdicts.own, proof, measured)
    if products is not None:
        description["arithmetic_proof"] = products.delivered
        if products.certificate:
            what[f"{name}{of_products.END}"] = _CERTIFICATE
            texts[f"{name}{of_products.END}"] = products.certificate
    description |= contents.added.described
    description["spec"] |= contents.added.options
    description |= {"simulated_besides": verdicts.added} if verdicts.added else {}
    if tools is not None:
        description["tools"] = tools
    texts |= contents.sheets(description, verdicts.picture, what)
    if contents.added.top is not None:
        description["modules"] = description["modules"] | {"top": contents.added.top}
    files = {file: {"what": what[file], "sha256": sha(text)} for file, text in texts.items()}
    description["files"] = files
    return texts | {f"{name}.json": sealed(description)}, description


def _delivered(
    contents: Contents,
    texts: dict[str, str],
    verdicts: Verdicts,
    proofs: tuple[Certificate, ArithmeticProof | None],
    measured: Mapping[str, Any] | None,
    directory: Path,
) -> BuildResult:
    texts, description = completed(contents, texts, verdicts, proofs, measured)
    deliver(texts, directory)
    proof, products = proofs
    what = {**contents.what(), f"{contents.name}{of_products.END}": _CERTIFICATE}
    files = [
        DeliveredFile(file, what[file], len(text.encode()), sha(text))
        for file, text in texts.items()
    ]
    return BuildResult(
        contents.name,
        str(directory),
        **description["modules"],
        files=files,
        timing_proof=proof,
        arithmetic_proof=products and msgspec.structs.replace(products, certificate=""),
        checked=verdicts.own | verdicts.added,
        advice=contents.spec.design.advice,
    )


def _check(spec: Spec, directory: Path, files: list[str]) -> None:
    """Check before any work.  Raises SpecError if the directory, or these files in it, cannot be
    written, or the library cannot be used."""
    check_writable(directory)
    check_places(dict.fromkeys(files), directory)
    if spec.library is not None:
        roles.recognise(liberty.read(libraries.locate(spec.library)))


def _marked(file: str, text: str) -> str:
    """`text` with a line, the first if possible, that says that nothing was simulated."""
    begin, end = _COMMENTS[Path(file).suffix]
    mark = f"{begin} {_UNCHECKED if begin != '<!--' else _UNCHECKED.replace('--', '')}{end}\n"
    if text.startswith(("<?xml", "CAPI=")):  # this has to stay the first line
        first, _, rest = text.partition("\n")
        return f"{first}\n{mark}{rest}"
    return mark + text
