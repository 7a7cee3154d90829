"""The certificate of one module: whether its time is proved to be constant."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from modmul.timing_proof import first_beats, rules
from modmul.timing_proof.constants import implied, readers
from modmul.timing_proof.first_beats import PublicBeats
from modmul.timing_proof.graph import Edge, Known, to_all
from modmul.timing_proof.netlist import Bit, FlatNetlist, NetlistCell, flat
from modmul.timing_proof.propagation import CycleCase, Edges, Origins, path_to, reached, reached_in
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step
from modmul.toolchain.versions import version

PROOF = Step("timing-proof", ("pyosys",))
METHOD = "structural taint"
_BY_PLACE = "structural taint, first beats apart"
_BY_SITUATION = "structural taint, by what is accessed"
_FROM_RESET = "A reset comes first."
_ENDS = 4  # names of a long path that are shown at either end


@dataclass(frozen=True)
class Situation:
    """Some of the cycles of a run: those in which certain bits of ports or registers have known
    values.

    known: name of a port or register, its lowest bit, the number of bits, their value.  secrets:
    inputs whose payload is secret in these cycles.  controls: outputs that no secret may reach in
    these cycles, besides those of the boundary."""

    secrets: tuple[str, ...]
    known: tuple[tuple[str, int, int, int], ...] = ()
    controls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Boundary:
    """What is secret and what must stay public at the ports of a module; all ports by name.

    secrets: inputs whose payload is secret.  controls: outputs that no secret may reach in any
    cycle. public: the beats of a secret payload that are public.  situations: if a payload is
    secret in some cycles only, situations that cover all cycles.  sometimes: situations with
    further controls."""

    secrets: tuple[str, ...]
    controls: tuple[str, ...]
    public: PublicBeats | None = None
    situations: tuple[Situation, ...] = ()
    sometimes: tuple[Situation, ...] = ()


@dataclass(frozen=True)
class ProofSubject:
    """The statement to be proved: the time of module `top` of a Verilog text is as `claim` says.

    blocks: Verilog of the hard blocks that the module contains.  inner: modules inside it that are
    proved separately; the proof of `top` uses only their boundaries.  assumes: what else the proof
    relies on, one sentence each."""

    verilog: str
    top: str
    claim: str
    boundary: Boundary
    blocks: tuple[str, ...] = ()
    inner: tuple[ProofSubject, ...] = ()
    assumes: tuple[str, ...] = ()


class Certificate(msgspec.Struct, frozen=True):
    """Whether it is proved that the time of a module tells nothing about its secrets.

    form: "as written", or the name of what the netlist was mapped for.  claim: the declared timing,
    "constant" or "data-dependent".  proved: no bit of `secrets` reaches a bit of `controls`.
    netlist_sha256: digest of the flat netlist that was examined.  assumes: what else has to hold,
    one sentence each.  path: names of signals on a path from a secret to a control; empty if it is
    proved. tools: versions by tool.  seconds: how long the proof took when it was made."""

    module: str
    form: str
    claim: str
    proved: bool
    method: str
    netlist_sha256: str
    secrets: tuple[str, ...]
    controls: tuple[str, ...]
    assumes: tuple[str, ...]
    path: tuple[str, ...]
    tools: dict[str, str]
    seconds: float

    @property
    def verdict(self) -> str:
        """The result in a few words: "proved", or "not proved: " and a shortened path."""
        if self.proved:
            return "proved"
        shown = self.path
        if len(shown) > 2 * _ENDS + 1:
            shown = (*shown[:_ENDS], "...", *shown[-_ENDS:])
        return f"not proved: {' -> '.join(shown)}"

    @property
    def delivered(self) -> dict[str, Any]:
        """The members for delivered files: without the seconds, which differ from run to run, and
        without the tools, which these files name once for all certificates."""
        members: dict[str, Any] = msgspec.to_builtins(self)
        return {key: value for key, value in members.items() if key not in ("seconds", "tools")}


def prove(subject: ProofSubject, cache: Cache) -> Certificate:
    """The certificate of a module as it is written, from the cache or proved now.

    Raises ToolFailed or ToolMissing."""

    def read() -> FlatNetlist:
        opaque = [module.top for module in subject.inner]
        return flat(subject.verilog, subject.top, subject.blocks, opaque)

    certificate = kept(subject, "as written", read, cache)
    for module in subject.inner:
        if certificate.proved:
            inner = prove(module, cache)
            certificate = msgspec.structs.replace(certificate, proved=inner.proved, path=inner.path)
    return certificate


def kept(
    subject: ProofSubject,
    form: str,
    read: Callable[[], FlatNetlist],
    cache: Cache,
    content: str = "",
) -> Certificate:
    """The certificate of the netlist that `read` returns, from the cache or proved now.

    form: "as written", or the name of what the netlist is mapped for.
    content: digest of what `read` reads, if that does not follow from the text of `subject`."""
    of_subject = hashlib.sha256(repr(subject).encode()).hexdigest()
    key = {"subject": of_subject, "form": form, "content": content}
    record = cache.get(PROOF, key)
    if record is not None:
        return msgspec.convert(record, Certificate)
    began = time.monotonic()
    netlist = read()
    path = leak(netlist, subject)
    certificate = Certificate(
        module=subject.top,
        form=form,
        claim=subject.claim,
        proved=not path,
        method=_method(subject),
        netlist_sha256=netlist.sha256,
        secrets=subject.boundary.secrets,
        controls=subject.boundary.controls,
        assumes=(_FROM_RESET, *subject.assumes),
        path=tuple(path),
        tools={"pyosys": version("pyosys")},
        seconds=round(time.monotonic() - began, 2),
    )
    cache.put(PROOF, key, msgspec.to_builtins(certificate))
    return certificate


def _method(subject: ProofSubject) -> str:
    if any(module.boundary.situations for module in (subject, *subject.inner)):
        return _BY_SITUATION
    return METHOD if subject.boundary.public is None else _BY_PLACE


def leak(netlist: FlatNetlist, subject: ProofSubject) -> list[str]:
    """The shortest path found from a secret to a control, by names; empty if there is
    none."""
    boundary, edges = subject.boundary, _edges(subject.inner)
    secrets = _bits(netlist, boundary.secrets)
    if boundary.situations:
        cases = [_case(netlist, situation) for situation in boundary.situations]
    elif boundary.public is None or subject.inner:
        cases = [CycleCase(secrets)]
    else:
        cases = first_beats.cases(netlist, secrets, boundary.public)
    origins = reached(netlist, cases, edges)
    leaks = _leaks(netlist, secrets, boundary.controls, origins)
    for sometime in boundary.sometimes:
        then = reached_in(netlist, _case(netlist, sometime), edges, origins)
        leaks += _leaks(netlist, secrets, sometime.controls, then)
    return min(leaks, key=len, default=[])


def _leaks(
    netlist: FlatNetlist, secrets: Sequence[Bit], controls: Sequence[str], origins: Origins
) -> list[list[str]]:
    """Return, for each bit of the controls that a secret reaches, the path to it, as names."""
    ends = {bit: port for port in controls for bit in _bits(netlist, [port])}
    names = {bit: name for bit, name in netlist.names.items() if bit not in ends}
    names |= {bit: netlist.names[bit] for bit in secrets}
    return [[*path_to(bit, origins, names), port] for bit, port in ends.items() if bit in origins]


def _case(netlist: FlatNetlist, situation: Situation) -> CycleCase:
    """A situation as bits of a netlist, with all bits whose value follows from the known
    ones."""
    known: dict[Bit, int] = {}
    for name, low, width, value in situation.known:
        bits = netlist.named(name)[low : low + width]
        known |= {bit: value >> place & 1 for place, bit in enumerate(bits)}
    return CycleCase(_bits(netlist, situation.secrets), implied(known, readers(netlist.cells)))


def _bits(netlist: FlatNetlist, ports: Sequence[str]) -> list[Bit]:
    return [bit for port in ports for bit in netlist.ports[port][1] if isinstance(bit, int)]


def _edges(inner: Sequence[ProofSubject]) -> Edges:
    """The rules of all cells, with one more for each module that is proved separately: its
    controls depend on those of its inputs that are not secret, its other outputs on all inputs."""
    boundaries = {module.top: module.boundary for module in inner}

    def rule(cell: NetlistCell, known: Known) -> Iterator[Edge]:
        boundary = boundaries.get(cell.type)
        if boundary is None:
            yield from rules.edges(cell, known)
            return
        public = [
            bit
            for port, bits in cell.pins.items()
            if port not in boundary.secrets and cell.directions[port] == "input"
            for bit in bits
        ]
        controls = [bit for port in boundary.controls for bit in cell.pins[port]]
        yield from to_all(cell, "controls", public, controls)
        others = [bit for bit in cell.bits("output") if bit not in controls]
        yield from to_all(cell, "payload", cell.bits("input"), others)

    return rule if boundaries else rules.edges
