"""Says which ports of an emitted module are secret, and what has to be proved about its time.

Payload is secret: operands, modulus and constants loaded with it, base, exponent.  Public are the
handshake (`valid`, `ready`, `first`, `last`), clock and reset, and all choices: field and words in
use (the first beats of a modulus), which operation, the length of an exponent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from modmul.design import Design, Interface
from modmul.export.hdl import Hdl
from modmul.export.ports import Port, ports
from modmul.multipliers.contract import Multiplier
from modmul.timing_proof.certificate import Boundary, ProofSubject
from modmul.timing_proof.first_beats import PublicBeats

_HANDSHAKE = ("valid", "ready", "first", "last")
_IN_ORDER = (
    "The adapter hands the beats of a modulus on in order, none lost or doubled: simulated, not "
    "proved."
)


def subject(design: Design, written: Hdl, interface: Interface) -> ProofSubject:
    """The module of `written` with this interface, for `certificate.prove`.

    If the first beats of a modulus are public, the adapter is proved around a core that is proved
    by itself: in the adapter's queue all beats use the same wires."""
    around = boundary(design, interface)
    subject_ = ProofSubject(
        written.verilog,
        written.top(interface),
        design.timing,
        around,
        tuple(model.text for model in written.models),
    )
    if around.public is None or interface == "core":
        return subject_
    inner = subject(design, written, "core")
    return replace(subject_, inner=(inner,), assumes=(_IN_ORDER,))


def boundary(design: Design, interface: Interface) -> Boundary:
    """Secrets and controls of a design.  A processor declares which of its streams are
    secret; a multiplier also has public first beats of a modulus, if these choose field and
    words."""
    choice = design.mode_header_beats if isinstance(design, Multiplier) else 0
    public = PublicBeats("modulus", "modulus_data", choice) if choice else None
    return _boundary(ports(design, interface), public)


def _boundary(ports: Iterable[Port], public: PublicBeats | None) -> Boundary:
    ports = list(ports)
    secrets = tuple(port.name for port in ports if port.direction == "input" and port.secret)
    controls = tuple(
        port.name for port in ports if port.direction == "output" and port.field in _HANDSHAKE
    )
    return Boundary(secrets, controls, public)
