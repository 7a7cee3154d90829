"""Transports to processors for curves: the golden model, and the simulated Verilog."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from modmul.arithmetic import curves
from modmul.host import Modelled, Simulated, Transport, ecdsa
from modmul.host.encodings import point_from_octets, point_to_octets
from modmul.spec import Spec
from openssl_command import KeyPair


@cache
def spec(named: str | curves.Curve, **options: Any) -> Spec:
    """As wide as the curve, but 256 for all primes of 224 to 256 bits, so that they share one."""
    curve = curves.find(named) if isinstance(named, str) else named
    if curve.form == "binary":
        own = {"architecture": "binary-curve", "multiplier": "fips", "binary_square": "spread"}
        return Spec.from_options({**own, "curve": curve, **options})
    width = 256 if 224 <= curve.bits <= 256 else curve.bits
    return Spec.from_options(
        {
            "architecture": "curve",
            "multiplier": "fpmm",
            "width": width,
            "curve": curve,
            "forms": curve.form,
            **options,
        }
    )


def modelled(named: str | curves.Curve, **options: Any) -> Modelled:
    return Modelled(spec(named, **options))


def simulated(named: str | curves.Curve, **options: Any) -> Simulated:
    return Simulated(spec(named, **options))


def both_ways(core: Transport, curve: curves.Curve, place: Path, openssl: str, digest: str) -> None:
    """One signature of ours that the command openssl accepts, one of its, and what is shared.

    openssl: its name of the curve."""
    message = f"{openssl} {digest}".encode()
    theirs, peer = (KeyPair(openssl, place / name) for name in ("mine", "peer"))
    public = ecdsa.public_key(core, curve, theirs.number)
    assert public == theirs.point and point_from_octets(curve, theirs.octets) == public
    assert point_to_octets(curve, public) == theirs.octets
    signature = ecdsa.sign(core, curve, theirs.number, message, digest)
    assert theirs.verifies(message, digest, signature)
    assert not theirs.verifies(b"else", digest, signature)
    other = theirs.sign(message, digest)
    assert ecdsa.verifies(core, curve, public, message, other, digest)
    assert not ecdsa.verifies(core, curve, public, b"else", other, digest)
    assert ecdsa.shared(core, curve, theirs.number, peer.point) == theirs.shared(peer)


class FaultyTransport:
    """A transport to a processor that finds a fault, or has one that it does not find: it answers
    `wrong` where a result has that name."""

    def __init__(self, core: Modelled, **wrong: int):
        self.core, self.spec, self.wrong = core, core.spec, wrong

    def ask(self, operation: str, operands: Any) -> Any:
        if not self.wrong:
            return {"fault": True}
        result = self.core.ask(operation, operands)
        return {**result, **{name: value for name, value in self.wrong.items() if name in result}}
