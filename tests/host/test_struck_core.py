"""A core with one flipped bit in its store of constants makes wrong signatures, which it then finds
valid: none of them is given out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from modmul.arithmetic import curves, points, signatures
from modmul.arithmetic.points import Affine
from modmul.export import hdl
from modmul.host import Fault, ecdsa
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification import faults
from modmul.verification.faults.sites import STREAM, struck
from modmul.verification.simulation.runs import exchange_of
from modmul.verification.simulation.subjects import subject
from modmul.verification.streams import (
    Exchange,
    Offer,
    StreamDesign,
    StreamSession,
    compile_streams,
)

PRIVATE = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721  # RFC 6979, A.2.5
MESSAGE = b"sample"
STEP = 16  # every 16th word of the store is struck


class StruckCore:
    """A transport to a simulated core that is struck by one fault after a reset.  Each operation
    runs again all that were asked for since then."""

    def __init__(self, spec: Spec, session: StreamSession, fault: Offer):
        self.spec, self.session, self.fault = spec, session, fault
        self.asked: list[Any] = []

    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        of = subject(self.spec, operation)
        self.asked.append((of, of.read(dict(operands))))
        longest = max(request.declared[1] for _, request in self.asked)
        counts = [of.reply_beats(request) for of, request in self.asked]
        inputs: dict[str, list[Offer]] = {}
        exchange = Exchange({}, {})
        for place, (of, request) in enumerate(self.asked):
            load = {} if place else of.load(request)
            exchange = exchange_of(load, of.request(request), sum(counts), longest)
            for name, offers in exchange.inputs.items():
                wait = {"after": "result", "beats": sum(counts[:place])} if place else {}
                first = [replace(offer, **wait) for offer in offers[:1]]
                inputs.setdefault(name, []).extend([*first, *offers[1:]])
        inputs[STREAM] = [self.fault]
        outcome = self.session.run(
            0, replace(exchange, inputs=inputs, limit=4 * longest, fresh=True)
        )
        beats = outcome.beats["result"]
        if len(beats) < sum(counts):
            raise Fault(f"{operation}: no result came")
        reply = of.reply(request, beats[-counts[-1] :])
        assert all(isinstance(value, int) for value in reply.values())
        return cast(Mapping[str, int], reply)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_flipped_constant_gives_no_wrong_signature() -> None:
    """With a right signature of the same message, the private key would follow from a wrong one."""
    curve = curves.find("p256")
    options = {"architecture": "curve", "multiplier": "fpmm", "curve": "p256"}
    spec = Spec.from_options({**options, "forms": "weierstrass", "schemes": "ecdsa"})
    design, sites = struck(StreamDesign.of(spec.design, "stream", hdl.emit(spec.design)))
    (store,) = (place for place in sites.of("memory") if "constants" in place.name)
    public = points.multiply(curve, PRIVATE, Affine(curve.x, curve.y))
    assert public is not None
    number = int.from_bytes(hashlib.sha256(MESSAGE).digest(), "big")
    wrong = 0
    with compile_streams([design], Cache()).start() as session:
        for word in range(0, store.words or 0, STEP):  # 160: a 1 modulo p in Montgomery's domain
            fault = faults.Fault("flip", 0, store.base + word * store.width + 5, 1, 2000, 1)
            core = StruckCore(spec, session, fault.offer())
            try:
                signature = ecdsa.sign(
                    core, curve, PRIVATE, MESSAGE, encoding=ecdsa.RAW, public=public, noise=b""
                )
            except Fault:
                wrong += 1
                continue
            r, s = (int.from_bytes(signature[place : place + 32], "big") for place in (0, 32))
            assert signatures.is_ecdsa(curve, number, r, s, public), word
    assert wrong > 0
