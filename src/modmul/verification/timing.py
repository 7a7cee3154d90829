"""`verify --timing`: proves constant time of the Verilog, as written and as mapped for the target.

The netlist from synthesis is proved separately, since a tool may share or move logic in ways that
the text does not show."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import msgspec

from modmul.export import hdl, secrecy
from modmul.implementation import cell_synthesis, synthesis
from modmul.spec import Spec
from modmul.targets import libraries
from modmul.timing_proof import certificate
from modmul.timing_proof.certificate import Certificate, ProofSubject
from modmul.timing_proof.netlist import FlatNetlist, parse
from modmul.toolchain import packed
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work


class TimingResult(msgspec.Struct, frozen=True):
    """The result of `prove_timing`.  passed: every claim of constant time is proved, in every form.

    certificates: of every interface as written, and of the one that the spec asks for as mapped."""

    spec: dict[str, Any]
    title: str
    claim: str
    passed: bool
    certificates: tuple[Certificate, ...]


def prove_timing(spec: Spec, work: Work | None = None) -> TimingResult:
    """Prove that the time of a design does not depend on secrets: operands and modulus of a
    multiplier, the streams that a processor declares secret.

    A claim that cannot be proved is no exception: see `passed`.  Raises ToolFailed, ToolMissing,
    and SpecError for a library that cannot be used."""
    design = spec.design
    work, written = work or Work(), hdl.emit(design)
    cache, progress = work.cache, work.progress
    steps = len(design.interfaces) + 1
    certificates = []
    for done, interface in enumerate(design.interfaces):
        progress("proving the timing", done, steps)
        certificates.append(certificate.prove(secrecy.subject(design, written, interface), cache))
    progress("proving the timing", steps - 1, steps)
    certificates.append(mapped(secrecy.subject(design, written, spec.interface), spec, cache))
    progress("proving the timing", steps, steps)
    return TimingResult(
        spec=spec.options(),
        title=design.title,
        claim=design.timing,
        passed=design.timing != "constant" or all(proof.proved for proof in certificates),
        certificates=tuple(certificates),
    )


def mapped(subject: ProofSubject, spec: Spec, cache: Cache) -> Certificate:
    """The certificate of a module after synthesis for the target of the spec.

    If some beats of a modulus are public, all are assumed to be: after synthesis the logic behind
    the handshake is merged with other logic, and the adapter with the core."""
    subject, target = _without_places(subject), spec.design.chip
    if target.takes_library:
        loaded = cell_synthesis.open_library(spec.library or libraries.DEFAULT)
        folder = cell_synthesis.mapped(subject.verilog, subject.top, target, loaded, cache)
        text = (folder / cell_synthesis.NETLIST).read_text()
    else:
        text = packed.read(synthesis.mapped(subject.verilog, subject.top, target, cache))
    content = hashlib.sha256(text.encode()).hexdigest()

    def read() -> FlatNetlist:
        return parse(text, subject.top)

    return certificate.kept(subject, f"mapped for {target.name}", read, cache, content)


def _without_places(subject: ProofSubject) -> ProofSubject:
    """The subject without the secret of which only some beats are public."""
    boundary = subject.boundary
    if boundary.public is None:
        return subject
    public = boundary.public.data
    secrets = tuple(port for port in boundary.secrets if port != public)
    assumption = f"All beats of {public} are public: on a mapped netlist they are not told apart."
    boundary = replace(boundary, secrets=secrets, public=None)
    return replace(subject, boundary=boundary, inner=(), assumes=(assumption,))
